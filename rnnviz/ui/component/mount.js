// What Streamlit calls with every message for a component; NAME, the component's, stands above. It sends this script
// along each time, so the component's own scripts, much longer, come once (scripts.js), and the first message may have
// to wait for them.

export default function ({ data, parentElement, setStateValue }) {
  if (!data) return undefined;
  parentElement.show = () => {
    parentElement.shown ??= globalThis[NAME](parentElement);
    parentElement.shown.receive(data, setStateValue);
  };
  if (globalThis[NAME]) parentElement.show();
  else document.addEventListener(NAME, () => parentElement.show?.(), { once: true });
  return () => {
    parentElement.shown?.close();
    delete parentElement.shown;
    delete parentElement.show;
  };
}
