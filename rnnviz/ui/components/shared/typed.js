// Numbers that a reader types or pastes.

import { MINUS } from "./numbers.js";

// The same as numbers: NaN for what is none, Infinity for what overflows float64.
/** @param {string} text */
export function readNumbers(text, count = 1) {
  return wordsIn(text, count).map((word) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : NaN));
}

// The words of a typed or pasted text, of which `count` are asked for: a spreadsheet's tabs, prints of arrays. A comma is
// the decimal mark beside tabs or semicolons, and where each line is one number with it (0,5 is a half), unless its
// lines read as rows give the right count.
/** @param {string} text */
export function wordsIn(text, count = 1) {
  const plain = plainOf(text);
  const lines = plain.split(/\s*\n\s*/);
  const isColumn = lines.every((line) => /^[+-]?\d*,\d+$/.test(line)) && (lines.length === 1 || 2 * lines.length !== count);
  const isTable = /\d,\d/.test(plain) && /[\t;]/.test(plain) && !/\d\.\d/.test(plain);
  return plain.replaceAll(",", isColumn || isTable ? "." : " ").split(/[\s;[\](){}]+/).filter(Boolean);
}

// How many rows a text of numbers has: brackets tell, as numpy breaks long rows, else lines or semicolons.
/** @param {string} text */
export const rowsIn = (text) => plainOf(text).split(text.includes("[") ? "]" : /[\n;]/).filter((row) => /\d/.test(row)).length;

/** @param {string} text */
const plainOf = (text) => text.replaceAll(MINUS, "-").replace(AROUND_ARRAYS, " ").trim();

// The text without the words that numpy and PyTorch print around the brackets of an array.
const AROUND_ARRAYS =
  /Parameter containing:|(?:\b(?:np|numpy|torch)\.)?\b(?:array|tensor)\b|,\s*(?:dtype|shape|device|requires_grad|grad_fn)=(?:'[^']*'|<[^>]*>|\([^)]*\)|[\w.]+)/g;
