"""See, change and check every number that a recurrent network computes.

``run(cell, x)`` takes an Elman, LSTM or GRU cell over a sequence and returns a `Trace` with every input sum, gate and
state, each step as PyTorch computes it in float64; `make_cell` draws a cell, `step_jacobians` opens the gradient of
each step, `log10_gradient_norms` says how much of it is left over many, `log10_singular_values` in which directions,
and `memory_ledger` what is left of every write to a gated state. `bptt` and `rtrl` find the gradient of any loss
on two ways. Importing the package needs numpy alone.
"""

from rnnviz.maths import BackwardTrace, Cell, Clamp, Cost, DecayCauses, ElmanCell, GradientBounds, GradientCosts, Gradients, GRUCell, InputError, Ledger, Loss, LSTMCell, MemoryPaths, OnlineRun, Reach, Readout, ReadoutGradients, Saturation, StateOverflowError, Trace, clip_by_global_norm, cross_entropy, decay_causes, gate_saturation, gradient_bounds, gradient_costs, gradient_reach, influence_norms, log10_gradient_norm_grid, log10_gradient_norms, log10_keep_products, log10_singular_values, lyapunov_exponents, make_cell, memory_ledger, memory_paths, readout_gradients, rtrl_online, run, run_stack, squared_error, step_jacobians
from rnnviz.maths.learning_rules import bptt, influence, rtrl

__all__ = [
    "BackwardTrace",
    "Cell",
    "Clamp",
    "Cost",
    "DecayCauses",
    "ElmanCell",
    "GRUCell",
    "GradientBounds",
    "GradientCosts",
    "Gradients",
    "InputError",
    "LSTMCell",
    "Ledger",
    "Loss",
    "MemoryPaths",
    "OnlineRun",
    "Reach",
    "Readout",
    "ReadoutGradients",
    "Saturation",
    "StateOverflowError",
    "Trace",
    "bptt",
    "clip_by_global_norm",
    "cross_entropy",
    "decay_causes",
    "gate_saturation",
    "gradient_bounds",
    "gradient_costs",
    "gradient_reach",
    "influence",
    "influence_norms",
    "log10_gradient_norm_grid",
    "log10_gradient_norms",
    "log10_keep_products",
    "log10_singular_values",
    "lyapunov_exponents",
    "make_cell",
    "memory_ledger",
    "memory_paths",
    "readout_gradients",
    "rtrl",
    "rtrl_online",
    "run",
    "run_stack",
    "squared_error",
    "step_jacobians",
]
