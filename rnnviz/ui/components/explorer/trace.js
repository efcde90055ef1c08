// What the explorer is told: the drawing order, and the numbers of every step.

import { unpack } from "../shared/message.js";
import { DIGITS, ROUNDING, writeNumber } from "../shared/numbers.js";

/** @import { BandScene, Entry, Header, NumbersOf, SceneNode } from "./types" */

export class TraceView {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    /** @type {{ header: Header, arrays: NumbersOf }} */
    const { header, arrays } = unpack(bytes);
    this.header = header;
    this.arrays = arrays;
    this.steps = header.steps;
    // Where a pass begins, where it ends, and its stride: a backward pass goes from step T to step 1.
    const { back } = header.scene;
    this.first = back ? this.steps : 1;
    this.last = back ? 1 : this.steps;
    this.stride = back ? -1 : 1;
    // The initial states by their names in the address, "h0": where they enter, and the state that follows them.
    this.starts = new Map(header.loops.flatMap(([next, entry]) => this.startOf(next, entry)));
    this.edited = new Map(header.edited.map(([name, index, base]) => [entryKey(name, index), base]));
    this.typed = new Map(header.edited.map(([name, index], i) => [entryKey(name, index), header.typed[i]]));
  }

  // Of a backward pass nothing that enters can be edited.
  /** @param {string} next @param {string} entry @returns {[string, { entry: string, next: string }][]} */
  startOf(next, entry) {
    const { edit } = this.variable(entry);
    return edit === null ? [] : [[edit, { entry, next }]];
  }

  // The drawing order, of a scene without bands.
  get tree() {
    return /** @type {SceneNode} */ (this.header.scene);
  }

  // The gates of a gated cell with all that stands beside them, or null.
  get bands() {
    return "bands" in this.header.scene ? /** @type {BandScene} */ (this.header.scene) : null;
  }

  /** @param {string} name */
  variable(name) {
    return this.header.variables[name];
  }

  // The drawn variable behind a name: an initial state is what enters step 1.
  /** @param {string} name */
  drawn(name) {
    return this.starts.get(name)?.entry ?? name;
  }

  // Rows and columns of a drawn variable; a vector is one column.
  /** @param {string} name @returns {[rows: number, columns: number]} */
  shape(name) {
    const { array, per_step: perStep } = this.variable(name);
    const shape = this.arrays[array].shape.slice(perStep ? 1 : 0);
    return [shape[0], shape[1] ?? 1];
  }

  /** @param {string} name */
  isMatrix(name) {
    const { array, per_step: perStep } = this.variable(name);
    return this.arrays[array].shape.length - (perStep ? 1 : 0) === 2;
  }

  // The number at an index, at step t (1..T).
  /** @param {string} name @param {number[]} index @param {number} t */
  value(name, index, t) {
    const { array, per_step: perStep, shift } = this.variable(name);
    const { shape, data } = this.arrays[array];
    const place = perStep ? [t - 1 + shift, ...index] : index;
    let flat = 0;
    for (let axis = 0; axis < shape.length; axis++) flat = flat * shape[axis] + place[axis];
    return data[flat];
  }

  // The value at which a variable's colour is full.
  /** @param {string} name */
  limitOf(name) {
    const { scale, family } = this.variable(name);
    return this.header.limits[scale || family] ?? 1;
  }

  // Below it a computed number is rounding and written as 0; what was typed is not, nor are gates and factors, nor
  // gradients, which vanish by products and keep their digits.
  /** @param {string} name */
  floorOf(name) {
    const { family, edit } = this.variable(name);
    return family === "signed" && !isInput(edit) && !this.header.scene.back ? ROUNDING * Math.min(1, this.limitOf(name)) : 0;
  }

  // A number of a variable in full: four digits.
  /** @param {string} name @param {number} value */
  write(name, value) {
    return writeNumber(value, DIGITS, this.floorOf(name));
  }

  // The character that a one-hot input stands for, or in a backward pass the target; empty where it is none.
  /** @param {number} t */
  letter(t) {
    const { characters, scene } = this.header;
    const shown = this.variable(scene.letters ?? "x");
    if (!characters.length || !shown) return "";
    const { data, shape: [, size] } = this.arrays[shown.array];
    const step = Array.from(data.subarray((t - 1) * size, t * size));
    const at = step.indexOf(1);
    const isOneHot = size === characters.length && at >= 0 && step.every((value, i) => value === 0 || i === at);
    return isOneHot ? this.character(at) : "";
  }

  // The character of a component of x, what cannot be seen as a sign of its own.
  /** @param {number} component */
  character(component) {
    const sign = this.header.characters[component];
    return UNSEEN[sign] ?? sign;
  }

  // Whether a gate is clamped at a step.
  /** @param {string} name @param {number[]} index @param {number} t */
  isClamped(name, index, t) {
    const clamped = this.header.scene.clamped?.[name];
    if (!clamped) return false;
    const { shape, data } = this.arrays[clamped];
    return data[(t - 1) * shape[1] + index[0]] > 0;
  }

  // The entry that an edit of this cell sets, or null where the number is a result.
  /** @param {string} name @param {number[]} index @param {number} t @returns {Entry | null} */
  entry(name, index, t) {
    const { edit } = this.variable(name);
    if (!edit) return null;
    if (this.starts.has(edit)) return t === 1 ? [edit, index] : null;
    const { turned } = this.variable(name);
    if (turned !== null) return [edit, [turned + index[1], index[0]]]; // some rows of the array, transposed
    return isInput(edit) ? [edit, [t - 1, ...index]] : [edit, index];
  }
}

// Characters that cannot be seen as they are.
/** @type {Record<string, string>} */
const UNSEEN = { " ": "␣", "\n": "⏎", "\t": "⇥" };

/** @param {string | null} edit */
const isInput = (edit) => /(^|\.)x$/.test(edit ?? "");

/** @param {string} name @param {number[]} index */
export const entryKey = (name, index) => `${name}.${index.join(".")}`;

// Every index of a shape, row by row, as the hooks write it: "2" for a vector, "2,0" for a matrix.
/** @param {TraceView} view @param {string} name @returns {Generator<number[], void>} */
export function* indices(view, name) {
  const [rows, columns] = view.shape(name);
  const isMatrix = view.isMatrix(name);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) yield isMatrix ? [i, j] : [i];
}
