"""What reaches step 1: shares, chart and table against norms computed plainly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rnnviz import ElmanCell, bptt, make_cell, run
from rnnviz.texts import say
from rnnviz.views.charts.step_one import step_one_figure
from rnnviz.views.sentences.step_one import StepOne, is_followed, step_one_columns, step_one_of, step_one_words
from tests.views.spoken import whole
from tests.views.written import says_power

STEPS = 6


def three(gain: float = 1.0, last: int = STEPS, size: float = 1.0) -> dict[str, StepOne]:
    found = {}
    for kind in ("elman", "lstm", "gru"):
        trace = run(make_cell(kind, 2, 3, gain=gain, seed=4), np.random.default_rng(1).normal(size=(STEPS, 2)))
        d_h = np.zeros((STEPS, 3))
        d_h[last - 1] = size * np.array([1.0, -2.0, 0.5])
        found[kind] = step_one_of(bptt(trace, d_h), last)
    return found


def plain(kind: str, last: int = STEPS) -> list[float]:
    trace = run(make_cell(kind, 2, 3, seed=4), np.random.default_rng(1).normal(size=(STEPS, 2)))
    d_h = np.zeros((STEPS, 3))
    d_h[last - 1] = [1.0, -2.0, 0.5]
    found = bptt(trace, d_h)
    both = [found.h] if found.c is None else [found.h, found.c]
    return [math.sqrt(sum(float((part[t] ** 2).sum()) for part in both)) for t in range(1, last + 1)]


@pytest.mark.parametrize("last", [2, STEPS])
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
def test_the_shares_are_ratios_of_norms_whatever_their_size(last: int, size: float) -> None:
    cells = three(last=last, size=size)
    told = whole("step_one.words", step_one_words(cells, {})[0])
    assert told["t"] == str(last)
    for kind, one in cells.items():
        norms = plain(kind, last)
        np.testing.assert_allclose(10**one.shares, np.array(norms) / norms[-1], rtol=1e-9)
        assert says_power(told[kind], math.log10(norms[0] / norms[-1]))


def test_the_chart_and_the_table_have_the_same_numbers() -> None:
    cells = three()
    assert is_followed(cells)
    for kind, line in zip(cells, step_one_figure(cells)["data"], strict=True):
        np.testing.assert_allclose(line["y"], np.log10(np.array(plain(kind)) / plain(kind)[-1]), rtol=1e-9, atol=1e-12)
        assert line["x"] == list(range(1, STEPS + 1))
        assert line["name"] == say(f"step_one.cell.{kind}")
    columns = step_one_columns(cells)
    assert columns[say("step_one.column.c")][0] is None
    np.testing.assert_allclose(
        columns[say("step_one.column.share", t=STEPS)], [plain(kind)[0] / plain(kind)[-1] for kind in cells], rtol=1e-9
    )


def test_what_there_is_nothing_to_follow_of_is_said() -> None:
    nothing = StepOne(np.zeros(3), 0.0, 0.0, None)
    gone = StepOne(np.array([0.0, 0.5, 1.0]), 0.0, 0.0, None)
    short = StepOne(np.ones(2), 1.0, 1.0, None)
    assert step_one_words(dict.fromkeys(["elman", "lstm", "gru"], nothing), {}) == [say("step_one.none", t=3)]
    assert not is_followed({"elman": nothing})
    assert step_one_words({"elman": gone, "lstm": short, "gru": gone}, {}) == [say("step_one.apart")]
    assert not is_followed({"elman": gone, "lstm": short})
    assert step_one_words(three(last=1), {}) == [say("step_one.alone")]
    assert not is_followed(three(last=1))
    kinds, cells = ["elman", "lstm", "gru"], {"elman": gone, "lstm": gone, "gru": nothing}
    said = step_one_words(cells, {kind: [-2.0, -3.0, -4.0] for kind in kinds})
    assert whole("step_one.words", said[0])["elman"] == "0"
    assert said[1] == say("step_one.medians", count=3, elman="0.001", lstm="0.001", gru="0.001")
    assert step_one_words(cells, {kind: [-np.inf] * 9 for kind in kinds})[1] == say("step_one.same", count=9)
    assert step_one_figure({"elman": gone})["data"][0]["y"][0] is None


@pytest.mark.parametrize("w", [0.01, 0.5])
def test_a_share_of_0_may_be_one_below_float64(w: float) -> None:
    """A linear unit passes w a step: 0.01 ** 399 is no 0, but no number of float64 either."""
    cell = ElmanCell([[1.0]], [[w]], [0.0], [0.0], activation="identity")
    d_h = np.zeros((400, 1))
    d_h[-1] = 1.0
    cells = dict.fromkeys(["elman", "lstm", "gru"], step_one_of(bptt(run(cell, np.ones((400, 1))), d_h), 400))
    said = step_one_words(cells, {})
    true = 399 * math.log10(w)
    told = whole("step_one.words", said[0])["elman"]
    assert said[1:] == [say("step_one.below")] * (true < -324)
    assert told == "0" if true < -324 else says_power(told, true)


def drawn(count: int, seed: int, **options: object) -> dict[str, list[float]]:
    """The shares of each cell, with so many seeds, by finite sums of the entries; no share where nothing arrives."""
    found: dict[str, list[float]] = {}
    for kind in ("elman", "lstm", "gru"):
        for number in range(count):
            trace = run(make_cell(kind, 2, 3, seed=seed + number, **options), np.ones((STEPS, 2)))  # type: ignore[arg-type]
            d_h = np.zeros((STEPS, 3))
            d_h[-1] = 1.0
            share = step_one_of(bptt(trace, d_h), STEPS).share
            found.setdefault(kind, []).append(share)
    return found


@pytest.mark.parametrize("count", [1, 2, 9, 32])
@pytest.mark.parametrize("init", ["zeros", "torch", "identity"])
def test_all_seeds_give_the_same_only_where_every_network_does(count: int, init: str) -> None:
    """Said if and only if each cell's weights, and so its norms, are the same for every seed."""
    shares = drawn(count, 5, init=init)
    weights = [
        {np.concatenate([make_cell(kind, 2, 3, seed=5 + k, init=init).W_hh.ravel()]).tobytes() for k in range(count)}
        for kind in shares
    ]
    same = all(len(one) == 1 for one in weights) and (init == "zeros" or count == 1)
    said = step_one_words(three(), shares)[1]
    assert (said == say("step_one.same", count=count)) == same
    if not same:
        told = whole("step_one.medians", said)
        for kind, logs in shares.items():
            middle = sorted(logs)
            assert says_power(told[kind], (middle[(count - 1) // 2] + middle[count // 2]) / 2)


@pytest.mark.parametrize("other", ["elman", "lstm", "gru"])
def test_one_cell_with_another_share_is_enough_not_to_be_the_same(other: str) -> None:
    shares = {kind: [-1.0, -1.0, -2.0 if kind == other else -1.0] for kind in ("elman", "lstm", "gru")}
    said = step_one_words(three(), shares)[1]
    assert whole("step_one.medians", said) == {"count": "3", "elman": "0.1", "lstm": "0.1", "gru": "0.1"}
