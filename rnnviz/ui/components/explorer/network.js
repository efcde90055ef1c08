// One step of the network as units and their connections.

import { colourOf, cssColour, inkOn } from "../shared/colour.js";
import { ROUNDING } from "../shared/numbers.js";
import { SMALLEST, textWidth, writeShort } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { arrowHead } from "./arrows.js";
import { sheetOf } from "./ground.js";

/** @import { TraceView } from "./trace.js" */
/** @import { Theme } from "./types" */

export const MOST_UNITS = 8; // of a group drawn as circles

// One step as units and their connections: input and context below, the new state above them, the output on top.
export class Network {
  /** @param {TraceView} view */
  static fits(view) {
    const [units] = view.shape("h");
    const isPlain = view.shape("W_ih")[0] === units; // one weight for each pair of units
    const readsState = !view.variable("y") || matrixInto(view, "y")[1] === "h"; // not a readout of a readout
    return isPlain && readsState && ["x", "h", "y"].every((name) => !view.variable(name) || view.shape(name)[0] <= MOST_UNITS);
  }

  /** @param {TraceView} view */
  constructor(view) {
    const radius = 16, pitch = 42, gap = 34;
    /** @param {string} name */
    const count = (name) => (view.variable(name) ? view.shape(name)[0] : 0);
    const [inputs, units, outputs] = [count("x"), count("h"), count("y")];
    const low = (inputs + units) * pitch + gap;
    this.width = Math.max(low, 240) + 40;
    this.element = svg("svg", { width: this.width, height: 330, role: "group", "aria-label": view.header.words.graph_network });
    this.sheet = sheetOf(this.element);
    this.lines = svg("g", { "aria-hidden": "true" }, this.element);
    /** @type {Unit[]} */
    this.units = [];
    /** @param {string} name @param {number} from @param {number} y @param {string} label @param {boolean} below */
    const row = (name, from, y, label, below) => {
      const places = Array.from({ length: count(name) }, (_, i) => ({ x: from + (i + 0.5) * pitch, y }));
      places.forEach((place, i) => this.units.push(new Unit(this.element, name, i, place, radius)));
      const middle = places.reduce((sum, { x }) => sum + x / places.length, 0);
      const text = svg("text", { class: "caption", x: middle, y: y + (below ? 30 : -28), "aria-hidden": "true" }, this.element);
      text.textContent = label;
      return places;
    };
    const { words } = view.header;
    const start = (this.width - low) / 2;
    const x = row("x", start, 278, words.graph_input, true);
    const context = row("h_prev", start + inputs * pitch + gap, 278, words.graph_context, true);
    /** @param {number} size */
    const middle = (size) => (this.width - size * pitch) / 2;
    const h = row("h", middle(units), outputs ? 160 : 100, "", false);
    const label = svg("text", { class: "caption", x: 8, y: h[0].y - 30, "aria-hidden": "true" }, this.element, words.graph_hidden);
    label.style.textAnchor = "start";
    const y = outputs ? row("y", middle(outputs), 46, words.graph_output, false) : [];
    this.connections = [
      { weights: "W_ih", from: x, to: h },
      { weights: "W_hh", from: context, to: h },
      ...(y.length ? [{ weights: matrixInto(view, "y")[0], from: h, to: y }] : []),
    ].map((connection) => ({ ...connection, group: svg("g", {}, this.lines) }));
    const [last, [fed]] = [h[h.length - 1], context.slice(-1)];
    const side = Math.max(last.x, fed.x) + 26;
    const d = `M${last.x + radius} ${last.y}H${side}V${278}H${fed.x + radius + 4}`;
    svg("path", { class: "arrow loop", d, "marker-end": "url(#graph-head)" }, this.lines);
    this.element.prepend(arrowHead("graph-head"));
    this.element.setAttribute("width", String(Math.max(this.width, side + 10)));
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {boolean} isStep */
  show(view, t, theme, isStep) {
    for (const unit of this.units) unit.show(view, t, theme);
    if (isStep) return;
    const limit = view.header.limits.weight;
    for (const { weights, from, to, group } of this.connections) {
      group.replaceChildren();
      to.forEach((end, i) =>
        from.forEach((begin, j) => {
          const value = view.value(weights, [i, j], 1);
          const share = Math.min(1, Math.abs(value) / limit);
          const at = { x1: begin.x, y1: begin.y - 16, x2: end.x, y2: end.y + 16, "stroke-width": 0.6 + 4 * share };
          const line = svg("line", { class: "connection", ...at }, group);
          line.style.stroke = cssColour(colourOf(value < 0 ? -limit : limit, "weight", limit, theme));
        }),
      );
    }
  }
}

// The matrix and the vector of the product that a readout is made of, before or behind its activation.
/** @param {TraceView} view @param {string} name @returns {[matrix: string, vector: string]} */
function matrixInto(view, name) {
  const [{ dot, ref = name }] = view.header.formulas[name].terms;
  return dot ?? matrixInto(view, ref);
}

// A unit with its number.
class Unit {
  /** @param {Element} parent @param {string} name @param {number} index @param {{ x: number, y: number }} place @param {number} radius */
  constructor(parent, name, index, { x, y }, radius) {
    this.name = name;
    this.index = index;
    const group = svg("g", { class: "unit" }, parent);
    this.circle = svg("circle", { cx: x, cy: y, r: radius }, group);
    this.text = svg("text", { "data-var": `graph.${name}`, "data-index": index, x, y, "font-size": 11 }, group);
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme */
  show(view, t, theme) {
    const value = view.value(this.name, [this.index], t);
    const ground = colourOf(value, "signed", view.limitOf(this.name), theme);
    this.circle.style.fill = cssColour(ground);
    this.text.textContent = shortNumber(value, 30);
    this.text.style.fill = inkOn(ground);
    this.text.setAttribute("data-value", String(value));
  }
}

/** @param {number} value @param {number} room */
export const shortNumber = (value, room) => writeShort(value, ROUNDING, 3, (text) => textWidth(text, SMALLEST), room);
