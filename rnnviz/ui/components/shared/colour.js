// Colours of numbers. Signed values: orange - ground - blue; weights: brown - ground - teal; gates: ground - purple;
// what scales an error: rose - ground - purple.
// Each family runs from its negative to its positive end through the ground, which is white in the light theme.

import PALETTE from "../../../views/palette.json" with { type: "json" };

/** @import { Family, Rgb, Theme } from "./types" */

/** @param {string} hex @returns {Rgb} */
const rgbOf = (hex) => [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16));

/** @typedef {{ negative: string, positive: string }} Ends */
/** @param {Ends} ends */
const endsOf = ({ negative, positive }) => ({ negative: rgbOf(negative), positive: rgbOf(positive) });

/** @param {{ ground: string } & Record<Family, Ends>} theme */
const familiesOf = ({ ground, signed, weight, gate, factor }) => ({
  ground: rgbOf(ground),
  signed: endsOf(signed),
  weight: endsOf(weight),
  gate: endsOf(gate),
  factor: endsOf(factor),
});

export const FAMILIES = { light: familiesOf(PALETTE.light), dark: familiesOf(PALETTE.dark) };

export const TEXT_ON = { dark: [0, 0, 0], light: [255, 255, 255] };

// Relative luminance of WCAG 2.
/** @param {Rgb} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// The theme in force, read from the colour of its text, which Streamlit hands to components.
/** @param {Element} element @returns {Theme} */
export function themeOf(element) {
  const text = getComputedStyle(element).color.match(/\d+(\.\d+)?/g)?.map(Number) ?? [0, 0, 0];
  return luminance(text.slice(0, 3)) > 0.4 ? "dark" : "light";
}

/** @param {number} value @param {Family} family @param {number} limit @param {Theme} theme @returns {Rgb} */
export function colourOf(value, family, limit, theme) {
  const palette = FAMILIES[theme];
  const end = palette[family][value < 0 ? "negative" : "positive"];
  const share = Math.min(1, Math.abs(value) / limit) ** 0.75; // lifts small values off the ground
  return palette.ground.map((part, i) => Math.round(part + (end[i] - part) * share));
}

export const SHADES = 256; // on either side of nought

/** @type {Map<string, Uint32Array>} */
const shadesKnown = new Map();

// The colours from -limit to limit as pixels: a large picture asks for tens of thousands of them.
/** @param {Family} family @param {number} limit @param {Theme} theme */
export function shadesOf(family, limit, theme) {
  const key = `${family} ${limit} ${theme}`;
  let shades = shadesKnown.get(key);
  if (!shades) {
    const bytes = new Uint8ClampedArray(4 * (2 * SHADES + 1));
    for (let i = 0; i <= 2 * SHADES; i++) bytes.set([...colourOf((i / SHADES - 1) * limit, family, limit, theme), 255], 4 * i);
    if (shadesKnown.size > 20) shadesKnown.clear(); // limits come and go while a number is dragged
    shades = new Uint32Array(bytes.buffer);
    shadesKnown.set(key, shades);
  }
  return shades;
}

/** @param {Rgb} rgb */
export const cssColour = (rgb) => `rgb(${rgb[0]},${rgb[1]},${rgb[2]})`;

// Black or white, whichever stands out more: at least 4.58 to 1 on any colour.
/** @param {Rgb} rgb */
export function inkOn(rgb) {
  const shade = luminance(rgb);
  const onDark = (luminance(TEXT_ON.light) + 0.05) / (shade + 0.05);
  const onLight = (shade + 0.05) / (luminance(TEXT_ON.dark) + 0.05);
  return cssColour(onDark > onLight ? TEXT_ON.light : TEXT_ON.dark);
}
