"""The maths of recurrent networks: pure functions of numpy arrays, and frozen results."""

from rnnviz.maths.cells import Cell, ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.errors import InputError, StateOverflowError
from rnnviz.maths.forward import run, run_stack
from rnnviz.maths.gradient_flow.decay import (
    DecayCauses,
    GradientBounds,
    decay_causes,
    gradient_bounds,
    log10_keep_products,
)
from rnnviz.maths.gradient_flow.grid import log10_gradient_norm_grid
from rnnviz.maths.gradient_flow.horizon import Reach, gradient_reach
from rnnviz.maths.gradient_flow.jacobians import step_jacobians
from rnnviz.maths.gradient_flow.norms import log10_gradient_norms
from rnnviz.maths.gradient_flow.spectra import log10_singular_values, lyapunov_exponents
from rnnviz.maths.initialisation import make_cell
from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
from rnnviz.maths.learning_rules.bptt import bptt
from rnnviz.maths.learning_rules.clipping import clip_by_global_norm
from rnnviz.maths.learning_rules.costs import Cost, GradientCosts, gradient_costs
from rnnviz.maths.learning_rules.gradients import Gradients
from rnnviz.maths.learning_rules.influence import influence, influence_norms
from rnnviz.maths.learning_rules.losses import Loss, ReadoutGradients, cross_entropy, readout_gradients, squared_error
from rnnviz.maths.learning_rules.online import OnlineRun, rtrl_online
from rnnviz.maths.learning_rules.rtrl import rtrl
from rnnviz.maths.ledger import Ledger, memory_ledger
from rnnviz.maths.memory_paths import MemoryPaths, memory_paths
from rnnviz.maths.readout import Readout
from rnnviz.maths.saturation import Saturation, gate_saturation
from rnnviz.maths.trace import Clamp, Trace

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
