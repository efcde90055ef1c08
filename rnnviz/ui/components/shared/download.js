// Saves drawn pictures as one file. Nothing of the page is needed to look at it: styles become attributes, colours are
// plain rgb, fonts ride along.
//
// downloadPicture(elements, name, kind) saves SVG and canvas elements, in the places where they stand on the screen, as
// one picture. elements: what is drawn, from the back to the front; name: of the file, without an ending; kind: "png"
// or "svg".

import { penOf } from "./parts.js";
import { svg } from "./svg.js";

/** @import { Box } from "./types" */

// Properties that a style sheet may set, with what they are where nothing sets them; those that are inherited are
// compared with the parent's instead.
const INITIAL = {
  opacity: "1", "clip-path": "none", "stop-color": "rgb(0, 0, 0)", "stop-opacity": "1", "dominant-baseline": "auto", display: "inline",
};
const INHERITED = [
  "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "paint-order",
  "font-family", "font-size", "font-weight", "font-style", "font-variant-numeric", "text-anchor", "visibility",
];
const COLOURS = new Set(["fill", "stroke", "stop-color"]);
const EDGE = 12; // px of ground around the picture
const SHARPNESS = 2; // pixels of a PNG for each px on the screen

/** @param {Iterable<SVGSVGElement | HTMLCanvasElement>} elements @param {string} name @param {string} kind */
export async function downloadPicture(elements, name, kind) {
  const text = await pictureOf([...elements]);
  const drawing = new Blob([text], { type: "image/svg+xml" });
  const blob = kind === "png" ? await rastered(drawing) : drawing;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${name}.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {(SVGSVGElement | HTMLCanvasElement)[]} elements */
async function pictureOf(elements) {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left)) - EDGE;
  const top = Math.min(...boxes.map((box) => box.top)) - EDGE;
  const width = Math.ceil(Math.max(...boxes.map((box) => box.right)) - left + EDGE);
  const height = Math.ceil(Math.max(...boxes.map((box) => box.bottom)) - top + EDGE);
  const picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(svg("rect", { width, height, fill: plainColour(groundOf(elements[0])) }));
  elements.forEach((element, i) => {
    const place = { x: boxes[i].left - left, y: boxes[i].top - top, width: boxes[i].width, height: boxes[i].height };
    picture.append(element instanceof HTMLCanvasElement ? imageOf(element, place) : copyOf(element, place));
  });
  const fonts = await fontsOf(elements);
  if (fonts) picture.prepend(svg("style", {}, null, fonts));
  return new XMLSerializer().serializeToString(picture);
}

/** @param {HTMLCanvasElement} canvas @param {Box} place */
function imageOf(canvas, place) {
  return svg("image", { ...place, href: canvas.toDataURL(), style: `image-rendering:${getComputedStyle(canvas).imageRendering}`, preserveAspectRatio: "none" });
}

/** @param {SVGSVGElement} drawing @param {Box} place */
function copyOf(drawing, place) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const parent = i ? originals[i].parentElement : null;
    const [style, around] = [getComputedStyle(originals[i]), parent ? getComputedStyle(parent) : undefined];
    for (const { name } of [...element.attributes]) if (/^(class|style|tabindex|role|data-|aria-)/.test(name)) element.removeAttribute(name);
    /** @param {string} name */
    const set = (name) => element.setAttribute(name, COLOURS.has(name) ? plainColour(style.getPropertyValue(name)) : style.getPropertyValue(name));
    for (const name of INHERITED) if (style.getPropertyValue(name) !== around?.getPropertyValue(name)) set(name);
    for (const [name, initial] of Object.entries(INITIAL)) if (i && style.getPropertyValue(name) !== initial) set(name);
  });
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(value));
  if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${place.width} ${place.height}`);
  return copy;
}

// The first colour behind an element that is not transparent; it may lie outside the component's shadow.
/** @param {Element} element */
function groundOf(element) {
  for (let at = /** @type {Element | null} */ (element); at; at = at.parentElement ?? hostOf(at)) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)" && colour !== "transparent") return colour;
  }
  return "#ffffff";
}

// The element that an element's shadow hangs on.
/** @param {Element} element */
function hostOf(element) {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** @type {Map<string, string>} */
const plainKnown = new Map();

// A colour as programs read it that know less of CSS than a browser: no color-mix, no colour spaces.
/** @param {string} colour */
function plainColour(colour) {
  if (!/^(color|oklab|oklch|lab|lch)\(/.test(colour)) return colour;
  let plain = plainKnown.get(colour);
  if (!plain) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    const pen = penOf(canvas);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    const rgb = `${red}, ${green}, ${blue}`;
    plain = alpha === 255 ? `rgb(${rgb})` : `rgba(${rgb}, ${(alpha / 255).toFixed(3)})`;
    plainKnown.set(colour, plain);
  }
  return plain;
}

// The rules that load the page's own fonts of these elements, with the fonts inside; empty for those of the system.
/** @param {Element[]} elements */
async function fontsOf(elements) {
  const families = new Set(elements.flatMap((element) => getComputedStyle(element).fontFamily.split(",").slice(0, 1)).map(unquoted));
  const rules = [...document.styleSheets].flatMap((sheet) => rulesOf(sheet).map((rule) => ({ rule, base: sheet.href ?? document.baseURI })));
  const wanted = rules.filter(({ rule }) => families.has(unquoted(rule.style.getPropertyValue("font-family"))) && rule.style.getPropertyValue("font-style") !== "italic");
  return (await Promise.all(wanted.map(({ rule, base }) => withFont(rule, base)))).join("\n");
}

/** @param {CSSStyleSheet} sheet */
function rulesOf(sheet) {
  try {
    return [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule);
  } catch {
    return []; // another site's style sheet, which may not be read
  }
}

/** @param {string} name */
const unquoted = (name) => name.trim().replace(/^["']|["']$/g, "");

/** @param {CSSFontFaceRule} rule @param {string} base */
async function withFont(rule, base) {
  const address = rule.style.getPropertyValue("src").match(/url\(["']?([^"')]+)["']?\)/)?.[1];
  if (!address) return "";
  try {
    const answer = await fetch(new URL(address, base));
    const bytes = new Uint8Array(await answer.arrayBuffer());
    let text = "";
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return rule.cssText.replace(address, `data:font/woff2;base64,${btoa(text)}`);
  } catch {
    return ""; // then the next family of the list stands in
  }
}

/** @param {Blob} drawing @returns {Promise<Blob>} */
async function rastered(drawing) {
  const image = new Image();
  image.src = URL.createObjectURL(drawing);
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SHARPNESS * image.width, SHARPNESS * image.height];
  penOf(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}
