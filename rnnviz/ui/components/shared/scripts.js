// The end of a component's own scripts: hands its class VIEW, with its HTML, to mount.js.

window[NAME] = (host, data, setStateValue) => {
  host.innerHTML = HTML;
  return new VIEW(host, data, setStateValue);
};
document.dispatchEvent(new Event(NAME));
