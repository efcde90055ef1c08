// The pad: one component of a sequence over time, drawn over by pointer and keys. What is drawn shows at once; Python
// is told when a stroke has ended. Columns stand as those of the explorer's timeline do.

import { themeOf } from "../shared/colour.js";
import { writeFaded } from "../shared/numbers.js";
import { find, partsOf } from "../shared/parts.js";
import { EditQueue } from "../shared/queue.js";
import { fill } from "../shared/sentences.js";
import { Picture, PLOT } from "./picture.js";
import { between, grainOf, rounded, scaleEnd } from "./stroke.js";

/** @import { Change, SetStateValue } from "../shared/types" */
/** @import { PadData, Parts, Point } from "./types" */

const SEND_AFTER = 250; // ms after the last key
const MOST_PILLS = 8; // components that are chosen from a row; more from a menu

// A number as an index: 12 as ₁₂.
/** @param {number} number */
const below = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);

// What has to stay the same for a stroke to go on.
/** @param {PadData} data */
const shapeOf = ({ name, x }) => `${name}|${x.length}|${x[0].length}`;

export class Pad {
  /** @param {HTMLElement} host @param {PadData} data @param {SetStateValue} setStateValue */
  constructor(host, data, setStateValue) {
    this.root = find(host, ".pad", HTMLElement);
    /** @type {Parts} */
    this.parts = partsOf(this.root);
    this.data = data;
    this.setStateValue = setStateValue;
    this.d = 0; // the component shown
    this.t = 1; // the step that the keys are at
    /** @type {number | null} the step that is pointed at */
    this.hovered = null;
    /** @type {Map<number, number>} the values of this component by step: drawn, not sent */
    this.local = new Map();
    /** @type {{ id: number, from: Point } | null} */
    this.stroke = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sending = undefined;
    this.limit = 1;
    this.x = data.x;
    this.shape = shapeOf(data);
    this.theme = themeOf(this.root);
    this.width = 0;
    /** @type {Picture | null} */
    this.picture = null;
    this.queue = new EditQueue((name, value) => this.setStateValue(name, value), (isWaiting) => this.root.classList.toggle("waiting", isWaiting));
    this.listen();
    this.observer = new ResizeObserver(() => {
      if (this.parts.surface.clientWidth !== this.width) this.build();
    });
    this.observer.observe(this.parts.surface);
    this.receive(data, setStateValue);
  }

  // Every message of Python, and every change of theme.
  /** @param {PadData} data @param {SetStateValue} setStateValue */
  receive(data, setStateValue) {
    this.setStateValue = setStateValue;
    if (data.name !== this.data.name) this.endStroke();
    this.data = data;
    const answer = this.queue.acknowledge(data);
    const shape = shapeOf(data);
    if (answer === "rebased" || shape !== this.shape) {
      this.stroke = null;
      this.local.clear();
      this.limit = 1; // else it only grows: a scale that shrinks under the hand would mislead it
    }
    this.shape = shape;
    this.x = data.x.map((row) => [...row]);
    for (const { set } of this.queue.pending) for (const [name, [t, d], value] of set) if (name === data.name && value !== null && t < this.steps && d < this.size) this.x[t][d] = value;
    for (const [t, value] of this.local) this.x[t - 1][this.d] = value;
    this.d = Math.min(this.d, this.size - 1);
    this.t = Math.min(this.t, this.steps);
    this.limit = Math.max(this.limit, scaleEnd(this.x.flat()));
    this.theme = themeOf(this.root);
    this.root.dataset.theme = this.theme;
    const { words } = data;
    this.parts.hint.textContent = words.hint;
    this.parts.waiting.textContent = words.waiting;
    this.build();
  }

  get steps() {
    return this.data.x.length;
  }

  get size() {
    return this.data.x[0].length;
  }

  // ---- the picture ----

  // Elements anew where sizes changed; their values follow in show().
  build() {
    this.width = this.parts.surface.clientWidth;
    if (!this.width) return; // not laid out yet
    this.choose();
    const structure = `${this.shape}|${this.width}`;
    if (this.picture?.structure !== structure) {
      this.picture = new Picture(structure, this.steps, this.width);
      this.parts.surface.replaceChildren(this.picture.element);
    }
    this.show();
  }

  // Every value on the scale in force.
  show() {
    this.picture?.show(this.x, this.d, this.limit, this.theme);
    this.showCursor();
  }

  // The step that is pointed at, else that of the keys: framed, said, and read out.
  showCursor() {
    const t = this.hovered ?? this.t;
    this.picture?.markStep(t);
    this.root.classList.toggle("hovering", Boolean(this.hovered));
    this.parts.readout.textContent = this.said(t);
    const { surface } = this.parts;
    const value = this.x[this.t - 1][this.d];
    const said = { valuemin: -this.limit, valuemax: this.limit, valuenow: value, valuetext: this.said(this.t) };
    for (const [name, text] of Object.entries(said)) surface.setAttribute(`aria-${name}`, String(text));
  }

  /** @param {number} t */
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
      chooser.dataset.size = String(this.size);
      chooser.replaceChildren(...(this.size === 1 ? [] : this.size <= MOST_PILLS ? this.pills() : [this.menu()]));
      if (this.size > 1 && this.size <= MOST_PILLS) {
        chooser.setAttribute("role", "radiogroup");
        chooser.setAttribute("aria-label", words.component);
      } else for (const name of ["role", "aria-label"]) chooser.removeAttribute(name);
    }
    for (const input of chooser.querySelectorAll("input")) input.checked = Number(input.value) === this.d;
    const menu = chooser.querySelector("select");
    if (menu) menu.value = String(this.d);
  }

  pills() {
    return Array.from({ length: this.size }, (_, d) => {
      const label = document.createElement("label");
      label.innerHTML = `<input type="radio" name="component" value="${d}"><span>x${below(d + 1)}</span>`;
      find(label, "input", HTMLInputElement).addEventListener("change", () => this.take(d));
      return label;
    });
  }

  menu() {
    const label = document.createElement("label");
    label.className = "menu";
    label.textContent = this.data.words.component;
    const select = document.createElement("select");
    for (let d = 0; d < this.size; d++) select.append(new Option(`x${below(d + 1)}`, String(d)));
    select.addEventListener("change", () => this.take(Number(select.value)));
    label.append(select);
    return label;
  }

  /** @param {number} d */
  take(d) {
    this.endStroke();
    this.d = d;
    this.build();
  }

  // ---- drawing ----

  listen() {
    const { surface, zero } = this.parts;
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Tab") event.stopPropagation(); // Streamlit has shortcuts on letters
    });
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
  /** @param {PointerEvent} event @returns {Point} */
  place(event) {
    const { at, height } = this.picture?.place(event) ?? { at: 0, height: 0 };
    return { at, value: Math.abs(height) * PLOT < 4 ? 0 : rounded(height * this.limit, this.limit) };
  }

  /** @param {number} t */
  isStep(t) {
    return t >= 1 && t <= this.steps;
  }

  /** @param {PointerEvent} event */
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

  /** @param {PointerEvent} event */
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

  /** @param {Point} from @param {Point} to */
  follow(from, to) {
    for (const [t, value] of between(from, to)) if (this.isStep(t)) this.set(t, rounded(value, this.limit));
    this.point(Math.min(this.steps, Math.max(1, Math.floor(to.at))));
  }

  /** @param {number | null} t */
  point(t) {
    if (this.stroke && t === null) return;
    this.hovered = t !== null && this.isStep(t) ? t : null;
    if (this.stroke && t !== null) this.t = t;
    this.showCursor();
  }

  /** @param {PointerEvent} event @param {boolean} drawn */
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

  /** @param {number} t @param {number} value */
  set(t, value) {
    this.local.set(t, value);
    this.x[t - 1][this.d] = value;
    if (Math.abs(value) > this.limit) {
      this.limit = scaleEnd([value]);
      this.show();
    } else this.picture?.showStep(t, value);
  }

  // What was drawn goes to Python, as one edit of the sequence.
  endStroke() {
    clearTimeout(this.sending);
    if (!this.local.size) return;
    /** @type {Change[]} */
    const set = [...this.local].map(([t, value]) => [this.data.name, [t - 1, this.d], value]);
    this.local.clear();
    this.stroke = null;
    this.queue.push(set, true);
    this.showCursor();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.stroke) return;
    /** @type {Record<string, number>} */
    const places = { ArrowLeft: this.t - 1, ArrowRight: this.t + 1, Home: 1, End: this.steps };
    if (event.key in places) this.t = Math.min(this.steps, Math.max(1, places[event.key]));
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const up = event.key === "ArrowUp" ? 1 : -1;
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
    this.observer.disconnect();
  }
}
