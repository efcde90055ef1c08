// A small layout: rows, columns, blocks and signs get sizes from the leaves up and places from the root down.

const GAP = 2; // between cells
const LABEL = 22; // height of a block's label
const LINK = 28; // room for an arrow
const BETWEEN = 16; // between the lines of a column
const BESIDE = 5; // between neighbours in a row

// Sizes in pixels that depend on the network's size and on the room there is.
function chooseSizes(view, width) {
  const rows = Math.max(...Object.keys(view.header.variables).map((name) => view.shape(name)[0]));
  const height = rows <= 4 ? 30 : rows <= 6 ? 26 : rows <= 10 ? 22 : 18;
  for (const cell of [68, 62, 58, 54, 50, 46, 42, 38, 34]) {
    const roomy = cell >= 62 && rows <= 4;
    const font = roomy ? 15 : cell >= 46 && height >= 26 ? 13 : cell >= 38 ? 11.5 : 10;
    const sizes = { cell, height: roomy ? 34 : height, font, link: cell >= 46 ? LINK : 20, stacked: false };
    if (measure(view, view.header.scene, sizes).width + WIDE_SIDE <= width) return sizes;
  }
  const cell = [46, 42, 38, 34].find((size) => widest(view, size) + STACKED_SIDE <= width) ?? 32;
  return { cell, height, font: cell >= 42 && height >= 26 ? 12.5 : 10.5, link: LINK, stacked: true };
}

const widest = (view, cell) => measure(view, view.header.scene, { cell, height: 30, link: LINK, stacked: true }).width;

function cellWidth(view, name, sizes) {
  return view.variable(name).decimals > 2 ? Math.max(sizes.cell, Math.min(sizes.cell + 10, 58)) : sizes.cell;
}

// `middle` is the height at which neighbours in a row are aligned: the middle of the cells, below the label.
function measure(view, node, sizes) {
  if (node.block) {
    const [rows, columns] = view.shape(node.block);
    const width = columns * (cellWidth(view, node.block, sizes) + GAP) - GAP;
    const height = rows * (sizes.height + GAP) - GAP;
    const label = labelWidth(view, node.block);
    return { width: Math.max(width, columns > 1 ? label : Math.min(label, width + 18)), height: height + LABEL, middle: LABEL + height / 2 };
  }
  if (node.op) return { width: (node.op.length > 1 ? 7.5 * node.op.length : 8) + (sizes.stacked ? 4 : 12), height: 24, middle: 12 };
  if (node.again) return { width: 22, height: 24, middle: 12 };
  if (node.join) return { width: sizes.stacked ? 32 : 24 + 2 * sizes.link, height: 32, middle: 16 };
  if (node.plot) return { width: 124 + 2 * sizes.link, height: 116, middle: 58 };
  const children = (node.row ?? node.column ?? node.flow).map((child) => measure(view, child, sizes));
  const across = node.row || (node.flow && !sizes.stacked);
  if (across) {
    const space = BESIDE * (children.length - 1);
    const above = Math.max(...children.map((child) => child.middle));
    const below = Math.max(...children.map((child) => child.height - child.middle));
    const width = children.reduce((sum, child) => sum + child.width, 0) + space;
    return { width, height: above + below, middle: above, children };
  }
  const space = BETWEEN * (children.length - 1);
  const height = children.reduce((sum, child) => sum + child.height, 0) + space;
  return { width: Math.max(...children.map((child) => child.width)), height, middle: height / 2, children };
}

const labelWidth = (view, name) => {
  const { symbol, sub, caption } = view.variable(name);
  return 7 * (symbol ? symbol.length + 0.8 * sub.length + 1 : 0) + 6.4 * caption.length;
};

// Calls `put(node, box)` for every leaf with its box in pixels.
function place(view, node, sizes, x, y, put) {
  const size = measure(view, node, sizes);
  if (!size.children) {
    put(node, { x, y, ...size });
    return;
  }
  const children = node.row ?? node.column ?? node.flow;
  const across = node.row || (node.flow && !sizes.stacked);
  let offset = 0;
  children.forEach((child, i) => {
    const inner = size.children[i];
    if (across) {
      place(view, child, sizes, x + offset, y + size.middle - inner.middle, put);
      offset += inner.width + BESIDE;
    } else {
      // Lines of a column end together on the right, so that their results stand below each other.
      const indent = node.column ? size.width - inner.width : 0;
      place(view, child, sizes, x + indent, y + offset, put);
      offset += inner.height + BETWEEN;
    }
  });
}
