// Hover, focus and press: which number is spoken of, and what a click on it does.

import { cellAt, Spot } from "./cell.js";
import { dragNumber } from "./dragging.js";

/** @import { Cell } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */

export class Pointing {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.dragged = false; // since the last press: the click that follows is none
    const { root } = explorer;
    root.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.look({ hovered: cellAt(event.target) });
    });
    root.addEventListener("pointerleave", () => this.look({ hovered: null }));
    root.addEventListener("focusin", (event) => this.focus(cellAt(event.target)));
    root.addEventListener("focusout", (event) => {
      if (!cellAt(event.relatedTarget)) this.look({ focused: null }); // else the next one is looked at at once
    });
    root.addEventListener("pointerdown", (event) => this.press(event, cellAt(event.target)));
    root.addEventListener("click", (event) => {
      const cell = cellAt(event.target);
      if (cell && !isInStrip(cell) && !this.dragged) this.choose(cell);
    });
  }

  /** @param {{ hovered?: Spot | null, focused?: Cell | null }} change */
  look(change) {
    const { state, painter } = this.explorer;
    const was = state.active;
    Object.assign(state, change);
    if (state.active !== was) painter.showFocus();
  }

  // A press on the strip goes to a step; its number is explained only to the pointer and to the keyboard.
  /** @param {Cell | null} cell */
  focus(cell) {
    const isByKeys = cell?.element.matches(":focus-visible");
    if (cell) this.explorer.names.set(cell);
    if (cell && isByKeys) this.keepInSight(cell);
    this.look({ focused: cell && isInStrip(cell) && !isByKeys ? null : cell });
  }

  // A number of the picture that the keyboard reaches is not left below what stays in the window.
  /** @param {Cell} cell */
  keepInSight(cell) {
    const { arithmetic } = this.explorer.parts;
    const isCovered = cell.rect.getBoundingClientRect().bottom > arithmetic.getBoundingClientRect().top;
    if (!isInStrip(cell) && isCovered) cell.element.scrollIntoView({ block: "center", inline: "nearest" });
  }

  // A press may become a drag of an editable number.
  /** @param {PointerEvent} event @param {Cell | null} cell */
  press(event, cell) {
    const { view, t } = this.explorer.state;
    this.dragged = false;
    if (!cell || event.button !== 0 || isInStrip(cell)) return;
    if (cell.entry(view, t)) dragNumber(this.explorer, event, cell);
  }

  // A click or Enter: a number of the network opens for editing, a result is pinned.
  /** @param {Cell} cell */
  choose(cell) {
    const { state: { view, t }, field } = this.explorer;
    if (cell.entry(view, t)) field.open(cell);
    else this.pin(cell);
  }

  /** @param {Cell} cell */
  pin(cell) {
    const { state, painter } = this.explorer;
    const isPinned = state.pinned?.key === cell.key && state.pinned.step === cell.step;
    state.pinned = isPinned ? null : new Spot(cell.name, cell.index, cell.step); // the cell may come to stand for another
    painter.showFocus();
  }
}

/** @param {Cell} cell */
const isInStrip = (cell) => cell.element.closest(".strip") !== null;
