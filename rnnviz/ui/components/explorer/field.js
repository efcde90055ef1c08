// The field in which a number is typed.

import { readNumbers, rowsIn, wordsIn } from "../shared/typed.js";
import { fill } from "../shared/words.js";
import { symbolHtml, symbolText } from "./symbols.js";
import { indices } from "./trace.js";

// A small box over a cell: a field for the number, and what can be done with the whole block.
export class Field {
  constructor(explorer) {
    this.explorer = explorer;
    const words = explorer.view.header.words;
    this.box = document.createElement("div");
    this.box.className = "field";
    this.box.hidden = true;
    this.box.innerHTML = `<div class="field-title" aria-hidden="true"></div><input type="text" inputmode="decimal" autocomplete="off" spellcheck="false">
      <div class="field-note" role="alert"></div>
      <div class="field-actions"><button type="button" data-block="zero"></button><button type="button" data-block="reset"></button></div>
      <div class="field-hint"></div>`;
    this.input = this.box.querySelector("input");
    this.note = this.box.querySelector(".field-note");
    this.title = this.box.querySelector(".field-title");
    this.box.querySelector(".field-hint").textContent = words.field_hint;
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focusout", (event) => {
      if (!this.box.hidden && !this.box.contains(event.relatedTarget)) this.commit(false);
    });
    // A press elsewhere takes the number at once: it may be on the way to another page.
    this.onPress = (event) => this.box.hidden || event.composedPath().includes(this.box) || this.commit(false);
    document.addEventListener("pointerdown", this.onPress, true);
    this.input.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text");
      if (readNumbers(text).length < 2) return;
      event.preventDefault();
      event.stopPropagation(); // or the explorer would take the same text once more
      this.pasteBlock(text);
    });
    for (const button of this.box.querySelectorAll("button")) {
      button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the focus in the box
      button.addEventListener("click", () => this.wholeBlock(button.dataset.block));
    }
  }

  open(cell) {
    const { view, t, root } = this.explorer;
    this.cell = cell;
    this.entry = cell.entry(view, t);
    const [name, index] = this.entry;
    const { words } = view.header;
    const label = `${name} ${index.map((i) => i + 1).join(", ")}`;
    this.given = cell.value(view, t);
    this.step = cell.stepOf(view, t);
    this.input.value = String(this.given);
    this.input.setAttribute("aria-label", `${label}, ${words.type_number}`);
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

  key(event) {
    event.stopPropagation(); // arrows move in the text here; Streamlit's own shortcuts stay away
    if (event.key === "Escape") this.close(true);
    else if (event.key === "Enter" && event.target === this.input) {
      event.preventDefault();
      this.commit(true);
    }
  }

  // Takes the number; a wrong one is named beside the field, and leaving with one changes nothing.
  commit(stay) {
    const numbers = readNumbers(this.input.value);
    const [number] = numbers;
    if (numbers.length !== 1 || !Number.isFinite(number)) {
      const { words } = this.explorer.view.header;
      const overflows = numbers.length === 1 && !Number.isNaN(number);
      const given = this.input.value.slice(0, 24) || "…";
      this.note.textContent = fill(overflows ? words.too_large : words.not_a_number, { given });
      if (!stay) this.close(false);
      return;
    }
    const changed = !Object.is(number, this.given);
    this.close(stay);
    if (changed) this.explorer.edit([[...this.entry, number]]);
  }

  // Entries of the whole block in reading order: for an input or state, those of the shown step.
  blockEntries() {
    const { view } = this.explorer;
    const name = view.drawn(this.cell.name);
    const places = [...indices(view, name)];
    if (this.cell.turned) places.sort((a, b) => (a[1] ?? 0) - (b[1] ?? 0) || a[0] - b[0]); // column by column of the array
    return places.map((index) => view.entry(name, index, this.step));
  }

  pasteBlock(text) {
    const entries = this.blockEntries();
    const { words } = this.explorer.view.header;
    const shape = this.explorer.view.shape(this.explorer.view.drawn(this.cell.name));
    const [rows, columns] = this.cell.turned ? [...shape].reverse() : shape;
    const numbers = readNumbers(text, entries.length);
    const given = rowsIn(text);
    if (numbers.length === entries.length && rows > 1 && columns > 1 && given > 1 && given !== rows) {
      const said = { name: this.entry[0], needed: `${rows} × ${columns}`, given: `${given} × ${numbers.length / given}` };
      this.note.textContent = fill(words.wrong_shape, said);
      return;
    }
    const wrong = numbers.findIndex((number) => !Number.isFinite(number));
    if (wrong >= 0) {
      const given = wordsIn(text, entries.length)[wrong].slice(0, 24);
      const said = Number.isNaN(numbers[wrong]) ? words.wrong_words : words.too_large;
      this.note.textContent = fill(said, { name: this.entry[0], needed: entries.length, given });
      return;
    }
    if (numbers.length !== entries.length) {
      this.note.textContent = fill(words.wrong_count, { name: this.entry[0], needed: entries.length, given: numbers.length });
      return;
    }
    this.close(true);
    this.explorer.edit(entries.map((entry, i) => [...entry, numbers[i]]));
  }

  wholeBlock(action) {
    const entries = this.blockEntries();
    this.close(true);
    this.explorer.edit(entries.map((entry) => [...entry, action === "zero" ? 0 : null]));
  }

  unmount() {
    document.removeEventListener("pointerdown", this.onPress, true);
  }

  close(refocus) {
    if (this.box.hidden) return;
    this.box.hidden = true;
    if (refocus) this.cell.element.focus();
  }
}
