// Plotly as its Python package brings it, compressed. It takes its place in the window once, however often it comes.

/** Where the others wait for it. */
export const COMES = "plotly comes";

export class Library {
  /** @param {HTMLElement} host @param {Uint8Array} bytes */
  constructor(host, bytes) {
    host.hidden = true;
    this.receive(bytes);
  }

  /** @param {Uint8Array} bytes */
  receive(bytes) {
    if (window.Plotly || document.documentElement.dataset.plotly) return;
    document.documentElement.dataset.plotly = "comes";
    load(bytes);
  }

  close() {} // the library stays
}

/** @param {Uint8Array} bytes */
async function load(bytes) {
  const unpacked = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const address = URL.createObjectURL(new Blob([await new Response(unpacked).arrayBuffer()], { type: "text/javascript" }));
  const script = document.createElement("script");
  script.src = address;
  script.onload = () => {
    URL.revokeObjectURL(address);
    document.dispatchEvent(new Event(COMES));
  };
  document.head.append(script);
}
