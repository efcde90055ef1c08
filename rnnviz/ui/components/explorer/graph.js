// The network as a graph: its units at the shown step, and unrolled over some steps around it. The unrolled graph has
// no circle, and the same weights stand at each of its arrows. Both are made when they are opened.

import { Network } from "./network.js";
import { Unrolled } from "./unrolled.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Theme } from "./types" */

export class Graph {
  /** @param {Explorer} explorer @param {TraceView} view @param {number} width @param {string} structure what it was made for */
  constructor(explorer, view, width, structure) {
    this.structure = structure;
    this.element = document.createElement("div");
    this.element.className = "graph";
    const network = Network.fits(view) ? new Network(view) : null;
    const room = width - (network && width > 760 ? network.width + 24 : 0);
    const unrolled = new Unrolled(explorer, view, Math.max(280, room), (text) => this.say(text));
    this.parts = network ? [network, unrolled] : [unrolled];
    this.note = document.createElement("p");
    this.note.className = "graph-note";
    this.element.append(...this.parts.map(({ sheet }) => sheet), this.note);
    this.plainNote = view.header.words.graph_note;
    this.say(null);
  }

  /** @param {string | null} text */
  say(text) {
    this.note.textContent = text ?? this.plainNote;
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {boolean} isStep */
  show(view, t, theme, isStep) {
    for (const part of this.parts) part.show(view, t, theme, isStep);
  }
}
