"""Words of the frame: menu, Home, titles, links, what stands on every page."""

TEXTS: dict[str, str] = {
    "page.home": "Home",
    "page.hidden_state": "Hidden state",
    "page.lstm_gates": "LSTM gates",
    "page.gru_gates": "GRU gates",
    "page.gradient_flow": "Gradient flow",
    "page.bptt_rtrl": "BPTT and RTRL",
    "section.forward": "Forward",
    "section.backward": "Backward",
    "compute": "Compute",
    "home.title": "Every number of a recurrent network",
    "home.subtitle": "See, change and check what an Elman RNN, an LSTM or a GRU computes, forward and backward.",
    "home.learner": "**New here?** This is one step of an Elman RNN, live: point at a number, type a new weight, press "
    "play.",
    "home.start": "Start with Hidden state →",
    "home.pages": "Pages",
    "home.no_page": "There is no page “{asked}”. Did you mean “{page}”?",
    "home.open": "Open {page} →",
    "home.lecture": "For a lecture",
    "home.lecturer": "Choose a preset on any page, then press **Copy link**. The link opens the same screen for "
    "everyone. Four screens to start with:",
    "home.lecture.step": "One Elman step by hand →",
    "home.lecture.latch": "A cell state that keeps one number →",
    "home.lecture.vanishes": "A gradient that vanishes →",
    "home.lecture.learns": "Three cells learn to add two numbers →",
    "home.picture.hidden_state": "The hidden state of the preset Oscillator over time, two units",
    "home.picture.lstm_gates": "The LSTM of the preset Latch over time: cell state c and hidden state h, two units "
    "each",
    "home.picture.gru_gates": "The GRU of the preset Latch over time: candidate n and hidden state h, two units each",
    "home.picture.gradient_flow": "The gradient norm from the last step back to step 0, one curve per cell",
    "home.picture.bptt_rtrl": "The gradient of the loss at each hidden state over time, two units",
    "home.under.hidden_state": "h of two units over {steps} steps, with no input",
    "home.under.lstm_gates": "c of unit 1 is {first} after step {step} and {last} after step {steps}",
    "home.under.gru_gates": "h of unit 1 is {first} after step {step} and {last} after step {steps}",
    "home.under.gradient_flow": "Gradient norm {steps} steps back: Elman {elman}, LSTM {lstm}, GRU {gru}",
    "home.under.bptt_rtrl": "∂L/∂h of two units, from step {steps} back to step 0",
    "home.card.hidden_state": "What happens to the numbers when one input arrives? Follow every product, sum and "
    "activation.",
    "home.card.lstm_gates": "What is kept, written and shown? See each gate with its arithmetic, and how much of each "
    "write the cell state keeps.",
    "home.card.gru_gates": "When does a GRU keep its state and when does it write? Compare the forms that both gates "
    "have in different libraries and papers.",
    "home.card.gradient_flow": "How far back does the gradient reach? Compare three cells and find the cause: weights, "
    "saturation or gates.",
    "home.card.bptt_rtrl": "Where does a weight's gradient come from? Step through the backward pass, then compare "
    "BPTT with RTRL.",
    "hidden_state.title": "Hidden state, step by step",
    "hidden_state.subtitle": "What happens to the numbers when one input arrives?",
    "lstm_gates.title": "LSTM gates",
    "lstm_gates.subtitle": "Which gate keeps, which one writes, and which one shows?",
    "gru_gates.title": "GRU gates",
    "gru_gates.subtitle": "When does the update gate keep the state, and what does the reset gate hide?",
    "gradient_flow.title": "Gradient flow",
    "gradient_flow.subtitle": "How far back does the gradient reach, and what stops it?",
    "bptt_rtrl.title": "BPTT and RTRL",
    "bptt_rtrl.subtitle": "Where does a weight's gradient come from?",
    "problem.address": "{count:This part|These parts} of the address {count:was|were} ignored: **{entries}**. {needed}",
    "problem.nothing": "(empty)",
    "problem.unforeseen": "An unexpected error occurred; nothing was changed. Try another value.",
    "problem.too_long": "This screen does not fit into a link: its address has {length} characters, and at most "
    "{limit} are safe. Download the JSON file instead. “{fold}” in the sidebar of any page but Home opens it again.",
    "problem.refused": "Nothing was changed. {reason}",
    "problem.adjusted.whole": "“{label}” takes a whole number from {low} to {high}. {given} was changed to {taken}.",
    "problem.adjusted.real": "“{label}” takes a number from {low} to {high}. {given} was changed to {taken}.",
    "copy_link.link": "Copy link",
    "copy_link.hint": "Copy the address of this screen",
    "copy_link.done": "Copied",
    "copy_link.not_whole": "The address is too long to copy. Download the JSON file instead.",
    "copy_link.by_hand": "Press Ctrl + C to copy this address",
    "file.title": "Save or open",
    "file.download": "Download settings as JSON",
    "file.download_csv": "Download sequences as CSV",
    "file.open": "Open a JSON file from rnnviz",
    "shown.layer": "Layer {number}",
    "shown.sequence": "Sequence {number}",
    "connection.lost": "The server does not answer. You can still step and point at numbers. Your edits are kept and "
    "sent as soon as it answers.",
    "note.let_go.gate": "The clamp of gate {gate} was removed, because it belonged to another kind of cell.",
    "note.let_go.layer": "The clamp of gate {gate} in layer {layer} was removed, because the network no longer has "
    "this layer.",
    "note.let_go.unit": "The clamp of gate {gate} in unit {unit} was removed, because the network no longer has this "
    "unit.",
    "note.let_go.step": "The clamp of gate {gate} from step {step} on was removed, because the sequence no longer has "
    "this step.",
    "note.gave_way": "The weights are now random. The fixed weights of “{preset}” are for its own sizes, seed and gain "
    "only. Press its button, or Undo, to get them back.",
    "note.gave_way.stored": "The weights are now random. Stored weights are fixed; Undo brings them back.",
    "weights.missing": "The stored weights {name} are not on this server. Open the file that they were saved in, under "
    "“{fold}” in the sidebar. Until then the page shows random weights.",
    "link.flow": "See how far back the gradient reaches in this network →",
    "link.flow.long": "This network does not fit into a link. To see its gradient, open {page} and use “{fold}”.",
    "link.cell": "Open this network on the page {page} →",
    "link.take": "Import a network from another page",
    "panel.failed": "An unexpected error occurred in this part of the page. The rest of the page still works.",
    "panel.reset": "Load the default preset",
    "remarks.title": "Remarks and sources",
}
