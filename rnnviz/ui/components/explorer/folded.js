// Vectors and matrices whose cells are too small for their numbers.

import { textWidth, writeShort } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { Cell, CELL_EDGE } from "./cell.js";
import { Heat } from "./ground.js";
import { entryKey, indices } from "./trace.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Ground } from "./ground.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Box, CellOptions, Theme } from "./types" */

// The colours of a vector whose cells are too small for numbers; the cells stay, to be pointed at.
export class FoldedVector {
  /** @param {Ground} ground @param {Element} parent @param {string} name @param {[rows: number, columns: number]} grid @param {Box} box */
  constructor(ground, parent, name, grid, box, start = 0) {
    this.name = name;
    this.start = start; // of a stacked vector, the rows from there on
    this.heat = new Heat(ground, parent, grid, box);
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme */
  show(view, t, theme) {
    const { family } = view.variable(this.name);
    const places = [...indices(view, this.name)]; // of a matrix of a single row or column too
    this.heat.paint((i, j) => view.value(this.name, places[this.start + i + j], t), family, view.limitOf(this.name), theme);
  }
}

// A folded matrix: all of it as colours, and one row as cells, which point, edit and explain as everywhere.
export class FoldedMatrix {
  // `range` is the first row and how many: of a stacked matrix only those of a gate.
  /** @param {Explorer} explorer @param {Ground} ground @param {TraceView} view @param {Element} group @param {string} name @param {Box} box @param {CellOptions} options */
  constructor(explorer, ground, view, group, name, box, options, range = [0, view.shape(name)[0]]) {
    const [start, rows] = range;
    this.explorer = explorer;
    this.name = name;
    this.box = box;
    this.start = start;
    this.row = start;
    const [, columns] = view.shape(name);
    this.heat = new Heat(ground, group, [rows, columns], box);
    this.marks = svg("path", { class: "heat-marks" }, group);
    this.line = svg("g", { class: "heat-row" }, group);
    const pitch = box.width / columns;
    this.cells = Array.from({ length: columns }, (_, j) => {
      const at = { x: box.x + j * pitch, y: box.y, width: pitch, height: box.height / rows };
      return new Cell(explorer.names, this.line, name, [start, j], at, options);
    });
    svg("rect", { class: "row-frame", x: box.x, y: box.y, width: box.width, height: box.height / rows }, this.line);
    for (const cell of this.cells) cell.folded = this;
    const { pointing } = explorer;
    /** @param {PointerEvent | MouseEvent} event */
    const point = (event) => {
      const [i, j] = this.heat.at(event);
      if (start + i !== this.row) pointing.look({ hovered: null }); // the same cells stand for another row now
      this.showRow(start + i);
      pointing.look({ hovered: this.cells[j] });
      return this.cells[j];
    };
    this.heat.area.addEventListener("pointermove", (event) => event.pointerType !== "touch" && point(event));
    this.heat.area.addEventListener("click", (event) => {
      pointing.choose(point(event));
    });
  }

  // The row some lines further down, within those that are shown.
  /** @param {number} row @param {number} lines */
  below(row, lines) {
    return Math.min(this.start + this.heat.grid[0] - 1, Math.max(this.start, row + lines));
  }

  /** @param {number} row */
  holds(row) {
    return row >= this.start && row < this.start + this.heat.grid[0];
  }

  // Which row the cells stand for.
  /** @param {number} row */
  showRow(row) {
    if (row === this.row || !this.holds(row)) return;
    this.row = row;
    this.line.setAttribute("transform", `translate(0 ${((row - this.start) * this.box.height) / this.heat.grid[0]})`);
    const { view, t, theme, before } = this.explorer.state;
    for (const cell of this.cells) {
      cell.moveTo([row, cell.index[1]]);
      cell.show(view, t, theme, before);
    }
  }

  // The whole matrix: with a new trace or theme, not at a step.
  /** @param {TraceView} view @param {number} _ @param {Theme} theme */
  show(view, _, theme) {
    const { family } = view.variable(this.name);
    const { data } = view.arrays[view.variable(this.name).array]; // read straight: thousands of numbers
    const columns = this.heat.grid[1];
    this.heat.paint((i, j) => data[(this.start + i) * columns + j], family, view.limitOf(this.name), theme);
    this.marks.setAttribute("d", this.outlines(view));
  }

  // Frames around the edited numbers.
  /** @param {TraceView} view */
  outlines(view) {
    const [rows, columns] = this.heat.grid;
    const [width, height] = [this.box.width / columns, this.box.height / rows];
    const { edit } = view.variable(this.name);
    if (!view.edited.size || edit === null) return "";
    let d = "";
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        if (!view.edited.has(entryKey(edit, [this.start + i, j]))) continue;
        d += `M${this.box.x + j * width} ${this.box.y + i * height}h${width}v${height}h${-width}z`;
      }
    }
    return d;
  }
}

const LENS_WIDTH = 46;

// Beside a cell that is too small for its number: the number of the row that the arithmetic speaks of.
export class Lens {
  /** @param {Element} parent */
  constructor(parent) {
    this.element = svg("g", { class: "lens", "aria-hidden": "true" }, parent);
    /** @type {Map<string, { element: SVGGElement, rect: SVGRectElement, text: SVGTextElement }>} */
    this.tags = new Map();
  }

  // `cells` to read out; a tag for each.
  /** @param {TraceView} view @param {number} t @param {Cell[]} cells */
  show(view, t, cells) {
    const used = new Set();
    for (const cell of cells) {
      used.add(cell.name);
      let tag = this.tags.get(cell.name);
      if (!tag) {
        const element = svg("g", {}, this.element);
        tag = { element, rect: svg("rect", { width: LENS_WIDTH, height: 19, rx: 4 }, element), text: svg("text", { x: LENS_WIDTH / 2, y: 10 }, element) };
        this.tags.set(cell.name, tag);
      }
      const { x, y, width, height } = cell.box;
      const place = { x: x + width / 2 - LENS_WIDTH / 2, y: y + height / 2 - 9.5 };
      tag.element.setAttribute("transform", `translate(${place.x} ${place.y})`);
            const name = view.drawn(cell.name);
      tag.text.textContent = writeShort(cell.value(view, t), view.floorOf(name), 3, (text) => textWidth(text, 12), LENS_WIDTH - CELL_EDGE);
      tag.element.style.display = "";
    }
    for (const [name, { element }] of this.tags) if (!used.has(name)) element.style.display = "none";
  }
}
