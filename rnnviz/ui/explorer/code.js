// Hands the explorer to mount.js: its scripts are one module, and the two know each other by this name alone.

globalThis.rnnvizExplorer = (host) => {
  host.innerHTML = HTML;
  return new Explorer(host);
};
document.dispatchEvent(new Event("rnnviz-explorer"));

export default () => undefined;
