"""Words of the LSTM and GRU pages."""

TEXTS: dict[str, str] = {
    "control.order": "Order of the units in the timeline",
    "control.c0": "Initial cell state c₀",
    "control.bias_i": "Add to the bias of the input gate i",
    "control.bias_f": "Add to the bias of the forget gate f",
    "control.bias_g": "Add to the bias of the candidate g",
    "control.bias_o": "Add to the bias of the output gate o",
    "control.bias_r": "Add to the bias of the reset gate r",
    "control.bias_z": "Add to the bias of the update gate z",
    "control.bias_n": "Add to the bias of the candidate n",
    "control.reset": "Reset gate r acts",
    "control.update": "Update gate z",
    "choice.reset.after": "after the product (PyTorch)",
    "choice.reset.before": "before the product, on h",
    "choice.update.keep": "z near 1 keeps h (PyTorch)",
    "choice.update.write": "z near 1 writes n",
    "choice.preset.latch": "Latch",
    "choice.preset.copy_forever": "Copy forever",
    "choice.preset.forget_at_once": "Forget at once",
    "choice.preset.binary_counter": "Binary counter",
    "choice.preset.bracket_depth": "Bracket depth (trained)",
    "choice.preset.parity": "Parity (trained)",
    "choice.order.unit": "by number",
    "choice.order.keep": "by how much they keep",
    "choice.order.memory": "by their memory at the last step",
    "choice.order.swing": "by how much their memory varies",
    "help.c0": "The cell state c is the LSTM's long-term memory. Type one number for every unit, separated by commas, "
    "or a single number for all. With several layers you can also type the numbers of every layer, with semicolons "
    "between layers.",
    "fact.latch": "Step {step} makes the largest write into {symbol} of unit 1: {write}. At step {last}, {share} of "
    "it is left: {gate} is at least {low} in the {count:,} {count:step|steps} after it.",
    "fact.latch.tanh": "A plain tanh unit, set by hand to latch too, ends at h = {h}. The derivative of this h with "
    "respect to h at step {step} is {left}.",
    "fact.latch.last": "The last step, {step}, makes the largest write into {symbol} of unit 1: {write}. Now {symbol} "
    "is {total}.",
    "fact.copy.exact": "At step {steps}, {symbol} is bit for bit what it was at the start: {gate} is 1, and nothing is "
    "written.",
    "fact.copy.rounded": "At step {steps}, {symbol} is bit for bit what it was at the start: {gate} is 1, and each "
    "write is so small that rounding removes it.",
    "fact.copy.off": "At step {steps}, {symbol} differs from its start by up to {error}. In the unit that keeps "
    "least, {share} of the start is left.",
    "fact.copy.off.only": "At step {steps}, {symbol} differs from its start by {error}. Of the start, {share} is left.",
    "fact.forget.all": "Each step forgets all of {symbol}: in float64, {gate} is 0 in every unit at every step.",
    "fact.forget.at_once": "Each step forgets almost all of {symbol}: it keeps {share} at most.",
    "fact.forget.alone": "No weight reads h, so the past has no other influence.",
    "fact.forget.reads": "But W_hh reads h, so the past still acts through the gates and the candidate.",
    "fact.forget.keeps": "Some of {symbol} stays: a step keeps up to {share} of it.",
    "fact.counter4": "Each 1 in the input is a pulse. The signs of {symbol} in units 1 and 2 are the two bits of the "
    "count of pulses, modulo 4: right at {right:,} of {steps:,} {steps:step|steps} ({pulses:,} "
    "{pulses:pulse|pulses}). With W_hh = 0 they would be right at {without:,}.",
    "fact.counter4.wrong": "Each 1 in the input is a pulse. The signs of {symbol} in units 1 and 2 are not the two "
    "bits of the count of pulses, modulo 4: they match it at {right:,} of {steps:,} {steps:step|steps} ({pulses:,} "
    "{pulses:pulse|pulses}). With W_hh = 0 they would match it at {without:,}.",
    "fact.counter4.output": "The output misses the count by {error} at most.",
    "fact.brackets": "x₁ opens a bracket, x₂ closes one. {symbol} of unit {unit} follows the number of open brackets: "
    "the correlation is {r}, and {symbol} changes by {slope} per bracket.",
    "fact.brackets.output": "The output misses that number by {error} at most.",
    "fact.brackets.paths": "In unit {unit}, from step {step} to step {last}, the product of {gate} is {direct}; the "
    "derivative of {symbol} over all paths is {every}.",
    "fact.brackets.lost": "No unit follows the number of open brackets: {symbol} of unit {unit} comes closest "
    "(correlation {r}).",
    "fact.parity": "{symbol} of unit {unit} says whether the number of ones so far is odd (correlation {r}).",
    "fact.parity.lost": "No unit says whether the number of ones so far is odd: {symbol} of unit {unit} comes closest "
    "(correlation {r}).",
    "fact.parity.output": "The output is right at {right:,} of {steps:,} {steps:step|steps}.",
    "fact.kept": "Unit {unit} keeps {symbol} longest: on average, its {gate} halves a write every {steps:step|{steps} "
    "steps}.",
    "fact.kept.little": "Unit {unit} keeps {symbol} longest: on average, its {gate} keeps {share} % of a write at each "
    "step.",
    "fact.kept.only": "On average, {gate} halves a write into {symbol} every {steps:step|{steps} steps}.",
    "fact.kept.little.only": "On average, {gate} keeps {share} % of a write into {symbol} at each step.",
    "fact.kept.all": "Unit {unit} forgets nothing of {symbol}: its {gate} is 1 at every step.",
    "fact.kept.none": "Nothing of the initial {symbol} is left in any unit: in float64, {gate} is 0 at some step in "
    "each.",
    "gates.numbers": "As numbers",
    "ledger.title": "Memory ledger: what each step wrote, and how much of it is left",
    "ledger.unit": "Unit",
    "ledger.from": "Change at step k",
    "ledger.at": "Seen at step t",
    "ledger.at.last": "the last step",
    "ledger.at.shown": "the step shown above",
    "ledger.gates": "Gates",
    "ledger.gates.clamped": "clamped",
    "ledger.gates.free": "computed",
    "ledger.words": "At step {t}, {symbol} of unit {unit} is {value}. Of all steps, step {step} contributes most: "
    "{write}. The other steps together contribute {rest}, and the initial state {start}.",
    "ledger.words.one": "At step 1, {symbol} of unit {unit} is {value}. The step itself contributes {write}, and the "
    "initial state {start}.",
    "ledger.words.none": "At step {t}, {symbol} of unit {unit} is {value}. All of it comes from the initial state: no "
    "step contributes.",
    "ledger.error": "In every unit the contributions add up to {symbol}, to within {error}.",
    "ledger.exact": "In every unit the contributions add up to {symbol} bit for bit.",
    "ledger.panel.contributions": "Contributions to {symbol} at step {t}",
    "ledger.panel.paths": "Effect at step {t} of a change at step k",
    "ledger.panel.memory": "{symbol} of unit {unit} over time",
    "ledger.axis.contribution": "contribution",
    "ledger.axis.derivative": "derivative",
    "ledger.axis.step": "step k (0: initial state)",
    "ledger.curve.direct": "direct path: product of {gate}",
    "ledger.curve.every": "all paths",
    "ledger.curve.memory": "{symbol} with {gates} gates",
    "ledger.hover.write": "step {step} wrote {write}<br>left at step {t}: {share}<br>contribution: {left}",
    "ledger.hover.start": "initial state {write}<br>left at step {t}: {share}<br>contribution: {left}",
    "ledger.hover.direct": "step {step} to {t}<br>direct path: {value}",
    "ledger.hover.every": "step {step} to {t}<br>all paths: {value}",
    "ledger.hover.memory": "step {step}<br>{symbol} = {value}",
    "ledger.column.step": "step k",
    "ledger.column.write": "written",
    "ledger.column.share": "direct path to t",
    "ledger.column.left": "contribution at t",
    "ledger.column.every": "all paths to t",
    "ledger.column.memory": "{symbol} at step k",
    "paths.words": "The derivative of {symbol} at step {t} with respect to {symbol} at step {step} is {every} over all "
    "paths. The direct path, the product of {gate}, contributes {direct}.",
    "paths.same": "The two agree to nine digits.",
    "paths.more": "The remaining {rest} comes through the gates and the candidate, which read h.",
    "paths.mostly": "Almost all of it comes through the gates and the candidate, which read h.",
    "paths.less": "The paths through the gates and the candidate, which read h, subtract {rest}.",
    "paths.opposite": "The paths through the gates and the candidate, which read h, subtract {rest}, so the sign "
    "changes.",
    "paths.only": "In float64, {gate} is 0 at some step in between. So all of it comes through the gates and the "
    "candidate, which read h.",
    "paths.none": "No small change of {symbol} at step {step} reaches step {t}: in float64, {gate} is 0 at some step "
    "of the direct path, and the derivative over all paths is 0.",
    "paths.note.lstm": "All paths: the derivative of this unit's c at step t with respect to its c at step k, with h "
    "at step k fixed. It is one entry of the product of the step Jacobians of [h; c]. The direct path stays within "
    "the cell state c, the LSTM's long-term memory.",
    "paths.note.gru": "All paths: the derivative of this unit's h at step t with respect to its h at step k. It is "
    "one entry of the product of the step Jacobians of h. The direct path stays within h of this unit.",
    "latch.title": "The same latch in a plain tanh unit",
    "latch.words": "At step {last}, {symbol} of unit 1 is {memory} and the tanh unit's h is {h}. From step {step} to "
    "step {last}, the derivative is {gated} in the gated unit and {left} in the tanh unit.",
    "latch.why.holds": "The tanh unit latches: from step {step} on, |h| is at least {least}. There tanh is flat, and "
    "the last step multiplies the gradient by {factor}. A tanh unit that latches robustly has a vanishing gradient "
    "(Bengio, Simard & Frasconi, 1994).",
    "latch.why.gated": "The tanh unit holds one bit. The gated unit adds to its memory instead, and it keeps more of "
    "the gradient.",
    "latch.why.empty": "Nothing is written to the tanh unit, so its h stays exactly 0. There each step multiplies the "
    "gradient by {factor}: h = 0 is an unstable fixed point. Any small input would move h away from it.",
    "latch.why.other": "The tanh unit does not stay latched from step {step} to step {last}. Its last step, to h = "
    "{h}, multiplies the gradient by {factor}. It latches near its fixed points h ≈ ±{fixed}, where the factor is "
    "{flat}.",
    "latch.random": "For comparison with random weights: the median norm of ∂s{to}/∂s{of} is {elman} in an Elman "
    "network, {lstm} in an LSTM and {gru} in a GRU, where s is the whole state. These are medians over {seeds} seeds "
    "of PyTorch's initialisation, at these sizes and on this input.",
    "latch.link": "Open the tanh latch on the page {page} →",
    "latch.panel.memory": "Memory over time",
    "latch.panel.gradient": "Gradient of the last step's memory",
    "latch.axis.memory": "memory",
    "latch.axis.gradient": "|derivative|",
    "latch.axis.step": "step k (0: initial state)",
    "latch.curve.gated": "{symbol} of unit 1, gated",
    "latch.curve.plain": "h = tanh(3 h + 5 u)",
    "latch.hover.memory": "step {step}: {value}",
    "latch.hover.gradient": "from step {last} back to step {step}: {value}",
    "gates.title": "Gates: biases and clamps",
    "gates.note": "A bias slider adds to b_ih of one gate, in every unit of every layer. A clamp sets a gate of the "
    "layer shown to a value, whatever the network computes.",
    "gates.several": "The address clamps {gate} in several places. The menu shows the last; a choice there replaces "
    "them all.",
    "gates.clamp": "Gate {gate}",
    "gates.clamp.computed": "computed",
    "gates.clamp.closed": "closed (0)",
    "gates.clamp.half": "half (0.5)",
    "gates.clamp.open": "open (1)",
    "gates.clamp.value": "a value",
    "gates.at": "Clamp {gate} to",
    "gates.unit": "Clamp in",
    "gates.unit.all": "all units",
    "gates.step": "Clamp from step",
    "saturation.title": "Gate statistics: how often each gate is closed or open, and the order of the units",
    "saturation.words": "Gate {gate} is mostly open (over 0.9) in {open} and mostly closed (under 0.1) in {closed}.",
    "saturation.gate": "gate {gate}",
    "saturation.closed": "share of steps, closed",
    "saturation.open": "share of steps, open",
    "saturation.note": "“Mostly” means at more than half of the steps. Each dot is a unit; a number counts the units "
    "that share a place. Horizontal axis: the share of steps at which the gate is closed (under 0.1). Vertical axis: "
    "the share at which it is open (over 0.9).",
    "saturation.column.unit": "unit",
    "saturation.column.left": "{gate} under 0.1",
    "saturation.column.right": "{gate} over 0.9",
    "saturation.dot": "gate {gate}, {count:unit|units} {units}<br>closed (under 0.1): {closed} of the steps<br>open "
    "(over 0.9): {open} of the steps",
    "forms.title": "Two forms of the GRU with the same weights",
    "forms.other": "Compare with",
    "forms.unit": "Unit shown",
    "forms.form": "{reset}; {update}",
    "forms.reset.after": "r ⊙ (W_hn h + b_hn)",
    "forms.reset.before": "W_hn (r ⊙ h) + b_hn",
    "forms.update.keep": "h = z ⊙ h + (1 − z) ⊙ n",
    "forms.update.write": "h = (1 − z) ⊙ h + z ⊙ n",
    "forms.here": "This form: {form}",
    "forms.there": "Other form: {form}",
    "forms.apart": "At step {t}, h of unit {unit} is {here} in this form and {other} in the other. The largest "
    "difference over all units and steps is {most}, in unit {where} at step {step}.",
    "forms.same": "With these weights, both forms give the same h at all {steps:,} {steps:step|steps}.",
    "forms.rounding": "With these weights, both forms agree up to rounding at all {steps:,} {steps:step|steps}: the "
    "largest difference is {most}.",
    "forms.ends": "Only the first {steps:,} {steps:step is|steps are} compared: one form then overflows float64.",
    "forms.panel.here": "h in this form",
    "forms.panel.there": "h in the other form",
    "forms.panel.difference": "difference (other − this)",
    "forms.lines": "h of unit {unit}",
    "forms.axis.unit": "unit",
    "forms.axis.step": "step (0: initial state)",
    "forms.hover": "unit {unit}, step {step}<br>this form: {here}<br>other form: {other}<br>difference: {difference}",
    "forms.curve.here": "this form",
    "forms.curve.there": "other form",
    "forms.column.step": "step",
    "forms.column.here": "h[{unit}], this form",
    "forms.column.there": "h[{unit}], other form",
    "remark.lstm_gates.carousel": "The first LSTM had no forget gate. Its cell state fed back into itself with a "
    "weight of 1, the *constant error carousel*: on that path the error neither vanishes nor explodes (Hochreiter & "
    "Schmidhuber, 1997).",
    "remark.lstm_gates.forget": "The forget gate f came three years later, so that a cell can reset itself (Gers, "
    "Schmidhuber & Cummins, 2000).",
    "remark.lstm_gates.bias": "A forget bias of 1 starts f near σ(1) = 0.731 instead of 0.5. In a comparison of many "
    "architectures it closed the gap between LSTM and GRU (Jozefowicz, Zaremba & Sutskever, 2015).",
    "remark.lstm_gates.chrono": "Chrono initialisation draws the forget bias as log u, with u uniform between 1 "
    "and T_max − 1, and the input bias as its negative. T_max is the longest dependency of the task, "
    "not the length of this run (Tallec & Ollivier, 2018).",
    "remark.lstm_gates.latch": "A unit that robustly latches one bit has a vanishing gradient. The LSTM's additive "
    "path is a way out (Bengio, Simard & Frasconi, 1994; Hochreiter & Schmidhuber, 1997).",
    "remark.lstm_gates.count": "An LSTM of finite precision can count: with f and i at 1, each step adds g to c, which "
    "no activation squashes. A tanh RNN or a GRU cannot count without bound (Weiss, Goldberg & Yahav, 2018).",
    "remark.lstm_gates.brackets": "The trained counter of *Bracket depth* saw depths up to 8. From an empty start it "
    "counts 9 opening brackets in a row and is wrong at the tenth. It makes at least one error in 111 of 200 fresh "
    "sequences of a thousand brackets (measured here, with the output rounded to a whole number).",
    "remark.lstm_gates.sum": "The ledger reads c as a weighted sum of all writes, with products of f as weights "
    "(Levy, Lee, FitzGerald & Zettlemoyer, 2018). It treats the gates as given numbers.",
    "remark.lstm_gates.saturation": "The statistics of closed and open gates come from a study of character models "
    "(Karpathy, Johnson & Li, 2015).",
    "remark.lstm_gates.layout": "PyTorch stacks the gates as i, f, g, o and keeps two biases, b_ih and b_hh. Keras "
    "stacks them as i, f, c, o, keeps one bias and by default adds 1 to that of f (see the documentation of both).",
    "remark.gru_gates.reset": "Two forms of the candidate are in use. Version 1 of the paper that introduced the GRU "
    "resets after the product with W_hn; version 3 resets before it, on h (Cho et al., 2014, arXiv 1406.1078, "
    "according to the documentation of Keras).",
    "remark.gru_gates.frameworks": "PyTorch and cuDNN reset after the product, and so does Keras by default "
    "(`reset_after=True`). ONNX resets before it by default (`linear_before_reset=0`; see the documentation of each).",
    "remark.gru_gates.update": "With z near 1 the GRU keeps h (Cho et al., 2014; PyTorch; Keras). In another paper "
    "of the same year it writes n (Chung, Gulcehre, Cho & Bengio, 2014). Exchange z and 1 − z to change from "
    "one to the other.",
    "remark.gru_gates.weights": "Weights trained in one form compute something else in the other. Before you copy "
    "weights between frameworks, compare the outputs.",
    "remark.gru_gates.count": "Each new h is a weighted mean of the old h and a tanh, so from h₀ = 0 it stays within "
    "−1 and 1. A GRU of finite precision therefore cannot count without bound; an LSTM can (Weiss, Goldberg & Yahav, "
    "2018).",
    "remark.gru_gates.chrono": "Where z near 1 keeps h, chrono initialisation draws the bias of z like that of f "
    "in an LSTM. T_max is the longest dependency of the task, not the length of this run (Tallec & Ollivier, 2018).",
    "remark.gru_gates.saturation": "The statistics of closed and open gates come from a study of character models "
    "(Karpathy, Johnson & Li, 2015).",
}
