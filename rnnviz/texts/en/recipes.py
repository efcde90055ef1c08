"""Words of the recipes of the training page: settings, tasks, presets, what to watch and what was measured."""

TEXTS: dict[str, str] = {
    "recipe.task": "Task",
    "recipe.cells": "Cells",
    "recipe.hidden_size": "Hidden size H",
    "recipe.layers": "Layers L",
    "recipe.steps": "Steps T",
    "recipe.gap": "Blank steps before the copy",
    "recipe.largest": "Last number",
    "recipe.activation": "Activation (Elman)",
    "recipe.init": "Initial weights",
    "recipe.gain": "Gain of W_hh",
    "recipe.bias_f": "Add to the bias of the forget gate f (LSTM)",
    "recipe.bias_z": "Add to the bias of the update gate z (GRU)",
    "recipe.optimizer": "Optimizer",
    "recipe.lr": "Learning rate",
    "recipe.clip": "Clipping threshold",
    "recipe.truncation": "Truncation: chunks of K steps",
    "recipe.batch_size": "Batch size",
    "recipe.updates": "Updates",
    "recipe.start": "Initial state h₀",
    "recipe.seed": "Seed",
    "choice.task.adding": "adding problem",
    "choice.task.recall": "delayed recall",
    "choice.task.copy": "copy",
    "choice.task.parity": "parity",
    "choice.task.brackets": "bracket depth",
    "choice.task.sine": "sine",
    "choice.task.next_number": "next number",
    "choice.task.classes": "random classes",
    "choice.task.series": "your own series",
    "choice.cells.all": "all three cells",
    "choice.cells.elman": "Elman",
    "choice.cells.lstm": "LSTM",
    "choice.cells.gru": "GRU",
    "choice.optimizer.adam": "Adam",
    "choice.optimizer.sgd": "SGD",
    "choice.start.zero": "zeros",
    "choice.start.learned": "learned",
    "help.recipe.steps": "Length of the sequences. For “copy” the blank steps set the length; for “next number” it is "
    "fixed.",
    "help.recipe.gap": "Steps between the last symbol and the sign that asks for the copy.",
    "help.recipe.largest": "The ten numbers are equally spaced up to this one. 10 gives 1, 2, …, 10.",
    "help.recipe.clip": "Clipping scales a gradient with a larger norm down to this norm. 0 turns clipping off.",
    "help.recipe.truncation": "Training cuts each sequence into chunks of K steps and updates the weights after each "
    "chunk. The state carries over to the next chunk, the gradient does not flow back. 0: no cut.",
    "help.recipe.batch_size": "Sequences in a batch. Every batch is drawn anew. The tasks “next number” and “random "
    "classes” have fixed sequences and ignore it.",
    "help.recipe.updates": "Training ends after this many updates of the weights. With truncation, every chunk that "
    "has a target is one update.",
    "help.recipe.start": "The hidden state before the first step, in every layer. “learned” starts at zeros and is "
    "trained along with the weights.",
    "task.adding": "Each step brings a number between 0 and 1 and a mark, 0 or 1. Two steps are marked, one in each "
    "half of the sequence. After the last step the network must say the sum of the two marked numbers.",
    "task.recall": "Each step brings a random number between −1 and 1. After the last step the network must say the "
    "first number again.",
    "task.copy": "The input shows 3 symbols of 4 kinds. After the blank steps a sign asks for the copy, and the "
    "network must name the 3 symbols in their order, one per step.",
    "task.parity": "Each step brings a bit, 0 or 1. After each step the network must say whether the number of ones "
    "so far is odd.",
    "task.brackets": "Each step brings an opening or a closing bracket. After each step the network must say how many "
    "brackets are open, at most 8.",
    "task.sine": "Each step brings a value of a sine wave with random phase and a period of 10 to 30 steps. The "
    "network must say the next value.",
    "task.next_number": "The input counts up in equal steps, and the network must say the next number. Training sees "
    "one sequence of ten numbers; the test counts halfway between them.",
    "task.classes": "Each step brings random numbers, and the network must name a class, 1 of 5, which was drawn at "
    "random too. Training repeats the same 4 sequences. The classes of the test cannot be known from its input.",
    "task.series": "The input is your own series, and the network must say its next row. Training sees the first four "
    "fifths, the test the last fifth. Each column is scaled to mean 0 and standard deviation 1 over the training "
    "part; losses and charts are in these units.",
    "recipe.series.read": "{rows:,} {rows:row|rows} of {columns} {columns:number|numbers}.",
    "recipe.series.commas": "{rows:,} {rows:row|rows} of {columns} {columns:number|numbers}. If your commas are "
    "decimal marks, write points instead.",
    "recipe.steps.fitted": "T was lowered from {given} to {taken}, the most that this series has room for.",
    "recipe.preset.adding": "Adding problem",
    "recipe.preset.irnn": "Adding with an IRNN",
    "recipe.preset.recall": "Delayed recall",
    "recipe.preset.gates_half_open": "Recall, gates half open",
    "recipe.preset.copy": "Copy, orthogonal",
    "recipe.preset.parity": "Parity",
    "recipe.preset.brackets": "Bracket depth",
    "recipe.preset.sine": "Sine",
    "recipe.preset.by_heart": "Learned by heart",
    "recipe.preset.next_number": "Next number",
    "recipe.preset.explosion": "Explosion",
    "recipe.watch.adding": "Watch the test loss: it stays on a plateau, the loss of the best constant prediction. "
    "To fall below it, a cell must keep something of the marked numbers until the last step.",
    "recipe.watch.irnn": "An Elman network can learn the adding problem too. This one has relu, W_hh starts as the "
    "identity matrix, the learning rate is smaller, and clipping begins only at a gradient norm of 10.",
    "recipe.watch.recall": "The first input must survive to the last step. The gates start nearly open for memory: 3 "
    "is added to the biases of f and z, so both start near 0.95.",
    "recipe.watch.gates_half_open": "Delayed recall again, but with nothing added to the biases: the gates f and z "
    "start near 0.5. At the beginning LSTM and GRU lose about half of what they store at every step.",
    "recipe.watch.copy": "W_hh starts orthogonal, in the gated cells block by block. A block then neither shrinks nor "
    "stretches a gradient. In the Elman network only the derivative of tanh can still shrink it; in the gated cells "
    "the gates can too.",
    "recipe.watch.parity": "One bit changes the answer for all later steps. The loss stays on a plateau for a while; "
    "where the task is solved, it then falls fast.",
    "recipe.watch.brackets": "The network has to count up and down, and a miscount carries over to later steps. Watch "
    "the predictions come closer to the targets.",
    "recipe.watch.sine": "Three values determine the sine wave, so a short memory is enough here. The first two "
    "predictions do not count.",
    "recipe.watch.by_heart": "The classes are random, so there is nothing to understand. The training loss falls, and "
    "the test loss rises: the network learns the training sequences by heart.",
    "recipe.watch.next_number": "Each update uses a single step, and the gradient does not flow into the step before. "
    "Nine updates are one epoch.",
    "recipe.watch.explosion": "The same network on 1, 2, …, 10 instead of 0.1, 0.2, …, 1. The units saturate, and "
    "then the updates overshoot: the error changes its sign and grows, until the gradient norm overflows float64.",
    "expected.solved": "Solved within {updates} updates at seeds {first} to {last}: {cells}.",
    "expected.by_heart": "Learned by heart within {updates} updates at seeds {first} to {last}: {cells}.",
    "expected.exploded": "Exploded within {updates} updates at seeds {first} to {last}: {cells}.",
    "expected.cell.all": "{name} at all {count} (median update {median})",
    "expected.cell.most": "{name} at {there} of {count} (median update {median}), not at {named:seed|seeds} {seeds}",
    "expected.cell.few": "{name} only at seeds {seeds} (median update {median})",
    "expected.cell.one": "{name} only at seed {seeds} (update {median})",
    "expected.cell.none": "{name} at no seed",
}
