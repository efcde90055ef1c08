// Where a number is used over time: lines and frames on the strip.

// Where a line leaves one cell and meets another: at their facing edges, so that no number is struck out.
export function ends(from, to) {
  const [a, b] = [from.x + from.width / 2, to.x + to.width / 2];
  if (to.y > from.y) return [a, from.y + from.height, b, to.y];
  if (to.y < from.y) return [a, from.y, b, to.y + to.height];
  return [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
}
