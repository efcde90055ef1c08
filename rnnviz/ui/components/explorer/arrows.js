// Arrows between the blocks of a picture, and the ways back of the states.

import { svg } from "../shared/svg.js";
import { STACKED_SIDE } from "./layout.js";

/** @import { Paper } from "./paper.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Extent, Place, Sizes } from "./types" */

export function arrowHead(id = "head", size = 7) {
  const defs = svg("defs");
  const marker = svg("marker", { id, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: size, markerHeight: size, orient: "auto" }, defs);
  svg("path", { class: "head", d: "M0 0L8 4L0 8z" }, marker);
  return defs;
}

// The results that meet in a join.
/** @param {TraceView} view @param {string} join */
export const resultsInto = (view, join) => view.header.edges.filter(([, to]) => to === join).map(([from]) => from);

export class Arrows {
  /** @param {Paper} paper @param {TraceView} view @param {Sizes} sizes @param {Extent} total */
  constructor(paper, view, sizes, total) {
    this.paper = paper;
    this.places = paper.places;
    this.view = view;
    this.sizes = sizes;
    this.total = total;
  }

  draw() {
    const { view, sizes } = this;
    const { edges, loops } = view.header;
    for (const [from, to] of edges) this.arrow(from, to);
    if (loops.length === 1) this.loop(this.places[loops[0][0]], this.places[loops[0][1]]);
    else if (!sizes.stacked && !sizes.folded) this.handOver();
  }

  /** @param {string} d @param {string} className */
  line(d, className = "arrow", hasHead = true) {
    svg("path", { class: className, d, ...(hasHead ? { "marker-end": "url(#head)" } : {}) }, this.paper.arrows);
  }

  /** @param {string} source @param {string} target */
  arrow(source, target) {
    const [from, to] = [this.places[source], this.places[target]];
    const met = resultsInto(this.view, target);
    if (met.length > 1 && source !== met.at(-1)) {
      const around = this.around(from, to, met);
      if (around) {
        this.line(around);
        return;
      }
    }
    if (to.left > from.right) {
      const outer = this.endOfNames(from, to, met);
      const bend = (outer + to.left) / 2;
      this.line(`M${from.right + 4} ${from.middle}H${outer}C${bend} ${from.middle} ${bend} ${to.middle} ${to.left - 5} ${to.middle}`);
    } else if (to.right < from.left && from.outer && to.top > from.bottom) { // from the end of a line to the next
      this.line(`M${from.centre} ${from.bottom + 3}V${to.top - 9}H${to.centre}V${to.top - 3}`);
    } else if (to.right < from.left) {
      this.line(`M${from.left - 4} ${from.middle}H${to.centre}V${to.top - 3}`);
    } else this.line(`M${from.centre} ${from.bottom + 3}V${to.top - 3}`);
  }

  // The way past what stands between a result and the join that it meets others in, or null where nothing does.
  /** @param {Place} from @param {Place} to @param {string[]} met */
  around(from, to, met) {
    const { stacked, folded } = this.sizes;
    if (folded && !stacked && !this.view.header.scene.low) {
      const floor = Math.max(...met.map((name) => this.places[name].bottom)) + 14;
      return `M${from.centre} ${from.bottom + 3}V${floor}H${to.centre}V${to.bottom + 5}`;
    }
    if (!stacked) return null;
    const side = Math.max(from.right, to.right) + 14;
    return `M${from.right + 4} ${from.middle}H${side}V${to.middle}H${to.right + 5}`;
  }

  // Where arrows to a join may bend: past the names, but before the end.
  /** @param {Place} from @param {Place} to @param {string[]} met */
  endOfNames(from, to, met) {
    const areNamed = met.length > 1 && (!this.sizes.folded || this.view.header.scene.low);
    const ends = areNamed ? met.map((name) => this.places[name].outer ?? NaN) : [from.right + 4];
    return Math.min(Math.max(...ends), to.left - 14);
  }

  // The new state on its way back to become the next step's memory.
  /** @param {Place} from @param {Place} to */
  loop(from, to) {
    const { stacked, folded } = this.sizes;
    const { loop: word } = this.view.header.words;
    const { arrows } = this.paper;
    const floor = this.total.height + 24;
    const outermost = Math.max(...Object.values(this.places).map(({ top, right }) => (top > from.bottom ? right : from.right)));
    const [down, up] = [stacked ? this.total.width + STACKED_SIDE - 5 : (folded ? from.right : outermost) + 12, to.centre];
    if (stacked) {
      const around = Object.values(this.places).filter(({ left, right }) => right > up && left < down);
      let y = to.top - 8; // above whatever would be struck through
      for (const { top, bottom } of around) if (top - 6 < y && bottom > y && bottom < from.top) y = top - 6;
      this.line(`M${from.right + 4} ${from.middle}H${down}V${y}H${up}V${to.top - 1}`, "arrow loop");
    } else if (folded) {
      this.line(`M${from.right + 3} ${from.middle}H${down}V8H${up}V${to.top - 3}`, "arrow loop");
      svg("text", { class: "loop-label", x: down - 6, y: 20, style: "text-anchor: end" }, arrows, word);
    } else {
      this.line(`M${from.right + 3} ${from.middle + 8}H${down}V${floor}H${up}V${to.bottom + 6}`, "arrow loop");
      svg("text", { class: "loop-label", x: (down + up) / 2, y: floor - 9 }, arrows, word);
    }
  }

  // Several results on their way to the step that is shown next: gathered at the right, handed over at the left.
  handOver() {
    const { loops, words } = this.view.header;
    const [results, entries] = [0, 1].map((end) => loops.map((loop) => this.places[loop[end]]));
    const floor = this.total.height + 24;
    const side = Math.max(...results.map(({ right }) => right)) + 14;
    const lowest = entries.reduce((one, other) => (other.bottom > one.bottom ? other : one));
    const outer = results.filter(({ right }) => right > side - 30);
    const top = Math.min(...outer.map(({ middle }) => middle));
    this.line(outer.map(({ right, middle }) => `M${right + 3} ${middle}H${side}`).join(""), "arrow loop", false);
    this.line(`M${side} ${top}V${floor}H${lowest.centre}V${lowest.bottom + 6}`, "arrow loop");
    svg("text", { class: "loop-label", x: (side + lowest.centre) / 2, y: floor - 9 }, this.paper.arrows, words.loop);
  }
}
