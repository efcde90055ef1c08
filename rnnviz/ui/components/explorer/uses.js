// Where a number is used over time: lines and frames on the strip.

import { svg } from "../shared/svg.js";

/** @import { Timeline } from "./timeline.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Box, FactorSpec, Term, Use } from "./types" */

/** @typedef {[name: string, row: number]} Unit a row of the strip */

export class Uses {
  /** @param {Timeline} timeline @param {SVGGElement} links */
  constructor(timeline, links) {
    this.timeline = timeline;
    this.links = links;
  }

  // A weight is shared: draw each of its T uses, from the number it multiplies to the number it goes into. Of any other
  // number, `[name, row]`, frame the unit that it belongs to, over all steps.
  /** @param {TraceView} view @param {Use[] | null} found @param {Unit | null} unit */
  show(view, found, unit) {
    this.links.replaceChildren();
    if (found && this.timeline.folded) this.showRows(view, found);
    else if (found) this.showLinks(view, found);
    else if (unit) {
      const [name, row] = unit;
      const end = this.endOf(view, loopInto(view, name) ?? name, row);
      if (end) this.frameRows([end]);
    }
  }

  /** @param {TraceView} view @param {Use[]} found */
  showLinks(view, found) {
    /** @param {string} name @param {number} unit @param {number} t */
    const at = (name, unit, t) => this.timeline.byPlace.get(`${name}.${unit}.${t}`);
    for (const { result, place: [row], other } of found) {
      const end = this.endOf(view, result, row);
      for (let t = 1; t <= view.steps; t++) {
        const to = end && at(...end, t);
        const loop = other && loopInto(view, other[0]);
        const from = other && (loop ? at(loop, other[1][0], t - view.stride) : at(other[0], other[1][0], t));
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
  /** @param {TraceView} view @param {Use[]} found */
  showRows(view, found) {
    for (const { result, place, other } of found) {
      const end = this.endOf(view, result, place[0]);
      if (end) this.frameRows([end]);
      if (other) this.frameRows([[loopInto(view, other[0]) ?? other[0], other[1][0]]]);
    }
  }

  /** @param {Unit[]} rows */
  frameRows(rows) {
    for (const [name, row] of rows) {
      const strip = this.timeline.strips.find((one) => one.name === name);
      if (strip) svg("rect", { class: "use", ...strip.rowBox(row) }, this.links);
    }
  }

  // The variable of the strip in which a row of a result ends up, and its unit: a partial sum goes into h, and of a
  // stacked one each row into its own gate.
  /** @param {TraceView} view @param {string} result @param {number} row @returns {Unit | null} */
  endOf(view, result, row) {
    if (view.header.timeline.includes(result)) return [result, row];
    for (const [next, { terms }] of Object.entries(view.header.formulas)) {
      for (const [name, offset] of terms.flatMap(addends)) {
        if (name !== result) continue;
        const unit = row - offset;
        if (unit >= 0 && unit < view.shape(next)[0]) return this.endOf(view, next, unit);
      }
    }
    return null;
  }
}

// The result that becomes an entry's number at the next step.
/** @param {TraceView} view @param {string} name */
const loopInto = (view, name) => view.header.loops.find(([, entry]) => entry === name)?.[0];

// What a term adds number by number, each with the row where it begins; nothing of a dot product.
/** @param {Term} term @returns {Unit[]} */
const addends = ({ ref, offset = 0, product = [] }) => (ref ? [[ref, offset]] : product.map(nameAndOffset));

/** @param {FactorSpec} factor @returns {Unit} */
function nameAndOffset(factor) {
  if (typeof factor === "string") return [factor, 0];
  return factor.ref === undefined ? [factor.one_minus, 0] : [factor.ref, factor.offset];
}

// Where a line leaves one cell and meets another: at their facing edges, so that no number is struck out.
/** @param {Box} from @param {Box} to */
function ends(from, to) {
  const [a, b] = [from.x + from.width / 2, to.x + to.width / 2];
  if (to.y > from.y) return [a, from.y + from.height, b, to.y];
  if (to.y < from.y) return [a, from.y, b, to.y + to.height];
  return [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
}
