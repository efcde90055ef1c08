// How numbers are written: one format for all of the screen, that of rnnviz/views/numbers.py.

export const MINUS = "−";
export const DIGITS = 4; // significant ones
export const ROUNDING = 1e-12; // below it a computed number beside numbers of order 1 is no more than rounding
export const NEAR = 5e-4; // numbers closer to 1 need more digits than the others
const [LEAST, MOST] = [1e-3, 1e5]; // between them no exponent
const FAR = 1e7; // decades, from which on the exponent itself is too long to read

// Four significant digits without trailing zeros, an exponent below 1e-3 and from 1e5 on, a true minus sign. What is
// not 1 is never written as 1. Numbers below the floor are 0.
/** @param {number} value */
export function writeNumber(value, digits = DIGITS, floor = ROUNDING) {
  if (Number.isNaN(value)) return "NaN"; // never to be taken for a number
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "∞" : `${MINUS}∞`;
  if (size < floor || !size) return "0";
  const apart = Math.abs(size - 1);
  if (ROUNDING < apart && apart < NEAR) return fixed(value, 1 - Math.floor(Math.log10(apart)));
  return hasExponent(value, digits) ? exponential(value, digits) : fixed(value, Math.max(0, digits - 1 - orderOf10(size, digits)));
}

// A number that may have faded to almost nothing, which only 0 itself is written as.
/** @param {number} value */
export const writeFaded = (value, digits = DIGITS) => writeNumber(value, digits, 0);

// A positive number given by its base-10 logarithm, far outside float64's range too: the same digits as in Python
// (rnnviz.views.numbers.power_of_ten).
/** @param {number} log10 */
export function powerOfTen(log10) {
  if (Number.isNaN(log10)) return "NaN";
  if (!Number.isFinite(log10)) return log10 < 0 ? "0" : "∞";
  if (Math.abs(log10) < 300) return writeFaded(10 ** log10);
  if (Math.abs(log10) >= FAR) return `10^${writeFaded(log10)}`;
  let exponent = Math.floor(log10);
  let mantissa = (10 ** (log10 - exponent)).toFixed(3);
  if (mantissa.startsWith("10")) [mantissa, exponent] = ["1", exponent + 1];
  return `${withoutZeros(mantissa)}e${exponent}`.replaceAll("-", MINUS);
}

// Whether a number is written with an exponent.
/** @param {number} value @param {number} digits */
export function hasExponent(value, digits) {
  const rounded = Number(Math.abs(value).toExponential(digits - 1));
  return rounded < LEAST || rounded >= MOST;
}

// The power of ten of a number's first digit, as rounded.
/** @param {number} size @param {number} digits */
export const orderOf10 = (size, digits) => Math.floor(Math.log10(Number(size.toExponential(digits - 1))) + 1e-12);

/** @param {number} value @param {number} decimals */
export function fixed(value, decimals) {
  return withoutZeros(toEven(value.toFixed(decimals), value.toFixed(Math.min(100, decimals + 30)), decimals));
}

/** @param {number} value @param {number} digits */
export function exponential(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const [long] = value.toExponential(Math.min(100, digits + 29)).split("e");
  return `${withoutZeros(toEven(mantissa, long, digits - 1))}e${exponent.replace("+", "").replace("-", MINUS)}`;
}

// A tie is rounded to the even digit, as Python does; JavaScript rounds it up.
/** @param {string} text @param {string} long @param {number} decimals */
function toEven(text, long, decimals) {
  const rest = long.split(".")[1]?.slice(decimals) ?? "";
  if (!/^50*$/.test(rest) || Number(text.at(-1)) % 2 === 0) return text;
  return decimals ? long.slice(0, long.indexOf(".") + 1 + decimals) : long.split(".")[0];
}

/** @param {string} text */
const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", MINUS);

// Whether a text says the number whole, but for the last bits of a float.
/** @param {number} value @param {string} text */
export function isExact(value, text, floor = ROUNDING) {
  const shown = Number(text.replaceAll(MINUS, "-").replace("∞", "Infinity"));
  return value === shown || Math.abs(value - shown) <= Math.max(1e-12 * Math.max(Math.abs(value), Math.abs(shown)), floor);
}

// The sign before a number as it is written.
/** @param {number} value */
export const equalsSign = (value, digits = DIGITS, floor = ROUNDING) => (isExact(value, writeNumber(value, digits, floor), floor) ? "=" : "≈");
