"""The weights of the trained presets, as the pages get them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rnnviz import InputError
from rnnviz.presets import TRAINED, trained
from tests.test_house import ROOT


@pytest.mark.parametrize("name", TRAINED)
def test_all_who_ask_get_the_same_read_only_arrays(name: str) -> None:
    weights = trained(name)
    assert list(weights) == ["W_ih", "W_hh", "b_ih", "b_hh", "W_ho", "b_o"]
    assert trained(name) is weights
    with pytest.raises(TypeError):
        weights["W_ih"] = weights["W_hh"]
    for array in weights.values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_an_unknown_network_is_refused() -> None:
    with pytest.raises(InputError, match=r"'adding'. Choose one of bracket_depth, parity"):
        trained("adding")


def test_shipped_weights_and_tasks_come_without_torch() -> None:
    code = """
import sys
from rnnviz.learning import brackets, bits
from rnnviz.presets import trained
trained("parity"), brackets(4), bits(4)
print(*(name for name in ("streamlit", "torch") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
