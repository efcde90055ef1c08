// What Streamlit calls with every message for a component; NAME, the component's, stands above. It sends this script
// along each time, so the component's own scripts, much longer, come with another message (scripts.js), for which the
// first one may have to wait.

/** @import { Message } from "./types" */

/** @param {Message} message */
export default async function ({ data, parentElement, setStateValue }) {
  if (!data) return undefined;
  if (!window[NAME]) await new Promise((come) => document.addEventListener(NAME, come, { once: true }));
  if (!parentElement.isConnected) return undefined; // gone meanwhile
  const sent = Array.isArray(data) ? data[0] : data; // a dict comes in a list
  if (parentElement.shown) parentElement.shown.receive(sent, setStateValue);
  else parentElement.shown = window[NAME]?.(parentElement, sent, setStateValue);
  return () => {
    if (parentElement.isConnected) return; // a newer message has come, which the same view shows
    parentElement.shown?.close();
    delete parentElement.shown;
  };
}
