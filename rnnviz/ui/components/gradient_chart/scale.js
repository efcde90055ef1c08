// Axes and colours of numbers that are given by their base-10 logarithms.

const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes, parent, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent?.append(element);
  return element;
}

const MOST_DECADES = 300; // the colours end here, for every network alike

// Where a number stands on the map's scale, from -1 to 1, with 1 in the middle: in decades linear near it and
// logarithmic far from it, so that 0.1 and 1e-100 both have a shade of their own.
const placeOf = (log10) => Math.max(-1, Math.min(1, Math.asinh(log10 / 3) / Math.asinh(MOST_DECADES / 3)));

const decadeColour = (place, theme) => colourOf(place, "signed", 1, theme);

// A positive number given by its base-10 logarithm, far outside float64's range too: the same digits as in Python
// (rnnviz.views.numbers.power_of_ten).
function powerOfTen(log10) {
  if (!Number.isFinite(log10)) return log10 < 0 ? "0" : "∞";
  if (Math.abs(log10) < 300) return writeFaded(10 ** log10);
  if (Math.abs(log10) >= 1e7) return `10^${writeFaded(log10)}`; // else the exponent itself is too long
  let exponent = Math.floor(log10);
  let mantissa = (10 ** (log10 - exponent)).toFixed(3);
  if (mantissa.startsWith("10")) [mantissa, exponent] = ["1", exponent + 1];
  return `${trimmed(mantissa)}e${exponent}`.replaceAll("-", MINUS);
}

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

// Round steps for an axis of whole numbers, at least `room` px apart.
function wholeTicks(first, last, width, room) {
  const least = ((last - first) * room) / Math.max(1, width);
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((size) => size >= least) ?? 500;
  const ticks = [];
  for (let k = Math.ceil(first / step) * step; k <= last; k += step) ticks.push(k);
  return ticks;
}

let pen;

// How wide a text is, in px.
function widthOf(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return pen.measureText(text).width;
}
