// A message from Python: a header, and float64 arrays behind it.

export function unpack(bytes) {
  const message = bytes.slice(); // the bytes arrive unaligned; a copy starts at 0
  const length = new DataView(message.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(message.subarray(4, 4 + length)));
  const arrays = {};
  for (const [name, { offset, shape }] of Object.entries(header.arrays)) {
    const count = shape.reduce((product, size) => product * size, 1);
    arrays[name] = { shape, data: new Float64Array(message.buffer, 4 + length + 8 * offset, count) };
  }
  return { header, arrays };
}
