"""Losses of several networks side by side, and when each had solved its task."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Readout, make_cell
from rnnviz.learning.comparison import losses_of, solved_at
from rnnviz.learning.jobs import Lane
from rnnviz.learning.training import Checkpoint, Update

CELLS, READOUT = (make_cell("elman", 1, 1),), Readout(np.zeros((1, 1)), np.zeros(1))


def lane(losses: dict[int, float], *, broken: bool = False) -> Lane:
    """One that was tested at these updates."""
    made = Lane()
    last = max(losses, default=0) + broken
    made.updates = [Update(number, 1.0, 1.0, False) for number in range(1, last + 1)]
    if broken:
        made.updates[-1] = Update(last, math.nan, 1.0, False)
    made.checkpoints = [Checkpoint(at, 1.0, loss, math.nan, 1.0, CELLS, READOUT, ()) for at, loss in losses.items()]
    return made


def test_moments_are_those_at_which_all_were_tested() -> None:
    updates, losses = losses_of([lane({0: 1.0, 5: 0.5, 10: 0.1}), lane({0: 2.0, 5: 0.7})])
    assert updates.tolist() == [0, 5]
    assert losses.tolist() == [[1.0, 0.5], [2.0, 0.7]]
    assert losses_of([lane({0: 1.0}), Lane()])[0].tolist() == []
    assert losses_of([Lane()])[1].shape == (1, 0)


def test_a_network_that_left_the_range_of_numbers_is_infinite_from_there() -> None:
    """It does not hold the others up."""
    broken = lane({0: 1.0, 5: 9.0}, broken=True)
    whole = lane({0: 2.0, 5: 0.7, 10: 0.1})
    assert (broken.is_broken, whole.is_broken, Lane().is_broken) == (True, False, False)
    updates, losses = losses_of([broken, whole])
    assert updates.tolist() == [0, 5, 10]
    assert losses.tolist() == [[1.0, 9.0, math.inf], [2.0, 0.7, 0.1]]
    updates, losses = losses_of([broken, lane({0: 1.0}, broken=True)])
    assert (updates.tolist(), losses.tolist()) == ([0, 5], [[1.0, 9.0], [1.0, math.inf]])


def test_a_test_that_is_no_number_is_infinite() -> None:
    _, losses = losses_of([lane({0: 1.0, 5: math.nan, 10: math.inf})])
    assert losses.tolist() == [[1.0, math.inf, math.inf]]


@given(st.lists(st.floats(0.0, 0.02) | st.just(math.inf), min_size=1, max_size=12))
def test_solved_is_below_the_level_to_the_end(losses: list[float]) -> None:
    updates = 10 * np.arange(len(losses))
    wanted = [at for at in range(len(losses)) if all(loss < 0.01 for loss in losses[at:])]
    assert solved_at(updates, np.array(losses), 0.01) == (10 * wanted[0] if wanted else None)
