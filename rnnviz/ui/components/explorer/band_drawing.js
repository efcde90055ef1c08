// A gated cell on paper: its bands from left to right, and the highway behind them.

import { svg } from "../shared/svg.js";
import { AHEAD, BAND_TITLE, ROW_GAP, TOP } from "./bands.js";
import { Cell } from "./cell.js";
import { FoldedMatrix, FoldedVector } from "./folded.js";
import { drawHighway } from "./highway.js";
import { GAP, LABEL, READABLE } from "./layout.js";
import { writeSymbol } from "./paper.js";
import { symbolText } from "./symbols.js";

/** @import { Bands, SignPart } from "./bands.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { Paper } from "./paper.js" */
/** @import { Band, CellOptions } from "./types" */

/** @typedef {{ x: number, y: number, width: number }} Corner where a slice begins, and its width */

export class BandDrawing {
  /** @param {Explorer} explorer @param {Paper} paper @param {Bands} bands */
  constructor(explorer, paper, bands) {
    this.explorer = explorer;
    this.paper = paper;
    this.bands = bands;
    this.view = bands.view;
    this.spec = bands.spec;
    this.sizes = bands.sizes;
    this.units = bands.units;
    this.gateRight = 0; // where the gates end
  }

  draw() {
    const { bands, view, spec, sizes } = this;
    const top = TOP + bands.head;
    let x = BAND_TITLE;
    for (const name of bands.columns) {
      const width = bands.columnWidth(name, sizes);
      this.column(name, x, width);
      x += width;
      const room = bands.signWidth(name, sizes);
      for (const band of spec.bands) this.sign(x + room / 2, bands.middle(band.gate), bands.signsOf(band, name));
      x += room;
    }
    for (const band of spec.bands) {
      const { gate } = band;
      const y = bands.middle(gate);
      this.title(band);
      this.slice(`a_${gate}`, 0, { x, y: bands.top(gate), width: sizes.cell });
      this.sign(x + sizes.cell + AHEAD / 2, y - 8, [band.fn]);
      const d = `M${x + sizes.cell + 3} ${y + 3}H${x + sizes.cell + AHEAD - 2}`;
      svg("path", { class: "arrow", d, "marker-end": "url(#head)" }, this.paper.arrows);
      this.slice(gate, 0, { x: x + sizes.cell + AHEAD, y: bands.top(gate), width: sizes.cell });
    }
    this.label(`a_${spec.bands[0].gate}`, x + sizes.cell / 2, top - 11, view.header.words.sum);
    this.gateRight = x + 2 * sizes.cell + AHEAD;
    drawHighway(this);
  }

  // A matrix or vector, band by band, and above a matrix the vector that it is multiplied with.
  /** @param {string} name @param {number} x @param {number} width */
  column(name, x, width) {
    const { bands, spec } = this;
    const isMatrix = name.startsWith("W");
    const top = TOP + bands.head;
    if (isMatrix) {
      const vector = bands.vectorOf(spec.bands[0], name);
      this.turned(vector, { x, y: top - LABEL - 22, width });
      this.label(vector, x + width / 2, top - LABEL - 33);
    }
    this.label(name, x + width / 2, top - 11);
    for (const band of spec.bands) {
      const y = bands.top(band.gate);
      if (isMatrix && bands.vectorOf(band, name) === "r_h") {
        this.turned("r_h", { x, y: y - 24, width });
        this.label("r_h", x + width / 2, y - 34);
      }
      this.slice(name, band.start, { x, y, width });
    }
  }

  // The rows of one gate in a stacked array, or a whole vector of H units.
  /** @param {string} name @param {number} start @param {Corner} corner */
  slice(name, start, { x, y, width }) {
    const { explorer, paper, view, sizes, units } = this;
    const [, columns] = view.shape(name);
    const isMatrix = columns > 1;
    const readable = sizes.readable && !(name.startsWith("W") && sizes.narrow);
    const group = this.group(name, `${units} × ${columns}`, start);
    const [gap, rowGap] = readable ? [GAP, ROW_GAP[this.bands.isLow ? "low" : "tall"]] : [0, 0];
    const { height } = sizes;
    const pitch = width / columns;
    /** @type {CellOptions} */
    const options = { font: sizes.font, bare: !readable, textless: !readable, className: readable ? "" : "bare" };
    if (!readable) {
      const frame = { x, y, width, height: units * height };
      if (isMatrix) {
        const folded = new FoldedMatrix(explorer, paper.ground, view, group, name, frame, options, [start, units]);
        paper.matrices.push(folded);
        paper.cells.push(...folded.cells);
      } else paper.vectors.push(new FoldedVector(paper.ground, group, name, [units, 1], frame, start));
    }
    if (readable || !isMatrix) {
      for (let i = 0; i < units; i++) {
        for (let j = 0; j < columns; j++) {
          const box = { x: x + j * pitch, y: y + i * height, width: pitch - (isMatrix ? gap : 0), height: height - rowGap };
          paper.cells.push(new Cell(explorer.names, group, name, view.isMatrix(name) ? [start + i, j] : [start + i], box, options));
        }
      }
    }
    this.note(name, { left: x, right: x + width, top: y, bottom: y + units * height });
  }

  // A vector lying across the matrix below it.
  /** @param {string} name @param {Corner} corner */
  turned(name, { x, y, width }) {
    const { explorer, paper, view, sizes } = this;
    const [count] = view.shape(name);
    const group = this.group(name, `${count} × 1`);
    const pitch = width / count;
    const readable = pitch >= READABLE.width;
    /** @type {CellOptions} */
    const options = { font: Math.min(sizes.font, 11.5), turned: true, bare: !readable, textless: !readable, className: readable ? "" : "bare" };
    if (!readable) paper.vectors.push(new FoldedVector(paper.ground, group, name, [1, count], { x, y, width, height: 17 }));
    for (let j = 0; j < count; j++) {
      const box = { x: x + j * pitch, y, width: pitch - (readable ? GAP : 0), height: 17 };
      paper.cells.push(new Cell(explorer.names, group, name, [j], box, options));
    }
    this.note(name, { left: x, right: x + width, top: y - LABEL, bottom: y + 17 });
  }

  /** @param {string} name @param {string} size */
  group(name, size, start = 0) {
    const { view, spec, paper, units } = this;
    const { caption, symbol, family } = view.variable(name);
    const band = view.shape(name)[0] > units && spec.bands.find((one) => one.start === start);
    const group = svg("g", { class: `block ${family}`, role: "group", "data-block": name }, paper.element);
    group.setAttribute("aria-label", [symbolText(view, name), symbol ? caption : "", band ? band.title : "", size].filter(Boolean).join(" "));
    return group;
  }

  /** @param {string} name @param {{ left: number, right: number, top: number, bottom: number }} edges */
  note(name, { left, right, top, bottom }) {
    this.paper.places[name] ??= { left, right, top, bottom, middle: (top + bottom) / 2, centre: (left + right) / 2 };
  }

  /** @param {string} name @param {number} x @param {number} y @param {string | null} words */
  label(name, x, y, words = null) {
    const { view, paper } = this;
    const label = svg("text", { class: "label", x, y, "aria-hidden": "true" }, paper.element);
    const { symbol, caption } = view.variable(name);
    if (words) svg("tspan", { class: "caption" }, label, words);
    else if (symbol) writeSymbol(label, view, name);
    else svg("tspan", { class: "caption" }, label, this.view.variable(name).brief || caption);
    if (name === "x") paper.letters.push(svg("tspan", { class: "letter" }, label));
    return label;
  }

  // A vector's letter and what it is, one after the other.
  /** @param {string} name @param {number} x @param {number} y */
  named(name, x, y) {
    const label = this.label(name, x, y);
    const { brief, caption } = this.view.variable(name);
    svg("tspan", { class: "caption", dy: -4 }, label, ` ${brief || caption}`);
    return label;
  }

  // Texts and letters of variables behind a block.
  /** @param {number} x @param {number} y @param {SignPart[]} parts */
  sign(x, y, parts) {
    const text = svg("text", { class: parts.length === 1 && parts[0].length === 1 ? "sign" : "sign small-sign", x, y, "aria-hidden": "true" }, this.paper.element);
    let down = 0;
    for (const part of parts) {
      if (!Array.isArray(part)) {
        svg("tspan", { dy: -down }, text, part);
        down = 0;
        continue;
      }
      const { symbol, sub, sup } = this.view.variable(part[0]);
      svg("tspan", { dy: -down }, text, symbol);
      down = 0;
      if (sup) {
        down = -4;
        svg("tspan", { class: "mark", dy: down }, text, sup);
      }
      if (sub) svg("tspan", { class: "mark", dy: 4 - down }, text, sub);
      if (sub) down = 4;
    }
  }

  /** @param {Band} band */
  title({ gate, title, words, rows }) {
    const { bands } = this;
    const room = bands.rows > 34;
    const more = bands.rows > 46; // room for which rows of the stacked weights these are
    const y = bands.middle(gate) - (more ? 8 : 0);
    /** @param {string} text @param {number} at @param {string} className */
    const put = (text, at, className) => svg("text", { class: `band-title ${className}`, x: 2, y: at, "aria-hidden": "true" }, this.paper.element, text);
    put(title, y - (room ? 9 : 0), "strong");
    if (room) put(words, y + 8, "caption");
    if (more) put(rows, y + 24, "caption");
  }
}
