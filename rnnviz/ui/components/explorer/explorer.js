// The cell explorer: gets a whole trace once and draws any step of it. It owns the step, the pin and the focus;
// Python computes every number. The files of this folder are one module, joined in the order given in __init__.py.

import { themeOf } from "../shared/colour.js";
import { downloadPicture } from "../shared/download.js";
import { isTyped, isUndo } from "../shared/keys.js";
import { EditQueue } from "../shared/queue.js";
import { readNumbers } from "../shared/typed.js";
import { fill, unbroken } from "../shared/words.js";
import { arithmetic, explain, ghostHtml, MOST_TERMS } from "./arithmetic.js";
import { legendHtml, stepText, twinHtml } from "./around.js";
import { arrowHead } from "./arrows.js";
import { Spot } from "./cell.js";
import { dragNumber } from "./dragging.js";
import { Field } from "./field.js";
import { depthOf, sources, termCount, uses } from "./formulas.js";
import { Graph } from "./graph.js";
import { WIDE_SIDE } from "./layout.js";
import { Scene } from "./scene.js";
import { Timeline } from "./timeline.js";
import { entryKey, TraceView } from "./trace.js";

const REPORT_AFTER = 250; // ms after scrubbing stops until the server hears of the step
const LABEL_AFTER = 100; // ms after the last change of a number until its name for screen readers follows
const PAGE_HEAD = { cell: 156, back: 196 }; // px above the picture on the pages of cells and of the backward pass, and margins
const NOTICE = 81; // px of the sentences below the picture, on three lines
const PLAY_EVERY = 900; // ms a step at normal speed

export class Explorer {
  constructor(host) {
    this.host = host;
    this.root = host.querySelector(".explorer");
    this.theme = null;
    this.t = 1;
    this.pinned = this.hovered = this.focused = null;
    this.before = null; // the trace before the last edit, for the ghosts
    this.marked = { lit: new Set(), pinned: new Set() };
    this.unlabelled = new Set();
    this.speed = 1;
  }

  // Every message of Python, and every change of theme or width.
  receive(bytes, setStateValue) {
    this.setStateValue = setStateValue;
    const view = new TraceView(bytes);
    const old = this.view;
    this.view = view;
    this.queue ??= new EditQueue((name, value) => this.setStateValue(name, value), (waiting) => this.root.classList.toggle("waiting", waiting));
    const answer = this.queue.acknowledge(view.header);
    if (answer === "restarted" && this.t !== view.header.t) this.reportStep();
    if (answer === "first" || answer === "rebased") {
      this.before = null;
      this.pinned = null;
      this.t = view.header.t;
    }
    if (!this.built) this.build();
    if (old && structureOf(old) !== structureOf(view)) this.before = null;
    this.t = Math.min(Math.max(1, this.t), view.steps);
    this.theme = this.root.dataset.theme = themeOf(this.root);
    this.draw();
  }

  build() {
    this.built = true;
    const { words } = this.view.header;
    this.parts = {};
    for (const element of this.root.querySelectorAll("[data-part]")) this.parts[element.dataset.part] = element;
    this.root.setAttribute("aria-label", words.explorer);
    this.parts.hint.textContent = words.hint;
    this.parts.waiting.textContent = words.waiting;
    this.parts.more.textContent = words.more;
    this.parts.summary.textContent = words.numbers;
    this.parts.graphTitle.textContent = words.graph;
    this.parts.keysTitle.textContent = words.keys;
    for (const line of words.key_list.split(" | ")) {
      const item = document.createElement("li");
      item.textContent = line;
      this.parts.keys.append(item);
    }
    for (const button of this.root.querySelectorAll("button[data-do]")) {
      const action = button.dataset.do;
      const visible = button.querySelector("span");
      if (visible) visible.textContent = words[action];
      else button.setAttribute("aria-label", words[action]);
      button.title = words[`${action}_title`] ?? words[action];
      button.addEventListener("click", () => this.act(action));
    }
    this.field = new Field(this);
    this.root.append(this.field.box);
    this.listen();
    this.observer = new ResizeObserver(() => {
      const width = this.parts.scene.clientWidth;
      if (width && width !== this.width) this.draw();
    });
    this.observer.observe(this.parts.scene);
    this.onResize = () => this.draw();
    window.addEventListener("resize", this.onResize);
    this.parts.scene.addEventListener("scroll", () => this.showMore(), { passive: true });
    this.parts.arithmetic.addEventListener("scroll", () => (this.scrolled = true), { passive: true });
  }

  listen() {
    const cellOf = (event) => event.target.closest?.(".cell")?.cell ?? null;
    this.root.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.look({ hovered: cellOf(event) });
    });
    this.root.addEventListener("pointerleave", () => this.look({ hovered: null }));
    this.root.addEventListener("focusin", (event) => {
      // A press on the strip goes to a step; its number is explained only to the pointer and to the keyboard.
      const cell = cellOf(event);
      if (cell) this.label(cell);
      if (cell?.element.matches(":focus-visible")) this.keepInSight(cell);
      this.look({ focused: cell?.element.closest(".strip") && !cell.element.matches(":focus-visible") ? null : cell });
    });
    this.root.addEventListener("focusout", (event) => {
      if (!event.relatedTarget?.closest?.(".cell")) this.look({ focused: null }); // else the next one is looked at at once
    });
    this.root.addEventListener("pointerdown", (event) => this.press(event, cellOf(event)));
    this.root.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (cell && !cell.element.closest(".strip") && !this.dragged) this.choose(cell);
    });
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("paste", (event) => {
      const cell = this.focused;
      if (!cell?.entry(this.view, this.t) || !this.field.box.hidden) return;
      const text = event.clipboardData.getData("text");
      this.field.open(cell);
      if (readNumbers(text).length > 1) this.field.pasteBlock(text);
      else this.field.input.value = text.trim();
      event.preventDefault();
    });
    this.parts.details.addEventListener("toggle", () => this.showTwin());
    this.parts.graph.addEventListener("toggle", () => this.showGraph());
    // With nothing focused on the page, or a button that was pressed by the pointer (a preset, say), these keys are
    // for the explorer: a lecturer need not click into it first. It hears them before Streamlit's own buttons do.
    this.onPageKey = (event) => {
      if (isUndo(event) && !event.composedPath().some((node) => node === this.root || isTyped(node))) {
        event.preventDefault();
        this.act("undo"); // wherever the change was made
        return;
      }
      const active = document.activeElement;
      const idle = !active || active === document.body || (active.closest("button") && !active.matches(":focus-visible"));
      if (!idle || event.altKey || event.ctrlKey || event.metaKey || !["ArrowLeft", "ArrowRight", " "].includes(event.key)) return;
      this.root.focus({ preventScroll: true });
      this.key(event);
    };
    document.addEventListener("keydown", this.onPageKey, true);
  }

  // Draws everything anew where sizes changed, else touches what differs.
  draw() {
    const { view, parts } = this;
    this.width = parts.scene.clientWidth || 900;
    this.isLow = innerHeight < 840;
    const structure = `${structureOf(view)}|${this.width}|${innerHeight}`;
    let focused = null;
    if (structure !== this.structure) {
      this.structure = structure;
      this.unlabelled.clear(); // of cells that are gone
      focused = this.root.getRootNode().activeElement?.cell;
      this.scene = new Scene(this, view, this.width, this.isLow);
      parts.arithmetic.style.height = this.arithmeticHeight();
      const room = this.roomBelow();
      this.timeline = new Timeline(this, view, this.width, room);
      this.scene.element.prepend(arrowHead());
      parts.scene.replaceChildren(this.scene.sheet);
      this.showMore();
      parts.timeline.replaceChildren(this.timeline.sheet);
      this.cells = [...this.scene.cells, ...this.timeline.cells, ...this.timeline.strips.flatMap(({ cells }) => cells)];
      this.marked = { lit: new Set(), pinned: new Set() };
      for (const block of this.root.querySelectorAll("g.block")) block.querySelector(".cell")?.setAttribute("tabindex", 0);
      const most = Math.max(room + 12, 0.38 * innerHeight);
      parts.timeline.style.maxHeight = `${most}px`;
      parts.timeline.classList.toggle("high", this.timeline.element.getAttribute("height") > most); // it scrolls
      this.root.style.setProperty("--strip", `${parts.timeline.offsetHeight}px`);
      if (this.pinned && !this.sameCell(this.pinned)) this.pinned = null;
      this.hovered = this.focused = null;
    }
    this.root.dataset.steps = view.steps;
    this.root.classList.toggle("back", view.stride < 0);
    parts.graph.hidden = view.header.graph?.length === 0; // not every picture has one
    this.parts.alert.textContent = view.header.alert;
    this.parts.alert.hidden = !view.header.alert;
    this.parts.fact.textContent = unbroken(view.header.fact);
    this.parts.remark.textContent = unbroken(view.header.remark);
    this.timeline.show(view, this.t, this.theme, this.before);
    parts.legend.innerHTML = legendHtml(view, this.theme);
    this.showButtons();
    this.showStep();
    if (focused) this.sameCell(focused)?.element.focus(); // when it has its number
  }

  // A picture that is wider than the screen fades at the right while there is more of it.
  showMore() {
    const { scene } = this.parts;
    const right = scene.scrollLeft + this.width;
    const drawn = Number(this.scene.element.getAttribute("width"));
    const margin = this.scene.sizes.stacked ? 0 : WIDE_SIDE; // is no more to see; the arrows beside a stacked picture are
    const isMore = right < drawn - margin;
    scene.classList.toggle("more", isMore);
    this.parts.more.hidden = drawn <= this.width + margin;
    this.parts.more.classList.toggle("seen", !isMore);
  }

  // The height that a window leaves for the strip below the page's head, the picture and the arithmetic. Where that is
  // little, the strip gives way to the picture before it covers it; the sentences below the picture can wait.
  roomBelow() {
    const free = this.inSight() - Number(this.scene.element.getAttribute("height"));
    const least = Math.min(this.isLow ? 140 : 190, free);
    return Math.max(0, least, Math.min(300, free - NOTICE));
  }

  // The height of a window between the page's head and the line of arithmetic.
  inSight() {
    const { view, parts } = this;
    return innerHeight - PAGE_HEAD[view.stride < 0 ? "back" : "cell"] - parts.arithmetic.offsetHeight;
  }

  // Room for the longest line of a result, so that nothing below moves while the pointer does.
  arithmeticHeight() {
    const { view, width } = this;
    const results = Object.keys(view.header.formulas);
    const terms = Math.max(...results.map((name) => termCount(view, name, [0], depthOf(view, name))));
    this.parts.arithmetic.tabIndex = terms > MOST_TERMS ? 0 : -1; // its long sums scroll, by the keyboard too
    if (terms > MOST_TERMS) return `${width < 600 ? 150 : this.isLow ? 58 : 77}px`;
    const perLine = width / 7.4; // characters
    const head = terms > 9 ? 1 : 0; // a long sum begins on a line of its own
    const lines = Math.min(width < 600 ? 5 : 4, Math.ceil((terms * 14 + 55) / perLine) + head);
    return `calc(${lines * 1.5}em + 14px)`;
  }

  sameCell(cell) {
    const { name, folded, step, index: [row] } = cell;
    if (folded && step !== null) this.timeline.strips.find((one) => one.name === name)?.showRow(row);
    else if (folded) this.scene.folded.find((one) => one.name === name && one.holds?.(row))?.showRow(row);
    // Where the row of a strip crosses the column of the shown step, two cells stand for one number.
    return this.cells.find((other) => other.element.isConnected && other.name === name && other.key === cell.key && other.step === step) ?? null;
  }

  // Names for screen readers follow when the picture rests: at a step they would cost as much as all the painting.
  labelLater(named) {
    if (!named.text && !named.element.hasAttribute("aria-label")) this.label(named); // it has no other name till then
    this.unlabelled.add(named);
  }

  labelAtRest() {
    clearTimeout(this.labelling);
    this.labelling = setTimeout(() => {
      for (const named of this.unlabelled) this.label(named);
      this.unlabelled.clear();
    }, LABEL_AFTER);
  }

  label(named) {
    named.element.setAttribute("aria-label", named.label(this.view, this.t, this.before));
  }

  // All that depends on the step: runs at every key press, so it stays light.
  showStep(isStep = false) {
    const { view, t, parts } = this;
    this.root.dataset.t = t;
    parts.title.innerHTML = stepText(view, `<b>${t}</b>`);
    this.scene.show(view, t, this.theme, this.before, this.active, isStep);
    if (isStep) this.timeline.showStep(view, t, this.theme, this.before);
    this.showActive();
    parts.notice.textContent = unbroken(view.header.notices[t - 1]?.[1] ?? "");
    for (const [action, off] of [["first", t === 1], ["previous", t === 1], ["next", t === view.steps], ["last", t === view.steps]]) {
      this.button(action).setAttribute("aria-disabled", String(off));
    }
    this.showTwin();
    this.showGraph(isStep);
  }

  // The graph is made when it is opened, and anew when sizes change. Python sends a large one when it is asked for.
  showGraph(isStep = false) {
    if (!this.parts.graph.open) return;
    if (!this.view.header.graph) {
      this.parts.graphs.textContent = this.view.header.words.graph_waiting;
      this.graph = null;
      this.setStateValue("graph", true);
      return;
    }
    const structure = `${this.structure}|${levelsOf(this.view)}`;
    if (!this.graph || this.graph.structure !== structure) {
      this.graph = new Graph(this, this.view, this.width);
      this.graph.structure = structure;
      this.parts.graphs.replaceChildren(this.graph.element);
      isStep = false;
    }
    this.graph.show(this.view, this.t, this.theme, isStep);
  }

  // The table is made when it is opened.
  showTwin() {
    if (this.parts.details.open) this.parts.twin.innerHTML = twinHtml(this.view, this.t);
  }

  goTo(t) {
    const target = Math.min(Math.max(1, t), this.view.steps);
    if (target === this.t) return;
    this.t = target;
    this.showStep(true);
    this.reportStep();
  }

  // Tells the server the step once it has rested: the address carries it.
  reportStep() {
    clearTimeout(this.report);
    this.report = setTimeout(() => {
      if (!this.playing) this.setStateValue("t", { session: this.queue.session, epoch: this.queue.epoch, t: this.t });
    }, REPORT_AFTER);
  }

  // ---- hover, focus, pin ----

  get active() {
    return this.pinned ?? this.hovered ?? this.focused;
  }

  look(change) {
    const was = this.active;
    Object.assign(this, change);
    if (this.active !== was) {
      this.showActive();
      this.scene.showCurves(this.view, this.t, this.active);
    }
  }

  // What the active number is made of stays bright, all else dims; the arithmetic stands below.
  showActive() {
    this.labelAtRest();
    const { view, active, parts } = this;
    const [state] = view.header.loops[0];
    const unit = view.header.notices[this.t - 1]?.[0] ?? 0;
    const name = active && view.drawn(active.name);
    const t = active?.step || this.t;
    const isResult = name && view.header.formulas[name];
    const found = active && !isResult ? uses(view, name, active.index) : null;
    let made = active ? [[name, active.index]] : sources(view, state, [unit]);
    if (active && t === this.t) { // else it is of a step that the picture does not show
      if (isResult) made = sources(view, name, active.index);
      else for (const { result, place, other } of found) made.push([result, place], ...(other ? [other] : []));
    }
    const lit = new Set(active && t === this.t ? made.map(([v, i]) => entryKey(v, i)) : []);
    this.scene.unfold(view, this.t, made);
    this.mark("lit", lit.size ? this.scene.cells.filter((cell) => lit.has(cell.key)) : []);
    const { pinned } = this;
    this.mark("pinned", pinned ? this.cells.filter(({ key, step }) => key === pinned.key && step === pinned.step) : []);
    this.scene.sheet.classList.toggle("focused", lit.size > 1);
    const isWeight = active && view.variable(name).family === "weight";
    this.timeline.showUses(view, isWeight ? found : null, active && !isWeight ? [name, active.index[0]] : []);
    const line = active ? explain(view, name, active, t, found) + ghostHtml(view, this.before, active, this.t) : arithmetic(view, state, [unit], this.t);
    if (line !== this.line) parts.arithmetic.innerHTML = this.line = line;
    const subject = active ? `${name} ${active.key}` : String(unit);
    if (this.scrolled && subject !== this.subject) {
      parts.arithmetic.scrollTop = 0; // where it says whose sum it is
      this.scrolled = false;
    }
    this.subject = subject;
  }

  // Gives these cells a class and takes it from those that had it; all others stay untouched.
  mark(name, cells) {
    const now = new Set(cells);
    const mark = (cell, on) => {
      cell.element.classList.toggle(name, on);
      if (name === "lit") cell.light(on);
    };
    for (const cell of this.marked[name]) if (!now.has(cell)) mark(cell, false);
    for (const cell of now) if (!this.marked[name].has(cell)) mark(cell, true);
    this.marked[name] = now;
  }

  // A click or Enter: a number of the network opens for editing, a result is pinned.
  choose(cell) {
    if (cell.entry(this.view, this.t)) this.field.open(cell);
    else this.pin(cell);
  }

  pin(cell) {
    const isPinned = this.pinned?.key === cell.key && this.pinned.step === cell.step;
    this.pinned = isPinned ? null : new Spot(cell.name, cell.index, cell.step); // the cell may come to stand for another
    this.showActive();
    this.scene.showCurves(this.view, this.t, this.active);
  }

  // ---- keys and pointer ----

  key(event) {
    const cell = event.target.closest?.(".cell")?.cell ?? this.focused;
    const onButton = event.target.closest?.("button, summary, select");
    const { key } = event;
    if (key === "Tab" || (event.metaKey && key !== "z")) return;
    event.stopPropagation(); // Streamlit has shortcuts of its own on letters
    if (event.ctrlKey || event.metaKey) {
      if (key !== "z") return;
      this.act("undo");
    } else if (event.altKey) {
      if (!key.startsWith("Arrow") || !this.moveFocus(cell, key)) return;
    }
    else if (key === "ArrowLeft") this.goTo(this.t - 1);
    else if (key === "ArrowRight") this.goTo(this.t + 1);
    else if (key === "Home") this.goTo(1);
    else if (key === "End") this.goTo(this.view.steps);
    else if (key === " ") {
      if (onButton) return;
      this.act("play");
    } else if (key === "Enter") {
      if (onButton || !cell) return;
      this.choose(cell);
    } else if (key === "Escape") {
      this.pinned = null;
      this.before = null;
      this.draw();
    } else return;
    event.preventDefault();
  }

  // A number of the picture that the keyboard reaches is not left below what stays in the window.
  keepInSight({ element, rect }) {
    const isInScene = !element.closest(".strip");
    const covered = rect.getBoundingClientRect().bottom > this.parts.arithmetic.getBoundingClientRect().top;
    if (isInScene && covered) element.scrollIntoView({ block: "center", inline: "nearest" });
  }

  moveFocus(cell, key) {
    const onScreen = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
    const [down, right] = cell?.turned ? onScreen.reverse() : onScreen;
    const group = cell?.element.parentElement;
    if (!group) return false;
    const placeOf = ({ index, step, line }) => [line ?? index[0], step ?? index[1] ?? 0];
    const [row, column] = placeOf(cell);
    const rows = cell.folded; // a folded matrix or strip, whose cells stand for one of its rows
    if (down && rows) {
      rows.showRow(rows.below(cell.index[0], down));
      this.label(cell);
      this.showActive();
      return true;
    }
    const next = [...group.querySelectorAll(".cell")].find((element) => {
      const [r, c] = placeOf(element.cell);
      return r === row + down && c === column + right;
    });
    if (!next) return true; // at the block's edge
    cell.element.setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
    return true;
  }

  // A press may become a drag of an editable number; what a click does stands in listen().
  press(event, cell) {
    this.dragged = false;
    if (!cell || event.button !== 0 || cell.element.closest(".strip")) return;
    if (cell.entry(this.view, this.t)) dragNumber(this, event, cell);
  }

  // ---- edits ----

  edit(set) {
    this.before = this.view; // the ghosts show it
    this.showPending(set);
    this.queue.push(set, true);
    this.showButtons();
  }

  // The typed number stands in its cell at once; what follows from it comes from Python.
  showPending(set) {
    const values = new Map(set.filter(([, , value]) => value !== null).map(([name, index, value]) => [entryKey(name, index), value]));
    for (const cell of this.cells) {
      const entry = cell.entry(this.view, this.t);
      const value = entry && values.get(entryKey(...entry));
      if (value === undefined || value === null) continue;
      if (cell.text) cell.write(value);
      cell.shown = null;
    }
  }

  act(action) {
    if (action === "first") this.goTo(1);
    else if (action === "previous") this.goTo(this.t - 1);
    else if (action === "next") this.goTo(this.t + 1);
    else if (action === "last") this.goTo(this.view.steps);
    else if (action === "play") this.play(!this.playing);
    else if (action === "speed") {
      this.speed = { 0.5: 1, 1: 2, 2: 4, 4: 0.5 }[this.speed];
      if (this.playing) this.play(true);
      this.showButtons();
    } else if (action === "png" || action === "svg") this.save(action);
    else if (action === "undo") {
      if (!this.canUndo) return;
      this.before = this.view;
      this.queue.undo();
      this.showButtons();
    } else if (action === "reset") {
      const set = this.view.header.edited.map(([name, index]) => [name, index, null]);
      if (set.length) this.edit(set);
    }
  }

  // The picture and the strip as they stand, with the step and what is marked, as one file.
  async save(kind) {
    const drawn = [this.parts.scene, this.parts.timeline].flatMap((part) => [...part.querySelectorAll(".sheet > canvas, .sheet > svg")]);
    const frame = this.timeline.drawnFrame(this.t);
    const { scene, timeline } = this.parts;
    this.timeline.keepLabels(0);
    const between = timeline.getBoundingClientRect().top - scene.getBoundingClientRect().bottom; // of sentences, which are no picture
    timeline.style.transform = `translateY(${-between}px)`;
    const saved = downloadPicture(drawn, `rnnviz ${this.view.header.kind} step ${this.t}`, kind); // reads places before it waits
    timeline.style.transform = "";
    this.timeline.keepLabels(timeline.scrollLeft);
    frame.remove();
    await saved;
  }

  play(on) {
    clearInterval(this.playing);
    this.playing = null;
    if (on) {
      if (this.t === this.view.last) this.goTo(this.view.first);
      this.playing = setInterval(() => {
        this.goTo(this.t + this.view.stride);
        if (this.t === this.view.last) this.play(false);
      }, PLAY_EVERY / this.speed);
    } else this.reportStep();
    this.showButtons();
  }

  get canUndo() {
    return this.queue.undoable(this.view.header.undoable) > 0;
  }

  button(action) {
    return this.root.querySelector(`button[data-do="${action}"]`);
  }

  showButtons() {
    this.button("play").setAttribute("aria-pressed", String(Boolean(this.playing)));
    this.button("play").classList.toggle("playing", Boolean(this.playing));
    this.button("speed").querySelector("span").textContent = `${this.speed}×`;
    this.button("undo").hidden = !this.canUndo;
    const count = this.view.edited.size;
    this.button("reset").hidden = !count;
    this.button("reset").querySelector("span").textContent = fill(this.view.header.words.reset, { count: count });
  }

  close() {
    clearInterval(this.playing);
    clearTimeout(this.report);
    clearTimeout(this.labelling);
    this.field?.unmount();
    this.queue?.close();
    this.observer?.disconnect();
    window.removeEventListener("resize", this.onResize);
    document.removeEventListener("keydown", this.onPageKey, true);
  }
}

// Two views with the same structure can be shown by the same elements.
const structureOf = (view) => {
  const { kind, variables, scene, timeline, steps } = view.header;
  const drawn = Object.entries(variables).map(([name, { symbol, sub, sup, caption, edit }]) => [name, view.shape(name), symbol, sub, sup, caption, edit]);
  return JSON.stringify([kind, drawn, scene, timeline, steps]);
};

const levelsOf = (view) => JSON.stringify(view.header.graph.map((level) => [level, view.arrays[level.values].shape]));
