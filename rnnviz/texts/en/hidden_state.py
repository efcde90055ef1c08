"""Words of the Hidden state page."""

TEXTS: dict[str, str] = {
    "choice.preset.worked_example": "Worked example",
    "choice.preset.echo": "Echo",
    "choice.preset.counter": "Counter",
    "choice.preset.oscillator": "Oscillator",
    "choice.preset.saturated": "Saturated",
    "choice.preset.chaotic": "Chaotic",
    "choice.preset.random": "Random",
    "choice.preset.stored": "Stored weights",
    "fact.worked_example": "Step 1 is a textbook's worked example, with the same result: the sums a = {a} give h "
    "{sign} {h}.",
    "fact.worked_example.readout": "The textbook has no readout; we chose those weights.",
    "fact.worked_example.activation": "The sums of step 1 match a textbook's worked example: a = {a}. The textbook "
    "uses tanh; this activation gives h {sign} {h}.",
    "fact.worked_example.changed": "Step 1 differs from the textbook's worked example: the sums are a = {a} instead "
    "of {own}. They give h {sign} {h}.",
    "fact.echo.none": "An echo needs at least two steps and an output.",
    "fact.echo.exact": "The output repeats the input one step later. The error is 0 at every step after the first.",
    "fact.echo.off": "The output does not repeat the input. It differs from the input of the step before by up to "
    "{error}.",
    "fact.counter.exact": "Unit 1 counts: after {steps:,} {steps:step|steps} it is at {count}, the sum of all inputs.",
    "fact.counter.second": "Unit 2 becomes active when the count passes 2.",
    "fact.counter.off": "Unit 1 does not count: after {steps:,} {steps:step|steps} it is at {count}, but the inputs "
    "add up to {total}.",
    "fact.counter.between": "Unit 1 does not count: it ends at the sum of the inputs, {total}, but at step {step} it "
    "is at {count} instead of {sum}.",
    "fact.oscillator.none": "Unit 1 does not oscillate: it crosses zero upwards less than twice in this run.",
    "fact.oscillator.itself": "Unit 1 oscillates without any input. Its mean period is {period} steps, and its "
    "largest |h| is {size}.",
    "fact.oscillator.driven": "Unit 1 oscillates under its input. Its mean period is {period} steps, and its largest "
    "|h| is {size}.",
    "fact.oscillator.turn": "W_hh has eigenvalues at angles of ±{angle}°: at this angle a step, a full turn takes "
    "{steps} steps.",
    "fact.saturated.most": "The units are mostly saturated: over all units and steps, {count} of {all} derivatives "
    "g′(a) {count:is|are} under 0.01 (median {median}). A saturated unit passes on hardly any change.",
    "fact.saturated.some": "The units are mostly not saturated: over all units and steps, {count} of {all} "
    "derivatives g′(a) {count:is|are} under 0.01 (median {median}).",
    "fact.saturated.none": "No unit is saturated at any step: over all units and steps, none of {all} derivatives "
    "g′(a) is under 0.01 (median {median}).",
    "fact.saturated.relu": "A relu unit cannot saturate, but it can be inactive: over all units and steps, {count} of "
    "{all} derivatives g′(a) {count:is|are} 0.",
    "fact.chaotic.grows": "Two runs start {start} apart in unit 1. After {steps:,} {steps:step|steps}, the largest "
    "difference in a unit is {apart}: it has grown by a factor of {factor}.",
    "fact.chaotic.shrinks": "Two runs start {start} apart in unit 1. After {steps:,} {steps:step|steps}, the largest "
    "difference in a unit is {apart}: it has shrunk to {factor} of its size.",
    "fact.chaotic.stays": "Two runs start {start} apart in unit 1. After {steps:,} {steps:step|steps}, the largest "
    "difference in a unit is still {apart}.",
    "fact.chaotic.gone": "Two runs start {start} apart in unit 1. After {steps:,} {steps:step|steps}, they agree in "
    "every digit of float64.",
    "fact.layer": "Layer {layer}: {fact}",
    "fact.random.short": "This run has one step only, so no later state can depend on h at step 1.",
    "fact.random.fades": "A small change to h at step 1 shrinks on its way to step {steps}: at most {left} of it "
    "arrives, whatever its direction.",
    "fact.random.fades_only": "A small change to h at step 1 shrinks on its way to step {steps}: {left} of it arrives.",
    "fact.random.gone": "A small change to h at step 1 does not reach step {steps}: the derivative between them is 0 "
    "in float64.",
    "fact.random.stays": "A small change to h at step 1 reaches step {steps} multiplied by {left} at most.",
    "fact.random.grows": "A small change to h at step 1 can grow on its way to step {steps}: up to {left} times its "
    "size arrives.",
    "batch.fold": "The batch at step {t}: {count} sequences",
    "batch.sequence": "sequence",
    "batch.unit": "h of unit {unit}",
    "batch.note": "These are the hidden states after the last step. The explorer shows sequence {shown}.",
    "phase.title": "Phase portrait: where does the state go?",
    "phase.one_unit": "A phase portrait needs two units, and this network has one. Raise the hidden size H.",
    "phase.refused": "This constant input cannot be used: {reason}",
    "phase.across": "Unit on the horizontal axis",
    "phase.up": "Unit on the vertical axis",
    "phase.constant": "Constant input",
    "phase.constant.zero": "zero",
    "phase.constant.mean": "mean of the run",
    "phase.constant.step": "input of step {t}",
    "phase.layer": "This is layer {layer}. Its input is the output of layer {below}.",
    "phase.picture": "Phase portrait of unit {a} (horizontal axis) and unit {b} (vertical axis). The path goes from "
    "({a0}, {b0}) to ({a1}, {b1}) in {steps:,} {steps:step|steps}. {found}",
    "phase.legend.path": "path",
    "phase.legend.start": "start",
    "phase.legend.now": "step {t}",
    "phase.legend.time": "step t of the path",
    "phase.hover.state": "step {t}: ({a}, {b})",
    "phase.hover.point": "fixed point {number}: {kind} at ({a}, {b})<br>eigenvalues {values}",
    "phase.hover.flat": "fixed points: part of a set of {dimensions} {dimensions:dimension|dimensions} through ({a}, "
    "{b})",
    "phase.kind.attractor": "attractor",
    "phase.kind.saddle": "saddle",
    "phase.kind.repeller": "repeller",
    "phase.kind.neutral": "neutral",
    "phase.kind.borderline": "undecided",
    "phase.hover.cycle": "cycle of period {period}, reached from {count} of {starts} random starts",
    "phase.kind.cycle": "cycle",
    "phase.kind.flat": "set of fixed points",
    "phase.kinds.attractor": "{count} {count:attractor|attractors}",
    "phase.kinds.saddle": "{count} {count:saddle|saddles}",
    "phase.kinds.repeller": "{count} {count:repeller|repellers}",
    "phase.kinds.neutral": "{count} neutral",
    "phase.kinds.borderline": "{count} undecided",
    "phase.and": "{first} and {last}",
    "phase.none.proved": "There is no fixed point under this input: no state stays where it is.",
    "phase.none.found": "The search found no fixed point under this input.",
    "phase.only.attractor": "1 fixed point: an attractor at ({a}, {b}).",
    "phase.only.saddle": "1 fixed point: a saddle at ({a}, {b}).",
    "phase.only.repeller": "1 fixed point: a repeller at ({a}, {b}).",
    "phase.only.neutral": "1 fixed point at ({a}, {b}), a neutral one.",
    "phase.only.borderline": "1 fixed point at ({a}, {b}), of undecided stability.",
    "phase.several": "{count} fixed points: {kinds}.",
    "phase.isolated": "There {count:is|are} also {count} isolated fixed {count:point|points}: {kinds}.",
    "phase.choice": "Where the state ends depends on where it starts.",
    "phase.unstable": "None of them is an attractor.",
    "phase.flat.line": "Fixed points fill a line: every state on it stays where it is.",
    "phase.flat.part_of_line": "Fixed points fill a part of a line: every state on it stays where it is.",
    "phase.flat.lines": "Fixed points fill {count} pieces of lines: every state on them stays where it is.",
    "phase.flat.plane": "Fixed points fill a plane: every state on it stays where it is.",
    "phase.flat.part_of_plane": "Fixed points fill a part of a plane: every state on it stays where it is.",
    "phase.flat.more": "Fixed points fill a set of {count} dimensions: every state on it stays where it is.",
    "phase.flat.sets": "Fixed points fill {count} sets of up to {most} dimensions: every state on them stays where "
    "it is.",
    "phase.flat.region": "Fixed points fill a whole region: every state in it stays where it is.",
    "phase.flat.everything": "Every state is a fixed point: it stays where it is.",
    "phase.across.in": "Nearby states approach it: the largest other |eigenvalue| is {radius}.",
    "phase.across.out": "Some nearby states move away: the largest other |eigenvalue| is {radius}.",
    "phase.perturb.gone": "All eigenvalues of the Jacobian there are 0: to first order, a small perturbation is gone "
    "after at most {units} steps.",
    "phase.perturb.shrinks": "The largest |eigenvalue| of the Jacobian there is {radius}: in the long run, each step "
    "shrinks a small perturbation to this share of its size.",
    "phase.perturb.halves": "The largest |eigenvalue| of the Jacobian there is {radius}: in the long run, a small "
    "perturbation halves every {steps:step|{steps} steps}.",
    "phase.perturb.doubles": "The largest |eigenvalue| of the Jacobian there is {radius}: a small perturbation can "
    "double every {steps:step|{steps} steps}.",
    "phase.perturb.grows": "The largest |eigenvalue| of the Jacobian there is {radius}: a small perturbation can grow "
    "by this factor at each step.",
    "phase.perturb.some": "The largest |eigenvalue| of the Jacobian there is {radius}. Small perturbations grow in "
    "{unstable} of {units} directions and shrink in the others.",
    "phase.perturb.neutral": "The step is linear there and every |eigenvalue| is 1: a small perturbation stays bounded "
    "and never dies away.",
    "phase.perturb.neutral.part": "The step is linear there, and {count} of {units} |eigenvalues| are 1, the others "
    "smaller: a small perturbation stays bounded, and in general part of it lasts.",
    "phase.perturb.edge": "A relu unit is exactly at its kink there, so the eigenvalues of one side decide nothing.",
    "phase.perturb.one": "The largest |eigenvalue| of the Jacobian there is 1 to six digits, so the eigenvalues do "
    "not decide whether a small perturbation shrinks or grows.",
    "phase.perturb.mixed": "The largest |eigenvalue| of the Jacobian there is {radius}, so some perturbations grow. "
    "Another |eigenvalue| is 1 to six digits and decides nothing.",
    "phase.turn": "The perturbation turns by {angle}° a step.",
    "phase.all.point": "All {starts} random starts end there.",
    "phase.all.numbered": "All {starts} random starts end at fixed point {number}.",
    "phase.all.flat": "All {starts} random starts end on such a state.",
    "phase.all.missed": "All {starts} random starts come to rest at a state that the search missed.",
    "phase.all.cycle": "All {starts} random starts end in one cycle of period {period}.",
    "phase.all.cycles": "All {starts} random starts end in {cycles} different cycles of period {period}.",
    "phase.all.growing": "All {starts} random starts grow past {size}.",
    "phase.all.moving": "None of the {starts} random starts reaches a fixed point or a cycle of up to {longest} steps "
    "within {steps} steps.",
    "phase.some.point": "{count} of {starts} random starts {count:ends|end} there.",
    "phase.some.numbered": "{count} of {starts} random starts {count:ends|end} at fixed point {number}.",
    "phase.some.flat": "{count} of {starts} random starts {count:ends|end} on such a state.",
    "phase.some.missed": "{count} of {starts} random starts {count:comes|come} to rest at a state that the search "
    "missed.",
    "phase.some.cycle": "{count} of {starts} random starts {count:ends|end} in one cycle of period {period}.",
    "phase.some.cycles": "{count} of {starts} random starts end in {cycles} different cycles of period {period}.",
    "phase.some.growing": "{count} of {starts} random starts {count:grows|grow} past {size}.",
    "phase.some.moving": "{count} of {starts} random starts {count:reaches|reach} neither a fixed point nor a cycle of "
    "up to {longest} steps within {steps} steps.",
    "phase.some.rest": "The other {count} {count:start ends|starts end} elsewhere.",
    "phase.factor.grows": "Along these runs a small difference grows by a factor of {factor} a step (median): the "
    "motion is chaotic.",
    "phase.factor.stays": "Along these runs a small difference keeps its size on average (factor {factor} a step): "
    "the motion is not chaotic.",
    "phase.factor.shrinks": "Along these runs a small difference shrinks to {factor} of its size a step (median).",
    "phase.note.kinds": "A fixed point is a state that one step under the constant input leaves unchanged. Nearby "
    "states approach an attractor and leave a repeller; a saddle has directions of both kinds.",
    "phase.note.field": "Each grey arrow points where one step leads under the constant input; a longer arrow means a "
    "larger step.",
    "phase.note.projection": "The picture shows 2 of {units} units. No grid of arrows shows where a step leads: that "
    "depends on the other units too, and points that look close may be far apart.",
    "phase.note.input": "The path follows the actual inputs; the fixed points belong to the constant input.",
    "phase.note.outside": "{count} fixed {count:point lies|points lie} outside the picture.",
    "phase.note.starts": "The {starts} random starts are drawn uniformly from {low} to {high} in every unit.",
    "phase.note.complete": "Every linear piece of the network was solved, so these are all fixed points.",
    "phase.note.search": "The search may miss fixed points.",
    "phase.note.failed": "{failed} of its {starts} attempts did not converge.",
    "phase.table": "Fixed points as numbers",
    "phase.path": "Path as numbers",
    "phase.column.number": "no.",
    "phase.column.kind": "kind",
    "phase.column.radius": "largest |eigenvalue|",
    "phase.column.growing": "|eigenvalues| above 1",
    "phase.column.starts": "of {starts} starts end here",
    "phase.column.values": "eigenvalues",
    "phase.column.unit": "h of unit {unit}",
    "phase.column.step": "step",
    "remark.hidden_state.elman": "Elman called h_(t−1) the context units: the hidden units are copied back at each "
    "step and read like a second input (Elman, 1990).",
    "remark.hidden_state.jacobian": "With column vectors and h_t = tanh(W_hh h_(t−1) + …), the Jacobian ∂h_t/∂h_(t−1) "
    "is diag(1 − h_t²) W_hh, without a transpose. W_hhᵀ belongs to the backward pass, and to the row convention h W, "
    "in which W stands for W_hhᵀ (chain rule; compare Goodfellow, Bengio & Courville, 2016, section 10.2.2).",
    "remark.hidden_state.fixed_points": "A trained network is often understood through its fixed points and slow "
    "points: states that one step moves little or not at all. Near them the network is almost linear, so the "
    "eigenvalues of the Jacobian say what happens (Sussillo & Barak, 2013).",
    "remark.hidden_state.line": "A line of fixed points (line attractor) can store a continuous value: input moves "
    "the state along it, and without input the state stays. It was proposed as the neural integrator that holds the "
    "eyes still. It needs fine tuning: one eigenvalue must be exactly 1 (Seung, 1996).",
    "remark.hidden_state.chaos": "Large random tanh networks, without input and in continuous time, fall silent for "
    "gain g < 1 and are chaotic for g > 1. This holds in the limit of infinitely many units whose weights are "
    "independent with variance g²/H; a small network can rest or cycle at any gain (Sompolinsky, Crisanti & Sommers, "
    "1988).",
    "remark.hidden_state.echo": "An echo state network forgets its start: under the same input, all starts converge. "
    "For tanh, a largest singular value of W_hh below 1 is sufficient. A spectral radius above 1 excludes it where "
    "zero input is allowed and there is no bias; a spectral radius below 1 is not sufficient (Jaeger, 2001; Yildiz, "
    "Jaeger & Kiebel, 2012).",
    "remark.hidden_state.turing": "Recurrent networks with saturated-linear units and rational weights can simulate "
    "any Turing machine. The proof needs states of unbounded precision. It says nothing about float64, or about what "
    "training finds (Siegelmann & Sontag, 1995).",
}
