// Arrows between the blocks of a picture.

import { svg } from "../shared/svg.js";

export function arrowHead(id = "head", size = 7) {
  const defs = svg("defs");
  const marker = svg("marker", { id, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: size, markerHeight: size, orient: "auto" }, defs);
  svg("path", { class: "head", d: "M0 0L8 4L0 8z" }, marker);
  return defs;
}
