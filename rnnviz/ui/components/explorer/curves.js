// The activation's curve, with a point for each unit.

import { writeFaded } from "../shared/numbers.js";
import { indices } from "./trace.js";

export const TANGENT = 26; // px to either side of its point

export const slopeOf = (view, { slope }, unit, t) => {
  const { data, shape } = view.arrays[slope];
  return data[(t - 1) * shape[1] + unit];
};

export function describeCurve(view, node, t) {
  const { words } = view.header;
  const slopes = [...indices(view, node.to)].map(([i]) => `${words.unit} ${i + 1}: ${writeFaded(slopeOf(view, node, i, t))}`);
  return `${node.plot}, ${words.slope}: ${slopes.join(", ")}`;
}
