// The strip below: inputs, states and outputs of all steps, a step a column; the shown step is framed.

import { SMALLEST } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { Cell } from "./cell.js";
import { Ground, sheetOf } from "./ground.js";
import { READABLE } from "./layout.js";
import { FoldedStrip, orderOf, ROW_LABEL } from "./strip.js";
import { symbolText } from "./symbols.js";
import { Uses } from "./uses.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Theme, Use } from "./types" */

const FLAT = { highest: 17, number: 14, pointed: 2 }; // heights of a row: at most, to hold numbers, to be pointed at
const NAME_HEIGHT = 11; // of a variable, the least of all its rows together
const APART = { roomy: 7, tight: 4, least: 2 }; // between variables
const POINTED_ROOM = 140; // for rows that can be pointed at the strip may take as much, even from the picture

const MOST_CELLS = 1300; // of a strip drawn as cells; a larger one is a picture with cells for the shown step alone
const SCROLLED = 36; // px of a step with its numbers in a strip that is wider than the window
const NARROWEST = 4; // px of a step drawn as cells: the lines between narrower ones would look like stripes of the numbers

export class Timeline {
  /** @param {Explorer} explorer @param {TraceView} view @param {number} width @param {number} room the height that the window leaves */
  constructor(explorer, view, width, room) {
    this.explorer = explorer;
    /** @type {Cell[]} */
    this.cells = [];
    /** @type {Map<string, Cell>} by "variable.unit.step" */
    this.byPlace = new Map();
    /** @type {FoldedStrip[]} of a folded timeline */
    this.strips = [];
    this.dragging = false;
    this.height = FLAT.highest; // of a row: fit() lowers it
    const columns = view.steps + 1; // the first holds the initial state
    const wide = (width - ROW_LABEL - 14) / columns;
    const number = Math.min(140, wide - 2);
    const names = view.header.timeline;
    const units = names.map((name) => view.shape(name)[0]);
    this.folded = units.reduce((sum, count) => sum + count, 0) * columns > MOST_CELLS || wide < NARROWEST;
    this.letters = Array.from({ length: view.steps }, (_, step) => view.letter(step + 1)); // of a text
    this.top = this.letters.some(Boolean) ? 35 : 18;
    const apart = this.fit(units, room - this.top);
    // Too narrow or too low for numbers: colours, numbers on hover.
    this.bare = (number < READABLE.width && view.steps > 24) || this.height < FLAT.number;
    this.cellWidth = this.bare ? Math.max(2, wide - 0.5) : number < READABLE.width ? SCROLLED : number;
    this.pitch = this.folded && this.bare ? Math.max(1, wide) : this.bare ? Math.max(2.5, wide) : this.cellWidth + 2;
    this.isWider = ROW_LABEL + this.pitch * columns + 12 > width;
    this.element = svg("svg", { class: "timeline-svg", width: ROW_LABEL + this.pitch * columns + 12 });
    this.frame = document.createElement("div"); // above the strip, so that a step moves it without painting the strip
    this.frame.className = "frame";
    this.frame.style.width = `${this.pitch + 1}px`;
    this.sheet = sheetOf(this.element);
    this.ground = new Ground(this.sheet);
    this.sheet.append(this.frame);
    this.header(view, columns);
    this.labels = svg("g", { class: "row-labels", "aria-hidden": "true" });
    let y = this.top;
    for (const name of names) y = this.strip(view, name, y) + apart;
    if (this.isWider) this.labels.prepend(svg("rect", { width: ROW_LABEL - 4, height: y })); // over what is scrolled below them
    this.element.append(this.labels);
    const { timeline } = explorer.parts;
    timeline.onscroll = this.isWider ? () => this.keepLabels(timeline.scrollLeft) : null;
    this.uses = new Uses(this, svg("g", { class: "links", "aria-hidden": "true" }, this.element));
    this.element.setAttribute("height", String(y));
    this.frame.style.height = `${y - 4}px`;
    this.scrub();
  }

  // The greatest height of a row with which all rows have room, or the least; returns the room between variables.
  /** @param {number[]} units @param {number} room */
  fit(units, room) {
    const quarters = Array.from({ length: 4 * FLAT.highest + 1 }, (_, quarter) => FLAT.highest - quarter / 4);
    const { roomy, tight, least } = APART;
    const choices = [
      ...quarters.filter((height) => height >= FLAT.number && height % 1 === 0).map((height) => [height, roomy, room]),
      ...quarters.filter((height) => height >= FLAT.pointed && height % 0.5 === 0).map((height) => [height, tight, room]),
      [FLAT.pointed, least, Math.max(room, POINTED_ROOM)],
      ...quarters.filter((height) => height < FLAT.pointed && (this.folded || height >= 1)).map((height) => [height, least, room]),
    ];
    /** @param {number[]} choice */
    const heightOf = ([height, apart]) => {
      this.height = height;
      return units.reduce((sum, count) => sum + count * this.pitchOf(count).pitch + apart, 0);
    };
    const [, apart] = choices.find((choice) => heightOf(choice) <= choice[2]) ?? choices[choices.length - 1];
    return apart;
  }

  // The height of a variable's rows, and with the gap to the next.
  /** @param {number} units */
  pitchOf(units) {
    const low = Math.max(this.height, NAME_HEIGHT / units);
    return { low, pitch: low + (this.folded || low < 8 ? 0 : 1) };
  }

  // The rows of one variable, a row for each unit; returns where they end.
  /** @param {TraceView} view @param {string} name @param {number} y */
  strip(view, name, y) {
    const group = svg("g", { class: "block strip", role: "group", "data-block": name, "aria-label": `${symbolText(view, name)} ${view.header.words.over_time}` }, this.element);
    const [units] = view.shape(name);
    const start = [...view.starts].find(([, { next }]) => next === name)?.[0] ?? null;
    const { low, pitch } = this.pitchOf(units);
    const [first, count] = start ? [0, view.steps + 1] : [1, view.steps];
    const order = orderOf(view, name, units);
    for (const [line, i] of order.entries()) {
      const at = y + line * pitch;
      if (pitch >= 12) this.rowLabel(view, name, i, at + low / 2);
      else if (line === 0) this.rowLabel(view, name, null, at + (units * pitch) / 2); // one name for all units
      if (this.folded) continue;
      const track = { x: ROW_LABEL + first * this.pitch, y: at, width: this.pitch * count - 2, height: low, rx: 2 };
      svg("rect", { class: "track", ...track }, group);
      for (let t = first; t <= view.steps; t++) {
        const box = { x: ROW_LABEL + t * this.pitch, y: at, width: this.cellWidth, height: low };
        const options = { step: t, textless: this.bare, font: SMALLEST, rx: this.bare ? 0 : 3, className: this.bare ? "small bare" : "small" };
        const drawn = new Cell(this.explorer.names, group, t === 0 ? (start ?? name) : name, [i], box, options);
        drawn.line = line;
        this.cells.push(drawn);
        this.byPlace.set(`${name}.${i}.${t}`, drawn);
      }
    }
    if (this.folded) {
      const box = { x: ROW_LABEL + first * this.pitch, y, width: count * this.pitch, height: units * pitch };
      this.strips.push(new FoldedStrip(this, group, { name, start, first, units, order }, box));
    }
    return y + units * pitch;
  }

  // The letter of a variable with the number of its unit, or for null of all of them together.
  /** @param {TraceView} view @param {string} name @param {number | null} unit @param {number} y */
  rowLabel(view, name, unit, y) {
    const label = svg("text", { class: "row-label", x: ROW_LABEL - 8, y }, this.labels);
    const { symbol, sup } = view.variable(name);
    const isLetter = name === "x" && unit !== null && view.header.characters.length === view.shape(name)[0];
    label.textContent = isLetter ? view.character(unit) : symbol;
    if (isLetter) return;
    if (sup) svg("tspan", { class: "mark", dy: -4 }, label, sup);
    if (unit !== null) svg("tspan", { class: "mark", dy: sup ? 7 : 3 }, label, String(unit + 1));
  }

  // The names of the rows stay in sight while the strip is scrolled.
  /** @param {number} left */
  keepLabels(left) {
    this.labels.setAttribute("transform", `translate(${left} 0)`);
  }

  /** @param {TraceView} view @param {number} columns */
  header(view, columns) {
    const every = [1, 2, 5, 10, 20, 50].find((step) => step * this.pitch >= 30) ?? 100;
    for (let t = 0; t < columns; t++) {
      if (t > 0 && t !== 1 && t % every !== 0) continue;
      if (t === 0 && (this.pitch < 26 || view.stride < 0)) continue; // a backward pass has no initial state
      const text = t === 0 ? view.header.words.start : this.pitch > 56 ? `t = ${t}` : String(t);
      svg("text", { class: "column-label", x: ROW_LABEL + (t + 0.5) * this.pitch, y: 12, "aria-hidden": "true" }, this.element, text);
    }
    if (this.pitch < 8) return;
    for (const [step, letter] of this.letters.entries()) {
      if (letter) svg("text", { class: "letter", x: ROW_LABEL + (step + 1.5) * this.pitch, y: 27, "aria-hidden": "true" }, this.element, letter);
    }
  }

  // Press or drag anywhere on the strip goes to that step.
  scrub() {
    /** @param {PointerEvent} event */
    const go = (event) => {
      const x = event.clientX - this.element.getBoundingClientRect().left - ROW_LABEL;
      this.explorer.steps.goTo(Math.floor(x / this.pitch));
    };
    this.element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.dragging = true;
      go(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.dragging && event.buttons) go(event);
    });
    for (const type of ["pointerup", "pointerleave"]) this.element.addEventListener(type, () => (this.dragging = false));
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {TraceView | null} before */
  show(view, t, theme, before) {
    for (const cell of this.cells) cell.show(view, t, theme, before);
    for (const strip of this.strips) strip.show(view, t, theme, before);
    this.showStep(view, t, theme, before);
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {TraceView | null} before */
  showStep(view, t, theme, before) {
    for (const strip of this.strips) strip.showStep(view, t, theme, before);
    this.frameStep(t);
  }

  /** @param {number} t */
  frameStep(t) {
    this.frame.style.transform = `translateX(${ROW_LABEL + t * this.pitch - 1.5}px)`;
    const scroller = this.sheet.parentElement;
    if (!scroller || !this.isWider) return; // asking the page for its widths would cost a layout at each step
    const left = ROW_LABEL + t * this.pitch;
    if (left < scroller.scrollLeft + ROW_LABEL) scroller.scrollLeft = left - ROW_LABEL - this.pitch;
    else if (left + this.pitch > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = left + 2 * this.pitch - scroller.clientWidth;
  }

  // The frame around a step as a part of the drawing, for a saved picture.
  /** @param {number} t */
  drawnFrame(t) {
    const height = Number(this.element.getAttribute("height")) - 6;
    return svg("rect", { class: "drawn-frame", x: ROW_LABEL + t * this.pitch - 1, y: 1, width: this.pitch, height, rx: 5 }, this.element);
  }

  // Of a weight, where it is used over all steps; of another number, the row that it belongs to.
  /** @param {TraceView} view @param {Use[] | null} found @param {[name: string, row: number] | null} unit */
  showUses(view, found, unit) {
    this.uses.show(view, found, unit);
  }
}
