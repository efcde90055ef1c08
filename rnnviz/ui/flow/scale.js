// Axes and colours of numbers that are given by their base-10 logarithms.

const SVG = "http://www.w3.org/2000/svg";
function draw(tag, attributes, parent, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent?.append(element);
  return element;
}

// From least to most: dark violet to pale yellow, as in matplotlib's "inferno".
const DECADES = [[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]];

function decadeColour(share) {
  const place = Math.min(1, Math.max(0, share)) * (DECADES.length - 1);
  const i = Math.min(DECADES.length - 2, Math.floor(place));
  return DECADES[i].map((part, channel) => Math.round(part + (DECADES[i + 1][channel] - part) * (place - i)));
}

// A positive number given by its base-10 logarithm, far outside float64's range too.
function power(log10) {
  if (!Number.isFinite(log10)) return log10 < 0 ? "0" : "∞";
  if (log10 >= -4 && log10 < 4) return log10 < 3 ? String(Number((10 ** log10).toPrecision(3))) : (10 ** log10).toFixed(0);
  if (Math.abs(log10) >= 1e7) return `10^${writeNumber(log10)}`; // else the exponent itself is too long to read
  let exponent = Math.floor(log10);
  let mantissa = (10 ** (log10 - exponent)).toFixed(1);
  if (mantissa === "10.0") [mantissa, exponent] = ["1.0", exponent + 1];
  return `${mantissa.replace(".0", "")}e${exponent}`.replaceAll("-", MINUS);
}

// Round steps for an axis of whole numbers, at least `room` px apart.
function wholeTicks(first, last, width, room) {
  const least = ((last - first) * room) / Math.max(1, width);
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((size) => size >= least) ?? 500;
  const ticks = [];
  for (let k = Math.ceil(first / step) * step; k <= last; k += step) ticks.push(k);
  return ticks;
}
