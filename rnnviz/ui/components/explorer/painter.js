// Paints what the state says: all of it with a new trace, what depends on the step at a step, what depends on the
// focus with the focus. A step runs at every key press, so it stays light.

import { themeOf } from "../shared/colour.js";
import { unbroken } from "../shared/sentences.js";
import { arithmetic, explain, ghostHtml } from "./arithmetic.js";
import { legendHtml, stepText, twinHtml } from "./around.js";
import { cellAt } from "./cell.js";
import { Drawn } from "./drawn.js";
import { sources, uses } from "./formulas.js";
import { Graph } from "./graph.js";
import { entryKey } from "./trace.js";

/** @import { Cell } from "./cell.js" */
/** @import { Explorer } from "./explorer.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Ref, Use } from "./types" */

export class Painter {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.drawn = new Drawn(explorer);
    /** @type {{ lit: Set<Cell>, pinned: Set<Cell> }} */
    this.marked = { lit: new Set(), pinned: new Set() };
    /** @type {Graph | null} */
    this.graph = null;
    this.line = ""; // of arithmetic
    this.subject = ""; // what it speaks of
    this.scrolled = false;
    const { parts } = explorer;
    this.onResize = () => this.draw();
    this.observer = new ResizeObserver(() => {
      const width = parts.scene.clientWidth;
      if (width && width !== this.drawn.width) this.draw();
    });
    this.observer.observe(parts.scene);
    window.addEventListener("resize", this.onResize);
    parts.scene.addEventListener("scroll", () => this.drawn.showMore(), { passive: true });
    parts.arithmetic.addEventListener("scroll", () => (this.scrolled = true), { passive: true });
    parts.details.addEventListener("toggle", () => this.showTwin());
    parts.graph.addEventListener("toggle", () => this.showGraph());
  }

  // Draws everything anew where sizes changed, else touches what differs.
  draw() {
    const { root, state, parts, controls } = this.explorer;
    const { view } = state;
    const { header } = view;
    state.theme = themeOf(root);
    root.dataset.theme = state.theme;
    const focused = this.drawn.isOutdated ? this.drawAnew() : null;
    root.dataset.steps = String(view.steps);
    root.classList.toggle("back", view.stride < 0);
    parts.graph.hidden = header.graph?.length === 0; // not every picture has one
    parts.alert.textContent = header.alert;
    parts.alert.hidden = !header.alert;
    parts.fact.textContent = unbroken(header.fact);
    parts.remark.textContent = unbroken(header.remark);
    this.drawn.timeline.show(view, state.t, state.theme, state.before);
    parts.legend.innerHTML = legendHtml(view, state.theme);
    controls.show();
    this.showStep();
    if (focused) this.drawn.sameCell(focused)?.element.focus(); // when it has its number
  }

  // New elements; the cell that had the focus is returned.
  drawAnew() {
    const { root, state, names } = this.explorer;
    const shadow = root.getRootNode();
    const focused = shadow instanceof ShadowRoot ? cellAt(shadow.activeElement) : null;
    names.clear();
    this.drawn = new Drawn(this.explorer);
    this.marked = { lit: new Set(), pinned: new Set() };
    if (state.pinned && !this.drawn.sameCell(state.pinned)) state.pinned = null;
    state.hovered = state.focused = null;
    return focused;
  }

  showStep(isStep = false) {
    const { root, state: { view, t, theme, before, active }, parts, controls } = this.explorer;
    const { scene, timeline } = this.drawn;
    root.dataset.t = String(t);
    parts.title.innerHTML = stepText(view, `<b>${t}</b>`);
    scene.show(view, t, theme, before, active, isStep);
    if (isStep) timeline.showStep(view, t, theme, before);
    this.showActive();
    parts.notice.textContent = unbroken(view.header.notices[t - 1]?.[1] ?? "");
    controls.showStep();
    this.showTwin();
    this.showGraph(isStep);
  }

  // The table is made when it is opened.
  showTwin() {
    const { parts, state } = this.explorer;
    if (parts.details.open) parts.twin.innerHTML = twinHtml(state.view, state.t);
  }

  // The graph is made when it is opened, and anew when sizes change. Python sends a large one when it is asked for.
  showGraph(isStep = false) {
    const { parts, state: { view, t, theme } } = this.explorer;
    if (!parts.graph.open) return;
    if (!view.header.graph) {
      parts.graphs.textContent = view.header.words.graph_waiting;
      this.graph = null;
      this.explorer.setStateValue("graph", true);
      return;
    }
    const structure = `${this.drawn.structure}|${levelsOf(view)}`;
    if (this.graph?.structure !== structure) {
      this.graph = new Graph(this.explorer, view, this.drawn.width, structure);
      parts.graphs.replaceChildren(this.graph.element);
      isStep = false;
    }
    this.graph.show(view, t, theme, isStep);
  }

  // ---- the number that is spoken of ----

  showFocus() {
    const { view, t, active } = this.explorer.state;
    this.showActive();
    this.drawn.scene.showCurves(view, t, active);
  }

  // What the active number is made of stays bright, all else dims; the arithmetic stands below.
  showActive() {
    const { names, state } = this.explorer;
    const { view, active, pinned } = state;
    const { scene, timeline, cells } = this.drawn;
    names.atRest();
    const [result] = view.header.loops[0];
    const unit = view.header.notices[state.t - 1]?.[0] ?? 0;
    const name = active && view.drawn(active.name);
    const found = active && name && !view.header.formulas[name] ? uses(view, name, active.index) : null;
    const isShown = active !== null && (active.step || state.t) === state.t; // else it is of a step that the picture does not show
    const made = active ? this.madeOf(found, isShown) : sources(view, result, [unit]);
    const lit = new Set(isShown ? made.map(([v, i]) => entryKey(v, i)) : []);
    scene.unfold(view, state.t, made);
    this.mark("lit", lit.size ? scene.cells.filter((cell) => lit.has(cell.key)) : []);
    this.mark("pinned", pinned ? cells.filter(({ key, step }) => key === pinned.key && step === pinned.step) : []);
    scene.sheet.classList.toggle("focused", lit.size > 1);
    const isWeight = name !== null && view.variable(name).family === "weight";
    timeline.showUses(view, isWeight ? found : null, active && name && !isWeight ? [name, active.index[0]] : null);
    this.writeLine(result, unit, found);
  }

  // The places that light up with the active number: what a result comes from, or where another number goes.
  /** @param {Use[] | null} found @param {boolean} isShown @returns {Ref[]} */
  madeOf(found, isShown) {
    const { view, active } = this.explorer.state;
    if (!active) return [];
    const name = view.drawn(active.name);
    if (!isShown) return [[name, active.index]];
    if (!found) return sources(view, name, active.index);
    const others = found.flatMap(({ result, place, other }) => [[result, place], ...(other ? [[other[0], other[1]]] : [])]);
    return [[name, active.index], .../** @type {Ref[]} */ (others)];
  }

  // The arithmetic of the active number, or of the unit to notice at this step.
  /** @param {string} result @param {number} unit @param {Use[] | null} found */
  writeLine(result, unit, found) {
    const { state: { view, t, before, active }, parts } = this.explorer;
    const said = active && explain(view, view.drawn(active.name), active, active.step || t, found ?? []) + ghostHtml(view, before, active, t);
    const line = said ?? arithmetic(view, result, [unit], t);
    if (line !== this.line) parts.arithmetic.innerHTML = this.line = line;
    const subject = active ? `${view.drawn(active.name)} ${active.key}` : String(unit);
    if (this.scrolled && subject !== this.subject) {
      parts.arithmetic.scrollTop = 0; // where it says whose sum it is
      this.scrolled = false;
    }
    this.subject = subject;
  }

  // Gives these cells a class and takes it from those that had it; all others stay untouched.
  /** @param {"lit" | "pinned"} name @param {Cell[]} cells */
  mark(name, cells) {
    const now = new Set(cells);
    /** @param {Cell} cell @param {boolean} on */
    const mark = (cell, on) => {
      cell.element.classList.toggle(name, on);
      if (name === "lit") cell.light(on);
    };
    for (const cell of this.marked[name]) if (!now.has(cell)) mark(cell, false);
    for (const cell of now) if (!this.marked[name].has(cell)) mark(cell, true);
    this.marked[name] = now;
  }

  close() {
    this.observer.disconnect();
    window.removeEventListener("resize", this.onResize);
  }
}

/** @param {TraceView} view */
const levelsOf = (view) => JSON.stringify(view.header.graph?.map((level) => [level, view.arrays[level.values].shape]));
