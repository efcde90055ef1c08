// The step as a picture: blocks of cells, signs between them, the activation's curve, arrows.

import { equalsSign, writeFaded, writeNumber } from "../shared/numbers.js";
import { svg } from "../shared/svg.js";
import { arrowHead } from "./arrows.js";
import { Bands } from "./bands.js";
import { Cell } from "./cell.js";
import { describeCurve, slopeOf, TANGENT } from "./curves.js";
import { FoldedMatrix, FoldedVector, Lens } from "./folded.js";
import { sources } from "./formulas.js";
import { Ground, sheetOf } from "./ground.js";
import { BETWEEN, cellSize, chooseSizes, gridOf, isTurned, LABEL, labelWidth, measure, place, PLOT, STACKED_SIDE, WIDE_SIDE } from "./layout.js";
import { symbolText } from "./symbols.js";
import { entryKey, indices } from "./trace.js";

export class Scene {
  constructor(explorer, view, width, isLow) {
    this.explorer = explorer;
    this.isLow = isLow; // a window with little height
    this.letters = []; // texts that show the character of a one-hot input
    this.cells = [];
    this.places = {};
    this.curves = [];
    this.folded = [];
    this.labels = []; // of blocks: where they stand, and the captions that can be left out
    if (view.header.scene.bands) {
      this.layBands(view, width);
      return;
    }
    this.sizes = chooseSizes(view, width - 8, isLow);
    const total = measure(view, view.header.scene, this.sizes);
    const { stacked, folded } = this.sizes;
    const [side, foot] = stacked ? [STACKED_SIDE, 4] : [WIDE_SIDE, folded ? 20 : 32];
    const head = stacked ? 12 : folded ? 26 : 4; // room for the way back, which may run above
    this.element = svg("svg", { class: "scene-svg", width: total.width + side, height: total.height + head + foot + 2 });
    this.sheet = sheetOf(this.element);
    this.ground = new Ground(this.sheet);
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" }, this.element);
    place(view, view.header.scene, this.sizes, 4, head, (node, box) => this.leaf(view, node, box));
    this.clearLabels();
    this.lens = new Lens(this.element);
    for (const [from, to] of view.header.edges) this.arrow(view, from, to);
    this.moving = this.cells.filter((cell) => view.variable(cell.name).per_step);
    const { loops } = view.header;
    if (loops.length === 1) this.loop(view, total, this.places[loops[0][0]], this.places[loops[0][1]]);
    else if (!stacked && !folded) this.handOver(view, total);
  }

  // A gated cell: its gates in bands, what is read out of its state below them.
  layBands(view, width) {
    const { lines } = view.header.scene;
    const bands = new Bands(this, view, width - 8, this.isLow);
    const sizesOf = (pitch) => ({ ...bands.sizes, folded: true, pitch, rowGap: 0, units: bands.units, link: 14, free: 300 });
    const fits = (pitch) => lines.every((node) => measure(view, node, sizesOf(pitch)).width <= bands.right - 4);
    this.sizes = sizesOf([Math.max(bands.sizes.pitch, 12), 10, 8, 6, 5, 4, 3].find(fits) ?? 2);
    const heights = lines.map((node) => measure(view, node, this.sizes).height + BETWEEN / 2);
    const height = bands.bottom + heights.reduce((sum, one) => sum + one, 0);
    this.element = svg("svg", { class: "scene-svg", width: bands.width, height });
    this.sheet = sheetOf(this.element);
    this.ground = new Ground(this.sheet);
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" }, this.element);
    this.element.prepend(arrowHead("highway-head", 4));
    bands.draw();
    let y = bands.bottom;
    lines.forEach((node, line) => {
      const size = measure(view, node, this.sizes);
      place(view, node, this.sizes, Math.max(4, bands.right - size.width), y, (leaf, box) => this.leaf(view, leaf, box));
      y += heights[line];
    });
    this.lens = new Lens(this.element);
    this.moving = this.cells.filter((cell) => view.variable(cell.name).per_step);
  }

  // A caption that would reach into the name beside it is left out: the letter says enough.
  clearLabels() {
    const half = ({ letter, words, caption }) => (letter + (words || !letter ? 6.4 * caption.length : 0)) / 2 - 3; // a rough width
    const meet = (one, other) => one !== other && Math.abs(one.y - other.y) < LABEL && Math.abs(one.x - other.x) < half(one) + half(other);
    for (const label of this.labels) {
      if (!label.words || !this.labels.some((other) => meet(label, other))) continue;
      label.words.remove();
      label.words = null;
    }
  }

  leaf(view, node, box) {
    const middle = box.y + box.middle;
    if (node.room) return;
    if (node.block) this.block(view, node, box);
    else if (node.plot) this.plot(view, node, box);
    else if (node.join) {
      const above = this.places[this.joined(view, node.name).at(-1)];
      const centre = { x: this.sizes.stacked ? above.centre : box.x + box.width / 2, y: middle };
      svg("circle", { class: "join", cx: centre.x, cy: centre.y, r: 15 }, this.element);
      svg("text", { class: "sign big", ...centre, "aria-hidden": "true" }, this.element, node.join);
      this.places[node.name] = { left: centre.x - 15, right: centre.x + 15, middle, top: middle - 15, bottom: middle + 15, centre: centre.x };
    } else {
      const label = svg("text", { class: "sign", x: box.x + box.width / 2, y: middle, "aria-hidden": "true" }, this.element);
      if (node.again) this.symbol(label, view, node.again);
      else label.textContent = node.op;
    }
  }

  symbol(text, view, name) {
    const { symbol, sub, sup } = view.variable(name);
    text.textContent = symbol;
    if (sup) svg("tspan", { dy: -5, class: "mark" }, text, sup);
    if (sub.startsWith("(")) svg("tspan", { dy: sup ? 5 : 0 }, text, sub); // h(t)
    else if (sub) svg("tspan", { dy: sup ? 9 : 4, class: "mark" }, text, sub);
  }

  block(view, node, box) {
    const name = node.block;
    const { symbol, family, ...variable } = view.variable(name);
    const around = box.width + 60; // signs on either side leave room
    const brief = variable.brief && this.sizes.stacked && labelWidth(view, name, true) > around ? "" : variable.brief || variable.caption;
    const shown = labelWidth(view, name) <= around ? variable.caption : brief;
    const caption = symbol && this.sizes.folded && view.stride < 0 ? "" : shown; // no room beside its letter
    const cell = cellSize(view, name, this.sizes, node.above);
    const [rows, columns] = gridOf(view, node, this.sizes);
    const turned = isTurned(node, this.sizes);
    const span = columns * (cell.width + cell.gap) - cell.gap;
    const left = box.x + (box.width - span) / 2;
    const group = svg("g", { class: `block ${family}`, role: "group", "data-block": name }, this.element);
    const size = `${rows} × ${columns}`;
    group.setAttribute("aria-label", [symbolText(view, name), symbol ? variable.caption : "", size].filter(Boolean).join(" "));
    const { folded, stacked } = this.sizes;
    const isAtLoop = caption && folded && !stacked && name === view.header.loops[0][0]; // which would strike the caption out
    const label = svg("text", { class: "label", x: isAtLoop ? left + span + 6 : box.x + box.width / 2, y: box.y + 10, "aria-hidden": "true" }, group);
    if (isAtLoop) label.style.textAnchor = "end";
    if (symbol) this.symbol(label, view, name);
    if (node.turned && this.sizes.folded && view.shape(name)[1] > 1) svg("tspan", { dy: -8, class: "mark" }, label, "T");
    const isTight = isAtLoop && labelWidth(view, name, true) > span + 52; // it would reach into the curve
    const words = caption && !isTight && svg("tspan", { class: "caption", dy: symbol && !view.variable(name).sub.startsWith("(") ? -4 : 0 }, label, symbol ? ` ${caption}` : caption);
    if (!isAtLoop) this.labels.push({ x: box.x + box.width / 2, y: box.y, letter: labelWidth(view, name) - 6.4 * variable.caption.length, words: symbol && words, caption });
    if (name === (view.header.scene.letters ?? "x")) this.letters.push(svg("tspan", { class: "letter" }, label));
    const { width, height, readable } = cell;
    const options = { font: this.sizes.font, turned, bare: !readable, textless: !readable, className: readable ? "" : "bare" };
    const bottom = box.y + LABEL + rows * (height + cell.rowGap) - cell.rowGap;
    const frame = { x: left, y: box.y + LABEL, width: span + cell.gap, height: bottom + cell.rowGap - box.y - LABEL };
    const isMatrix = rows > 1 && columns > 1;
    if (!readable) {
      const { explorer, ground } = this;
      const heat = isMatrix ? new FoldedMatrix(explorer, ground, view, group, name, frame, options) : new FoldedVector(ground, group, name, [rows, columns], frame);
      this.folded.push(heat);
      if (isMatrix) this.cells.push(...heat.cells);
    }
    if (readable || !isMatrix) {
      for (const index of indices(view, name)) {
        const [i, j] = turned ? [index[1] ?? 0, index[0]] : [index[0], index[1] ?? 0];
        const at = { x: left + j * (width + cell.gap), y: box.y + LABEL + i * (height + cell.rowGap), width, height };
        this.cells.push(new Cell(this.explorer, group, name, index, at, options));
      }
    }
    const middle = box.y + box.middle;
    this.places[name] = {
      left, right: left + span, middle, centre: left + span / 2,
      outer: Math.max(left + span, box.x + (box.width + labelWidth(view, name)) / 2) + 4,
      top: box.y, bottom,
    };
  }

  // The activation's curve on a fixed axis, with a point for each unit; one unit's has the tangent, whose slope is g'(a).
  plot(view, node, box) {
    const { width, height } = PLOT;
    const x = box.x + (box.width - width) / 2, y = box.y;
    const group = svg("g", { class: "plot", role: "img" }, this.element);
    svg("rect", { class: "plot-ground", x, y, width, height, rx: 6 }, group);
    const { data, shape: [, count] } = view.arrays[node.curve];
    const [sums, values] = [data.subarray(0, count), data.subarray(count)];
    const [low, high] = [sums[0], sums[count - 1]];
    const [bottom, top] = [Math.min(0, ...values), Math.max(...values)];
    const within = (value, least, most) => Math.max(least, Math.min(most, value));
    const toX = (a) => x + 12 + ((width - 24) * (within(a, low, high) - low)) / (high - low);
    const toY = (f) => y + height - 21 - ((height - 46) * (within(f, bottom, top) - bottom)) / (top - bottom);
    const [floor, ceiling] = [toY(bottom) + 4, toY(top) - 4];
    svg("path", { class: "axis", d: `M${toX(0)} ${ceiling}V${floor}M${x + 6} ${toY(0)}H${x + width - 6}` }, group);
    for (const a of [-4, -2, 0, 2, 4]) {
      svg("path", { class: "axis", d: `M${toX(a)} ${floor - 3}v5` }, group);
      svg("text", { class: "tick", x: toX(a), y: y + height - 8, "aria-hidden": "true" }, group, writeNumber(a));
    }
    for (const f of [bottom, top].map(Math.round).filter(Boolean)) {
      svg("path", { class: "axis", d: `M${toX(0) - 3} ${toY(f)}h6` }, group);
      const isTop = f === Math.round(top);
      const tick = svg("text", { class: "tick", x: toX(0) + (isTop ? -6 : 6), y: toY(f), "aria-hidden": "true" }, group, writeNumber(f));
      tick.style.textAnchor = isTop ? "end" : "start";
    }
    svg("path", { class: "curve", d: `M${Array.from(values, (f, i) => `${toX(sums[i]).toFixed(1)} ${toY(f).toFixed(1)}`).join("L")}` }, group);
    svg("text", { class: "plot-name", x: x + 8, y: y + 12 }, group, node.plot);
    const tangent = svg("path", { class: "tangent" }, group);
    const slope = svg("text", { class: "plot-slope", x: x + width - 7, y: y + 12 }, group); // over the tangent
    const dots = ["dot", "dot faint", "dot"].map((className) => svg("path", { class: className }, group));
    const making = new Set(sources(view, node.to, [0]).map(([name]) => name));
    const label = (shown, t) => describeCurve(shown, node, t);
    const rise = ((toY(bottom) - toY(top)) / (top - bottom)) / ((toX(high) - toX(low)) / (high - low)); // px down for each px across, at slope 1
    this.curves.push({ node, element: group, label, slope, tangent, dots, making, toX, toY, rise });
    const middle = y + height / 2;
    this.places[node.name] = { left: x, right: x + width, middle, centre: x + width / 2, top: y, bottom: y + height };
  }

  // The results that meet in a join.
  joined(view, join) {
    return view.header.edges.filter(([, to]) => to === join).map(([from]) => from);
  }

  arrow(view, source, target) {
    const [from, to] = [this.places[source], this.places[target]];
    let d;
    const met = this.joined(view, target);
    const { stacked, folded } = this.sizes;
    const labels = met.length > 1 && (!folded || view.header.scene.low) ? Math.max(...met.map((name) => this.places[name].outer)) : from.right + 4;
    const outer = Math.min(labels, to.left - 14); // past the names, but before the end
    const around = met.length > 1 && source !== met.at(-1);
    if (around && folded && !stacked && !view.header.scene.low) {
      const floor = Math.max(...met.map((name) => this.places[name].bottom)) + 14; // below what stands between
      d = `M${from.centre} ${from.bottom + 3}V${floor}H${to.centre}V${to.bottom + 5}`;
    } else if (around && stacked) {
      const side = Math.max(from.right, to.right) + 14; // past what stands between
      d = `M${from.right + 4} ${from.middle}H${side}V${to.middle}H${to.right + 5}`;
    } else if (to.left > from.right) {
      const bend = (outer + to.left) / 2;
      d = `M${from.right + 4} ${from.middle}H${outer}C${bend} ${from.middle} ${bend} ${to.middle} ${to.left - 5} ${to.middle}`;
    } else if (to.right < from.left && from.outer && to.top > from.bottom) { // from the end of a line to the next
      d = `M${from.centre} ${from.bottom + 3}V${to.top - 9}H${to.centre}V${to.top - 3}`;
    } else if (to.right < from.left) {
      d = `M${from.left - 4} ${from.middle}H${to.centre}V${to.top - 3}`;
    } else d = `M${from.centre} ${from.bottom + 3}V${to.top - 3}`;
    svg("path", { class: "arrow", d, "marker-end": "url(#head)" }, this.arrows);
  }

  // The new state on its way back to become the next step's memory.
  loop(view, total, from, to) {
    const floor = total.height + 24;
    const [down, up] = [this.sizes.stacked ? total.width + STACKED_SIDE - 5 : from.right + 12, to.centre];
    if (this.sizes.stacked) {
      const around = Object.values(this.places).filter(({ left, right }) => right > up && left < down);
      let y = to.top - 8; // above whatever would be struck through
      for (const { top, bottom } of around) if (top - 6 < y && bottom > y && bottom < from.top) y = top - 6;
      const d = `M${from.right + 4} ${from.middle}H${down}V${y}H${up}V${to.top - 1}`;
      svg("path", { class: "arrow loop", d, "marker-end": "url(#head)" }, this.arrows);
      return;
    }
    if (this.sizes.folded) {
      const d = `M${from.right + 3} ${from.middle}H${down}V8H${up}V${to.top - 3}`;
      svg("path", { class: "arrow loop", d, "marker-end": "url(#head)" }, this.arrows);
      const label = svg("text", { class: "loop-label", x: down - 6, y: 20, style: "text-anchor: end" }, this.arrows);
      label.textContent = view.header.words.loop;
      return;
    }
    const d = `M${from.right + 3} ${from.middle + 8}H${down}V${floor}H${up}V${to.bottom + 6}`;
    svg("path", { class: "arrow loop", d, "marker-end": "url(#head)" }, this.arrows);
    svg("text", { class: "loop-label", x: (down + up) / 2, y: floor - 9 }, this.arrows, view.header.words.loop);
  }

  // Several results on their way to the step that is shown next: gathered at the right, handed over at the left.
  handOver(view, total) {
    const [results, entries] = [0, 1].map((end) => view.header.loops.map((loop) => this.places[loop[end]]));
    const floor = total.height + 24;
    const side = Math.max(...results.map(({ right }) => right)) + 14;
    const lowest = entries.reduce((one, other) => (other.bottom > one.bottom ? other : one));
    const stubs = results.filter(({ right }) => right > side - 30).map(({ right, middle }) => `M${right + 3} ${middle}H${side}`);
    const top = Math.min(...results.filter(({ right }) => right > side - 30).map(({ middle }) => middle));
    const d = `M${side} ${top}V${floor}H${lowest.centre}V${lowest.bottom + 6}`;
    svg("path", { class: "arrow loop", d: stubs.join("") }, this.arrows);
    svg("path", { class: "arrow loop", d, "marker-end": "url(#head)" }, this.arrows);
    svg("text", { class: "loop-label", x: (side + lowest.centre) / 2, y: floor - 9 }, this.arrows, view.header.words.loop);
  }

  // A step touches what depends on it; weights are shown with a new trace or theme only.
  show(view, t, theme, before, focus, isStep) {
    for (const cell of isStep ? this.moving : this.cells) cell.show(view, t, theme, before);
    for (const folded of this.folded) if (!isStep || view.variable(folded.name).per_step) folded.show(view, t, theme);
    const letter = this.letters.length ? view.letter(t) : "";
    for (const text of this.letters) text.textContent = letter ? ` “${letter}”` : "";
    this.showCurves(view, t, focus);
  }

  // Folded matrices show the row, and small cells the number, that the arithmetic speaks of: `made` holds these places.
  unfold(view, t, made) {
    for (const matrix of this.folded) {
      const row = made.find(([name, index]) => name === matrix.name && (matrix.holds?.(index[0]) ?? true));
      const { focused } = this.explorer; // by the keyboard: that row stays while its reader is there
      const isRead = focused?.folded === matrix && focused.element.matches(":focus-visible");
      if (row && !isRead) matrix.showRow?.(row[1][0]);
      matrix.line?.classList.toggle("idle", !row);
    }
    if (!this.sizes.folded) return;
    const keys = new Map();
    for (const [name, index] of made) keys.set(name, keys.has(name) ? null : entryKey(name, index));
    this.lens.show(view, t, this.cells.filter((cell) => !cell.text && !cell.folded && keys.get(cell.name) === cell.key));
  }

  // The points of every unit; the one that the arithmetic speaks of stands out, with its tangent.
  showCurves(view, t, focus) {
    for (const curve of this.curves) {
      const isOfUnit = focus && view.header.formulas[focus.name] && curve.making.has(focus.name);
      const unit = isOfUnit ? focus.index[0] : focus ? -1 : (view.header.notices[t - 1]?.[0] ?? -1);
      this.showCurve(view, t, curve, unit);
    }
  }

  showCurve(view, t, curve, unit) {
    const { node, slope, tangent, dots, toX, toY, rise } = curve;
    const place = (i) => [toX(view.value(node.of, [i], t)), toY(view.value(node.to, [i], t))];
    const at = (i) => `M${place(i).map((side) => side.toFixed(1)).join(" ")}h0`;
    const units = [...indices(view, node.to)].map(([i]) => i);
    const [all, others, one] = dots;
    all.setAttribute("d", unit < 0 ? units.map(at).join("") : "");
    others.setAttribute("d", unit < 0 ? "" : units.filter((i) => i !== unit).map(at).join(""));
    one.setAttribute("d", unit < 0 ? "" : at(unit));
    const steep = unit < 0 ? 0 : slopeOf(view, node, unit, t);
    slope.textContent = unit < 0 ? "" : `${view.header.words.slope} ${equalsSign(steep, 3, 0)} ${writeFaded(steep, 3)}`;
    const [x, y] = unit < 0 ? [0, 0] : place(unit);
    const across = TANGENT / Math.hypot(1, steep * rise);
    const down = -steep * rise * across;
    tangent.setAttribute("d", unit < 0 ? "" : `M${x - across} ${y - down}L${x + across} ${y + down}`);
    this.explorer.labelLater(curve);
  }
}
