// What stands around the pictures: the legend of the colours, and the same numbers as a table.

function legendHtml(view, theme) {
  const { words, limits } = view.header;
  const items = Object.entries(limits).map(([family, limit]) => {
    const isGate = family === "gate"; // from shut to open
    const colours = (isGate ? [0, 0.25, 0.5, 0.75, 1] : [-1, -0.5, 0, 0.5, 1]).map((share) => cssColour(colourOf(share * limit, family, limit, theme)));
    const end = writeNumber(limit, limit < 1 ? 2 : 0);
    const [low, high] = isGate ? ["0", "1"] : [`≤ −${end}`, `≥ ${end}`];
    return `<span class="legend-item">${words[`legend_${family}`]} <span>${low}</span><i style="background:linear-gradient(90deg,${colours})"></i><span>${high}</span></span>`;
  });
  return items.join("");
}

// Every number of a step, a row for each unit of each variable.
function twinHtml(view, t) {
  const rows = Object.keys(view.header.variables).flatMap((name) => {
    const units = new Map();
    for (const index of indices(view, name)) {
      units.set(index[0], [...(units.get(index[0]) ?? []), writeNumber(view.value(name, index, t), 4)]);
    }
    return [...units].map(([unit, numbers]) => `<tr><th scope="row">${symbolHtml(view, name, [unit])}</th><td>${numbers.join(" &nbsp; ")}</td></tr>`);
  });
  return `<table><caption>${stepText(view, t)}</caption><tbody>${rows.join("")}</tbody></table>`;
}

const stepText = (view, t) => view.header.words.step.replace("{t}", t).replace("{steps}", view.steps);
