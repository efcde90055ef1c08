// A small layout: rows, columns, blocks and signs get sizes from the leaves up and places from the root down.
// Larger networks fold: a line for each unit runs through all blocks, a vector lies across the matrix that it meets,
// and matrices and vectors without room for their numbers become colours.

import { SMALLEST } from "../shared/short.js";

/** @import { TraceView } from "./trace.js" */
/** @import { BlockNode, CellSize, Extent, LeafBox, SceneNode, Sizes } from "./types" */

export const GAP = 2; // between cells
export const LABEL = 20; // height of a block's label
const LINK = 28; // room for an arrow
export const BETWEEN = 14; // between the lines of a column
export const STACKED_SIDE = 29; // room at the right for the arrows around a block
export const WIDE_SIDE = 34; // and for the way back of the new state

/** @param {Partial<Sizes>} sizes */
const besideIn = ({ folded, stacked }) => (folded ? 4 : stacked ? 3 : 5); // between neighbours in a row
export const PLOT = { width: 138, height: 118 }; // of an activation's curve
export const READABLE = { width: 32, height: 14 }; // the smallest cell that holds its number
const [MOST_ROWS, MOST_COLUMNS] = [8, 10]; // of a picture that is not folded
const MOST_LOW_ROWS = 5; // of one with a line for each gate

// Sizes in pixels that depend on the network's size and on the room there is.
/** @param {TraceView} view @param {number} width @param {boolean} isLow @returns {Sizes} */
export function chooseSizes(view, width, isLow) {
  const shapes = Object.keys(view.header.variables).map((name) => view.shape(name));
  const rows = Math.max(...shapes.map(([count]) => count));
  if (rows > (view.header.scene.low ? MOST_LOW_ROWS : MOST_ROWS) || shapes.some(([, columns]) => columns > MOST_COLUMNS)) return chooseFolded(view, width, isLow);
  const isTight = isLow && view.header.scene.back && rows > 4; // the backward picture has a line more than the forward one
  const height = view.header.scene.low ? (isLow ? 17 : 20) : isTight ? 18 : rows <= 4 ? (isLow ? 26 : 30) : rows <= 6 ? (isLow ? 19 : 26) : isLow ? 18 : 22;
  for (const cell of [68, 62, 58, 54, 50, 46, 42, 38, 34]) {
    const roomy = cell >= 62 && rows <= 4;
    const font = roomy ? 15 : cell >= 46 && height >= 26 ? 13 : cell >= 38 ? 11.5 : SMALLEST;
    /** @type {Sizes} */
    const sizes = { cell, height: roomy && !view.header.scene.low && !isLow ? 34 : height, font, link: cell >= 46 ? LINK : 20, stacked: false };
    if (measure(view, view.tree, sizes).width + WIDE_SIDE <= width) return sizes;
  }
  if (width > NARROW) return chooseFolded(view, width, isLow);
  /** @param {number} cell */
  const widest = (cell) => measure(view, view.tree, { cell, height: 30, font: SMALLEST, link: LINK, stacked: true }).width;
  const cell = [46, 42, 38, 34].find((size) => widest(size) + STACKED_SIDE <= width) ?? 32;
  return { cell, height, font: cell >= 42 && height >= 26 ? 12.5 : SMALLEST, link: LINK, stacked: true };
}

const NARROW = 640; // px: a picture that does not fit is stacked below it, and folded above

const FOLDED_HEIGHT = { low: 250, tall: 320 }; // of the rows of all units together
const LOW_HEIGHT = 84; // of those of a picture with a line for each gate

// The widest columns that fit, the rows of all blocks equally high.
/** @param {TraceView} view @param {number} width @param {boolean} isLow @returns {Sizes} */
function chooseFolded(view, width, isLow) {
  const [units] = view.shape(view.header.loops[0][0]);
  const rowGap = units > 20 ? 0 : GAP;
  const folded = FOLDED_HEIGHT[isLow ? "low" : "tall"];
  const rows = view.header.scene.low ? LOW_HEIGHT : folded;
  const height = Math.max(3, Math.min(units > 6 || isLow ? 22 : 28, Math.floor(rows / units) - rowGap));
  const readable = height >= READABLE.height;
  const base = { height, rowGap, units, font: height >= 18 ? 11.5 : SMALLEST, link: 14, folded: /** @type {const} */ (true), most: folded };
  const cells = readable ? [44, 38, 34] : [24];
  for (const stacked of [false, true]) {
    const side = stacked ? STACKED_SIDE : WIDE_SIDE;
    for (const pitch of [34, 22, 18, 15, 12, 10, 8, 7, 6, 5, 4.5, 4, 3.5, 3, 2.5, 2]) {
      for (const cell of cells) {
        /** @type {Sizes} */
        const sizes = { ...base, cell, pitch, stacked, free: pitch < 15 ? 80 : 140, readout: 110 };
        if (measure(view, view.tree, sizes).width + side <= width) return sizes;
      }
    }
  }
  return { ...base, cell: cells[cells.length - 1], pitch: 2, stacked: true, free: 80, readout: 110 };
}

// Width, height and gaps of a block's cells, and whether their numbers have room.
/** @param {TraceView} view @param {string} name @param {Sizes} sizes @param {string | null} above @returns {CellSize} */
export function cellSize(view, name, sizes, above = null) {
  const { height, folded, pitch, units, rowGap } = sizes;
  if (!folded) {
    const width = view.variable(name).decimals > 2 ? Math.max(sizes.cell, Math.min(sizes.cell + 10, 58)) : sizes.cell;
    return { width, height, gap: GAP, rowGap: GAP, readable: true };
  }
  if (above) return { ...cellSize(view, above, sizes), height: 17 }; // as wide as the columns that it is multiplied with
  const [rows, columns] = view.shape(name);
  const most = Math.max(2, Math.floor((sizes.most ?? FOLDED_HEIGHT.tall) / rows) - rowGap); // of many outputs above few units
  const tall = rows === units ? height : Math.min(most, Math.max(height, Math.min(20, Math.floor(60 / rows))));
  let width = rows === units || tall < READABLE.height ? sizes.cell : Math.max(sizes.cell, 44);
  if (columns > 1) {
    const few = Math.floor((tall < READABLE.height ? 40 : sizes.free) / columns); // a narrow matrix may have wider columns
    const widest = rows < units && sizes.readout ? Math.floor(sizes.readout / columns) : Infinity; // its row lies below the result
    width = Math.max(2, Math.min(widest, Math.max(pitch, Math.min(34, few))));
  }
  const readable = width >= READABLE.width && tall >= READABLE.height;
  return { width, height: tall, gap: readable ? GAP : width >= 10 ? 1 : 0, rowGap, readable };
}

// Whether a block is drawn with rows and columns exchanged: where the notation writes it so, but folded pictures keep
// a line for each unit, or where a vector lies above a matrix.
/** @param {BlockNode} node @param {Sizes} sizes */
export const isTurned = ({ turned, above }, { folded }) => Boolean(above || (turned && !folded));

// Rows and columns of a block's cells on the screen.
/** @param {TraceView} view @param {BlockNode} node @param {Sizes} sizes */
export function gridOf(view, node, sizes) {
  const [rows, columns] = view.shape(node.block);
  return isTurned(node, sizes) ? [columns, rows] : [rows, columns];
}

// `middle` is the height at which neighbours in a row are aligned: the middle of the cells, below the label.
/** @param {TraceView} view @param {SceneNode} node @param {Sizes} sizes @returns {Extent} */
export function measure(view, node, sizes) {
  if (node.block) {
    const [rows, columns] = gridOf(view, node, sizes);
    const cell = cellSize(view, node.block, sizes, node.above);
    const width = columns * (cell.width + cell.gap) - cell.gap;
    const height = rows * (cell.height + cell.rowGap) - cell.rowGap;
    const label = labelWidth(view, node.block, true);
    return { width: Math.max(width, columns > 1 ? Math.min(label, width + 40) : Math.min(label, width + 18)), height: height + LABEL, middle: LABEL + height / 2 };
  }
  if (node.room) return { width: sizes.folded && !sizes.stacked ? 12 : 0, height: 24, middle: 12 }; // for an arrow
  if (node.op) return { width: (node.op.length > 1 ? 7.5 * node.op.length : 8) + (sizes.folded ? 4 : sizes.stacked ? 2 : 12), height: 24, middle: 12 };
  if (node.again) {
    const { symbol, sub } = view.variable(node.again);
    return { width: Math.max(22, 8 * symbol.length + (sizes.folded ? 5 * sub.length : 8)), height: 24, middle: 12 };
  }
  if (node.join) return { width: sizes.stacked ? 32 : 24 + 2 * sizes.link, height: 32, middle: 16 };
  if (node.plot) return { width: PLOT.width + 2 * sizes.link, height: PLOT.height, middle: PLOT.height / 2 };
  const { children: nodes, across } = opened(node, sizes);
  const children = nodes.map((child) => measure(view, child, sizes));
  if (across) {
    const space = besideIn(sizes) * (children.length - 1);
    const above = Math.max(...children.map((child) => child.middle));
    const below = Math.max(...children.map((child) => child.height - child.middle));
    const width = children.reduce((sum, child) => sum + child.width, 0) + space;
    return { width, height: above + below, middle: above, children };
  }
  const space = node.product ? 0 : BETWEEN * (children.length - 1);
  const height = children.reduce((sum, child) => sum + child.height, 0) + space;
  const last = children[children.length - 1];
  let middle = height / 2;
  if (node.product) middle = height - last.height + last.middle;
  else if (sizes.folded) [{ middle }] = children; // so that each unit is one line through the whole picture
  return { width: Math.max(...children.map((child) => child.width)), height, middle, children };
}

// The children of a node, and whether they stand side by side. A product is a matrix and its vector beside each other,
// or folded, the vector above the matrix, each number above the column that it is multiplied with. Joined products are
// one: the matrices together, the vectors together.
/** @param {SceneNode} node @param {Sizes} sizes @returns {{ children: SceneNode[], across: boolean }} */
function opened(node, { stacked, folded }) {
  const { turned } = node;
  if (node.product) {
    const [matrix, vector] = node.product.map((block) => ({ block, turned }));
    if (folded) return { children: [{ ...vector, above: matrix.block }, matrix], across: false };
    return { children: turned ? [vector, { op: "×" }, matrix] : [matrix, { op: "×" }, vector], across: true };
  }
  if (node.applied) {
    const [matrix, of] = [{ block: node.applied[0], turned }, { again: node.applied[1] }];
    return { children: turned && !folded ? [of, { op: "×" }, matrix] : [matrix, { op: "×" }, of], across: true };
  }
  if (node.joined) {
    if (folded) return { children: node.joined.map((product) => ({ product, turned })), across: !stacked };
    const [matrices, vectors] = [0, 1].map((place) => node.joined.map((product) => ({ block: product[place], turned })));
    const [row, column] = [{ row: turned ? vectors : matrices }, { column: turned ? matrices : vectors }];
    return { children: [row, { op: "×" }, column], across: true };
  }
  if (node.lines) return { children: node.lines, across: Boolean(folded && !stacked) };
  if (node.flow) return { children: node.flow, across: !stacked };
  if (node.upright) return { children: node.upright, across: Boolean(folded) }; // a row's way from top to bottom
  if (node.row && folded) return { children: node.row.flatMap(withVectors), across: true };
  return { children: node.row ?? node.column ?? [], across: Boolean(node.row) };
}

// Folded, a vector lies above its matrix; the row says that the two are multiplied.
/** @param {SceneNode} node @returns {SceneNode[]} */
function withVectors(node) {
  const vectors = node.product ? [node.product[1]] : (node.joined ?? []).map(([, vector]) => vector);
  if (!vectors.length) return [node];
  const [first, ...others] = vectors.map((again) => ({ again }));
  if (!others.length) return [node, { op: "×" }, first];
  return [node, { op: "× [" }, first, ...others.flatMap((other) => [{ op: ";" }, other]), { op: "]" }];
}

/** @param {TraceView} view @param {string} name */
export const labelWidth = (view, name, isBrief = false) => {
  const { symbol, sub, sup, brief, caption } = view.variable(name);
  return 7 * (symbol ? symbol.length + 0.8 * Math.max(sub.length, (sup ?? "").length) + 1 : 0) + 6.4 * (isBrief && brief ? brief : caption).length;
};

// Calls `put(node, box)` for every leaf with its box in pixels.
/** @param {TraceView} view @param {SceneNode} node @param {Sizes} sizes @param {number} x @param {number} y @param {(node: SceneNode, box: LeafBox) => void} put */
export function place(view, node, sizes, x, y, put) {
  const size = measure(view, node, sizes);
  if (!size.children) {
    put(node, { x, y, ...size });
    return;
  }
  const extents = size.children;
  const { children, across } = opened(node, sizes);
  let offset = 0;
  children.forEach((child, i) => {
    const inner = extents[i];
    if (across) {
      place(view, child, sizes, x + offset, y + size.middle - inner.middle, put);
      offset += inner.width + besideIn(sizes);
    } else {
      // Lines of a column end together on the right, so that their results stand below each other.
      const indent = node.product || node.upright ? (size.width - inner.width) / 2 : node.flow ? 0 : size.width - inner.width;
      place(view, child, sizes, x + indent, y + offset, put);
      offset += inner.height + (node.product ? 0 : BETWEEN);
    }
  });
}
