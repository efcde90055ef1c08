// What stands around the pictures: the legend of the colours, and the same numbers as a table.

import { colourOf, cssColour } from "../shared/colour.js";
import { DIGITS, MINUS, writeNumber } from "../shared/numbers.js";
import { fill } from "../shared/sentences.js";
import { symbolHtml } from "./symbols.js";
import { indices } from "./trace.js";

/** @import { TraceView } from "./trace.js" */
/** @import { Family, Theme } from "./types" */

/** @param {TraceView} view @param {Theme} theme */
export function legendHtml(view, theme) {
  const { words, limits } = view.header;
  const items = Object.entries(limits).map(([scale, limit]) => {
    const family = SCALE_COLOURS[scale] ?? /** @type {Family} */ (scale);
    const isGate = family === "gate"; // from closed to open
    const colours = (isGate ? [0, 0.25, 0.5, 0.75, 1] : [-1, -0.5, 0, 0.5, 1]).map((share) => cssColour(colourOf(share * limit, family, limit, theme)));
    const end = writeNumber(limit, DIGITS, 0);
    const [low, high] = isGate ? ["0", "1"] : [`${MINUS}${end}`, end];
    return `<span class="legend-item">${words[`legend_${scale}`]} <span>${low}</span><i style="background:linear-gradient(90deg,${colours})"></i><span>${high}</span></span>`;
  });
  return items.join("");
}

// Every number of a step, a row for each unit of each variable.
/** @param {TraceView} view @param {number} t */
export function twinHtml(view, t) {
  const rows = Object.keys(view.header.variables).flatMap((name) => {
    /** @type {Map<number, string[]>} */
    const units = new Map();
    for (const index of indices(view, name)) {
      units.set(index[0], [...(units.get(index[0]) ?? []), view.write(name, view.value(name, index, t))]);
    }
    return [...units].map(([unit, numbers]) => `<tr><th scope="row">${symbolHtml(view, name, [unit])}</th><td>${numbers.join(" &nbsp; ")}</td></tr>`);
  });
  return `<table><caption>${stepText(view, t)}</caption><tbody>${rows.join("")}</tbody></table>`;
}

/** @param {TraceView} view @param {number | string} t */
export const stepText = (view, t) => fill(view.header.words.step, { t, steps: view.steps });

// Scales of their own with the colours of signed numbers.
/** @type {Record<string, Family>} */
const SCALE_COLOURS = { state: "signed", cell: "signed", output: "signed", sum: "signed" };
