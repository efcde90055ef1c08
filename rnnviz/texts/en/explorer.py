"""Words of the cell explorer."""

TEXTS: dict[str, str] = {
    "notice.moves": "Of all units, unit {unit} changes most: from {before} to {after}. Its sum a is {sum}: {from_x} "
    "from the input and {from_h} from the previous hidden state, biases included. The derivative g′(a) is {slope}.",
    "notice.moves_above": "Of all units, unit {unit} changes most: from {before} to {after}. Its sum a is {sum}: "
    "{from_x} from the layer below and {from_h} from the previous hidden state, biases included. The derivative g′(a) "
    "is {slope}.",
    "notice.moves.only": "h goes from {before} to {after}. The sum a is {sum}: {from_x} from the input and {from_h} "
    "from the previous hidden state, biases included. The derivative g′(a) is {slope}.",
    "notice.moves_above.only": "h goes from {before} to {after}. The sum a is {sum}: {from_x} from the layer below and "
    "{from_h} from the previous hidden state, biases included. The derivative g′(a) is {slope}.",
    "notice.memory": "Of all units, unit {unit} changes most: its {symbol} goes from {before} to {after}. The step "
    "keeps {share} of it, which is {kept}, and adds {new}.",
    "notice.memory.only": "{symbol} goes from {before} to {after}. The step keeps {share} of it, which is {kept}, and "
    "adds {new}.",
    "notice.memory.from_zero": "Of all units, unit {unit} changes most: its {symbol} goes from 0 to {after}. The step "
    "adds all of it.",
    "notice.memory.from_zero.only": "{symbol} goes from 0 to {after}. The step adds all of it.",
    "notice.memory.still": "{symbol} does not change in any unit.",
    "notice.moved": "Unit {unit} changes most of all units: from {before} to {after}.",
    "notice.memory.balance": "{symbol} does not change in any unit: the step adds as much as it forgets.",
    "notice.still": "No unit changes.",
    "notation.row": "Vectors are rows here: {x}_t (1 × {D}) × W_xh ({D} × {H}) + {h}_t−1 (1 × {H}) × W_hh ({H} × "
    "{H}). W_xh and W_hh are PyTorch's W_ih and W_hh transposed. Most texts write b_xh + b_hh as one b_h.",
    "notation.row.batch": "A minibatch has one row for each sequence: {x}_t is {sequences} × {D} and {h}_t is "
    "{sequences} × {H}. The picture shows one of them.",
    "notation.joined": "One product instead of two: [{x}_t, {h}_t−1] (1 × {both}) times the stacked matrix "
    "[W_xh; W_hh] ({both} × {H}).",
    "notation.joined.off": "It equals the two separate products up to rounding. The largest difference in this run "
    "is {error}.",
    "notation.joined.exact": "In this run it equals the two separate products bit for bit. In general it does so "
    "only up to rounding.",
    "notation.gates": "One product gives all {gates} blocks of rows: the joined matrix [W_hh, W_ih] ({rows} × {both}) "
    "times [h; x]. Both biases are added. Most texts write their sum as one b.",
    "notation.gates.before": "One product gives r and z: the joined matrix [W_hh, W_ih] ({rows} × {both}, the rows of "
    "n included) times [h; x]. For n, the vector is [r ⊙ h; x]. Both biases are added. Most texts write their sum "
    "as one b.",
    "notation.gates.after": "This GRU resets after the product: r ⊙ (W_hn h + b_hn). So n is not a single product. Let "
    "the reset gate act before the product to see the joined form.",
    "notation.letters": "The same numbers in other letters: V is W_ih, U is W_hh, W is W_ho. The bias b₁ of the state "
    "is b₁,V + b₁,U.",
    "caption.x": "input",
    "caption.h_prev": "previous hidden state",
    "caption.c_prev": "previous cell state",
    "caption.from_x": "from input",
    "caption.from_h": "from state",
    "caption.h_prev.brief": "previous state",
    "caption.from_x.brief": "from {symbol}",
    "caption.from_h.brief": "from h",
    "caption.h.brief": "hidden state",
    "caption.c.brief": "cell state",
    "caption.a": "sum",
    "caption.h": "new hidden state",
    "caption.c": "new cell state",
    "caption.from_below": "from below",
    "caption.from_layer": "from layer {layer}",
    "caption.to_layer": "to layer {layer}",
    "caption.to_output": "to the output",
    "caption.r_h": "reset state",
    "caption.y": "output",
    "caption.y_preact": "sum for y",
    "gate.caption.f": "forget gate",
    "gate.caption.i": "input gate",
    "gate.caption.g": "candidate",
    "gate.caption.o": "output gate",
    "gate.caption.r": "reset gate",
    "gate.caption.z": "update gate",
    "gate.caption.n": "candidate",
    "gate.f": "forget gate f",
    "gate.i": "input gate i",
    "gate.g": "candidate g",
    "gate.o": "output gate o",
    "gate.r": "reset gate r",
    "gate.z": "update gate z",
    "gate.n": "candidate n",
    "gate.lstm.f": "keep",
    "gate.lstm.i": "write",
    "gate.lstm.g": "what to write",
    "gate.lstm.o": "show",
    "gate.gru.r": "read the state",
    "gate.gru.z": "keep or write",
    "gate.gru.n": "what to write",
    "explorer.explorer": "Cell explorer: every number of one step of the network",
    "explorer.step": "Step t = {t} of {steps}",
    "explorer.hint": "Point at a number for its arithmetic. Click to pin or edit. ← → to step, space to play.",
    "explorer.more": "Swipe sideways to see the rest →",
    "explorer.first": "First",
    "explorer.first_title": "First step",
    "explorer.previous": "Previous",
    "explorer.previous_title": "Previous step",
    "explorer.play": "Play",
    "explorer.next": "Next",
    "explorer.next_title": "Next step",
    "explorer.last": "Last",
    "explorer.last_title": "Last step",
    "explorer.speed": "Speed",
    "explorer.undo": "Undo",
    "explorer.reset": "Reset {count:,} {count:edit|edits}",
    "explorer.reset_title": "Undo all edits",
    "explorer.png": "PNG",
    "explorer.png_title": "Download this step as a PNG picture",
    "explorer.svg": "SVG",
    "explorer.svg_title": "Download this step as an SVG drawing",
    "explorer.waiting": "Waiting for the server. Your edits are kept.",
    "explorer.keys": "Keys",
    "explorer.key_list": "← → Home End: change the step | Space: play or pause | Tab: next block | Alt + arrows: next "
    "cell in a block | Enter: edit a number or pin a result | Ctrl + Z: undo | Escape: close the field, unpin, hide "
    "the values from before the edit",
    "explorer.graph": "The network as a graph, also unrolled over time",
    "explorer.graph_network": "The units at this step and their connections",
    "explorer.graph_unrolled": "The network unrolled over time: a directed acyclic graph with the same weights at "
    "each step",
    "explorer.graph_note": "Unrolled over time, the loop becomes a directed acyclic graph. The small pictures on the "
    "arrows are the weight matrices, the same at each step. A thick line carries a state to the next step without any "
    "weights. Click a step to show it above.",
    "explorer.graph_waiting": "The graph is loading…",
    "explorer.graph_shared": "{name}: the same {count:,} {count:number|numbers} at each of the {steps:,} "
    "{steps:step|steps}.",
    "explorer.graph_zero": "All {count:,} {count:number|numbers} of {name} are 0. Nothing passes here.",
    "explorer.graph_input": "input",
    "explorer.graph_context": "context: previous h",
    "explorer.graph_hidden": "hidden",
    "explorer.graph_output": "output",
    "explorer.numbers": "All numbers of this step as a table",
    "explorer.loop": "to step t + 1, with the same weights",
    "explorer.loop_c": "to step t + 1",
    "explorer.start": "start",
    "explorer.step_word": "step",
    "explorer.over_time": "over time",
    "explorer.unit": "unit",
    "explorer.slope": "g′(a)",
    "explorer.largest": "largest product",
    "explorer.edited": "edited",
    "explorer.editable": "editable",
    "explorer.before": "before the edit",
    "explorer.before_edit": "before the edit: {value}",
    "explorer.shared": "All {steps:,} steps use this number. At step {t}:",
    "explorer.stands_for": "(1 stands for “{character}”)",
    "explorer.goes_into": "goes into",
    "explorer.type_number": "type a number",
    "explorer.not_a_number": "“{given}” is not a number. Type a number like -0.3 or 1e-4.",
    "explorer.wrong_shape": "The pasted table is {given}, but {name} is {needed} here. Paste a table of that shape; "
    "you may have to transpose it or change the notation.",
    "explorer.wrong_count": "The text has {given:,} {given:number|numbers}, but {name} needs {needed:,}. Paste "
    "{needed:,} {needed:number|numbers}.",
    "explorer.wrong_words": "“{given}” is not a number. {name} needs {needed:,} {needed:number|numbers} and nothing "
    "else.",
    "explorer.too_large": "{given} overflows float64 (about 1.8e308). Use a smaller number.",
    "explorer.field_hint": "Enter sets the number, Escape cancels. Paste a table to fill the whole block. You can "
    "also drag a number.",
    "explorer.zero_block": "Zero {name}",
    "explorer.reset_block": "Reset {name}",
    "explorer.legend_signed": "inputs, sums",
    "explorer.legend_state": "hidden state h",
    "explorer.legend_cell": "cell state c",
    "explorer.legend_weight": "weights",
    "explorer.legend_gate": "gates",
    "explorer.clamped": "clamped to this value; the network would compute",
    "explorer.clamped_short": "clamped",
    "explorer.sum": "sum a",
}
