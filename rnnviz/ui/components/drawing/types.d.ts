// What the pad is told (rnnviz/ui/components/drawing/__init__.py). Read by the type checker alone.

import type { Sync } from "../shared/types";

export interface PadData extends Sync {
  /** The sequence's name in an address. */
  name: string;
  /** A row for each step, a column for each component. */
  x: number[][];
  words: Record<string, string>;
}

/** A place of the pointer: the column in fractions, and the value at its height. */
export interface Point {
  at: number;
  value: number;
}

/** The elements of one step. */
export interface Bar {
  group: SVGGElement;
  body: SVGRectElement;
  cap: SVGRectElement;
  text: SVGTextElement | null;
}

export type Parts = Record<"chooser" | "readout" | "waiting" | "surface" | "hint", HTMLElement> & { zero: HTMLButtonElement };
