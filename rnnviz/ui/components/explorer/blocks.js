// The leaves of a drawing order on paper: blocks of cells with their names, plots, joins and signs.

import { svg } from "../shared/svg.js";
import { resultsInto } from "./arrows.js";
import { Cell } from "./cell.js";
import { Curve } from "./curves.js";
import { FoldedMatrix, FoldedVector } from "./folded.js";
import { cellSize, gridOf, isTurned, LABEL, labelWidth } from "./layout.js";
import { writeSymbol } from "./paper.js";
import { symbolText } from "./symbols.js";
import { indices } from "./trace.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Paper } from "./paper.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { BlockNode, CellOptions, JoinNode, LeafBox, SceneNode, Sizes } from "./types" */

/** @typedef {{ x: number, y: number, letter: number, words: SVGElement | null, caption: string }} Label of a block */
/** @typedef {{ left: number, top: number, span: number, turned: boolean }} Frame of a block's cells */

const JOIN_RADIUS = 15;

export class Blocks {
  /** @param {Explorer} explorer @param {Paper} paper @param {TraceView} view @param {Sizes} sizes */
  constructor(explorer, paper, view, sizes) {
    this.explorer = explorer;
    this.paper = paper;
    this.view = view;
    this.sizes = sizes;
    /** @type {Curve[]} */
    this.curves = [];
    /** @type {Label[]} where they stand, and the captions that can be left out */
    this.labels = [];
  }

  /** @param {SceneNode} node @param {LeafBox} box */
  leaf(node, box) {
    const { view, paper } = this;
    if (node.room) return;
    if (node.block) this.block(/** @type {BlockNode} */ (node), box);
    else if (node.plot) {
      const curve = new Curve(this.explorer.names, paper.element, view, node, box);
      paper.places[node.name] = curve.edges;
      this.curves.push(curve);
    } else if (node.join) this.join(node, box);
    else {
      const label = svg("text", { class: "sign", x: box.x + box.width / 2, y: box.y + box.middle, "aria-hidden": "true" }, paper.element);
      if (node.again) writeSymbol(label, view, node.again);
      else label.textContent = node.op ?? "";
    }
  }

  /** @param {JoinNode} node @param {LeafBox} box */
  join(node, box) {
    const { view, paper: { element, places }, sizes } = this;
    const [above] = resultsInto(view, node.name).slice(-1);
    const y = box.y + box.middle;
    const x = sizes.stacked ? places[above].centre : box.x + box.width / 2;
    svg("circle", { class: "join", cx: x, cy: y, r: JOIN_RADIUS }, element);
    svg("text", { class: "sign big", x, y, "aria-hidden": "true" }, element, node.join);
    const [left, right, top, bottom] = [x - JOIN_RADIUS, x + JOIN_RADIUS, y - JOIN_RADIUS, y + JOIN_RADIUS];
    places[node.name] = { left, right, top, bottom, middle: y, centre: x };
  }

  /** @param {BlockNode} node @param {LeafBox} box */
  block(node, box) {
    const { view, paper, sizes } = this;
    const name = node.block;
    const { symbol, family, caption } = view.variable(name);
    const cell = cellSize(view, name, sizes, node.above);
    const [rows, columns] = gridOf(view, node, sizes);
    const span = columns * (cell.width + cell.gap) - cell.gap;
    const left = box.x + (box.width - span) / 2;
    const top = box.y + LABEL;
    const group = svg("g", { class: `block ${family}`, role: "group", "data-block": name }, paper.element);
    group.setAttribute("aria-label", [symbolText(view, name), symbol ? caption : "", `${rows} × ${columns}`].filter(Boolean).join(" "));
    this.nameOf(node, box, group, left, span);
    this.fillBlock(node, group, { left, top, span, turned: isTurned(node, sizes) });
    const bottom = top + rows * (cell.height + cell.rowGap) - cell.rowGap;
    const outer = Math.max(left + span, box.x + (box.width + labelWidth(view, name)) / 2) + 4;
    paper.places[name] = { left, right: left + span, middle: box.y + box.middle, centre: left + span / 2, outer, top: box.y, bottom };
  }

  // The caption that there is room for.
  /** @param {string} name @param {LeafBox} box */
  captionOf(name, box) {
    const { view, sizes } = this;
    const { symbol, brief, caption } = view.variable(name);
    if (symbol && sizes.folded && view.stride < 0) return ""; // no room beside its letter
    const around = box.width + 60; // signs on either side leave room
    if (labelWidth(view, name) <= around) return caption;
    return brief && sizes.stacked && labelWidth(view, name, true) > around ? "" : brief || caption;
  }

  // Letter and caption above a block.
  /** @param {BlockNode} node @param {LeafBox} box @param {Element} group @param {number} left @param {number} span */
  nameOf(node, box, group, left, span) {
    const { view, sizes: { folded, stacked } } = this;
    const name = node.block;
    const { symbol, sub, ...variable } = view.variable(name);
    const caption = this.captionOf(name, box);
    const isAtLoop = Boolean(caption) && folded && !stacked && name === view.header.loops[0][0]; // which would strike the caption out
    const half = caption ? 0.46 * labelWidth(view, name, caption === variable.brief) : 0; // about
    const middle = Math.max(box.x + box.width / 2, half); // a name at the left edge begins within the picture
    const x = isAtLoop ? left + span + 6 : middle;
    const label = svg("text", { class: "label", x, y: box.y + 10, "aria-hidden": "true" }, group);
    if (isAtLoop) label.style.textAnchor = "end";
    if (symbol) writeSymbol(label, view, name);
    if (node.turned && folded && view.shape(name)[1] > 1) svg("tspan", { dy: -8, class: "mark" }, label, "T");
    const isTight = isAtLoop && labelWidth(view, name, true) > span + 52; // it would reach into the curve
    let words = null;
    if (caption && !isTight) words = svg("tspan", { class: "caption", dy: symbol && !sub.startsWith("(") ? -4 : 0 }, label, symbol ? ` ${caption}` : caption);
    const letter = labelWidth(view, name) - 6.4 * variable.caption.length;
    if (!isAtLoop) this.labels.push({ x: middle, y: box.y, letter, words: symbol ? words : null, caption });
    if (name === (view.header.scene.letters ?? "x")) this.paper.letters.push(svg("tspan", { class: "letter" }, label));
  }

  // The cells of a block; without room for numbers, colours with the cells of one row.
  /** @param {BlockNode} node @param {SVGElement} group @param {Frame} frame */
  fillBlock(node, group, { left, top, span, turned }) {
    const { explorer, paper, view, sizes } = this;
    const name = node.block;
    const { width, height, gap, rowGap, readable } = cellSize(view, name, sizes, node.above);
    const [rows, columns] = gridOf(view, node, sizes);
    /** @type {CellOptions} */
    const options = { font: sizes.font, turned, bare: !readable, textless: !readable, className: readable ? "" : "bare" };
    const isMatrix = rows > 1 && columns > 1;
    const box = { x: left, y: top, width: span + gap, height: rows * (height + rowGap) };
    if (!readable && isMatrix) {
      const folded = new FoldedMatrix(explorer, paper.ground, view, group, name, box, options);
      paper.matrices.push(folded);
      paper.cells.push(...folded.cells);
      return;
    }
    if (!readable) paper.vectors.push(new FoldedVector(paper.ground, group, name, [rows, columns], box));
    for (const index of indices(view, name)) {
      const [i, j] = turned ? [index[1] ?? 0, index[0]] : [index[0], index[1] ?? 0];
      const at = { x: left + j * (width + gap), y: top + i * (height + rowGap), width, height };
      paper.cells.push(new Cell(explorer.names, group, name, index, at, options));
    }
  }

  // A caption that would reach into the name beside it is left out: the letter says enough.
  clearLabels() {
    /** @param {Label} label */
    const half = ({ letter, words, caption }) => (letter + (words || !letter ? 6.4 * caption.length : 0)) / 2 - 3; // a rough width
    /** @param {Label} one @param {Label} other */
    const meet = (one, other) => one !== other && Math.abs(one.y - other.y) < LABEL && Math.abs(one.x - other.x) < half(one) + half(other);
    for (const label of this.labels) {
      if (!label.words || !this.labels.some((other) => meet(label, other))) continue;
      label.words.remove();
      label.words = null;
    }
  }
}
