"""The recurrent cells, one module each behind one protocol. Names, layout and gate order are PyTorch's."""

from rnnviz.maths.cells.elman import ElmanCell
from rnnviz.maths.cells.gru import GRUCell
from rnnviz.maths.cells.lstm import LSTMCell
from rnnviz.maths.cells.protocol import Cell
from rnnviz.maths.cells.registry import CELLS, cell_class

__all__ = ["CELLS", "Cell", "ElmanCell", "GRUCell", "LSTMCell", "cell_class"]
