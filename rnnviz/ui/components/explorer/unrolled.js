// The network over some steps: the graph unrolled over time.

import { colourOf, cssColour, inkOn } from "../shared/colour.js";
import { writeNumber } from "../shared/numbers.js";
import { fill } from "../shared/sentences.js";
import { SMALLEST } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { arrowHead } from "./arrows.js";
import { Ground, Heat, sheetOf } from "./ground.js";
import { MOST_UNITS, shortNumber } from "./network.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Level, Numbers, Theme } from "./types" */

/** @typedef {{ x: number, y: number }} Point */
/**
 * @typedef {object} Column one step
 * @property {SVGGElement} group
 * @property {SVGTextElement} title
 * @property {number} step
 * @property {GraphNode[]} nodes
 * @property {{ array: string, path: SVGPathElement }[]} carries
 */

const NODE = { height: 22, most: 3 }; // a vector with more units than that is a strip of colours
const LEVEL = 58; // from one level to the next
const CHIP = 22; // a matrix, small
const MARGIN = 42; // for the names of the levels
const CELL_GAP = 34; // from the cell state to the hidden state, within a cell

// Some steps beside each other: a node for each vector, an arrow for each use of a weight matrix.
export class Unrolled {
  /** @param {Explorer} explorer @param {TraceView} view @param {number} width @param {(text: string | null) => void} say */
  constructor(explorer, view, width, say) {
    this.explorer = explorer;
    this.say = say;
    this.levels = (view.header.graph ?? []).toReversed(); // the output on top
    const isNarrow = width < 500;
    this.node = isNarrow ? 76 : 100; // width of a vector
    this.ahead = isNarrow ? 48 : 54; // and of the way to the next step
    this.slots = Math.min(view.steps, Math.max(1, Math.floor((width - MARGIN - this.ahead) / (this.node + this.ahead))));
    const ends = this.levels.map((level) => NODE.height + (level.from_below ? CELL_GAP : LEVEL));
    this.tops = ends.map((_, row) => 28 + ends.slice(0, row).reduce((sum, one) => sum + one, 0));
    const height = 26 + ends.reduce((sum, one) => sum + one, 0) - 30;
    const total = MARGIN + this.ahead + this.slots * (this.node + this.ahead);
    this.element = svg("svg", { width: total, height, role: "group", "aria-label": view.header.words.graph_unrolled });
    this.element.prepend(arrowHead("unrolled-head"), arrowHead("carry-head", 3.5));
    this.sheet = sheetOf(this.element);
    this.ground = new Ground(this.sheet);
    this.shade = svg("rect", { class: "graph-now", y: 2, width: this.node + 12, height: height - 4, rx: 7 }, this.element);
    /** @type {{ array: string, heat: Heat }[]} */
    this.chips = [];
    this.columns = Array.from({ length: this.slots }, (_, slot) => this.column(view, slot));
    this.levels.forEach((level, row) => {
      const label = svg("text", { class: "label", x: 4, y: this.y(row) + NODE.height / 2, "aria-hidden": "true" }, this.element);
      label.style.textAnchor = "start";
      label.textContent = level.symbol;
      if (level.sup) svg("tspan", { dy: -5, class: "mark" }, label, level.sup);
    });
    this.before = svg("text", { class: "column-label", x: MARGIN + 8, y: 14, "aria-hidden": "true" }, this.element);
    this.after = svg("text", { class: "column-label", x: total - 8, y: 14, "aria-hidden": "true" }, this.element);
  }

  /** @param {number} row */
  y(row) {
    return this.tops[row];
  }

  /** @param {number} slot */
  x(slot) {
    return MARGIN + this.ahead + slot * (this.node + this.ahead);
  }

  /** @param {TraceView} view @param {number} slot */
  column(view, slot) {
    const group = svg("g", { class: "strip graph-step" }, this.element);
    const title = svg("text", { class: "column-label", x: this.x(slot) + this.node / 2, y: 14 }, group);
    /** @type {Column} */
    const column = { group, title, step: 1, nodes: [], carries: [] };
    this.levels.forEach((level, row) => {
      const at = { x: this.x(slot), y: this.y(row) };
      if (level.inward) this.arrow(view, level.inward, { ...at, x: at.x + this.node / 2, y: at.y + NODE.height + LEVEL }, [0, -LEVEL]);
      if (level.from_below) this.within(level, at);
      if (level.around) this.arrow(view, level.around, { x: at.x - this.ahead, y: at.y + NODE.height / 2 }, [this.ahead, 0]);
      if (level.carry) column.carries.push({ array: level.carry.array, path: this.carry(level, level.carry.label, at) });
      column.nodes.push(new GraphNode(this, view, group, level, at));
    });
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", "0");
    const { steps } = this.explorer;
    group.addEventListener("click", () => steps.goTo(column.step));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.stopPropagation();
      steps.goTo(column.step);
    });
    return column;
  }

  // A cell with two states: a frame around both, and how the upper one is made of the lower one.
  /** @param {Level} level @param {Point} place */
  within(level, { x, y }) {
    const [left, height] = [x - 5, 2 * NODE.height + CELL_GAP + 10];
    svg("rect", { class: "graph-cell", x: left, y: y - 5, width: this.node + 10, height, rx: 6 }, this.element);
    const middle = x + this.node / 2;
    const [from, to] = [y + NODE.height + CELL_GAP - 2, y + NODE.height + 5];
    svg("path", { class: "arrow", d: `M${x + 10} ${from}V${to}`, "marker-end": "url(#unrolled-head)" }, this.element);
    svg("text", { class: "caption", x: middle + 6, y: (from + to) / 2, "aria-hidden": "true" }, this.element, level.from_below);
  }

  // The way of a state past all weights: the highway, as strong as what is kept on it.
  /** @param {Level} level @param {string} label @param {Point} place */
  carry(level, label, { x, y }) {
    const at = level.around ? y + NODE.height + 4 : y + NODE.height / 2; // below the weights' arrow, where there is one
    const start = x - this.ahead;
    const d = level.around ? `M${start + 1} ${y + NODE.height - 3}Q${start + this.ahead / 2} ${at + 16} ${x - 3} ${y + NODE.height - 2}` : `M${start + 2} ${at}H${x - 7}`;
    const path = svg("path", { class: "highway", d, "marker-end": "url(#carry-head)" }, this.element);
    svg("text", { class: "caption", x: start + this.ahead / 2, y: level.around ? at + 19 : at - 11, "aria-hidden": "true" }, this.element, label);
    return path;
  }

  // An arrow with its matrix as a small picture: the same picture wherever the same weights are used.
  /** @param {TraceView} view @param {{ array: string, symbol: string }} weights @param {Point} place @param {number[]} way */
  arrow(view, { array, symbol }, { x, y }, [dx, dy]) {
    const isNothing = view.arrays[array].data.every((weight) => weight === 0);
    const group = svg("g", { class: `chip${isNothing ? " nothing" : ""}`, "data-weights": symbol }, this.element);
    /** @param {number} share */
    const on = (share) => `${x + dx * share} ${y + dy * share}`; // a point of the way from vector to vector
    svg("path", { class: "arrow", d: `M${on(0.05)}L${on(0.26)}` }, group);
    svg("path", { class: "arrow", d: `M${on(0.73)}L${on(0.92)}`, "marker-end": "url(#unrolled-head)" }, group);
    const [rows, columns] = view.arrays[array].shape;
    const box = { x: x + dx / 2 - CHIP / 2, y: y + dy / 2 - CHIP / 2, width: CHIP, height: CHIP };
    const chip = { array, heat: new Heat(this.ground, group, [rows, columns], box) };
    this.chips.push(chip);
    /** @param {boolean} on */
    const light = (on) => {
      for (const other of this.element.querySelectorAll(".chip")) {
        other.classList.toggle("lit", on && other.getAttribute("data-weights") === symbol);
      }
      const { words } = view.header;
      const text = fill(isNothing ? words.graph_zero : words.graph_shared, { name: symbol, count: rows * columns, steps: view.steps });
      this.say(on ? text : null);
    };
    if (!this.element.querySelector(`[data-weights="${symbol}"][tabindex]`)) {
      // One of each kind is enough for the keyboard: it speaks of all.
      for (const [name, value] of [["role", "img"], ["tabindex", "0"], ["aria-label", symbol]]) group.setAttribute(name, value);
      group.addEventListener("focus", () => light(true));
      group.addEventListener("blur", () => light(false));
    }
    group.addEventListener("pointerenter", () => light(true));
    group.addEventListener("pointerleave", () => light(false));
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {boolean} isStep */
  show(view, t, theme, isStep) {
    const first = Math.min(Math.max(1, t - Math.floor(this.slots / 2)), view.steps - this.slots + 1);
    this.columns.forEach((column, slot) => {
      column.step = first + slot;
      column.title.textContent = `t = ${column.step}`;
      for (const node of column.nodes) node.show(view, column.step, theme);
      for (const { array, path } of column.carries) path.style.opacity = String(0.15 + 0.85 * meanOf(view.arrays[array], column.step - 1));
      const numbers = column.nodes.map((node) => node.numbers()).filter(Boolean).reverse();
      column.group.setAttribute("aria-label", [`t = ${column.step}`, ...numbers].join("; "));
    });
    this.after.textContent = first + this.slots > view.steps ? "" : "…";
    this.before.textContent = first === 1 ? view.header.words.start : "…"; // what enters the first of these steps
    this.shade.setAttribute("x", String(this.x(t - first) - 6));
    if (isStep) return;
    for (const { array, heat } of this.chips) {
      const { data, shape } = view.arrays[array];
      heat.paint((i, j) => data[i * shape[1] + j], "weight", view.header.limits.weight, theme);
    }
  }
}

// The mean of a row.
/** @param {Numbers} numbers @param {number} row */
const meanOf = ({ data, shape: [, count] }, row) => data.subarray(row * count, (row + 1) * count).reduce((sum, value) => sum + value, 0) / count;

// A vector of the unrolled graph: numbers where there are few units, else colours with the number under the pointer.
class GraphNode {
  /** @param {Unrolled} graph @param {TraceView} view @param {Element} parent @param {Level} level @param {Point} place */
  constructor(graph, view, parent, level, { x, y }) {
    this.level = level;
    this.view = view;
    this.step = 1;
    this.units = view.arrays[level.values].shape[1];
    /** @type {Heat | null} */
    this.heat = null;
    /** @type {{ rect: SVGRectElement, text: SVGTextElement }[]} */
    this.cells = [];
    this.room = graph.node / this.units - 3; // for a number
    const group = svg("g", { class: "node" }, parent);
    if (this.units > NODE.most) {
      const heat = new Heat(graph.ground, group, [1, this.units], { x, y, width: graph.node, height: NODE.height });
      this.heat = heat;
      group.addEventListener("pointermove", (event) => graph.say(this.words(heat.at(event)[1])));
      group.addEventListener("pointerleave", () => graph.say(null));
      return;
    }
    const width = graph.node / this.units;
    this.cells = Array.from({ length: this.units }, (_, i) => ({
      rect: svg("rect", { class: "face", x: x + i * width, y, width: width - 1, height: NODE.height, rx: 3 }, group),
      text: svg("text", { "data-var": `graph.${level.symbol}${level.sup}`, "data-index": i, x: x + (i + 0.5) * width, y: y + NODE.height / 2, "font-size": SMALLEST }, group),
    }));
  }

  /** @param {number} unit */
  value(unit) {
    const { data } = this.view.arrays[this.level.values];
    return data[(this.step - 1 + this.level.shift) * this.units + unit];
  }

  // A few numbers in words; more of them are read in the table of a step.
  numbers() {
    const { symbol, sup } = this.level;
    if (this.units > MOST_UNITS) return "";
    return `${symbol}${sup}: ${Array.from({ length: this.units }, (_, unit) => writeNumber(this.value(unit))).join(", ")}`;
  }

  /** @param {number} unit */
  words(unit) {
    const { symbol, sup } = this.level;
    return `${symbol}${sup}, ${this.view.header.words.step_word} ${this.step}, ${this.view.header.words.unit} ${unit + 1}: ${writeNumber(this.value(unit))}`;
  }

  /** @param {TraceView} view @param {number} step @param {Theme} theme */
  show(view, step, theme) {
    this.view = view;
    this.step = step;
    const limit = view.header.limits[this.level.scale] ?? view.header.limits.signed;
    if (this.heat) {
      this.heat.paint((_, unit) => this.value(unit), "signed", limit, theme);
      return;
    }
    this.cells.forEach(({ rect, text }, unit) => {
      const ground = colourOf(this.value(unit), "signed", limit, theme);
      rect.style.fill = cssColour(ground);
      text.textContent = shortNumber(this.value(unit), this.room);
      text.setAttribute("data-step", String(step));
      text.setAttribute("data-value", String(this.value(unit)));
      text.style.fill = inkOn(ground);
    });
  }
}
