// One number as an element of the picture or the strip.

import { colourOf, cssColour, inkOn } from "../shared/colour.js";
import { MINUS } from "../shared/numbers.js";
import { SMALLEST, textWidth, writeShort } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { onScreen, symbolText } from "./symbols.js";
import { entryKey } from "./trace.js";

/** @import { Names } from "./names.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Box, CellOptions, Family, Rows, Theme } from "./types" */

// The place of one number: a variable, an index, and in the strip a step.
export class Spot {
  /** @param {string} name @param {number[]} index @param {number | null} step */
  constructor(name, index, step = null) {
    this.name = name;
    this.index = index;
    this.step = step;
    this.key = entryKey(name, index);
  }

  // The step whose number this is; the start column holds what enters step 1.
  /** @param {TraceView} view @param {number} t */
  stepOf(view, t) {
    return view.starts.has(this.name) ? 1 : (this.step ?? t);
  }

  /** @param {TraceView} view @param {number} t */
  value(view, t) {
    return view.value(view.drawn(this.name), this.index, this.stepOf(view, t));
  }

  /** @param {TraceView} view @param {number} t */
  entry(view, t) {
    return view.entry(view.drawn(this.name), this.index, this.stepOf(view, t));
  }

  /** @param {TraceView} view @param {number} t @param {TraceView | null} before */
  label(view, t, before) {
    const { words } = view.header;
    const drawn = view.drawn(this.name);
    const name = drawn === this.name ? symbolText(view, drawn) : `${view.variable(drawn).symbol}_0`;
    const letter = drawn === "x" && view.header.characters.length ? ` ${view.character(this.index[0])}` : "";
    const where = `${onScreen(view, this.index).join(", ")}${letter}`;
    const [value, entry] = [this.value(view, t), this.entry(view, t)];
    const old = before ? this.value(before, t) : value;
    const notes = [
      this.step !== null && this.step > 0 ? `${words.step_word} ${this.step}` : "",
      view.isClamped(this.name, this.index, this.stepOf(view, t)) ? words.clamped_short : "",
      entry && view.edited.has(entryKey(...entry)) ? words.edited : "",
      entry ? words.editable : "",
      old !== value ? `${words.before} ${view.write(drawn, old)}` : "",
    ].filter(Boolean);
    return `${name} ${where}: ${view.write(drawn, value)}${notes.length ? `, ${notes.join(", ")}` : ""}`;
  }
}

/** @type {WeakMap<Element, Cell>} */
const cells = new WeakMap();

// The cell that an element lies in, or null.
/** @param {EventTarget | Element | null | undefined} target @returns {Cell | null} */
export function cellAt(target) {
  const element = target instanceof Element ? target.closest(".cell") : null;
  return (element && cells.get(element)) ?? null;
}

// One number as an element: knows how to show itself at a step. Only what changed touches the document.
export class Cell extends Spot {
  /**
   * @param {Names} names @param {Element} parent
   * @param {string} name @param {number[]} index @param {Box} box @param {CellOptions} options
   */
  constructor(names, parent, name, index, box, options) {
    super(name, index, options.step ?? null);
    this.names = names;
    this.element = svg("g", { class: `cell ${options.className ?? ""}`, role: "button", tabindex: -1 }, parent);
    this.element.setAttribute("data-var", name.replace(/^\d+\./, "")); // "2.h0", of layer 2, is an h0
    this.element.setAttribute("data-index", index.join(","));
    if (this.step !== null) this.element.setAttribute("data-step", String(this.step));
    const { x, y, width, height } = box;
    this.box = box;
    this.rect = svg("rect", { class: "face", x, y, width, height, rx: options.bare ? 1 : (options.rx ?? 4) }, this.element);
    this.bare = options.bare ?? false; // its colour lies below it
    this.turned = options.turned ?? false;
    this.font = this.size = options.font ?? SMALLEST;
    this.digits = digitsIn(width, this.font);
    /** @type {SVGTextElement | null} */
    this.text = null;
    if (!options.textless) this.text = svg("text", { x: x + width / 2, y: y + height / 2, "font-size": this.font }, this.element);
    /** @type {{ value: number, old: number, look: string } | null} */
    this.shown = null;
    /** @type {[value: number, family: Family, limit: number, theme: Theme] | null} */
    this.tone = null;
    this.isLit = false;
    this.ink = "";
    /** @type {SVGRectElement | null} */
    this.ghost = null;
    /** @type {SVGPathElement | null} */
    this.mark = null;
    /** @type {Rows | null} the folded matrix or strip whose row it stands for */
    this.folded = null;
    /** @type {number | null} its line on the screen, where units are sorted */
    this.line = null;
    cells.set(this.element, this);
  }

  // The same element for the same place in another row of its block.
  /** @param {number[]} index */
  moveTo(index) {
    this.index = index;
    this.key = entryKey(this.name, index);
    this.element.setAttribute("data-index", index.join(","));
    this.shown = null;
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {TraceView | null} before */
  show(view, t, theme, before) {
    const value = this.value(view, t);
    const entry = this.entry(view, t);
    const edited = entry !== null && view.edited.has(entryKey(...entry));
    const old = before ? this.value(before, t) : value;
    const variable = view.variable(view.drawn(this.name));
    const limit = view.limitOf(view.drawn(this.name));
    const clamped = view.isClamped(this.name, this.index, this.stepOf(view, t));
    const look = `${entry !== null}${edited}${clamped}${theme}${limit}`;
    const { shown } = this;
    if (shown && value === shown.value && old === shown.old && look === shown.look) return;
    const isNew = look !== shown?.look;
    this.shown = { value, old, look };
    this.element.setAttribute("data-value", String(value));
    this.names.later(this);
    if (isNew) {
      this.element.classList.toggle("editable", entry !== null);
      this.element.classList.toggle("clamped", clamped);
      this.showMark(edited);
    }
    if (this.bare) {
      this.tone = [value, variable.family, limit, theme];
      if (this.isLit) this.light(true);
      return;
    }
    const fill = colourOf(value, variable.family, limit, theme);
    this.rect.style.fill = cssColour(fill);
    if (this.text) {
      this.write(value, view.floorOf(view.drawn(this.name)));
      const ink = inkOn(fill);
      if (ink !== this.ink) this.text.style.fill = this.ink = ink;
    }
    this.showGhost(old === value ? null : cssColour(colourOf(old, variable.family, limit, theme)));
  }

  // A number with as many digits as there is room for, smaller where it is long.
  /** @param {number} value */
  write(value, floor = 0) {
    if (!this.text) return;
    const room = this.box.width - CELL_EDGE;
    const text = writeShort(value, floor, this.digits, (one) => textWidth(one, SMALLEST), room);
    this.text.textContent = text;
    const size = textWidth(text, this.font) <= room ? this.font : Math.max(SMALLEST, (room / textWidth(text, 1)));
    if (size === this.size) return;
    this.size = size;
    this.text.setAttribute("font-size", String(size));
  }

  // Among dimmed colours a bare cell shows its own.
  /** @param {boolean} on */
  light(on) {
    if (!this.bare) return;
    this.isLit = on;
    this.rect.style.fill = on && this.tone ? cssColour(colourOf(...this.tone)) : "";
  }

  // What stood here before the last edit, as a line of its colour below the number. A cell without a number has none:
  // it would be taken for the cell's own colour.
  /** @param {string | null} colour */
  showGhost(colour) {
    if (!this.text || (!colour && !this.ghost)) return;
    const { x, y, width, height } = this.box;
    const [thick, edge] = height < 20 ? [1.6, 0.8] : [3, 1.5];
    this.ghost ??= svg("rect", { class: "ghost", x: x + 1.5, y: y + height - edge - thick, width: Math.max(0, width - 3), height: thick, rx: 1 }, this.element);
    this.ghost.style.display = colour ? "" : "none";
    if (colour) this.ghost.style.fill = colour;
  }

  /** @param {boolean} edited */
  showMark(edited) {
    this.element.classList.toggle("edited", edited);
    if (!edited || this.mark || !this.text) return;
    const { x, y, width } = this.box;
    this.mark = svg("path", { class: "edit-mark", d: `M${x + width - 8} ${y}h4a4 4 0 0 1 4 4v4z` }, this.element);
  }
}

export const CELL_EDGE = 3; // px of a cell beside its number

// How many digits a number such as −0.2165 may have in cells of that width, so that neighbours have the same.
/** @param {number} width @param {number} size */
const digitsIn = (width, size) => [4, 3].find((count) => textWidth(`${MINUS}0.${"0".repeat(count)}`, Math.max(SMALLEST, size - 1.5)) <= width - CELL_EDGE) ?? 2;
