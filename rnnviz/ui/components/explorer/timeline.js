// The strip below: inputs, states and outputs of all steps, a step a column; the shown step is framed.

const ROW_LABEL = 52;
const FLAT = { highest: 17, number: 14, pointed: 2 }; // heights of a row: at most, to hold numbers, to be pointed at
const NAME_HEIGHT = 11; // of a variable, the least of all its rows together
const APART = { roomy: 7, tight: 4, least: 2 }; // between variables
const POINTED_ROOM = 140; // for rows that can be pointed at the strip may take as much, even from the picture

const MOST_CELLS = 1300; // of a strip drawn as cells; a larger one is a picture with cells for the shown step alone
const NARROWEST = 4; // px of a step drawn as cells: the lines between narrower ones would look like stripes of the numbers

class Timeline {
  // `room` is the height that the window leaves.
  constructor(explorer, view, width, room) {
    this.explorer = explorer;
    this.cells = [];
    this.byPlace = new Map(); // "variable.unit.step"
    this.strips = []; // of a folded timeline
    const columns = view.steps + 1; // the first holds the initial state
    const wide = (width - ROW_LABEL - 14) / columns;
    const number = Math.min(140, wide - 2);
    const names = view.header.timeline;
    const units = names.map((name) => view.shape(name)[0]);
    this.folded = units.reduce((sum, count) => sum + count, 0) * columns > MOST_CELLS || wide < NARROWEST;
    this.letters = Array.from({ length: view.steps }, (_, step) => view.letter(step + 1)); // of a text
    this.top = this.letters.some(Boolean) ? 35 : 18;
    const apart = this.fit(units, room - this.top);
    // Too narrow or too low for numbers: colours, numbers on hover.
    this.bare = (number < 36 && view.steps > 24) || this.height < FLAT.number;
    this.cellWidth = this.bare ? Math.max(2, wide - 0.5) : Math.max(36, number);
    this.pitch = this.folded && this.bare ? Math.max(1, wide) : this.bare ? Math.max(2.5, wide) : this.cellWidth + 2;
    this.isWider = ROW_LABEL + this.pitch * columns + 12 > width;
    this.element = svg("svg", { class: "timeline-svg", width: ROW_LABEL + this.pitch * columns + 12 });
    this.frame = document.createElement("div"); // above the strip, so that a step moves it without painting the strip
    this.frame.className = "frame";
    this.frame.style.width = `${this.pitch + 1}px`;
    this.sheet = sheetOf(this.element);
    this.ground = new Ground(this.sheet);
    this.sheet.append(this.frame);
    this.header(view, columns);
    this.labels = svg("g", { class: "row-labels", "aria-hidden": "true" });
    let y = this.top;
    for (const name of names) y = this.strip(view, name, y) + apart;
    if (this.isWider) this.labels.prepend(svg("rect", { width: ROW_LABEL - 4, height: y })); // over what is scrolled below them
    this.element.append(this.labels);
    const { timeline } = explorer.parts;
    timeline.onscroll = this.isWider ? () => this.keepLabels(timeline.scrollLeft) : null;
    this.links = svg("g", { class: "links", "aria-hidden": "true" }, this.element);
    this.element.setAttribute("height", y);
    this.frame.style.height = `${y - 4}px`;
    this.scrub();
  }

  // The greatest height of a row with which all rows have room, or the least; returns the room between variables.
  fit(units, room) {
    const quarters = Array.from({ length: 4 * FLAT.highest + 1 }, (_, quarter) => FLAT.highest - quarter / 4);
    const { roomy, tight, least } = APART;
    const choices = [
      ...quarters.filter((height) => height >= FLAT.number && height % 1 === 0).map((height) => [height, roomy, room]),
      ...quarters.filter((height) => height >= FLAT.pointed && height % 0.5 === 0).map((height) => [height, tight, room]),
      [FLAT.pointed, least, Math.max(room, POINTED_ROOM)],
      ...quarters.filter((height) => height < FLAT.pointed && (this.folded || height >= 1)).map((height) => [height, least, room]),
    ];
    const heightOf = ([height, apart]) => {
      this.height = height;
      return units.reduce((sum, count) => sum + count * this.pitchOf(count).pitch + apart, 0);
    };
    const [, apart] = choices.find((choice) => heightOf(choice) <= choice[2]) ?? choices.at(-1);
    return apart;
  }

  // The height of a variable's rows, and with the gap to the next.
  pitchOf(units) {
    const low = Math.max(this.height, NAME_HEIGHT / units);
    return { low, pitch: low + (this.folded || low < 8 ? 0 : 1) };
  }

  // The rows of one variable, a row for each unit; returns where they end.
  strip(view, name, y) {
    const group = svg("g", { class: "block strip", role: "group", "data-block": name, "aria-label": `${symbolText(view, name)} ${view.header.words.over_time}` }, this.element);
    const [units] = view.shape(name);
    const start = [...view.starts].find(([, { next }]) => next === name)?.[0] ?? null;
    const { low, pitch } = this.pitchOf(units);
    const [first, count] = start ? [0, view.steps + 1] : [1, view.steps];
    const order = orderOf(view, name, units);
    for (const [line, i] of order.entries()) {
      const at = y + line * pitch;
      if (pitch >= 12) this.rowLabel(view, name, i, at + low / 2);
      else if (line === 0) this.rowLabel(view, name, null, at + (units * pitch) / 2); // one name for all units
      if (this.folded) continue;
      const track = { x: ROW_LABEL + first * this.pitch, y: at, width: this.pitch * count - 2, height: low, rx: 2 };
      svg("rect", { class: "track", ...track }, group);
      for (let t = first; t <= view.steps; t++) {
        const box = { x: ROW_LABEL + t * this.pitch, y: at, width: this.cellWidth, height: low };
        const options = { step: t, textless: this.bare, font: SMALLEST, rx: this.bare ? 0 : 3, className: this.bare ? "small bare" : "small" };
        const drawn = new Cell(this.explorer, group, t === 0 ? start : name, [i], box, options);
        drawn.line = line;
        this.cells.push(drawn);
        this.byPlace.set(`${name}.${i}.${t}`, drawn);
      }
    }
    if (this.folded) {
      const box = { x: ROW_LABEL + first * this.pitch, y, width: count * this.pitch, height: units * pitch };
      this.strips.push(new FoldedStrip(this, group, { name, start, first, units, order }, box));
    }
    return y + units * pitch;
  }

  // The letter of a variable with the number of its unit, or for null of all of them together.
  rowLabel(view, name, unit, y) {
    const label = svg("text", { class: "row-label", x: ROW_LABEL - 8, y }, this.labels);
    const { symbol, sup } = view.variable(name);
    const isLetter = name === "x" && unit !== null && view.header.characters.length === view.shape(name)[0];
    label.textContent = isLetter ? view.character(unit) : symbol;
    if (isLetter) return;
    if (sup) svg("tspan", { class: "mark", dy: -4 }, label, sup);
    if (unit !== null) svg("tspan", { class: "mark", dy: sup ? 7 : 3 }, label, String(unit + 1));
  }

  // The names of the rows stay in sight while the strip is scrolled.
  keepLabels(left) {
    this.labels.setAttribute("transform", `translate(${left} 0)`);
  }

  header(view, columns) {
    const every = [1, 2, 5, 10, 20, 50].find((step) => step * this.pitch >= 30) ?? 100;
    for (let t = 0; t < columns; t++) {
      if (t > 0 && t !== 1 && t % every !== 0) continue;
      if (t === 0 && (this.pitch < 26 || view.stride < 0)) continue; // a walk back has no initial state
      const text = t === 0 ? view.header.words.start : this.pitch > 56 ? `t = ${t}` : String(t);
      svg("text", { class: "column-label", x: ROW_LABEL + (t + 0.5) * this.pitch, y: 12, "aria-hidden": "true" }, this.element, text);
    }
    if (this.pitch < 8) return;
    for (const [step, letter] of this.letters.entries()) {
      if (letter) svg("text", { class: "letter", x: ROW_LABEL + (step + 1.5) * this.pitch, y: 27, "aria-hidden": "true" }, this.element, letter);
    }
  }

  // Press or drag anywhere on the strip goes to that step.
  scrub() {
    const go = (event) => {
      const x = event.clientX - this.element.getBoundingClientRect().left - ROW_LABEL;
      this.explorer.goTo(Math.floor(x / this.pitch));
    };
    this.element.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.dragging = true;
      go(event);
    });
    this.element.addEventListener("pointermove", (event) => this.dragging && event.buttons && go(event));
    for (const type of ["pointerup", "pointerleave"]) this.element.addEventListener(type, () => (this.dragging = false));
  }

  show(view, t, theme, before) {
    for (const cell of this.cells) cell.show(view, t, theme, before);
    for (const strip of this.strips) strip.show(view, t, theme, before);
    this.showStep(view, t, theme, before);
  }

  showStep(view, t, theme, before) {
    for (const strip of this.strips) strip.showStep(view, t, theme, before);
    this.frameStep(t);
  }

  frameStep(t) {
    this.frame.style.transform = `translateX(${ROW_LABEL + t * this.pitch - 1.5}px)`;
    const scroller = this.sheet.parentElement;
    if (!scroller || !this.isWider) return; // asking the page for its widths would cost a layout at each step
    const left = ROW_LABEL + t * this.pitch;
    if (left < scroller.scrollLeft + ROW_LABEL) scroller.scrollLeft = left - ROW_LABEL - this.pitch;
    else if (left + this.pitch > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = left + 2 * this.pitch - scroller.clientWidth;
  }

  // The frame around a step as a part of the drawing, for a saved picture.
  drawnFrame(t) {
    const height = Number(this.element.getAttribute("height")) - 6;
    return svg("rect", { class: "drawn-frame", x: ROW_LABEL + t * this.pitch - 1, y: 1, width: this.pitch, height, rx: 5 }, this.element);
  }

  // A weight is shared: draw each of its T uses, from the number it multiplies to the number it goes into. Of any other
  // number, `[name, row]`, frame the unit that it belongs to, over all steps.
  showUses(view, found, [name, row] = []) {
    this.links.replaceChildren();
    if (!found) {
      const next = view.header.loops.find(([, entry]) => entry === name)?.[0];
      const end = name && this.endOf(view, next ?? name, row);
      if (end) this.frameRows([end]);
      return;
    }
    if (this.folded) {
      this.showRows(view, found);
      return;
    }
    const at = (name, unit, t) => this.byPlace.get(`${name}.${unit}.${t}`);
    for (const { result, place: [row], other } of found) {
      const end = this.endOf(view, result, row);
      for (let t = 1; t <= view.steps; t++) {
        const to = end && at(...end, t);
        const loop = other && view.header.loops.find(([, entry]) => entry === other[0]);
        const from = other && (loop ? at(loop[0], other[1][0], t - view.stride) : at(other[0], other[1][0], t));
        if (!to) continue;
        const { x, y, width, height } = to.box;
        svg("rect", { class: "use", x, y, width, height, rx: 3 }, this.links);
        if (from) {
          const [x1, y1, x2, y2] = ends(from.box, to.box);
          svg("path", { class: "use", d: `M${x1} ${y1}L${x2} ${y2}` }, this.links);
          svg("circle", { class: "use-end", cx: x1, cy: y1, r: 2.5 }, this.links);
        }
      }
    }
  }

  // In a folded strip: the rows that a weight joins, from end to end.
  showRows(view, found) {
    for (const { result, place, other } of found) {
      const loop = other && view.header.loops.find(([, entry]) => entry === other[0]);
      const end = this.endOf(view, result, place[0]);
      const rows = [...(end ? [end] : []), ...(other ? [[loop ? loop[0] : other[0], other[1][0]]] : [])];
      this.frameRows(rows);
    }
  }

  frameRows(rows) {
    for (const [name, row] of rows) {
      const strip = this.strips.find((one) => one.name === name);
      if (strip) svg("rect", { class: "use", ...strip.rowBox(row) }, this.links);
    }
  }

  // The variable of the strip in which a row of a result ends up, and its unit: a partial sum goes into h, and of a
  // stacked one each row into its own gate.
  endOf(view, result, row) {
    if (view.header.timeline.includes(result)) return [result, row];
    for (const [next, { terms }] of Object.entries(view.header.formulas)) {
      for (const factor of terms.flatMap((term) => (term.ref ? [term] : (term.product ?? [])))) {
        if ((factor.ref ?? factor.one_minus ?? factor) !== result) continue;
        const unit = row - (factor.offset ?? 0);
        if (unit >= 0 && unit < view.shape(next)[0]) return this.endOf(view, next, unit);
      }
    }
    return null;
  }
}

// The units from top to bottom: by their number, or as Python sorted them.
const orderOf = (view, name, units) => {
  const { order, sorted } = view.header.scene;
  return sorted?.includes(name) ? order : Array.from({ length: units }, (_, i) => i);
};

// A variable over all steps as colours. The numbers of the shown step, of the initial state and of the unit that was
// pointed at last are cells; all others are read by pointing.
class FoldedStrip {
  constructor(timeline, group, { name, start, first, units, order }, box) {
    Object.assign(this, { timeline, name, start, first, units, order, box });
    this.lineOf = Array.from(order, (_, unit) => order.indexOf(unit));
    const { explorer, pitch } = timeline;
    const height = box.height / units;
    const columns = Math.round(box.width / pitch);
    this.heat = new Heat(timeline.ground, group, [units, columns], box);
    this.marks = svg("path", { class: "heat-marks clamped-marks" }, group);
    const cell = (parent, unit, step, x, y) => {
      const options = { step, bare: true, textless: true, className: "small bare" };
      const drawn = new Cell(explorer, parent, step === 0 ? start : name, [unit], { x, y, width: pitch, height }, options);
      drawn.line = this.lineOf[unit];
      return drawn;
    };
    const all = Array.from({ length: units }, (_, i) => i);
    this.row = svg("g", { class: "strip-row" }, group);
    const steps = Array.from({ length: columns }, (_, j) => j + first).filter((step) => step > 0);
    const [top] = order;
    this.rowCells = steps.map((step) => cell(this.row, top, step, ROW_LABEL + step * pitch, box.y));
    for (const one of this.rowCells) one.folded = this;
    this.column = svg("g", { class: "strip-column" }, group);
    this.columnCells = all.map((i) => cell(this.column, i, 1, ROW_LABEL, box.y + this.lineOf[i] * height));
    this.columnCells[top].element.remove(); // where the row crosses the column, one element is enough
    this.startCells = first === 0 ? all.map((i) => cell(group, i, 0, ROW_LABEL, box.y + this.lineOf[i] * height)) : [];
    group.addEventListener("pointermove", (event) => event.pointerType !== "touch" && this.point(event));
    group.addEventListener("pointerover", (event) => event.stopPropagation()); // pointing is answered above, number by number
    group.addEventListener("pointerleave", () => explorer.look({ hovered: null }));
  }

  get cells() {
    return [...this.columnCells, ...this.rowCells, ...this.startCells];
  }

  point(event) {
    const { explorer } = this.timeline;
    const [line, column] = this.heat.at(event);
    const unit = this.order[line];
    const step = column + this.first;
    const { hovered } = explorer;
    if (hovered?.step === step && hovered.key === entryKey(step === 0 ? this.start : this.name, [unit])) return;
    this.showRow(unit);
    explorer.look({ hovered: new Spot(step === 0 ? this.start : this.name, [unit], step) });
  }

  rowBox(row) {
    const { x, y, width, height } = this.box;
    return { x, y: y + (this.lineOf[row] * height) / this.units, width, height: height / this.units };
  }

  // The unit some lines further down.
  below(unit, lines) {
    return this.order[Math.min(this.units - 1, Math.max(0, this.lineOf[unit] + lines))];
  }

  // Which unit the cells over all steps stand for.
  showRow(unit) {
    const [was] = this.rowCells[0].index;
    if (was === unit) return;
    this.column.append(this.columnCells[was].element);
    this.columnCells[unit].element.remove();
    this.row.setAttribute("transform", `translate(0 ${(this.lineOf[unit] * this.box.height) / this.units})`);
    const { view, t, theme, before } = this.timeline.explorer;
    for (const cell of this.rowCells) {
      cell.moveTo([unit]);
      cell.line = this.lineOf[unit];
      cell.show(view, t, theme, before);
    }
  }

  show(view, t, theme, before) {
    const { family, array, shift } = view.variable(this.name);
    const entry = view.starts.get(this.start)?.entry;
    const { data } = view.arrays[array]; // read straight: thousands of numbers
    const at = (i, step) => data[(step - 1 + shift) * this.units + i];
    const valueAt = (line, j) => {
      const unit = this.order[line];
      return j + this.first === 0 ? view.value(entry, [unit], 1) : at(unit, j + this.first);
    };
    this.heat.paint(valueAt, family, view.limitOf(this.name), theme);
    for (const cell of [...this.rowCells, ...this.startCells]) cell.show(view, t, theme, before);
    this.marks.setAttribute("d", this.clampedRuns(view));
  }

  // Frames around the steps at which a gate is clamped, line by line.
  clampedRuns(view) {
    const { x, y, height } = this.box, { pitch } = this.timeline;
    const [last, line] = [view.steps, height / this.units];
    let d = "";
    for (const unit of view.header.scene.clamped?.[this.name] ? this.order : []) {
      for (let from = 1; from <= last; from++) {
        if (!view.isClamped(this.name, [unit], from)) continue;
        let to = from;
        while (to < last && view.isClamped(this.name, [unit], to + 1)) to++;
        const [left, top] = [x + (from - this.first) * pitch, y + this.lineOf[unit] * line];
        d += `M${left} ${top + 0.8}h${(to - from + 1) * pitch}v${line - 1.6}h${-(to - from + 1) * pitch}z`;
        from = to;
      }
    }
    return d;
  }

  showStep(view, t, theme, before) {
    this.column.setAttribute("transform", `translate(${t * this.timeline.pitch} 0)`);
    for (const cell of this.columnCells) {
      cell.step = t;
      cell.element.setAttribute("data-step", t);
      cell.show(view, t, theme, before);
    }
  }
}

// Where a line leaves one cell and meets another: at their facing edges, so that no number is struck out.
function ends(from, to) {
  const [a, b] = [from.x + from.width / 2, to.x + to.width / 2];
  if (to.y > from.y) return [a, from.y + from.height, b, to.y];
  if (to.y < from.y) return [a, from.y, b, to.y + to.height];
  return [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
}
