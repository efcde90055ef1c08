// Names of numbers for screen readers.

/** @import { State } from "./state.js" */
/** @import { Named } from "./types" */

const NAME_AFTER = 100; // ms after the last change of a number until its name follows

// Names follow when the picture rests: at a step they would cost as much as all the painting.
export class Names {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    /** @type {Set<Named>} */
    this.waiting = new Set();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /** @param {Named} named */
  later(named) {
    if (!named.text && !named.element.hasAttribute("aria-label")) this.set(named); // it has no other name till then
    this.waiting.add(named);
  }

  atRest() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      for (const named of this.waiting) this.set(named);
      this.waiting.clear();
    }, NAME_AFTER);
  }

  /** @param {Named} named */
  set(named) {
    const { view, t, before } = this.state;
    named.element.setAttribute("aria-label", named.label(view, t, before));
  }

  // Of numbers that are gone.
  clear() {
    this.waiting.clear();
  }

  close() {
    clearTimeout(this.timer);
  }
}
