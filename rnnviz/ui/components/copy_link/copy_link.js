// Copies the address of the page. A number typed just before may still be on its way into it, so for a while the
// clipboard follows the address.

const FOLLOWS = 1500; // ms
const SAYS = 2500; // ms

import { find } from "../shared/parts.js";

/** @typedef {{ words: Record<string, string>, whole: boolean }} LinkData `whole`: the address carries the screen */

export class CopyLink {
  /** @param {HTMLElement} host @param {LinkData} data */
  constructor(host, data) {
    this.host = host;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.saying = undefined;
    this.receive(data);
  }

  /** @param {LinkData} data */
  receive(data) {
    const button = find(this.host, "button", HTMLButtonElement);
    const label = find(button, "span", HTMLElement);
    const byHand = find(this.host, ".by-hand", HTMLElement);
    const field = find(byHand, "input", HTMLInputElement);
    const said = find(this.host, ".said", HTMLElement);
    const { words } = data;
    button.disabled = !data.whole;
    button.title = data.whole ? words.hint : words.not_whole;
    button.setAttribute("aria-label", words.link);
    if (!button.classList.contains("done")) label.textContent = words.link;
    find(byHand, "label", HTMLElement).textContent = words.by_hand;
    field.setAttribute("aria-label", words.by_hand);
    field.onkeydown = (event) => {
      event.stopPropagation(); // Streamlit's own shortcuts stay away
      if (event.key === "Escape") byHand.hidden = true;
    };
    field.onblur = () => (byHand.hidden = true);
    button.onclick = async () => {
      const first = location.href;
      if (!(await write(first))) {
        field.value = first;
        byHand.hidden = false;
        field.focus();
        field.select();
        return;
      }
      button.classList.add("done");
      label.textContent = said.textContent = words.done;
      clearTimeout(this.saying);
      this.saying = setTimeout(() => {
        button.classList.remove("done");
        label.textContent = words.link;
        said.textContent = "";
      }, SAYS);
      follow(first);
    };
  }

  close() {} // nothing outlives it
}

// Writes a later address too, if it comes soon.
/** @param {string} copied */
function follow(copied) {
  const end = performance.now() + FOLLOWS;
  const look = setInterval(() => {
    if (location.href !== copied) write((copied = location.href));
    if (performance.now() > end) clearInterval(look);
  }, 100);
}

// Whether the clipboard has the text; without the clipboard API, as over http from another machine, the older way.
/** @param {string} text */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

/** @param {string} text */
function writeBySelection(text) {
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.setAttribute("readonly", "");
  area.style.cssText = "position:fixed;top:0;opacity:0";
  document.body.append(area);
  area.select();
  let copied = false;
  try {
    copied = document.execCommand("copy");
  } catch {
    // the address is shown to be copied by hand
  }
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}
