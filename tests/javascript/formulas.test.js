// What a result is made of, and the line that says so.

import assert from "node:assert/strict";
import { test } from "node:test";

import { arithmetic } from "../../rnnviz/ui/components/explorer/arithmetic.js";
import { depthOf, isSame, parts, productOf, sources, termCount, uses } from "../../rnnviz/ui/components/explorer/formulas.js";
import { onScreen, symbolHtml, symbolText } from "../../rnnviz/ui/components/explorer/symbols.js";
import { ARRAYS, example, FORMULAS, VARIABLES } from "./example.js";

// A line without its marks, one space between words.
const plain = (html) => html.replaceAll("&thinsp;", "").replace(/<span class="unseen">.*?<\/span>/g, "").replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim();

test("a dot product opens into its products", () => {
  const factors = parts(example(), "a", [1]).map((part) => part.factors);
  assert.deepEqual(factors, [
    [["W_ih", [1, 0]], ["x", [0]]],
    [["W_hh", [1, 0]], ["h_prev", [0]]],
    [["W_hh", [1, 1]], ["h_prev", [1]]],
  ]);
});

test("1 minus a gate is a factor", () => {
  assert.deepEqual(parts(example(), "h", [0])[1].factors, [["f", [0], true], ["g", [0]]]);
});

test("rows of a stacked vector begin at their offset, and other rows have other products", () => {
  const formulas = { a: { terms: [{ dot: ["W_hh", "h_prev"], rows: [0, 1] }, { dot: ["W_ih", "x"], rows: [1, 2] }, { ref: "g", offset: 1, minus: true }] } };
  const view = example({ formulas });
  assert.deepEqual(parts(view, "a", [0]).map((part) => part.factors[0]), [["W_hh", [0, 0]], ["W_hh", [0, 1]], ["g", [1]]]);
  assert.deepEqual(parts(view, "a", [1]), [{ factors: [["W_ih", [1, 0]], ["x", [0]]], dot: true }, { factors: [["g", [2]]], minus: true }]);
});

test("sources lead back to rows and vectors, itself first", () => {
  const found = sources(example(), "h", [0]).map(([name, index]) => `${name}.${index}`);
  assert.deepEqual(found, ["h.0", "f.0", "h_prev.0", "f.0", "g.0", "a.0", "W_ih.0,0", "x.0", "W_hh.0,0", "h_prev.0", "W_hh.0,1", "h_prev.1"]);
  assert.deepEqual(sources(example(), "x", [0]), [["x", [0]]]);
});

test("a softmax comes from its whole vector", () => {
  const view = example({ formulas: { ...FORMULAS, h: { fn: "softmax", terms: [{ ref: "a" }] } } });
  assert.deepEqual(sources(view, "h", [1]), [["h", [1]], ["a", [0]], ["a", [1]]]);
  assert.equal(depthOf(view, "h"), 1);
});

test("depth and number of terms follow the formulas", () => {
  const view = example();
  assert.deepEqual(["x", "a", "g", "h"].map((name) => depthOf(view, name)), [0, 1, 2, 1]);
  assert.deepEqual([0, 1, 2].map((depth) => termCount(view, "g", [0], depth)), [1, 1, 3]);
  assert.equal(termCount(view, "h", [0], 1), 4);
});

test("a use is a result and the other factor of its product", () => {
  const view = example();
  assert.deepEqual(uses(view, "W_hh", [1, 0]), [{ result: "a", place: [1], other: ["h_prev", [0]], minus: undefined }]);
  assert.deepEqual(uses(view, "x", [0]).map(({ place, other }) => [place, other]), [[[0], ["W_ih", [0, 0]]], [[1], ["W_ih", [1, 0]]]]);
});

test("the identity of a sum is the sum", () => {
  const view = example({ formulas: { ...FORMULAS, h: { fn: "identity", terms: [{ ref: "a" }] } } });
  assert.equal(isSame(view, "h"), true);
  assert.equal(isSame(view, "g"), false);
  assert.equal(isSame(view, "a"), false);
});

test("what is written as 0 counts as 0 in a product", () => {
  const view = example();
  assert.equal(productOf(view, [["a", [1]], ["g", [1]]], 2), 0);
  assert.equal(productOf(view, [["a", [0]], ["g", [0]]], 1), 0.025);
});

test("a line opens a result from the outside in", () => {
  const view = example({}, { a: { ...ARRAYS.a, data: [0.08, -0.01, 0, 0, 0, 0] }, g: { ...ARRAYS.g, data: [0.0798, -0.01, 0, 0, 0, 0] } });
  assert.equal(plain(arithmetic(view, "g", [0], 1)), "gt[1] = tanh(0.1·0.5 + 0.7·0.1 + (−0.2)·0.2) = tanh(0.08) = 0.0798");
  assert.equal(plain(arithmetic(view, "a", [0], 1)), "at[1] = 0.1·0.5 + 0.7·0.1 + (−0.2)·0.2 = 0.05 + 0.07 + (−0.04) = 0.08");
});

test("a line has an equals sign where no digit is left out, and the step's number in its head", () => {
  const exact = plain(arithmetic(example(), "h", [0], 1, 1));
  assert.equal(exact, "h1[1] = 0.5·0.1 + (1 − 0.5)·0.1 = 0.15 ht = ft ⊙ ht−1 + (1 − ft) ⊙ gt");
  const view = example({}, { h: { ...ARRAYS.h, data: [1 / 3, 0.2, 0.15, 0.2, 0.15, 0.4, 0.1, 0.5] } });
  assert.match(plain(arithmetic(view, "h", [0], 1)), /^ht\[1\] ≈ 0\.5·0\.3333 \+ .* ≈ 0\.15/);
});

test("the largest product of several is marked", () => {
  const html = arithmetic(example(), "h", [0], 1);
  assert.ok(!html.includes("<u"), "two products of 0.05 are equal");
  const other = arithmetic(example(), "h", [1], 1); // 0.25 times 0.2, and 0.75 times 0.2
  assert.deepEqual(other.match(/<u class="largest" title="largest product">[^·]*/g), ['<u class="largest" title="largest product">(1 − <span class="gate">0.25</span>)']);
});

test("symbols count units from 1, transposed matrices column first", () => {
  const view = example();
  assert.equal(symbolText(view, "W_hh"), "W_hh");
  assert.equal(plain(symbolHtml(view, "W_hh", [0, 1])), "Whh[1,2]");
  assert.equal(plain(symbolHtml(view, "h_prev", [1], 3)), "h2[2]");
  assert.deepEqual(onScreen(example({ scene: { turned: true } }), [0, 1]), [2, 1]);
  const named = example({ variables: { ...VARIABLES, a: { ...VARIABLES.a, symbol: "", caption: "sum" } } });
  assert.equal(symbolHtml(named, "a", [1]), "sum [2]");
});
