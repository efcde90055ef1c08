// The elements of a component's own HTML, and what is drawn on with a pen.

/**
 * The first element that a selector finds, which has to be there.
 * @template {Element} Kind
 * @param {ParentNode} host
 * @param {string} selector
 * @param {new () => Kind} kind
 */
export function find(host, selector, kind) {
  const found = host.querySelector(selector);
  if (!(found instanceof kind)) throw new TypeError(`no ${kind.name} is ${selector}`);
  return found;
}

/**
 * The elements with a `data-part`, by its name.
 * @param {ParentNode} host
 * @returns {any} whose shape the component knows
 */
export function partsOf(host) {
  const parts = [...host.querySelectorAll("[data-part]")];
  return Object.fromEntries(parts.map((element) => [element.getAttribute("data-part"), element]));
}

/**
 * What draws on a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings]
 */
export function penOf(canvas, settings) {
  const pen = canvas.getContext("2d", settings);
  if (!pen) throw new TypeError("no pen for a canvas");
  return pen;
}
