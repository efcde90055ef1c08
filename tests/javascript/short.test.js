// Numbers in narrow cells.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SMALLEST, textWidth, writeShort } from "../../rnnviz/ui/components/shared/short.js";

const short = (value, room, digits = 4, floor = 0) => writeShort(value, floor, digits, (text) => textWidth(text, SMALLEST), room);

test("digits are left out till a number fits", () => {
  assert.deepEqual([100, 40, 31, 20].map((room) => short(0.216518, room)), ["0.2165", "0.2165", "0.217", "0.2"]);
  assert.deepEqual([-0.0412, 12.345, -99.5, 9e-6].map((value) => short(value, 31, 2)), ["−0.04", "12", "−100", "9e−6"]);
});

test("what is not 1 is not written as 1", () => {
  assert.deepEqual([62, 44, 31].map((room) => short(1 - 5e-10, room)), ["0.99999…", "0.99…", "≈1"]);
  assert.deepEqual([62, 31].map((room) => short(-1 - 5e-10, room)), ["−1.00000…", "≈−1"]);
  assert.equal(short(1, 10), "1");
  assert.equal(short(1 - 1e-13, 10), "1");
  assert.equal(short(0.998, 31, 2), "0.998");
});

test("without room for a digit it is said what a number is close to", () => {
  assert.deepEqual([0.25, -0.9, 12345].map((value) => short(value, 5)), ["≈0", "≈−1", "…"]);
  assert.deepEqual([0, Infinity].map((value) => short(value, 1)), ["0", "∞"]);
});

test("below the floor a number is 0", () => assert.deepEqual([short(1e-14, 60, 4, 1e-12), short(1e-14, 60)], ["0", "1e−14"]));
