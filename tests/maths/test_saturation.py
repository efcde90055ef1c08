"""Saturated gates, counted one by one."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp, InputError, StateOverflowError, gate_saturation, make_cell, run

from .drawn import FORMS, Case, cases, clamps_for


@given(cases([*FORMS["lstm"], *FORMS["gru"]], shifts=(0.0, 1.0, 3.0, 800.0)), st.data())
def test_the_fractions_are_counted(case: Case, data) -> None:
    cell, x, h0, c0 = case
    trace = run(cell, x, h0, c0, clamp=data.draw(st.lists(clamps_for(case), max_size=3)))
    found = gate_saturation(trace)
    assert tuple(found) == (("i", "f", "o") if cell.kind == "lstm" else ("r", "z"))
    for name, saturation in found.items():
        assert saturation.left.shape == saturation.right.shape == (len(h0),)
        for unit in range(len(h0)):
            values = trace.gates[name][:, unit].tolist()
            assert saturation.left[unit] == sum(value < 0.1 for value in values) / len(x)
            assert saturation.right[unit] == sum(value > 0.9 for value in values) / len(x)


def test_by_hand_and_on_the_bounds() -> None:
    """A gate at 0.1 or 0.9 sharp is in between."""
    clamps = [Clamp("i", 0.1), Clamp("i", 0.0999, unit=1), Clamp("o", 0.9), Clamp("o", 0.9001, unit=1, from_step=2)]
    clamps += [Clamp("f", 0.0), Clamp("f", 1.0, from_step=4)]
    found = gate_saturation(run(make_cell("lstm", 1, 2), np.ones((4, 1)), clamp=clamps))
    assert (found["i"].left.tolist(), found["i"].right.tolist()) == ([0.0, 1.0], [0.0, 0.0])
    assert (found["o"].left.tolist(), found["o"].right.tolist()) == ([0.0, 0.0], [0.0, 0.75])
    assert (found["f"].left.tolist(), found["f"].right.tolist()) == ([0.75, 0.75], [0.25, 0.25])


def test_it_is_read_only_and_stays_so() -> None:
    found: Any = gate_saturation(run(make_cell("gru", 1, 2), np.ones((4, 1))))
    with pytest.raises(TypeError):
        found["r"] = found["z"]
    for one in (found["r"], copy.deepcopy(found["r"]), pickle.loads(pickle.dumps(found["r"]))):
        assert not one.left.flags.writeable
        assert not one.right.flags.writeable
        with pytest.raises(AttributeError):
            one.left = one.right


def test_refusals() -> None:
    elman = run(make_cell("elman", 1, 2), np.ones((4, 1)))
    with pytest.raises(InputError, match=r"gate_saturation needs gates, but an Elman RNN has none\. Run an LSTM or a"):
        gate_saturation(elman)
    whole: Any = [elman]
    with pytest.raises(InputError, match="gate_saturation needs a Trace; got list"):
        gate_saturation(whole)
    cell = make_cell("gru", 1, 2)
    with pytest.raises(StateOverflowError) as caught:
        run(replace(cell, W_ih=np.full((6, 1), 1e200)), [[1e200]])
    with pytest.raises(InputError, match="gate_saturation needs a trace of at least one step; got none"):
        gate_saturation(caught.value.trace)
