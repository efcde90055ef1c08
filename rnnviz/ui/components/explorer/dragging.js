// Numbers that are dragged.

/** @import { Cell } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */

const DRAG_EVERY = 120; // ms between two messages while a number is dragged
const ENDS = /** @type {const} */ (["pointerup", "pointercancel"]);

// Moving with an editable number pressed drags it, a pixel about a hundredth of the colour scale. The picture follows
// the hand; the address and undo take only where it ends.
/** @param {Explorer} explorer @param {PointerEvent} event @param {Cell} cell */
export function dragNumber({ state, edits, pointing }, event, cell) {
  const { view, t } = state;
  const entry = cell.entry(view, t);
  if (!entry) return;
  const start = cell.value(view, t);
  const power = Math.floor(Math.log10(view.limitOf(view.drawn(cell.name)) / 50));
  const [step, decimals] = [10 ** power, Math.min(100, Math.max(0, -power))];
  /** @type {number | null} */
  let value = null;
  let sentAt = -Infinity;
  /** @param {PointerEvent} moved */
  const move = (moved) => {
    const distance = Math.round(moved.clientX - event.clientX);
    if (value === null && Math.abs(distance) < 4) return;
    if (value === null) state.before = view;
    pointing.dragged = true; // the click that follows opens no field
    value = Number((start + distance * step).toFixed(decimals));
    if (performance.now() - sentAt > DRAG_EVERY) {
      sentAt = performance.now();
      edits.drag([...entry, value], false);
    }
    edits.showPending([[...entry, value]]);
  };
  /** @param {PointerEvent} ended */
  const stop = (ended) => {
    window.removeEventListener("pointermove", move);
    for (const type of ENDS) window.removeEventListener(type, stop);
    if (value !== null) edits.drag([...entry, ended.type === "pointerup" ? value : start], true);
  };
  if (event.pointerType !== "touch") event.preventDefault(); // a finger may be about to scroll
  window.addEventListener("pointermove", move);
  for (const type of ENDS) window.addEventListener(type, stop);
}
