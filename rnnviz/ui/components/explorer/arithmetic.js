// From a formula to the line of arithmetic.

import { DIGITS, isExact, writeNumber } from "../shared/numbers.js";
import { escaped, fill } from "../shared/sentences.js";
import { depthOf, isSame, parts, productOf, sources, termCount } from "./formulas.js";
import { symbolHtml } from "./symbols.js";
import { entryKey, indices } from "./trace.js";

/** @import { Spot } from "./cell.js" */
/** @import { TraceView } from "./trace.js" */
/** @import { Factor, FactorSpec, Part, Use } from "./types" */

export const MOST_TERMS = 14; // longer sums get a line of their own

// A line of arithmetic in the making: its segments, and whether the last one was written without rounding.
class Line {
  /** @param {string} head */
  constructor(head, isPlain = false) {
    this.isPlain = isPlain;
    this.largest = ""; // which product is marked
    this.html = [`<span class="segment"><b>${head}</b></span>`];
    this.exact = true;
    this.before = true;
  }

  // A number as it is written everywhere; below the floor it is rounding.
  /** @param {number} value */
  number(value, floor = 0, family = "") {
    const text = writeNumber(value, DIGITS, floor);
    if (!isExact(value, text, floor)) this.exact = false;
    return family && !this.isPlain ? `<span class="${family}">${text}</span>` : text;
  }

  // A number of a variable, in its colour where it is a factor or a term.
  /** @param {TraceView} view @param {string} name @param {number} value */
  of(view, name, value, coloured = true) {
    return this.number(value, view.floorOf(name), coloured ? view.variable(name).family : "");
  }

  // A product that is the largest of its line is underlined, and said to be.
  /** @param {string} html @param {string | null} key @param {Record<string, string>} words */
  product(html, key, words) {
    return key === this.largest ? `<u class="largest" title="${words.largest}">${html}<span class="unseen"> (${words.largest})</span></u>` : html;
  }

  // Ends a segment: "=" only where neither it nor the one before dropped a digit.
  /** @param {string} html */
  add(html, kind = "") {
    this.html.push(`<span class="segment${kind && ` ${kind}`}">${this.exact && this.before ? "=" : "≈"} ${html}</span>`);
    this.before = this.exact;
    this.exact = true;
  }

  /** @param {string} html */
  note(html) {
    this.html.push(`<span class="segment note">${html}</span>`);
  }

  toString() {
    return this.html.join(" ");
  }
}

// How a result was made, as HTML: the deepest expansion first, then what it sums to, the value last. What is too long
// for one line is opened sum by sum below it.
/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} t @param {number | null} step */
export function arithmetic(view, name, index, t, step = null) {
  const line = new Line(symbolHtml(view, name, index, step));
  if (!view.header.formulas[name]) { // of a cell that tells no more than its step
    line.add(`<b>${line.of(view, name, view.value(name, index, t), false)}</b>`);
    return String(line);
  }
  const clamped = clampedHtml(view, name, index, t, line);
  if (clamped) return clamped;
  let depth = depthOf(view, name);
  const isLong = termCount(view, name, index, depth) > MOST_TERMS;
  while (depth > 0 && termCount(view, name, index, depth) > MOST_TERMS) depth--;
  line.largest = largestProduct(view, name, index, t, depth);
  for (; depth > (isSame(view, name) ? 1 : 0); depth--) line.add(expression(view, name, index, t, depth, line));
  const products = parts(view, name, index);
  const isResult = products.length === 1 && !view.header.formulas[name].fn; // a single product comes to the result itself
  if (!isResult && products.length <= MOST_TERMS && products.some((part) => part.dot)) line.add(sumOfProducts(view, name, products, t, line));
  line.add(`<b>${line.of(view, name, view.value(name, index, t), false)}</b>`, "result");
  const inLetters = lettersHtml(view, name);
  if (inLetters) line.note(inLetters);
  const sums = isLong ? sources(view, name, index).filter(([v, i]) => view.header.formulas[v] && parts(view, v, i).some((part) => part.dot)) : [];
  return [line, ...(sums.length > MOST_SUMS ? [] : sums).map(([v, i]) => longSum(view, v, i, t))].join("");
}

const MOST_SUMS = 3; // the memory of a gated cell comes of eight: each gate shows its own

// A formula of elementwise products in letters, c = f ⊙ c + i ⊙ g; empty for others.
/** @param {TraceView} view @param {string} name */
function lettersHtml(view, name) {
  const { terms, fn } = view.header.formulas[name];
  if (!terms.some(({ product }) => product) || fn) return "";
  /** @param {FactorSpec} factor */
  const letter = (factor) => {
    if (typeof factor === "string") return symbolHtml(view, factor, null);
    return factor.ref === undefined ? `(1 − ${symbolHtml(view, factor.one_minus, null)})` : symbolHtml(view, factor.ref, null);
  };
  const written = terms.map(({ product, ref, dot }) => (product ?? dot ?? (ref ? [ref] : [])).map(letter).join(dot ? " × " : " ⊙ "));
  return `${symbolHtml(view, name, null)} = ${written.join(" + ")}`;
}

// The key of the product that adds most to a result, written out to a depth; empty where there is only one, or none
// that differs from the others.
/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} t @param {number} depth */
function largestProduct(view, name, index, t, depth) {
  const found = contributions(view, name, index, t, depth);
  const largest = found.reduce((one, other) => (other.size > one.size ? other : one), { size: 0, key: "" });
  return found.some(({ size }) => size < largest.size) ? largest.key : "";
}

/** @param {Factor[]} factors */
const productKey = (factors) => factors.map(([v, i, complement]) => `${complement ? "1−" : ""}${entryKey(v, i)}`).join("·");

/** @typedef {{ key: string, size: number }} Contribution */

// What each product adds, by its factors.
/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} t @param {number} depth @returns {Contribution[]} */
function contributions(view, name, index, t, depth, scale = 1) {
  if (depth < 1 || !view.header.formulas[name]) return [];
  return parts(view, name, index).flatMap(({ factors, dot }) => {
    const values = factors.map(([v, i, complement]) => (complement ? 1 - view.value(v, i, t) : view.value(v, i, t)));
    /** @param {number} left */
    const size = (left) => Math.abs(scale * values.reduce((product, value, i) => (i === left ? product : product * value), 1));
    const open = dot || depth < 2 ? -1 : factors.findIndex(([v, , complement]) => !complement && view.header.formulas[v]);
    if (open >= 0) return contributions(view, factors[open][0], factors[open][1], t, depth - 1, size(open));
    return factors.length > 1 ? [{ key: productKey(factors), size: size(-1) }] : [];
  });
}

// A gate that is clamped to a value: that value, and what the network would have computed.
/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} t @param {Line} line */
function clampedHtml(view, name, index, t, line) {
  if (!view.isClamped(name, index, t)) return "";
  line.add(`<b>${line.of(view, name, view.value(name, index, t), false)}</b>`);
  const { fn, terms: [{ ref = "" }] } = view.header.formulas[name];
  const sum = view.value(ref, index, t);
  const floor = view.floorOf(ref);
  const computed = new Line(inFunction(view, name, index, t, fn, writeNumber(sum, DIGITS, floor), line));
  const { shape, data } = view.arrays[view.header.scene.computed?.[name] ?? ""];
  computed.exact = isExact(sum, writeNumber(sum, DIGITS, floor), floor);
  computed.add(computed.number(data[(t - 1) * shape[1] + index[0]]));
  return `${line} <span class="segment note">${view.header.words.clamped}</span> ${computed}`;
}

// A sum of many products, its value first, in one colour: it is written anew at every step.
/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} t */
function longSum(view, name, index, t) {
  const line = new Line(symbolHtml(view, name, index), true);
  line.largest = largestProduct(view, name, index, t, 1);
  line.add(line.of(view, name, view.value(name, index, t), false));
  line.add(expression(view, name, index, t, 1, line));
  return `<div class="sum">${line}</div>`;
}

// A result written out to a depth: at depth 1 its own terms, at depth 2 theirs. What leads needs no brackets around a
// minus; a sum inside a sum leads no longer.
/** @param {TraceView} view @param {string} name @param {number[]} index @param {number} t @param {number} depth @param {Line} line @returns {string} */
function expression(view, name, index, t, depth, line, leads = true) {
  const { fn } = view.header.formulas[name];
  const first = leads || Boolean(fn && fn !== "identity"); // a function has brackets of its own
  const terms = parts(view, name, index).map(({ factors, dot, minus }, term) => {
    const written = factors.map(([v, i, complement]) => {
      const nested = !dot && !complement && depth > 1 && view.header.formulas[v];
      if (nested) {
        const inner = expression(view, v, i, t, depth - 1, line, factors.length > 1 || (first && term === 0));
        return factors.length > 1 && !nested.fn ? `(${inner})` : inner;
      }
      const value = view.value(v, i, t);
      const html = line.of(view, v, value);
      if (complement) return `(1 − ${html})`;
      return value < 0 && (factors.length > 1 || term > 0 || !first) ? `(${html})` : html;
    });
    const sign = term === 0 ? "" : minus ? " − " : " + ";
    return sign + line.product(written.join("·"), factors.length > 1 ? productKey(factors) : null, view.header.words);
  });
  return inFunction(view, name, index, t, fn, terms.join(""), line);
}

// tanh( ... ); a softmax divides by the sum over the whole vector, so it names that sum's parts.
/** @param {TraceView} view @param {string} name @param {number[] | null} index @param {number} t @param {string | undefined} fn @param {string} inside @param {Line} line */
function inFunction(view, name, index, t, fn, inside, line) {
  if (!fn || fn === "identity") return inside;
  if (fn !== "softmax") return `${FUNCTION_SIGNS[fn] ?? fn}(&thinsp;${inside}&thinsp;)`;
  const { ref: source = "" } = view.header.formulas[name].terms[0];
  /** @param {number[]} i */
  const power = (i) => `e<sup>${line.of(view, source, view.value(source, i, t), false)}</sup>`;
  return `${power(index ?? [])} / (&thinsp;${[...indices(view, source)].map(power).join(" + ")}&thinsp;)`;
}

/** @type {Record<string, string>} */
const FUNCTION_SIGNS = { sigmoid: "σ" };

/** @param {TraceView} view @param {string} name @param {Part[]} products @param {number} t @param {Line} line */
function sumOfProducts(view, name, products, t, line) {
  const terms = products.map(({ factors }, i) => {
    const number = productOf(view, factors, t);
    const written = line.number(number);
    return number < 0 && i > 0 ? `(${written})` : written;
  });
  return inFunction(view, name, null, t, view.header.formulas[name].fn, terms.join(" + "), line);
}

// What is said of the active cell: how a result was made, or where a weight, an input or a state goes.
/** @param {TraceView} view @param {string} name @param {Spot} cell @param {number} t @param {Use[]} found */
export function explain(view, name, cell, t, found) {
  if (view.header.formulas[name]) return arithmetic(view, name, cell.index, t, cell.step);
  const { words } = view.header;
  const { per_step: perStep } = view.variable(name);
  const step = cell.stepOf(view, t);
  const value = view.value(name, cell.index, step);
  const line = new Line(symbolHtml(view, name, cell.index, cell.step === null ? null : step));
  line.add(`<b>${line.of(view, name, value)}</b>`);
  const into = found.slice(0, MOST_USES).map(({ result, place, other, minus }) => {
    const part = new Line("");
    const symbol = symbolHtml(view, result, place);
    if (!other) return `<span class="segment">${symbol}: ${minus ? "−" : "+"} ${part.of(view, name, value)}</span>`;
    const factor = view.value(other[0], other[1], step);
    const [a, b] = [part.of(view, name, value), part.of(view, other[0], factor)];
    const product = part.number(productOf(view, [[name, cell.index], other], step));
    return `<span class="segment">${symbol}: ${value < 0 ? `(${a})` : a}·${factor < 0 ? `(${b})` : b} ${part.exact ? "=" : "≈"} ${product}</span>`;
  });
  const note = perStep ? words.goes_into : fill(words.shared, { steps: view.steps, t: step });
  const letter = view.drawn(name) === "x" && view.header.characters.length ? fill(words.stands_for, { character: view.character(cell.index[0]) }) : "";
  if (letter) line.note(escaped(letter));
  return [line, `<span class="segment note">${note}</span>`, ...into].join(" ");
}

const MOST_USES = 6; // results named in the line; all are lit in the picture

// What stood in a cell before the last edit.
/** @param {TraceView} view @param {TraceView | null} before @param {Spot} cell @param {number} t */
export function ghostHtml(view, before, cell, t) {
  if (!before) return "";
  const [old, now] = [before, view].map((one) => cell.value(one, t));
  return old === now ? "" : ` <span class="segment note">${fill(view.header.words.before_edit, { value: view.write(view.drawn(cell.name), old) })}</span>`;
}
