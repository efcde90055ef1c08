// Copies the address of the page. A number typed just before may still be on its way into it, so for a while the
// clipboard follows the address.

const FOLLOWS = 1500; // ms
const SAYS = 2500; // ms

export class CopyLink {
  constructor(host) {
    this.host = host;
  }

  receive(data) {
    const find = (selector) => this.host.querySelector(selector);
    const [button, label, byHand, field, said] = ["button", "button span", ".by-hand", ".by-hand input", ".said"].map(find);
    const { words } = data;
    button.disabled = !data.whole;
    button.title = data.whole ? words.hint : words.not_whole;
    button.setAttribute("aria-label", words.link);
    if (!button.classList.contains("done")) label.textContent = words.link;
    byHand.querySelector("label").firstChild?.remove();
    byHand.querySelector("label").append(words.by_hand);
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
      clearTimeout(button.still);
      button.still = setTimeout(() => {
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
function follow(copied) {
  const end = performance.now() + FOLLOWS;
  const look = setInterval(() => {
    if (location.href !== copied) write((copied = location.href));
    if (performance.now() > end) clearInterval(look);
  }, 100);
}

// Whether the clipboard has the text; without the clipboard API, as over http from another machine, the older way.
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeBySelection(text);
  }
}

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
  focused?.focus?.({ preventScroll: true });
  return copied;
}
