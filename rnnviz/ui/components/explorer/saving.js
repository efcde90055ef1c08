// The picture and the strip as they stand, as one file.

import { downloadPicture } from "../shared/download.js";

/** @import { Explorer } from "./explorer.js" */

// With the step and what is marked.
/** @param {Explorer} explorer @param {"png" | "svg"} kind */
export async function savePicture({ parts, painter, state: { view, t } }, kind) {
  const { scene, timeline } = parts;
  const strip = painter.drawn.timeline;
  const frame = strip.drawnFrame(t);
  strip.keepLabels(0);
  const between = timeline.getBoundingClientRect().top - scene.getBoundingClientRect().bottom; // of sentences, which are no picture
  timeline.style.transform = `translateY(${-between}px)`;
  /** @type {(SVGSVGElement | HTMLCanvasElement)[]} */
  const drawn = [scene, timeline].flatMap((part) => [...part.querySelectorAll(".sheet > canvas, .sheet > svg")].filter(isPicture));
  const saved = downloadPicture(drawn, `rnnviz ${view.header.kind} step ${t}`, kind); // reads places before it waits
  timeline.style.transform = "";
  strip.keepLabels(timeline.scrollLeft);
  frame.remove();
  await saved;
}

/** @param {Element} element */
const isPicture = (element) => element instanceof SVGSVGElement || element instanceof HTMLCanvasElement;
