// What the explorer shows: the trace, the step, and what its reader looks at. It owns these; Python owns every number.

/** @import { Cell, Spot } from "./cell.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Theme } from "./types" */

export class State {
  /** @param {TraceView} view */
  constructor(view) {
    this.view = view;
    this.t = view.header.t;
    /** @type {Theme} */
    this.theme = "light";
    /** @type {TraceView | null} the trace before the last edit, for the ghosts */
    this.before = null;
    /** @type {Spot | null} */
    this.pinned = null;
    /** @type {Spot | null} */
    this.hovered = null;
    /** @type {Cell | null} */
    this.focused = null;
  }

  // The number that is spoken of, if any.
  get active() {
    return this.pinned ?? this.hovered ?? this.focused;
  }

  /** @param {number} t */
  within(t) {
    return Math.min(Math.max(1, t), this.view.steps);
  }
}
