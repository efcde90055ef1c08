// Axes of decades, names beside lines, and strokes on the pad.

import assert from "node:assert/strict";
import { test } from "node:test";

import { between, grainOf, rounded, scaleEnd } from "../../rnnviz/ui/components/drawing/stroke.js";
import { freePlace, LABEL, spread } from "../../rnnviz/ui/components/gradient_chart/labels.js";
import { decadeColour, placeOf, wholeTicks } from "../../rnnviz/ui/components/gradient_chart/scale.js";
import { colourOf } from "../../rnnviz/ui/components/shared/colour.js";

test("the map's scale has 1 in its middle and ends where no shade is left", () => {
  assert.equal(placeOf(0), 0);
  assert.deepEqual([placeOf(300), placeOf(-300), placeOf(-5000), placeOf(-Infinity)], [1, -1, -1, -1]);
  assert.ok(placeOf(-1) < -0.05, "a factor of 10 shows");
  assert.ok(placeOf(-100) - placeOf(-200) > 0.05, "and one of 1e100");
  assert.deepEqual(decadeColour(-1, "dark"), colourOf(-1, "signed", 1, "dark"));
});

test("ticks are round and have room", () => {
  assert.deepEqual(wholeTicks(0, 100, 400, 46), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(wholeTicks(3, 12, 400, 40), [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.deepEqual(wholeTicks(401, 500, 100, 40), [450, 500]);
  assert.deepEqual(wholeTicks(0, 2000, 100, 40), [0, 500, 1000, 1500, 2000]);
});

test("names are moved apart, as little as need be, within the plot", () => {
  const apart = (...places) => {
    const labels = places.map((y) => ({ y }));
    spread(labels, 10, 100);
    return labels.map(({ y }) => y);
  };
  assert.deepEqual(apart(20, 60), [20, 60]);
  assert.deepEqual(apart(60, 61), [60, 60 + LABEL.tall]);
  assert.deepEqual(apart(99, 98, 5), [10, 85, 100]);
});

test("a name takes the nearest free place", () => {
  const plot = { left: 0, right: 200, top: 0, bottom: 100 };
  assert.deepEqual(freePlace(50, 50, 40, [], plot), { x: 50, y: 50, width: 40 });
  assert.deepEqual(freePlace(50, 50, 40, [{ x: 60, y: 52, width: 40 }], plot), { x: 50, y: 50 - LABEL.tall, width: 40 });
  assert.deepEqual(freePlace(50, 50, 40, [{ x: 90, y: 50, width: 40 }], plot).y, 50, "beside it is free");
  assert.equal(freePlace(190, 50, 40, [], plot).x, 160);
});

test("a drawn scale ends at 1, 2 or 5 times a power of ten", () => {
  assert.deepEqual([[], [0.3, -1], [-1.01], [3], [50], [51], [-1e308]].map(scaleEnd), [1, 1, 2, 5, 50, 100, 1e308]);
  assert.equal(scaleEnd([1.7e308]), Number.MAX_VALUE);
});

test("drawn values are rounded to about a thousandth of the scale, without a negative zero", () => {
  assert.deepEqual([1, 10, 100, 2000].map(grainOf), [0.01, 0.01, 0.1, 1]);
  assert.equal(rounded(0.12345, 1), 0.12);
  assert.equal(rounded(12.34, 100), 12.3);
  assert.ok(Object.is(rounded(-0.001, 1), 0));
});

test("a fast stroke leaves no column out, in either direction", () => {
  assert.deepEqual(between({ at: 2.2, value: 1 }, { at: 2.8, value: 0.5 }), [[2, 0.5]]);
  assert.deepEqual(between({ at: 1, value: 0 }, { at: 4, value: 3 }), [[2, 1.5], [3, 2.5], [4, 3]]);
  assert.deepEqual(between({ at: 3.5, value: 1 }, { at: 1.5, value: -1 }), [[2, 0], [1, -1]]);
});
