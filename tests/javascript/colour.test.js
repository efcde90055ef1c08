// Colours of numbers, from the app's palette.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { colourOf, cssColour, FAMILIES, inkOn, SHADES, shadesOf } from "../../rnnviz/ui/components/shared/colour.js";

const PALETTE = JSON.parse(readFileSync(new URL("../../rnnviz/views/palette.json", import.meta.url), "utf8"));
const hex = (rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

for (const theme of ["light", "dark"]) {
  test(`the ends of each family are the palette's, and 0 is the ground: ${theme}`, () => {
    for (const family of ["signed", "weight", "gate", "factor"]) {
      assert.equal(hex(colourOf(-3, family, 3, theme)), PALETTE[theme][family].negative);
      assert.equal(hex(colourOf(3, family, 3, theme)), PALETTE[theme][family].positive);
      assert.equal(hex(colourOf(0, family, 3, theme)), PALETTE[theme].ground);
    }
  });

  test(`ink stands out from every shade of every family: ${theme}`, () => {
    const luminance = (rgb) => rgb.map((part) => part / 255).map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    for (const family of ["signed", "weight", "gate", "factor"]) {
      for (let value = -1; value <= 1; value += 1 / 64) {
        const ground = colourOf(value, family, 1, theme);
        const ink = inkOn(ground).match(/\d+/g).map(Number);
        const [low, high] = [luminance(ground), luminance(ink)].sort((one, other) => one - other);
        assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${family} ${value}`);
      }
    }
  });
}

test("beyond the limit nothing changes, and small numbers differ from 0", () => {
  assert.deepEqual(colourOf(50, "signed", 1, "light"), colourOf(1, "signed", 1, "light"));
  assert.notDeepEqual(colourOf(0.01, "signed", 1, "light"), FAMILIES.light.ground);
});

test("shades are the same colours as pixels, and are made once", () => {
  const shades = shadesOf("weight", 0.9, "dark");
  assert.equal(shades.length, 2 * SHADES + 1);
  const [red, green, blue, alpha] = new Uint8Array(shades.buffer, 4 * 2 * SHADES, 4);
  assert.deepEqual([red, green, blue, alpha], [...colourOf(0.9, "weight", 0.9, "dark"), 255]);
  assert.equal(shadesOf("weight", 0.9, "dark"), shades);
});

test("a colour as CSS", () => assert.equal(cssColour([1, 20, 255]), "rgb(1,20,255)"));
