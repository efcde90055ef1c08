// Norms over time on an axis of decades, and the map of all pairs of steps beside it. Python sends base-10 logarithms,
// the range and the ticks; pointing, reading off, showing a curve and saving the picture happen here.

import PALETTE from "../../../views/palette.json" with { type: "json" };
import { themeOf } from "../shared/colour.js";
import { downloadPicture } from "../shared/download.js";
import { isTyped, isUndo } from "../shared/keys.js";
import { unpack } from "../shared/message.js";
import { powerOfTen } from "../shared/numbers.js";
import { find, partsOf } from "../shared/parts.js";
import { EditQueue } from "../shared/queue.js";
import { fill } from "../shared/sentences.js";
import { svg } from "../shared/svg.js";
import { Chart, LEFT, MAIN } from "./chart.js";
import { PairMap } from "./map.js";

/** @import { Numbers, SetStateValue } from "../shared/types" */
/** @import { Curve, Header, Pair, Parts } from "./types" */

const COLOURS_OF_LINES = /** @type {const} */ ({ elman: "elman", lstm: "lstm", gru: "gru", alone: "weight", other: "second", muted: "neutral" });
const KINDS = ["PNG", "SVG"];

export class Flow {
  /** @param {HTMLElement} host @param {Uint8Array} bytes @param {SetStateValue} setStateValue */
  constructor(host, bytes, setStateValue) {
    this.setStateValue = setStateValue;
    this.root = find(host, ".flow", HTMLElement);
    /** @type {Parts} */
    this.parts = partsOf(this.root);
    /** @type {Map<string, boolean>} key of a curve to whether the reader wants it */
    this.wanted = new Map();
    /** @type {Curve[] | null} curves that stay for comparison */
    this.kept = null;
    /** @type {number | null} which of the steps is pointed at, counted along the axis: it stays while T changes */
    this.place = null;
    /** @type {Pair | null} pointed at on the map */
    this.pair = null;
    /** @type {Chart | null} */
    this.chart = null;
    /** @type {PairMap | null} */
    this.map = null;
    this.clicks = 0;
    this.width = 0;
    for (const [name, colour] of Object.entries(COLOURS_OF_LINES)) this.root.style.setProperty(`--${name}`, PALETTE.lines[colour]);
    this.queue = new EditQueue((name, value) => this.setStateValue(name, value), () => {});
    this.undo = new Undo(this.parts.undo, this.queue);
    /** @type {{ header: Header, arrays: Record<string, Numbers> }} */
    const { header, arrays } = unpack(bytes);
    this.header = header;
    this.arrays = arrays;
    this.curves = curvesOf(header, arrays);
    this.theme = themeOf(this.root);
    this.listen();
    this.observer = new ResizeObserver(() => {
      if (this.parts.chart.clientWidth !== this.width) this.build();
    });
    this.observer.observe(this.parts.chart);
    this.take();
  }

  // Every later message of Python, and every change of theme.
  /** @param {Uint8Array} bytes @param {SetStateValue} setStateValue */
  receive(bytes, setStateValue) {
    this.setStateValue = setStateValue;
    /** @type {{ header: Header, arrays: Record<string, Numbers> }} */
    const { header, arrays } = unpack(bytes);
    this.header = header;
    this.arrays = arrays;
    this.curves = curvesOf(header, arrays);
    this.theme = themeOf(this.root);
    this.take();
  }

  take() {
    const { header } = this;
    this.root.dataset.theme = this.theme;
    this.root.style.setProperty("--height", `${header.height}px`);
    if (this.place !== null && this.place > header.steps) this.place = null;
    this.pair = null;
    if (header.sync) this.undo.show(header.sync, header.words.undo);
    this.build();
  }

  build() {
    const { chart, beside, note, numbers } = this.parts;
    const { header } = this;
    beside.hidden = !header.map;
    this.width = chart.clientWidth;
    if (!this.width) return; // not laid out yet
    this.buildLegend();
    this.chart = new Chart(header, this.shown(), this.kept ?? [], this.width, getComputedStyle(this.root).fontFamily);
    chart.replaceChildren(this.chart.drawing);
    chart.setAttribute("aria-label", header.said);
    chart.setAttribute("aria-valuemin", "0");
    chart.setAttribute("aria-valuemax", String(header.steps));
    this.map = null;
    if (header.map) {
      note.textContent = `${header.words.map_note} ${header.map.left_out}`.trim();
      this.map = new PairMap(this.parts.map, header, header.map, this.arrays, this.theme, Math.max(180, header.height - note.clientHeight));
    }
    find(numbers, "summary", HTMLElement).textContent = header.words.numbers;
    if (numbers.open) this.buildNumbers();
    this.point();
  }

  // ---- what is shown ----

  /** @param {Curve} curve */
  isShown({ key, shown }) {
    return this.wanted.get(key) ?? shown;
  }

  shown() {
    return this.curves.filter((curve) => this.isShown(curve));
  }

  buildLegend() {
    const { words } = this.header;
    const boxes = this.curves.map((curve, i) => this.checkbox(curve, i));
    const keep = button(this.kept ? words.let_go : words.keep, "keep", () => {
      this.kept = this.kept ? null : this.shown().filter(({ style }) => MAIN.includes(style));
      this.build();
      find(this.parts.actions, ".keep", HTMLElement).focus();
    });
    keep.setAttribute("aria-pressed", String(this.kept !== null));
    keep.title = words.keep_note;
    const saves = KINDS.map((kind) => {
      const save = button(`↓ ${kind}`, "save", () => downloadPicture(this.drawn(), "gradient-flow", kind.toLowerCase()));
      save.title = words.save.replace("{kind}", kind);
      save.setAttribute("aria-label", save.title);
      return save;
    });
    this.parts.legend.replaceChildren(...boxes);
    this.parts.actions.replaceChildren(keep, ...saves);
  }

  /** @param {Curve} curve @param {number} i */
  checkbox(curve, i) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", checked: this.isShown(curve) });
    box.setAttribute("aria-label", this.header.words.show.replace("{name}", curve.name));
    box.onchange = () => {
      this.wanted.set(curve.key, box.checked);
      this.build();
      this.parts.legend.querySelectorAll("input")[i]?.focus();
    };
    const sample = svg("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" });
    svg("path", { class: `curve ${curve.style}`, d: "M0 5H26", style: `--colour:var(--${curve.colour})` }, sample);
    label.append(box, sample, curve.name);
    label.title = curve.note;
    return label;
  }

  // What a saved picture holds, from the back to the front.
  drawn() {
    const chart = this.chart ? [this.chart.drawing] : [];
    return this.map ? [...chart, this.map.canvas, this.map.drawing] : chart;
  }

  // ---- pointing ----

  listen() {
    const { chart, map, numbers } = this.parts;
    chart.addEventListener("pointermove", (event) => {
      const right = this.chart?.right ?? 0;
      const share = (event.clientX - chart.getBoundingClientRect().left - LEFT) / Math.max(1, right - LEFT);
      this.lookAt(Math.round(share * this.header.steps));
    });
    const canvas = find(map, "canvas", HTMLCanvasElement);
    canvas.addEventListener("pointermove", (event) => {
      if (this.map) this.lookAtPair(this.map.cellAt(event));
    });
    canvas.addEventListener("pointerleave", () => this.lookAway());
    chart.addEventListener("pointerleave", () => this.lookAway());
    for (const part of [chart, map]) part.addEventListener("focusout", () => this.lookAway());
    canvas.addEventListener("click", (event) => {
      if (this.map) this.open(this.map.cellAt(event));
    });
    chart.addEventListener("keydown", (event) => this.chartKey(event));
    map.addEventListener("keydown", (event) => this.mapKey(event));
    numbers.addEventListener("toggle", () => {
      if (numbers.open) this.buildNumbers();
    });
  }

  /** @param {number} place */
  lookAt(place) {
    this.place = Math.min(this.header.steps, Math.max(0, place));
    this.pair = null;
    this.point();
  }

  /** @param {Pair} pair */
  lookAtPair(pair) {
    this.pair = pair;
    this.point();
  }

  lookAway() {
    this.place = this.pair = null;
    this.point();
  }

  /** @param {Pair} pair */
  open([k, t]) {
    if (k < t) this.setStateValue("cell", { k, t, click: ++this.clicks });
  }

  // The place that the numbers are of: where nothing is pointed at, the earliest step.
  shownPlace() {
    return this.place ?? this.header.steps;
  }

  /** @param {KeyboardEvent} event */
  chartKey(event) {
    const { steps } = this.header;
    const place = this.shownPlace();
    const far = Math.max(1, Math.round(steps / 10));
    /** @type {Record<string, number>} */
    const places = { ArrowRight: place + 1, ArrowUp: place + 1, ArrowLeft: place - 1, ArrowDown: place - 1, PageUp: place + far, PageDown: place - far, Home: 0, End: steps };
    if (!(event.key in places)) return;
    event.preventDefault();
    event.stopPropagation();
    this.lookAt(places[event.key]);
  }

  /** @param {KeyboardEvent} event */
  mapKey(event) {
    if (!this.map) return;
    const pair = this.pair ?? this.map.within(...this.header.chosen);
    const next = this.map.cellAfter(event.key, ...pair);
    if (next) this.lookAtPair(next);
    else if (event.key === "Enter") this.open(pair);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // What is pointed at: lines across both pictures, and the numbers in words.
  point() {
    const { words, steps } = this.header;
    const { readout, chart } = this.parts;
    this.map?.mark(this.pair);
    this.chart?.mark(this.pair ? null : this.place);
    if (this.pair && this.map) {
      const [k, t] = this.pair;
      const value = `<b>${powerOfTen(this.map.value(k, t))}</b>`;
      readout.innerHTML = fill(words.cell, { k, t, lag: t - k, value });
      return;
    }
    const place = this.shownPlace();
    const said = this.shown().filter(({ style }) => style !== "fit").map(({ name, colour, values }) => ({ name, colour, text: this.written(values, place) }));
    const where = fill(words.at, { k: steps - place, lag: place });
    readout.innerHTML = `${where} ${said.map(({ colour, name, text }) => `<span style="--colour:var(--${colour})">${name} <b>${text}</b></span>`).join(" · ")}`;
    chart.setAttribute("aria-valuenow", String(place));
    chart.setAttribute("aria-valuetext", `${where} ${said.map(({ name, text }) => `${name} ${text}`).join(", ")}`);
  }

  // A norm at a place along the axis, or that there is none.
  /** @param {Float64Array} values @param {number} place */
  written(values, place) {
    return place < values.length ? powerOfTen(values[place]) : this.header.words.none;
  }

  // The same numbers as a table, made when it is opened: a row for each place along the axis.
  buildNumbers() {
    const { words, steps } = this.header;
    const curves = this.curves.filter(({ style }) => style !== "fit");
    const head = [words.step, ...curves.map(({ name }) => name)].map((text) => `<th scope="col">${text}</th>`).join("");
    const rows = Array.from({ length: steps + 1 }, (_, place) => {
      const numbers = curves.map(({ values }) => `<td>${this.written(values, place)}</td>`);
      return `<tr><th scope="row">${steps - place}</th>${numbers.join("")}</tr>`;
    });
    const frame = find(this.parts.numbers, "div", HTMLElement);
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", words.numbers);
    frame.innerHTML = `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  }

  close() {
    this.observer.disconnect();
    this.queue.close();
    this.undo.close();
  }
}

// Undo stands where it stands above the cell explorer, and travels as its edits do: none is lost, none taken twice.
class Undo {
  /** @param {HTMLButtonElement} button @param {EditQueue} queue */
  constructor(button, queue) {
    this.button = button;
    this.queue = queue;
    this.known = 0; // changes that the server can undo
    button.onclick = () => {
      queue.undo();
      this.update();
    };
    this.onKey = (/** @type {KeyboardEvent} */ event) => {
      if (!this.isShown || !isUndo(event) || event.composedPath().some(isTyped)) return;
      event.preventDefault();
      if (!button.hidden) button.click();
    };
    this.isShown = false;
    document.addEventListener("keydown", this.onKey, true);
  }

  /** @param {NonNullable<Header["sync"]>} sync @param {string} text */
  show(sync, text) {
    this.isShown = true;
    this.known = sync.undoable;
    this.queue.acknowledge(sync);
    this.button.textContent = text;
    this.update();
  }

  update() {
    this.button.hidden = this.queue.undoable(this.known) <= 0;
  }

  close() {
    document.removeEventListener("keydown", this.onKey, true);
  }
}

// Back from the last step, also of a network that ended early.
/** @param {Header} header @param {Record<string, Numbers>} arrays @returns {Curve[]} */
const curvesOf = (header, arrays) => header.curves.map((curve) => ({ ...curve, values: arrays[curve.array].data.toReversed() }));

/** @param {string} text @param {string} name @param {() => void} press */
function button(text, name, press) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: name, textContent: text, onclick: press });
  return made;
}
