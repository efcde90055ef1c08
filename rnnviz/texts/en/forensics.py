"""Words on an update that was clipped or that ended its run."""

TEXTS: dict[str, str] = {
    "forensics.title": "Clipping and overflow: which step, which weight, which singular value?",
    "forensics.none": "Nothing is recorded so far. Updates whose gradient is clipped or overflows are recorded here, "
    "unless the networks are very large.",
    "forensics.choice": "Update",
    "forensics.kind.first": "{name}: update {number}, first clip",
    "forensics.kind.largest": "{name}: update {number}, large clip",
    "forensics.kind.end": "{name}: update {number}, overflow",
    "forensics.cell.numbered": "{cell} {number}",
    "forensics.question.course": "How it came to this",
    "forensics.question.step": "Which step?",
    "forensics.question.weight": "Which weight?",
    "forensics.question.singular": "Which singular value?",
    "forensics.first": "Update {number} was the first one to be clipped. Its gradient norm was {norm}, above the "
    "threshold {limit}: clipping multiplied the gradient by {factor}.",
    "forensics.largest": "Update {number} was clipped. Its gradient norm, {norm}, was the largest up to then, and the "
    "threshold is {limit}: clipping multiplied the gradient by {factor}.",
    "forensics.end.state": "Update {number} ended the run: its forward pass overflows float64 (about 1.8e308) at step "
    "{step}.",
    "forensics.end.output": "Update {number} ended the run: the output overflows float64 (about 1.8e308) at step "
    "{step}.",
    "forensics.end.loss": "Update {number} ended the run: the squared error of step {step} overflows float64 (about "
    "1.8e308).",
    "forensics.end.losses": "Update {number} ended the run: the sum of the squared errors overflows float64 (about "
    "1.8e308). None of them does so alone.",
    "forensics.end.batch": "Update {number} ended the run: the loss of the whole batch overflows float64 (about "
    "1.8e308). The loss of the example shown does not.",
    "forensics.end.gradient": "Update {number} ended the run: its backward pass overflows float64 (about 1.8e308) at "
    "step {step}.",
    "forensics.end.weight": "Update {number} ended the run: the gradient of {weight} overflows float64 (about "
    "1.8e308).",
    "forensics.end.norm": "Update {number} ended the run: the square of its gradient norm overflows float64 (about "
    "1.8e308). The largest entry of the gradient in absolute value is {entry}.",
    "forensics.end.unknown": "Update {number} ended the run: one of its numbers overflows float64 (about 1.8e308).",
    "forensics.growth": "Over the {count} updates from {first} to {last} the gradient norm grew from {before} to "
    "{after}: by a factor of {ratio} per update on average.",
    "forensics.best": "The smallest loss before that was {loss}, at update {number}.",
    "forensics.rose": "On its own batch, update {number} raised the loss from {before} to {after}, a factor of "
    "{ratio}.",
    "forensics.beyond": "On its own batch, update {number} raised the loss from {before} beyond float64.",
    "forensics.fell": "On its own batch, update {number} lowered the loss from {before} to {after}.",
    "forensics.same": "On its own batch, update {number} left the loss at {after}.",
    "forensics.lost": "After update {number}, some weights are no finite numbers any more.",
    "forensics.overshot": "Its step was too long: to first order it would have lowered the loss by {fall}.",
    "forensics.share": "{share} of the squared gradient norm belongs to {array}.",
    "forensics.weight": "No weight or bias had a gradient larger in absolute value than {weight}: {gradient}. "
    "Update {number} moved it from {before} to {after}.",
    "forensics.weight.lost": "No weight or bias had a gradient larger in absolute value than {weight}: {gradient}. "
    "Before update {number} it was {before}.",
    "forensics.singular": "Over update {number} the largest singular value of {matrix} went from {before} to {after}, "
    "its spectral radius from {radius} to {radius_after}.",
    "forensics.singular.same": "Over update {number} the largest singular value of {matrix} stayed at {before}, its "
    "spectral radius at {radius}.",
    "forensics.singular.only": "Before update {number}, the largest singular value of {matrix} was {before}, its "
    "spectral radius {radius}.",
    "forensics.error": "With the weights {network}, the {name} is largest at step {step}: {error}.",
    "forensics.error.one": "With the weights {network}, the {name} of step {step} is {error}.",
    "forensics.error.none": "With the weights {network}, the {name} is exactly 0 at every step.",
    "forensics.contribution": "Step {step} contributes most to the gradient of {matrix}: a part with norm {part}. The "
    "sum over all {steps} steps has norm {total}.",
    "forensics.contribution.one": "The gradient of {matrix} has norm {total}.",
    "forensics.contribution.none": "No step contributes to the gradient of {matrix}.",
    "forensics.rounded": "Training used {used} for the norm of this gradient, where the exact one is {exact}: the "
    "derivative of a saturated unit is lost to rounding there.",
    "forensics.stretch": "A single step multiplies a small change of {state} by at most {most} (step {step}), all "
    "{steps} steps together by at most {product}.",
    "forensics.stretch.one": "The step multiplies a small change of {state} by at most {most}.",
    "forensics.state": "the state",
    "forensics.part": "The update learned from steps {first} to {last} of {of} alone, because backpropagation is "
    "truncated.",
    "forensics.part.one": "The update learned from step {step} of {of} alone, because backpropagation is truncated.",
    "forensics.example": "The batch has {batch} examples. Errors and contributions are those of the one with the "
    "largest loss, {loss}.",
    "forensics.example.beyond": "The batch has {batch} examples. Errors and contributions are those of the first "
    "one whose loss is no finite number.",
    "forensics.network": "after update {number}",
    "forensics.network.start": "before the first update",
    "forensics.of_readout": "{name} of the readout",
    "forensics.of_layer": "{name} of layer {layer}",
    "forensics.of_gate": "{name} (block {gate})",
    "forensics.entry": "{name}[{place}]",
    "forensics.heading.history": "Gradient norm up to then",
    "forensics.heading.limit": "Gradient norm, and the threshold",
    "forensics.heading.errors": "Error ‖∂L/∂hₜ‖",
    "forensics.heading.contributions": "Contribution to ∂L/∂{matrix}",
    "forensics.heading.one": "Step {step} in each network",
    "forensics.axis.update": "update",
    "forensics.axis.step": "step t",
    "forensics.axis.updates": "updates that the network had",
    "forensics.axis.norm": "norm",
    "forensics.norm": "gradient norm",
    "forensics.error.name": "error ‖∂L/∂hₜ‖",
    "forensics.gradient.name": "‖∂L/∂{matrix}‖",
    "forensics.level.best": "smallest loss",
    "forensics.hover.update": "gradient norm of update {number}: {value}",
    "forensics.hover.step": "weights {network}, step {step}: {value}",
    "forensics.hover.network": "{name}, weights {network}: {value}",
    "forensics.numbers": "As numbers",
    "forensics.table.weights": "The entry of each array with the largest gradient in absolute value, in update "
    "{number}",
    "forensics.table.networks": "The networks before and after, on the same example",
    "forensics.column.array": "array",
    "forensics.column.norm": "gradient norm",
    "forensics.column.entry": "largest entry",
    "forensics.column.gradient": "its gradient",
    "forensics.column.before": "before",
    "forensics.column.after": "after",
    "forensics.column.moved": "change",
    "forensics.column.quantity": "number",
    "forensics.row.loss": "the example's share of the loss",
    "forensics.row.error": "largest error ‖∂L/∂hₜ‖",
    "forensics.row.contribution": "largest contribution to ∂L/∂W_hh",
    "forensics.row.gradient": "norm of ∂L/∂W_hh",
    "forensics.row.state": "largest norm of h",
    "forensics.row.stretch": "largest singular value of a step's Jacobian",
    "forensics.row.product": "largest singular value of the product of all Jacobians",
    "forensics.block.sigma": "largest singular value of {matrix}",
    "forensics.block.radius": "spectral radius of {matrix}",
}
