// Asks the server's health address every few seconds and shows a sign while nothing answers. Marks the page while a run
// of it takes long, so that what is out of date fades (shell.css).

const EVERY = 4000; // ms
const LOST_AFTER = 2; // silent answers in a row
const LONG = 300; // ms

/** @typedef {{ data: { lost: string }, parentElement: HTMLElement & { unwatch?: () => void } }} Message */

/** @param {Message} message */
export default function ({ data, parentElement }) {
  const [sign, app] = [parentElement.querySelector(".sign"), document.querySelector(".stApp")];
  if (!(sign instanceof HTMLElement) || !(app instanceof HTMLElement)) return undefined;
  sign.textContent = data.lost;
  if (parentElement.unwatch) return undefined;
  const watches = [watchServer(sign, app), watchRuns(app)];
  parentElement.unwatch = () => {
    for (const end of watches) end();
    delete parentElement.unwatch;
  };
  return parentElement.unwatch;
}

/** @param {HTMLElement} sign @param {HTMLElement} app */
function watchServer(sign, app) {
  let silent = 0;
  const ask = async () => {
    try {
      const answer = await fetch(new URL("_stcore/health", document.baseURI), { cache: "no-store", signal: AbortSignal.timeout(EVERY) });
      silent = answer.ok ? 0 : silent + 1;
    } catch {
      silent += 1;
    }
    sign.hidden = silent < LOST_AFTER;
    if (!sign.hidden) app.removeAttribute("data-waits"); // the run will not end, and what stands there is to be used
  };
  const asking = setInterval(ask, EVERY);
  return () => clearInterval(asking);
}

/** @param {HTMLElement} app */
function watchRuns(app) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  const end = () => {
    clearTimeout(waiting);
    waiting = undefined;
    app.removeAttribute("data-waits");
  };
  const look = () => {
    const state = app.dataset.testScriptState;
    if (state === "running") waiting ??= setTimeout(() => app.setAttribute("data-waits", ""), LONG);
    else if (state !== "rerunRequested") end(); // then one run gives way to the next
  };
  const observer = new MutationObserver(look);
  observer.observe(app, { attributeFilter: ["data-test-script-state"] });
  look();
  return () => {
    observer.disconnect();
    end();
  };
}
