// Sentences from Python, with their slots filled.

// A text with its slots filled; {count:one|other} is the one word or the other, whichever the number asks for.
/** @param {string} text @param {Record<string, string | number>} slots */
export function fill(text, slots) {
  return text.replace(/{(\w+)(?::([^|}]*)\|([^}]*))?}/g, (_, name, one, other) => {
    if (one === undefined) return String(slots[name]);
    return String(slots[name]) === "1" ? one : other;
  });
}

// A sentence whose g′(a) and ∂L/∂h stay on one line: a browser may break them before the bracket, as
// rnnviz.texts.unbroken says, and behind the slash.
/** @param {string} text */
export const unbroken = (text) => text.replaceAll("′(", "′\u2060(").replaceAll("/∂", "/\u2060∂");

/** @param {string} text */
export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
