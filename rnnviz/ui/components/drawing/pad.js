// The pad: one component of a sequence over time, drawn over by pointer and keys. What is drawn shows at once; Python
// is told when a stroke has ended. Columns stand as those of the explorer's timeline do.

import { colourOf, cssColour, themeOf } from "../shared/colour.js";
import { DIGITS, MINUS, writeFaded } from "../shared/numbers.js";
import { EditQueue } from "../shared/queue.js";
import { SMALLEST, textWidth, writeShort } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { fill } from "../shared/words.js";
import { between, grainOf, rounded, scaleEnd } from "./stroke.js";

const SEND_AFTER = 250; // ms after the last key
const LABELS = 52; // px left of the columns, as in the strip above
const [TOP, PLOT, BOTTOM] = [30, 148, 20];
const WITH_NUMBERS = 36; // px of a column, from which on numbers stand at the bars
const MOST_PILLS = 8; // components that are chosen from a row; more from a menu

// A number as an index: 12 as ₁₂.
const below = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

export class Pad {
  constructor(host) {
    this.root = host.querySelector(".pad");
    this.parts = {};
    for (const element of this.root.querySelectorAll("[data-part]")) this.parts[element.dataset.part] = element;
    this.d = 0; // the component shown
    this.t = 1; // the step that the keys are at
    this.local = new Map(); // step -> value of this component: drawn, not sent
    this.limit = 1;
    this.queue = new EditQueue((name, value) => this.setStateValue(name, value), (waiting) => this.root.classList.toggle("waiting", waiting));
    this.listen();
  }

  // Every message of Python, and every change of theme.
  receive(data, setStateValue) {
    this.setStateValue = setStateValue;
    if (this.data && data.name !== this.data.name) this.endStroke();
    this.data = data;
    const answer = this.queue.acknowledge(data);
    const shape = `${data.name}|${data.x.length}|${data.x[0].length}`;
    if (answer === "rebased" || shape !== this.shape) {
      this.stroke = null;
      this.local.clear();
      this.limit = 1; // else it only grows: a scale that shrinks under the hand would mislead it
    }
    this.shape = shape;
    this.x = data.x.map((row) => [...row]);
    for (const { set } of this.queue.pending) for (const [name, [t, d], value] of set) if (name === data.name && t < this.steps && d < this.size) this.x[t][d] = value;
    for (const [t, value] of this.local) this.x[t - 1][this.d] = value;
    this.d = Math.min(this.d, this.size - 1);
    this.t = Math.min(this.t, this.steps);
    this.limit = Math.max(this.limit, scaleEnd(this.x.flat()));
    this.theme = this.root.dataset.theme = themeOf(this.root);
    const { words } = data;
    this.parts.hint.textContent = words.hint;
    this.parts.waiting.textContent = words.waiting;
    this.observer ??= this.observe();
    this.build();
  }

  get steps() {
    return this.data.x.length;
  }

  get size() {
    return this.data.x[0].length;
  }

  observe() {
    const observer = new ResizeObserver(() => this.parts.surface.clientWidth !== this.width && this.build());
    observer.observe(this.parts.surface);
    return observer;
  }

  // ---- the picture ----

  // Elements anew where sizes changed; their values follow in show().
  build() {
    const { parts, steps } = this;
    this.width = parts.surface.clientWidth;
    if (!this.width) return; // not laid out yet
    this.choose();
    const structure = `${this.shape}|${this.width}`;
    if (structure !== this.structure) {
      this.structure = structure;
      this.pitch = Math.min(142, (this.width - LABELS - 14) / (steps + 1));
      this.drawing = svg("svg", { width: this.width, height: TOP + PLOT + BOTTOM, "aria-hidden": "true" });
      parts.surface.replaceChildren(this.drawing);
      this.grid = svg("g", {}, this.drawing);
      this.columns = svg("g", {}, this.drawing);
      this.others = svg("path", { class: "others" }, this.drawing);
      this.bars = Array.from({ length: steps }, (_, i) => this.bar(i + 1));
      this.mark = svg("rect", { class: "mark", y: TOP - 8, width: Math.max(3, this.pitch), height: PLOT + 16, rx: 4 }, this.drawing);
      this.labels();
    }
    this.show();
  }

  left(t) {
    return LABELS + t * this.pitch;
  }

  y(value) {
    return TOP + (PLOT * (1 - value / this.limit)) / 2;
  }

  labels() {
    const every = [1, 2, 5, 10, 20, 50].find((step) => step * this.pitch >= 30) ?? 100;
    for (let t = 1; t <= this.steps; t++) {
      if (t > 1 && t % every) continue;
      svg("text", { class: "column", x: this.left(t + 0.5), y: 10 }, this.columns, this.pitch > 56 ? `t = ${t}` : t);
    }
  }

  bar(t) {
    const group = svg("g", { class: "bar-of", "data-step": t }, this.drawing);
    const box = { x: this.left(t), width: Math.max(1, this.pitch - (this.pitch > 4 ? 2 : 0)) };
    const body = svg("rect", { class: "body", ...box }, group);
    const cap = svg("rect", { class: "cap", ...box, height: 3 }, group);
    const text = this.pitch >= WITH_NUMBERS ? svg("text", { class: "number", x: box.x + box.width / 2 }, group) : null;
    return { group, body, cap, text };
  }

  // The lines of the scale.
  scale() {
    const scaled = `${this.structure}|${this.limit}`;
    if (scaled === this.scaled) return;
    this.scaled = scaled;
    this.grid.replaceChildren();
    for (const share of [1, 0.5, 0, -0.5, -1]) {
      const y = this.y(share * this.limit);
      svg("line", { class: share ? "line" : "line zero", x1: this.left(1) - 2, x2: this.left(this.steps + 1), y1: y, y2: y }, this.grid);
      if (Math.abs(share) === 0.5) continue;
      svg("text", { class: "axis", x: this.left(1) - 9, y }, this.grid, String(share * this.limit).replaceAll("-", MINUS));
    }
  }

  // Every value on the scale in force.
  show() {
    this.scale();
    const rest = Array.from({ length: this.size }, (_, d) => d).filter((d) => d !== this.d);
    const line = (d) => `M${this.x.map((row, i) => `${this.left(i + 1.5) - 1} ${this.y(row[d])}`).join("L")}`;
    this.others.setAttribute("d", rest.map(line).join(""));
    this.others.style.opacity = Math.max(0.12, 0.55 / Math.sqrt(rest.length || 1));
    for (let t = 1; t <= this.steps; t++) this.showStep(t);
    this.showCursor();
  }

  showStep(t) {
    const { group, body, cap, text } = this.bars[t - 1];
    const value = this.x[t - 1][this.d];
    const [zero, y] = [this.y(0), this.y(value)];
    group.dataset.value = value;
    group.classList.toggle("below", value < 0);
    body.setAttribute("y", Math.min(zero, y));
    body.setAttribute("height", Math.abs(zero - y));
    body.setAttribute("fill", cssColour(colourOf(value, "signed", this.limit, this.theme)));
    cap.setAttribute("y", y - 1.5);
    if (!text) return;
    text.setAttribute("y", value < 0 ? y + 11 : y - 10);
    text.textContent = writeShort(value, 0, DIGITS, (one) => textWidth(one, SMALLEST), this.pitch - 2);
  }

  // The step that is pointed at, else that of the keys: framed, said, and read out.
  showCursor() {
    const t = this.hovered ?? this.t;
    this.mark.setAttribute("x", this.left(t) - 1);
    this.root.classList.toggle("hovering", Boolean(this.hovered));
    this.parts.readout.textContent = this.said(t);
    const { surface } = this.parts;
    const value = this.x[this.t - 1][this.d];
    for (const [name, text] of [["valuemin", -this.limit], ["valuemax", this.limit], ["valuenow", value], ["valuetext", this.said(this.t)]]) surface.setAttribute(`aria-${name}`, text);
  }

  said(t) {
    return fill(this.data.words.value, { step: t, value: writeFaded(this.x[t - 1][this.d]) });
  }

  // ---- which component ----

  choose() {
    const { chooser, surface, zero } = this.parts;
    const { words } = this.data;
    surface.setAttribute("aria-label", fill(words.label, { component: this.d + 1, size: this.size }));
    zero.textContent = fill(words.zero, { component: below(this.d + 1) });
    if (chooser.dataset.size !== String(this.size)) {
      chooser.dataset.size = this.size;
      chooser.replaceChildren(...(this.size === 1 ? [] : this.size <= MOST_PILLS ? this.pills() : [this.menu()]));
      if (this.size > 1 && this.size <= MOST_PILLS) {
        chooser.setAttribute("role", "radiogroup");
        chooser.setAttribute("aria-label", words.component);
      } else for (const name of ["role", "aria-label"]) chooser.removeAttribute(name);
    }
    for (const input of chooser.querySelectorAll("input")) input.checked = Number(input.value) === this.d;
    const menu = chooser.querySelector("select");
    if (menu) menu.value = this.d;
  }

  pills() {
    return Array.from({ length: this.size }, (_, d) => {
      const label = document.createElement("label");
      label.innerHTML = `<input type="radio" name="component" value="${d}"><span>x${below(d + 1)}</span>`;
      label.firstChild.addEventListener("change", () => this.take(d));
      return label;
    });
  }

  menu() {
    const label = document.createElement("label");
    label.className = "menu";
    label.textContent = this.data.words.component;
    const select = document.createElement("select");
    for (let d = 0; d < this.size; d++) select.append(new Option(`x${below(d + 1)}`, d));
    select.addEventListener("change", () => this.take(Number(select.value)));
    label.append(select);
    return label;
  }

  take(d) {
    this.endStroke();
    this.d = d;
    this.build();
  }

  // ---- drawing ----

  listen() {
    const { surface, zero } = this.parts;
    this.root.addEventListener("keydown", (event) => event.key === "Tab" || event.stopPropagation()); // Streamlit has shortcuts on letters
    surface.addEventListener("keydown", (event) => this.key(event));
    surface.addEventListener("blur", () => this.endStroke());
    surface.addEventListener("pointerdown", (event) => this.press(event));
    surface.addEventListener("pointermove", (event) => this.move(event));
    surface.addEventListener("pointerup", (event) => this.release(event, true));
    surface.addEventListener("pointercancel", (event) => this.release(event, false));
    surface.addEventListener("pointerleave", () => this.point(null));
    zero.addEventListener("click", () => {
      for (let t = 1; t <= this.steps; t++) this.set(t, 0);
      this.endStroke();
    });
  }

  // Where the pointer is: the column in fractions, and the value at its height; a line is met from nearby.
  place(event) {
    const box = this.drawing.getBoundingClientRect();
    const scale = box.width / this.width || 1;
    const [x, y] = [(event.clientX - box.left) / scale, (event.clientY - box.top) / scale];
    const height = Math.min(1, Math.max(-1, 1 - (2 * (y - TOP)) / PLOT));
    const value = Math.abs(height) * PLOT < 4 ? 0 : rounded(height * this.limit, this.limit);
    return { at: (x - LABELS) / this.pitch, value };
  }

  isStep(t) {
    return t >= 1 && t <= this.steps;
  }

  press(event) {
    if (event.button !== 0 || this.stroke) return;
    const place = this.place(event);
    if (!this.isStep(Math.floor(place.at))) return;
    event.preventDefault();
    this.endStroke(); // of the keys
    this.parts.surface.focus({ preventScroll: true });
    this.parts.surface.setPointerCapture(event.pointerId);
    this.stroke = { id: event.pointerId, from: place };
    this.follow(place, place);
  }

  move(event) {
    if (this.stroke?.id === event.pointerId) {
      const events = event.getCoalescedEvents?.() ?? [];
      for (const one of events.length ? events : [event]) {
        const to = this.place(one);
        this.follow(this.stroke.from, to);
        this.stroke.from = to;
      }
    } else if (!this.stroke && event.pointerType !== "touch") this.point(Math.floor(this.place(event).at));
  }

  follow(from, to) {
    for (const [t, value] of between(from, to)) if (this.isStep(t)) this.set(t, rounded(value, this.limit));
    this.point(Math.min(this.steps, Math.max(1, Math.floor(to.at))));
  }

  point(t) {
    if (this.stroke && t === null) return;
    this.hovered = t !== null && this.isStep(t) ? t : null;
    if (this.stroke) this.t = t;
    this.showCursor();
  }

  release(event, drawn) {
    if (this.stroke?.id !== event.pointerId) return;
    this.stroke = null;
    if (drawn) this.endStroke();
    else {
      this.local.clear();
      this.receive(this.data, this.setStateValue); // as it was before the stroke
    }
    if (event.pointerType === "touch") this.point(null);
  }

  set(t, value) {
    this.local.set(t, value);
    this.x[t - 1][this.d] = value;
    if (Math.abs(value) > this.limit) {
      this.limit = scaleEnd([value]);
      this.show();
    } else this.showStep(t);
  }

  // What was drawn goes to Python, as one edit of the sequence.
  endStroke() {
    clearTimeout(this.sending);
    if (!this.local.size) return;
    const set = [...this.local].map(([t, value]) => [this.data.name, [t - 1, this.d], value]);
    this.local.clear();
    this.stroke = null;
    this.queue.push(set, true);
    this.showCursor();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.stroke) return;
    const go = { ArrowLeft: this.t - 1, ArrowRight: this.t + 1, Home: 1, End: this.steps }[event.key];
    const up = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (go !== undefined) this.t = Math.min(this.steps, Math.max(1, go));
    else if (up) {
      const change = up * grainOf(this.limit) * (event.shiftKey ? 25 : 5);
      this.set(this.t, rounded(this.x[this.t - 1][this.d] + change, this.limit));
      clearTimeout(this.sending);
      this.sending = setTimeout(() => this.endStroke(), SEND_AFTER);
    } else return;
    event.preventDefault();
    this.hovered = null;
    this.showCursor();
  }

  close() {
    this.stroke = null;
    this.endStroke();
    this.queue.close();
    this.observer?.disconnect();
  }
}
