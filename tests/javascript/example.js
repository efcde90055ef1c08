// A small trace as Python packs it, for the tests: a state of two units from an input of one.

import { TraceView } from "../../rnnviz/ui/components/explorer/trace.js";

// A header and its arrays as one message, which begins at an odd byte of its buffer as a browser's messages may.
export function packed(header, arrays) {
  let offset = 0;
  const places = {};
  for (const [name, { shape, data }] of Object.entries(arrays)) {
    places[name] = { offset, shape };
    offset += data.length;
  }
  let text = JSON.stringify({ ...header, arrays: places });
  text += " ".repeat((8 - ((4 + new TextEncoder().encode(text).length) % 8)) % 8);
  const json = new TextEncoder().encode(text);
  const bytes = new Uint8Array(1 + 4 + json.length + 8 * offset).subarray(1);
  const view = new DataView(bytes.buffer, 1);
  view.setUint32(0, json.length, true);
  bytes.set(json, 4);
  const numbers = Object.values(arrays).flatMap(({ data }) => data);
  numbers.forEach((number, i) => view.setFloat64(4 + json.length + 8 * i, number, true));
  return bytes;
}

const variable = (array, more = {}) => ({
  array, symbol: array, sub: "", sup: "", caption: "", brief: "", family: "signed", scale: "", per_step: true, shift: 0, decimals: 2, edit: null, turned: null, ...more,
});

export const VARIABLES = {
  x: variable("x", { sub: "t", edit: "x" }),
  W_ih: variable("W_ih", { symbol: "W", sub: "ih", family: "weight", per_step: false, edit: "W_ih" }),
  W_hh: variable("W_hh", { symbol: "W", sub: "hh", family: "weight", per_step: false, edit: "W_hh" }),
  h_prev: variable("h", { sub: "t−1", edit: "h0" }),
  a: variable("a", { sub: "t" }),
  f: variable("f", { sub: "t", family: "gate" }),
  g: variable("g", { sub: "t" }),
  h: variable("h", { sub: "t", shift: 1, scale: "state" }),
};

export const ARRAYS = {
  x: { shape: [3, 1], data: [0.5, -1, 2] },
  W_ih: { shape: [2, 1], data: [0.1, -0.3] },
  W_hh: { shape: [2, 2], data: [0.7, -0.2, 0.4, 0.5] },
  a: { shape: [3, 2], data: [0.25, -0.125, 0.3, 1e-14, -0.1, 0.6] },
  f: { shape: [3, 2], data: [0.5, 0.25, 1, 0, 0.75, 0.5] },
  g: { shape: [3, 2], data: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] },
  h: { shape: [4, 2], data: [0.1, 0.2, 0.15, 0.2, 0.15, 0.4, 0.1625, 0.5] },
};

export const FORMULAS = {
  a: { terms: [{ dot: ["W_ih", "x"] }, { dot: ["W_hh", "h_prev"] }] },
  g: { fn: "tanh", terms: [{ ref: "a" }] },
  h: { terms: [{ product: ["f", "h_prev"] }, { product: [{ one_minus: "f" }, "g"] }], depth: 1 },
};

export const HEADER = {
  kind: "example", steps: 3, variables: VARIABLES, formulas: FORMULAS, scene: {}, edges: [], loops: [["h", "h_prev"]], timeline: ["x", "h"],
  limits: { signed: 1, state: 2, weight: 0.9, gate: 1 }, graph: [], characters: [], fact: "", remark: "", alert: "",
  notices: [], edited: [["W_hh", [0, 1], -0.2]], typed: [0.9], session: "s", epoch: 1, acknowledged: 0, t: 1, undoable: 0,
  words: { largest: "largest product", clamped: "clamped", goes_into: "goes into", shared: "shared by {steps} steps, here {t}", before_edit: "before: {value}", step: "Step {t} of {steps}" },
};

// The example, with parts of its header or its arrays replaced.
export const example = (header = {}, arrays = {}) => new TraceView(packed({ ...HEADER, ...header }, { ...ARRAYS, ...arrays }));
