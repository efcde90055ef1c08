// Many numbers without room to be written: a spot of colour for each, on a canvas below the picture.

// The canvas below a drawing: one for all, since each is a layer that the browser composes anew at every step.
class Ground {
  constructor(sheet) {
    this.sheet = sheet;
    this.scale = window.devicePixelRatio || 1;
  }

  // Made when the drawing's size is known and something is to be drawn.
  get context() {
    if (this.made) return this.made;
    const drawing = this.sheet.querySelector("svg");
    const [width, height] = ["width", "height"].map((side) => Number(drawing.getAttribute(side)));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height].map((size) => Math.ceil(size * this.scale));
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    this.sheet.prepend(canvas);
    this.made = canvas.getContext("2d", { willReadFrequently: true });
    return this.made;
  }
}

class Heat {
  // `grid` is rows and columns, `box` the place in pixels.
  constructor(ground, parent, grid, box) {
    Object.assign(this, { ground, grid, box });
    this.area = svg("rect", { class: "heat-area", ...box }, parent);
  }

  // The colours of `valueAt(row, column)`. The pixels are written here: a canvas that scales others takes several times as long.
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
  at(event) {
    const { left, top, width, height } = this.area.getBoundingClientRect();
    const [rows, columns] = this.grid;
    const row = Math.floor(((event.clientY - top) / height) * rows);
    const column = Math.floor(((event.clientX - left) / width) * columns);
    return [Math.min(rows - 1, Math.max(0, row)), Math.min(columns - 1, Math.max(0, column))];
  }
}

// The colours of a vector whose cells are too small for numbers; the cells stay, to be pointed at.
class FoldedVector {
  constructor(ground, parent, name, grid, box, start = 0) {
    Object.assign(this, { name, start }); // of a stacked vector, the rows from there on
    this.heat = new Heat(ground, parent, grid, box);
  }

  show(view, t, theme) {
    const { family } = view.variable(this.name);
    const places = [...indices(view, this.name)]; // of a matrix of a single row or column too
    this.heat.paint((i, j) => view.value(this.name, places[this.start + i + j], t), family, view.limitOf(this.name), theme);
  }
}

// A folded matrix: all of it as colours, and one row as cells, which point, edit and explain as everywhere.
class FoldedMatrix {
  // `range` is the first row and how many: of a stacked matrix only those of a gate.
  constructor(explorer, ground, view, group, name, box, options, range = [0, view.shape(name)[0]]) {
    const [start, rows] = range;
    Object.assign(this, { explorer, name, box, start, row: start });
    const [, columns] = view.shape(name);
    this.heat = new Heat(ground, group, [rows, columns], box);
    this.marks = svg("path", { class: "heat-marks" }, group);
    this.line = svg("g", { class: "heat-row" }, group);
    const pitch = box.width / columns;
    this.cells = Array.from({ length: columns }, (_, j) => {
      const at = { x: box.x + j * pitch, y: box.y, width: pitch, height: box.height / rows };
      return new Cell(explorer, this.line, name, [start, j], at, options);
    });
    svg("rect", { class: "row-frame", x: box.x, y: box.y, width: box.width, height: box.height / rows }, this.line);
    for (const cell of this.cells) cell.folded = this;
    const point = (event) => {
      const [i, j] = this.heat.at(event);
      if (start + i !== this.row) explorer.look({ hovered: null }); // the same cells stand for another row now
      this.showRow(start + i);
      explorer.look({ hovered: this.cells[j] });
    };
    this.heat.area.addEventListener("pointermove", (event) => event.pointerType !== "touch" && point(event));
    this.heat.area.addEventListener("click", (event) => {
      point(event);
      explorer.choose(explorer.hovered);
    });
  }

  // The row some lines further down, within those that are shown.
  below(row, lines) {
    return Math.min(this.start + this.heat.grid[0] - 1, Math.max(this.start, row + lines));
  }

  holds(row) {
    return row >= this.start && row < this.start + this.heat.grid[0];
  }

  // Which row the cells stand for.
  showRow(row) {
    if (row === this.row || !this.holds(row)) return;
    this.row = row;
    this.line.setAttribute("transform", `translate(0 ${((row - this.start) * this.box.height) / this.heat.grid[0]})`);
    const { view, t, theme, before } = this.explorer;
    for (const cell of this.cells) {
      cell.moveTo([row, cell.index[1]]);
      cell.show(view, t, theme, before);
    }
  }

  // The whole matrix: with a new trace or theme, not at a step.
  show(view, t, theme) {
    const { family } = view.variable(this.name);
    const { data } = view.arrays[view.variable(this.name).array]; // read straight: thousands of numbers
    const columns = this.heat.grid[1];
    this.heat.paint((i, j) => data[(this.start + i) * columns + j], family, view.limitOf(this.name), theme);
    this.marks.setAttribute("d", this.outlines(view));
  }

  // Frames around the edited numbers.
  outlines(view) {
    const [rows, columns] = this.heat.grid;
    const [width, height] = [this.box.width / columns, this.box.height / rows];
    const { edit } = view.variable(this.name);
    if (!view.edited.size) return "";
    let d = "";
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        if (!view.edited.has(entryKey(edit, [this.start + i, j]))) continue;
        d += `M${this.box.x + j * width} ${this.box.y + i * height}h${width}v${height}h${-width}z`;
      }
    }
    return d;
  }
}

const LENS_WIDTH = 46;

// Beside a cell that is too small for its number: the number of the row that the arithmetic speaks of.
class Lens {
  constructor(parent) {
    this.element = svg("g", { class: "lens", "aria-hidden": "true" }, parent);
    this.tags = new Map();
  }

  // `cells` to read out; a tag for each.
  show(view, t, cells) {
    const used = new Set();
    for (const cell of cells) {
      used.add(cell.name);
      let tag = this.tags.get(cell.name);
      if (!tag) {
        const element = svg("g", {}, this.element);
        tag = { element, rect: svg("rect", { width: LENS_WIDTH, height: 19, rx: 4 }, element), text: svg("text", {}, element) };
        this.tags.set(cell.name, tag);
      }
      const { x, y, width, height } = cell.box;
      const place = { x: x + width / 2 - LENS_WIDTH / 2, y: y + height / 2 - 9.5 };
      tag.element.setAttribute("transform", `translate(${place.x} ${place.y})`);
      tag.text.setAttribute("x", LENS_WIDTH / 2);
      tag.text.setAttribute("y", 10);
      const name = view.drawn(cell.name);
      tag.text.textContent = writeShort(cell.value(view, t), view.floorOf(name), 3, (text) => textWidth(text, 12), LENS_WIDTH - CELL_EDGE);
      tag.element.style.display = "";
    }
    for (const [name, { element }] of this.tags) if (!used.has(name)) element.style.display = "none";
  }
}
