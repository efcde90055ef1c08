// One Plotly chart that takes new figures in its place. Of figures that come while one is drawn, or while the chart is
// out of sight, only the newest is drawn.

import { find } from "../shared/parts.js";
import { COMES } from "./library.js";

/** @typedef {{ figure: string, said: string }} MovingData */

const NEAR = "200px"; // what is about to be scrolled into sight is drawn already

export class Moving {
  /** @param {HTMLElement} host @param {MovingData} data */
  constructor(host, data) {
    this.chart = find(host, ".moving", HTMLElement);
    this.drawn = "";
    this.spec = "";
    this.busy = this.seen = false;
    this.size = new ResizeObserver(() => this.draw());
    this.size.observe(this.chart);
    this.sight = new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.draw();
    }, { rootMargin: NEAR });
    this.sight.observe(this.chart);
    this.come = () => this.draw();
    document.addEventListener(COMES, this.come);
    this.receive(data);
  }

  /** @param {MovingData} data */
  receive(data) {
    this.chart.setAttribute("aria-label", data.said);
    this.spec = data.figure;
    this.chart.style.height ||= `${JSON.parse(this.spec).layout.height}px`; // its room is there before the library
    this.draw();
  }

  async draw() {
    const { Plotly } = window, width = this.chart.clientWidth, wanted = `${width} ${this.spec}`;
    if (!Plotly || !width || !this.seen || this.busy || wanted === this.drawn) return;
    this.busy = true;
    this.drawn = wanted;
    const { data, layout, config } = JSON.parse(this.spec);
    this.chart.style.height = `${layout.height}px`;
    try {
      await Plotly.react(this.chart, data, { ...layout, width, autosize: false }, config);
    } finally {
      this.busy = false;
    }
    this.draw();
  }

  close() {
    this.seen = false;
    this.size.disconnect();
    this.sight.disconnect();
    document.removeEventListener(COMES, this.come);
    window.Plotly?.purge(this.chart);
  }
}
