// Names at the ends of lines, none over another.

/** @import { TextBox } from "./types" */

export const LABEL = { tall: 15, gap: 7, most: 0.36 }; // px, and the share of the width that names beside the plot may take

// Moves places apart that are nearer than a line of text, as little as need be, within a range; changes `y` of each.
/** @param {{ y: number }[]} labels @param {number} low @param {number} high */
export function spread(labels, low, high) {
  labels.sort((one, other) => one.y - other.y);
  for (const [i, label] of labels.entries()) label.y = Math.max(label.y, i ? labels[i - 1].y + LABEL.tall : low);
  for (let i = labels.length - 1; i >= 0; i--) labels[i].y = Math.min(labels[i].y, i < labels.length - 1 ? labels[i + 1].y - LABEL.tall : high);
}

// A free place for a name within the plot, at or near (x, y): up and down in turn until it covers no other's box.
/** @param {number} x @param {number} y @param {number} width @param {TextBox[]} taken @param {{ left: number, right: number, top: number, bottom: number }} plot @returns {TextBox} */
export function freePlace(x, y, width, taken, { left, right, top, bottom }) {
  const from = Math.max(left, Math.min(x, right - width));
  for (let i = 0; i < 30; i++) {
    const at = y + LABEL.tall * Math.ceil(i / 2) * (i % 2 ? 1 : -1);
    const box = { x: from, y: at, width };
    if (at < top || at > bottom || taken.some((other) => covers(box, other))) continue;
    return box;
  }
  return { x: from, y: Math.max(top, Math.min(bottom, y)), width };
}

/** @param {TextBox} one @param {TextBox} other */
const covers = (one, other) => Math.abs(one.y - other.y) < LABEL.tall && one.x < other.x + other.width && other.x < one.x + one.width;
