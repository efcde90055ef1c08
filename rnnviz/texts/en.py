"""English texts. Slots in braces are filled with computed numbers; keys say where a text stands."""

TEXTS: dict[str, str] = {
    # pages
    "app.name": "rnnviz",
    "page.home": "Home",
    "page.hidden_state": "Hidden state",
    "section.forward": "Forward",
    "home.title": "See, change and check every number of a recurrent network",
    "home.subtitle": "One step of an Elman network, alive. Step through time, point at a number, type another weight.",
    "home.pages": "Pages",
    "home.open": "Open {page}",
    "home.card.hidden_state": "What happens to the numbers when one input arrives? Every product, sum and "
    "activation of the Elman step, with weights and sequences of your own.",
    "hidden_state.title": "Hidden state, step by step",
    "hidden_state.subtitle": "What happens to the numbers when one input arrives?",
    # controls
    "control.preset": "Preset",
    "control.input_size": "Input size D",
    "control.hidden_size": "Hidden size H",
    "control.steps": "Steps T",
    "control.activation": "Activation",
    "control.init": "Weights",
    "control.seed": "Seed",
    "control.gain": "Gain of W_hh",
    "control.output_size": "Outputs",
    "control.output_activation": "Output activation",
    "control.input": "Input sequence",
    "control.h0": "Initial state h₀",
    "control.own": "Your own sequence",
    "control.own.text": "Type or paste it: one step a line, components apart by commas",
    "control.own.file": "Or choose a CSV or text file: one row a step",
    "control.own.use": "Use this sequence",
    "control.own.drop": "Back to a generated sequence",
    "control.own.taken": "{steps} steps of {size}: these set D and T.",
    "control.locked": "Your sequence sets this. Take it back to choose freely.",
    "help.init": "How weights are drawn. A preset with weights of its own gives way to random ones when you choose "
    "here, or change a size, the seed or the gain.",
    "help.gain": "Multiplies W_hh; with “spectral” it is the spectral radius.",
    "help.h0": "Numbers with commas between them, one for each hidden unit, or a single one for all. "
    "Empty means what the preset says, else zeros.",
    "help.output_size": "Readout y = g(W_ho h + b_o) on top of the hidden state; 0 leaves it out.",
    "choice.preset.worked_example": "Worked example",
    "choice.preset.echo": "Echo",
    "choice.preset.counter": "Counter",
    "choice.preset.oscillator": "Oscillator",
    "choice.preset.saturated": "Saturated",
    "choice.preset.chaotic": "Chaotic",
    "choice.preset.random": "Random",
    "choice.activation.tanh": "tanh",
    "choice.activation.sigmoid": "sigmoid",
    "choice.activation.relu": "relu",
    "choice.activation.identity": "identity",
    "choice.init.preset": "the preset's own",
    "choice.init.torch": "PyTorch's default",
    "choice.init.xavier": "Xavier",
    "choice.init.orthogonal": "orthogonal",
    "choice.init.identity": "identity (IRNN)",
    "choice.init.spectral": "spectral radius",
    "choice.init.zeros": "zeros",
    "choice.input.preset": "the preset's own",
    "choice.input.own": "your own",
    "choice.input.noise": "noise",
    "choice.input.impulse": "impulse",
    "choice.input.sine": "sine",
    "choice.input.silence": "silence",
    "choice.output_activation.identity": "identity",
    "choice.output_activation.softmax": "softmax",
    "choice.output_activation.sigmoid": "sigmoid",
    "choice.output_activation.tanh": "tanh",
    # messages
    "problem.address": "The address says **{name} = {given}**, but {name} {needed}. What it would be without that "
    "entry is shown.",
    "problem.too_long": "The address would be {length} characters long; at most {limit} travel safely, "
    "so it stays as "
    "it was and does not carry this screen. Download the sequence to keep it.",
    "problem.refused": "Not taken: {reason}",
    "control.download": "Download the sequence as CSV",
    "connection.lost": "The server is not reachable. Stepping and pointing still work; your edits are kept here and "
    "sent as soon as it answers.",
    # facts of the presets
    "fact.worked_example": "Step 1 is the textbook's own: the sums a = {a} become h {sign} {h}. The readout weights "
    "W_ho and b_o are ours.",
    "fact.worked_example.changed": "No longer the textbook's step: the sums of step 1 are now a = {a} instead of {own}, "
    "and h {sign} {h}.",
    "fact.echo.none": "Two steps and an output are needed to hear an echo.",
    "fact.echo.exact": "The output repeats the input one step late, exactly, at all {steps} steps: y = "
    "{y} at the end is "
    "the x = {x} of the step before.",
    "fact.echo.off": "The output is no exact echo: it misses the input one step before by up to {error}.",
    "fact.counter.exact": "Unit 1 counts: after {steps} steps it stands at {count}, the sum of all inputs. "
    "Unit 2 wakes "
    "when the count passes 2.",
    "fact.counter.off": "Unit 1 no longer counts: after {steps} steps it stands at {count}, the inputs "
    "add up to {total}.",
    "fact.oscillator.none": "Unit 1 does not swing: it passes zero upwards less than twice.",
    "fact.oscillator.period": "Unit 1 swings by itself with a period of {period} steps, up to {size} high: "
    "W_hh turns the "
    "state by a fixed angle at each step.",
    "fact.saturated": "{percent} % of all slopes are under 0.01 (median {median}): most units stand at an end of the "
    "activation, where a change hardly passes through.",
    "fact.chaotic.grows": "Two starts a billionth apart (1e−9 in unit 1) are {apart} apart after {steps} "
    "steps: small "
    "differences grow.",
    "fact.chaotic.shrinks": "Two starts a billionth apart (1e−9 in unit 1) are {apart} apart after {steps} "
    "steps: small "
    "differences die out.",
    "fact.random.short": "One step only: nothing is remembered yet.",
    "fact.random.fades": "A nudge to h at step 1 reaches step {steps} at no more than {left} of its size: "
    "this network "
    "forgets.",
    "fact.random.grows": "A nudge to h at step 1 can reach step {steps} at {left} of its size: this network magnifies.",
    # what to notice at a step
    "notice.moves": "At this step unit {unit} moves most, from {before} to {after}: its sum {sum} is "
    "{from_x} from the "
    "input and {from_h} from the memory; the slope there is {slope}.",
    "notice.still": "At this step no unit moves.",
    # captions of the drawn vectors
    "caption.x": "input",
    "caption.h_prev": "memory",
    "caption.from_x": "from the input",
    "caption.from_h": "from the memory",
    "caption.a": "sum",
    "caption.h": "new memory",
    "caption.y": "output",
    "caption.y_preact": "sum for y",
    # the explorer's own words
    "explorer.explorer": "Cell explorer: one step of the network, every number",
    "explorer.step": "Step t = {t} of {steps}",
    "explorer.hint": "point: where it comes from · click: pin, or type a weight · ← → step · space plays",
    "explorer.first": "First step",
    "explorer.previous": "Previous step",
    "explorer.play": "Play",
    "explorer.next": "Next step",
    "explorer.last": "Last step",
    "explorer.speed": "Speed",
    "explorer.undo": "Undo",
    "explorer.reset": "Reset {count} edited",
    "explorer.reset_title": "Take back every edited number",
    "explorer.waiting": "waiting for the server; your edits are kept",
    "explorer.numbers": "The numbers of this step as a table",
    "explorer.loop": "becomes the memory of the next step: the same weights are used at every step",
    "explorer.start": "start",
    "explorer.step_word": "step",
    "explorer.over_time": "over time",
    "explorer.unit": "unit",
    "explorer.slope": "slope",
    "explorer.edited": "edited",
    "explorer.editable": "editable",
    "explorer.before": "before the edit",
    "explorer.before_edit": "before the edit:",
    "explorer.shared": "the same number is used at each of the {steps} steps;",
    "explorer.at_step": "at step {t}:",
    "explorer.goes_into": "goes into",
    "explorer.type_number": "type a number",
    "explorer.not_a_number": "“{given}” is not a number. Type digits, as in −0.3 or 1e-4.",
    "explorer.wrong_count": "{name} has {needed} numbers; the text has {given}.",
    "explorer.not_all_numbers": "words among them",
    "explorer.field_hint": "Enter sets, Escape leaves. Paste here to fill the whole block. Dragging a "
    "number changes it too.",
    "explorer.zero_block": "Zero {name}",
    "explorer.reset_block": "Reset {name}",
    "explorer.legend_signed": "inputs, states, sums",
    "explorer.legend_weight": "weights",
    "explorer.legend_gate": "gates",
}
