"""See, change and check every number that a recurrent network computes.

``run(cell, x)`` takes an Elman, LSTM or GRU cell over a sequence and returns a `Trace` with every input sum, gate and
state, each step as PyTorch computes it in float64; `make_cell` draws a cell, `step_jacobians` opens the gradient of
each step, `log10_gradient_norms` says how much of it is left over many, and `memory_ledger` what is left of every
write to a gated state. Importing the package needs numpy alone.
"""

from rnnviz.maths import (
    Cell,
    Clamp,
    DecayCauses,
    ElmanCell,
    GradientBounds,
    GRUCell,
    InputError,
    Ledger,
    LSTMCell,
    Reach,
    Readout,
    Saturation,
    StateOverflowError,
    Trace,
    decay_causes,
    gate_saturation,
    gradient_bounds,
    gradient_reach,
    log10_gradient_norm_grid,
    log10_gradient_norms,
    log10_keep_products,
    make_cell,
    memory_ledger,
    run,
    run_stack,
    step_jacobians,
)

__all__ = [
    "Cell",
    "Clamp",
    "DecayCauses",
    "ElmanCell",
    "GRUCell",
    "GradientBounds",
    "InputError",
    "LSTMCell",
    "Ledger",
    "Reach",
    "Readout",
    "Saturation",
    "StateOverflowError",
    "Trace",
    "decay_causes",
    "gate_saturation",
    "gradient_bounds",
    "gradient_reach",
    "log10_gradient_norm_grid",
    "log10_gradient_norms",
    "log10_keep_products",
    "make_cell",
    "memory_ledger",
    "run",
    "run_stack",
    "step_jacobians",
]
