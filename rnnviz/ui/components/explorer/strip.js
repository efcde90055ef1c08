// A variable over all steps, where there is no room for a cell each.

import { svg } from "../shared/svg.js";
import { Cell, Spot } from "./cell.js";
import { Heat } from "./ground.js";
import { entryKey } from "./trace.js";

/** @import { Timeline } from "./timeline.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Box, Theme } from "./types" */

/**
 * @typedef {object} StripRows
 * @property {string} name of the variable
 * @property {string | null} start its initial state in the address
 * @property {number} first its first column: 0 where it has an initial state
 * @property {number} units
 * @property {number[]} order its units from top to bottom
 */

export const ROW_LABEL = 52; // px left of the columns, for names

// A variable over all steps as colours. The numbers of the shown step, of the initial state and of the unit that was
// pointed at last are cells; all others are read by pointing.
export class FoldedStrip {
  /** @param {Timeline} timeline @param {SVGGElement} group @param {StripRows} rows @param {Box} box */
  constructor(timeline, group, { name, start, first, units, order }, box) {
    this.timeline = timeline;
    this.name = name;
    this.start = start;
    this.first = first;
    this.units = units;
    this.order = order;
    this.box = box;
    this.lineOf = Array.from(order, (_, unit) => order.indexOf(unit));
    const { explorer, pitch } = timeline;
    const height = box.height / units;
    const columns = Math.round(box.width / pitch);
    this.heat = new Heat(timeline.ground, group, [units, columns], box);
    this.marks = svg("path", { class: "heat-marks clamped-marks" }, group);
    /** @param {Element} parent @param {number} unit @param {number} step @param {number} x @param {number} y */
    const cell = (parent, unit, step, x, y) => {
      const options = { step, bare: true, textless: true, className: "small bare" };
      const drawn = new Cell(explorer.names, parent, step === 0 ? (start ?? name) : name, [unit], { x, y, width: pitch, height }, options);
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
    group.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.point(event);
    });
    group.addEventListener("pointerover", (event) => event.stopPropagation()); // pointing is answered above, number by number
    group.addEventListener("pointerleave", () => explorer.pointing.look({ hovered: null }));
  }

  get cells() {
    return [...this.columnCells, ...this.rowCells, ...this.startCells];
  }

  /** @param {PointerEvent} event */
  point(event) {
    const { explorer } = this.timeline;
    const [line, column] = this.heat.at(event);
    const unit = this.order[line];
    const step = column + this.first;
    const { hovered } = explorer.state;
    const name = step === 0 ? (this.start ?? this.name) : this.name;
    if (hovered?.step === step && hovered.key === entryKey(name, [unit])) return;
    this.showRow(unit);
    explorer.pointing.look({ hovered: new Spot(name, [unit], step) });
  }

  /** @param {number} row */
  rowBox(row) {
    const { x, y, width, height } = this.box;
    return { x, y: y + (this.lineOf[row] * height) / this.units, width, height: height / this.units };
  }

  // The unit some lines further down.
  /** @param {number} unit @param {number} lines */
  below(unit, lines) {
    return this.order[Math.min(this.units - 1, Math.max(0, this.lineOf[unit] + lines))];
  }

  // Which unit the cells over all steps stand for.
  /** @param {number} unit */
  showRow(unit) {
    const [was] = this.rowCells[0].index;
    if (was === unit) return;
    this.column.append(this.columnCells[was].element);
    this.columnCells[unit].element.remove();
    this.row.setAttribute("transform", `translate(0 ${(this.lineOf[unit] * this.box.height) / this.units})`);
    const { view, t, theme, before } = this.timeline.explorer.state;
    for (const cell of this.rowCells) {
      cell.moveTo([unit]);
      cell.line = this.lineOf[unit];
      cell.show(view, t, theme, before);
    }
  }

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {TraceView | null} before */
  show(view, t, theme, before) {
    const { family, array, shift } = view.variable(this.name);
    const entry = this.start === null ? null : view.drawn(this.start);
    const { data } = view.arrays[array]; // read straight: thousands of numbers
    /** @param {number} i @param {number} step */
    const at = (i, step) => data[(step - 1 + shift) * this.units + i];
    /** @param {number} line @param {number} j */
    const valueAt = (line, j) => {
      const unit = this.order[line];
      return entry !== null && j + this.first === 0 ? view.value(entry, [unit], 1) : at(unit, j + this.first);
    };
    this.heat.paint(valueAt, family, view.limitOf(this.name), theme);
    for (const cell of [...this.rowCells, ...this.startCells]) cell.show(view, t, theme, before);
    this.marks.setAttribute("d", this.clampedRuns(view));
  }

  // Frames around the steps at which a gate is clamped, line by line.
  /** @param {TraceView} view */
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

  /** @param {TraceView} view @param {number} t @param {Theme} theme @param {TraceView | null} before */
  showStep(view, t, theme, before) {
    this.column.setAttribute("transform", `translate(${t * this.timeline.pitch} 0)`);
    for (const cell of this.columnCells) {
      cell.step = t;
      cell.element.setAttribute("data-step", String(t));
      cell.show(view, t, theme, before);
    }
  }
}

// The units from top to bottom: by their number, or as Python sorted them.
/** @param {TraceView} view @param {string} name @param {number} units */
export const orderOf = (view, name, units) => {
  const { order, sorted } = view.header.scene;
  return order && sorted?.includes(name) ? order : Array.from({ length: units }, (_, i) => i);
};
