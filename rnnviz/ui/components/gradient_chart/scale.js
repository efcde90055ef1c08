// Axes and colours of numbers that are given by their base-10 logarithms.

import { colourOf } from "../shared/colour.js";
import { penOf } from "../shared/parts.js";

/** @import { Theme } from "../shared/types" */

const MOST_DECADES = 300; // the colours end here, for every network alike

// Where a number stands on the map's scale, from -1 to 1, with 1 in the middle: in decades linear near it and
// logarithmic far from it, so that 0.1 and 1e-100 both have a shade of their own.
/** @param {number} log10 */
export const placeOf = (log10) => Math.max(-1, Math.min(1, Math.asinh(log10 / 3) / Math.asinh(MOST_DECADES / 3)));

/** @param {number} place @param {Theme} theme */
export const decadeColour = (place, theme) => colourOf(place, "signed", 1, theme);

// Round steps for an axis of whole numbers, at least `room` px apart.
/** @param {number} first @param {number} last @param {number} width @param {number} room */
export function wholeTicks(first, last, width, room) {
  const least = ((last - first) * room) / Math.max(1, width);
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((size) => size >= least) ?? 500;
  const ticks = [];
  for (let k = Math.ceil(first / step) * step; k <= last; k += step) ticks.push(k);
  return ticks;
}

/** @type {CanvasRenderingContext2D | undefined} */
let pen;

// How wide a text is, in px.
/** @param {string} text @param {string} font */
export function widthOf(text, font) {
  pen ??= penOf(document.createElement("canvas"));
  pen.font = font;
  return pen.measureText(text).width;
}
