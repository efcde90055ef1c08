// The strip below: inputs, states and outputs of all steps, a step a column; the shown step is framed.

const ROW_LABEL = 44;

class Timeline {
  constructor(explorer, view, width) {
    this.explorer = explorer;
    this.cells = [];
    this.byPlace = new Map(); // "variable.unit.step"
    const columns = view.steps + 1; // the first holds the initial state
    const room = (width - ROW_LABEL - 14) / columns;
    const number = Math.min(140, room - 2);
    this.bare = number < 36 && view.steps > 24; // too narrow for numbers: colours, numbers on hover
    const cell = this.bare ? Math.max(2, room - 0.5) : Math.max(36, number);
    this.pitch = this.bare ? Math.max(2.5, room) : cell + 2;
    const rows = view.header.timeline.reduce((sum, name) => sum + view.shape(name)[0], 0);
    const height = rows <= 8 ? 21 : rows <= 16 ? 17 : 13;
    this.isWider = ROW_LABEL + this.pitch * columns + 12 > width;
    this.element = svg("svg", { class: "timeline-svg", width: ROW_LABEL + this.pitch * columns + 12 });
    this.frame = document.createElement("div"); // above the strip, so that a step moves it without painting the strip
    this.frame.className = "frame";
    this.frame.style.width = `${this.pitch + 1}px`;
    this.header(view, columns);
    let y = 20;
    for (const name of view.header.timeline) {
      const group = svg("g", { class: "block strip", role: "group", "data-block": name, "aria-label": `${symbolText(view, name)} ${view.header.words.over_time}` }, this.element);
      const [units] = view.shape(name);
      const start = [...view.starts].find(([, { next }]) => next === name)?.[0];
      for (let i = 0; i < units; i++) {
        const [first, count] = start ? [0, columns] : [1, view.steps];
        const track = { x: ROW_LABEL + first * this.pitch, y, width: this.pitch * count - 2, height, rx: 3 };
        svg("rect", { class: "track", ...track }, group);
        const label = svg("text", { class: "row-label", x: ROW_LABEL - 10, y: y + height / 2, "aria-hidden": "true" }, group);
        label.textContent = view.variable(name).symbol;
        svg("tspan", { dy: 3, "font-size": "0.8em" }, label, String(i + 1));
        for (let t = start ? 0 : 1; t <= view.steps; t++) {
          const box = { x: ROW_LABEL + t * this.pitch, y, width: cell, height };
          const options = { step: t, bare: this.bare, font: height > 18 ? 12.5 : 10.5, className: this.bare ? "small bare" : "small" };
          const drawn = new Cell(explorer, group, t === 0 ? start : name, [i], box, options);
          this.cells.push(drawn);
          this.byPlace.set(`${name}.${i}.${t}`, drawn);
        }
        y += height + (this.bare ? 1 : 2);
      }
      y += 9;
    }
    this.links = svg("g", { class: "links", "aria-hidden": "true" }, this.element);
    this.element.setAttribute("height", y);
    this.frame.style.height = `${y - 6}px`;
    this.scrub();
  }

  header(view, columns) {
    const every = [1, 2, 5, 10, 20, 50].find((step) => step * this.pitch >= 30) ?? 100;
    for (let t = 0; t < columns; t++) {
      if (t > 0 && t !== 1 && t % every !== 0) continue;
      if (t === 0 && this.pitch < 26) continue;
      const text = t === 0 ? view.header.words.start : this.pitch > 56 ? `t = ${t}` : String(t);
      svg("text", { class: "column-label", x: ROW_LABEL + (t + 0.5) * this.pitch, y: 12, "aria-hidden": "true" }, this.element, text);
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
    this.frameStep(t);
  }

  frameStep(t) {
    this.frame.style.transform = `translateX(${ROW_LABEL + t * this.pitch - 1.5}px)`;
    const scroller = this.element.parentElement;
    if (!scroller || !this.isWider) return; // asking the page for its widths would cost a layout at each step
    const left = ROW_LABEL + t * this.pitch;
    if (left < scroller.scrollLeft + ROW_LABEL) scroller.scrollLeft = left - ROW_LABEL - this.pitch;
    else if (left + this.pitch > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = left + 2 * this.pitch - scroller.clientWidth;
  }

  // A weight is shared: draw each of its T uses, from the number it multiplies to the number it goes into.
  showUses(view, found) {
    this.links.replaceChildren();
    if (!found) return;
    const at = (name, unit, t) => this.byPlace.get(`${name}.${unit}.${t}`);
    for (const { result, place: unit, other } of found) {
      for (let t = 1; t <= view.steps; t++) {
        const to = at(this.endOf(view, result), unit[0], t);
        const loop = other && view.header.loops.find(([, entry]) => entry === other[0]);
        const from = other && (loop ? at(loop[0], other[1][0], t - 1) : at(other[0], other[1][0], t));
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

  // The variable of the strip in which a result ends up: a partial sum goes into h.
  endOf(view, result) {
    if (view.header.timeline.includes(result)) return result;
    const next = Object.entries(view.header.formulas).find(([, formula]) =>
      formula.terms.some((term) => term.ref === result || term.product?.includes(result)),
    );
    return next ? this.endOf(view, next[0]) : null;
  }
}

// Where a line leaves one cell and meets another: at their facing edges, so that no number is struck out.
function ends(from, to) {
  const [a, b] = [from.x + from.width / 2, to.x + to.width / 2];
  if (to.y > from.y) return [a, from.y + from.height, b, to.y];
  if (to.y < from.y) return [a, from.y, b, to.y + to.height];
  return [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
}
