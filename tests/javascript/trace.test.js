// Reading the message from Python: places of numbers, and what can be edited.

import assert from "node:assert/strict";
import { test } from "node:test";

import { entryKey, indices } from "../../rnnviz/ui/components/explorer/trace.js";
import { unpack } from "../../rnnviz/ui/components/shared/message.js";
import { example, packed, VARIABLES } from "./example.js";

test("a message that begins at an odd byte is read bit for bit", () => {
  const numbers = [0.1 + 0.2, -0, 5e-324, 1.7e308];
  const { header, arrays } = unpack(packed({ word: "größer ∂" }, { one: { shape: [4], data: numbers }, two: { shape: [1, 1], data: [7] } }));
  assert.equal(header.word, "größer ∂");
  assert.ok([...arrays.one.data].every((number, i) => Object.is(number, numbers[i])));
  assert.deepEqual([arrays.two.shape, [...arrays.two.data]], [[1, 1], [7]]);
});

test("a number is found by its index and step", () => {
  const view = example();
  assert.deepEqual(view.shape("W_hh"), [2, 2]);
  assert.deepEqual(view.shape("h"), [2, 1]);
  assert.equal(view.value("W_hh", [1, 0], 3), 0.4);
  assert.equal(view.value("x", [0], 3), 2);
  assert.deepEqual([view.value("h_prev", [1], 3), view.value("h", [1], 2), view.value("h", [1], 3)], [0.4, 0.4, 0.5]);
});

test("indices run row by row", () => {
  const view = example();
  assert.deepEqual([...indices(view, "W_hh")], [[0, 0], [0, 1], [1, 0], [1, 1]]);
  assert.deepEqual([...indices(view, "h")], [[0], [1]]);
  assert.deepEqual([...indices(view, "W_ih")], [[0, 0], [1, 0]]);
});

test("an edit names the array, an input its step, an initial state step 1 alone", () => {
  const view = example();
  assert.deepEqual(view.entry("W_hh", [0, 1], 3), ["W_hh", [0, 1]]);
  assert.deepEqual(view.entry("x", [0], 3), ["x", [2, 0]]);
  assert.deepEqual(view.entry("h_prev", [1], 1), ["h0", [1]]);
  assert.equal(view.entry("h_prev", [1], 2), null);
  assert.equal(view.entry("h", [1], 1), null);
  const turned = example({ variables: { ...VARIABLES, W_hh: { ...VARIABLES.W_hh, turned: 4 } } });
  assert.deepEqual(turned.entry("W_hh", [0, 1], 1), ["W_hh", [5, 0]]);
  assert.equal(view.edited.get(entryKey("W_hh", [0, 1])), -0.2);
  assert.equal(view.typed.get("W_hh.0.1"), 0.9);
});

test("rounding is 0 where a number is computed, not where it is typed or a gradient", () => {
  const view = example();
  assert.equal(view.write("a", view.value("a", [1], 2)), "0");
  assert.equal(view.write("x", 1e-14), "1e−14");
  assert.equal(example({ scene: { back: true } }).write("a", 1e-14), "1e−14");
});

test("a colour is full at the limit of a variable's scale, else of its family", () => {
  const view = example();
  assert.deepEqual(["h", "h_prev", "W_hh", "f"].map((name) => view.limitOf(name)), [2, 1, 0.9, 1]);
});

test("a backward pass begins at the last step", () => {
  const [{ first, last, stride }, back] = [example(), example({ scene: { back: true } })];
  assert.deepEqual([first, last, stride], [1, 3, 1]);
  assert.deepEqual([back.first, back.last, back.stride], [3, 1, -1]);
});

test("a one-hot input has a letter, any other none", () => {
  const text = { shape: [3, 2], data: [0, 1, 1, 0, 1, 0.5] };
  const view = example({ characters: ["a", " "] }, { x: text });
  assert.deepEqual([1, 2, 3].map((t) => view.letter(t)), ["␣", "a", ""]);
  assert.equal(example().letter(1), "");
});

test("a gate is clamped at its steps alone", () => {
  const view = example({ scene: { clamped: { f: "clamped f" } } }, { "clamped f": { shape: [3, 2], data: [0, 0, 0, 1, 0, 0] } });
  assert.equal(view.isClamped("f", [1], 2), true);
  assert.equal(view.isClamped("f", [0], 2), false);
  assert.equal(view.isClamped("f", [1], 3), false);
  assert.equal(example().isClamped("f", [1], 2), false);
});

test("what enters step 1 is a start where it can be edited, and nothing of a backward pass is", () => {
  assert.deepEqual([...example().starts], [["h0", { entry: "h_prev", next: "h" }]]);
  const view = example({ scene: { back: true }, variables: { ...VARIABLES, h_prev: { ...VARIABLES.h_prev, edit: null } } });
  assert.deepEqual([...view.starts], []);
  assert.deepEqual([example().drawn("h0"), view.drawn("h0")], ["h_prev", "h0"]);
});
