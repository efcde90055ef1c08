// Keys: on the explorer, and those of the page that mean it.

import { isTyped, isUndo } from "../shared/keys.js";
import { cellAt } from "./cell.js";

/** @import { Cell } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */

const ARROWS = new Map([["ArrowUp", [-1, 0]], ["ArrowDown", [1, 0]], ["ArrowLeft", [0, -1]], ["ArrowRight", [0, 1]]]); // down and right
const PAGE_KEYS = ["ArrowLeft", "ArrowRight", " "];

export class Keyboard {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    explorer.root.addEventListener("keydown", (event) => this.key(event));
    this.onPageKey = (/** @type {KeyboardEvent} */ event) => this.pageKey(event);
    document.addEventListener("keydown", this.onPageKey, true);
  }

  // With nothing focused on the page, or a button that was pressed by the pointer (a preset, say), some keys are for the
  // explorer: a lecturer need not click into it first. It hears them before Streamlit's own buttons do.
  /** @param {KeyboardEvent} event */
  pageKey(event) {
    const { root, edits } = this.explorer;
    if (isUndo(event) && !event.composedPath().some((node) => node === root || isTyped(node))) {
      event.preventDefault();
      edits.undo(); // wherever the change was made
      return;
    }
    const active = document.activeElement;
    const isIdle = !active || active === document.body || (active.closest("button") && !active.matches(":focus-visible"));
    if (!isIdle || event.altKey || event.ctrlKey || event.metaKey || !PAGE_KEYS.includes(event.key)) return;
    root.focus({ preventScroll: true });
    this.key(event);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { key } = event;
    if (key === "Tab" || (event.metaKey && key !== "z")) return;
    event.stopPropagation(); // Streamlit has shortcuts of its own on letters
    const { target } = event;
    const { focused } = this.explorer.state;
    const cell = cellAt(target) ?? focused;
    const isOnButton = target instanceof Element && target.closest("button, summary, select") !== null;
    if (this.isTaken(event, cell, isOnButton)) event.preventDefault();
  }

  // Does what a key asks for; whether it was for the explorer.
  /** @param {KeyboardEvent} event @param {Cell | null} cell @param {boolean} isOnButton */
  isTaken(event, cell, isOnButton) {
    const { steps, controls, edits, pointing, painter, state } = this.explorer;
    const { key } = event;
    if (event.ctrlKey || event.metaKey) {
      if (key !== "z") return false;
      edits.undo();
    } else if (event.altKey) return isArrow(key) && this.moveFocus(cell, key);
    else if (key === "ArrowLeft") steps.goBy(-1);
    else if (key === "ArrowRight") steps.goBy(1);
    else if (key === "Home") steps.goTo(1);
    else if (key === "End") steps.goTo(state.view.steps);
    else if (key === " ") {
      if (isOnButton) return false;
      controls.act("play");
    } else if (key === "Enter") {
      if (isOnButton || !cell) return false;
      pointing.choose(cell);
    } else if (key === "Escape") {
      state.pinned = state.before = null;
      painter.draw();
    } else return false;
    return true;
  }

  // To the next cell of a block; whether there is a block.
  /** @param {Cell | null} cell @param {string} key */
  moveFocus(cell, key) {
    const group = cell?.element.parentElement;
    if (!cell || !group) return false;
    const [down, right] = stepsOf(key, cell.turned);
    if (down && cell.folded) {
      cell.folded.showRow(cell.folded.below(cell.index[0], down));
      this.explorer.names.set(cell);
      this.explorer.painter.showActive();
      return true;
    }
    const [row, column] = placeOf(cell);
    const next = [...group.querySelectorAll(".cell")].find((element) => {
      const other = cellAt(element);
      const [r, c] = other ? placeOf(other) : [];
      return r === row + down && c === column + right;
    });
    if (!(next instanceof SVGElement)) return true; // at the block's edge
    cell.element.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
    return true;
  }

  close() {
    document.removeEventListener("keydown", this.onPageKey, true);
  }
}

/** @param {string} key */
const isArrow = (key) => key.startsWith("Arrow");

// How many lines down and columns right a key leads, in the order of the array.
/** @param {string} key @param {boolean} turned */
function stepsOf(key, turned) {
  const [down, right] = ARROWS.get(key) ?? [0, 0];
  return turned ? [right, down] : [down, right];
}

/** @param {Cell} cell */
const placeOf = ({ index, step, line }) => [line ?? index[0], step ?? index[1] ?? 0];
