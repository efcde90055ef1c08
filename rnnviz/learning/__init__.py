"""Networks that learn: the tasks, and how the shipped weights were trained. Torch is loaded only by what trains."""

from rnnviz.learning.tasks import bits, brackets, depth, parity

__all__ = ["bits", "brackets", "depth", "parity"]
