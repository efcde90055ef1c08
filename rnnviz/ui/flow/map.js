// The map of all pairs of steps: how much of a change at step k, across, reaches step t, upwards.

const MAP = { left: 46, top: 12, bottom: 42, scale: 62 }; // px around it; the scale of its colours at its right

class PairMap {
  constructor(host) {
    this.host = host;
    this.canvas = host.querySelector("canvas");
    this.marks = null;
  }

  build(header, arrays) {
    const { host, canvas } = this;
    const { first, size, ticks, array, said } = header.map;
    Object.assign(this, { first, size, norms: arrays[array].data });
    this.side = Math.max(60, Math.min(host.clientWidth - MAP.left - MAP.scale, header.height - MAP.top - MAP.bottom));
    Object.assign(canvas.style, { left: `${MAP.left}px`, top: `${MAP.top}px`, width: `${this.side}px`, height: `${this.side}px` });
    this.paint(header.map);
    const svg = draw("svg", { width: MAP.left + this.side + MAP.scale, height: MAP.top + this.side + MAP.bottom, "aria-hidden": "true" });
    this.axes(svg, header.words);
    this.scale(svg, ticks, header.map);
    const [k, t] = header.chosen;
    if (k >= first && t < first + size) for (const name of ["chosen-halo", "chosen"]) draw("rect", { class: name, ...this.box(k, t) }, svg);
    this.marks = draw("g", {}, svg);
    host.replaceChildren(canvas, svg);
    host.setAttribute("aria-label", said);
  }

  // A pixel for each pair; where exactly nothing arrives it is grey, above the diagonal there is none.
  paint({ low, high }) {
    const { canvas, size } = this;
    canvas.width = canvas.height = size;
    const shades = Array.from({ length: 256 }, (_, i) => decadeColour(i / 255));
    const image = new ImageData(size, size);
    for (let t = 0; t < size; t++) {
      for (let k = 0; k <= t; k++) {
        const value = this.norms[t * size + k];
        const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
        image.data.set([...(Number.isFinite(value) ? shades[Math.round(share * 255)] : [128, 128, 128]), 255], 4 * ((size - 1 - t) * size + k));
      }
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  axes(svg, words) {
    const { first, size, side } = this;
    for (const step of wholeTicks(first, first + size - 1, side, 40)) {
      draw("text", { x: this.x(step), y: MAP.top + side + 13, "text-anchor": "middle" }, svg, step);
      draw("text", { x: MAP.left - 6, y: this.y(step), "text-anchor": "end" }, svg, step);
    }
    draw("text", { class: "axis-name", x: MAP.left + side / 2, y: MAP.top + side + 32, "text-anchor": "middle" }, svg, words.from);
    const upright = draw("g", { transform: `translate(9 ${MAP.top + side / 2}) rotate(-90)` }, svg);
    draw("text", { class: "axis-name", "text-anchor": "middle" }, upright, words.to);
  }

  scale(svg, ticks, { low, high }) {
    const x = MAP.left + this.side + 10;
    const gradient = draw("linearGradient", { id: "decades", x1: 0, x2: 0, y1: 1, y2: 0 }, draw("defs", {}, svg));
    for (let i = 0; i <= 8; i++) draw("stop", { offset: i / 8, "stop-color": cssColour(decadeColour(i / 8)) }, gradient);
    draw("rect", { x, y: MAP.top, width: 11, height: this.side, fill: "url(#decades)" }, svg);
    for (const [value, text] of ticks) draw("text", { x: x + 16, y: MAP.top + (this.side * (high - value)) / (high - low) }, svg, text);
  }

  // Pixels of a cell's middle.
  x(k) {
    return MAP.left + (this.side * (k - this.first + 0.5)) / this.size;
  }

  y(t) {
    return MAP.top + this.side - (this.side * (t - this.first + 0.5)) / this.size;
  }

  box(k, t) {
    const wide = Math.max(6, this.side / this.size);
    return { x: this.x(k) - wide / 2, y: this.y(t) - wide / 2, width: wide, height: wide };
  }

  // The nearest pair of the map to one that may lie off it.
  within(k, t) {
    const last = this.first + this.size - 1;
    const to = Math.min(last, Math.max(this.first + 1, t));
    return [Math.min(to - 1, Math.max(this.first, k)), to];
  }

  value(k, t) {
    return this.norms[(t - this.first) * this.size + k - this.first];
  }

  mark(cell) {
    this.marks?.replaceChildren();
    if (cell) draw("rect", { class: "chosen", ...this.box(...cell) }, this.marks);
  }

  // The pair under the pointer; above the diagonal the nearest one to the left.
  cellAt(event) {
    const { first, size } = this;
    const box = this.canvas.getBoundingClientRect();
    const within = (share) => Math.min(size - 1, Math.max(0, Math.floor(share * size)));
    const t = size - 1 - within((event.clientY - box.top) / box.height);
    return [first + Math.min(t, within((event.clientX - box.left) / box.width)), first + t];
  }

  // Where a key leads from a pair, or nothing where it is no key of the map.
  cellAfter(key, k, t) {
    const { first, size } = this;
    const last = first + size - 1;
    const next = { ArrowLeft: [k - 1, t], ArrowRight: [k + 1, t], ArrowUp: [k, t + 1], ArrowDown: [k, t - 1], Home: [first, t], End: [k, last] }[key];
    if (!next) return undefined;
    return this.within(...next);
  }
}
