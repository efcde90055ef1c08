// How variables and their indices are written.

/** @import { TraceView } from "./trace.js" */

// x_t[2] with its subscript, units counted from 1; results without a letter go by their caption. With a step, the
// subscript is that step's number: h_4[2].
/** @param {TraceView} view @param {string} name @param {number[] | null} index @param {number | null} step */
export function symbolHtml(view, name, index, step = null) {
  const { symbol, sub, sup, caption } = view.variable(name);
  const place = index ? `[${onScreen(view, index).join(",")}]` : "";
  const time = step === null ? sub : atStep(sub, step);
  const mark = sup ? `<sup>${sup}</sup>` : "";
  const below = sub.startsWith("(") ? time : `<sub>${time}</sub>`; // h(t), where the notation writes it so
  return symbol ? `${symbol}${mark}${below}${place}` : `${caption}${place && ` ${place}`}`;
}

// A subscript with the number of a step in place of t.
/** @param {string} sub @param {number} step */
function atStep(sub, step) {
  /** @type {Record<string, string>} */
  const known = { t: `${step}`, "t−1": `${step - 1}`, "(t)": `(${step})`, "(t−1)": `(${step - 1})` };
  return known[sub] ?? sub;
}

// An index as it is counted on the screen: from 1, of a matrix that is written transposed column first.
/** @param {TraceView} view @param {number[]} index */
export const onScreen = (view, index) => (view.header.scene.turned ? [...index].reverse() : index).map((i) => i + 1);

/** @param {TraceView} view @param {string} name */
export function symbolText(view, name) {
  const { symbol, sub, sup, caption } = view.variable(name);
  const mark = sup === "T" ? "ᵀ" : sup; // transposed
  return symbol ? [symbol + mark, sub].filter(Boolean).join("_") : caption;
}
