// Keys that mean the same everywhere on a page.

export const isUndo = (event) => event.key === "z" && (event.ctrlKey || event.metaKey) && !event.altKey;

// A field of text, which has an undo of its own.
export const isTyped = (node) => node.matches?.("textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio])");
