// Numbers where there is little room.

import { DIGITS, exponential, fixed, hasExponent, MINUS, NEAR, orderOf10, ROUNDING, writeNumber } from "./numbers.js";

/** @typedef {(text: string) => number} Measure the width of a text */

// The number in as many characters as a width holds, its sign and exponent as in `writeNumber`: only digits are left
// out. `widthOf(text)` measures. Where not even one digit fits, the answer says what the number is close to.
/** @param {number} value @param {number} floor @param {number} digits @param {Measure} widthOf @param {number} room */
export function writeShort(value, floor, digits, widthOf, room) {
  const whole = writeNumber(value, DIGITS, floor);
  if (!/\d/.test(whole) || whole === "0") return whole;
  const size = Math.abs(value);
  const apart = Math.abs(size - 1);
  if (ROUNDING < apart && apart < NEAR) {
    const near = [whole, fixed(value, -Math.floor(Math.log10(apart)))];
    return near.find((text) => widthOf(text) <= room) ?? cutNearOne(value, widthOf, room);
  }
  /** @param {number} count */
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
/** @param {number} value @param {Measure} widthOf @param {number} room */
function cutNearOne(value, widthOf, room) {
  for (let digits = MOST_CUT; digits > 1; digits--) {
    const text = `${Math.abs(value) < 1 ? "0." + "9".repeat(digits) : "1." + "0".repeat(digits)}…`;
    if (widthOf(MINUS + text) <= room) return value < 0 ? MINUS + text : text;
  }
  return closeTo(value);
}

const MOST_CUT = 9; // digits of a number that is cut

// Where there is no room for any digit.
/** @param {number} value */
const closeTo = (value) => (Math.abs(value) < 1.5 ? `≈${fixed(value, 0).replace(/^.0$/, "0")}` : "…");

export const SMALLEST = 11; // px of any text

/** @type {Record<string, number>} */
const CHARACTER_WIDTHS = { ".": 0.28, [MINUS]: 0.585, "∞": 0.75, "…": 1 };

// The width of a written number in a font of that size, in Arial and its likes.
/** @param {string} text @param {number} size */
export function textWidth(text, size) {
  let width = 0;
  for (const character of text) width += CHARACTER_WIDTHS[character] ?? 0.557;
  return width * size;
}
