// How variables and their indices are written.


// x_t[2] with its subscript, units counted from 1; results without a letter go by their caption. With a step, the
// subscript is that step's number: h_4[2].
export function symbolHtml(view, name, index, step = null) {
  const { symbol, sub, sup, caption } = view.variable(name);
  const place = index ? `[${onScreen(view, index).join(",")}]` : "";
  const time = step === null ? sub : { t: step, "t−1": step - 1, "(t)": `(${step})`, "(t−1)": `(${step - 1})` }[sub] ?? sub;
  const mark = sup ? `<sup>${sup}</sup>` : "";
  const below = sub.startsWith("(") ? time : `<sub>${time}</sub>`; // h(t), where the notation writes it so
  return symbol ? `${symbol}${mark}${below}${place}` : `${caption}${place && ` ${place}`}`;
}

// An index as it is counted on the screen: from 1, of a matrix that is written transposed column first.
export const onScreen = (view, index) => (view.header.scene.turned ? [...index].reverse() : index).map((i) => i + 1);

export function symbolText(view, name) {
  const { symbol, sub, sup, caption } = view.variable(name);
  return symbol ? [symbol + sup, sub].filter(Boolean).join("_") : caption;
}
