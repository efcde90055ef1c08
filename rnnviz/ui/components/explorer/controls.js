// The buttons of the bar and the fixed words around the pictures.

import { fill } from "../shared/sentences.js";
import { savePicture } from "./saving.js";

/** @import { Explorer } from "./explorer.js" */

export class Controls {
  /** @param {Explorer} explorer */
  constructor(explorer) {
    this.explorer = explorer;
    /** @type {Map<string, HTMLButtonElement>} by what they do */
    this.buttons = new Map();
    const { steps, edits, state } = explorer;
    /** @type {Map<string, () => void>} */
    this.actions = new Map([
      ["first", () => steps.goTo(1)],
      ["previous", () => steps.goBy(-1)],
      ["next", () => steps.goBy(1)],
      ["last", () => steps.goTo(state.view.steps)],
      ["play", () => steps.play(!steps.playing)],
      ["speed", () => steps.nextSpeed()],
      ["undo", () => edits.undo()],
      ["reset", () => edits.reset()],
      ["png", () => void savePicture(explorer, "png")],
      ["svg", () => void savePicture(explorer, "svg")],
    ]);
    this.writeWords();
    for (const button of explorer.root.querySelectorAll("button")) this.addButton(button);
  }

  writeWords() {
    const { root, parts, state } = this.explorer;
    const { words } = state.view.header;
    root.setAttribute("aria-label", words.explorer);
    parts.hint.textContent = words.hint;
    parts.waiting.textContent = words.waiting;
    parts.more.textContent = words.more;
    parts.summary.textContent = words.numbers;
    parts.graphTitle.textContent = words.graph;
    parts.keysTitle.textContent = words.keys;
    for (const line of words.key_list.split(" | ")) {
      const item = document.createElement("li");
      item.textContent = line;
      parts.keys.append(item);
    }
  }

  /** @param {HTMLButtonElement} button */
  addButton(button) {
    const action = button.dataset.do;
    if (!action) return;
    const { words } = this.explorer.state.view.header;
    const visible = button.querySelector("span");
    if (visible) visible.textContent = words[action];
    else button.setAttribute("aria-label", words[action]);
    button.title = words[`${action}_title`] ?? words[action];
    button.addEventListener("click", () => this.act(action));
    this.buttons.set(action, button);
  }

  /** @param {string} action */
  act(action) {
    this.actions.get(action)?.();
  }

  // All but those of the step.
  show() {
    const { steps, edits, state: { view } } = this.explorer;
    const play = this.buttons.get("play");
    play?.setAttribute("aria-pressed", String(Boolean(steps.playing)));
    play?.classList.toggle("playing", Boolean(steps.playing));
    this.write("speed", `${steps.speed}×`);
    this.hide("undo", !edits.canUndo);
    const count = view.edited.size;
    this.hide("reset", !count);
    this.write("reset", fill(view.header.words.reset, { count }));
  }

  // At either end of time some lead nowhere; they keep the focus all the same.
  showStep() {
    const { t, view } = this.explorer.state;
    for (const [actions, isOff] of /** @type {[string[], boolean][]} */ ([[["first", "previous"], t === 1], [["next", "last"], t === view.steps]])) {
      for (const action of actions) this.buttons.get(action)?.setAttribute("aria-disabled", String(isOff));
    }
  }

  /** @param {string} action @param {boolean} isHidden */
  hide(action, isHidden) {
    const button = this.buttons.get(action);
    if (button) button.hidden = isHidden;
  }

  /** @param {string} action @param {string} text */
  write(action, text) {
    const visible = this.buttons.get(action)?.querySelector("span");
    if (visible) visible.textContent = text;
  }
}
