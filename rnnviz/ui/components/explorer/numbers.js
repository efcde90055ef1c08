// How numbers are written: one format for all of the screen, that of rnnviz/views/numbers.py.

const MINUS = "−";
const DIGITS = 4; // significant ones
const ROUNDING = 1e-12; // below it a computed number beside numbers of order 1 is no more than rounding
const [LEAST, MOST, NEAR] = [1e-3, 1e5, 5e-4]; // between the first two no exponent; as near to 1 as the last, more digits

// Four significant digits without trailing zeros, an exponent below 1e-3 and from 1e5 on, a true minus sign. What is
// not 1 is never written as 1. Numbers below the floor are 0.
function writeNumber(value, digits = DIGITS, floor = ROUNDING) {
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "∞" : `${MINUS}∞`;
  if (size < floor || !size) return "0";
  const apart = Math.abs(size - 1);
  if (ROUNDING < apart && apart < NEAR) return fixed(value, 1 - Math.floor(Math.log10(apart)));
  return hasExponent(value, digits) ? exponential(value, digits) : fixed(value, Math.max(0, digits - 1 - orderOf10(size, digits)));
}

// A number that may have faded to almost nothing, which only 0 itself is written as.
const writeFaded = (value, digits = DIGITS) => writeNumber(value, digits, 0);

// The number in as many characters as a width holds, its sign and exponent as in `writeNumber`: only digits are left
// out. `widthOf(text)` measures. Where not even one digit fits, the answer says what the number is close to.
function writeShort(value, floor, digits, widthOf, room) {
  const whole = writeNumber(value, DIGITS, floor);
  if (!/\d/.test(whole) || whole === "0") return whole;
  const size = Math.abs(value);
  const apart = Math.abs(size - 1);
  if (ROUNDING < apart && apart < NEAR) {
    const near = [whole, fixed(value, -Math.floor(Math.log10(apart)))];
    return near.find((text) => widthOf(text) <= room) ?? cutNearOne(value, widthOf, room);
  }
  const withDigits = (count) => {
    if (hasExponent(value, DIGITS)) return exponential(value, count);
    const text = fixed(value, Math.max(0, count - 1 - orderOf10(size, count)));
    return /^.?1$/.test(text) && apart > ROUNDING ? null : text; // not 1 for what is not
  };
  let most = Math.min(digits, DIGITS);
  while (most < DIGITS && withDigits(most) === null) most++;
  for (let count = most; count > 0; count--) {
    const text = withDigits(count);
    if (text === null) break;
    if (widthOf(text) <= room) return text;
  }
  return closeTo(value);
}

// A number next to 1, cut rather than rounded: rounded it would be 1. Room is kept for a sign, so that neighbours in
// equal cells have as many digits.
function cutNearOne(value, widthOf, room) {
  for (let digits = MOST_CUT; digits > 1; digits--) {
    const text = `${Math.abs(value) < 1 ? "0." + "9".repeat(digits) : "1." + "0".repeat(digits)}…`;
    if (widthOf(MINUS + text) <= room) return value < 0 ? MINUS + text : text;
  }
  return closeTo(value);
}

const MOST_CUT = 9; // digits of a number that is cut

// Where there is no room for any digit.
const closeTo = (value) => (Math.abs(value) < 1.5 ? `≈${fixed(value, 0).replace(/^.0$/, "0")}` : "…");

const SMALLEST = 11; // px of any text
const CHARACTER_WIDTHS = { ".": 0.28, [MINUS]: 0.585, "∞": 0.75, "…": 1 };

// The width of a written number in a font of that size, in Arial and its likes.
function textWidth(text, size) {
  let width = 0;
  for (const character of text) width += CHARACTER_WIDTHS[character] ?? 0.557;
  return width * size;
}

// Whether a number is written with an exponent.
function hasExponent(value, digits) {
  const rounded = Number(Math.abs(value).toExponential(digits - 1));
  return rounded < LEAST || rounded >= MOST;
}

// The power of ten of a number's first digit, as rounded.
const orderOf10 = (size, digits) => Math.floor(Math.log10(Number(size.toExponential(digits - 1))) + 1e-12);

function fixed(value, decimals) {
  return withoutZeros(toEven(value, value.toFixed(decimals), value.toFixed(Math.min(100, decimals + 30)), decimals));
}

function exponential(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const [long] = value.toExponential(Math.min(100, digits + 29)).split("e");
  return `${withoutZeros(toEven(Number(long), mantissa, long, digits - 1))}e${exponent.replace("+", "").replace("-", MINUS)}`;
}

// A tie is rounded to the even digit, as Python does; JavaScript rounds it up.
function toEven(value, text, long, decimals) {
  const rest = long.split(".")[1]?.slice(decimals) ?? "";
  if (!/^50*$/.test(rest) || Number(text.at(-1)) % 2 === 0) return text;
  return decimals ? long.slice(0, long.indexOf(".") + 1 + decimals) : long.split(".")[0];
}

const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", MINUS);

// Whether a text says the number whole, but for the last bits of a float.
function isExact(value, text, floor = ROUNDING) {
  const shown = Number(text.replaceAll(MINUS, "-").replace("∞", "Infinity"));
  return value === shown || Math.abs(value - shown) <= Math.max(1e-12 * Math.max(Math.abs(value), Math.abs(shown)), floor);
}

// The sign before a number as it is written.
const equalsSign = (value, digits = DIGITS, floor = ROUNDING) => (isExact(value, writeNumber(value, digits, floor), floor) ? "=" : "≈");

// A text with its slots filled; {count:one|other} is the one word or the other, whichever the number asks for.
function fill(text, slots) {
  return text.replace(/{(\w+)(?::([^|}]*)\|([^}]*))?}/g, (_, name, one, other) => {
    if (one === undefined) return slots[name];
    return String(slots[name]) === "1" ? one : other;
  });
}

// A sentence whose g′(a) stays on one line: a browser may break it before the bracket, as rnnviz.texts.unbroken says.
const unbroken = (text) => text.replaceAll("′(", "′\u2060(");

// The text without the words that numpy and PyTorch print around the brackets of an array.
const AROUND_ARRAYS =
  /Parameter containing:|(?:\b(?:np|numpy|torch)\.)?\b(?:array|tensor)\b|,\s*(?:dtype|shape|device|requires_grad|grad_fn)=(?:'[^']*'|<[^>]*>|\([^)]*\)|[\w.]+)/g;
const plainOf = (text) => text.replaceAll(MINUS, "-").replace(AROUND_ARRAYS, " ").trim();

// How many rows a text of numbers has: brackets tell, as numpy breaks long rows, else lines or semicolons.
const rowsIn = (text) => plainOf(text).split(text.includes("[") ? "]" : /[\n;]/).filter((row) => /\d/.test(row)).length;

// The words of a typed or pasted text, of which `count` are asked for: a spreadsheet's tabs, prints of arrays. A comma is
// the decimal mark beside tabs or semicolons, and where each line is one number with it (0,5 is a half), unless its
// lines read as rows give the right count.
function wordsIn(text, count = 1) {
  const plain = plainOf(text);
  const lines = plain.split(/\s*\n\s*/);
  const isColumn = lines.every((line) => /^[+-]?\d*,\d+$/.test(line)) && (lines.length === 1 || 2 * lines.length !== count);
  const isTable = /\d,\d/.test(plain) && /[\t;]/.test(plain) && !/\d\.\d/.test(plain);
  return plain.replaceAll(",", isColumn || isTable ? "." : " ").split(/[\s;[\](){}]+/).filter(Boolean);
}

// The same as numbers: NaN for what is none, Infinity for what overflows float64.
function readNumbers(text, count = 1) {
  return wordsIn(text, count).map((word) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : NaN));
}
