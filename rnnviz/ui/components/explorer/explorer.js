// The cell explorer: gets a whole trace once and draws any step of it. It owns the step, the pin and the focus; Python
// computes every number. Each of its parts has one concern and reaches the others through it.

import { find, partsOf } from "../shared/parts.js";
import { Controls } from "./controls.js";
import { structureOf } from "./drawn.js";
import { Edits } from "./edits.js";
import { Field } from "./field.js";
import { Keyboard } from "./keyboard.js";
import { Names } from "./names.js";
import { Painter } from "./painter.js";
import { Pointing } from "./pointing.js";
import { State } from "./state.js";
import { Steps } from "./steps.js";
import { TraceView } from "./trace.js";

/** @import { Parts, SetStateValue } from "./types" */

export class Explorer {
  /** @param {HTMLElement} host @param {Uint8Array} bytes @param {SetStateValue} setStateValue */
  constructor(host, bytes, setStateValue) {
    const view = new TraceView(bytes);
    this.setStateValue = setStateValue;
    this.root = find(host, ".explorer", HTMLElement);
    /** @type {Parts} */
    this.parts = partsOf(this.root);
    this.state = new State(view);
    this.edits = new Edits(this);
    this.steps = new Steps(this);
    this.controls = new Controls(this);
    this.names = new Names(this.state);
    this.field = new Field(this);
    this.pointing = new Pointing(this);
    this.keyboard = new Keyboard(this);
    this.painter = new Painter(this);
    this.take(view);
  }

  // Every later message of Python, and every change of theme or width.
  /** @param {Uint8Array} bytes @param {SetStateValue} setStateValue */
  receive(bytes, setStateValue) {
    this.setStateValue = setStateValue;
    this.take(new TraceView(bytes));
  }

  /** @param {TraceView} view */
  take(view) {
    const { state, edits, steps } = this;
    const isAlike = structureOf(state.view) === structureOf(view);
    state.view = view;
    const answer = edits.acknowledge(view);
    if (answer === "restarted" && state.t !== view.header.t) steps.report();
    if (answer === "first" || answer === "rebased") {
      state.before = state.pinned = null;
      state.t = view.header.t;
    }
    if (!isAlike) state.before = null;
    state.t = state.within(state.t);
    this.painter.draw();
  }

  close() {
    for (const part of [this.steps, this.names, this.field, this.edits, this.painter, this.keyboard]) part.close();
  }
}
