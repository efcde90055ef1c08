// A gated cell: a band of lines for each gate, from the input and the memory to the gate, and at the right the memory
// as a highway on which the gates act. Weights are stacked in PyTorch's order; each band shows its own rows of them.

import { SMALLEST } from "../shared/short.js";
import { svg } from "../shared/svg.js";
import { Cell } from "./cell.js";
import { FoldedMatrix, FoldedVector } from "./folded.js";
import { GAP, LABEL, READABLE } from "./layout.js";
import { symbolText } from "./symbols.js";

const BAND_TITLE = 92; // room for the names of the gates
const BAND_GAP = { low: 4, tall: 9 };
const ROW_GAP = { low: 1, tall: GAP };
const ABOVE_GATES = { low: 8, tall: 14 }; // between the memory and the first gate
const BAND_ROWS = { low: 52, tall: 84 }; // height of a band whose units have no room for numbers
const NODE_RADIUS = 11;
const LANES = { first: 22, roomy: 40, tight: 28 }; // of the lines from the gates up to the highway
const SIGN = { roomy: 24, tight: 17 }; // room for a sign between two blocks
const AHEAD = 30; // room for an arrow to the next block
const BAND_SIDE = 28; // at the right, for the ways back

export class Bands {
  constructor(scene, view, width, isLow) {
    Object.assign(this, { scene, view, isLow, spec: view.header.scene });
    [this.units] = view.shape("h");
    this.sizes = this.chooseSizes(width);
    const { height } = this.sizes;
    this.rows = this.units * height;
    const gap = BAND_GAP[isLow ? "low" : "tall"];
    this.head = Math.max(2 * LABEL + 20, LABEL + this.rows + ABOVE_GATES[isLow ? "low" : "tall"]); // the vectors above the matrices, and the highway
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
  vectorOf({ gate }, matrix) {
    if (matrix === "W_ih") return "x";
    return gate === "n" && this.view.variable("r_h") ? "r_h" : "h_prev";
  }

  // The columns from left to right, one equation a band: the products and biases, the two partial sums, and the sum.
  get columns() {
    if (this.spec.joined) return ["W_hh", "W_ih", "b_ih", "b_hh"];
    return ["W_ih", "b_ih", "W_hh", "b_hh", "from_x", "from_h"];
  }

  // What stands behind a column in a band's equation: texts and, as [name], letters.
  signsOf(band, name) {
    const isReset = band.gate === "n" && this.spec.form.reset === "after"; // r stands before what comes from the state
    const product = (vector) => [" × ", [vector]];
    if (this.spec.joined) {
      const vectors = [" × [", [this.vectorOf(band, "W_hh")], "; ", ["x"], "] +"];
      return { W_hh: [""], W_ih: vectors, b_ih: ["+"], b_hh: ["="] }[name];
    }
    return {
      W_ih: [...product("x"), " +"],
      b_ih: [isReset ? "+ r ⊙ (" : "+"],
      W_hh: this.vectorOf(band, "W_hh") === "r_h" ? [" × (", ["r_h"], ") +"] : [...product("h_prev"), " +"],
      b_hh: [isReset && this.vectorOf(band, "W_hh") !== "r_h" ? ") =" : "="],
      from_x: [isReset ? "+ r ⊙" : "+"],
      from_h: ["="],
    }[name];
  }

  chooseSizes(width) {
    const { view, units, isLow } = this;
    const [few, some] = isLow ? [17, 14] : [22, 19];
    const height = units <= 3 ? few : units <= 5 ? some : Math.max(0.75, BAND_ROWS[isLow ? "low" : "tall"] / units);
    const readable = height >= READABLE.height;
    const inputs = view.shape("W_ih")[1];
    const narrow = inputs + units > 8; // no room for the numbers of the matrices
    let sizes;
    for (const cell of [52, 48, 44, 41, 38, 35, 34, 33, 32]) {
      const pitch = narrow || !readable ? Math.max(2, Math.min(16, 150 / (inputs + units))) : cell + GAP;
      const space = cell > 34 ? "roomy" : "tight";
      const font = cell >= 44 && height > 18 ? 12.5 : SMALLEST;
      sizes = { cell: readable ? cell : Math.min(42, cell - 6), pitch, height, readable, narrow, font, sign: SIGN[space], between: this.spec.memory === "c" ? LANES[space] : LANES.roomy };
      sizes.total = this.widthOf(sizes);
      if (sizes.total <= width) break;
    }
    return sizes;
  }

  widthOf(sizes) {
    const { view } = this;
    const one = (name) => this.columnWidth(name, sizes) + this.signWidth(name, sizes);
    const gates = 2 * sizes.cell + AHEAD;
    const lanes = LANES.first + 2 * sizes.between;
    const memory = (view.variable("c") ? 2 : 1) * (Math.max(sizes.cell, 46) + AHEAD);
    return BAND_TITLE + this.columns.reduce((sum, column) => sum + one(column), 0) + gates + lanes + memory + BAND_SIDE;
  }

  // The room that the widest sign behind a column takes.
  signWidth(name, { sign }) {
    const widths = this.spec.bands.map((band) => {
      const parts = this.signsOf(band, name).map((part) => (Array.isArray(part) ? this.letterWidth(part[0]) : signLength(part)));
      return parts.reduce((sum, width) => sum + width, 0);
    });
    const widest = Math.max(...widths);
    return widest === 0 ? 4 : Math.max(sign, widest + 4);
  }

  letterWidth(name) {
    const { symbol, sub, sup } = this.view.variable(name);
    return 6.8 * symbol.length + 5 * (sub.length + sup.length);
  }

  columnWidth(name, { cell, pitch, readable }) {
    const [, columns] = this.view.shape(name);
    if (columns > 1 || name.startsWith("W")) return Math.max(columns * pitch, readable ? 0 : 30);
    return cell;
  }

  get width() {
    return this.sizes.total;
  }

  // Where the picture ends but for the ways back.
  get right() {
    return this.sizes.total - BAND_SIDE;
  }

  // ---- drawing ----

  draw() {
    const { view, spec, sizes } = this;
    const top = TOP + this.head;
    let x = BAND_TITLE;
    for (const name of this.columns) {
      const width = this.columnWidth(name, sizes);
      this.column(name, x, width);
      x += width;
      const room = this.signWidth(name, sizes);
      for (const band of spec.bands) this.sign(x + room / 2, this.middle(band.gate), this.signsOf(band, name));
      x += room;
    }
    for (const band of spec.bands) {
      const { gate } = band;
      const y = this.middle(gate);
      this.title(band);
      this.slice(`a_${gate}`, 0, { x, y: this.tops.get(gate), width: sizes.cell });
      this.sign(x + sizes.cell + AHEAD / 2, y - 8, [band.fn]);
      this.line(`M${x + sizes.cell + 3} ${y + 3}H${x + sizes.cell + AHEAD - 2}`);
      this.slice(gate, 0, { x: x + sizes.cell + AHEAD, y: this.tops.get(gate), width: sizes.cell });
    }
    this.label(`a_${spec.bands[0].gate}`, x + sizes.cell / 2, top - 11, view.header.words.sum);
    this.gateRight = x + 2 * sizes.cell + AHEAD;
    if (spec.memory === "c") this.cellState();
    else this.hiddenState();
  }

  middle(gate) {
    return this.tops.get(gate) + this.rows / 2;
  }

  // A matrix or vector, band by band, and above a matrix the vector that it is multiplied with.
  column(name, x, width) {
    const { spec } = this;
    const isMatrix = name.startsWith("W");
    const top = TOP + this.head;
    if (isMatrix) {
      const vector = this.vectorOf(spec.bands[0], name);
      this.turned(vector, { x, y: top - LABEL - 22, width });
      this.label(vector, x + width / 2, top - LABEL - 33);
    }
    this.label(name, x + width / 2, top - 11);
    for (const band of spec.bands) {
      const y = this.tops.get(band.gate);
      if (isMatrix && this.vectorOf(band, name) === "r_h") {
        this.turned("r_h", { x, y: y - 24, width });
        this.label("r_h", x + width / 2, y - 34);
      }
      this.slice(name, band.start, { x, y, width });
    }
  }

  // The rows of one gate in a stacked array, or a whole vector of H units.
  slice(name, start, { x, y, width }) {
    const { scene, view, sizes, units } = this;
    const [, columns] = view.shape(name);
    const isMatrix = columns > 1;
    const readable = sizes.readable && !(name.startsWith("W") && sizes.narrow);
    const group = this.group(name, `${units} × ${columns}`, start);
    const [gap, rowGap] = readable ? [GAP, ROW_GAP[this.isLow ? "low" : "tall"]] : [0, 0];
    const { height } = sizes;
    const pitch = width / columns;
    const options = { font: sizes.font, bare: !readable, textless: !readable, className: readable ? "" : "bare" };
    if (!readable) {
      const frame = { x, y, width, height: units * height };
      const folded = isMatrix
        ? new FoldedMatrix(scene.explorer, scene.ground, view, group, name, frame, options, [start, units])
        : new FoldedVector(scene.ground, group, name, [units, 1], frame, start);
      scene.folded.push(folded);
      if (isMatrix) scene.cells.push(...folded.cells);
    }
    if (readable || !isMatrix) {
      for (let i = 0; i < units; i++) {
        for (let j = 0; j < columns; j++) {
          const box = { x: x + j * pitch, y: y + i * height, width: pitch - (isMatrix ? gap : 0), height: height - rowGap };
          scene.cells.push(new Cell(scene.explorer, group, name, view.isMatrix(name) ? [start + i, j] : [start + i], box, options));
        }
      }
    }
    this.note(name, { left: x, right: x + width, top: y, bottom: y + units * height });
  }

  // A vector lying across the matrix below it.
  turned(name, { x, y, width }) {
    const { scene, view, sizes } = this;
    const [count] = view.shape(name);
    const group = this.group(name, `${count} × 1`);
    const pitch = width / count;
    const readable = pitch >= READABLE.width;
    const options = { font: Math.min(sizes.font, 11.5), turned: true, bare: !readable, textless: !readable, className: readable ? "" : "bare" };
    if (!readable) scene.folded.push(new FoldedVector(scene.ground, group, name, [1, count], { x, y, width, height: 17 }));
    for (let j = 0; j < count; j++) {
      const box = { x: x + j * pitch, y, width: pitch - (readable ? GAP : 0), height: 17 };
      scene.cells.push(new Cell(scene.explorer, group, name, [j], box, options));
    }
    this.note(name, { left: x, right: x + width, top: y - LABEL, bottom: y + 17 });
  }

  group(name, size, start = 0) {
    const { view, spec, scene, units } = this;
    const { caption, symbol, family } = view.variable(name);
    const band = view.shape(name)[0] > units && spec.bands.find((one) => one.start === start);
    const group = svg("g", { class: `block ${family}`, role: "group", "data-block": name }, scene.element);
    group.setAttribute("aria-label", [symbolText(view, name), symbol ? caption : "", band ? band.title : "", size].filter(Boolean).join(" "));
    return group;
  }

  note(name, { left, right, top, bottom }) {
    this.scene.places[name] ??= { left, right, top, bottom, middle: (top + bottom) / 2, centre: (left + right) / 2 };
  }

  label(name, x, y, words = null) {
    const { view, scene } = this;
    const label = svg("text", { class: "label", x, y, "aria-hidden": "true" }, scene.element);
    const { symbol, caption } = view.variable(name);
    if (words) svg("tspan", { class: "caption" }, label, words);
    else if (symbol) scene.symbol(label, view, name);
    else svg("tspan", { class: "caption" }, label, this.view.variable(name).brief || caption);
    if (name === "x") scene.letters.push(svg("tspan", { class: "letter" }, label));
    return label;
  }

  // A vector's letter and what it is, one after the other.
  named(name, x, y) {
    const label = this.label(name, x, y);
    const { brief, caption } = this.view.variable(name);
    svg("tspan", { class: "caption", dy: -4 }, label, ` ${brief || caption}`);
    return label;
  }

  // Texts and letters of variables behind a block.
  sign(x, y, parts) {
    const text = svg("text", { class: parts.length === 1 && parts[0].length === 1 ? "sign" : "sign small-sign", x, y, "aria-hidden": "true" }, this.scene.element);
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
      if (sup) svg("tspan", { class: "mark", dy: (down = -4) }, text, sup);
      if (sub) svg("tspan", { class: "mark", dy: 4 - down }, text, sub);
      if (sub) down = 4;
    }
  }

  title({ gate, title, words, rows }) {
    const room = this.rows > 34;
    const more = this.rows > 46; // room for which rows of the stacked weights these are
    const y = this.middle(gate) - (more ? 8 : 0);
    const put = (text, at, className) => svg("text", { class: `band-title ${className}`, x: 2, y: at, "aria-hidden": "true" }, this.scene.element, text);
    put(title, y - (room ? 9 : 0), "strong");
    if (room) put(words, y + 8, "caption");
    if (more) put(rows, y + 24, "caption");
  }

  // ---- the highway ----

  line(d, isHighway = false, hasHead = true) {
    const line = svg("path", { class: isHighway ? "highway" : "arrow", d }, this.scene.arrows);
    if (hasHead) line.setAttribute("marker-end", isHighway ? "url(#highway-head)" : "url(#head)");
  }

  node(x, y, sign, note = "") {
    svg("circle", { class: "join", cx: x, cy: y, r: NODE_RADIUS }, this.scene.element);
    svg("text", { class: "sign big", x, y, "aria-hidden": "true" }, this.scene.element, sign);
    if (note) svg("text", { class: "caption", x, y: y - NODE_RADIUS - 9, "aria-hidden": "true" }, this.scene.element, note);
  }

  // LSTM: f times c_prev, plus i times g, is c; o times tanh(c) is h.
  cellState() {
    const { sizes, gateRight: right } = this;
    const wide = Math.max(sizes.cell, 46);
    const start = right - sizes.cell;
    const top = TOP + LABEL;
    const y = top + this.rows / 2;
    const [f, i, g, o] = ["f", "i", "g", "o"].map((gate) => this.middle(gate));
    const keep = right + LANES.first, add = keep + sizes.between, c = add + sizes.between;
    const [from, r] = [right + 3, NODE_RADIUS];
    this.named("c_prev", start + sizes.cell / 2 - 9, top - 11).style.textAnchor = "end"; // beside the way back
    this.slice("c_prev", 0, { x: start, y: top, width: sizes.cell });
    this.line(`M${from} ${y}H${keep - r}`, true, false);
    this.line(`M${keep + r} ${y}H${add - r}`, true, false);
    this.line(`M${add + r} ${y}H${c - 4}`, true);
    this.named("c", c + wide / 2 - 8, top - 11);
    this.slice("c", 0, { x: c, y: top, width: wide });
    const end = c + wide + AHEAD;
    this.line(`M${from} ${f}H${keep}V${y + r + 5}`);
    this.line(`M${from} ${i}H${add - r - 4}`);
    this.line(`M${from} ${g}H${add}V${i + r + 5}`);
    this.line(`M${add} ${i - r}V${y + r + 5}`);
    this.node(keep, y, "⊙");
    this.node(add, y, "+");
    this.node(add, i, "⊙");
    const shown = this.tops.get("i");
    this.line(`M${c + wide / 2} ${top + this.rows + 2}V${shown - LABEL - 2}`);
    this.label("tanh_c", c + wide / 2, shown - 11);
    this.slice("tanh_c", 0, { x: c, y: shown, width: wide });
    this.line(`M${c + wide / 2} ${shown + this.rows + 2}V${o - r - 4}`);
    this.line(`M${from} ${o}H${c + wide / 2 - r - 4}`);
    this.node(c + wide / 2, o, "⊙");
    this.line(`M${c + wide / 2 + r} ${o}H${end - 4}`);
    this.named("h", end + wide / 2 - 10, this.tops.get("o") - 11);
    this.slice("h", 0, { x: end, y: this.tops.get("o"), width: wide });
    this.loop("c", c + wide, y, 20, "highway");
    this.loop("h", end + wide, o, 7, "arrow");
  }

  // GRU: z times h_prev, plus 1 - z times the candidate, is h; or z and 1 - z exchanged.
  hiddenState() {
    const { sizes, gateRight: right, spec } = this;
    const wide = Math.max(sizes.cell, 46);
    const from = right + 3, r = NODE_RADIUS;
    const keeps = spec.form.update === "keep";
    const keep = right + LANES.first, write = keep + sizes.between, add = write + sizes.between, h = add + 34;
    const top = TOP + LABEL;
    const y = top + this.rows / 2;
    const { right: begin, top: above, bottom } = this.scene.places.h_prev;
    const level = (above + LABEL + bottom) / 2;
    const [z, n] = [this.middle("z"), this.middle("n")];
    this.line(`M${begin + 4} ${level}H${keep - 26}C${keep - 16} ${level} ${keep - 22} ${y} ${keep - r} ${y}`, true, false);
    this.line(`M${keep + r} ${y}H${add - r}`, true, false);
    this.line(`M${add + r} ${y}H${h - 4}`, true);
    this.line(`M${from} ${z}H${keep}V${y + r + 5}`);
    this.line(`M${keep} ${z}H${write}V${n - r - 4}`);
    this.line(`M${from} ${n}H${write - r - 4}`);
    this.line(`M${write + r} ${n}H${add}V${y + r + 5}`);
    const [kept, written] = keeps ? ["z", "1 − z"] : ["1 − z", "z"];
    this.laneNote(keep + 5, (y + z) / 2 + 10, kept);
    this.laneNote(write + 5, (z + n) / 2, written);
    this.node(keep, y, "⊙");
    this.node(add, y, "+");
    this.node(write, n, "⊙");
    this.named("h", h + wide / 2 - 16, top - 11);
    this.slice("h", 0, { x: h, y: top, width: wide });
    this.loop("h", h + wide, y, 7, "highway");
  }

  laneNote(x, y, text) {
    svg("text", { class: "caption lane", x, y, "aria-hidden": "true" }, this.scene.element, text);
  }

  // A state on its way to the next step, at a height of its own above everything; the highway is drawn as such.
  loop(state, x, y, height, className) {
    const { centre, top } = this.scene.places[`${state}_prev`];
    const { words } = this.view.header;
    const isHighway = className === "highway";
    const side = x + 20;
    const head = isHighway ? "highway-head" : "head";
    const down = state === "c" ? top + LABEL - 22 : top - 2;
    svg("path", { class: `${className} loop`, d: `M${x + 4} ${y}H${side}V${height}H${centre}V${down}`, "marker-end": `url(#${head})` }, this.scene.arrows);
    const text = state === "c" ? words.loop_c : words.loop;
    const at = state === "c" ? { x: side + 6, y: height + 2 } : { x: centre + 10, y: height + 9 };
    const label = svg("text", { class: "loop-label", ...at, "aria-hidden": "true" }, this.scene.arrows, text);
    label.style.textAnchor = "start";
  }
}

const TOP = 27; // room for the ways back

// The width of a sign's text in a small font.
const signLength = (text) => [...text].reduce((sum, sign) => sum + (/[ ;]/.test(sign) ? 3.7 : /[()[\]]/.test(sign) ? 4.5 : 7.8), 0);
