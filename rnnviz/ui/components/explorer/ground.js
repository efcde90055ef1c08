// Many numbers without room to be written: a spot of colour for each, on a canvas below the picture.

import { SHADES, shadesOf } from "../shared/colour.js";
import { find, penOf } from "../shared/parts.js";
import { svg } from "../shared/svg.js";

/** @import { Box, Family, Theme } from "../shared/types" */

// A drawing with room for canvases below it.
/** @param {SVGSVGElement} drawing */
export function sheetOf(drawing) {
  const sheet = document.createElement("div");
  sheet.className = "sheet";
  sheet.append(drawing);
  return sheet;
}

// The canvas below a drawing: one for all, since each is a layer that the browser composes anew at every step.
export class Ground {
  /** @param {HTMLElement} sheet */
  constructor(sheet) {
    this.sheet = sheet;
    this.scale = window.devicePixelRatio || 1;
    /** @type {CanvasRenderingContext2D | null} */
    this.made = null;
  }

  // Made when the drawing's size is known and something is to be drawn.
  get context() {
    if (this.made) return this.made;
    const drawing = find(this.sheet, "svg", SVGSVGElement);
    const [width, height] = ["width", "height"].map((side) => Number(drawing.getAttribute(side)));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height].map((size) => Math.ceil(size * this.scale));
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    this.sheet.prepend(canvas);
    this.made = penOf(canvas, { willReadFrequently: true });
    return this.made;
  }
}

export class Heat {
  // `grid` is rows and columns, `box` the place in pixels.
  /** @param {Ground} ground @param {Element} parent @param {[rows: number, columns: number]} grid @param {Box} box */
  constructor(ground, parent, grid, box) {
    this.ground = ground;
    this.grid = grid;
    this.box = box;
    this.area = svg("rect", { class: "heat-area", ...box }, parent);
  }

  // The colours of `valueAt(row, column)`. The pixels are written here: a canvas that scales others takes several times as long.
  /** @param {(row: number, column: number) => number} valueAt @param {Family} family @param {number} limit @param {Theme} theme */
  paint(valueAt, family, limit, theme) {
    const [rows, columns] = this.grid;
    const { context, scale } = this.ground;
    const { x, y, width, height } = this.box;
    const [left, top, right, bottom] = [x, y, x + width, y + height].map((place) => Math.round(place * scale));
    const [wide, high] = [Math.max(1, right - left), Math.max(1, bottom - top)];
    const shades = shadesOf(family, limit, theme);
    const line = new Uint32Array(wide);
    const image = new ImageData(wide, high);
    const pixels = new Uint32Array(image.data.buffer);
    /** @param {number} count @param {number} size */
    const edges = (count, size) => Uint32Array.from({ length: count + 1 }, (_, edge) => Math.round((edge * size) / count));
    const [across, down] = [edges(columns, wide), edges(rows, high)];
    for (let i = 0; i < rows; i++) {
      if (down[i] === down[i + 1]) continue; // more rows than pixels
      for (let j = 0; j < columns; j++) {
        const share = Math.min(1, Math.max(-1, valueAt(i, j) / limit));
        line.fill(shades[Math.round((share + 1) * SHADES)], across[j], across[j + 1]);
      }
      for (let row = down[i]; row < down[i + 1]; row++) pixels.set(line, row * wide);
    }
    context.putImageData(image, left, top);
  }

  // Row and column under the pointer.
  /** @param {PointerEvent | MouseEvent} event @returns {[row: number, column: number]} */
  at(event) {
    const { left, top, width, height } = this.area.getBoundingClientRect();
    const [rows, columns] = this.grid;
    const row = Math.floor(((event.clientY - top) / height) * rows);
    const column = Math.floor(((event.clientX - left) / width) * columns);
    return [Math.min(rows - 1, Math.max(0, row)), Math.min(columns - 1, Math.max(0, column))];
  }
}
