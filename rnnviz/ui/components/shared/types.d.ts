// What the scripts of all components hand to each other. Read by the type checker alone.

export type Theme = "light" | "dark";

/** Red, green and blue, 0 to 255. */
export type Rgb = number[];

/** A family of colours in rnnviz/views/palette.json. */
export type Family = "signed" | "weight" | "gate" | "factor";

/** One of several float64 arrays of a message, row by row. */
export interface Numbers {
  shape: number[];
  data: Float64Array;
}

/** Tells Python of a name's new value, as Streamlit hands it over. */
export type SetStateValue = (name: string, value: unknown) => void;

/** What keeps the browser's edits and the server's settings in step; of Python's `Sync`. */
export interface Sync {
  session: string;
  epoch: number;
  acknowledged: number;
}

/** An editable number by its array and its place there. */
export type Entry = [name: string, index: number[]];

/** An entry and its new value; null brings back what stood there before any edit. */
export type Change = [name: string, index: number[], value: number | null];

/** Changes that Python has not acknowledged; `settled` where the hand has let go. */
export interface Edit {
  seq: number;
  set: Change[];
  settled: boolean;
  undo: boolean;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A component on the page: made with its first message, `receive` takes all later ones. */
export interface View<Data> {
  receive(data: Data, setStateValue: SetStateValue): void;
  close(): void;
}

/** What Streamlit calls a component's script with. */
export interface Message {
  data: unknown;
  parentElement: HTMLElement & { shown?: View<unknown> };
  setStateValue: SetStateValue;
}
