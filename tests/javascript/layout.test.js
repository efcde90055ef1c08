// Sizes from the leaves up, places from the root down.

import assert from "node:assert/strict";
import { test } from "node:test";

import { legendHtml, stepText, twinHtml } from "../../rnnviz/ui/components/explorer/around.js";
import { Bands } from "../../rnnviz/ui/components/explorer/bands.js";
import { roomBelow, structureOf } from "../../rnnviz/ui/components/explorer/drawn.js";
import { cellSize, chooseSizes, gridOf, LABEL, measure, place } from "../../rnnviz/ui/components/explorer/layout.js";
import { example, HEADER, VARIABLES } from "./example.js";

const SCENE = { row: [{ column: [{ row: [{ product: ["W_ih", "x"] }] }, { row: [{ product: ["W_hh", "h_prev"] }, { op: "=" }] }] }, { block: "a" }, { block: "h" }] };
const SIZES = { cell: 50, height: 20, font: 13, link: 28, stacked: false };

// The leaves of a scene with their boxes.
function leaves(view, sizes) {
  const found = [];
  place(view, view.tree, sizes, 4, 8, (node, box) => found.push([node, box]));
  return found;
}

// A wide matrix and its state, by its number of units.
function large(units) {
  const zeros = (...shape) => ({ shape, data: new Array(shape.reduce((product, size) => product * size)).fill(0) });
  const arrays = { W_ih: zeros(units, 1), W_hh: zeros(units, units), a: zeros(3, units), f: zeros(3, units), g: zeros(3, units), h: zeros(4, units) };
  return example({ scene: SCENE }, arrays);
}

test("a block is as large as its cells and the name above them", () => {
  const view = example();
  assert.deepEqual(measure(view, { block: "W_hh" }, SIZES), { width: 102, height: 42 + LABEL, middle: LABEL + 21 });
  assert.deepEqual(gridOf(view, { block: "W_ih", turned: true }, SIZES), [1, 2]);
});

test("every leaf is placed once, inside the whole, and none over another", () => {
  const view = example({ scene: SCENE });
  const total = measure(view, view.tree, SIZES);
  const found = leaves(view, SIZES);
  assert.deepEqual(found.map(([{ block, op }]) => block ?? op), ["W_ih", "×", "x", "W_hh", "×", "h_prev", "=", "a", "h"]);
  for (const [, { x, y, width, height }] of found) {
    assert.ok(x >= 4 - 1e-9 && y >= 8 - 1e-9 && x + width <= 4 + total.width + 1e-9 && y + height <= 8 + total.height + 1e-9);
  }
  found.forEach(([, one], i) => {
    for (const [, other] of found.slice(i + 1)) {
      const apart = one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
      assert.ok(apart);
    }
  });
});

test("neighbours in a row are aligned at the middle of their cells", () => {
  const found = leaves(example({ scene: SCENE }), SIZES).filter(([{ block, op }]) => ["W_hh", "h_prev"].includes(block) || op === "=");
  const middles = found.map(([, { y, middle }]) => y + middle);
  assert.equal(new Set(middles).size, 1);
});

test("cells grow with the room, a wide window is folded and a narrow one stacked", () => {
  const small = example({ scene: SCENE });
  const [roomy, tight] = [chooseSizes(small, 1200, false), chooseSizes(small, 400, false)];
  assert.ok(roomy.cell > tight.cell && !roomy.folded);
  assert.equal(chooseSizes(small, 250, false).stacked, true);
  const folded = chooseSizes(large(40), 1200, false);
  assert.equal(folded.folded, true);
  assert.ok(measure(large(40), large(40).tree, folded).width <= 1200);
  assert.equal(cellSize(large(40), "W_hh", folded).readable, false);
});

test("folded, a vector lies above the columns that it is multiplied with", () => {
  const view = large(12);
  const found = new Map(leaves(view, chooseSizes(view, 1200, false)).map(([node, box]) => [node.block, box]));
  const [matrix, vector] = [found.get("W_hh"), found.get("h_prev")];
  assert.ok(vector.y + vector.height <= matrix.y);
  assert.equal(vector.x + vector.width / 2, matrix.x + matrix.width / 2);
});

test("a gated cell has a band for each gate, in the order of its sums", () => {
  const gate = (name) => ({ gate: name, start: 0, fn: "σ", title: name, words: "", rows: "" });
  const named = Object.fromEntries(["from_x", "from_h", "b_ih", "b_hh"].map((name) => [name, { ...VARIABLES.a, symbol: name }]));
  const scene = { bands: [gate("r"), gate("n")], lines: [], joined: false, memory: "h", form: { reset: "after", update: "keep" } };
  const view = example({ variables: { ...VARIABLES, ...named }, scene });
  const bands = new Bands(view, view.bands, 1200, false);
  assert.ok(bands.top("n") >= bands.top("r") + bands.rows);
  assert.ok(bands.bottom >= bands.top("n") + bands.rows);
  assert.ok(bands.width <= 1200);
  assert.deepEqual(bands.signsOf(scene.bands[1], "b_ih"), ["+ r ⊙ ("]);
  assert.deepEqual(bands.signsOf(scene.bands[0], "b_ih"), ["+"]);
  assert.ok(bands.sizes.cell > new Bands(view, view.bands, 700, false).sizes.cell);
});

test("the strip leaves the sentences their room, or takes it where there is too little for both", () => {
  assert.equal(roomBelow(500, 67, true), 300, "no more than it needs");
  assert.equal(roomBelow(250, 67, true), 169);
  assert.equal(roomBelow(200, 67, true), 133, "less than usual, so that no line of theirs is cut off");
  assert.equal(roomBelow(170, 67, true), 170, "they stand below it");
  assert.equal(roomBelow(-20, 67, true), 0);
  for (let free = 0; free < 600; free += 7) assert.ok(roomBelow(free, 93, false) <= Math.max(0, free));
});

test("a gated picture folds where its rows are too many for a low window, or its columns for any", () => {
  const gate = (name) => ({ gate: name, start: 0, fn: "σ", title: name, words: "", rows: "" });
  const named = Object.fromEntries(["from_x", "from_h", "b_ih", "b_hh"].map((name) => [name, { ...VARIABLES.a, symbol: name }]));
  const sizes = (units, gates, width, isLow) => {
    const zeros = (...shape) => ({ shape, data: new Array(shape.reduce((product, size) => product * size)).fill(0) });
    const arrays = { W_ih: zeros(gates * units, 2), W_hh: zeros(gates * units, units), h: zeros(4, units) };
    const scene = { bands: [..."fgior"].slice(0, gates).map(gate), lines: [], joined: false, memory: "h", form: { reset: "after", update: "keep" } };
    const view = example({ variables: { ...VARIABLES, ...named }, scene }, arrays);
    const bands = new Bands(view, view.bands, width, isLow);
    return { ...bands.sizes, width: bands.width };
  };
  assert.equal(sizes(4, 4, 922, true).readable, true);
  assert.equal(sizes(5, 4, 922, true).readable, false, "20 rows in a low window");
  assert.equal(sizes(5, 3, 922, true).readable, true, "15 rows");
  assert.equal(sizes(5, 4, 922, false).readable, true, "a high window");
  const slim = sizes(5, 4, 800, false);
  assert.deepEqual([slim.readable, slim.narrow], [true, true], "the numbers of the matrices alone give way");
  assert.ok(slim.width <= 800);
  assert.equal(sizes(4, 4, 700, false).narrow, false, "of few units they stay, and the picture is swiped");
});

test("a structure is the same with other numbers, not with other shapes, letters or steps", () => {
  const same = structureOf(example());
  assert.equal(structureOf(example({ t: 3, fact: "other" }, { x: { shape: [3, 1], data: [7, 8, 9] } })), same);
  const others = [{ steps: 2 }, { variables: { ...VARIABLES, a: { ...VARIABLES.a, symbol: "z" } } }, { scene: { turned: true } }];
  for (const header of others) assert.notEqual(structureOf(example(header)), same);
  assert.notEqual(structureOf(large(3)), structureOf(large(4)));
});

test("the table has a row for each unit of each variable", () => {
  const words = { ...HEADER.words, step: "Step {t} of {steps}" };
  const view = example({ words });
  const html = twinHtml(view, 2);
  assert.equal(html.match(/<tr>/g).length, 15);
  assert.ok(html.includes("<caption>Step 2 of 3</caption>"));
  assert.ok(html.includes("0.7 &nbsp; −0.2"), "a matrix's row is one of the table");
  assert.equal(stepText(view, "<b>1</b>"), "Step <b>1</b> of 3");
});

const coloursIn = (html) => html.match(/linear-gradient\([^"]*/)[0];

test("a legend ends at its limit, a gate's begins at 0", () => {
  const words = { legend_signed: "inputs", legend_gate: "gates", legend_state: "h" };
  const items = legendHtml(example({ words, limits: { signed: 2.5, gate: 1, state: 4 } }), "light").split('<span class="legend-item">').slice(1);
  assert.match(items[0], /^inputs <span>−2\.5<\/span>.*<span>2\.5<\/span>/);
  assert.match(items[1], /^gates <span>0<\/span>.*<span>1<\/span>/);
  assert.match(items[2], /^h <span>−4<\/span>.*<span>4<\/span>/);
  assert.equal(coloursIn(items[2]), coloursIn(items[0]), "a state has the colours of signed numbers on a scale of its own");
});
