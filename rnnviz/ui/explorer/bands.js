// A gated cell: a band of lines for each gate, from the input and the memory to the gate, and at the right the memory
// as a highway on which the gates act. Weights are stacked in PyTorch's order; each band shows its own rows of them.

const BAND_TITLE = 96; // room for the names of the gates
const BAND_GAP = 12;
const BAND_ROWS = 84; // height of a band whose units have no room for numbers
const NODE_RADIUS = 11;
const LANES = { first: 26, roomy: 40, tight: 31 }; // of the lines from the gates up to the highway
const SIGN = { roomy: 26, tight: 19 }; // room for a sign between two blocks

class Bands {
  constructor(scene, view, width) {
    Object.assign(this, { scene, view, spec: view.header.scene });
    [this.units] = view.shape("h");
    this.sizes = this.chooseSizes(width);
    const { height } = this.sizes;
    this.rows = this.units * height;
    this.head = Math.max(2 * LABEL + 22, LABEL + this.rows + 16); // the vectors above the matrices, and the highway
    this.tops = new Map();
    let y = TOP + this.head;
    for (const band of this.spec.bands) {
      if (this.vectorOf(band, "W_hh") === "r_h") y += 22 + LABEL; // this band's product has a vector of its own
      this.tops.set(band.gate, y);
      y += this.rows + BAND_GAP;
    }
    this.bottom = y;
  }

  // What a band's matrix is multiplied with.
  vectorOf({ gate }, matrix) {
    if (matrix === "W_ih") return "x";
    return gate === "n" && this.view.variable("r_h") ? "r_h" : "h_prev";
  }

  // The columns from left to right; `after` is the sign behind each.
  get columns() {
    if (this.spec.joined) return [["W_hh", ""], ["W_ih", "+"], ["b_ih", "+"], ["b_hh", "="]];
    return [["W_ih", "+"], ["b_ih", "="], ["from_x", "+"], ["W_hh", "+"], ["b_hh", "="], ["from_h", "="]];
  }

  chooseSizes(width) {
    const { view, units } = this;
    const height = units <= 3 ? 22 : units <= 5 ? 19 : Math.max(2.5, BAND_ROWS / units);
    const readable = height >= READABLE.height;
    const inputs = view.shape("W_ih")[1];
    const narrow = inputs + units > 10; // no room for the numbers of the matrices
    let sizes;
    for (const cell of [52, 48, 44, 41, 38, 35, 34, 33, 32]) {
      const pitch = narrow || !readable ? Math.max(2, Math.min(16, 170 / (inputs + units))) : cell + GAP;
      const space = cell > 34 ? "roomy" : "tight";
      const font = cell >= 44 && height > 20 ? 12.5 : cell > 34 ? 11 : 10.5;
      sizes = { cell: readable ? cell : Math.min(42, cell - 6), pitch, height, readable, narrow, font, sign: SIGN[space], between: LANES[space] };
      sizes.total = this.widthOf(sizes);
      if (sizes.total <= width) break;
    }
    return sizes;
  }

  widthOf(sizes) {
    const { view } = this;
    const one = ([name, sign]) => this.columnWidth(name, sizes) + (sign ? this.signWidth(name, sizes) : 4);
    const gates = 2 * sizes.cell + 34;
    const lanes = LANES.first + 2 * sizes.between;
    const memory = (view.variable("c") ? 2 : 1) * (Math.max(sizes.cell, 46) + 34);
    return BAND_TITLE + this.columns.reduce((sum, column) => sum + one(column), 0) + gates + lanes + memory + WIDE_SIDE;
  }

  columnWidth(name, { cell, pitch, readable }) {
    const [, columns] = this.view.shape(name);
    if (columns > 1 || name.startsWith("W")) return Math.max(columns * pitch, readable ? 0 : 30);
    return cell;
  }

  get width() {
    return this.sizes.total;
  }

  // ---- drawing ----

  draw() {
    const { view, spec, sizes } = this;
    const top = TOP + this.head;
    let x = BAND_TITLE;
    for (const [name, sign] of this.columns) {
      const width = this.columnWidth(name, sizes);
      this.column(name, x, width);
      x += width;
      if (sign) {
        const room = this.signWidth(name, sizes);
        for (const band of spec.bands) this.sign(x + room / 2, this.middle(band.gate), this.signOf(band, name, sign));
        x += room;
      } else x += 4;
    }
    for (const band of spec.bands) {
      const { gate } = band;
      this.title(band);
      this.slice(`a_${gate}`, 0, { x, y: this.tops.get(gate), width: sizes.cell });
      this.sign(x + sizes.cell + 17, this.middle(gate), band.fn);
      this.slice(gate, 0, { x: x + sizes.cell + 34, y: this.tops.get(gate), width: sizes.cell });
    }
    this.label(`a_${spec.bands[0].gate}`, x + sizes.cell / 2, top - 11, view.header.words.sum);
    this.gateRight = x + 2 * sizes.cell + 34;
    if (spec.memory === "c") this.longMemory();
    else this.shortMemory();
  }

  signWidth(name, { sign }) {
    return sign + (name === "from_x" && this.spec.form.reset === "after" ? 12 : 0);
  }

  // With the reset after the product, r stands before what comes from the memory.
  signOf({ gate }, name, sign) {
    const { form } = this.spec;
    return gate === "n" && form.reset === "after" && name === "from_x" ? "+ r·" : sign;
  }

  middle(gate) {
    return this.tops.get(gate) + this.rows / 2;
  }

  // A matrix or vector, band by band, and above a matrix the vector that it is multiplied with.
  column(name, x, width) {
    const { spec, sizes } = this;
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
    const gap = readable ? GAP : 0;
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
          const box = { x: x + j * pitch, y: y + i * height, width: pitch - (isMatrix ? gap : 0), height: height - gap };
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
    const className = this.sizes.cell < 36 ? "caption tight" : "caption";
    if (words) svg("tspan", { class: className }, label, words);
    else if (symbol) scene.symbol(label, view, name);
    else svg("tspan", { class: className }, label, caption);
    return label;
  }

  // A vector's letter and what it is, one after the other.
  named(name, x, y) {
    const label = this.label(name, x, y);
    svg("tspan", { class: "caption", dy: -4 }, label, ` ${this.view.variable(name).caption}`);
  }

  sign(x, y, text) {
    svg("text", { class: text.length > 1 ? "sign small-sign" : "sign", x, y, "aria-hidden": "true" }, this.scene.element, text);
  }

  title({ gate, title, words, rows }) {
    const room = this.rows > 40;
    const more = this.rows > 54; // room for which rows of the stacked weights these are
    const y = this.middle(gate) - (more ? 8 : 0);
    const put = (text, at, className) => svg("text", { class: `band-title ${className}`, x: 2, y: at, "aria-hidden": "true" }, this.scene.element, text);
    put(title, y - (room ? 9 : 0), "strong");
    if (room) put(words, y + 9, "caption");
    if (more) put(rows, y + 26, "caption");
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

  // LSTM: c_prev, times f, plus i times g, is c; o times tanh(c) is shown as h.
  longMemory() {
    const { sizes, gateRight: right } = this;
    const wide = Math.max(sizes.cell, 46);
    const start = right - sizes.cell;
    const top = TOP + LABEL;
    const y = top + this.rows / 2;
    const [f, i, g, o] = ["f", "i", "g", "o"].map((gate) => this.middle(gate));
    const keep = right + LANES.first, add = keep + sizes.between, c = add + sizes.between;
    const [from, r] = [right + 3, NODE_RADIUS];
    this.named("c_prev", start + sizes.cell / 2 - 8, top - 12);
    this.slice("c_prev", 0, { x: start, y: top, width: sizes.cell });
    this.line(`M${from} ${y}H${keep - r}`, true);
    this.line(`M${keep + r} ${y}H${add - r}`, true, false);
    this.line(`M${add + r} ${y}H${c - 4}`, true);
    this.named("c", c + wide / 2, top - 12);
    this.slice("c", 0, { x: c, y: top, width: wide });
    const end = c + wide + 34;
    this.line(`M${c + wide + 3} ${y}H${end + wide}`, true);
    this.laneNote(c + wide + 10, y + 15, this.view.header.words.next_c);
    this.line(`M${from} ${f}H${keep}V${y + r + 5}`);
    this.line(`M${from} ${i}H${add - r - 4}`);
    this.line(`M${from} ${g}H${add}V${i + r + 5}`);
    this.line(`M${add} ${i - r}V${y + r + 5}`);
    this.node(keep, y, "×");
    this.node(add, y, "+");
    this.node(add, i, "×");
    const shown = this.tops.get("i");
    this.line(`M${c + wide / 2} ${top + this.rows + 2}V${shown - LABEL - 2}`);
    this.label("tanh_c", c + wide / 2, shown - 11);
    this.slice("tanh_c", 0, { x: c, y: shown, width: wide });
    this.line(`M${c + wide / 2} ${shown + this.rows + 2}V${o - r - 4}`);
    this.line(`M${from} ${o}H${c + wide / 2 - r - 4}`);
    this.node(c + wide / 2, o, "×");
    this.line(`M${c + wide / 2 + r} ${o}H${end - 4}`);
    this.named("h", end + wide / 2, this.tops.get("o") - 11);
    this.slice("h", 0, { x: end, y: this.tops.get("o"), width: wide });
    this.loop(end + wide, o, "h_prev");
  }

  // GRU: h_prev times z, plus the candidate times 1 - z, is h; or z and 1 - z exchanged.
  shortMemory() {
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
    this.line(`M${begin + 4} ${level}H${keep - 26}C${keep - 16} ${level} ${keep - 22} ${y} ${keep - r} ${y}`, true);
    this.line(`M${keep + r} ${y}H${add - r}`, true, false);
    this.line(`M${add + r} ${y}H${h - 4}`, true);
    this.line(`M${from} ${z}H${keep}V${y + r + 5}`);
    this.line(`M${keep} ${z}H${write}V${n - r - 4}`);
    this.line(`M${from} ${n}H${write - r - 4}`);
    this.line(`M${write + r} ${n}H${add}V${y + r + 5}`);
    const [kept, written] = keeps ? ["z", "1 − z"] : ["1 − z", "z"];
    this.laneNote(keep + 5, (y + z) / 2 + 10, kept);
    this.laneNote(write + 5, (z + n) / 2, written);
    this.node(keep, y, "×");
    this.node(add, y, "+");
    this.node(write, n, "×");
    this.named("h", h + wide / 2, top - 12);
    this.slice("h", 0, { x: h, y: top, width: wide });
    this.loop(h + wide, y, "h_prev");
  }

  laneNote(x, y, text) {
    svg("text", { class: "caption lane", x, y, "aria-hidden": "true" }, this.scene.element, text);
  }

  // The new state on its way back, above everything.
  loop(x, y, entry) {
    const { centre, top } = this.scene.places[entry];
    const { words } = this.view.header;
    svg("path", { class: "arrow loop", d: `M${x + 4} ${y}H${x + 20}V6H${centre}V${top - 2}`, "marker-end": "url(#head)" }, this.scene.arrows);
    svg("text", { class: "loop-label", x: (centre + x) / 2, y: 14, "aria-hidden": "true" }, this.scene.arrows, words.loop);
  }
}

const TOP = 20; // room for the way back
