// The elements of the picture and the strip for one structure and one size of the window: made anew when either changes.

import { MOST_TERMS } from "./arithmetic.js";
import { arrowHead } from "./arrows.js";
import { depthOf, termCount } from "./formulas.js";
import { WIDE_SIDE } from "./layout.js";
import { Scene } from "./scene.js";
import { Timeline } from "./timeline.js";

/** @import { Cell, Spot } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */

const PAGE_HEAD = { cell: 156, back: 196 }; // px above the picture on the pages of cells and of the backward pass, and margins
const NOTICE = { usual: 81, margin: 6 }; // px of the sentences below the picture, on three lines; and above them
const STRIP = { low: 140, tall: 190, least: 108 }; // px: what it takes, and what it makes do with for the sentences' sake
const LAYERS = 40; // px of the row in which a layer is chosen
const LOW = 840; // px of a window below which rows are lower

export class Drawn {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    const { state: { view }, parts, root } = explorer;
    this.explorer = explorer;
    this.width = widthOf(explorer);
    this.isLow = innerHeight < LOW;
    this.structure = structureNow(explorer);
    this.scene = new Scene(explorer, view, this.width, this.isLow);
    parts.arithmetic.style.height = this.arithmeticHeight();
    const [free, notice] = [this.inSight() - heightOf(this.scene.element), this.noticeHeight()];
    const room = roomBelow(free, notice, this.isLow);
    this.timeline = new Timeline(explorer, view, this.width, room);
    root.classList.toggle("late", free - heightOf(this.timeline.element) < notice);
    this.scene.element.prepend(arrowHead());
    parts.scene.replaceChildren(this.scene.sheet);
    this.showMore();
    parts.timeline.replaceChildren(this.timeline.sheet);
    /** @type {Cell[]} */
    this.cells = [...this.scene.cells, ...this.timeline.cells, ...this.timeline.strips.flatMap(({ cells }) => cells)];
    for (const block of root.querySelectorAll("g.block")) block.querySelector(".cell")?.setAttribute("tabindex", "0");
    const most = Math.max(room + 12, 0.38 * innerHeight);
    parts.timeline.style.maxHeight = `${most}px`;
    parts.timeline.classList.toggle("high", heightOf(this.timeline.element) > most); // it scrolls
    root.style.setProperty("--strip", `${parts.timeline.offsetHeight}px`);
  }

  get isOutdated() {
    return this.structure !== structureNow(this.explorer);
  }

  // A picture that is wider than the screen fades at the right while there is more of it.
  showMore() {
    const { scene, more } = this.explorer.parts;
    const right = scene.scrollLeft + this.width;
    const drawn = Number(this.scene.element.getAttribute("width"));
    const margin = this.scene.sizes.stacked ? 0 : WIDE_SIDE; // is no more to see; the arrows beside a stacked picture are
    const isMore = right < drawn - margin;
    scene.classList.toggle("more", isMore);
    more.hidden = drawn <= this.width + margin;
    more.classList.toggle("seen", !isMore);
  }

  // Of the longest sentences of all steps, so that they stand in one place from step to step.
  noticeHeight() {
    const { state: { view: { header } }, parts } = this.explorer;
    const longest = header.notices.reduce((most, [, text]) => (text.length > most.length ? text : most), "");
    [parts.fact.textContent, parts.remark.textContent, parts.notice.textContent] = [header.fact, header.remark, longest];
    return (parts.notice.parentElement?.offsetHeight ?? 0) + NOTICE.margin;
  }

  // The height of a window between the page's head and the line of arithmetic.
  inSight() {
    const { state: { view }, parts } = this.explorer;
    const isLayer = Object.values(view.header.variables).some(({ sup }) => sup.startsWith("(")); // of several
    const head = PAGE_HEAD[view.stride < 0 ? "back" : "cell"] + (isLayer ? LAYERS : 0);
    return innerHeight - head - parts.arithmetic.offsetHeight;
  }

  // Room for the longest line of a result, so that nothing below moves while the pointer does.
  arithmeticHeight() {
    const { width, explorer: { state: { view }, parts } } = this;
    const results = Object.keys(view.header.formulas);
    const terms = Math.max(...results.map((name) => termCount(view, name, [0], depthOf(view, name))));
    parts.arithmetic.tabIndex = terms > MOST_TERMS ? 0 : -1; // its long sums scroll, by the keyboard too
    if (terms > MOST_TERMS) return `${width < 600 ? 150 : this.isLow ? 58 : 77}px`;
    const perLine = width / 7.4; // characters
    const head = terms > 9 ? 1 : 0; // a long sum begins on a line of its own
    const lines = Math.min(width < 600 ? 5 : 4, Math.ceil((terms * 14 + 55) / perLine) + head);
    return `calc(${lines * 1.5}em + 14px)`;
  }

  // The cell that stands for the same number.
  /** @param {Spot | Cell} spot */
  sameCell(spot) {
    const { name, step, index: [row] } = spot;
    if ("folded" in spot && spot.folded) {
      if (step !== null) this.timeline.strips.find((one) => one.name === name)?.showRow(row);
      else this.scene.matrices.find((one) => one.name === name && one.holds(row))?.showRow(row);
    }
    // Where the row of a strip crosses the column of the shown step, two cells stand for one number.
    return this.cells.find((other) => other.element.isConnected && other.name === name && other.key === spot.key && other.step === step) ?? null;
  }
}

// The height for the strip, of what the page's head, the picture and the arithmetic leave free. Where that is little,
// the strip gives way to the picture before it covers it, and the sentences stand below the strip: above the arithmetic
// they would be cut off in the middle of a line.
/** @param {number} free @param {number} notice the height of the sentences @param {boolean} isLow */
export function roomBelow(free, notice, isLow) {
  if (free - notice < STRIP.least) return Math.max(0, Math.min(300, free));
  const usual = Math.min(STRIP[isLow ? "low" : "tall"], free - notice);
  return Math.max(usual, Math.min(300, free - Math.max(NOTICE.usual, notice)));
}

/** @param {Explorer} explorer */
export const widthOf = ({ parts }) => parts.scene.clientWidth || 900;

/** @param {Element} element */
const heightOf = (element) => Number(element.getAttribute("height"));

/** @param {Explorer} explorer */
const structureNow = (explorer) => `${structureOf(explorer.state.view)}|${widthOf(explorer)}|${innerHeight}`;

// Two views with the same structure can be shown by the same elements.
/** @param {TraceView} view */
export function structureOf(view) {
  const { kind, variables, scene, timeline, steps } = view.header;
  const drawn = Object.entries(variables).map(([name, { symbol, sub, sup, caption, edit }]) => [name, view.shape(name), symbol, sub, sup, caption, edit]);
  return JSON.stringify([kind, drawn, scene, timeline, steps]);
}
