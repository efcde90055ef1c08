// Keys that mean the same everywhere on a page.

/** @param {KeyboardEvent} event */
export const isUndo = (event) => event.key === "z" && (event.ctrlKey || event.metaKey) && !event.altKey;

// A field of text, which has an undo of its own.
/** @param {EventTarget} node */
export const isTyped = (node) => node instanceof Element && node.matches("textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio])");
