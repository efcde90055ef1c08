// What a stroke sets: numbers from places of the pointer, without gaps where it was fast.

/** @import { Point } from "./types" */

// The end of the scale: 1, or the next of 1, 2, 5, 10, 20 ... that holds all values.
/** @param {number[]} values */
export function scaleEnd(values) {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return Math.min(Number.MAX_VALUE, power * ([1, 2, 5].find((digit) => digit * power >= largest) ?? 10));
}

// The smallest difference that is drawn: 0.01, and on large scales about a thousandth.
/** @param {number} limit */
export const grainOf = (limit) => 0.01 * Math.max(1, 10 ** (Math.floor(Math.log10(limit)) - 1));

/** @param {number} value @param {number} limit */
export function rounded(value, limit) {
  const grain = grainOf(limit);
  return Number((Math.round(value / grain) * grain).toFixed(2));
}

// The columns that a stroke sets on its way between two places of the pointer, `{ at, value }`: `at` counts columns
// in fractions. Those in between are set where their middles are passed.
/** @param {Point} from @param {Point} to @returns {[column: number, value: number][]} */
export function between(from, to) {
  const [start, end] = [Math.floor(from.at), Math.floor(to.at)];
  /** @type {[column: number, value: number][]} */
  const set = [];
  const step = Math.sign(end - start);
  for (let column = start + step; column !== end + step && step; column += step) {
    const share = column === end ? 1 : (column + 0.5 - from.at) / (to.at - from.at);
    set.push([column, from.value + share * (to.value - from.value)]);
  }
  return step ? set : [[end, to.value]];
}
