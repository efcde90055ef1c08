"""Words of the Gradient flow page: step by step, eigenvalues, seeds, remarks."""

TEXTS: dict[str, str] = {
    "choice.preset.textbook_matrix": "Textbook matrix",
    "choice.preset.transient": "Transient growth",
    "choice.preset.nilpotent": "Nilpotent",
    "choice.preset.rotation": "Rotation",
    "chain.title": "Step by step",
    "chain.choose": "Choose a step from {first} to {last}. If the field is empty, the step with the most extreme "
    "factor is shown.",
    "chain.clipped": "The address asks for steps {k} to {t}, but this run has {steps:,} {steps:step|steps}.",
    "chain.loses": "The norm ‖∂{s}{to}/∂{s}{of}‖ is {left}. The smallest factor of the {count:,} steps is {factor}, at "
    "step {step}.",
    "chain.wins": "The norm ‖∂{s}{to}/∂{s}{of}‖ is {left}. The largest factor of the {count:,} steps is {factor}, at "
    "step {step}.",
    "chain.same": "The norm ‖∂{s}{to}/∂{s}{of}‖ is {left}. All {count:,} steps have the same factor, {factor}.",
    "chain.even": "The norm ‖∂{s}{to}/∂{s}{of}‖ is 1. All {count:,} steps have the factor 1: none shrinks or stretches "
    "the gradient.",
    "chain.single": "The norm ‖∂{s}{to}/∂{s}{of}‖ is {left}, the factor of a single step.",
    "chain.cut": "∂{s}{to}/∂{s}{of} is exactly 0. Step {step} cuts the path: its factor is 0.",
    "chain.gap": "The norm ‖∂{s}{to}/∂{s}{of}‖ is {left}, although ∂{s}{to}/∂{s}{through} is exactly 0. The gradient "
    "reaches step {k} through another part of the state, so the factors around the gap are left out.",
    "chain.note": "The factor of a step is the norm after it, divided by the norm before it, on the way back from step "
    "{t}. It can be below 1 although the step's largest singular value σ₁ is above 1: the step stretches one "
    "direction, and the gradient points in another. The product of all factors is the whole norm.",
    "chain.note.gap": "The factor of a step is the norm after it, divided by the norm before it, on the way back "
    "from step {t}.",
    "chain.state": "s = [h; c] is the whole state.",
    "chain.said": "The factor of each step, on a logarithmic axis centred on 1. Step {opened} is shown.",
    "chain.heading": "factor of each step on the way back",
    "chain.axis": "step",
    "chain.bar": "step {step}: × {factor}",
    "chain.bar.gap": "step {step}: no factor, the gradient is exactly 0 beside it",
    "chain.opened": "step {step}",
    "chain.numbers": "As numbers",
    "chain.column.step": "step",
    "chain.column.factor": "log10 of its factor",
    "chain.column.norm": "log10 of the norm from step {t} back through this step",
    "opened.formula.tanh": "∂h<sub>{t}</sub>/∂h<sub>{before}</sub> = <b>diag(1 − h<sub>{t}</sub>²) W<sub>hh</sub></b>",
    "opened.formula.sigmoid": "∂h<sub>{t}</sub>/∂h<sub>{before}</sub> = <b>diag(h<sub>{t}</sub> ⊙ (1 − "
    "h<sub>{t}</sub>)) W<sub>hh</sub></b>",
    "opened.formula.relu": "∂h<sub>{t}</sub>/∂h<sub>{before}</sub> = <b>diag(a<sub>{t}</sub> &gt; 0) "
    "W<sub>hh</sub></b>",
    "opened.formula.identity": "∂h<sub>{t}</sub>/∂h<sub>{before}</sub> = <b>W<sub>hh</sub></b>",
    "opened.formula.lstm": "∂c<sub>{t}</sub>/∂c<sub>{before}</sub> = <b>diag({gate}<sub>{t}</sub>)</b>; the three "
    "other blocks involve h",
    "opened.formula.gru": "∂h<sub>{t}</sub>/∂h<sub>{before}</sub> = <b>diag({gate}<sub>{t}</sub>)</b> + the paths "
    "through gates and candidate",
    "opened.elman": "Step {t}: the derivative g′(a) is {mean} on average, and below {limit} in {low}. The largest "
    "singular value σ₁ is {step} for the step's Jacobian and {sigma} for W_hh alone.",
    "opened.linear": "Step {t}: the network is linear, so every derivative is 1 and the step's Jacobian is W_hh "
    "itself. Its largest singular value is σ₁ = {sigma}.",
    "opened.lstm": "Step {t}: {gate} is {mean} on average and {most} at most. The largest singular value is {step} for "
    "the whole Jacobian. For its blocks it is {most} (∂c/∂c), {ch} (∂c/∂h), {hc} (∂h/∂c) and {hh} (∂h/∂h).",
    "opened.gru": "Step {t}: {gate} is {mean} on average and {most} at most. The largest singular value is {most} for "
    "the gate's path, {rest} for the other paths and {step} for the whole Jacobian.",
    "opened.slopes": "derivative g′(a) of each unit at step {t}",
    "opened.gates": "{gate} of each unit at step {t}",
    "opened.unit": "unit {unit}: {value}",
    "opened.formula.step": "∂s<sub>{t}</sub>/∂s<sub>{before}</sub> = <b>J<sub>{t}</sub></b>, the Jacobian of the whole "
    "step. The cell does not say what it is made of.",
    "opened.step": "Step {t} stretches a change of the state by {sigma} at most.",
    "opened.singular.step": "singular values of the step",
    "opened.singular": "singular values: step (bars), W_hh (dots)",
    "opened.singular.gates": "singular values: step (bars), {gate} (dots)",
    "opened.direction": "singular value {place}: {value}",
    "opened.alone": "W_hh alone, singular value {place}: {value}",
    "opened.alone.gates": "{gate} alone, singular value {place}: {value}",
    "opened.axis.unit": "unit",
    "opened.axis.place": "index, largest first",
    "opened.axis.slope": "g′(a)",
    "opened.axis.singular": "singular value",
    "opened.column.unit": "unit",
    "opened.column.slope": "derivative g′(a)",
    "opened.column.place": "index",
    "opened.column.step": "singular value of the Jacobian",
    "opened.column.weights": "singular value of W_hh",
    "opened.column.gates": "{gate}, largest first",
    "spectrum.title": "Eigenvalues, singular values, Lyapunov exponents",
    "spectrum.presets": "Matrices to try:",
    "spectrum.gate": "Block of W_hh",
    "spectrum.block": "{matrix}, the block of {gate}",
    "spectrum.words": "The spectral radius of {matrix} (its largest absolute eigenvalue) is ρ = {radius}. Its largest "
    "singular value is σ₁ = {sigma}. At n = {steps}, the power {matrix}ⁿ has norm {left}.",
    "spectrum.gated": "{matrix} is one of {count} blocks of W_hh. It does not decide the decay alone: each step "
    "combines all {count} blocks with the gates.",
    "spectrum.transient": "Transient growth: all eigenvalues lie inside the unit circle, yet the norm ‖{matrix}ⁿ‖ "
    "rises above 1. Up to n = {steps} it is largest at n = {power}: {peak}. Only σ₁ ≤ 1 rules this out.",
    "spectrum.transient.still": "All eigenvalues lie inside the unit circle, yet the norm ‖{matrix}ⁿ‖ is above 1, "
    "and up to n = {power} it is largest there. Only σ₁ ≤ 1 rules this out.",
    "spectrum.identity": "{matrix} is the identity, and so is every power of it.",
    "spectrum.orthogonal": "{matrix} is orthogonal: every singular value is 1, and every power has norm 1.",
    "spectrum.orthogonal.scaled": "Every singular value is {sigma}: {matrix} is {sigma} times an orthogonal matrix.",
    "spectrum.turn": "It rotates the plane by {angle}°.",
    "spectrum.turn.back": "It rotates the plane by {angle}°, and its power n = {period} is the identity.",
    "spectrum.step": "One step back multiplies the gradient by diag(g′(a)) W_hh. At step {t} the spectral radius of "
    "this matrix is {step}, and g′(a) is below {limit} in {low}.",
    "spectrum.step.explodes": "ρ is below 1, yet this gradient grows. One step back multiplies it not by W_hh but by "
    "diag(g′(a)) W_hh, which has other eigenvalues: at step {t} the spectral radius is {step}, as g′(a) differs "
    "between units. It is below "
    "{limit} in {low}.",
    "spectrum.step.gated": "At step {t} the Jacobian of the whole state has spectral radius {step}.",
    "spectrum.run.fades": "This run shrinks every direction. The largest singular value of ∂{s}{to}/∂{s}₀ is {left}: a "
    "factor of {factor} a step. The natural logarithm of this factor is the largest finite-time Lyapunov exponent, "
    "{largest}.",
    "spectrum.run.grows": "This run stretches {count} of {all} {all:direction|directions}. The largest singular value "
    "of ∂{s}{to}/∂{s}₀ is {left}: a factor of {factor} a step. The natural logarithm of this factor is the largest "
    "finite-time Lyapunov exponent, {largest}.",
    "spectrum.run.keeps": "This run stretches no direction, and {count} of {all} {all:direction|directions} "
    "{count:keeps its|keep their} length. The largest singular value of ∂{s}{to}/∂{s}₀ is 1, so the largest "
    "finite-time Lyapunov exponent is 0.",
    "spectrum.run.none": "This run loses every direction: ∂{s}{to}/∂{s}₀ is exactly 0, and all finite-time Lyapunov "
    "exponents are −∞.",
    "spectrum.run.only": "In absolute value, ∂{s}{to}/∂{s}₀ is {left}: a factor of {factor} a step. The natural "
    "logarithm of this factor is the finite-time Lyapunov exponent, {largest}.",
    "spectrum.run.lost": "{lost} of {all} directions {lost:is|are} lost exactly: {lost:its exponent is|their "
    "exponents are} −∞.",
    "spectrum.run.same": "This is the norm at step 0 in the chart at the top.",
    "spectrum.run.state": "Here s = [h; c] is the whole state of the LSTM.",
    "spectrum.run.block": "The chart at the top shows {block} alone.",
    "spectrum.plane": "eigenvalues and the unit circle",
    "spectrum.plane.real": "real part",
    "spectrum.plane.imaginary": "imaginary part",
    "spectrum.plane.step": "diag(g′(a)) W_hh at step {t}",
    "spectrum.plane.step.gated": "Jacobian at step {t}",
    "spectrum.plane.said": "Eigenvalues in the complex plane with the unit circle: {matrix} and {step}.",
    "spectrum.plane.said.alone": "Eigenvalues in the complex plane with the unit circle: {matrix}.",
    "spectrum.singular": "singular values of {matrix}",
    "spectrum.singular.axis": "singular value",
    "spectrum.exponents": "finite-time exponents, ln σᵢ / T",
    "spectrum.exponents.axis": "nats a step",
    "spectrum.place": "index i, largest first",
    "spectrum.dot": "{name}: {value}, absolute value {size}",
    "spectrum.bar": "σ{place} = {value}",
    "spectrum.exponent": "direction {place}: {value} nats a step, × {factor} a step",
    "spectrum.exponent.lost": "direction {place}: −∞, lost exactly",
    "spectrum.bars.said": "{count} {count:singular value|singular values} of {matrix}: {sigmas}; {all} finite-time "
    "{all:exponent|exponents}: {exponents}.",
    "spectrum.bars.range": "from {high} down to {low}",
    "spectrum.numbers": "As numbers",
    "spectrum.column.place": "index i",
    "spectrum.column.real": "eigenvalue, real part",
    "spectrum.column.imaginary": "eigenvalue, imaginary part",
    "spectrum.column.size": "absolute value",
    "spectrum.column.singular": "singular value",
    "spectrum.column.exponent": "finite-time exponent (nats a step)",
    "spectrum.column.factor": "factor a step",
    "seeds.title": "Is it the seed or the initialisation?",
    "seeds.hand_set": "The weights are fixed here, so there are no other seeds to compare. Choose a preset with random "
    "weights, or an initialisation.",
    "seeds.long": "This draws {count} networks, which takes about {seconds} {seconds:second|seconds}.",
    "seeds.working": "Running {count} networks",
    "seeds.bands": "**Norm at step 0 over {count} seeds, from the lower to the upper quartile:** {cells}.",
    "seeds.cell": "{name} {lower} to {upper}, median {median}",
    "seeds.cell.same": "{name} {median} throughout",
    "seeds.short": "{count} {count:network|networks} overflowed float64 and {count:is|are} left out.",
    "seeds.none": "All {count} networks overflowed float64. Choose a smaller gain.",
    "seeds.method": "Each line is a median, each band goes from the lower to the upper quartile. They are computed on "
    "log₁₀ of the norm. With an even number of seeds, the median is the mean of the two middle values.",
    "seeds.note": "{name}, {lag:,} {lag:step|steps} back: median {median}, quartiles {lower} and {upper}",
    "seeds.heading": "cells: median and quartiles of {count} seeds",
    "seeds.axis.lag": "steps back from T (T − k)",
    "seeds.axis.norm": "gradient norm",
    "seeds.edited": "Typed weights and inputs are left out here: every network is drawn at random.",
    "seeds.zero": "At {lag:,} {lag:step|steps} back, the median of {name} is exactly 0, and its line ends.",
    "inits.words": "**{name}, median norm at step 0 over {count} seeds:** {cells}.",
    "inits.cell": "{name} {left}",
    "inits.heading": "initialisations: median of {count} seeds",
    "inits.note": "{name}, {lag:,} {lag:step|steps} back: median {median}",
    "seeds.numbers": "As numbers",
    "seeds.column.lag": "steps back",
    "seeds.column.median": "{name}: log10 of the median",
    "seeds.column.lower": "{name}: log10 of the lower quartile",
    "seeds.column.upper": "{name}: log10 of the upper quartile",
    "remark.gradient_flow.first": "The first analysis of vanishing gradients is a diploma thesis (Hochreiter, 1991).",
    "remark.gradient_flow.sufficient": "If σ₁ of W_hh, its largest singular value, times the largest derivative of the "
    "activation is below 1, the gradient must vanish. The largest derivative is 1 for tanh and 1/4 for the sigmoid "
    "(Pascanu, Mikolov & Bengio, 2013).",
    "remark.gradient_flow.necessary": "The gradient can explode only if σ₁ of W_hh times the largest derivative of the "
    "activation is above 1. This is necessary, not sufficient (Pascanu, Mikolov & Bengio, 2013).",
    "remark.gradient_flow.non_normal": "Eigenvalues alone decide neither vanishing nor exploding. A non-normal matrix "
    "can stretch for many steps although all its eigenvalues lie inside the unit circle (Trefethen & Embree, 2005).",
    "remark.gradient_flow.latching": "A network that stores one bit robustly against noise has a vanishing gradient: "
    "the same contraction that protects the bit shrinks the gradient (Bengio, Simard & Frasconi, 1994).",
    "remark.gradient_flow.carousel": "The cell state of an LSTM is a constant error carousel: in the first LSTM, its "
    "derivative over a step is exactly 1 along c (Hochreiter & Schmidhuber, 1997).",
    "remark.gradient_flow.forget": "Forget gates turn the 1 of the carousel into f: the LSTM can now forget, and its "
    "gradient can vanish (Gers, Schmidhuber & Cummins, 2000).",
    "remark.gradient_flow.bias": "In a comparison of many architectures, a forget bias of 1 closed the gap between "
    "LSTM and GRU (Jozefowicz, Zaremba & Sutskever, 2015).",
    "remark.gradient_flow.radius": "PyTorch draws W_hh from U(−1/√H, 1/√H), with variance 1/(3H). At large H its "
    "eigenvalues fill a disc of radius 1/√3 ≈ 0.577: the circular law (Tao & Vu, 2010).",
    "remark.gradient_flow.norm": "The largest singular value of PyTorch's W_hh tends to 2/√3 ≈ 1.155 at large H. It is "
    "above 1, so it does not guarantee that the gradient vanishes (Geman, 1980).",
    "remark.gradient_flow.default": "With PyTorch's default, the gradient of an LSTM vanishes too. Over 100 steps with "
    "32 units, the median factor a step is 0.571 for the Elman network, 0.651 for the LSTM and 0.647 for the GRU. With "
    "forget bias 1, it is 0.865 for the LSTM (measured with this app: 32 seeds, whole state, 4 inputs of noise).",
    "remark.gradient_flow.chrono": "Chrono initialisation draws the forget biases from log U(1, T_max − 1). T_max is "
    "the longest dependency of the task; this page uses the number of steps T (Tallec & Ollivier, 2018).",
    "remark.gradient_flow.isometry": "If all singular values of the whole Jacobian stay near 1, no direction "
    "vanishes or explodes: dynamical isometry. Orthogonal weights reach it in linear networks (Saxe, McClelland & "
    "Ganguli, 2014).",
    "remark.gradient_flow.unitary": "A unitary RNN keeps W_hh unitary during training, so W_hh itself never shrinks "
    "or stretches a gradient (Arjovsky, Shah & Bengio, 2016).",
    "remark.gradient_flow.identity": "An IRNN has relu units, the identity as W_hh, and zero biases. While all units "
    "are active, ∂h_T/∂h_k is exactly the identity (Le, Jaitly & Hinton, 2015).",
    "remark.gradient_flow.lyapunov": "Lyapunov exponents are limits for T → ∞. A run of T steps has finite-time "
    "exponents, ln σᵢ / T of the product of its Jacobians (Oseledets, 1968).",
    "remark.gradient_flow.chaos": "A large random tanh network without input becomes chaotic when the spectral radius "
    "of its weights exceeds 1. From there on, its largest Lyapunov exponent is positive (Sompolinsky, Crisanti & "
    "Sommers, 1988).",
    "remark.gradient_flow.edge": "At the edge of chaos the largest Lyapunov exponent is near 0: the gradient neither "
    "vanishes nor explodes (Bertschinger & Natschläger, 2004).",
}
