// Elements of a drawing.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {Element | null} parent
 * @param {string | number | null} text
 */
export function svg(tag, attributes = {}, parent = null, text = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== null) element.textContent = String(text);
  parent?.append(element);
  return element;
}
