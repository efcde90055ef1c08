// The network as a graph: its units at the shown step, and unrolled over some steps around it. The unrolled graph has
// no circle, and the same weights stand at each of its arrows. Both are made when they are opened.

import { Network } from "./network.js";
import { Unrolled } from "./unrolled.js";

export class Graph {
  constructor(explorer, view, width) {
    this.explorer = explorer;
    this.element = document.createElement("div");
    this.element.className = "graph";
    this.parts = [];
    if (Network.fits(view)) this.parts.push(new Network(view));
    const room = width - (this.parts.length && width > 760 ? this.parts[0].width + 24 : 0);
    this.parts.push(new Unrolled(explorer, view, Math.max(280, room)));
    this.note = document.createElement("p");
    this.note.className = "graph-note";
    this.element.append(...this.parts.map(({ sheet }) => sheet), this.note);
    this.plainNote = view.header.words.graph_note;
    this.say(null);
  }

  say(text) {
    this.note.textContent = text ?? this.plainNote;
  }

  show(view, t, theme, isStep) {
    for (const part of this.parts) part.show(view, t, theme, isStep);
  }
}
