// Numbers are written as Python writes them: the cases are its own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { equalsSign, isExact, powerOfTen, writeFaded, writeNumber } from "../../rnnviz/ui/components/shared/numbers.js";

const CASES = JSON.parse(readFileSync(new URL("../views/numbers.json", import.meta.url), "utf8"));
const WRITERS = {
  written: (value) => writeNumber(value),
  "written in 2 digits": (value) => writeNumber(value, 2),
  faded: (value) => writeFaded(value),
  equals: (value) => equalsSign(value),
  "power of ten": (value) => powerOfTen(value),
};

test("each list of cases has its writer", () => assert.deepEqual(Object.keys(CASES), Object.keys(WRITERS)));

for (const [writer, cases] of Object.entries(CASES)) {
  test(`${writer}: ${cases.length} cases`, () => {
    for (const [value, text] of cases) assert.equal(WRITERS[writer](Number(value)), text, `${writer} of ${value}`);
  });
}

test("a text is exact but for the last bits of a float", () => {
  assert.ok(isExact(0.1 + 0.2, "0.3"));
  assert.ok(isExact(-1e-5, "−1e−5"));
  assert.ok(isExact(Infinity, "∞"));
  assert.ok(!isExact(0.30001, "0.3"));
  assert.ok(!isExact(1e-9, "0", 0));
});
