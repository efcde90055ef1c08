// Norms over time on an axis of decades, and the map of all pairs of steps beside it. Python sends base-10 logarithms,
// the range and the ticks; pointing, reading off, showing a curve and saving the picture happen here.

import PALETTE from "../../../views/palette.json" with { type: "json" };
import { themeOf } from "../shared/colour.js";
import { downloadPicture } from "../shared/download.js";
import { isTyped, isUndo } from "../shared/keys.js";
import { unpack } from "../shared/message.js";
import { powerOfTen } from "../shared/numbers.js";
import { EditQueue } from "../shared/queue.js";
import { svg } from "../shared/svg.js";
import { freePlace, LABEL, spread } from "./labels.js";
import { PairMap } from "./map.js";
import { wholeTicks, widthOf } from "./scale.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [78, 12, 12, 42]; // px around the plot, names at the ends of lines come on top
const COLOURS_OF_LINES = { elman: "elman", lstm: "lstm", gru: "gru", alone: "weight", other: "second", muted: "neutral" };
const MAIN = ["front", "behind"]; // styles of norms, not of lines to compare them with
const KINDS = ["PNG", "SVG"];

export class Flow {
  constructor(host) {
    this.root = host.querySelector(".flow");
    this.parts = {};
    for (const element of this.root.querySelectorAll("[data-part]")) this.parts[element.dataset.part] = element;
    this.map = new PairMap(this.parts.map);
    this.wanted = new Map(); // key of a curve to whether the reader wants it
    this.kept = null; // curves that stay for comparison
    this.place = null; // which of the steps is pointed at, counted along the axis: it stays while T changes
    this.cell = null; // [k, t] pointed at on the map
    this.clicks = 0;
    for (const [name, colour] of Object.entries(COLOURS_OF_LINES)) this.root.style.setProperty(`--${name}`, PALETTE.lines[colour]);
    this.listen();
  }

  // Every message of Python, and every change of theme.
  receive(bytes, setStateValue) {
    this.setStateValue = setStateValue;
    const { header, arrays } = unpack(bytes);
    this.header = header;
    this.arrays = arrays;
    this.theme = this.root.dataset.theme = themeOf(this.root);
    this.root.style.setProperty("--height", `${header.height}px`);
    // Back from the last step, also of a network that ended early.
    this.curves = header.curves.map((curve) => ({ ...curve, values: arrays[curve.array].data.toReversed() }));
    if (this.place !== null && this.place > header.steps) this.place = null;
    this.cell = null;
    this.observer ??= this.observe();
    if (header.sync) this.keepUndo(header);
    this.build();
  }

  // Undo stands where it stands above the cell explorer, and travels as its edits do: none is lost, none taken twice.
  keepUndo({ sync, words }) {
    const { undo } = this.parts;
    this.queue ??= new EditQueue((name, value) => this.setStateValue(name, value), () => {});
    this.queue.acknowledge(sync);
    const show = () => (undo.hidden = this.queue.undoable(sync.undoable) <= 0);
    undo.textContent = words.undo;
    undo.onclick = () => {
      this.queue.undo();
      show();
    };
    show();
    if (this.onUndoKey) return;
    this.onUndoKey = (event) => {
      if (!isUndo(event) || event.composedPath().some(isTyped)) return;
      event.preventDefault();
      if (!undo.hidden) undo.click();
    };
    document.addEventListener("keydown", this.onUndoKey, true);
  }

  observe() {
    const observer = new ResizeObserver(() => this.parts.chart.clientWidth !== this.width && this.build());
    observer.observe(this.parts.chart);
    return observer;
  }

  build() {
    const { chart, beside, note, numbers } = this.parts;
    const { header } = this;
    beside.hidden = !header.map;
    this.width = chart.clientWidth;
    if (!this.width) return; // not laid out yet
    this.buildLegend();
    this.buildChart();
    if (header.map) {
      note.textContent = `${header.words.map_note} ${header.map.left_out}`.trim();
      this.map.build(header, this.arrays, this.theme, Math.max(180, header.height - note.clientHeight));
    }
    numbers.querySelector("summary").textContent = header.words.numbers;
    if (numbers.open) this.buildNumbers();
    this.point();
  }

  // ---- what is shown ----

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
      this.parts.actions.querySelector(".keep").focus();
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
    return this.header.map ? [this.drawing, this.map.canvas, this.map.drawing] : [this.drawing];
  }

  // ---- the curves ----

  x(place) {
    return LEFT + ((this.right - LEFT) * place) / Math.max(1, this.header.steps);
  }

  y(value) {
    const { low, high, height } = this.header;
    return TOP + ((height - TOP - BOTTOM) * (high - value)) / (high - low);
  }

  // A curve's path; it stops where the norm is exactly 0, which no axis of decades has.
  path(values) {
    const { low, high } = this.header;
    const far = 40 * (high - low);
    let d = "";
    let pen = false;
    for (let i = 0; i < values.length; i++) {
      if (!Number.isFinite(values[i])) pen = false;
      else {
        const y = this.y(Math.min(high + far, Math.max(low - far, values[i])));
        d += `${pen ? "L" : "M"}${this.x(i).toFixed(1)} ${y.toFixed(1)}`;
        pen = true;
      }
    }
    return d;
  }

  buildChart() {
    const { chart } = this.parts;
    const { header, width } = this;
    const { steps, height, words, threshold } = header;
    const bottom = height - BOTTOM;
    const ends = this.ends();
    const font = `12px ${getComputedStyle(this.root).fontFamily}`;
    for (const end of ends) end.width = widthOf(end.text, font) + 4;
    const beside = Math.max(0, ...ends.filter(({ outside }) => outside).map((end) => end.width));
    const names = Math.min(LABEL.most * width, beside ? beside + LABEL.gap : 0);
    const right = (this.right = width - RIGHT - names);
    const drawing = (this.drawing = svg("svg", { width, height, "aria-hidden": "true" }));
    const clip = svg("clipPath", { id: "plot" }, svg("defs", {}, drawing));
    svg("rect", { x: LEFT, y: TOP - 3, width: right - LEFT + 3, height: bottom - TOP + 3 }, clip);
    for (const [value, text] of header.ticks) {
      svg("line", { class: value ? "grid" : "grid one", x1: LEFT, x2: right, y1: this.y(value), y2: this.y(value) }, drawing);
      svg("text", { x: LEFT - 7, y: this.y(value), "text-anchor": "end" }, drawing, text);
    }
    for (const place of wholeTicks(0, steps, right - LEFT, 46)) svg("text", { x: this.x(place), y: bottom + 13, "text-anchor": "middle" }, drawing, place);
    this.axisName(drawing, words.axis.replaceAll("{steps}", steps), (LEFT + right) / 2, bottom + 32);
    const upright = svg("g", { transform: `translate(9 ${(TOP + bottom) / 2}) rotate(-90)` }, drawing);
    svg("text", { class: "axis-name", "text-anchor": "middle" }, upright, words.norm);
    const inside = svg("g", { "clip-path": "url(#plot)" }, drawing);
    for (const curve of this.kept ?? []) svg("path", { class: "curve kept", d: this.path(curve.values), style: `--colour:var(--${curve.colour})` }, inside);
    for (const curve of this.shown().toReversed()) {
      const style = `--colour:var(--${curve.colour})`;
      svg("path", { class: `curve ${curve.style}`, d: this.path(curve.values), style, "data-curve": curve.key }, inside);
    }
    const taken = [];
    if (threshold) {
      const y = this.y(threshold.value);
      svg("line", { class: "threshold", x1: LEFT, x2: right, y1: y, y2: y }, drawing);
      const wide = widthOf(threshold.label, font) + 4;
      const box = this.besideLevel(y, wide);
      svg("text", { class: "level", x: box.x, y: box.y }, drawing, threshold.label);
      taken.push(box);
    }
    this.name(ends, taken, drawing);
    this.cross = svg("g", {}, drawing);
    chart.replaceChildren(drawing);
    chart.setAttribute("aria-label", header.said);
    chart.setAttribute("aria-valuemin", 0);
    chart.setAttribute("aria-valuemax", steps);
  }

  // A place for the name of a level at height y: below or above its line, at either end, where no curve strikes it out.
  besideLevel(y, width) {
    const { right } = this;
    const [top, bottom] = [TOP + 6, this.header.height - BOTTOM - 7];
    const places = [right - 4 - width, LEFT + 6].flatMap((x) => [10, -10].map((down) => ({ x, y: y + down, width })));
    const within = places.filter((box) => box.y >= top && box.y <= bottom);
    return within.find((box) => !this.shown().some(({ values }) => this.isCrossed(box, values))) ?? within[0] ?? places[0];
  }

  // Whether a curve passes through a text's box.
  isCrossed({ x, y, width }, values) {
    const heights = Array.from(values, (value, place) => [this.x(place), value])
      .filter(([at, value]) => at >= x - 2 && at <= x + width + 2 && Number.isFinite(value))
      .map(([, value]) => this.y(value));
    return heights.length > 0 && Math.min(...heights) < y + 8 && Math.max(...heights) > y - 8;
  }

  // The name of the axis below: on a narrow screen without what stands in brackets.
  axisName(drawing, text, x, y) {
    const fits = widthOf(text, "13px sans-serif") < this.width - 10;
    const at = Math.max(x, fits ? Math.min(this.width, widthOf(text, "13px sans-serif")) / 2 + 4 : x);
    svg("text", { class: "axis-name", x: at, y, "text-anchor": "middle" }, drawing, fits ? text : text.replace(/ \(.*\)/, ""));
  }

  // ---- names where the lines end ----

  // Of each curve shown: its name, where along the axis it ends or leaves the plot, and whether that is the very end.
  ends() {
    const { low, high, steps, words } = this.header;
    return this.shown().filter(({ style }) => style !== "fit").flatMap((curve) => {
      const { values, name, style } = curve;
      let last = values.length - 1;
      while (last > 0 && !Number.isFinite(values[last])) last--;
      const zero = last < values.length - 1 && MAIN.includes(style) && words.zero;
      const text = zero ? words.zero.replace("{name}", name) : name;
      let place = last;
      while (place > 0 && !(values[place] >= low && values[place] <= high)) place--;
      if (place === last) return [{ curve, text, place, value: values[last], outside: last === steps && !zero, level: 0 }];
      const beyond = values[place + 1];
      const edge = beyond > high ? high : low;
      const share = Number.isFinite(beyond) ? (edge - values[place]) / (beyond - values[place]) : 0;
      return [{ curve, text, place: place + share, value: edge, outside: false, level: beyond > high ? 1 : -1 }];
    });
  }

  name(ends, taken, drawing) {
    const { right } = this;
    const bottom = this.header.height - BOTTOM;
    const outside = ends.filter((end) => end.outside);
    for (const end of outside) end.y = end.at = this.y(end.value);
    spread(outside, TOP, bottom);
    for (const { curve, text, y, at } of outside) {
      if (Math.abs(y - at) > 3) svg("path", { class: "leader", d: `M${right} ${at}L${right + LABEL.gap - 2} ${y}` }, drawing);
      this.label(drawing, curve, text, right + LABEL.gap, y);
    }
    for (const { curve, text, place, value, level, width } of ends.filter((end) => !end.outside)) {
      const y = this.y(value) + (level > 0 ? 9 : -9);
      const box = freePlace(this.x(place) + 5, y, width, taken, { left: LEFT + 3, right: right - 2, top: TOP + 6, bottom: bottom - 7 });
      taken.push(box);
      this.label(drawing, curve, text, box.x, box.y);
    }
  }

  label(drawing, { key, colour }, text, x, y) {
    svg("text", { class: "name", "data-name": key, x, y, style: `--colour:var(--${colour})` }, drawing, text);
  }

  // ---- pointing ----

  listen() {
    const { chart, map, numbers } = this.parts;
    chart.addEventListener("pointermove", (event) => {
      const share = (event.clientX - chart.getBoundingClientRect().left - LEFT) / Math.max(1, this.right - LEFT);
      this.lookAt(Math.round(share * this.header.steps));
    });
    const { canvas } = this.map;
    canvas.addEventListener("pointermove", (event) => this.lookAtCell(...this.map.cellAt(event)));
    canvas.addEventListener("pointerleave", () => this.lookAway());
    chart.addEventListener("pointerleave", () => this.lookAway());
    for (const part of [chart, map]) part.addEventListener("focusout", () => this.lookAway());
    canvas.addEventListener("click", (event) => this.open(...this.map.cellAt(event)));
    chart.addEventListener("keydown", (event) => this.chartKey(event));
    map.addEventListener("keydown", (event) => this.mapKey(event));
    numbers.addEventListener("toggle", () => numbers.open && this.buildNumbers());
  }

  lookAt(place) {
    this.place = Math.min(this.header.steps, Math.max(0, place));
    this.cell = null;
    this.point();
  }

  lookAtCell(k, t) {
    this.cell = [k, t];
    this.point();
  }

  lookAway() {
    this.place = this.cell = null;
    this.point();
  }

  open(k, t) {
    if (k < t) this.setStateValue("cell", { k, t, click: ++this.clicks });
  }

  // The place that the numbers are of: where nothing is pointed at, the earliest step.
  shownPlace() {
    return this.place ?? this.header.steps;
  }

  chartKey(event) {
    const { steps } = this.header;
    const place = this.shownPlace();
    const far = Math.max(1, Math.round(steps / 10));
    const next = { ArrowRight: place + 1, ArrowUp: place + 1, ArrowLeft: place - 1, ArrowDown: place - 1, PageUp: place + far, PageDown: place - far, Home: 0, End: steps }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.lookAt(next);
  }

  mapKey(event) {
    const cell = this.cell ?? this.map.within(...this.header.chosen);
    const next = this.map.cellAfter(event.key, ...cell);
    if (next) this.lookAtCell(...next);
    else if (event.key === "Enter") this.open(...cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // What is pointed at: lines across both pictures, and the numbers in words.
  point() {
    const { header, cross } = this;
    cross?.replaceChildren();
    this.map.mark(this.cell);
    const { words, steps } = header;
    const { readout, chart } = this.parts;
    if (this.cell) {
      const [k, t] = this.cell;
      readout.innerHTML = words.cell.replace("{k}", k).replace("{t}", t).replace("{lag}", t - k).replace("{value}", `<b>${powerOfTen(this.map.value(k, t))}</b>`);
      return;
    }
    const place = this.shownPlace();
    const k = steps - place;
    if (this.place !== null) svg("line", { class: "cross", x1: this.x(place), x2: this.x(place), y1: TOP, y2: header.height - BOTTOM }, cross);
    const said = this.shown().filter(({ style }) => style !== "fit").map((curve) => {
      const value = curve.values[place];
      const inside = value >= header.low && value <= header.high;
      if (this.place !== null && inside && MAIN.includes(curve.style)) svg("circle", { class: "dot", cx: this.x(place), cy: this.y(value), r: 4, style: `--colour:var(--${curve.colour})` }, cross);
      return [curve, value === undefined ? words.none : powerOfTen(value)];
    });
    const where = words.at.replace("{k}", k).replace("{lag}", place);
    readout.innerHTML = `${where} ${said.map(([{ colour, name }, text]) => `<span style="--colour:var(--${colour})">${name} <b>${text}</b></span>`).join(" · ")}`;
    chart.setAttribute("aria-valuenow", place);
    chart.setAttribute("aria-valuetext", `${where} ${said.map(([{ name }, text]) => `${name} ${text}`).join(", ")}`);
  }

  // The same numbers as a table, made when it is opened: a row for each place along the axis.
  buildNumbers() {
    const { words, steps } = this.header;
    const curves = this.curves.filter(({ style }) => style !== "fit");
    const head = [words.step, ...curves.map(({ name }) => name)].map((text) => `<th scope="col">${text}</th>`).join("");
    const rows = Array.from({ length: steps + 1 }, (_, place) => {
      const numbers = curves.map(({ values }) => `<td>${place < values.length ? powerOfTen(values[place]) : words.none}</td>`);
      return `<tr><th scope="row">${steps - place}</th>${numbers.join("")}</tr>`;
    });
    const frame = this.parts.numbers.querySelector("div");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", words.numbers);
    frame.innerHTML = `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  }

  close() {
    this.observer?.disconnect();
    this.queue?.close();
    document.removeEventListener("keydown", this.onUndoKey, true);
  }
}

function button(text, name, press) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: name, textContent: text, onclick: press });
  return made;
}
