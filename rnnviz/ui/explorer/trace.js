// What the explorer is told: the drawing order, and the numbers of every step.

class TraceView {
  constructor(bytes) {
    Object.assign(this, unpack(bytes));
    this.steps = this.header.steps;
    // Where a walk begins, where it ends, and its stride: a backward pass goes from step T to step 1.
    [this.first, this.last, this.stride] = this.header.scene.back ? [this.steps, 1, -1] : [1, this.steps, 1];
    // The initial states by their names in the address, "h0": where they enter, and the state that follows them.
    this.starts = new Map(this.header.loops.map(([next, entry]) => [this.variable(entry).edit, { entry, next }]));
    this.edited = new Map(this.header.edited.map(([name, index, base]) => [entryKey(name, index), base]));
    this.typed = new Map(this.header.edited.map(([name, index], i) => [entryKey(name, index), this.header.typed[i]]));
  }

  variable(name) {
    return this.header.variables[name];
  }

  // The drawn variable behind a name: an initial state is what enters step 1.
  drawn(name) {
    return this.starts.get(name)?.entry ?? name;
  }

  // Rows and columns of a drawn variable; a vector is one column.
  shape(name) {
    const { array, per_step: perStep } = this.variable(name);
    const shape = this.arrays[array].shape.slice(perStep ? 1 : 0);
    return [shape[0], shape[1] ?? 1];
  }

  isMatrix(name) {
    const { array, per_step: perStep } = this.variable(name);
    return this.arrays[array].shape.length - (perStep ? 1 : 0) === 2;
  }

  // The number at an index, at step t (1..T).
  value(name, index, t) {
    const { array, per_step: perStep, shift } = this.variable(name);
    const { shape, data } = this.arrays[array];
    const place = perStep ? [t - 1 + shift, ...index] : index;
    let flat = 0;
    for (let axis = 0; axis < shape.length; axis++) flat = flat * shape[axis] + place[axis];
    return data[flat];
  }

  // Whether a gate is held at its value at a step.
  isHeld(name, index, t) {
    const held = this.header.scene.held?.[name];
    if (!held) return false;
    const { shape, data } = this.arrays[held];
    return data[(t - 1) * shape[1] + index[0]] > 0;
  }

  // The entry that an edit of this cell sets, or null where the number is a result.
  entry(name, index, t) {
    const { edit } = this.variable(name);
    if (!edit) return null;
    if (this.starts.has(edit)) return t === 1 ? [edit, index] : null;
    const { turned } = this.variable(name);
    if (turned !== null) return [edit, [turned + index[1], index[0]]]; // some rows of the array, transposed
    return /(^|\.)x$/.test(edit) ? [edit, [t - 1, ...index]] : [edit, index];
  }
}

const entryKey = (name, index) => `${name}.${index.join(".")}`;

// Every index of a shape, row by row, as the hooks write it: "2" for a vector, "2,0" for a matrix.
function* indices(view, name) {
  const [rows, columns] = view.shape(name);
  const isMatrix = view.isMatrix(name);
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) yield isMatrix ? [i, j] : [i];
}
