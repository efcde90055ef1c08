// The memory of a gated cell as a highway, and the lines on which the gates act on it.

import { svg } from "../shared/svg.js";
import { AHEAD, LANES, NODE_RADIUS, TOP } from "./bands.js";
import { LABEL } from "./layout.js";

/** @import { BandDrawing } from "./band_drawing.js" */

/** @param {BandDrawing} drawing */
export function drawHighway(drawing) {
  const highway = new Highway(drawing);
  if (drawing.spec.memory === "c") highway.cellState();
  else highway.hiddenState();
}

class Highway {
  /** @param {BandDrawing} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.bands = drawing.bands;
    this.paper = drawing.paper;
  }

  /** @param {string} d */
  line(d, isHighway = false, hasHead = true) {
    const line = svg("path", { class: isHighway ? "highway" : "arrow", d }, this.paper.arrows);
    if (hasHead) line.setAttribute("marker-end", isHighway ? "url(#highway-head)" : "url(#head)");
  }

  /** @param {number} x @param {number} y @param {string} sign */
  node(x, y, sign, note = "") {
    svg("circle", { class: "join", cx: x, cy: y, r: NODE_RADIUS }, this.paper.element);
    svg("text", { class: "sign big", x, y, "aria-hidden": "true" }, this.paper.element, sign);
    if (note) svg("text", { class: "caption", x, y: y - NODE_RADIUS - 9, "aria-hidden": "true" }, this.paper.element, note);
  }

  // LSTM: f times c_prev, plus i times g, is c; o times tanh(c) is h.
  cellState() {
    const { sizes, gateRight: right } = this.drawing;
    const wide = Math.max(sizes.cell, 46);
    const start = right - sizes.cell;
    const top = TOP + LABEL;
    const y = top + this.bands.rows / 2;
    const [f, i, g, o] = ["f", "i", "g", "o"].map((gate) => this.bands.middle(gate));
    const keep = right + LANES.first, add = keep + sizes.between, c = add + sizes.between;
    const [from, r] = [right + 3, NODE_RADIUS];
    this.drawing.named("c_prev", start + sizes.cell / 2 - 9, top - 11).style.textAnchor = "end"; // beside the way back
    this.drawing.slice("c_prev", 0, { x: start, y: top, width: sizes.cell });
    this.line(`M${from} ${y}H${keep - r}`, true, false);
    this.line(`M${keep + r} ${y}H${add - r}`, true, false);
    this.line(`M${add + r} ${y}H${c - 4}`, true);
    this.drawing.named("c", c + wide / 2 - 8, top - 11);
    this.drawing.slice("c", 0, { x: c, y: top, width: wide });
    const end = c + wide + AHEAD;
    this.line(`M${from} ${f}H${keep}V${y + r + 5}`);
    this.line(`M${from} ${i}H${add - r - 4}`);
    this.line(`M${from} ${g}H${add}V${i + r + 5}`);
    this.line(`M${add} ${i - r}V${y + r + 5}`);
    this.node(keep, y, "⊙");
    this.node(add, y, "+");
    this.node(add, i, "⊙");
    const shown = this.bands.top("i");
    this.line(`M${c + wide / 2} ${top + this.bands.rows + 2}V${shown - LABEL - 2}`);
    this.drawing.label("tanh_c", c + wide / 2, shown - 11);
    this.drawing.slice("tanh_c", 0, { x: c, y: shown, width: wide });
    this.line(`M${c + wide / 2} ${shown + this.bands.rows + 2}V${o - r - 4}`);
    this.line(`M${from} ${o}H${c + wide / 2 - r - 4}`);
    this.node(c + wide / 2, o, "⊙");
    this.line(`M${c + wide / 2 + r} ${o}H${end - 4}`);
    this.drawing.named("h", end + wide / 2 - 10, this.bands.top("o") - 11);
    this.drawing.slice("h", 0, { x: end, y: this.bands.top("o"), width: wide });
    this.loop("c", c + wide, y, 20, "highway");
    this.loop("h", end + wide, o, 7, "arrow");
  }

  // GRU: z times h_prev, plus 1 - z times the candidate, is h; or z and 1 - z exchanged.
  hiddenState() {
    const { sizes, gateRight: right, spec } = this.drawing;
    const wide = Math.max(sizes.cell, 46);
    const from = right + 3, r = NODE_RADIUS;
    const keeps = spec.form.update === "keep";
    const keep = right + LANES.first, write = keep + sizes.between, add = write + sizes.between, h = add + 34;
    const top = TOP + LABEL;
    const y = top + this.bands.rows / 2;
    const { right: begin, top: above, bottom } = this.paper.places.h_prev;
    const level = (above + LABEL + bottom) / 2;
    const [z, n] = [this.bands.middle("z"), this.bands.middle("n")];
    this.line(`M${begin + 4} ${level}H${keep - 26}C${keep - 16} ${level} ${keep - 22} ${y} ${keep - r} ${y}`, true, false);
    this.line(`M${keep + r} ${y}H${add - r}`, true, false);
    this.line(`M${add + r} ${y}H${h - 4}`, true);
    this.line(`M${from} ${z}H${keep}V${y + r + 5}`);
    this.line(`M${keep} ${z}H${write}V${n - r - 4}`);
    this.line(`M${from} ${n}H${write - r - 4}`);
    this.line(`M${write + r} ${n}H${add}V${y + r + 5}`);
    const [kept, written] = keeps ? ["z", "1 − z"] : ["1 − z", "z"];
    this.laneNote(keep + 5, (y + z) / 2 + 10, kept);
    this.laneNote(write + 5, (z + n) / 2, written);
    this.node(keep, y, "⊙");
    this.node(add, y, "+");
    this.node(write, n, "⊙");
    this.drawing.named("h", h + wide / 2 - 16, top - 11);
    this.drawing.slice("h", 0, { x: h, y: top, width: wide });
    this.loop("h", h + wide, y, 7, "highway");
  }

  /** @param {number} x @param {number} y @param {string} text */
  laneNote(x, y, text) {
    svg("text", { class: "caption lane", x, y, "aria-hidden": "true" }, this.paper.element, text);
  }

  // A state on its way to the next step, at a height of its own above everything; the highway is drawn as such.
  /** @param {string} state @param {number} x @param {number} y @param {number} height @param {"highway" | "arrow"} className */
  loop(state, x, y, height, className) {
    const { centre, top } = this.paper.places[`${state}_prev`];
    const { words } = this.drawing.view.header;
    const isHighway = className === "highway";
    const side = x + 20;
    const head = isHighway ? "highway-head" : "head";
    const down = state === "c" ? top + LABEL - 22 : top - 2;
    svg("path", { class: `${className} loop`, d: `M${x + 4} ${y}H${side}V${height}H${centre}V${down}`, "marker-end": `url(#${head})` }, this.paper.arrows);
    const text = state === "c" ? words.loop_c : words.loop;
    const at = state === "c" ? { x: side + 6, y: height + 2 } : { x: centre + 10, y: height + 9 };
    const label = svg("text", { class: "loop-label", ...at, "aria-hidden": "true" }, this.paper.arrows, text);
    label.style.textAnchor = "start";
  }
}
