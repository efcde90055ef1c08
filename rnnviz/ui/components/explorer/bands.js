// The layout of a gated cell: a band of lines for each gate, from the input and the memory to the gate, and at the right
// the memory as a highway on which the gates act. Weights are stacked in PyTorch's order; each band shows its own rows.

import { SMALLEST } from "../shared/short.js";
import { GAP, LABEL, READABLE } from "./layout.js";

/** @import { TraceView } from "./trace.js" */
/** @import { Band, BandScene } from "./types" */

/** @typedef {string | [name: string]} SignPart a text, or the letter of a variable */
/**
 * @typedef {object} BandSizes
 * @property {number} cell width of a gate's cells
 * @property {number} pitch width of a matrix's columns
 * @property {number} height of a row
 * @property {boolean} readable whether numbers have room
 * @property {boolean} narrow whether those of the matrices have none: columns without numbers take less width
 * @property {number} font
 * @property {number} sign room for a sign
 * @property {number} between room between the lanes of the highway
 */

export const TOP = 27; // room for the ways back
export const BAND_TITLE = 92; // room for the names of the gates
const BAND_GAP = { low: 4, tall: 9 };
export const ROW_GAP = { low: 1, tall: GAP };
const ABOVE_GATES = { low: 8, tall: 14 }; // between the memory and the first gate
const BAND_ROWS = { low: 52, tall: 84 }; // height of a band whose units have no room for numbers
const MOST_WHOLE = 4; // units whose matrices keep their numbers even where the picture is wider than the window
const MOST_LOW_ROWS = 16; // of numbers in all bands together, in a window with little height
export const NODE_RADIUS = 11;
export const LANES = { first: 22, roomy: 40, tight: 28 }; // of the lines from the gates up to the highway
const SIGN = { roomy: 24, tight: 17 }; // room for a sign between two blocks
export const AHEAD = 30; // room for an arrow to the next block
const CELLS = [52, 48, 44, 41, 38, 35, 34, 33, 32]; // widths, the widest that fits is taken
const BAND_SIDE = 28; // at the right, for the ways back

export class Bands {
  /** @param {TraceView} view @param {BandScene} spec @param {number} width @param {boolean} isLow */
  constructor(view, spec, width, isLow) {
    this.view = view;
    this.spec = spec;
    this.isLow = isLow;
    this.units = view.shape("h")[0];
    this.sizes = this.chooseSizes(width);
    this.width = this.widthOf(this.sizes);
    const { height } = this.sizes;
    this.rows = this.units * height;
    const gap = BAND_GAP[isLow ? "low" : "tall"];
    this.head = Math.max(2 * LABEL + 20, LABEL + this.rows + ABOVE_GATES[isLow ? "low" : "tall"]); // the vectors above the matrices, and the highway
    /** @type {Map<string, number>} where the bands begin, by gate */
    this.tops = new Map();
    let y = TOP + this.head;
    for (const band of this.spec.bands) {
      if (this.vectorOf(band, "W_hh") === "r_h") y += 20 + LABEL; // this band's product has a vector of its own
      this.tops.set(band.gate, y);
      y += this.rows + gap;
    }
    this.bottom = y;
  }

  // What a band's matrix is multiplied with.
  /** @param {Band} band @param {string} matrix */
  vectorOf({ gate }, matrix) {
    if (matrix === "W_ih") return "x";
    return gate === "n" && this.view.variable("r_h") ? "r_h" : "h_prev";
  }

  // The columns from left to right, one equation a band: the products and biases, the two partial sums, and the sum.
  get columns() {
    if (this.spec.joined) return ["W_hh", "W_ih", "b_ih", "b_hh"];
    return ["W_ih", "b_ih", "W_hh", "b_hh", "from_x", "from_h"];
  }

  // What stands behind a column in a band's equation.
  /** @param {Band} band @param {string} name @returns {SignPart[]} */
  signsOf(band, name) {
    return (this.spec.joined ? this.joinedSigns(band) : this.signs(band))[name];
  }

  /** @param {Band} band @returns {Record<string, SignPart[]>} */
  joinedSigns(band) {
    return { W_hh: [""], W_ih: [" × [", [this.vectorOf(band, "W_hh")], "; ", ["x"], "] +"], b_ih: ["+"], b_hh: ["="] };
  }

  /** @param {Band} band @returns {Record<string, SignPart[]>} */
  signs(band) {
    const isReset = band.gate === "n" && this.spec.form.reset === "after"; // r stands before what comes from the state
    const isResetFirst = this.vectorOf(band, "W_hh") === "r_h";
    return {
      W_ih: [" × ", ["x"], " +"],
      b_ih: [isReset ? "+ r ⊙ (" : "+"],
      W_hh: isResetFirst ? [" × (", ["r_h"], ") +"] : [" × ", ["h_prev"], " +"],
      b_hh: [isReset && !isResetFirst ? ") =" : "="],
      from_x: [isReset ? "+ r ⊙" : "+"],
      from_h: ["="],
    };
  }

  /** @param {number} width */
  chooseSizes(width) {
    const { view, spec, units, isLow } = this;
    const [few, some] = isLow ? [17, 14] : [22, 19];
    const isFull = isLow && spec.bands.length * units > MOST_LOW_ROWS;
    const height = units <= 3 ? few : units <= 5 && !isFull ? some : Math.max(0.75, BAND_ROWS[isLow ? "low" : "tall"] / units);
    const readable = height >= READABLE.height;
    const inputs = view.shape("W_ih")[1];
    /** @param {number} cell @param {boolean} narrow @returns {BandSizes} */
    const sizesOf = (cell, narrow) => {
      const pitch = narrow || !readable ? Math.max(2, Math.min(16, 150 / (inputs + units))) : cell + GAP;
      const space = cell > 34 ? "roomy" : "tight";
      const font = cell >= 44 && height > 18 ? 12.5 : SMALLEST;
      const between = spec.memory === "c" ? LANES[space] : LANES.roomy;
      return { cell: readable ? cell : Math.min(42, cell - 6), pitch, height, readable, narrow, font, sign: SIGN[space], between };
    };
    const slim = CELLS.map((cell) => sizesOf(cell, true));
    const whole = CELLS.map((cell) => sizesOf(cell, false));
    const choices = inputs + units > 8 ? slim : units > MOST_WHOLE ? [...whole, ...slim] : whole;
    return choices.find((sizes) => this.widthOf(sizes) <= width) ?? choices[CELLS.length - 1];
  }

  /** @param {BandSizes} sizes */
  widthOf(sizes) {
    const { view } = this;
    /** @param {string} name */
    const one = (name) => this.columnWidth(name, sizes) + this.signWidth(name, sizes);
    const gates = 2 * sizes.cell + AHEAD;
    const lanes = LANES.first + 2 * sizes.between;
    const memory = (view.variable("c") ? 2 : 1) * (Math.max(sizes.cell, 46) + AHEAD);
    return BAND_TITLE + this.columns.reduce((sum, column) => sum + one(column), 0) + gates + lanes + memory + BAND_SIDE;
  }

  // The room that the widest sign behind a column takes.
  /** @param {string} name @param {BandSizes} sizes */
  signWidth(name, { sign }) {
    const widths = this.spec.bands.map((band) => {
      const parts = this.signsOf(band, name).map((part) => (Array.isArray(part) ? this.letterWidth(part[0]) : signLength(part)));
      return parts.reduce((sum, width) => sum + width, 0);
    });
    const widest = Math.max(...widths);
    return widest === 0 ? 4 : Math.max(sign, widest + 4);
  }

  /** @param {string} name */
  letterWidth(name) {
    const { symbol, sub, sup } = this.view.variable(name);
    return 6.8 * symbol.length + 5 * (sub.length + sup.length);
  }

  /** @param {string} name @param {BandSizes} sizes */
  columnWidth(name, { cell, pitch, readable }) {
    const [, columns] = this.view.shape(name);
    if (columns > 1 || name.startsWith("W")) return Math.max(columns * pitch, readable ? 0 : 30);
    return cell;
  }

  // Where the picture ends but for the ways back.
  get right() {
    return this.width - BAND_SIDE;
  }

  // The middle of a gate's rows.
  /** @param {string} gate */
  middle(gate) {
    return this.top(gate) + this.rows / 2;
  }

  /** @param {string} gate */
  top(gate) {
    return this.tops.get(gate) ?? 0;
  }
}

// The width of a sign's text in a small font.
/** @param {string} text */
const signLength = (text) => [...text].reduce((sum, sign) => sum + (/[ ;]/.test(sign) ? 3.7 : /[()[\]]/.test(sign) ? 4.5 : 7.8), 0);
