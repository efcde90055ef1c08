"""Heavy work in another process: the same numbers, errors that come back whole, nothing loaded that is not needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from rnnviz import make_cell, run
from rnnviz.cache import RESULTS
from rnnviz.maths import InputError
from rnnviz.maths.checks import Array
from rnnviz.network import canonicalise
from rnnviz.settings import Settings
from rnnviz.ui.bptt_rtrl import forward_mode
from rnnviz.ui.bptt_rtrl.objectives import task_of
from rnnviz.ui.gradient_flow import flows, many
from rnnviz.ui.gradient_flow.flows import causes_of, flow_of, followed, pairs_of
from rnnviz.ui.gradient_flow.many import of_seeds
from rnnviz.workers import WORKERS_VARIABLE, elsewhere

HEAVY = ("pandas", "plotly", "streamlit", "torch")


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(WORKERS_VARIABLE, "1")
    RESULTS.clear()
    yield
    RESULTS.clear()


def test_it_is_another_process_with_other_work_first() -> None:
    assert elsewhere(os.getpid) == elsewhere(os.getpid) != os.getpid()
    if hasattr(os, "nice"):
        assert elsewhere(os.nice, 0) == os.nice(0) + 5


def test_none_is_started_where_there_are_to_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WORKERS_VARIABLE, "0")
    assert elsewhere(os.getpid) == os.getpid()


def refuse(count: int) -> None:
    raise InputError("steps", "There {count:is|are} {count} {count:step|steps}.", count=count)


def test_a_refusal_comes_back_with_all_that_it_says() -> None:
    with pytest.raises(InputError, match="There are 3 steps") as caught:
        elsewhere(refuse, 3)
    assert (caught.value.code, dict(caught.value.slots)) == ("steps", {"count": 3})


@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
def test_the_same_numbers_come_back(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that a page hands over, bit for bit."""
    chosen = Settings("random", kind=kind).choose(steps=12, hidden_size=5, input="noise")
    settings = canonicalise(chosen)[0]
    of, task = followed(settings), task_of(settings)

    def numbers() -> list[Array]:
        RESULTS.clear()
        forward, _, influence = forward_mode.forward_gradient(task)
        drawn = of_seeds(of, 3)
        learned = forward_mode.online(task, 0.1)
        causes = [causes_of(of).slopes_alone] if kind == "elman" else []
        return [flow_of(of).norms, pairs_of(of)[0], *drawn, *causes, forward.W_hh, influence, learned.drift]

    here = numbers()
    monkeypatch.setattr(flows, "_LARGE", 0)
    sent = []

    def counted(function: Callable[..., object], *args: object, **kwargs: object) -> object:
        sent.append(function.__name__)
        return elsewhere(function, *args, **kwargs)

    monkeypatch.setattr(flows, "elsewhere", counted)
    there = numbers()
    of_elman = {"decay_causes"} if kind == "elman" else set()
    norms = {"log10_gradient_norms", "log10_gradient_norm_grid"}
    assert set(sent) == {"_measured", "_all_drawn", "_learned"} | norms | of_elman
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)


def loaded() -> list[str]:
    return [name for name in HEAVY if name in sys.modules]


def test_what_is_handed_over_loads_no_more_than_it_needs() -> None:
    """A process of its own that had to load Streamlit would cost each server 80 MB."""
    trace = run(make_cell("gru", 2, 3), np.zeros((4, 2)))
    of = followed(canonicalise(Settings("random"))[0])
    elsewhere(many._all_drawn, of, 2)
    elsewhere(forward_mode._measured, trace, np.zeros((4, 3)))
    assert elsewhere(loaded) == []
