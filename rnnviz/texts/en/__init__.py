"""English texts, a file for each part of the app.

Slots in braces are filled with computed numbers; keys say where a text stands. ``{count:step|steps}`` is the one or the
other word, whichever the number asks for.
"""

from rnnviz.texts.en import (
    backward,
    compare,
    controls,
    explorer,
    forensics,
    from_ngrams,
    gates,
    gradient_flow,
    hidden_state,
    learning_rules,
    recipes,
    shell,
    spectra,
    training,
)

_PARTS = (
    shell, controls, explorer, hidden_state, gates, gradient_flow, spectra, backward, learning_rules, recipes,
    training, compare, forensics, from_ngrams,
)  # fmt: skip

TEXTS: dict[str, str] = {key: text for part in _PARTS for key, text in part.TEXTS.items()}
