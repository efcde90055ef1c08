// What the explorer is told, and what its modules hand to each other. Read by the type checker alone.

import type { Box, Change, Family, Numbers, Sync, Theme } from "../shared/types";
import type { TraceView } from "./trace";

export type { Box, Change, Entry, Family, Numbers, SetStateValue, Theme } from "../shared/types";

// ---- the payload (rnnviz/views/explorer/picture.py) ----

export interface Variable {
  array: string;
  symbol: string;
  sub: string;
  sup: string;
  caption: string;
  brief: string;
  family: Family;
  scale: string;
  per_step: boolean;
  shift: number;
  decimals: number;
  edit: string | null;
  turned: number | null;
}

/** A variable, 1 minus it, or rows further down in a stacked one. */
export type FactorSpec = string | { one_minus: string; ref?: undefined } | { one_minus?: undefined; ref: string; offset: number };

/** One term of a sum: a row of a matrix times a vector, a product of numbers, or a number. */
export interface Term {
  dot?: [matrix: string, vector: string];
  product?: FactorSpec[];
  ref?: string;
  offset?: number;
  /** Of a dot product: the rows that it makes, from the first to before the last. */
  rows?: [number, number];
  minus?: boolean;
}

export interface Formula {
  fn?: string;
  terms: Term[];
  depth?: number;
}

type Keys = "block" | "op" | "again" | "join" | "plot" | "room" | "product" | "applied" | "joined" | "lines" | "flow" | "upright" | "row" | "column";
type Only<Part> = Part & { [Key in Exclude<Keys, keyof Part>]?: undefined } & { turned?: boolean };

export type BlockNode = Only<{ block: string; above?: string }>;
export type JoinNode = Only<{ join: string; name: string }>;
export type PlotNode = Only<{ plot: string; name: string; curve: string; slope: string; of: string; to: string }>;

/** A part of the drawing order. */
export type SceneNode =
  | BlockNode
  | JoinNode
  | PlotNode
  | Only<{ op: string }>
  | Only<{ again: string }>
  | Only<{ room: true }>
  | Only<{ product: [matrix: string, vector: string] }>
  | Only<{ applied: [matrix: string, vector: string] }>
  | Only<{ joined: [matrix: string, vector: string][] }>
  | Only<{ lines: SceneNode[] }>
  | Only<{ flow: SceneNode[] }>
  | Only<{ upright: SceneNode[] }>
  | Only<{ row: SceneNode[] }>
  | Only<{ column: SceneNode[] }>;

/** What is said of a whole scene, beside its drawing order. */
export interface SceneNotes {
  back?: boolean;
  low?: boolean;
  turned?: boolean;
  letters?: string;
  order?: number[];
  sorted?: string[];
  clamped?: Record<string, string>;
  computed?: Record<string, string>;
}

/** A gate's line: where its rows begin in stacked arrays, its function and its names. */
export interface Band {
  gate: string;
  start: number;
  fn: string;
  title: string;
  words: string;
  rows: string;
}

/** A gated cell: bands of gates beside a highway. */
export interface BandScene extends SceneNotes {
  bands: Band[];
  lines: SceneNode[];
  joined: boolean;
  memory: string;
  form: { reset?: string; update?: string };
}

interface Arrow {
  symbol: string;
  array: string;
}

/** A level of the unrolled graph. */
export interface Level {
  symbol: string;
  sup: string;
  scale: string;
  values: string;
  shift: number;
  from_below: string;
  carry: { label: string; array: string } | null;
  inward: Arrow | null;
  around: Arrow | null;
}

export interface Header extends Sync {
  kind: string;
  steps: number;
  variables: Record<string, Variable>;
  formulas: Record<string, Formula>;
  /** With its drawing order: see `tree` and `bands` of `TraceView`. */
  scene: SceneNotes;
  edges: [from: string, to: string][];
  loops: [result: string, entry: string][];
  timeline: string[];
  limits: Record<string, number>;
  /** Null while nobody looks at a large one. */
  graph: Level[] | null;
  characters: string[];
  words: Record<string, string>;
  fact: string;
  remark: string;
  alert: string;
  notices: [unit: number, text: string][];
  edited: [name: string, index: number[], base: number][];
  typed: number[];
  t: number;
  undoable: number;
}

// ---- formulas ----

/** A number by its variable and index. */
export type Ref = [name: string, index: number[]];

/** A factor: a number, and whether 1 minus it is meant. */
export type Factor = [name: string, index: number[], complement?: boolean];

/** A term of a result with its numbers. */
export interface Part {
  factors: Factor[];
  dot?: boolean;
  minus?: boolean;
}

/** A result that has a number as a factor, and the other factor of that product. */
export interface Use {
  result: string;
  place: number[];
  other: Factor | null;
  minus?: boolean;
}

// ---- the picture ----

interface AnySizes {
  cell: number;
  height: number;
  font: number;
  link: number;
  stacked: boolean;
}

/** Sizes in pixels of a picture whose cells hold their numbers. */
export interface PlainSizes extends AnySizes {
  folded?: false;
  pitch?: undefined;
  rowGap?: undefined;
  units?: undefined;
  free?: undefined;
  readout?: undefined;
  most?: undefined;
}

/** Sizes of a folded one: a line for each unit, `pitch` the width of a matrix's columns. */
export interface FoldedSizes extends AnySizes {
  folded: true;
  pitch: number;
  rowGap: number;
  units: number;
  free: number;
  readout?: number;
  most?: number;
}

/** What a layout has chosen. */
export type Sizes = PlainSizes | FoldedSizes;

export interface CellSize {
  width: number;
  height: number;
  gap: number;
  rowGap: number;
  readable: boolean;
}

/** The room that a part of the drawing takes; neighbours in a row are aligned at `middle`. */
export interface Extent {
  width: number;
  height: number;
  middle: number;
  children?: Extent[];
}

export type LeafBox = Box & Extent;

/** Where a block, a plot or a join stands: what arrows begin and end at. */
export interface Place {
  left: number;
  right: number;
  top: number;
  bottom: number;
  middle: number;
  centre: number;
  /** The end of its name, where it has one. */
  outer?: number;
}

export interface CellOptions {
  step?: number | null;
  font?: number;
  rx?: number;
  turned?: boolean;
  bare?: boolean;
  textless?: boolean;
  className?: string;
}

/** Something with a name for screen readers that its numbers are part of. */
export interface Named {
  element: Element;
  text?: Element | null;
  label(view: TraceView, t: number, before: TraceView | null): string;
}

/** Cells that stand for one row of a folded matrix or strip. */
export interface Rows {
  showRow(row: number): void;
  /** The row some lines further down. */
  below(row: number, lines: number): number;
}

/** What is drawn at once for many numbers. */
export interface FoldedPart {
  name: string;
  show(view: TraceView, t: number, theme: Theme): void;
}

/** Takes changes on their way to Python. */
export type TakeChanges = (set: Change[]) => void;

export type NumbersOf = Record<string, Numbers>;

/** The elements of explorer.html by their `data-part`. */
export type Parts = Record<
  | "title" | "hint" | "waiting" | "alert" | "more" | "scene" | "fact" | "remark" | "notice" | "arithmetic" | "timeline"
  | "legend" | "graphTitle" | "graphs" | "keysTitle" | "keys" | "summary" | "twin",
  HTMLElement
> & Record<"graph" | "details", HTMLDetailsElement>;
