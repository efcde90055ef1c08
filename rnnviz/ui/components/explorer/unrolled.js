// The network over some steps: the graph unrolled over time.

import { colourOf, cssColour, inkOn } from "../shared/colour.js";
import { writeNumber } from "../shared/numbers.js";
import { SMALLEST } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { fill } from "../shared/words.js";
import { arrowHead } from "./arrows.js";
import { Ground, Heat, sheetOf } from "./ground.js";
import { MOST_UNITS, shortNumber } from "./network.js";

const NODE = { height: 22, most: 3 }; // a vector with more units than that is a strip of colours
const LEVEL = 58; // from one level to the next
const CHIP = 22; // a matrix, small
const MARGIN = 42; // for the names of the levels
const CELL_GAP = 34; // from the cell state to the hidden state, within a cell
// Some steps beside each other: a node for each vector, an arrow for each use of a weight matrix.
export class Unrolled {
  constructor(explorer, view, width) {
    this.explorer = explorer;
    this.levels = [...view.header.graph].reverse(); // the output on top
    [this.node, this.ahead] = width < 500 ? [76, 48] : [100, 54]; // widths of a vector and of the way to the next step
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

  y(row) {
    return this.tops[row];
  }

  x(slot) {
    return MARGIN + this.ahead + slot * (this.node + this.ahead);
  }

  column(view, slot) {
    const group = svg("g", { class: "strip graph-step" }, this.element);
    const title = svg("text", { class: "column-label", x: this.x(slot) + this.node / 2, y: 14 }, group);
    const column = { group, title, step: 1, nodes: [], carries: [] };
    this.levels.forEach((level, row) => {
      const at = { x: this.x(slot), y: this.y(row) };
      if (level.inward) this.arrow(view, level, "inward", { ...at, x: at.x + this.node / 2, y: at.y + NODE.height + LEVEL }, [0, -LEVEL]);
      if (level.from_below) this.within(level, at);
      if (level.around) this.arrow(view, level, "around", { x: at.x - this.ahead, y: at.y + NODE.height / 2 }, [this.ahead, 0]);
      if (level.carry) column.carries.push({ ...level.carry, path: this.carry(level, at) });
      column.nodes.push(new GraphNode(this, view, group, level, at));
    });
    for (const [name, value] of [["role", "button"], ["tabindex", 0]]) group.setAttribute(name, value);
    group.addEventListener("click", () => this.explorer.goTo(column.step));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.stopPropagation();
      this.explorer.goTo(column.step);
    });
    return column;
  }

  // A cell with two states: a frame around both, and how the upper one is made of the lower one.
  within(level, { x, y }) {
    const [left, height] = [x - 5, 2 * NODE.height + CELL_GAP + 10];
    svg("rect", { class: "graph-cell", x: left, y: y - 5, width: this.node + 10, height, rx: 6 }, this.element);
    const middle = x + this.node / 2;
    const [from, to] = [y + NODE.height + CELL_GAP - 2, y + NODE.height + 5];
    svg("path", { class: "arrow", d: `M${x + 10} ${from}V${to}`, "marker-end": "url(#unrolled-head)" }, this.element);
    svg("text", { class: "caption", x: middle + 6, y: (from + to) / 2, "aria-hidden": "true" }, this.element, level.from_below);
  }

  // The way of a state past all weights: the highway, as strong as what is kept on it.
  carry(level, { x, y }) {
    const at = level.around ? y + NODE.height + 4 : y + NODE.height / 2; // below the weights' arrow, where there is one
    const start = x - this.ahead;
    const d = level.around ? `M${start + 1} ${y + NODE.height - 3}Q${start + this.ahead / 2} ${at + 16} ${x - 3} ${y + NODE.height - 2}` : `M${start + 2} ${at}H${x - 7}`;
    const path = svg("path", { class: "highway", d, "marker-end": "url(#carry-head)" }, this.element);
    svg("text", { class: "caption", x: start + this.ahead / 2, y: level.around ? at + 19 : at - 11, "aria-hidden": "true" }, this.element, level.carry.label);
    return path;
  }

  // An arrow with its matrix as a small picture: the same picture wherever the same weights are used.
  arrow(view, level, kind, { x, y }, [dx, dy]) {
    const { array, symbol } = level[kind];
    const isNothing = view.arrays[array].data.every((weight) => weight === 0);
    const group = svg("g", { class: `chip${isNothing ? " nothing" : ""}`, "data-weights": symbol }, this.element);
    const on = (share) => `${x + dx * share} ${y + dy * share}`; // a point of the way from vector to vector
    svg("path", { class: "arrow", d: `M${on(0.05)}L${on(0.26)}` }, group);
    svg("path", { class: "arrow", d: `M${on(0.73)}L${on(0.92)}`, "marker-end": "url(#unrolled-head)" }, group);
    const { shape } = view.arrays[array];
    const box = { x: x + dx / 2 - CHIP / 2, y: y + dy / 2 - CHIP / 2, width: CHIP, height: CHIP };
    const chip = { array, heat: new Heat(this.ground, group, shape, box) };
    this.chips.push(chip);
    const light = (on) => {
      for (const other of this.element.querySelectorAll(".chip")) {
        other.classList.toggle("lit", on && other.dataset.weights === symbol);
      }
      const { words } = view.header;
      const count = shape[0] * shape[1];
      const text = fill(isNothing ? words.graph_zero : words.graph_shared, { name: symbol, count, steps: view.steps });
      this.explorer.graph?.say(on ? text : null);
    };
    if (!this.element.querySelector(`[data-weights="${symbol}"][tabindex]`)) {
      // One of each kind is enough for the keyboard: it speaks of all.
      for (const [name, value] of [["role", "img"], ["tabindex", 0], ["aria-label", symbol]]) group.setAttribute(name, value);
      group.addEventListener("focus", () => light(true));
      group.addEventListener("blur", () => light(false));
    }
    group.addEventListener("pointerenter", () => light(true));
    group.addEventListener("pointerleave", () => light(false));
  }

  show(view, t, theme, isStep) {
    const first = Math.min(Math.max(1, t - Math.floor(this.slots / 2)), view.steps - this.slots + 1);
    this.columns.forEach((column, slot) => {
      column.step = first + slot;
      column.title.textContent = `t = ${column.step}`;
      for (const node of column.nodes) node.show(view, column.step, theme);
      for (const { array, path } of column.carries) path.style.opacity = 0.15 + 0.85 * meanOf(view.arrays[array], column.step - 1);
      const numbers = column.nodes.map((node) => node.numbers()).filter(Boolean).reverse();
      column.group.setAttribute("aria-label", [`t = ${column.step}`, ...numbers].join("; "));
    });
    this.after.textContent = first + this.slots > view.steps ? "" : "…";
    this.before.textContent = first === 1 ? view.header.words.start : "…"; // what enters the first of these steps
    this.shade.setAttribute("x", this.x(t - first) - 6);
    if (isStep) return;
    for (const { array, heat } of this.chips) {
      const { data, shape } = view.arrays[array];
      heat.paint((i, j) => data[i * shape[1] + j], "weight", view.header.limits.weight, theme);
    }
  }
}

// The mean of a row.
const meanOf = ({ data, shape: [, count] }, row) => data.subarray(row * count, (row + 1) * count).reduce((sum, value) => sum + value, 0) / count;

// A vector of the unrolled graph: numbers where there are few units, else colours with the number under the pointer.
class GraphNode {
  constructor(graph, view, parent, level, { x, y }) {
    Object.assign(this, { level });
    const { shape } = view.arrays[level.values];
    this.units = shape[1];
    const group = svg("g", { class: "node" }, parent);
    if (this.units > NODE.most) {
      this.heat = new Heat(graph.ground, group, [1, this.units], { x, y, width: graph.node, height: NODE.height });
      group.addEventListener("pointermove", (event) => graph.explorer.graph?.say(this.words(this.heat.at(event)[1])));
      group.addEventListener("pointerleave", () => graph.explorer.graph?.say(null));
      return;
    }
    const width = graph.node / this.units;
    this.cells = Array.from({ length: this.units }, (_, i) => ({
      rect: svg("rect", { class: "face", x: x + i * width, y, width: width - 1, height: NODE.height, rx: 3 }, group),
      text: svg("text", { "data-var": `graph.${level.symbol}${level.sup}`, "data-index": i, x: x + (i + 0.5) * width, y: y + NODE.height / 2, "font-size": SMALLEST }, group),
    }));
    this.room = width - 3;
  }

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

  words(unit) {
    const { symbol, sup } = this.level;
    return `${symbol}${sup}, ${this.view.header.words.step_word} ${this.step}, ${this.view.header.words.unit} ${unit + 1}: ${writeNumber(this.value(unit))}`;
  }

  show(view, step, theme) {
    Object.assign(this, { view, step });
    const limit = view.header.limits[this.level.scale] ?? view.header.limits.signed;
    if (this.heat) {
      this.heat.paint((_, unit) => this.value(unit), "signed", limit, theme);
      return;
    }
    this.cells.forEach(({ rect, text }, unit) => {
      const ground = colourOf(this.value(unit), "signed", limit, theme);
      rect.style.fill = cssColour(ground);
      text.textContent = shortNumber(this.value(unit), this.room);
      text.setAttribute("data-step", step);
      text.setAttribute("data-value", this.value(unit));
      text.style.fill = inkOn(ground);
    });
  }
}
