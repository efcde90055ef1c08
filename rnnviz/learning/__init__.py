"""Networks that learn: tasks, training, how the shipped weights were trained. Torch is loaded only by what trains."""

from rnnviz.learning.tasks import bits, brackets, depth, parity
from rnnviz.learning.training import Checkpoint, Training, train

__all__ = ["Checkpoint", "Training", "bits", "brackets", "depth", "parity", "train"]
