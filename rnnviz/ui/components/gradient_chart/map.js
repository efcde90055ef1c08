// The map of all pairs of steps: how much of a change at step k, across, reaches step t, upwards.

import { cssColour, FAMILIES, TEXT_ON } from "../shared/colour.js";
import { find, penOf } from "../shared/parts.js";
import { svg } from "../shared/svg.js";
import { decadeColour, placeOf, wholeTicks } from "./scale.js";

/** @import { Numbers, Theme } from "../shared/types" */
/** @import { Header, MapSpec, Pair, Tick } from "./types" */

const MAP = { left: 46, top: 26, bottom: 42, scale: 74, bar: 12 }; // px around it; the scale of its colours at its right
const HATCH = { every: 6, dark: 2 }; // px of the stripes where the gradient is exactly 0

export class PairMap {
  // `room`: px of height that the map may take.
  /** @param {HTMLElement} host @param {Header} header @param {MapSpec} spec @param {Record<string, Numbers>} arrays @param {Theme} theme @param {number} room */
  constructor(host, header, spec, arrays, theme, room) {
    const { first, size, array, said, ticks } = spec;
    this.canvas = find(host, "canvas", HTMLCanvasElement);
    this.first = first;
    this.size = size;
    this.theme = theme;
    this.norms = arrays[array].data;
    this.side = Math.max(60, Math.min(host.clientWidth - MAP.left - MAP.scale, room - MAP.top - MAP.bottom));
    Object.assign(this.canvas.style, { left: `${MAP.left}px`, top: `${MAP.top}px`, width: `${this.side}px`, height: `${this.side}px` });
    const zeros = this.paint();
    const drawing = svg("svg", { width: MAP.left + this.side + MAP.scale, height: MAP.top + this.side + MAP.bottom, "aria-hidden": "true" });
    this.drawing = drawing;
    svg("text", { class: "axis-name", x: MAP.left + this.side / 2, y: 12, "text-anchor": "middle" }, drawing, header.words.map_title);
    this.axes(header.words);
    this.scale(ticks);
    if (zeros) this.zeroKey(header.words.map_zero);
    const [k, t] = header.chosen;
    if (k >= first && t < first + size) for (const name of ["chosen-halo", "chosen"]) svg("rect", { class: name, ...this.box(k, t) }, drawing);
    this.marks = svg("g", {}, drawing);
    host.replaceChildren(this.canvas, drawing);
    host.setAttribute("aria-label", said);
  }

  // Where exactly nothing arrives the map is hatched, above the diagonal it is blank; returns whether any of it is 0.
  paint() {
    const { canvas, size, side, norms, theme } = this;
    const wide = Math.round(side * Math.min(2, globalThis.devicePixelRatio || 1));
    canvas.width = canvas.height = wide;
    const shades = Array.from({ length: 513 }, (_, i) => decadeColour(i / 256 - 1, theme));
    const [dark, light] = [0.55, 0.12].map((share) => mixed(theme, share));
    const image = new ImageData(wide, wide);
    const cells = Uint16Array.from({ length: wide }, (_, x) => Math.floor((x * size) / wide));
    let zeros = false;
    for (let y = 0; y < wide; y++) {
      const t = size - 1 - cells[y];
      for (let x = 0; x < wide && cells[x] <= t; x++) {
        const value = norms[t * size + cells[x]];
        const zero = !Number.isFinite(value);
        zeros ||= zero;
        const [red, green, blue] = zero ? ((x + y) % HATCH.every < HATCH.dark ? dark : light) : shades[Math.round(256 * (1 + placeOf(value)))];
        const at = 4 * (y * wide + x);
        image.data[at] = red;
        image.data[at + 1] = green;
        image.data[at + 2] = blue;
        image.data[at + 3] = 255;
      }
    }
    penOf(canvas).putImageData(image, 0, 0);
    return zeros;
  }

  /** @param {Record<string, string>} words */
  axes(words) {
    const { drawing } = this;
    const { first, size, side } = this;
    const [x, y, bottom] = [MAP.left, MAP.top, MAP.top + side];
    svg("path", { class: "frame", d: `M${x} ${bottom}V${y}H${x + side}Z` }, drawing);
    for (const step of wholeTicks(first, first + size - 1, side, 40)) {
      svg("text", { x: this.x(step), y: bottom + 13, "text-anchor": "middle" }, drawing, step);
      svg("text", { x: x - 6, y: this.y(step), "text-anchor": "end" }, drawing, step);
    }
    svg("text", { class: "axis-name", x: x + side / 2, y: bottom + 32, "text-anchor": "middle" }, drawing, words.from);
    const upright = svg("g", { transform: `translate(9 ${y + side / 2}) rotate(-90)` }, drawing);
    svg("text", { class: "axis-name", "text-anchor": "middle" }, upright, words.to);
  }

  /** @param {Tick[]} ticks */
  scale(ticks) {
    const { drawing } = this;
    const { side, theme } = this;
    const x = MAP.left + side + 10;
    const gradient = svg("linearGradient", { id: "decades", x1: 0, x2: 0, y1: 1, y2: 0 }, svg("defs", {}, drawing));
    for (let i = -8; i <= 8; i++) svg("stop", { offset: (i + 8) / 16, "stop-color": cssColour(decadeColour(i / 8, theme)) }, gradient);
    svg("rect", { class: "bar", x, y: MAP.top, width: MAP.bar, height: side, fill: "url(#decades)" }, drawing);
    /** @param {number} decade */
    const y = (decade) => MAP.top + (side * (1 - placeOf(decade))) / 2;
    const every = side < 180 ? 2 : 1; // with 1 in the middle of an odd number of them, it is kept
    const middle = ticks.findIndex(([decade]) => decade === 0);
    for (const [i, [decade, text]] of ticks.entries()) {
      if ((i - middle) % every) continue;
      svg("path", { class: decade ? "tick" : "tick one", d: `M${x} ${y(decade)}h${MAP.bar + (decade ? 0 : 4)}` }, drawing);
      svg("text", { class: decade ? "" : "one", x: x + MAP.bar + 6, y: y(decade) }, drawing, text);
    }
  }

  /** @param {string} text */
  zeroKey(text) {
    const { drawing } = this;
    const [x, y, side] = [MAP.left + this.side + 10, MAP.top + this.side + 13, 11];
    const pattern = svg("pattern", { id: "zero", width: HATCH.every, height: HATCH.every, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("defs", {}, drawing));
    const [dark, light] = [0.55, 0.12].map((share) => cssColour(mixed(this.theme, share)));
    svg("rect", { width: HATCH.every, height: HATCH.every, fill: light }, pattern);
    svg("rect", { width: HATCH.dark, height: HATCH.every, fill: dark }, pattern);
    svg("rect", { x, y: y - side / 2, width: side, height: side, fill: "url(#zero)" }, drawing);
    svg("text", { x: x + side + 4, y }, drawing, text);
  }

  // Pixels of a cell's middle.
  /** @param {number} k */
  x(k) {
    return MAP.left + (this.side * (k - this.first + 0.5)) / this.size;
  }

  /** @param {number} t */
  y(t) {
    return MAP.top + this.side - (this.side * (t - this.first + 0.5)) / this.size;
  }

  /** @param {number} k @param {number} t */
  box(k, t) {
    const wide = Math.max(6, this.side / this.size);
    return { x: this.x(k) - wide / 2, y: this.y(t) - wide / 2, width: wide, height: wide };
  }

  // The nearest pair of the map to one that may lie off it.
  /** @param {number} k @param {number} t @returns {Pair} */
  within(k, t) {
    const last = this.first + this.size - 1;
    const to = Math.min(last, Math.max(this.first + 1, t));
    return [Math.min(to - 1, Math.max(this.first, k)), to];
  }

  /** @param {number} k @param {number} t */
  value(k, t) {
    return this.norms[(t - this.first) * this.size + k - this.first];
  }

  /** @param {Pair | null} pair */
  mark(pair) {
    this.marks.replaceChildren();
    if (pair) svg("rect", { class: "chosen", ...this.box(...pair) }, this.marks);
  }

  // The pair under the pointer; above the diagonal the nearest one to the left.
  /** @param {PointerEvent | MouseEvent} event @returns {Pair} */
  cellAt(event) {
    const { first, size } = this;
    const box = this.canvas.getBoundingClientRect();
    /** @param {number} share */
    const within = (share) => Math.min(size - 1, Math.max(0, Math.floor(share * size)));
    const t = size - 1 - within((event.clientY - box.top) / box.height);
    return [first + Math.min(t, within((event.clientX - box.left) / box.width)), first + t];
  }

  // Where a key leads from a pair, or nothing where it is no key of the map.
  /** @param {string} key @param {number} k @param {number} t */
  cellAfter(key, k, t) {
    const { first, size } = this;
    const last = first + size - 1;
    /** @type {Record<string, Pair>} */
    const places = { ArrowLeft: [k - 1, t], ArrowRight: [k + 1, t], ArrowUp: [k, t + 1], ArrowDown: [k, t - 1], Home: [first, t], End: [k, last] };
    return key in places ? this.within(...places[key]) : undefined;
  }
}

// A share of the text's colour on the ground.
/** @param {Theme} theme @param {number} share */
function mixed(theme, share) {
  const ink = TEXT_ON[theme === "dark" ? "light" : "dark"];
  return FAMILIES[theme].ground.map((part, i) => Math.round(part + (ink[i] - part) * share));
}
