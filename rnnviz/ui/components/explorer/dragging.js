// Numbers that are dragged.

const DRAG_EVERY = 120; // ms between two messages while a number is dragged

// Moving with an editable number pressed drags it, a pixel about a hundredth of the colour scale. The picture follows
// the hand; the address and undo take only where it ends.
export function dragNumber(explorer, event, cell) {
  const { view, t } = explorer;
  const entry = cell.entry(view, t);
  const start = cell.value(view, t);
  const power = Math.floor(Math.log10(view.limitOf(view.drawn(cell.name)) / 50));
  const [step, decimals] = [10 ** power, Math.min(100, Math.max(0, -power))];
  let value = null;
  let sentAt = -Infinity;
  const move = (moved) => {
    const distance = Math.round(moved.clientX - event.clientX);
    if (value === null && Math.abs(distance) < 4) return;
    if (value === null) explorer.before = view;
    explorer.dragged = true; // the click that follows opens no field
    value = Number((start + distance * step).toFixed(decimals));
    if (performance.now() - sentAt > DRAG_EVERY) {
      sentAt = performance.now();
      explorer.queue.push([[...entry, value]], false);
    }
    explorer.showPending([[...entry, value]]);
  };
  const stop = (ended) => {
    window.removeEventListener("pointermove", move);
    for (const type of ["pointerup", "pointercancel"]) window.removeEventListener(type, stop);
    if (value !== null) explorer.queue.push([[...entry, ended.type === "pointerup" ? value : start]], true);
  };
  if (event.pointerType !== "touch") event.preventDefault(); // a finger may be about to scroll
  window.addEventListener("pointermove", move);
  for (const type of ["pointerup", "pointercancel"]) window.addEventListener(type, stop);
}
