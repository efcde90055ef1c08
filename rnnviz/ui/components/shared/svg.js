// Elements of a drawing.

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, parent = null, text = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  parent?.append(element);
  return element;
}
