// A message from Python: a header, and float64 arrays behind it.

/** @import { Numbers } from "./types" */

/** @template Header @param {Uint8Array} bytes @returns {{ header: Header, arrays: Record<string, Numbers> }} */
export function unpack(bytes) {
  const message = bytes.slice(); // the bytes arrive unaligned; a copy starts at 0
  const length = new DataView(message.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(message.subarray(4, 4 + length)));
  /** @type {Record<string, Numbers>} */
  const arrays = {};
  /** @type {[string, { offset: number, shape: number[] }][]} */
  const places = Object.entries(header.arrays);
  for (const [name, { offset, shape }] of places) {
    const count = shape.reduce((product, size) => product * size, 1);
    arrays[name] = { shape, data: new Float64Array(message.buffer, 4 + length + 8 * offset, count) };
  }
  return { header, arrays };
}
