// Norms over time on an axis of decades, and the map of all pairs of steps beside it. Python sends base-10 logarithms,
// the range and the ticks; pointing, reading off and hiding a curve happen here.

const [LEFT, RIGHT, TOP, BOTTOM] = [64, 14, 12, 42]; // px around the plot

class Flow {
  constructor(host) {
    this.root = host.querySelector(".flow");
    this.parts = {};
    for (const element of this.root.querySelectorAll("[data-part]")) this.parts[element.dataset.part] = element;
    this.map = new PairMap(this.parts.map);
    this.hidden = new Set(); // keys of curves
    this.kept = null; // curves that stay for comparison
    this.lag = null; // steps before the last one that are pointed at: they stay while T changes
    this.cell = null; // [k, t] pointed at on the map
    this.clicks = 0;
    this.listen();
  }

  // Every message of Python, and every change of theme.
  receive(bytes, setStateValue) {
    this.setStateValue = setStateValue;
    const { header, arrays } = unpack(bytes);
    this.header = header;
    this.arrays = arrays;
    this.theme = this.root.dataset.theme = themeOf(this.root);
    this.root.style.setProperty("--height", `${header.height}px`);
    this.curves = header.curves.map((curve) => ({ ...curve, values: arrays[curve.array].data, band: curve.band.map((name) => arrays[name].data) }));
    if (this.lag !== null && this.lag > header.steps) this.lag = null;
    this.cell = null;
    this.observer ??= this.observe();
    this.build();
  }

  observe() {
    const observer = new ResizeObserver(() => this.parts.chart.clientWidth !== this.width && this.build());
    observer.observe(this.parts.chart);
    return observer;
  }

  build() {
    const { chart, map, numbers } = this.parts;
    map.hidden = !this.header.map;
    this.width = chart.clientWidth;
    if (!this.width) return; // not laid out yet
    this.buildLegend();
    this.buildChart();
    if (this.header.map) this.map.build(this.header, this.arrays);
    numbers.querySelector("summary").textContent = this.header.words.numbers;
    if (numbers.open) this.buildNumbers();
    this.point();
  }

  // ---- the curves ----

  buildLegend() {
    const { words } = this.header;
    const buttons = this.curves.map((curve) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", String(!this.hidden.has(curve.key)));
      const sample = draw("svg", { viewBox: "0 0 26 10", "aria-hidden": "true" }, button);
      draw("path", { class: `curve ${curve.style}`, d: "M0 5H26", style: `--colour:var(--${curve.colour})` }, sample);
      button.append(curve.name);
      button.title = curve.note;
      button.onclick = () => {
        if (!this.hidden.delete(curve.key)) this.hidden.add(curve.key);
        this.build();
        this.parts.legend.children[this.curves.indexOf(curve)]?.focus();
      };
      return button;
    });
    const keep = document.createElement("button");
    keep.type = "button";
    keep.className = "keep";
    keep.setAttribute("aria-pressed", String(this.kept !== null));
    keep.textContent = this.kept ? words.let_go : words.keep;
    keep.title = words.keep_note;
    keep.onclick = () => {
      const { steps } = this.header;
      this.kept = this.kept ? null : this.shown().filter(({ style }) => style === "front" || style === "behind").map((curve) => ({ ...curve, steps }));
      this.build();
      this.parts.legend.lastChild.focus();
    };
    this.parts.legend.replaceChildren(...buttons, keep);
  }

  shown() {
    return this.curves.filter(({ key }) => !this.hidden.has(key));
  }

  x(k) {
    return LEFT + ((this.width - LEFT - RIGHT) * k) / Math.max(1, this.header.steps);
  }

  y(value) {
    const { low, high, height } = this.header;
    return TOP + ((height - TOP - BOTTOM) * (high - value)) / (high - low);
  }

  // A curve's path; it stops where the norm is exactly 0, which no axis of decades has.
  path(values, first = 0) {
    const { low, high } = this.header;
    let d = "";
    let pen = false;
    for (let i = Math.max(0, -first); i < values.length; i++) {
      if (!Number.isFinite(values[i])) pen = false;
      else {
        const y = Math.min(1e4, Math.max(-1e4, this.y(Math.min(high + 40 * (high - low), Math.max(low - 40 * (high - low), values[i])))));
        d += `${pen ? "L" : "M"}${this.x(first + i).toFixed(1)} ${y.toFixed(1)}`;
        pen = true;
      }
    }
    return d;
  }

  buildChart() {
    const { chart } = this.parts;
    const { header, width } = this;
    const { steps, height, words, threshold } = header;
    const bottom = height - BOTTOM;
    const right = width - RIGHT;
    const svg = (this.svg = draw("svg", { width, height, "aria-hidden": "true" }));
    const clip = draw("clipPath", { id: "plot" }, draw("defs", {}, svg));
    draw("rect", { x: LEFT, y: TOP, width: right - LEFT + RIGHT, height: bottom - TOP }, clip);
    for (const [value, text] of header.ticks) {
      draw("line", { class: value ? "grid" : "grid one", x1: LEFT, x2: right, y1: this.y(value), y2: this.y(value) }, svg);
      draw("text", { x: LEFT - 7, y: this.y(value), "text-anchor": "end" }, svg, text);
    }
    for (const k of wholeTicks(0, steps, right - LEFT, 46)) draw("text", { x: this.x(k), y: bottom + 13, "text-anchor": "middle" }, svg, k);
    draw("text", { class: "axis-name", x: (LEFT + right) / 2, y: bottom + 32, "text-anchor": "middle" }, svg, words.axis.replace("{steps}", steps));
    if (threshold) {
      const y = this.y(threshold.value);
      draw("line", { class: "threshold", x1: LEFT, x2: right, y1: y, y2: y }, svg);
      draw("text", { class: "level", x: right - 4, y: y + 10, "text-anchor": "end" }, svg, threshold.label);
    }
    const inside = draw("g", { "clip-path": "url(#plot)" }, svg);
    for (const curve of this.kept ?? []) draw("path", { class: "curve kept", d: this.path(curve.values, steps - curve.steps), style: `--colour:var(--${curve.colour})` }, inside); // of another length: both begin their way back at T
    for (const curve of this.shown().toReversed()) {
      const style = `--colour:var(--${curve.colour})`;
      if (curve.band.length) draw("path", { class: "band", d: this.bandPath(...curve.band), style }, inside);
      draw("path", { class: `curve ${curve.style}`, d: this.path(curve.values), style, "data-curve": curve.key }, inside);
    }
    this.zeros(svg);
    this.cross = draw("g", {}, svg);
    chart.replaceChildren(svg);
    chart.setAttribute("aria-label", header.said);
    chart.setAttribute("aria-valuemin", 0);
    chart.setAttribute("aria-valuemax", steps);
  }

  bandPath(lower, upper) {
    const steps = [...upper.keys()].filter((k) => Number.isFinite(upper[k])); // an exact 0 lies at the lower edge
    const point = (values) => (k) => `${this.x(k).toFixed(1)} ${this.y(Math.max(values[k], this.header.low)).toFixed(1)}`;
    return steps.length ? `M${[...steps.map(point(upper)), ...steps.reverse().map(point(lower))].join("L")}Z` : "";
  }

  // Where a curve is exactly 0: it says so at the lower edge.
  zeros(svg) {
    const { words, height } = this.header;
    const gone = this.shown().filter(({ style, values }) => ["front", "behind"].includes(style) && !Number.isFinite(values[0]));
    gone.forEach(({ name, values, colour }, i) => {
      const last = values.findIndex((value) => Number.isFinite(value)) - 1;
      const text = words.zero.replace("{name}", name).replace("{k}", last);
      draw("text", { class: "zero", x: LEFT + 6, y: height - BOTTOM - 10 - 15 * i, style: `--colour:var(--${colour})` }, svg, text);
    });
  }

  // ---- pointing ----

  listen() {
    const { chart, map, numbers } = this.parts;
    chart.addEventListener("pointermove", (event) => {
      const share = (event.clientX - chart.getBoundingClientRect().left - LEFT) / Math.max(1, this.width - LEFT - RIGHT);
      this.lookAt(this.header.steps - Math.round(share * this.header.steps));
    });
    const { canvas } = this.map;
    canvas.addEventListener("pointermove", (event) => this.lookAtCell(...this.map.cellAt(event)));
    canvas.addEventListener("pointerleave", () => this.lookAway());
    chart.addEventListener("pointerleave", () => this.lookAway());
    for (const part of [chart, map]) part.addEventListener("focusout", () => this.lookAway());
    canvas.addEventListener("click", (event) => this.open(...this.map.cellAt(event)));
    chart.addEventListener("keydown", (event) => this.chartKey(event));
    map.addEventListener("keydown", (event) => this.mapKey(event));
    numbers.addEventListener("toggle", () => numbers.open && this.buildNumbers());
  }

  lookAt(lag) {
    this.lag = Math.min(this.header.steps, Math.max(0, lag));
    this.cell = null;
    this.point();
  }

  lookAtCell(k, t) {
    this.cell = [k, t];
    this.point();
  }

  lookAway() {
    this.lag = this.cell = null;
    this.point();
  }

  open(k, t) {
    if (k < t) this.setStateValue("cell", { k, t, click: ++this.clicks });
  }

  chartKey(event) {
    const { steps } = this.header;
    const lag = this.lag ?? steps;
    const far = Math.max(1, Math.round(steps / 10));
    const next = { ArrowRight: lag - 1, ArrowUp: lag - 1, ArrowLeft: lag + 1, ArrowDown: lag + 1, PageUp: lag - far, PageDown: lag + far, Home: steps, End: 0 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.lookAt(next);
  }

  mapKey(event) {
    const cell = this.cell ?? this.map.within(...this.header.chosen);
    const next = this.map.cellAfter(event.key, ...cell);
    if (next) this.lookAtCell(...next);
    else if (event.key === "Enter") this.open(...cell);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // What is pointed at: lines across both pictures, and the numbers in words.
  point() {
    const { header, cross } = this;
    cross?.replaceChildren();
    this.map.mark(this.cell);
    const { words, steps } = header;
    const { readout, chart } = this.parts;
    if (this.cell) {
      const [k, t] = this.cell;
      readout.innerHTML = words.cell.replace("{k}", k).replace("{t}", t).replace("{value}", `<b>${power(this.map.value(k, t))}</b>`);
      return;
    }
    const lag = this.lag ?? steps;
    const k = steps - lag;
    if (this.lag !== null) draw("line", { class: "cross", x1: this.x(k), x2: this.x(k), y1: TOP, y2: header.height - BOTTOM }, cross);
    const said = this.shown().map((curve) => {
      const value = curve.values[k];
      const y = this.y(value);
      const inside = value >= header.low && value <= header.high;
      if (this.lag !== null && inside && curve.style !== "story") draw("circle", { class: "dot", cx: this.x(k), cy: y, r: 4, style: `--colour:var(--${curve.colour})` }, cross);
      return [curve, value === undefined ? words.none : power(value)];
    });
    const where = words.at.replace("{k}", k).replace("{lag}", lag);
    readout.innerHTML = `${where} ${said.map(([{ colour, name }, text]) => `<span style="--colour:var(--${colour})">${name} <b>${text}</b></span>`).join(" · ")}`;
    chart.setAttribute("aria-valuenow", k);
    chart.setAttribute("aria-valuetext", `${where} ${said.map(([{ name }, text]) => `${name} ${text}`).join(", ")}`);
  }

  // The same numbers as a table, made when it is opened.
  buildNumbers() {
    const { words } = this.header;
    const head = [words.step, ...this.curves.map(({ name }) => name)].map((text) => `<th scope="col">${text}</th>`).join("");
    const rows = Array.from({ length: this.header.steps + 1 }, (_, k) => `<tr><th scope="row">${k}</th>${this.curves.map(({ values }) => `<td>${k < values.length ? power(values[k]) : words.none}</td>`).join("")}</tr>`);
    const frame = this.parts.numbers.querySelector("div");
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", words.numbers);
    frame.innerHTML = `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  }

  close() {
    this.observer?.disconnect();
  }
}
