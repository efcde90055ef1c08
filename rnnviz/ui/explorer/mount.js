// What Streamlit calls with every message. It sends this script along each time, so the explorer's own scripts, a
// hundred times as long, come once, as a component of their own (code.js), and the first message may wait for them.

export default function ({ data, parentElement, setStateValue }) {
  if (!data) return undefined;
  parentElement.show = () => {
    parentElement.explorer ??= globalThis.rnnvizExplorer(parentElement);
    parentElement.explorer.receive(data, setStateValue);
  };
  if (globalThis.rnnvizExplorer) parentElement.show();
  else document.addEventListener("rnnviz-explorer", () => parentElement.show?.(), { once: true });
  return () => {
    parentElement.explorer?.close();
    delete parentElement.explorer;
    delete parentElement.show;
  };
}
