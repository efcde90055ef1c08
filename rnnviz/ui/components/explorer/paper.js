// What a picture of a step is drawn on, and what has been drawn so far.

import { svg } from "../shared/svg.js";
import { Ground, sheetOf } from "./ground.js";

/** @import { Cell } from "./cell.js" */
/** @import { FoldedMatrix, FoldedVector } from "./folded.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Place } from "./types" */

export class Paper {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.element = svg("svg", { class: "scene-svg", width, height });
    this.sheet = sheetOf(this.element);
    this.ground = new Ground(this.sheet);
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" }, this.element);
    /** @type {Cell[]} */
    this.cells = [];
    /** @type {FoldedVector[]} */
    this.vectors = [];
    /** @type {FoldedMatrix[]} */
    this.matrices = [];
    /** @type {SVGTSpanElement[]} texts that show the character of a one-hot input */
    this.letters = [];
    /** @type {Record<string, Place>} where blocks, plots and joins stand */
    this.places = {};
  }
}

// A variable's letter with its marks.
/** @param {SVGTextElement} text @param {TraceView} view @param {string} name */
export function writeSymbol(text, view, name) {
  const { symbol, sub, sup } = view.variable(name);
  text.textContent = symbol;
  if (sup) svg("tspan", { dy: -5, class: "mark" }, text, sup);
  if (sub.startsWith("(")) svg("tspan", { dy: sup ? 5 : 0 }, text, sub); // h(t)
  else if (sub) svg("tspan", { dy: sup ? 9 : 4, class: "mark" }, text, sub);
}
