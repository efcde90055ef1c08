// Going from step to step: by hand and by itself.

/** @import { Explorer } from "./explorer.js" */

const REPORT_AFTER = 250; // ms after scrubbing stops until the server hears of the step
const PLAY_EVERY = 900; // ms a step at normal speed
const SPEEDS = [1, 2, 4, 0.5]; // one after the other

export class Steps {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    this.speed = 1;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.playing = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.reporting = undefined;
  }

  /** @param {number} t */
  goTo(t) {
    const { state, painter } = this.explorer;
    const target = state.within(t);
    if (target === state.t) return;
    state.t = target;
    painter.showStep(true);
    this.report();
  }

  /** @param {number} steps */
  goBy(steps) {
    this.goTo(this.explorer.state.t + steps);
  }

  // Tells the server the step once it has rested: the address carries it.
  report() {
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => {
      const { edits, state } = this.explorer;
      if (!this.playing) this.explorer.setStateValue("t", { ...edits.stamp, t: state.t });
    }, REPORT_AFTER);
  }

  /** @param {boolean} on */
  play(on) {
    const { state, controls } = this.explorer;
    clearInterval(this.playing);
    this.playing = undefined;
    if (on) {
      if (state.t === state.view.last) this.goTo(state.view.first);
      this.playing = setInterval(() => {
        this.goBy(state.view.stride);
        if (state.t === state.view.last) this.play(false);
      }, PLAY_EVERY / this.speed);
    } else this.report();
    controls.show();
  }

  nextSpeed() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    if (this.playing) this.play(true);
    this.explorer.controls.show();
  }

  close() {
    clearInterval(this.playing);
    clearTimeout(this.reporting);
  }
}
