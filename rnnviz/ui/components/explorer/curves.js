// The activation's curve on a fixed axis, with a point for each unit; one unit's has the tangent, whose slope is g'(a).

import { equalsSign, writeFaded, writeNumber } from "../shared/numbers.js";
import { svg } from "../shared/svg.js";
import { sources } from "./formulas.js";
import { PLOT } from "./layout.js";
import { indices } from "./trace.js";

/** @import { Spot } from "./cell.js" */
/** @import { Names } from "./names.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Box, Place, PlotNode } from "./types" */

const TANGENT = 26; // px to either side of its point
const SIDE = { left: 12, top: 25, bottom: 21 }; // px of the plot around the curve

export class Curve {
  /** @param {Names} names @param {Element} parent @param {TraceView} view @param {PlotNode} node @param {Box} box */
  constructor(names, parent, view, node, box) {
    const { width, height } = PLOT;
    this.names = names;
    this.node = node;
    this.x = box.x + (box.width - width) / 2;
    this.y = box.y;
    this.element = svg("g", { class: "plot", role: "img" }, parent);
    this.making = new Set(sources(view, node.to, [0]).map(([name]) => name));
    const { data, shape: [, count] } = view.arrays[node.curve];
    this.sums = data.subarray(0, count);
    const values = data.subarray(count);
    this.low = this.sums[0];
    this.high = this.sums[count - 1];
    this.bottom = Math.min(0, ...values);
    this.top = Math.max(...values);
    const { x, y, element } = this;
    svg("rect", { class: "plot-ground", x, y, width, height, rx: 6 }, element);
    this.axes();
    svg("path", { class: "curve", d: `M${Array.from(values, (f, i) => this.place(this.sums[i], f).map(tenths).join(" ")).join("L")}` }, element);
    svg("text", { class: "plot-name", x: x + 8, y: y + 12 }, element, node.plot);
    this.tangent = svg("path", { class: "tangent" }, element);
    this.slope = svg("text", { class: "plot-slope", x: x + width - 7, y: y + 12 }, element); // over the tangent
    this.all = svg("path", { class: "dot" }, element);
    this.others = svg("path", { class: "dot faint" }, element);
    this.one = svg("path", { class: "dot" }, element);
  }

  /** @returns {Place} */
  get edges() {
    const { x, y } = this;
    const { width, height } = PLOT;
    return { left: x, right: x + width, middle: y + height / 2, centre: x + width / 2, top: y, bottom: y + height };
  }

  // Pixels of a sum and of a value; what lies off the axes stands at their ends.
  /** @param {number} a */
  toX(a) {
    const share = (Math.max(this.low, Math.min(this.high, a)) - this.low) / (this.high - this.low);
    return this.x + SIDE.left + (PLOT.width - 2 * SIDE.left) * share;
  }

  /** @param {number} f */
  toY(f) {
    const share = (Math.max(this.bottom, Math.min(this.top, f)) - this.bottom) / (this.top - this.bottom);
    return this.y + PLOT.height - SIDE.bottom - (PLOT.height - SIDE.top - SIDE.bottom) * share;
  }

  /** @param {number} a @param {number} f */
  place(a, f) {
    return [this.toX(a), this.toY(f)];
  }

  // Pixels down for each pixel across, at slope 1.
  get rise() {
    const down = (this.toY(this.bottom) - this.toY(this.top)) / (this.top - this.bottom);
    return down / ((this.toX(this.high) - this.toX(this.low)) / (this.high - this.low));
  }

  axes() {
    const { x, y, element, bottom, top } = this;
    const { width, height } = PLOT;
    const [floor, ceiling] = [this.toY(bottom) + 4, this.toY(top) - 4];
    svg("path", { class: "axis", d: `M${this.toX(0)} ${ceiling}V${floor}M${x + 6} ${this.toY(0)}H${x + width - 6}` }, element);
    for (const a of [-4, -2, 0, 2, 4]) {
      svg("path", { class: "axis", d: `M${this.toX(a)} ${floor - 3}v5` }, element);
      svg("text", { class: "tick", x: this.toX(a), y: y + height - 8, "aria-hidden": "true" }, element, writeNumber(a));
    }
    for (const f of [bottom, top].map(Math.round).filter(Boolean)) {
      svg("path", { class: "axis", d: `M${this.toX(0) - 3} ${this.toY(f)}h6` }, element);
      const isTop = f === Math.round(top);
      const tick = svg("text", { class: "tick", x: this.toX(0) + (isTop ? -6 : 6), y: this.toY(f), "aria-hidden": "true" }, element, writeNumber(f));
      tick.style.textAnchor = isTop ? "end" : "start";
    }
  }

  // The unit whose point stands out: the one that the focus or, without one, the step's notice speaks of; or -1.
  /** @param {TraceView} view @param {number} t @param {Spot | null} focus */
  unitOf(view, t, focus) {
    if (!focus) return view.header.notices[t - 1]?.[0] ?? -1;
    return view.header.formulas[focus.name] && this.making.has(focus.name) ? focus.index[0] : -1;
  }

  // The points of every unit.
  /** @param {TraceView} view @param {number} t @param {Spot | null} focus */
  show(view, t, focus) {
    const { node } = this;
    const unit = this.unitOf(view, t, focus);
    /** @param {number} i */
    const place = (i) => this.place(view.value(node.of, [i], t), view.value(node.to, [i], t));
    /** @param {number} i */
    const point = (i) => `M${place(i).map(tenths).join(" ")}h0`;
    const units = [...indices(view, node.to)].map(([i]) => i);
    const isOne = unit >= 0;
    this.all.setAttribute("d", isOne ? "" : units.map(point).join(""));
    this.others.setAttribute("d", isOne ? units.filter((i) => i !== unit).map(point).join("") : "");
    this.one.setAttribute("d", isOne ? point(unit) : "");
    const steep = isOne ? slopeOf(view, node, unit, t) : 0;
    this.slope.textContent = isOne ? `${view.header.words.slope} ${equalsSign(steep, 3, 0)} ${writeFaded(steep, 3)}` : "";
    this.tangent.setAttribute("d", isOne ? this.tangentAt(place(unit), steep) : "");
    this.names.later(this);
  }

  /** @param {number[]} place @param {number} steep */
  tangentAt([x, y], steep) {
    const across = TANGENT / Math.hypot(1, steep * this.rise);
    const down = -steep * this.rise * across;
    return `M${x - across} ${y - down}L${x + across} ${y + down}`;
  }

  /** @param {TraceView} view @param {number} t */
  label(view, t) {
    const { words } = view.header;
    const slopes = [...indices(view, this.node.to)].map(([i]) => `${words.unit} ${i + 1}: ${writeFaded(slopeOf(view, this.node, i, t))}`);
    return `${this.node.plot}, ${words.slope}: ${slopes.join(", ")}`;
  }
}

/** @param {number} pixels */
const tenths = (pixels) => pixels.toFixed(1);

/** @param {TraceView} view @param {PlotNode} node @param {number} unit @param {number} t */
function slopeOf(view, { slope }, unit, t) {
  const { data, shape } = view.arrays[slope];
  return data[(t - 1) * shape[1] + unit];
}
