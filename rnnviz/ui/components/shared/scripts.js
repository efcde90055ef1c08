// The end of a component's own scripts: hands its class VIEW, with its HTML, to mount.js.

globalThis[NAME] = (host) => {
  host.innerHTML = HTML;
  return new VIEW(host);
};
document.dispatchEvent(new Event(NAME));
