"""The table of all sequences: every number in its place, in full precision."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz.views.explorer.batch import state_columns

STATES = np.array([[0.5, -1.0, 1e-320], [0.25, 0.004, -1.7e308]])


def test_every_state_stands_in_the_row_of_its_sequence() -> None:
    columns = state_columns(STATES)
    sequence, *units = columns.values()
    assert sequence == [1, 2]
    assert np.array(units).T.tolist() == STATES.tolist()


@pytest.mark.parametrize("H", [1, 64])
def test_each_unit_has_a_column(H: int) -> None:
    names = list(state_columns(np.zeros((3, H))))
    assert len(names) == H + 1
    assert names[-1] == f"h of unit {H}"
