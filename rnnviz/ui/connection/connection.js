// Asks the server's health address every few seconds and shows a sign while nothing answers.

const EVERY = 4000; // ms
const LOST_AFTER = 2; // silent answers in a row

export default function ({ data, parentElement }) {
  const sign = parentElement.querySelector(".sign");
  sign.textContent = data.lost;
  if (parentElement.watch) return undefined;
  let silent = 0;
  const ask = async () => {
    try {
      const answer = await fetch(new URL("_stcore/health", document.baseURI), { cache: "no-store", signal: AbortSignal.timeout(EVERY) });
      silent = answer.ok ? 0 : silent + 1;
    } catch {
      silent += 1;
    }
    sign.hidden = silent < LOST_AFTER;
  };
  parentElement.watch = setInterval(ask, EVERY);
  return () => {
    clearInterval(parentElement.watch);
    delete parentElement.watch;
  };
}
