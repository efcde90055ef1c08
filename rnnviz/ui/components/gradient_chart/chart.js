// Curves on an axis of decades, with their names where they end. Made anew whenever one comes, goes or changes.

import { svg } from "../shared/svg.js";
import { freePlace, LABEL, spread } from "./labels.js";
import { wholeTicks, widthOf } from "./scale.js";

/** @import { Curve, End, Header, TextBox } from "./types" */

export const LEFT = 78; // px around the plot, names at the ends of lines come on top
const [RIGHT, TOP, BOTTOM] = [12, 12, 42];
export const MAIN = ["front", "behind"]; // styles of norms, not of lines to compare them with

export class Chart {
  // `kept`: curves that stay for comparison.
  /** @param {Header} header @param {Curve[]} curves @param {Curve[]} kept @param {number} width @param {string} family of the letters */
  constructor(header, curves, kept, width, family) {
    this.header = header;
    this.curves = curves;
    this.width = width;
    const font = `12px ${family}`;
    const ends = this.ends();
    for (const end of ends) end.width = widthOf(end.text, font) + 4;
    const beside = Math.max(0, ...ends.filter(({ outside }) => outside).map((end) => end.width));
    const names = Math.min(LABEL.most * width, beside ? beside + LABEL.gap : 0);
    this.right = width - RIGHT - names;
    this.drawing = svg("svg", { width, height: header.height, "aria-hidden": "true" });
    this.axes();
    this.drawCurves(kept);
    this.name(ends, this.threshold(font));
    this.cross = svg("g", {}, this.drawing);
  }

  axes() {
    const { header: { ticks, words, steps, height }, drawing, right } = this;
    const bottom = height - BOTTOM;
    const clip = svg("clipPath", { id: "plot" }, svg("defs", {}, drawing));
    svg("rect", { x: LEFT, y: TOP - 3, width: right - LEFT + 3, height: bottom - TOP + 3 }, clip);
    for (const [value, text] of ticks) {
      svg("line", { class: value ? "grid" : "grid one", x1: LEFT, x2: right, y1: this.y(value), y2: this.y(value) }, drawing);
      svg("text", { x: LEFT - 7, y: this.y(value), "text-anchor": "end" }, drawing, text);
    }
    for (const place of wholeTicks(0, steps, right - LEFT, 46)) svg("text", { x: this.x(place), y: bottom + 13, "text-anchor": "middle" }, drawing, place);
    this.axisName(words.axis.replaceAll("{steps}", String(steps)), (LEFT + right) / 2, bottom + 32);
    const upright = svg("g", { transform: `translate(9 ${(TOP + bottom) / 2}) rotate(-90)` }, drawing);
    svg("text", { class: "axis-name", "text-anchor": "middle" }, upright, words.norm);
  }

  /** @param {Curve[]} kept */
  drawCurves(kept) {
    const inside = svg("g", { "clip-path": "url(#plot)" }, this.drawing);
    for (const curve of kept) svg("path", { class: "curve kept", d: this.path(curve.values), style: `--colour:var(--${curve.colour})` }, inside);
    for (const curve of this.curves.toReversed()) {
      const style = `--colour:var(--${curve.colour})`;
      svg("path", { class: `curve ${curve.style}`, d: this.path(curve.values), style, "data-curve": curve.key }, inside);
    }
  }

  // A level to hold the curves against; the place of its name is returned.
  /** @param {string} font */
  threshold(font) {
    const { header: { threshold }, drawing, right } = this;
    if (!threshold) return [];
    const y = this.y(threshold.value);
    svg("line", { class: "threshold", x1: LEFT, x2: right, y1: y, y2: y }, drawing);
    const box = this.besideLevel(y, widthOf(threshold.label, font) + 4);
    svg("text", { class: "level", x: box.x, y: box.y }, drawing, threshold.label);
    return [box];
  }

  /** @param {number} place */
  x(place) {
    return LEFT + ((this.right - LEFT) * place) / Math.max(1, this.header.steps);
  }

  /** @param {number} value */
  y(value) {
    const { low, high, height } = this.header;
    return TOP + ((height - TOP - BOTTOM) * (high - value)) / (high - low);
  }

  // A curve's path; it stops where the norm is exactly 0, which no axis of decades has.
  /** @param {Float64Array} values */
  path(values) {
    const { low, high } = this.header;
    const far = 40 * (high - low);
    let d = "";
    let pen = false;
    for (let i = 0; i < values.length; i++) {
      if (!Number.isFinite(values[i])) pen = false;
      else {
        const y = this.y(Math.min(high + far, Math.max(low - far, values[i])));
        d += `${pen ? "L" : "M"}${this.x(i).toFixed(1)} ${y.toFixed(1)}`;
        pen = true;
      }
    }
    return d;
  }

  // A place for the name of a level at height y: below or above its line, at either end, where no curve strikes it out.
  /** @param {number} y @param {number} width @returns {TextBox} */
  besideLevel(y, width) {
    const { right } = this;
    const [top, bottom] = [TOP + 6, this.header.height - BOTTOM - 7];
    const places = [right - 4 - width, LEFT + 6].flatMap((x) => [10, -10].map((down) => ({ x, y: y + down, width })));
    const within = places.filter((box) => box.y >= top && box.y <= bottom);
    return within.find((box) => !this.curves.some(({ values }) => this.isCrossed(box, values))) ?? within[0] ?? places[0];
  }

  // Whether a curve passes through a text's box.
  /** @param {TextBox} box @param {Float64Array} values */
  isCrossed({ x, y, width }, values) {
    const heights = Array.from(values, (value, place) => [this.x(place), value])
      .filter(([at, value]) => at >= x - 2 && at <= x + width + 2 && Number.isFinite(value))
      .map(([, value]) => this.y(value));
    return heights.length > 0 && Math.min(...heights) < y + 8 && Math.max(...heights) > y - 8;
  }

  // The name of the axis below: on a narrow screen without what stands in brackets.
  /** @param {string} text @param {number} x @param {number} y */
  axisName(text, x, y) {
    const fits = widthOf(text, "13px sans-serif") < this.width - 10;
    const at = Math.max(x, fits ? Math.min(this.width, widthOf(text, "13px sans-serif")) / 2 + 4 : x);
    svg("text", { class: "axis-name", x: at, y, "text-anchor": "middle" }, this.drawing, fits ? text : text.replace(/ \(.*\)/, ""));
  }

  // Of each curve shown: its name, where along the axis it ends or leaves the plot, and whether that is the very end.
  /** @returns {End[]} */
  ends() {
    const { low, high, steps, words } = this.header;
    return this.curves.filter(({ style }) => style !== "fit").flatMap((curve) => {
      const { values, name, style } = curve;
      let last = values.length - 1;
      while (last > 0 && !Number.isFinite(values[last])) last--;
      const zero = last < values.length - 1 && MAIN.includes(style) && words.zero !== "";
      const text = zero ? words.zero.replace("{name}", name) : name;
      let place = last;
      while (place > 0 && !(values[place] >= low && values[place] <= high)) place--;
      if (place === last) return [endOf({ curve, text, place, value: values[last], outside: last === steps && !zero })];
      const beyond = values[place + 1];
      const edge = beyond > high ? high : low;
      const share = Number.isFinite(beyond) ? (edge - values[place]) / (beyond - values[place]) : 0;
      return [endOf({ curve, text, place: place + share, value: edge, level: beyond > high ? 1 : -1 })];
    });
  }

  /** @param {End[]} ends @param {TextBox[]} taken */
  name(ends, taken) {
    const { right, drawing } = this;
    const bottom = this.header.height - BOTTOM;
    const outside = ends.filter((end) => end.outside);
    for (const end of outside) end.y = end.at = this.y(end.value);
    spread(outside, TOP, bottom);
    for (const { curve, text, y, at } of outside) {
      if (Math.abs(y - at) > 3) svg("path", { class: "leader", d: `M${right} ${at}L${right + LABEL.gap - 2} ${y}` }, drawing);
      this.label(curve, text, right + LABEL.gap, y);
    }
    for (const { curve, text, place, value, level, width } of ends.filter((end) => !end.outside)) {
      const y = this.y(value) + (level > 0 ? 9 : -9);
      const box = freePlace(this.x(place) + 5, y, width, taken, { left: LEFT + 3, right: right - 2, top: TOP + 6, bottom: bottom - 7 });
      taken.push(box);
      this.label(curve, text, box.x, box.y);
    }
  }

  /** @param {Curve} curve @param {string} text @param {number} x @param {number} y */
  label({ key, colour }, text, x, y) {
    svg("text", { class: "name", "data-name": key, x, y, style: `--colour:var(--${colour})` }, this.drawing, text);
  }

  // Lines across the picture at a step, with a dot on each norm.
  /** @param {number | null} place */
  mark(place) {
    const { low, high, height } = this.header;
    this.cross.replaceChildren();
    if (place === null) return;
    const x = this.x(place);
    svg("line", { class: "cross", x1: x, x2: x, y1: TOP, y2: height - BOTTOM }, this.cross);
    for (const { values, style, colour } of this.curves) {
      if (!MAIN.includes(style) || !(values[place] >= low && values[place] <= high)) continue;
      svg("circle", { class: "dot", cx: x, cy: this.y(values[place]), r: 4, style: `--colour:var(--${colour})` }, this.cross);
    }
  }
}

/** @param {Pick<End, "curve" | "text" | "place" | "value"> & Partial<End>} end @returns {End} */
const endOf = (end) => ({ outside: false, level: 0, width: 0, y: 0, at: 0, ...end });
