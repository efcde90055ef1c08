// What the explorer is told: the drawing order, and the numbers of every step.

import { unpack } from "../shared/message.js";
import { DIGITS, ROUNDING, writeNumber } from "../shared/numbers.js";

export class TraceView {
  constructor(bytes) {
    Object.assign(this, unpack(bytes));
    this.steps = this.header.steps;
    // Where a walk begins, where it ends, and its stride: a backward pass goes from step T to step 1.
    [this.first, this.last, this.stride] = this.header.scene.back ? [this.steps, 1, -1] : [1, this.steps, 1];
    // The initial states by their names in the address, "h0": where they enter, and the state that follows them.
    this.starts = new Map(this.header.loops.map(([next, entry]) => [this.variable(entry).edit, { entry, next }]));
    this.edited = new Map(this.header.edited.map(([name, index, base]) => [entryKey(name, index), base]));
    this.typed = new Map(this.header.edited.map(([name, index], i) => [entryKey(name, index), this.header.typed[i]]));
  }

  variable(name) {
    return this.header.variables[name];
  }

  // The drawn variable behind a name: an initial state is what enters step 1.
  drawn(name) {
    return this.starts.get(name)?.entry ?? name;
  }

  // Rows and columns of a drawn variable; a vector is one column.
  shape(name) {
    const { array, per_step: perStep } = this.variable(name);
    const shape = this.arrays[array].shape.slice(perStep ? 1 : 0);
    return [shape[0], shape[1] ?? 1];
  }

  isMatrix(name) {
    const { array, per_step: perStep } = this.variable(name);
    return this.arrays[array].shape.length - (perStep ? 1 : 0) === 2;
  }

  // The number at an index, at step t (1..T).
  value(name, index, t) {
    const { array, per_step: perStep, shift } = this.variable(name);
    const { shape, data } = this.arrays[array];
    const place = perStep ? [t - 1 + shift, ...index] : index;
    let flat = 0;
    for (let axis = 0; axis < shape.length; axis++) flat = flat * shape[axis] + place[axis];
    return data[flat];
  }

  // The value at which a variable's colour is full.
  limitOf(name) {
    const { scale, family } = this.variable(name);
    return this.header.limits[scale || family] ?? 1;
  }

  // Below it a computed number is rounding and written as 0; what was typed is not, nor are gates and factors, nor
  // gradients, which vanish by products and keep their digits.
  floorOf(name) {
    const { family, edit } = this.variable(name);
    return family === "signed" && !isInput(edit) && !this.header.scene.back ? ROUNDING * Math.min(1, this.limitOf(name)) : 0;
  }

  // A number of a variable in full: four digits.
  write(name, value) {
    return writeNumber(value, DIGITS, this.floorOf(name));
  }

  // The character that a one-hot input stands for, or in a backward pass the target; empty where it is none.
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
  character(component) {
    const sign = this.header.characters[component];
    return { " ": "␣", "\n": "⏎", "\t": "⇥" }[sign] ?? sign;
  }

  // Whether a gate is clamped at a step.
  isClamped(name, index, t) {
    const clamped = this.header.scene.clamped?.[name];
    if (!clamped) return false;
    const { shape, data } = this.arrays[clamped];
    return data[(t - 1) * shape[1] + index[0]] > 0;
  }

  // The entry that an edit of this cell sets, or null where the number is a result.
  entry(name, index, t) {
    const { edit } = this.variable(name);
    if (!edit) return null;
    if (this.starts.has(edit)) return t === 1 ? [edit, index] : null;
    const { turned } = this.variable(name);
    if (turned !== null) return [edit, [turned + index[1], index[0]]]; // some rows of the array, transposed
    return isInput(edit) ? [edit, [t - 1, ...index]] : [edit, index];
  }
}

const isInput = (edit) => /(^|\.)x$/.test(edit ?? "");

export const entryKey = (name, index) => `${name}.${index.join(".")}`;

// Every index of a shape, row by row, as the hooks write it: "2" for a vector, "2,0" for a matrix.
export function* indices(view, name) {
  const [rows, columns] = view.shape(name);
  const isMatrix = view.isMatrix(name);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) yield isMatrix ? [i, j] : [i];
}
