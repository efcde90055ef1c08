// What a result is made of, and where a number goes: read from the formulas alone.

import { indices } from "./trace.js";

/** @import { TraceView } from "./trace.js" */
/** @import { Factor, FactorSpec, Part, Ref, Use } from "./types" */

// Cells that a result is made of, back to the rows and vectors of its products, as [variable, index]; itself first.
/** @param {TraceView} view @param {string} name @param {number[]} index @returns {Ref[]} */
export function sources(view, name, index) {
  /** @type {Ref[]} */
  const found = [[name, index]];
  const formula = view.header.formulas[name];
  if (!formula) return found;
  const [{ ref }] = formula.terms;
  if (formula.fn === "softmax" && ref) {
    for (const place of indices(view, ref)) found.push([ref, place]);
    return found;
  }
  for (const { factors, dot } of parts(view, name, index)) {
    for (const [v, i] of factors) {
      if (dot) found.push([v, i]);
      else found.push(...sources(view, v, i));
    }
  }
  return found;
}

// The terms of a result: products of factors, each a [variable, index, whether 1 minus it is meant], and whether the term
// is taken away. A dot product opens into its products.
/** @param {TraceView} view @param {string} name @param {number[]} index @returns {Part[]} */
export function parts(view, name, index) {
  /** @type {Part[]} */
  const result = [];
  for (const term of view.header.formulas[name].terms) {
    const row = index[0] + (term.offset ?? 0);
    if (term.rows && (row < term.rows[0] || row >= term.rows[1])) continue; // other rows have another vector
    if (term.dot) {
      const [matrix, vector] = term.dot;
      const [, columns] = view.shape(matrix);
      for (let j = 0; j < columns; j++) result.push({ factors: [[matrix, [row, j]], [vector, [j]]], dot: true });
    } else if (term.product) result.push({ factors: term.product.map((factor) => factorOf(factor, index)) });
    else if (term.ref) result.push({ factors: [[term.ref, [row]]], minus: term.minus });
  }
  return result;
}

// A factor of a product of numbers: a variable, 1 minus it, or a row further down in a stacked one.
/** @param {FactorSpec} factor @param {number[]} index @returns {Factor} */
function factorOf(factor, index) {
  if (typeof factor === "string") return [factor, index];
  return factor.ref === undefined ? [factor.one_minus, index, true] : [factor.ref, [index[0] + factor.offset]];
}

// The variable of a factor that is a result of its own: 1 minus it is not opened.
/** @param {FactorSpec} factor */
function openable(factor) {
  if (typeof factor === "string") return [factor];
  return factor.ref === undefined ? [] : [factor.ref];
}

// How many times the terms of a result can be written out before products of a matrix and a vector are reached.
/** @param {TraceView} view @param {string} name @returns {number} */
export function depthOf(view, name) {
  const formula = view.header.formulas[name];
  if (!formula) return 0;
  if (formula.fn === "softmax") return 1; // its own line is long enough; each sum has a line of its own
  const inner = formula.terms.flatMap((term) => (term.ref ? [term.ref] : (term.product ?? []).flatMap(openable)));
  return Math.min(formula.depth ?? 4, 1 + Math.max(0, ...inner.map((variable) => depthOf(view, variable))));
}

/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} depth @returns {number} */
export function termCount(view, name, index, depth) {
  if (depth === 0 || !view.header.formulas[name]) return 1;
  let count = 0;
  for (const part of parts(view, name, index)) {
    count += part.dot ? 1 : part.factors.reduce((sum, [v, i]) => sum + termCount(view, v, i, depth - 1), 0);
  }
  return count;
}

// Whether a result is the identity of a sum, whose number is its own.
/** @param {TraceView} view @param {string} name */
export function isSame(view, name) {
  const { fn, terms } = view.header.formulas[name];
  return fn === "identity" && terms.length === 1 && Boolean(terms[0].ref);
}

// Where a weight, bias or input goes: each result that has it as a factor, with the other factor of that product.
/** @param {TraceView} view @param {string} name @param {number[]} index */
export function uses(view, name, index) {
  /** @type {Use[]} */
  const found = [];
  for (const result of Object.keys(view.header.formulas)) {
    for (const place of indices(view, result)) {
      for (const part of parts(view, result, place)) {
        const at = part.factors.findIndex(([v, i]) => v === name && i.every((x, axis) => x === index[axis]));
        if (at >= 0) found.push({ result, place, other: part.factors[1 - at] ?? null, minus: part.minus });
      }
    }
  }
  return found;
}

// The product of factors; what is written as 0 counts as 0.
/** @param {TraceView} view @param {Factor[]} factors @param {number} t */
export const productOf = (view, factors, t) => factors.reduce((product, [v, i]) => {
  const value = view.value(v, i, t);
  return Math.abs(value) < view.floorOf(v) ? 0 : product * value;
}, 1);
