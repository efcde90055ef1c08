// What Streamlit calls with every message for a component; NAME, the component's, stands above. It sends this script
// along each time, so the component's own scripts, much longer, come with another message (scripts.js), for which the
// first one may have to wait.

export default async function ({ data, parentElement, setStateValue }) {
  if (!data) return undefined;
  if (!globalThis[NAME]) await new Promise((come) => document.addEventListener(NAME, come, { once: true }));
  if (!parentElement.isConnected) return undefined; // gone meanwhile
  parentElement.shown ??= globalThis[NAME](parentElement);
  parentElement.shown.receive(Array.isArray(data) ? data[0] : data, setStateValue); // a dict comes in a list
  return () => {
    if (parentElement.isConnected) return; // a newer message has come, which the same view shows
    parentElement.shown?.close();
    delete parentElement.shown;
  };
}
