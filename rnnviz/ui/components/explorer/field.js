// The field in which a number is typed.

import { find } from "../shared/parts.js";
import { fill } from "../shared/sentences.js";
import { readNumbers, rowsIn, wordsIn } from "../shared/typed.js";
import { symbolHtml, symbolText } from "./symbols.js";
import { indices } from "./trace.js";

/** @import { Cell } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { Entry } from "./types" */

/** @typedef {{ cell: Cell, entry: Entry, given: number, step: number }} Opened the cell that a field stands over */

// A small box over a cell: a field for the number, and what can be done with the whole block.
export class Field {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    const { root, state } = explorer;
    const { words } = state.view.header;
    /** @type {Opened | null} */
    this.opened = null;
    this.box = document.createElement("div");
    this.box.className = "field";
    this.box.hidden = true;
    this.box.innerHTML = `<div class="field-title" aria-hidden="true"></div><input type="text" inputmode="decimal" autocomplete="off" spellcheck="false">
      <div class="field-note" role="alert"></div>
      <div class="field-actions"><button type="button" data-block="zero"></button><button type="button" data-block="reset"></button></div>
      <div class="field-hint"></div>`;
    this.input = find(this.box, "input", HTMLInputElement);
    this.note = find(this.box, ".field-note", HTMLElement);
    this.title = find(this.box, ".field-title", HTMLElement);
    find(this.box, ".field-hint", HTMLElement).textContent = words.field_hint;
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.box.hidden && !(relatedTarget instanceof Node && this.box.contains(relatedTarget))) this.commit(false);
    });
    // A press elsewhere takes the number at once: it may be on the way to another page.
    this.onPress = (/** @type {PointerEvent} */ event) => {
      if (!this.box.hidden && !event.composedPath().includes(this.box)) this.commit(false);
    };
    document.addEventListener("pointerdown", this.onPress, true);
    this.input.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text") ?? "";
      if (readNumbers(text).length < 2) return;
      event.preventDefault();
      event.stopPropagation(); // or the explorer would take the same text once more
      this.pasteBlock(text);
    });
    root.addEventListener("paste", (event) => this.pasteOnCell(event));
    root.append(this.box);
    for (const button of this.box.querySelectorAll("button")) {
      button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
      button.addEventListener("click", () => this.setBlock(button.dataset.block === "zero" ? 0 : null));
    }
  }

  /** @param {Cell} cell */
  open(cell) {
    const { root, state: { view, t } } = this.explorer;
    const entry = cell.entry(view, t);
    if (!entry) return;
    const [name, index] = entry;
    const { words } = view.header;
    const given = cell.value(view, t);
    this.opened = { cell, entry, given, step: cell.stepOf(view, t) };
    this.input.value = String(given);
    this.input.setAttribute("aria-label", `${name} ${index.map((i) => i + 1).join(", ")}, ${words.type_number}`);
    this.note.textContent = "";
    const drawn = view.drawn(cell.name);
    this.title.innerHTML = symbolHtml(view, drawn, cell.index);
    const block = view.variable(drawn).family === "weight" ? symbolText(view, drawn) : name;
    for (const button of this.box.querySelectorAll("button")) {
      button.textContent = fill(words[`${button.dataset.block}_block`], { name: block });
    }
    this.box.hidden = false;
    const [outer, inner] = [root.getBoundingClientRect(), cell.rect.getBoundingClientRect()];
    const left = Math.max(4, Math.min(inner.left - outer.left - 6, outer.width - this.box.offsetWidth - 4));
    this.box.style.left = `${left}px`;
    this.box.style.top = `${inner.bottom - outer.top + 4}px`; // below, so that the block stays in sight
    this.input.focus();
    this.input.select();
  }

  // What is pasted on a focused cell: a number into its field, or numbers for the whole block.
  /** @param {ClipboardEvent} event */
  pasteOnCell(event) {
    const { view, t, focused } = this.explorer.state;
    if (!focused?.entry(view, t) || !this.box.hidden) return;
    const text = event.clipboardData?.getData("text") ?? "";
    this.open(focused);
    if (readNumbers(text).length > 1) this.pasteBlock(text);
    else this.input.value = text.trim();
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    event.stopPropagation(); // arrows move in the text here; Streamlit's own shortcuts stay away
    if (event.key === "Escape") this.dismiss(true);
    else if (event.key === "Enter" && event.target === this.input) {
      event.preventDefault();
      this.commit(true);
    }
  }

  // Takes the number; a wrong one is named beside the field, and leaving with one changes nothing.
  /** @param {boolean} stay */
  commit(stay) {
    if (!this.opened) return;
    const { entry, given } = this.opened;
    const numbers = readNumbers(this.input.value);
    const [number] = numbers;
    if (numbers.length !== 1 || !Number.isFinite(number)) {
      const { words } = this.explorer.state.view.header;
      const overflows = numbers.length === 1 && !Number.isNaN(number);
      this.say(overflows ? words.too_large : words.not_a_number, { given: this.input.value.slice(0, 24) || "…" });
      if (!stay) this.dismiss(false);
      return;
    }
    this.dismiss(stay);
    if (!Object.is(number, given)) this.explorer.edits.make([[...entry, number]]);
  }

  // Entries of the whole block in reading order: for an input or state, those of the shown step.
  /** @param {Opened} opened */
  blockEntries({ cell, step }) {
    const { view } = this.explorer.state;
    const name = view.drawn(cell.name);
    const places = [...indices(view, name)];
    if (cell.turned) places.sort((a, b) => (a[1] ?? 0) - (b[1] ?? 0) || a[0] - b[0]); // column by column of the array
    return places.flatMap((index) => {
      const entry = view.entry(name, index, step);
      return entry ? [entry] : [];
    });
  }

  /** @param {string} text */
  pasteBlock(text) {
    if (!this.opened) return;
    const { view } = this.explorer.state;
    const { words } = view.header;
    const { cell, entry: [name] } = this.opened;
    const entries = this.blockEntries(this.opened);
    const shape = view.shape(view.drawn(cell.name));
    const [rows, columns] = cell.turned ? [...shape].reverse() : shape;
    const numbers = readNumbers(text, entries.length);
    const given = rowsIn(text);
    const wrong = numbers.findIndex((number) => !Number.isFinite(number));
    if (numbers.length === entries.length && rows > 1 && columns > 1 && given > 1 && given !== rows) {
      this.say(words.wrong_shape, { name, needed: `${rows} × ${columns}`, given: `${given} × ${numbers.length / given}` });
    } else if (wrong >= 0) {
      const word = wordsIn(text, entries.length)[wrong].slice(0, 24);
      this.say(Number.isNaN(numbers[wrong]) ? words.wrong_words : words.too_large, { name, needed: entries.length, given: word });
    } else if (numbers.length !== entries.length) {
      this.say(words.wrong_count, { name, needed: entries.length, given: numbers.length });
    } else {
      this.dismiss(true);
      this.explorer.edits.make(entries.map((entry, i) => [...entry, numbers[i]]));
    }
  }

  // Why a text is not taken.
  /** @param {string} sentence @param {Record<string, string | number>} slots */
  say(sentence, slots) {
    this.note.textContent = fill(sentence, slots);
  }

  // Every number of the block 0, or what stood there before any edit.
  /** @param {number | null} value */
  setBlock(value) {
    if (!this.opened) return;
    const entries = this.blockEntries(this.opened);
    this.dismiss(true);
    this.explorer.edits.make(entries.map((entry) => [...entry, value]));
  }

  /** @param {boolean} refocus */
  dismiss(refocus) {
    if (this.box.hidden) return;
    this.box.hidden = true;
    if (refocus) this.opened?.cell.element.focus();
  }

  close() {
    document.removeEventListener("pointerdown", this.onPress, true);
  }
}
