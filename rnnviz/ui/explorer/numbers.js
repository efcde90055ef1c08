// How numbers are written in cells and in the arithmetic line.

const MINUS = "−";

// Fixed decimals, more or an exponent where those would hide the number, a true minus sign.
function writeNumber(value, decimals = 2) {
  const size = Math.abs(value);
  let text;
  if (size < 1e-12) text = (0).toFixed(decimals); // rounding dust of a sum, as 0.05 - 0.06 + 0.01
  else if (size >= 1e4 || size < 0.05 * 10 ** -decimals) {
    text = value.toExponential(size >= 1e100 || size < 1e-99 ? 0 : 1).replace("e+", "e").replace(".0e", "e");
  } else text = value.toFixed(size < 0.5 * 10 ** -decimals ? decimals + 1 : decimals);
  return text.replaceAll("-", MINUS);
}

// Whether a text says the number whole, but for the last bits of a float.
const isExact = (value, text) => Math.abs(value - Number(text.replaceAll(MINUS, "-"))) <= 1e-12 * Math.max(1, Math.abs(value));

// A number in the line of arithmetic: as few decimals as say it whole, from two to four.
function writeWhole(value) {
  const decimals = [2, 3].find((count) => isExact(value, writeNumber(value, count))) ?? 4;
  return writeNumber(value, decimals);
}

// The text without the words that numpy and PyTorch print around the brackets of an array.
const AROUND_ARRAYS =
  /Parameter containing:|(?:\b(?:np|numpy|torch)\.)?\b(?:array|tensor)\b|,\s*(?:dtype|shape|device|requires_grad|grad_fn)=(?:'[^']*'|<[^>]*>|\([^)]*\)|[\w.]+)/g;
const plainOf = (text) => text.replaceAll(MINUS, "-").replace(AROUND_ARRAYS, " ").trim();

// How many rows a text of numbers has: brackets tell, as numpy breaks long rows, else lines or semicolons.
const rowsIn = (text) => plainOf(text).split(text.includes("[") ? "]" : /[\n;]/).filter((row) => /\d/.test(row)).length;

// Numbers of a typed or pasted text, of which `count` are asked for: a spreadsheet's tabs, prints of arrays. A comma is
// the decimal mark beside tabs or semicolons, and where each line is one number with it (0,5 is a half), unless its
// lines read as rows give the right count.
function readNumbers(text, count = 1) {
  const plain = plainOf(text);
  const lines = plain.split(/\s*\n\s*/);
  const isColumn = lines.every((line) => /^[+-]?\d*,\d+$/.test(line)) && (lines.length === 1 || 2 * lines.length !== count);
  const isTable = /\d,\d/.test(plain) && /[\t;]/.test(plain) && !/\d\.\d/.test(plain);
  const words = plain.replaceAll(",", isColumn || isTable ? "." : " ").split(/[\s;[\](){}]+/).filter(Boolean);
  return words.map((word) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : NaN));
}
