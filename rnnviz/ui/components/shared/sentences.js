// Sentences from Python, with their slots filled.

// A text with its slots filled; {count:,} has commas between thousands, and {count:one|other} is the one word or the
// other, whichever the number asks for.
/** @param {string} text @param {Record<string, string | number>} slots */
export function fill(text, slots) {
  return text.replace(/{(\w+)(?::(?:(,)|([^|}]*)\|([^}]*)))?}/g, (_, name, commas, one, other) => {
    const value = String(slots[name]);
    if (one !== undefined) return value === "1" ? one : other;
    return commas ? value.replace(/\B(?=(\d{3})+$)/g, ",") : value;
  });
}

// A sentence whose g′(a) and ∂L/∂h stay on one line: a browser may break them before the bracket, as
// rnnviz.texts.unbroken says, and behind the slash.
/** @param {string} text */
export const unbroken = (text) => text.replaceAll("′(", "′\u2060(").replaceAll("/∂", "/\u2060∂");

/** @param {string} text */
export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
