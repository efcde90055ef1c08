// One Plotly chart that takes new figures in its place; figures that come while one is drawn wait, all but the newest go.

import { COMES } from "./library.js";
import { find } from "../shared/parts.js";

/** @typedef {{ figure: string, said: string }} MovingData */

export class Moving {
  /** @param {HTMLElement} host @param {MovingData} data */
  constructor(host, data) {
    this.chart = find(host, ".moving", HTMLElement);
    this.width = 0;
    this.spec = "";
    this.busy = false;
    this.observer = new ResizeObserver(() => {
      if (this.chart.clientWidth !== this.width) this.draw();
    });
    this.observer.observe(this.chart);
    this.come = () => this.draw();
    document.addEventListener(COMES, this.come);
    this.receive(data);
  }

  /** @param {MovingData} data */
  receive(data) {
    this.chart.setAttribute("aria-label", data.said);
    if (data.figure === this.spec) return;
    this.spec = data.figure;
    this.draw();
  }

  async draw() {
    const { Plotly } = window;
    if (!Plotly || this.busy || !this.chart.clientWidth) return;
    this.busy = true; // what comes meanwhile is drawn after it
    const { spec, width } = { spec: this.spec, width: this.chart.clientWidth };
    const { data, layout, config } = JSON.parse(spec);
    this.width = width;
    this.chart.style.height = `${layout.height}px`;
    await Plotly.react(this.chart, data, { ...layout, width, autosize: false }, config);
    this.busy = false;
    if (spec !== this.spec || this.chart.clientWidth !== width) this.draw();
  }

  close() {
    this.observer.disconnect();
    document.removeEventListener(COMES, this.come);
    window.Plotly?.purge(this.chart);
  }
}
