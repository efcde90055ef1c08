// Changes of numbers on their way to Python, and what the picture shows till the answer comes.

import { EditQueue } from "../shared/queue.js";
import { entryKey } from "./trace.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Change } from "./types" */

export class Edits {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    const { root } = explorer;
    this.explorer = explorer;
    this.queue = new EditQueue((name, value) => explorer.setStateValue(name, value), (isWaiting) => root.classList.toggle("waiting", isWaiting));
  }

  // Which server session the page is a part of, and which base of its settings.
  get stamp() {
    const { session, epoch } = this.queue;
    return { session, epoch };
  }

  /** @param {TraceView} view */
  acknowledge(view) {
    return this.queue.acknowledge(view.header);
  }

  /** @param {Change[]} set */
  make(set) {
    const { state, controls } = this.explorer;
    state.before = state.view; // the ghosts show it
    this.showPending(set);
    this.queue.push(set, true);
    controls.show();
  }

  // Of a number in the hand: the picture follows; undo and the address take only where it ends.
  /** @param {Change} change @param {boolean} settled */
  drag(change, settled) {
    this.queue.push([change], settled);
  }

  get canUndo() {
    return this.queue.undoable(this.explorer.state.view.header.undoable) > 0;
  }

  undo() {
    const { state, controls } = this.explorer;
    if (!this.canUndo) return;
    state.before = state.view;
    this.queue.undo();
    controls.show();
  }

  // Every edited number back to what stood there.
  reset() {
    const { edited } = this.explorer.state.view.header;
    if (edited.length) this.make(edited.map(([name, index]) => [name, index, null]));
  }

  // The typed number stands in its cell at once; what follows from it comes from Python.
  /** @param {Change[]} set */
  showPending(set) {
    const { state: { view, t }, painter } = this.explorer;
    const values = new Map(set.map(([name, index, value]) => [entryKey(name, index), value]));
    for (const cell of painter.drawn.cells) {
      const entry = cell.entry(view, t);
      const value = entry && values.get(entryKey(...entry));
      if (value === undefined || value === null) continue;
      cell.write(value);
      cell.shown = null;
    }
  }

  close() {
    this.queue.close();
  }
}
