// Numbers that are typed or pasted, and sentences with slots.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isTyped, isUndo } from "../../rnnviz/ui/components/shared/keys.js";
import { escaped, fill, unbroken } from "../../rnnviz/ui/components/shared/sentences.js";
import { readNumbers, rowsIn, wordsIn } from "../../rnnviz/ui/components/shared/typed.js";

for (const [text, count, numbers] of [
  ["0.5", 1, [0.5]],
  ["−1,5", 1, [-1.5]],
  [" 1e-3 ", 1, [0.001]],
  [".5", 1, [0.5]],
  ["1, 2, 3", 3, [1, 2, 3]],
  ["0,5", 2, [0.5]],
  ["1,2\n3,4", 4, [1, 2, 3, 4]],
  ["1,2\n3,4", 2, [1.2, 3.4]],
  ["0,5\t1,5", 2, [0.5, 1.5]],
  ["0,5;1,5", 2, [0.5, 1.5]],
  ["[[0.1 0.2]\n [0.3 0.4]]", 4, [0.1, 0.2, 0.3, 0.4]],
  ["array([1., 2.], dtype=float32)", 2, [1, 2]],
  ["Parameter containing:\ntensor([[ 0.5, -1.0]], requires_grad=True)", 2, [0.5, -1]],
  ["tensor([1.], grad_fn=<AddBackward0>)", 1, [1]],
  ["x", 1, [NaN]],
  ["0x10", 1, [NaN]],
  ["1e999", 1, [Infinity]],
  ["", 1, []],
]) test(`${JSON.stringify(text)} as ${count}`, () => assert.deepEqual(readNumbers(text, count), numbers));

test("rows are told by brackets, lines or semicolons", () => {
  assert.deepEqual(["1 2 3", "1 2\n3 4\n", "1;2;3", "[[1 2\n 3]\n [4 5 6]]"].map(rowsIn), [1, 2, 3, 2]);
});

test("the word that is no number can be named", () => assert.deepEqual(wordsIn("1 two 3", 3), ["1", "two", "3"]));

test("slots are filled, with the plural that the number asks for", () => {
  assert.equal(fill("Reset {count} {count:edit|edits} of {name}", { count: 1, name: "$& {W}" }), "Reset 1 edit of $& {W}");
  assert.equal(fill("Reset {count} {count:edit|edits}", { count: 0 }), "Reset 0 edits");
  assert.equal(fill("{count:edit|edits}", { count: "1" }), "edit");
});

test("a derivative stays on one line", () => assert.equal(unbroken("g′(a) and f′(x) of ∂L/∂h"), "g′\u2060(a) and f′\u2060(x) of ∂L/\u2060∂h"));

test("signs of HTML are no HTML", () => assert.equal(escaped('<b> & "c"'), "&#60;b&#62; &#38; &#34;c&#34;"));

test("Ctrl or Cmd with z is Undo, with Alt it is not", () => {
  assert.ok(isUndo({ key: "z", ctrlKey: true }));
  assert.ok(isUndo({ key: "z", metaKey: true }));
  assert.ok(!isUndo({ key: "z" }));
  assert.ok(!isUndo({ key: "z", ctrlKey: true, altKey: true }));
  assert.ok(!isUndo({ key: "y", ctrlKey: true }));
});

test("a field of text has an undo of its own, a slider has none", () => {
  globalThis.Element = class {
    constructor(isText) {
      this.isText = isText;
    }

    matches(selector) {
      assert.match(selector, /textarea/);
      return this.isText;
    }
  };
  assert.deepEqual([isTyped(new Element(true)), isTyped(new Element(false)), isTyped({})], [true, false, false]);
  delete globalThis.Element;
});
