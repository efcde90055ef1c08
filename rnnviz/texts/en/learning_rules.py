"""Words of the BPTT and RTRL page: RTRL, learning at every step, clipping, remarks."""

TEXTS: dict[str, str] = {
    "control.lr": "Learning rate of RTRL",
    "control.max_norm": "Clipping threshold",
    "help.lr": "Used under “Learning at every step”, in the part on RTRL: each step subtracts this rate times the "
    "gradient of its loss from the weights.",
    "help.max_norm": "Clipping scales a gradient with a larger norm down to this norm.",
    "choice.preset.clip_saves": "Clipping at a cliff",
    "choice.preset.clip_cannot": "Clipping a vanished gradient",
    "rtrl.title": "RTRL: the same gradient, carried forward in time",
    "rtrl.long": "RTRL needs {work} multiply-adds here, which takes seconds to minutes.",
    "rtrl.working": "Computing",
    "rtrl.axis": "step t",
    "rtrl.hover": "{name} at step {t}: {value}",
    "rtrl.as_numbers": "As numbers",
    "rtrl.column.step": "step",
    "rtrl.equal": "Real-time recurrent learning (RTRL) and BPTT agree up to rounding. Over all {count} weights and "
    "biases the gradients differ by at most {difference}: {share} of the largest entry in absolute value, {largest}.",
    "rtrl.equal.exact": "Real-time recurrent learning (RTRL) and BPTT agree to the last bit over all {count} weights "
    "and biases. The largest entry of the gradient in absolute value is {largest}.",
    "rtrl.equal.zero": "The gradient is exactly 0 for all {count} weights and biases, by real-time recurrent learning "
    "(RTRL) and by BPTT.",
    "rtrl.differ": "Real-time recurrent learning (RTRL) and BPTT differ by up to {difference} over all {count} weights "
    "and biases. The largest entry of the gradient in absolute value is {largest}.",
    "rtrl.cost.heading": "What each of them costs",
    "rtrl.cost.what": "cost",
    "rtrl.cost.times": "RTRL / BPTT",
    "rtrl.cost.numbers": "memory",
    "rtrl.cost.formula": "its formula",
    "rtrl.cost.counted": "memory, counted in the arrays",
    "rtrl.cost.work": "multiply-adds",
    "rtrl.cost.time": "time, measured here",
    "rtrl.kept.bytes": "{numbers} {numbers:number|numbers}, {size} bytes",
    "rtrl.kept.kib": "{numbers} numbers, {size} KiB",
    "rtrl.kept.mib": "{numbers} numbers, {size} MiB",
    "rtrl.kept.gib": "{numbers} numbers, {size} GiB",
    "rtrl.formula.keep.plain": "T (D + S + G H) + S",
    "rtrl.formula.keep.before": "T (D + S + G H) + S",
    "rtrl.formula.keep.after": "T (D + S + G H + H) + S",
    "rtrl.formula.carry": "S P + P",
    "rtrl.formula.back": "T G H (D + 2 H)",
    "rtrl.formula.forward.plain": "T (S H P + H P)",
    "rtrl.formula.forward.after": "T (S H P + H P)",
    "rtrl.formula.forward.before": "T (S H P + H P + H³)",
    "rtrl.cost.words": "BPTT stores the whole run: O(T H) numbers. It takes O(T H²) multiply-adds. RTRL stores one "
    "influence matrix: O(H³) numbers, whatever T is. It takes O(T H⁴) multiply-adds. Each number takes 8 bytes. The "
    "time is the median of a few calls on this machine.",
    "rtrl.cost.untold": "This cell does not say what a step computes inside, so there is only the time to compare.",
    "rtrl.cost.letter": "letter",
    "rtrl.cost.meaning": "what it counts",
    "rtrl.cost.here": "here",
    "rtrl.cost.letters": "Letters in these formulas",
    "rtrl.cost.T": "steps",
    "rtrl.cost.H": "hidden units",
    "rtrl.cost.D": "inputs",
    "rtrl.cost.G": "blocks of H rows in W_hh",
    "rtrl.cost.S": "numbers in the state",
    "rtrl.cost.P": "weights and biases",
    "rtrl.influence.title": "What RTRL carries: the influence of every weight on the state",
    "rtrl.influence.name": "influence",
    "rtrl.influence.axis": "norm",
    "rtrl.influence.one": "The Frobenius norm of the influence is {first} after the only step.",
    "rtrl.influence.ends": "The Frobenius norm of the influence is {first} after step 1 and {last} after step {steps}.",
    "rtrl.influence.peak": "The Frobenius norm of the influence is {first} after step 1 and {last} after step {steps}. "
    "It is largest after step {step}: {peak}.",
    "rtrl.matrix.step": "Influence after step",
    "rtrl.matrix.rows": "state",
    "rtrl.matrix.columns": "weights and biases, entry by entry",
    "rtrl.matrix.legend": "derivative",
    "rtrl.matrix.hover": "∂{unit}/∂{entry} after step {t}: {value}",
    "rtrl.matrix.words": "After step {t} the influence has {rows} {rows:row|rows} (state) and {columns} columns "
    "(weights and biases). {there} of {all} entries are not 0. The largest in absolute value is ∂{unit}/∂{entry} = "
    "{value}.",
    "rtrl.matrix.zero": "After step {t} all entries of the influence are exactly 0: {rows} {rows:row|rows} (state) and "
    "{columns} columns (weights and biases).",
    "rtrl.matrix.large": "The influence has {rows} rows of {columns} entries. That is too many to draw: the limit is "
    "{most} entries.",
    "rtrl.drift.title": "Learning at every step",
    "rtrl.drift.about": "RTRL can update the weights at every step. The influence then still contains terms of older "
    "weights. The true gradient is the one that BPTT computes with the current weights, from step 1 on. The drift is "
    "the norm of the difference.",
    "rtrl.drift.clamped": "Clamped gates are ignored here: every gate is computed from its weights.",
    "rtrl.drift.long": "At each of {steps:,} steps, BPTT runs over all steps so far. That takes seconds to minutes.",
    "rtrl.drift.nothing": "The gradient of every step is exactly 0. No weight moves, and nothing drifts.",
    "rtrl.drift.still": "Nothing drifts: the learning rate is 0.",
    "rtrl.drift.one": "Nothing drifts: there is one step.",
    "rtrl.drift.last": "Nothing drifts: no step before step {steps} has a gradient, so no weight moves before it.",
    "rtrl.drift.rounding": "The only difference is rounding: {share} times the true gradient's norm.",
    "rtrl.drift.none": "No drift is visible at the learning rate {rate}: the difference is at most {share} times the "
    "true gradient's norm, which is rounding.",
    "rtrl.drift.words": "The drift reaches {share} times the true gradient's norm, at step {step}. At step {steps} it "
    "is {last} times that norm. The learning rate is {rate}.",
    "rtrl.drift.at_the_end": "The drift is largest at the last step, {steps}: {share} times the true gradient's norm. "
    "The learning rate is {rate}.",
    "rtrl.drift.from_zero": "The gradient drifts: at step {step} the true gradient is exactly 0, while RTRL's has the "
    "norm {norm}. The learning rate is {rate}.",
    "rtrl.drift.axis": "gradient norm",
    "rtrl.drift.true": "true gradient (BPTT)",
    "rtrl.drift.online": "RTRL's gradient",
    "rtrl.drift.drift": "drift",
    "clip.title": "Clipping: what it fixes and what it cannot",
    "clip.zero": "The gradient is exactly 0. Clipping leaves it as it is.",
    "clip.kept": "Clipping changes nothing: the gradient norm is {norm}, the threshold is {limit}.",
    "clip.clipped": "Clipping multiplies every entry of the gradient by {factor}. The gradient norm was {norm}, above "
    "the threshold {limit}, and becomes {after}. The cosine between the gradients before and after clipping is "
    "{cosine}.",
    "clip.norm": "gradient norm",
    "clip.limit": "threshold",
    "clip.hover": "{name}, {kind}: {value}",
    "clip.column.weight": "weight",
    "clip.column.entries": "entries",
    "clip.column.before": "before clipping",
    "clip.column.after": "after clipping",
    "clip.column.all": "all together",
    "clip.with": "with clipping",
    "clip.without": "without clipping",
    "clip.updates": "updates",
    "clip.loss_at": "{name}, after update {update}: loss {loss}",
    "clip.last_at": "{name}: last loss {loss}",
    "clip.cliff.title": "What clipping fixes: a cliff in the loss",
    "clip.cliff.about": "One sigmoid unit should keep a bit for {steps} steps: hₜ = σ(w hₜ₋₁ + b). From 0.2 it should "
    "end at 0.1, from 0.8 at 0.9. The loss is the mean squared error over both cases. It has a wall where one of the "
    "unit's two stable fixed points disappears.",
    "clip.cliff.how": "Gradient descent makes {updates} updates from {starts} starts at {rates} learning rates from "
    "{low} to {high}. The last loss of a run is the median over its last {last} updates. A start converges when its "
    "last loss is below {arrived}. Descent with clipping and descent without it each use the learning rate at which "
    "most of their starts converge.",
    "clip.cliff.helps": "**Clipping helps:** {clipped} of {starts} starts converge with it, {free} without it.",
    "clip.cliff.same": "**Clipping changes no count:** {clipped} of {starts} starts converge with it, {free} without "
    "it.",
    "clip.cliff.harms": "**Clipping harms:** {clipped} of {starts} starts converge with it, {free} without it.",
    "clip.cliff.spread": "Without clipping, the median last loss is {free} (quartiles {free_low} and {free_high}) at "
    "the learning rate {free_rate}. With clipping, it is {clipped} (quartiles {clipped_low} and {clipped_high}) at "
    "{clipped_rate}.",
    "clip.cliff.start": "Start",
    "clip.cliff.way": "Start {start}: the last loss is {free} without clipping and {clipped} with it. Without "
    "clipping, update {when} moves (w, b) by {far}. With clipping, no update moves them by more than {near}.",
    "clip.cliff.same_way": "Start {start}: both paths are the same, because no update was clipped and the learning "
    "rate is the same. The last loss is {last}.",
    "clip.cliff.hover": "w = {w}, b = {b}: log10 of the loss {z}",
    "clip.cliff.leaves": "The path {name} leaves the map at update {update}.",
    "clip.cliff.loss": "loss",
    "clip.cliff.begin": "start",
    "clip.cliff.point": "{name}, after update {update}: w = {w}, b = {b}, loss {loss}",
    "clip.cliff.rate": "learning rate",
    "clip.cliff.arrived": "starts that converge",
    "clip.cliff.of_rate": "{name}, learning rate {rate}: {count} of {starts} starts converge",
    "clip.cliff.column.arrived": "converged {name}",
    "clip.cliff.column.low": "lower quartile {name}",
    "clip.cliff.column.median": "median {name}",
    "clip.cliff.column.high": "upper quartile {name}",
    "clip.recall.title": "What clipping cannot fix: a vanished gradient",
    "clip.recall.about": "A tanh network of {units} units with PyTorch's initial weights should output its first input "
    "at the last step, {steps}. Every update uses fresh sequences, and so does the test. All weights and the readout "
    "learn, for {updates} updates, at the best of {rates} learning rates from {low} to {high}.",
    "clip.recall.nothing": "**The clipped network learns nothing about step 1.** With {steps} steps, its loss on fresh "
    "data ends at {share} times the target's variance. The best constant output reaches 1.",
    "clip.recall.part": "With {steps} steps, the clipped network's loss on fresh data ends at {share} times the "
    "target's variance. The best constant output reaches 1.",
    "clip.recall.learned": "**The clipped network learns to recall step 1.** With {steps} steps, its loss on fresh "
    "data ends at {share} times the target's variance.",
    "clip.recall.reach": "The largest derivative of the output with respect to the first input is {before} before "
    "learning and {after} after it.",
    "clip.recall.acted": "Clipping acted on {count} of {updates} updates. It can only shrink a gradient.",
    "clip.recall.idle": "Clipping acted on none of {updates} updates: no gradient norm was above the threshold.",
    "clip.control.learned": "With {steps} steps the same network, also clipped, learns the task: its loss ends at "
    "{share} times the variance.",
    "clip.control.not": "With {steps} steps the same network, also clipped, does not learn the task either: its loss "
    "ends at {share} times the variance.",
    "clip.recall.with": "{steps} steps, with clipping",
    "clip.recall.without": "{steps} steps, without clipping",
    "clip.recall.at": "{name}, after update {update}: {share} times the variance",
    "clip.recall.axis": "loss on fresh data / variance",
    "clip.recall.variance": "variance of the target",
    "remark.bptt_rtrl.rtrl": "Real-time recurrent learning carries the influence of every weight on the state forward "
    "in time. It needs no stored past (Williams & Zipser, 1989).",
    "remark.bptt_rtrl.cost": "In a fully connected network RTRL stores O(H³) numbers and takes O(H⁴) operations a "
    "step. BPTT stores O(T H) numbers and takes O(H²) operations a step (Williams & Zipser, 1995).",
    "remark.bptt_rtrl.online": "When the weights change at every step, RTRL's gradient is not exact. A small learning "
    "rate keeps it close (Williams & Zipser, 1989).",
    "remark.bptt_rtrl.uoro": "UORO replaces the influence with a random rank-one estimate. It is unbiased but noisy "
    "(Tallec & Ollivier, 2017).",
    "remark.bptt_rtrl.snap": "SnAp keeps only the entries of the influence that a weight reaches within a few steps. "
    "This approximation is sparse and biased (Menick et al., 2021).",
    "remark.bptt_rtrl.eprop": "E-prop keeps an eligibility trace for each weight and multiplies it by a learning "
    "signal. It ignores the paths through other units (Bellec et al., 2020).",
    "remark.bptt_rtrl.norm": "Clipping by the global norm keeps the gradient's direction (Pascanu et al., 2013).",
    "remark.bptt_rtrl.value": "Clipping each entry by value can turn the gradient (Goodfellow et al., 2016, section "
    "10.11.1).",
    "remark.bptt_rtrl.cliff": "The loss of a recurrent network can have walls of high curvature. A plain update there "
    "throws the weights far away (Pascanu et al., 2013, figure 6).",
    "remark.bptt_rtrl.vanished": "Clipping does not bring back a vanished gradient. A regulariser was proposed for "
    "that (Pascanu et al., 2013).",
    "remark.bptt_rtrl.smoothness": "Where the curvature grows with the gradient norm, clipped gradient descent can "
    "converge arbitrarily faster than descent with a fixed learning rate (Zhang et al., 2020).",
}
