// The step as a picture. It is laid out as a flow of blocks, or as bands of gates beside a highway.

import { arrowHead, Arrows } from "./arrows.js";
import { BandDrawing } from "./band_drawing.js";
import { Bands } from "./bands.js";
import { Blocks } from "./blocks.js";
import { Lens } from "./folded.js";
import { BETWEEN, chooseSizes, measure, place, STACKED_SIDE, WIDE_SIDE } from "./layout.js";
import { Paper } from "./paper.js";
import { entryKey } from "./trace.js";

/** @import { Spot } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { BandScene, FoldedSizes, Ref, Sizes, Theme } from "./types" */

const EDGE = 8; // px that the picture leaves free

export class Scene {
  /** @param {Explorer} explorer @param {TraceView} view @param {number} width @param {boolean} isLow a window with little height */
  constructor(explorer, view, width, isLow) {
    this.explorer = explorer;
    const { bands } = view;
    const { paper, blocks } = bands ? layBands(explorer, view, bands, width - EDGE, isLow) : layFlow(explorer, view, width - EDGE, isLow);
    this.sizes = blocks.sizes;
    this.curves = blocks.curves;
    this.element = paper.element;
    this.sheet = paper.sheet;
    this.cells = paper.cells;
    this.matrices = paper.matrices;
    this.folded = [...paper.matrices, ...paper.vectors];
    this.letters = paper.letters;
    this.lens = new Lens(paper.element);
    this.moving = this.cells.filter((cell) => view.variable(cell.name).per_step);
  }

  // A step touches what depends on it; weights are shown with a new trace or theme only.
  /**
   * @param {TraceView} view @param {number} t @param {Theme} theme @param {TraceView | null} before
   * @param {Spot | null} focus @param {boolean} isStep
   */
  show(view, t, theme, before, focus, isStep) {
    for (const cell of isStep ? this.moving : this.cells) cell.show(view, t, theme, before);
    for (const folded of this.folded) if (!isStep || view.variable(folded.name).per_step) folded.show(view, t, theme);
    const letter = this.letters.length ? view.letter(t) : "";
    for (const text of this.letters) text.textContent = letter ? ` “${letter}”` : "";
    this.showCurves(view, t, focus);
  }

  /** @param {TraceView} view @param {number} t @param {Spot | null} focus */
  showCurves(view, t, focus) {
    for (const curve of this.curves) curve.show(view, t, focus);
  }

  // Folded matrices show the row, and small cells the number, that the arithmetic speaks of: `made` holds these places.
  /** @param {TraceView} view @param {number} t @param {Ref[]} made */
  unfold(view, t, made) {
    const { focused } = this.explorer.state;
    for (const matrix of this.matrices) {
      const row = made.find(([name, index]) => name === matrix.name && matrix.holds(index[0]));
      const isRead = focused?.folded === matrix && focused.element.matches(":focus-visible"); // that row stays while its reader is there
      if (row && !isRead) matrix.showRow(row[1][0]);
      matrix.line.classList.toggle("idle", !row);
    }
    if (!this.sizes.folded) return;
    /** @type {Map<string, string | null>} */
    const keys = new Map();
    for (const [name, index] of made) keys.set(name, keys.has(name) ? null : entryKey(name, index));
    this.lens.show(view, t, this.cells.filter((cell) => !cell.text && !cell.folded && keys.get(cell.name) === cell.key));
  }
}

// Blocks one after the other, as the drawing order nests them.
/** @param {Explorer} explorer @param {TraceView} view @param {number} width @param {boolean} isLow */
function layFlow(explorer, view, width, isLow) {
  const sizes = chooseSizes(view, width, isLow);
  const { stacked, folded } = sizes;
  const total = measure(view, view.tree, sizes);
  const [side, foot] = stacked ? [STACKED_SIDE, 4] : [WIDE_SIDE, folded ? 20 : isLow ? 24 : 32];
  const head = stacked ? 12 : folded ? 26 : 4; // room for the way back, which may run above
  const paper = new Paper(total.width + side, total.height + head + foot + 2);
  const blocks = new Blocks(explorer, paper, view, sizes);
  place(view, view.tree, sizes, 4, head, (node, box) => blocks.leaf(node, box));
  blocks.clearLabels();
  new Arrows(paper, view, sizes, total).draw();
  return { paper, blocks };
}

// A gated cell: its gates in bands, what is read out of its state below them.
/** @param {Explorer} explorer @param {TraceView} view @param {BandScene} scene @param {number} width @param {boolean} isLow */
function layBands(explorer, view, scene, width, isLow) {
  const { lines } = scene;
  const bands = new Bands(view, scene, width, isLow);
  const { cell, height, font } = bands.sizes;
  /** @param {number} pitch @returns {FoldedSizes} */
  const sizesOf = (pitch) => ({ cell, height, font, stacked: false, folded: true, pitch, rowGap: 0, units: bands.units, link: 14, free: 300 });
  /** @param {number} pitch */
  const fits = (pitch) => lines.every((node) => measure(view, node, sizesOf(pitch)).width <= bands.right - 4);
  /** @type {Sizes} */
  const sizes = sizesOf([Math.max(bands.sizes.pitch, 12), 10, 8, 6, 5, 4, 3].find(fits) ?? 2);
  const extents = lines.map((node) => measure(view, node, sizes));
  const below = extents.reduce((sum, extent) => sum + extent.height + BETWEEN / 2, 0);
  const paper = new Paper(bands.width, bands.bottom + below);
  paper.element.prepend(arrowHead("highway-head", 4));
  new BandDrawing(explorer, paper, bands).draw();
  const blocks = new Blocks(explorer, paper, view, sizes);
  let y = bands.bottom;
  lines.forEach((node, line) => {
    const extent = extents[line];
    place(view, node, sizes, Math.max(4, bands.right - extent.width), y, (leaf, box) => blocks.leaf(leaf, box));
    y += extent.height + BETWEEN / 2;
  });
  return { paper, blocks };
}
