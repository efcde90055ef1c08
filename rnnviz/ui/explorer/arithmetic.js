// From a formula to the line of arithmetic, and to the cells that made a number.

// Cells that a result is made of, back to the rows and vectors of its products, as [variable, index]; itself first.
function sources(view, name, index) {
  const found = [[name, index]];
  const formula = view.header.formulas[name];
  if (!formula) return found;
  if (formula.fn === "softmax") return [...found, ...[...indices(view, formula.terms[0].ref)].map((i) => [formula.terms[0].ref, i])];
  for (const { factors, dot } of parts(view, name, index)) {
    for (const [v, i] of factors) found.push(...(dot ? [[v, i]] : sources(view, v, i)));
  }
  return found;
}

// The terms of a result: products of factors, each a [variable, index]. A dot product opens into its products.
function parts(view, name, index) {
  const result = [];
  for (const term of view.header.formulas[name].terms) {
    if (term.dot) {
      const [matrix, vector] = term.dot;
      const [, columns] = view.shape(matrix);
      for (let j = 0; j < columns; j++) result.push({ factors: [[matrix, [index[0], j]], [vector, [j]]], dot: true });
    } else if (term.product) result.push({ factors: term.product.map((v) => [v, index]) });
    else result.push({ factors: [[term.ref, index]] });
  }
  return result;
}

const MOST_TERMS = 26; // longer sums are shown by their partial sums

// The line of arithmetic of a result as HTML: the deepest expansion first, then what it sums to, the value last.
function arithmetic(view, name, index, t) {
  const { decimals } = view.variable(name);
  const value = view.value(name, index, t);
  const segments = [];
  let depth = depthOf(view, name);
  while (depth > 1 && termCount(view, name, index, depth) > MOST_TERMS) depth--;
  for (; depth > 0; depth--) segments.push(`= ${expression(view, name, index, t, depth)}`);
  const products = parts(view, name, index);
  if (products.some((part) => part.dot)) segments.push(`= ${sumOfProducts(view, name, products, t)}`);
  segments.push(`${equalsSign(value, decimals)} <b>${writeNumber(value, decimals)}</b>`);
  return [`<b>${symbolHtml(view, name, index)}</b>`, ...segments].map((html) => `<span class="segment">${html}</span>`).join(" ");
}

// How many times the terms of a result can be written out before products of a matrix and a vector are reached.
function depthOf(view, name) {
  const formula = view.header.formulas[name];
  if (!formula) return 0;
  if (formula.fn === "softmax") return 1; // its own line is long enough; each sum has a line of its own
  const inner = formula.terms.flatMap((term) => term.product ?? (term.ref ? [term.ref] : []));
  return Math.min(4, 1 + Math.max(0, ...inner.map((variable) => depthOf(view, variable))));
}

function termCount(view, name, index, depth) {
  if (depth === 0 || !view.header.formulas[name]) return 1;
  let count = 0;
  for (const part of parts(view, name, index)) {
    count += part.dot ? 1 : part.factors.reduce((sum, [v, i]) => sum + termCount(view, v, i, depth - 1), 0);
  }
  return count;
}

// A result written out to a depth: at depth 1 its own terms, at depth 2 theirs.
function expression(view, name, index, t, depth) {
  const formula = view.header.formulas[name];
  const terms = parts(view, name, index).map((part, term) => {
    const open = !part.dot && depth > 1;
    return part.factors
      .map(([v, i]) => {
        const nested = open && view.header.formulas[v];
        if (!nested) return coloured(view, v, view.value(v, i, t), part.factors.length > 1, term > 0);
        const inner = expression(view, v, i, t, depth - 1);
        return part.factors.length > 1 && !nested.fn ? `(${inner})` : inner;
      })
      .join("·");
  });
  const sum = joinTerms(terms);
  return formula.fn && formula.fn !== "identity" ? inFunction(view, name, index, t, formula.fn, sum) : sum;
}

// tanh( ... ); a softmax divides by the sum over the whole vector, so it names that sum's parts.
function inFunction(view, name, index, t, fn, inside) {
  if (fn !== "softmax") return `${FUNCTION_SIGNS[fn] ?? fn}(&thinsp;${inside}&thinsp;)`;
  const source = view.header.formulas[name].terms[0].ref;
  const all = [...indices(view, source)].map((i) => `e<sup>${writeNumber(view.value(source, i, t))}</sup>`);
  return `e<sup>${writeNumber(view.value(source, index, t))}</sup> / (&thinsp;${all.join(" + ")}&thinsp;)`;
}

const FUNCTION_SIGNS = { sigmoid: "σ", relu: "relu", tanh: "tanh" };

function sumOfProducts(view, name, products, t) {
  const { fn } = view.header.formulas[name];
  const numbers = products.map((part) => part.factors.reduce((product, [v, i]) => product * view.value(v, i, t), 1));
  const sum = joinTerms(numbers.map((number) => writeFactor(number)));
  return fn && fn !== "identity" ? `${FUNCTION_SIGNS[fn] ?? fn}(&thinsp;${sum}&thinsp;)` : sum;
}

const joinTerms = (terms) => terms.join(" + ");

function coloured(view, name, value, isFactor, follows) {
  const text = isFactor ? writeFactor(value) : follows && value < 0 ? `(${writeNumber(value)})` : writeNumber(value);
  return `<span class="${view.variable(name).family}">${text}</span>`;
}

// x_t[2] with its subscript, units counted from 1; results without a letter go by their caption.
function symbolHtml(view, name, index) {
  const { symbol, sub, caption } = view.variable(name);
  const place = index ? `[${index.map((i) => i + 1).join(",")}]` : "";
  return symbol ? `${symbol}<sub>${sub}</sub>${place}` : `${caption}${place && ` ${place}`}`;
}

function symbolText(view, name) {
  const { symbol, sub, caption } = view.variable(name);
  return symbol ? `${symbol}_${sub}` : caption;
}

// Where a weight, bias or input goes: each result that has it as a factor, with the other factor of that product.
function uses(view, name, index) {
  const found = [];
  for (const result of Object.keys(view.header.formulas)) {
    for (const place of indices(view, result)) {
      for (const part of parts(view, result, place)) {
        const at = part.factors.findIndex(([v, i]) => v === name && i.every((x, axis) => x === index[axis]));
        if (at >= 0) found.push({ result, place, other: part.factors[1 - at] ?? null });
      }
    }
  }
  return found;
}

// What is said of the active cell: how a result was made, or where a weight, an input or a state goes.
function explain(view, name, cell, t, found) {
  if (view.header.formulas[name]) return arithmetic(view, name, cell.index, t);
  const { words } = view.header;
  const { family, per_step: perStep } = view.variable(name);
  const step = cell.name === "h0" ? 1 : t;
  const value = view.value(name, cell.index, step);
  const number = (v, n) => `<span class="${view.variable(v).family}">${writeFactor(n)}</span>`;
  const symbol = cell.name === "h0" ? `h<sub>0</sub>[${cell.index[0] + 1}]` : symbolHtml(view, name, cell.index);
  const products = found.slice(0, MOST_USES).map(({ result, place, other }) => {
    const into = symbolHtml(view, result, place);
    if (!other) return `${into}: + ${number(name, value)}`;
    const factor = view.value(...other, step);
    return `${into}: ${number(name, value)}·${number(other[0], factor)} ${equalsSign(value * factor)} ${writeNumber(value * factor)}`;
  });
  const note = perStep ? words.goes_into : `${words.shared.replace("{steps}", view.steps)} ${words.at_step.replace("{t}", step)}`;
  const head = `<b>${symbol}</b> ${equalsSign(value)} <b class="${family}">${writeNumber(value)}</b>`;
  return [head, `<span class="note">${note}</span>`, ...products].map((html) => `<span class="segment">${html}</span>`).join(" ");
}

const MOST_USES = 6; // results named in the line; all are lit in the picture

// What stood in a cell before the last edit.
function ghostHtml(view, before, cell, t) {
  if (!before) return "";
  const [old, now] = [before, view].map((one) => cell.value(one, t));
  return old === now ? "" : ` <span class="segment note">${view.header.words.before_edit} ${writeNumber(old, 4)}</span>`;
}
