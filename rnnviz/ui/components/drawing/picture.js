// The bars of a sequence over time on a scale around 0. Columns stand as those of the explorer's timeline do.

import { colourOf, cssColour } from "../shared/colour.js";
import { DIGITS, writeFaded } from "../shared/numbers.js";
import { SMALLEST, textWidth, writeShort } from "../shared/short.js";
import { svg } from "../shared/svg.js";

/** @import { Theme } from "../shared/types" */
/** @import { Bar } from "./types" */

export const PLOT = 148; // px of the scale's height
const LABELS = 52; // px left of the columns, as in the strip above
const [TOP, BOTTOM] = [37, 20]; // px around the plot: above it the steps, and the number of a bar as high as the scale
const WITH_NUMBERS = 36; // px of a column, from which on numbers stand at the bars

export class Picture {
  /** @param {string} structure what it was made for @param {number} steps @param {number} width */
  constructor(structure, steps, width) {
    this.structure = structure;
    this.steps = steps;
    this.width = width;
    this.limit = 0; // of the scale that is drawn
    /** @type {Theme} */
    this.theme = "light";
    this.pitch = Math.min(142, (width - LABELS - 14) / (steps + 1));
    this.element = svg("svg", { width, height: TOP + PLOT + BOTTOM, "aria-hidden": "true" });
    this.grid = svg("g", {}, this.element);
    this.columns = svg("g", {}, this.element);
    this.others = svg("path", { class: "others" }, this.element);
    this.bars = Array.from({ length: steps }, (_, i) => this.bar(i + 1));
    this.mark = svg("rect", { class: "mark", y: TOP - 8, width: Math.max(3, this.pitch), height: PLOT + 16, rx: 4 }, this.element);
    this.labels();
  }

  /** @param {number} t */
  left(t) {
    return LABELS + t * this.pitch;
  }

  /** @param {number} value */
  y(value) {
    return TOP + (PLOT * (1 - value / this.limit)) / 2;
  }

  // The column in fractions that an event is at, and the height from -1 to 1.
  /** @param {PointerEvent} event */
  place(event) {
    const box = this.element.getBoundingClientRect();
    const scale = box.width / this.width || 1;
    const [x, y] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
    return { at: (x - LABELS) / this.pitch, height: Math.min(1, Math.max(-1, 1 - (2 * (y - TOP)) / PLOT)) };
  }

  labels() {
    const every = [1, 2, 5, 10, 20, 50].find((step) => step * this.pitch >= 30) ?? 100;
    for (let t = 1; t <= this.steps; t++) {
      if (t > 1 && t % every) continue;
      svg("text", { class: "column", x: this.left(t + 0.5), y: 10 }, this.columns, this.pitch > 56 ? `t = ${t}` : t);
    }
  }

  /** @param {number} t @returns {Bar} */
  bar(t) {
    const group = svg("g", { class: "bar-of", "data-step": t }, this.element);
    const box = { x: this.left(t), width: Math.max(1, this.pitch - (this.pitch > 4 ? 2 : 0)) };
    const body = svg("rect", { class: "body", ...box }, group);
    const cap = svg("rect", { class: "cap", ...box, height: 3 }, group);
    const text = this.pitch >= WITH_NUMBERS ? svg("text", { class: "number", x: box.x + box.width / 2 }, group) : null;
    return { group, body, cap, text };
  }

  // The lines of the scale.
  /** @param {number} limit */
  scale(limit) {
    if (limit === this.limit) return;
    this.limit = limit;
    this.grid.replaceChildren();
    for (const share of [1, 0.5, 0, -0.5, -1]) {
      const y = this.y(share * limit);
      svg("line", { class: share ? "line" : "line zero", x1: this.left(1) - 2, x2: this.left(this.steps + 1), y1: y, y2: y }, this.grid);
      if (Math.abs(share) === 0.5) continue;
      svg("text", { class: "axis", x: this.left(1) - 9, y }, this.grid, writeFaded(share * limit));
    }
  }

  // A component as bars, the others as faint lines.
  /** @param {number[][]} x @param {number} shown @param {number} limit @param {Theme} theme */
  show(x, shown, limit, theme) {
    this.scale(limit);
    this.theme = theme;
    const rest = x[0].map((_, d) => d).filter((d) => d !== shown);
    /** @param {number} d */
    const line = (d) => `M${x.map((row, i) => `${this.left(i + 1.5) - 1} ${this.y(row[d])}`).join("L")}`;
    this.others.setAttribute("d", rest.map(line).join(""));
    this.others.style.opacity = String(Math.max(0.12, 0.55 / Math.sqrt(rest.length || 1)));
    x.forEach((row, i) => this.showStep(i + 1, row[shown]));
  }

  /** @param {number} t @param {number} value */
  showStep(t, value) {
    const { group, body, cap, text } = this.bars[t - 1];
    const [zero, y] = [this.y(0), this.y(value)];
    group.dataset.value = String(value);
    group.classList.toggle("below", value < 0);
    body.setAttribute("y", String(Math.min(zero, y)));
    body.setAttribute("height", String(Math.abs(zero - y)));
    body.setAttribute("fill", cssColour(colourOf(value, "signed", this.limit, this.theme)));
    cap.setAttribute("y", String(y - 1.5));
    if (!text) return;
    text.setAttribute("y", String(value < 0 ? y + 11 : y - 10));
    text.textContent = writeShort(value, 0, DIGITS, (one) => textWidth(one, SMALLEST), this.pitch - 2);
  }

  /** @param {number} t */
  markStep(t) {
    this.mark.setAttribute("x", String(this.left(t) - 1));
  }
}
