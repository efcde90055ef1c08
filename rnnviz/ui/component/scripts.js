// The end of a component's own scripts, which are one module: hands its class VIEW, with its HTML, to mount.js.

globalThis[NAME] = (host) => {
  host.innerHTML = HTML;
  return new VIEW(host);
};
document.dispatchEvent(new Event(NAME));

export default () => undefined;
