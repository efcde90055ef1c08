"""Words of the Gradient flow page: how far, and why."""

TEXTS: dict[str, str] = {
    "control.cell": "Cell",
    "control.together": "Cells shown",
    "control.input_scale": "Input scale",
    "control.block": "Gradient block (h, c or whole state)",
    "control.threshold": "Exponent n of the threshold 10⁻ⁿ",
    "control.from_step": "From step k",
    "control.to_step": "To step t",
    "control.opened": "Step shown in detail",
    "control.flow.more": "Seed, input, threshold",
    "choice.block.h": "h alone, c fixed",
    "choice.block.c": "c alone, h fixed",
    "choice.block.state": "whole state [h; c]",
    "choice.together.all": "all three cells",
    "choice.together.one": "one cell",
    "choice.preset.pytorch": "PyTorch",
    "choice.preset.vanishes": "Small weights",
    "choice.preset.saturates": "Saturated",
    "choice.preset.explodes": "Exploding",
    "choice.preset.edge_of_chaos": "Edge of chaos",
    "choice.preset.identity_rnn": "IRNN",
    "choice.preset.lstm_pytorch": "LSTM",
    "choice.preset.forget_1": "Forget + 1",
    "choice.preset.forget_5": "Forget + 5",
    "choice.preset.chrono": "Chrono",
    "flows.cell.elman": "Elman",
    "flows.cell.lstm": "LSTM",
    "flows.cell.gru": "GRU",
    "flows.name.elman": "Elman ({activation})",
    "flows.name.irnn": "IRNN",
    "flows.name.lstm.h": "LSTM (h alone)",
    "flows.name.lstm.c": "LSTM (c alone)",
    "flows.name.lstm.state": "LSTM",
    "flows.name.gru": "GRU",
    "flows.bound": "bound {bound}ⁿ",
    "flows.radius": "radius {radius}ⁿ",
    "flows.fit": "fit",
    "flows.threshold": "threshold {share}",
    "flows.map": "{name}: the gradient norm for all pairs of steps from {first} to {last}, as the root mean square "
    "over all directions (Frobenius norm divided by the square root of the block's size).",
    "flows.map.left_out": "The map leaves out the steps before {first}.",
    "flows.note.norm": "{name}: norm of the last state's gradient with respect to the state at step k. It is the "
    "spectral norm: the factor of the direction that shrinks least or grows most.",
    "flows.note.bound": "Upper bound: the product of the largest singular value of W_hh, {sigma}, and the largest "
    "derivative of the activation, {slope}, raised to the number of steps back. No gradient norm lies above it.",
    "flows.note.radius": "The spectral radius of W_hh, {radius}, raised to the number of steps back. It is no bound: "
    "the norm can lie above or below it.",
    "flows.note.story": "A network with a single weight: {base} raised to the number of steps back.",
    "flows.note.fit": "Least-squares line through log10 of the norm, from {first:,} to {last:,} steps back. The norm "
    "stays within a factor of {off} of it.",
    "help.input_scale": "Multiplies the generated sequence, or the preset's. Larger inputs can saturate more units.",
    "help.block": "Only the whole state allows a fair comparison between cells. “h alone” keeps c at step k fixed; “c "
    "alone” keeps h at step k fixed.",
    "help.threshold": "A gradient counts as vanished when its norm is below 10⁻ⁿ, and as exploded when it is above "
    "10ⁿ.",
    "flow.axis": "steps back from T = {steps} (step k = T − steps back)",
    "flow.norm": "gradient norm ‖∂s_T/∂s_k‖",
    "flow.from": "from step k",
    "flow.to": "to step t",
    "flow.at": "Step {k} (T − {lag}):",
    "flow.cell": "From step {k} (t − {lag}) to step {t}: {value} (root mean square over all directions). Enter or a "
    "click shows these steps below.",
    "flow.zero": "{name}: then exactly 0",
    "flow.none": "–",
    "flow.keep": "Keep these curves",
    "flow.let_go": "Remove the kept curves",
    "flow.keep_note": "They stay behind the new ones while you change something.",
    "flow.numbers": "As numbers",
    "flow.step": "step k",
    "flow.show": "Show {name}",
    "flow.undo": "Undo",
    "flow.save": "Download the picture as {kind}",
    "flow.map_title": "all pairs, root mean square",
    "flow.map_zero": "exactly 0",
    "flow.map_note": "The map shows the root mean square over all directions, the curves the largest. Its colours "
    "always range from 1e−300 to 1e300.",
    "reach.gradient.h": "The gradient is ∂s_T/∂s_k: how the last state changes with the state at step k. Here s is the "
    "hidden state h. At k = T the norm is 1.",
    "reach.gradient.state": "The gradient is ∂s_T/∂s_k: how the last state changes with the state at step k. Here s is "
    "[h; c] in the LSTM and h in the other cells. At k = T the norm is 1.",
    "reach.gradient.state_only": "The gradient is ∂s_T/∂s_k: how the last state changes with the state at step k. Here "
    "s is [h; c], the whole state. At k = T the norm is 1.",
    "reach.gradient.c": "The gradient is ∂s_T/∂s_k: how the last state changes with the state at step k. Here s is c "
    "in the LSTM and h in the other cells. At k = T the norm is 1.",
    "reach.gradient.c_only": "The gradient is ∂s_T/∂s_k: how the last state changes with the state at step k. Here s "
    "is the cell state c. At k = T the norm is 1.",
    "reach.vanishing": "{name}: the gradient vanishes. {left} of it reaches step 0, {steps:,} {steps:step|steps} back.",
    "reach.fading": "{name}: the gradient fades but does not vanish. {left} of it reaches step 0, {steps:,} "
    "{steps:step|steps} back.",
    "reach.stable": "{name}: the gradient survives. Its norm stays between {low} and {high}; at step 0, {steps:,} "
    "{steps:step|steps} back, it is {left}.",
    "reach.constant": "{name}: the gradient survives. Its norm is {left} at every step, down to step 0, {steps:,} "
    "{steps:step|steps} back.",
    "reach.swinging": "{name}: the gradient swings. Its norm moves between {low} and {high}; at step 0, {steps:,} "
    "{steps:step|steps} back, it is {left}.",
    "reach.growing": "{name}: the gradient grows but does not explode. At step 0, {steps:,} {steps:step|steps} back, "
    "its norm is {left}.",
    "reach.exploding": "{name}: the gradient explodes. At step 0, {steps:,} {steps:step|steps} back, its norm is "
    "{left}.",
    "reach.zero": "{name}: the gradient is exactly 0 at step {zero}, {back:,} {back:step|steps} back, and at every "
    "earlier step.",
    "reach.zero_first": "{name}: the gradient is exactly 0 at step 0, {back:,} {back:step|steps} back.",
    "reach.first_grows": "On the way back the norm first grows to {peak}, at step {step}, {back:,} {back:step|steps} "
    "back.",
    "reach.first_shrinks": "On the way back the norm first shrinks to {low}, at step {step}, {back:,} "
    "{back:step|steps} back.",
    "reach.horizon": "Step {k}, {back:,} {back:step|steps} back, is the earliest with a norm of at least {share}, the "
    "threshold.",
    "reach.horizon_none": "No step before the last has a norm of at least {share}, the threshold.",
    "reach.pace.halves": "From {first:,} to {last:,} steps back the norm halves every {steps:step|{steps} steps}.",
    "reach.pace.doubles": "From {first:,} to {last:,} steps back the norm doubles every {steps:step|{steps} steps}.",
    "reach.pace.divides": "From {first:,} to {last:,} steps back each step divides the norm by {factor} on average.",
    "reach.pace.multiplies": "From {first:,} to {last:,} steps back each step multiplies the norm by {factor} on "
    "average.",
    "reach.pace.keeps": "From {first:,} to {last:,} steps back the norm changes by less than a factor of 2.",
    "reach.pace.none": "The rate is not constant: over {steps:,} steps back the norm changes by a factor of {factor}.",
    "reach.pace.drop": "One step loses most: step {step}, {back:,} {back:step|steps} back, multiplies the norm by "
    "{factor}.",
    "reach.beside": "The norms of the other cells at step 0: {cells}.",
    "reach.beside.random": "The other cells have random weights, so they are no fair comparison here. Their norms at "
    "step 0: {cells}.",
    "reach.beside.one": "{name} {left}",
    "reach.blocks.state": "The blocks differ: at step 0 the norm is {h} for h alone and {c} for c alone.",
    "reach.blocks.h": "The other blocks differ: at step 0 the norm is {state} for the whole state and {c} for c alone.",
    "reach.blocks.c": "The other blocks differ: at step 0 the norm is {state} for the whole state and {h} for h alone.",
    "reach.layer": "This is the gradient within layer {layer}. Paths through other layers are left out.",
    "reach.clamped": "Clamped gates count as constants: no gradient flows through their pre-activations.",
    "reach.early": "{name} overflows float64 after step {steps}. Its curve ends there.",
    "reach.edited": "{count} {count:number is|numbers are} edited by hand.",
    "reach.long": "Gradients of {units} hidden units over so many steps take seconds to minutes.",
    "cause.title": "Why? Weights, derivatives or gates",
    "cause.elman.weights": "The weights cause it: alone they would leave {weights}. The activation's derivatives g′(a) "
    "alone would leave {slopes}.",
    "cause.elman.slopes": "The activation's derivatives g′(a) cause it: alone they would leave {slopes}. The weights "
    "alone would {grown:raise the norm to|leave} {weights}.",
    "cause.elman.both": "Weights and derivatives cause it together: the weights alone would leave {weights}, and the "
    "activation's derivatives g′(a) alone would leave {slopes}.",
    "cause.elman.stretch": "The weights cause it: alone they would raise the norm to {weights}. The activation's "
    "derivatives g′(a) alone would leave {slopes}.",
    "cause.elman.interplay": "Neither explains it alone: the weights would {grown:raise the norm to|leave} {weights}, "
    "and the activation's derivatives g′(a) would leave {slopes}. Derivatives that differ between units effectively "
    "change W_hh.",
    "cause.elman.balance": "Weights and derivatives nearly balance: the weights alone would raise the norm to "
    "{weights}, and the activation's derivatives g′(a) alone would leave {slopes}.",
    "cause.elman.still": "The weights alone would {grown:raise the norm to|leave} {weights}, and the activation's "
    "derivatives g′(a) alone would leave {slopes}.",
    "cause.singular.weights": "The weights cause it: alone they would {grown:raise the norm to|leave} {weights}.",
    "cause.singular.slopes": "The activation's derivatives g′(a) cause it: the weights alone would {grown:raise the "
    "norm to|leave} {weights}.",
    "cause.singular.both": "Weights and derivatives cause it together: the weights alone would leave {weights}.",
    "cause.singular.interplay": "The weights do not explain it: alone they would {grown:raise the norm to|leave} "
    "{weights}. Activation derivatives g′(a) that differ between units effectively change W_hh.",
    "cause.singular.still": "The weights alone would {grown:raise the norm to|leave} {weights}.",
    "cause.saturated.tanh": "Of all units and steps, {share} are saturated: their g′(a) is below 0.1.",
    "cause.saturated.none": "No unit is saturated: every g′(a) is at least {least}.",
    "cause.saturated.few": "Of all units and steps, only {share} are saturated: their g′(a) is below 0.1. But g′(a) is "
    "{mean} on average.",
    "cause.saturated.sigmoid": "The derivative of a sigmoid is at most 0.25, with or without saturation.",
    "cause.saturated.relu": "Of all units and steps, {share} are inactive: their derivative is 0.",
    "cause.saturated.relu_none": "No unit is ever inactive: every derivative is 1.",
    "cause.share": "Counted in powers of ten, the weights account for {weights} of the decay and the derivatives for "
    "{slopes}.",
    "cause.share.weights": "Counted in powers of ten, the weights account for nearly all of the decay.",
    "cause.split": "Averaged over all directions (geometric mean), a step multiplies the gradient by {step}: {weights} "
    "from the weights times {slopes} from the derivatives.",
    "cause.split.keeps": "A step keeps the gradient's norm: neither the weights nor the derivatives change it.",
    "cause.split.only": "On average (geometric mean), a step multiplies the gradient by {step}: {weights} from the "
    "weights times {slopes} from the derivatives.",
    "cause.split.singular": "W_hh is singular, so it has no unique nearest orthogonal matrix, and the effect of the "
    "derivatives alone is not defined. The geometric mean over all directions is 0.",
    "cause.split.dead": "Some derivative is exactly 0: at least one direction is lost, so the geometric mean over all "
    "directions is 0.",
    "cause.split.norm": "The norm follows the direction that shrinks least or grows most: {norm} a step on average.",
    "cause.split.alike": "All directions change by the same factor, and so does the norm.",
    "cause.gates.shut": "The {gates} cause it: {gate} is {mean} on average (from {least} to {most}), and alone they "
    "would leave {kept}.",
    "cause.gates.shut_rest": "The {gates} cause it: {gate} is {mean} on average (from {least} to {most}), and alone "
    "they would leave {kept}. The rest arrives through {others}.",
    "cause.gates.lost": "The {gates} alone would leave {kept}, more than arrives: {gate} is {mean} on average. Other "
    "paths cancel part of it.",
    "cause.gates.lost_h": "The {gates} alone would leave {kept}, more than arrives: {gate} is {mean} on average. With "
    "c fixed, a change of h must first enter c.",
    "cause.gates.open": "The {gates} carry it: {gate} is {mean} on average (from {least} to {most}), and alone they "
    "would leave {kept}.",
    "cause.gates.open_grows": "The {gates} carry it: {gate} is {mean} on average, and alone they would leave {kept}. "
    "The gradient grows through {others}.",
    "cause.gates.others": "The gradient arrives through {others}: {gate} is {mean} on average, and the {gates} alone "
    "would leave {kept}.",
    "cause.gates.around": "The gradient grows through {others}: {gate} is {mean} on average, and the {gates} alone "
    "would leave {kept}.",
    "cause.gates.beside": "The {gates} alone would leave {kept}: {gate} is {mean} on average.",
    "cause.gates.fold": "The direct path, the product of {gate} alone, leaves {kept}. All other paths go through "
    "{others}.",
    "cause.gates.name.lstm": "forget gates",
    "cause.gates.name.gru": "update gates",
    "cause.gates.others.lstm": "h and the gates",
    "cause.gates.others.gru": "the candidate n and the gates",
    "cause.weights_alone": "weights alone",
    "cause.slopes_alone": "derivatives alone",
    "cause.note.weights": "Every derivative g′(a) set to 1: the norm of W_hhⁿ after n steps back.",
    "cause.note.slopes": "W_hh replaced by the nearest orthogonal matrix, which keeps every norm.",
    "cause.chart": "Gradient norm against the number of steps back, with the weights alone and with the derivatives "
    "alone.",
    "cause.chart.gates": "Gradient norms of the blocks against the number of steps back, and of {gate} alone.",
    "cause.block.h": "h to h",
    "cause.block.c": "c to c",
    "cause.block.state": "whole state",
    "cause.note.h": "Gradient of h at the last step with respect to h at step k; c at step k is fixed.",
    "cause.note.c": "Gradient of the cell state c at the last step with respect to c at step k; h at step k is fixed.",
    "cause.note.state": "Gradient of the whole state [h; c] at the last step with respect to [h; c] at step k.",
    "cause.note.h_gru": "Gradient of h at the last step with respect to h at step k.",
    "cause.keep": "{gate} alone",
    "cause.keep.note": "The direct path: the product of {gate} over the steps, in the unit that keeps most.",
    "note.edits_gone": "{count} edited {count:number belongs|numbers belong} to the other kind of cell and {count:was|"
    "were} dropped. The browser's Back button brings {count:it|them} back.",
}
