"""Words of the page that leads from n-grams to hidden states."""

TEXTS: dict[str, str] = {
    "page.from_ngrams": "From n-grams",
    "section.text": "Text",
    "from_ngrams.title": "From n-grams",
    "from_ngrams.subtitle": "Why does a model of text need a hidden state?",
    "home.card.from_ngrams": "An n-gram table grows exponentially with n, a hidden state does not. Count both, then "
    "see what each remembers.",
    "home.picture.from_ngrams": "Parameters of an n-gram table by n, and of an RNN, on a logarithmic axis",
    "home.under.from_ngrams": "A table of {n}-grams over {vocabulary} characters: {entries} entries; an RNN with "
    "{hidden} units: {parameters}",
    "ngrams.label.vocabulary": "Characters in the vocabulary, |V|",
    "ngrams.label.n": "n",
    "ngrams.label.hidden_size": "Hidden units H of the RNN",
    "ngrams.label.seed": "Seed",
    "ngrams.label.activation": "Activation φ",
    "ngrams.label.delay": "Delay in steps",
    "ngrams.label.first": "First history",
    "ngrams.label.second": "Second history",
    "ngrams.label.x": "Input X, one step per line",
    "ngrams.label.W_xh": "W_xh",
    "ngrams.label.W_hh": "W_hh",
    "ngrams.label.b_h": "b_h",
    "help.ngrams.vocabulary": "27 is the alphabet and a space.",
    "help.ngrams.n": "An n-gram model predicts a character from the n − 1 characters before it.",
    "help.ngrams.seed": "Of the network that reads the histories, and of the networks and bits that learn below.",
    "ngrams.count.said": "A table of {n}-grams over {vocabulary} {vocabulary:character|characters} has {entries} "
    "entries. The RNN with {hidden} {hidden:unit|units} has {parameters} parameters, however long the text.",
    "ngrams.count.first": "From n = {n} on the table is the larger one.",
    "ngrams.count.never": "With a single character there is nothing to predict: every table has one entry.",
    "ngrams.chart.said": "Parameters of an n-gram table, of an MLP on a window and of an RNN for n from 1 to 10",
    "ngrams.curve.table": "n-gram table, |V|ⁿ",
    "ngrams.curve.window": "MLP on n − 1 characters",
    "ngrams.curve.rnn": "RNN",
    "ngrams.axis.n": "n",
    "ngrams.axis.parameters": "parameters",
    "ngrams.hover": "{name}, n = {n}<br>{count}",
    "ngrams.exact": "All digits, and the formulas",
    "ngrams.column.n": "n",
    "ngrams.column.table": "n-gram table",
    "ngrams.column.window": "MLP on a window",
    "ngrams.column.rnn": "RNN",
    "ngrams.formula.table": "**n-gram table**: |V|ⁿ probabilities, one for each character after each context of n − 1 "
    "characters. Those after one context sum to 1, so |V|ⁿ⁻¹ (|V| − 1) are free.",
    "ngrams.formula.window": "**MLP on a window** of n − 1 one-hot characters: (n − 1) |V| H + H for the hidden layer, "
    "H |V| + |V| for the output.",
    "ngrams.formula.rnn": "**RNN**: |V| H + H² + H for the hidden state with one bias, H |V| + |V| for the output. No "
    "n occurs in it.",
    "ngrams.known": "What is left of the past?",
    "ngrams.known.about": "An n-gram model keeps the last n − 1 characters: P(xₜ | xₜ₋₁, …, xₜ₋ₙ₊₁). A recurrent "
    "network keeps its hidden state: P(xₜ | hₜ₋₁). Type two histories and compare what each model has left of them.",
    "ngrams.known.same": "Both histories are the same, so the hidden states are the same too.",
    "ngrams.known.empty": "Both histories are empty. Type a few characters.",
    "ngrams.known.blind": "A {n}-gram model sees “{context}” in both histories and predicts the same after both. The "
    "hidden states differ: ‖h − h′‖ = {distance}.",
    "ngrams.known.blind.none": "A unigram model sees nothing of the histories and predicts the same after both. The "
    "hidden states differ: ‖h − h′‖ = {distance}.",
    "ngrams.known.blind.forgot": "A {n}-gram model sees “{context}” in both histories and predicts the same after "
    "both. Here the network has forgotten the difference too: its hidden states are equal to the last bit.",
    "ngrams.known.sees": "A {n}-gram model sees “{first}” and “{second}”, so it can tell the histories apart. So can "
    "the network: ‖h − h′‖ = {distance}.",
    "ngrams.known.sees.equal": "A {n}-gram model sees “{first}” and “{second}”, so it can tell the histories apart. "
    "The network cannot: its hidden states are equal to the last bit.",
    "ngrams.known.caption": "The network is an untrained Elman RNN with {units} units and an orthogonal W_hh. It reads "
    "one-hot vectors of the {count} {count:character|characters} in both histories.",
    "ngrams.known.chart": "The hidden states after both histories, unit by unit",
    "ngrams.axis.unit": "unit",
    "ngrams.axis.h": "h",
    "ngrams.hover.unit": "unit {unit}, {name}<br>{value}",
    "ngrams.hidden": "Hidden layer or hidden state?",
    "ngrams.hidden.about": "A hidden layer lies between input and output: H = φ(X W_xh + b_h). A hidden state is also "
    "an input of the next step: Hₜ = φ(Xₜ W_xh + Hₜ₋₁ W_hh + b_h). Here both read the same input with the same "
    "weights; only W_hh is added.",
    "ngrams.hidden.pair": "Steps {first} and {second} have the same input. Their hidden layers are equal; their hidden "
    "states differ by up to {apart}.",
    "ngrams.hidden.pair.equal": "Steps {first} and {second} have the same input. Their hidden layers are equal, and so "
    "are their hidden states.",
    "ngrams.hidden.no_state": "W_hh is 0: the hidden states are the hidden layers.",
    "ngrams.hidden.no_pair": "No two steps have the same input. Make two rows of X equal and compare them.",
    "ngrams.hidden.table": "The hidden layer and the hidden state of each step",
    "ngrams.column.step": "t",
    "ngrams.column.x": "Xₜ",
    "ngrams.column.layer": "MLP: hidden layer",
    "ngrams.column.carried": "Hₜ₋₁ W_hh",
    "ngrams.column.state": "RNN: hidden state Hₜ",
    "ngrams.hidden.open": "Every number of this RNN, step by step →",
    "ngrams.hidden.rows": "A row of X is a step, as in H = X W; other pages write W_ih x with W_ih = W_xhᵀ.",
    "ngrams.learn": "A task that needs a state",
    "ngrams.learn.about": "Both networks read random bits and must say the bit of {delay} {delay:step|steps} ago. The "
    "MLP sees one step at a time.",
    "ngrams.learn.now": "Both networks read random bits and must say the bit of the same step. Nothing has to be "
    "remembered.",
    "ngrams.learn.press": "Train both",
    "ngrams.learn.failed": "After {updates} updates the cross-entropy of the RNN is {rnn}, that of the MLP {mlp}. A "
    "guess of 1/2 has ln 2 = 0.6931: without a state, the MLP never sees the bit that it must say.",
    "ngrams.learn.both": "After {updates} updates the cross-entropy of the RNN is {rnn}, that of the MLP {mlp}. No "
    "state is needed, so both learn it.",
    "ngrams.learn.chart": "Cross-entropy on test sequences by updates, of the MLP and the RNN",
    "ngrams.curve.mlp": "MLP, no state",
    "ngrams.level.chance": "guess of 1/2",
    "ngrams.axis.update": "updates",
    "ngrams.axis.loss": "cross-entropy, nats",
    "ngrams.hover.loss": "{name}, update {update}: {loss}",
    "ngrams.column.bit": "bit",
    "ngrams.column.target": "target",
    "ngrams.column.said.mlp": "MLP",
    "ngrams.column.said.rnn": "RNN",
    "ngrams.learn.numbers": "One test sequence, step by step",
    "remark.from_ngrams.ngram": "n-gram models of text go back to Shannon (1948). A neural network on a window of "
    "words was proposed by Bengio, Ducharme, Vincent & Jauvin (2003), the simple recurrent network by Elman (1990).",
    "remark.from_ngrams.hidden": "P(xₜ | hₜ₋₁) is a latent variable model. A hidden state of finite size and precision "
    "cannot keep everything; training decides what it keeps.",
    "remark.from_ngrams.table": "Most entries of a large table are never seen in any text. Practical n-gram models "
    "store only the n-grams that occur and smooth the rest (Chen & Goodman, 1999).",
}
