"""Words of the BPTT and RTRL page: the loss, the backward pass and the contributions to a gradient."""

TEXTS: dict[str, str] = {
    "backward.from_future": "from step t + 1",
    "backward.from_future.brief": "from t + 1",
    "backward.symbol.from_future": "arrives",
    "backward.symbol.target": "target",
    "backward.symbol.error": "error",
    "backward.letters": "∂L/∂h is taken at one step: every path from that h to the loss counts, also through later "
    "steps. ∂Lₜ/∂h counts the loss of that step alone. dL/dW belongs to a weight that all steps share: it is the sum "
    "of the contributions of all steps.",
    "backward.through": "through {gate}",
    "backward.kept": "direct path",
    "backward.factor": "factor",
    "backward.mean": "Σ y ⊙ ∂Lₜ/∂y",
    "backward.difference": "difference",
    "backward.fact": "In absolute value, the largest entry of ∂L/∂h is {most}, at step {t}. At step 1 the largest is "
    "{first}.",
    "backward.fact.first": "In absolute value, the largest entry of ∂L/∂h is {most}, at step 1. At step {last} the "
    "largest is {begin}.",
    "backward.fact.gone": "In absolute value, the largest entry of ∂L/∂h is {most}, at step {t}. At step 1 all entries "
    "are 0, or below 5e−324.",
    "backward.fact.one": "There is one step. In absolute value, the largest entry of ∂L/∂h is {first}.",
    "backward.fact.none": "∂L/∂h is 0 at every step: the loss has no gradient here.",
    "backward.fact.even": "In absolute value, the largest entry of ∂L/∂h is {most} at every step.",
    "backward.begins": "The backward pass begins here. No later step sends a gradient, so ∂L/∂h = ∂Lₜ/∂h.",
    "backward.begins.zero": "The backward pass begins here, but the loss of this step has gradient 0: ∂L/∂h = 0.",
    "backward.begins.none": "The backward pass begins here. This step has no loss, so ∂L/∂h = 0.",
    "backward.loss_alone": "Nothing arrives from step {after}: ∂L/∂h = ∂Lₜ/∂h.",
    "backward.begins.no_target": "The backward pass begins here. This step has no target; the 0 is a placeholder. So "
    "it has no loss, and ∂L/∂h = 0.",
    "backward.silent.zero": "Nothing arrives from step {after}, and the loss of this step has gradient 0: ∂L/∂h = 0.",
    "backward.silent.none": "Nothing arrives from step {after}, and this step has no loss: ∂L/∂h = 0.",
    "backward.future_alone.zero": "The loss of this step has gradient 0. All of ∂L/∂h arrives from step {after}.",
    "backward.future_alone.none": "This step has no loss. All of ∂L/∂h arrives from step {after}.",
    "backward.share": "By absolute values, {future} of ∂L/∂h arrives from step {after}; the rest comes from the loss "
    "of this step.",
    "backward.open": "Every derivative g′(a) is 1, so δ = ∂L/∂h.",
    "backward.lossless": "Where g′(a) is below 1, ∂L/∂h is 0. So δ = ∂L/∂h.",
    "backward.shut": "The derivative g′(a) of unit {unit} is 0: its ∂L/∂h of {given} stops here.",
    "backward.narrow": "Unit {unit} loses most: its derivative g′(a) is {slope}, so its ∂L/∂h of {given} becomes a δ "
    "of {left}.",
    "backward.narrow.only": "The derivative g′(a) is {slope}, so the ∂L/∂h of {given} becomes a δ of {left}.",
    "backward.keeps.c": "Along the cell state c, {keep} of unit {unit}'s ∂L/∂c reaches step {before}.",
    "backward.keeps.c.start": "Along the cell state c, {keep} of unit {unit}'s ∂L/∂c reaches the initial state.",
    "backward.keeps.h": "Along the direct path, {keep} of unit {unit}'s ∂L/∂h reaches step {before}.",
    "backward.keeps.h.start": "Along the direct path, {keep} of unit {unit}'s ∂L/∂h reaches the initial state.",
    "pass.whole": "The picture shows the gradient without truncation.",
    "pass.explorer": "Backward pass: every number of one step, from the last step to the first",
    "pass.hint": "Point at a number to see its arithmetic. Click to pin or edit it. ← back in time, space plays.",
    "pass.first": "First step, where the backward pass ends",
    "pass.first_title": "First step, where the backward pass ends",
    "pass.previous": "One step back in time",
    "pass.previous_title": "One step back in time (←)",
    "pass.play": "Play back in time",
    "pass.next": "One step later",
    "pass.next_title": "One step later (→)",
    "pass.last": "Last step, where the backward pass begins",
    "pass.last_title": "Last step, where the backward pass begins",
    "pass.loop.step": "to step t − 1, through its Jacobian",
    "pass.loop": "to step t − 1, through the same W_hh",
    "pass.legend_signed": "gradients",
    "pass.legend_factor": "factors: g′(a), gates",
    "pass.legend_state": "states",
    "pass.legend_sum": "sums",
    "pass.legend_output": "outputs, targets",
    "pass.key_list": "← one step back in time, → one later, Home and End: step 1 and the last | Space: play or pause | "
    "Tab: next block | Alt + arrows: next cell in a block | Enter: edit a weight or pin a result | Ctrl + Z: undo | "
    "Escape: close the field, unpin, hide the values from before the edit",
    "control.objective.more": "Seed and readout",
    "control.weight": "Weight",
    "control.row": "Row",
    "control.column": "Column",
    "control.truncation": "Truncation: at most K steps",
    "control.scheme": "Truncation scheme",
    "control.loss": "Loss",
    "control.loss_at": "Loss taken at",
    "control.delay": "Target: delay of the input",
    "help.truncation": "Truncated backpropagation through time (BPTT): the loss of each step is backpropagated through "
    "at most K steps. At the right end nothing is truncated. At K = 1 the state is detached at every step.",
    "help.delay": "The target of a step is the input this many steps earlier. 0 means the input of the same step, −1 "
    "the next input.",
    "choice.weight.W_hh": "W_hh",
    "choice.weight.W_ih": "W_ih",
    "choice.weight.b_hh": "b_hh",
    "choice.weight.b_ih": "b_ih",
    "choice.weight.W_ho": "W_ho",
    "choice.weight.b_o": "b_o",
    "choice.weight.W_out": "W_out",
    "choice.weight.b_out": "b_out",
    "choice.scheme.sliding": "sliding window",
    "choice.scheme.chunk": "chunks (detach)",
    "choice.loss.squared": "squared error",
    "choice.loss.cross_entropy": "cross-entropy",
    "choice.loss_at.every": "loss at every step",
    "choice.loss_at.last": "loss at the last step",
    "choice.preset.lesson": "Worked example",
    "choice.preset.first_step": "Gradient at step 1",
    "choice.preset.first_step_lstm": "Gradient at step 1, LSTM",
    "loss.squared.every": "Loss L = Σ ‖{y}ₜ − targetₜ‖² over all {steps:,} {steps:step|steps} {sign} {value}, so "
    "∂L/∂{y}ₜ = 2 ({y}ₜ − targetₜ).",
    "loss.squared.but_last": "Loss L = Σ ‖{y}ₜ − targetₜ‖² over steps 1 to {t} {sign} {value}, so ∂L/∂{y}ₜ = 2 "
    "({y}ₜ − targetₜ).",
    "loss.squared.one": "Loss L = ‖{y}{at} − target{at}‖² {sign} {value}, at step {t} alone, so ∂L/∂{y}{at} = 2 "
    "({y}{at} − target{at}).",
    "loss.cross_entropy.every": "Loss L = −Σ log pₜ[class] over all {steps:,} {steps:step|steps} {sign} {value}, with "
    "pₜ = softmax(aₜ) and aₜ = {y}ₜ before its activation. So ∂L/∂aₜ = pₜ − targetₜ, where targetₜ is 1 at "
    "the class, else 0.",
    "loss.cross_entropy.but_last": "Loss L = −Σ log pₜ[class] over steps 1 to {t} {sign} {value}, with pₜ = "
    "softmax(aₜ) and aₜ = {y}ₜ before its activation. So ∂L/∂aₜ = pₜ − targetₜ, where targetₜ is 1 at the "
    "class, else 0.",
    "loss.cross_entropy.one": "Loss L = −log p{at}[class] {sign} {value}, at step {t} alone, with p = softmax(a) and "
    "a = {y} before its activation. So ∂L/∂a = p − target, where the target is 1 at the class, else 0.",
    "target.now": "The target of a step is its own input.",
    "target.before": "The target of a step is the input {delay:,} {delay:step|steps} earlier, or 0 where there is "
    "none.",
    "target.next": "The target of a step is the next input. Step {steps} has no next input, so it has no target and "
    "no loss.",
    "target.component": "Only the first component of the input is used.",
    "target.first": "Only the first {outputs} of the input's {inputs} components are used.",
    "target.repeated": "The input has {inputs} {inputs:component, which is|components, which are} repeated to fill "
    "{outputs} outputs.",
    "target.class": "The class is the index of the input's largest component, or of the first one if several are "
    "equal.",
    "target.few": "The text has {inputs} different characters: choose {inputs} outputs, one class for each.",
    "target.letters": "Input characters: {text}. Target characters: {letters}.",
    "target.letter": "The target character of step {t} is {letter}.",
    "objective.unedited": "Reset all edited numbers",
    "objective.ended": "The run ends early, so the loss covers fewer steps. {reason}",
    "objective.fact.graph": "Backpropagation through time (BPTT) unrolls the network into a directed acyclic graph: "
    "{steps:,} steps share one W_hh. So dL/dW_hh is the sum of {steps:,} contributions, one from each step.",
    "objective.fact.one_use": "Unrolled over time, the network is a single step here. So dL/dW_hh has one "
    "contribution.",
    "objective.fact.zero_start": "The initial state h₀ is 0, so the contribution of step 1 to dL/dW_hh is exactly 0.",
    "objective.fact.one_step": "The initial state h₀ is 0 and there is only one step, so dL/dW_hh is exactly 0.",
    "objective.fact.start": "The initial state h₀ is not 0, so step 1 contributes to dL/dW_hh too, with norm {norm}. "
    "With h₀ = 0 it would contribute exactly 0.",
    "objective.fact.start_lost": "The initial state h₀ is not 0, and yet the contribution of step 1 to dL/dW_hh is 0.",
    "objective.norm.shrinks": "The norm of dL/dW_hh, {norm}, does not tell how much gradient reaches step 1. The "
    "gradient of the loss at step {t} shrinks to {share} of its norm on its way back to step 1.",
    "objective.norm.grows": "The norm of dL/dW_hh, {norm}, does not tell how much gradient reaches step 1. The "
    "gradient of the loss at step {t} grows to {share} times its norm on its way back to step 1.",
    "objective.norm.same": "The norm of dL/dW_hh is {norm}. The gradient of the loss at step {t} keeps its norm on its "
    "way back to step 1.",
    "objective.norm.gone": "The norm of dL/dW_hh, {norm}, does not tell how much gradient reaches step 1. There, the "
    "gradient of the loss at step {t} is 0, or below 5e−324.",
    "objective.sequence": "This is the loss of sequence {number} of {count} alone.",
    "stack.top_layer": "This is the gradient in the top layer, layer {layers}.",
    "use.title": "Where does the gradient of a weight come from?",
    "use.entry": "dL/d{weight}[{place}]",
    "use.norm": "‖dL/d{weight}‖",
    "use.sum": "{name} {sign} {total}, the sum of {steps:,} contributions, one from each step. The largest in absolute "
    "value comes from step {step}: {most}.",
    "use.sum_of_one": "{name} {sign} {total}, the contribution of the only step.",
    "use.nothing": "{name} = 0: no step contributes anything.",
    "use.cancels": "{name} = 0, though single steps contribute: their contributions cancel. Choose a row and a column "
    "to see them.",
    "use.explain.whole": "Each bar is the contribution of one step, projected onto the direction of the whole "
    "gradient. So the bars sum to its norm. Choose a row and a column to see each contribution as a product.",
    "use.explain.step": "Each bar is what its step contributes to the gradient.",
    "use.explain.bias": "Each bar is {delta}[{row}] of its step.",
    "use.explain.before": "At step {step}: {one}[{row}] · {two}[{column}] {sign} {delta} · {other} {sign} {bar}, with "
    "h from step {before}.",
    "use.explain.now": "At step {step}: {one}[{row}] · {two}[{column}] {sign} {delta} · {other} {sign} {bar}.",
    "use.legend": "Outlined: without truncation. Filled: with truncation. A filled bar can be longer than its outline: "
    "truncation then removes a part of the opposite sign.",
    "use.rounding": "The contributions sum to {name}; the rounding error is {error}.",
    "use.cut_by.sliding": "Truncation at K = {most}: the loss of each step is backpropagated through {most:,} steps, "
    "its own included.",
    "use.cut_by.chunk": "Truncation at K = {most}: the state is detached after every {most:,} steps.",
    "use.cut_by.detach": "Truncation at K = {most}: the state is detached at every step, so each loss reaches its own "
    "step alone.",
    "use.cut": "**dL/d{weight}** turns by {angle}°, and its norm becomes {ratio} times the full norm. The norm of the "
    "discarded part is {thrown} of the full norm.",
    "use.cut.same": "**dL/d{weight}** does not change.",
    "use.cut.rounding": "**dL/d{weight}** changes by rounding alone: {thrown} of its norm.",
    "use.cut.none": "**dL/d{weight}** is 0. With truncation its norm is {left}.",
    "use.cut.gone": "**dL/d{weight}** becomes 0: all of it is discarded.",
    "use.cut.readout": "**dL/d{weight}** does not change: it needs no backpropagation through time.",
    "use.cut.all": "**W_ih, W_hh, b_ih and b_hh together:** the gradient turns by {angle}°, and its norm becomes "
    "{ratio} times the full norm. The norm of the discarded part is {thrown} of the full norm.",
    "use.cut.all.same": "**W_ih, W_hh, b_ih and b_hh together:** the gradient does not change.",
    "use.cut.all.rounding": "**W_ih, W_hh, b_ih and b_hh together:** the gradient changes by rounding alone, {thrown} "
    "of its norm.",
    "use.cut.all.none": "**W_ih, W_hh, b_ih and b_hh together:** the gradient is 0. With truncation its norm is "
    "{left}.",
    "use.cut.all.gone": "**W_ih, W_hh, b_ih and b_hh together:** the gradient becomes 0.",
    "use.cut.biased": "Truncated BPTT is biased: the truncated gradient is not the gradient of L.",
    "use.axis": "contribution to {name}",
    "use.axis.step": "step t",
    "use.axis.row": "row",
    "use.axis.column": "column",
    "use.bar": "step {step}: {whole}",
    "use.bar.cut": "step {step}: {cut} with truncation, {whole} without",
    "use.heat": "row {row}, column {column}: {value}",
    "use.heat.bias": "row {row}: {value}",
    "use.column.step": "step",
    "use.column.whole": "without truncation",
    "use.column.cut": "with truncation",
    "use.column.row": "row",
    "use.column.column": "column {column}",
    "use.column.value": "gradient",
    "use.matrix": "dL/d{weight} without truncation: {rows} {rows:row|rows}, {columns} {columns:column|columns}. The "
    "largest entry in absolute value is {most}, at [{place}].",
    "use.matrix.zero": "dL/d{weight} without truncation: {rows} {rows:row|rows}, {columns} {columns:column|columns}. "
    "Every entry is 0.",
    "use.numbers": "As numbers",
    "use.table": "All entries of dL/d{weight}, without truncation:",
    "use.all": "all",
    "use.outside": "The chosen entry lies outside {weight}, which is {shape}. The whole weight is shown.",
    "use.no_weight": "This network has no {asked}. {weight} is shown.",
    "use.beyond": "K = {most} is more than the {steps:,} {steps:step|steps} of this run: nothing is truncated.",
    "step_one.title": "How much of the gradient reaches step 1?",
    "step_one.words": "The loss of step {t} is backpropagated to step 1. There, the norm of its gradient is {elman} "
    "times the norm at step {t} in the Elman network, {lstm} times in the LSTM and {gru} times in the GRU.",
    "step_one.medians": "The medians over {count} seeds are {elman}, {lstm} and {gru}.",
    "step_one.same": "All {count} seeds give the same numbers.",
    "step_one.below": "A norm below 5e−324 counts as 0 here.",
    "step_one.note": "The three networks have the same sizes, seed and input sequence. These are the gradients of the "
    "networks as they are: they say nothing about what training would achieve.",
    "step_one.chart": "norm of ∂L/∂s_t, relative to step {t}",
    "step_one.note.hand_set": "The weights of the {cell} network are fixed, those of the two others are random, so "
    "this comparison of cells is not fair. These are the gradients of the networks as they are: they say "
    "nothing about what training would achieve.",
    "step_one.point": "{cell}, step {step}: {share}",
    "step_one.state": "s is the state: h in the Elman network and the GRU, [h; c] in the LSTM. Steps whose norm is 0 "
    "or below 5e−324 are left out.",
    "step_one.apart": "The three runs cannot be compared: one of them overflows float64 and ends early.",
    "step_one.alone": "Only step 1 has a loss, so no gradient passes from one step to another.",
    "step_one.none": "The loss of step {t} has no gradient in any of the three networks.",
    "step_one.column.cell": "cell",
    "step_one.column.last": "‖∂L/∂s‖ at step {t}",
    "step_one.column.first": "‖∂L/∂s‖ at step 1",
    "step_one.column.share": "ratio, step 1 to step {t}",
    "step_one.column.h": "‖∂L/∂h‖ at step 1",
    "step_one.column.c": "‖∂L/∂c‖ at step 1",
    "step_one.column.x": "‖∂L/∂x‖ at step 1",
    "step_one.cell.elman": "Elman",
    "step_one.cell.lstm": "LSTM",
    "step_one.cell.gru": "GRU",
    "remark.bptt_rtrl.chain_rule": "Backpropagation through time is the chain rule on the unrolled network: one "
    "backward pass gives the gradients at all steps (Werbos, 1990).",
    "remark.bptt_rtrl.sum": "dL/dW_hh is the sum of δₜ hₜ₋₁ᵀ over all steps, where δₜ = ∂L/∂aₜ. From h₀ = 0, step 1 "
    "contributes exactly 0, so a single step gives W_hh no gradient (Goodfellow, Bengio & Courville, 2016, section "
    "10.2.2).",
    "remark.bptt_rtrl.whole_norm": "The gradient of a shared weight need not vanish even where the gradient over many "
    "steps does: the contributions of short time spans remain (Pascanu, Mikolov & Bengio, 2013).",
    "remark.bptt_rtrl.biased": "Truncated BPTT is biased: it leaves out every dependency longer than K steps, and more "
    "data does not cure that (Tallec & Ollivier, 2017).",
    "remark.bptt_rtrl.schemes": "BPTT(h; h′) makes a backward pass over the last h steps after every h′ steps. The "
    "sliding window is BPTT(K; 1), chunks are BPTT(K; K) (Williams & Peng, 1990).",
    "remark.bptt_rtrl.detach": "Detaching the state between two chunks keeps its value and stops its gradient "
    "(PyTorch documentation, Tensor.detach).",
}
