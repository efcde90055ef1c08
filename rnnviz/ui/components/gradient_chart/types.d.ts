// What the chart is told (rnnviz/views/charts/decades.py). Read by the type checker alone.

import type { Sync } from "../shared/types";

export interface CurveSpec {
  key: string;
  name: string;
  colour: string;
  style: string;
  note: string;
  shown: boolean;
  array: string;
}

/** With its log10 norms from the last step back. */
export interface Curve extends CurveSpec {
  values: Float64Array;
}

export type Tick = [decade: number, text: string];

export interface MapSpec {
  array: string;
  first: number;
  size: number;
  said: string;
  left_out: string;
  ticks: Tick[];
}

export interface Header {
  words: Record<string, string>;
  steps: number;
  height: number;
  curves: CurveSpec[];
  low: number;
  high: number;
  ticks: Tick[];
  threshold: { value: number; label: string } | null;
  said: string;
  map: MapSpec | null;
  chosen: Pair;
  sync: (Sync & { undoable: number }) | null;
}

/** A step, and a later one. */
export type Pair = [k: number, t: number];

/** The name of a curve at its end: where along the axis, at what value, and whether beside the plot. */
export interface End {
  curve: Curve;
  text: string;
  place: number;
  value: number;
  outside: boolean;
  /** 1 or -1 where the curve leaves the plot above or below. */
  level: number;
  width: number;
  /** Its height, and that of the curve. */
  y: number;
  at: number;
}

/** The room of a text, from its left end; y is its middle. */
export interface TextBox {
  x: number;
  y: number;
  width: number;
}

export type Parts = Record<"chart" | "beside" | "note" | "legend" | "actions" | "readout" | "map", HTMLElement> & {
  numbers: HTMLDetailsElement;
  undo: HTMLButtonElement;
};
