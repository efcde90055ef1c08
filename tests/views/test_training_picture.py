"""The figures of a run against the numbers that they were made from, and the sentences about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from plotly.graph_objects import Figure

from rnnviz import Readout, make_cell
from rnnviz.learning.examples import TASKS, Adding, Copy, Parity, Task
from rnnviz.learning.snapshot import shown_of, snapshot
from rnnviz.learning.training import Checkpoint, examples_of_test
from rnnviz.settings import KINDS
from rnnviz.texts import say
from rnnviz.views.charts.training import (
    Course,
    answers_chart,
    binned,
    block_of,
    course_chart,
    eigenvalue_chart,
    names_in,
    reach_chart,
    right_shares,
    series_chart,
    states_chart,
    values_of,
)
from rnnviz.views.sentences.recipes import series_words
from rnnviz.views.sentences.training import (
    Standing,
    heart_words,
    progress_words,
    result_words,
    standing_words,
    standings_html,
)


def course(kind: str = "lstm", count: int = 10, scale: float = 1.0) -> Course:
    losses = scale * 2.0 ** -np.arange(count)
    tested = np.arange(0, count + 1, 5)
    return Course(kind, losses, 3.0 * losses, tested, 2.0 * scale * 0.5**tested)


def checkpoint(kind: str, task: Task, update: int = 0, test_loss: float = 0.5, hidden: int = 3) -> Checkpoint:
    cell = make_cell(kind, task.input_size, hidden)
    readout = Readout(np.ones((task.output_size, hidden)), np.zeros(task.output_size))
    return Checkpoint(update, 0.1, test_loss, float("nan"), 0.1, (cell,), readout, (np.zeros(hidden),))


def by_name(figure: dict[str, Any], name: str) -> dict[str, Any]:
    return next(trace for trace in figure["data"] if trace.get("name") == name)


@pytest.mark.parametrize("count", [0, 1, 7, 150, 151, 1000, 20_000])
def test_bins_hold_every_update_once(count: int) -> None:
    values = np.random.default_rng(0).uniform(size=count)
    ends, means = binned(values)
    assert len(ends) == len(means) <= 150
    sizes = np.diff([0, *ends])
    assert (sizes > 0).all()
    assert np.sum(sizes * means) == pytest.approx(values.sum())
    assert not count or ends[-1] == count


def test_losses_are_the_curves_over_the_updates() -> None:
    one = course()
    figure = course_chart([one], 20, solved=0.01, constant=0.2, clip=1.0, at=5)
    Figure(figure)
    tested, trained = by_name(figure, "LSTM"), figure["data"][0]
    np.testing.assert_allclose(10.0 ** np.array(tested["y"]), one.test_losses)
    assert tested["x"] == one.tested.tolist()
    np.testing.assert_allclose(10.0 ** np.array(trained["y"]), one.losses)
    assert trained["x"] == list(range(1, 11))
    np.testing.assert_allclose(10.0 ** np.array(figure["data"][-1]["y"]), one.grad_norms)
    levels = {round(10.0 ** shape["y0"], 6) for shape in figure["layout"]["shapes"] if shape["y0"] == shape["y1"]}
    assert levels == {0.01, 0.2, 1.0}
    assert {shape["x0"] for shape in figure["layout"]["shapes"] if shape["x0"] == shape["x1"]} == {5}
    low, high = figure["layout"]["yaxis"]["range"]
    assert low <= min(tested["y"]) <= max(tested["y"]) <= high


def test_a_loss_that_overflows_or_is_0_is_a_gap() -> None:
    one = Course("elman", np.array([1.0, 0.0, np.inf, np.nan]), np.ones(4), np.array([0]), np.array([np.nan]))
    figure = course_chart([one], 4, solved=0.0, constant=0.0, clip=0.0, at=None)
    assert figure["data"][0]["y"] == [0.0, None, None, None]
    assert figure["layout"]["shapes"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_pictures_of_a_moment(kind: str) -> None:
    task = Adding(9)
    shown = shown_of(task, 0)
    seen = snapshot(checkpoint(kind, task), shown.x)
    assert seen is not None
    reach = reach_chart({kind: seen.norms}, {kind: seen.norms - 1.0})
    Figure(reach)
    assert [trace["line"]["dash"] for trace in reach["data"]] == ["dot", "solid"]
    np.testing.assert_array_equal(reach["data"][1]["y"], seen.norms)
    for name in names_in(kind):
        block = block_of(seen.eigenvalues, name)
        assert block == {"elman": "W_hh"}.get(
            kind, {"h": {"lstm": "g", "gru": "n"}.get(kind), "c": "g"}.get(name, name)
        )
        dots = eigenvalue_chart(seen.eigenvalues, block, kind)
        Figure(dots)
        (marks,) = dots["data"]
        np.testing.assert_array_equal(np.array(marks["x"]) + 1j * np.array(marks["y"]), seen.eigenvalues[block])
    assert names_in(kind) == {"elman": ["h"], "lstm": ["h", "c", "f", "i", "g", "o"], "gru": ["h", "r", "z", "n"]}[kind]
    for name in names_in(kind):
        heat = states_chart(values_of(seen, name), name, (2, 5))
        Figure(heat)
        assert [shape["x0"] for shape in heat["layout"]["shapes"]] == [2, 5]
        expected = {"h": seen.trace.h[1:], "c": seen.trace.c[1:] if seen.trace.c is not None else None}
        np.testing.assert_array_equal(np.array(heat["data"][0]["z"]).T, expected.get(name, seen.trace.gates.get(name)))
        low, high = heat["data"][0]["zmin"], heat["data"][0]["zmax"]
        assert (low, high) == (0.0, 1.0) if name in "firoz" else low == -high < 0


@pytest.mark.parametrize("kind", KINDS)
def test_axes_stay_while_one_winds_back(kind: str) -> None:
    """They have room for the other moments, also where these are far out."""
    task = Adding(9)
    seen = snapshot(checkpoint(kind, task), shown_of(task, 0).x)
    assert seen is not None
    far = {name: 7.0 * values + 5.0 for name, values in seen.eigenvalues.items()}
    block = block_of(seen.eigenvalues, "h")
    one = eigenvalue_chart(seen.eigenvalues, block, kind, [far])["layout"]["xaxis"]["range"]
    other = eigenvalue_chart(far, block, kind, [seen.eigenvalues])["layout"]["xaxis"]["range"]
    assert one == other
    assert one[1] > np.abs(far[block]).max()
    low = seen.norms - 30.0
    axes = [
        reach_chart({kind: a}, {}, [b])["layout"]["yaxis"]["range"] for a, b in ((seen.norms, low), (low, seen.norms))
    ]
    assert axes[0] == axes[1]
    assert axes[0][0] <= low.min() < seen.norms.max() <= axes[0][1]
    test = examples_of_test(task, 0)
    targets = test.target[:, test.counted]
    said, out = np.full(targets.shape, 0.25), np.full(targets.shape, -9.0)
    axes = [
        answers_chart(task, targets, a, kind, [b])["layout"]["yaxis"]["range"] for a, b in ((said, out), (out, said))
    ]
    assert axes[0] == axes[1]
    assert axes[0][0] < -9.0 < targets.max() < axes[0][1]


def test_a_norm_of_0_is_a_gap() -> None:
    assert reach_chart({"gru": np.array([-np.inf, 0.0])}, {})["data"][0]["y"] == [None, 0.0]


@pytest.mark.parametrize("name", TASKS)
def test_answers_of_every_task(name: str) -> None:
    task = TASKS[name]()
    test, shown = examples_of_test(task, 0), shown_of(task, 0)
    targets = test.target[:3, test.counted]
    if task.loss == "cross_entropy":
        said = np.full((3, targets.shape[1], task.output_size), 1.0 / task.output_size)
    else:
        said = np.full(targets.shape, 0.25)
    figure = answers_chart(task, targets, said, "gru")
    Figure(figure)
    (marks,) = figure["data"]
    if task.loss == "squared":
        np.testing.assert_array_equal(marks["x"], targets[..., 0].ravel())
        assert set(marks["y"]) == {0.25}
        one = series_chart(shown, np.full((len(shown.x), task.output_size), 0.5), "gru")
        Figure(one)
        assert one["data"][0]["y"] == shown.target[shown.counted][:, 0].tolist()
        assert set(one["data"][1]["y"]) == {0.5}
    else:
        assert sum(marks["y"]) == pytest.approx(100.0)


def test_the_probability_of_the_right_answer() -> None:
    said = np.array([[[0.2], [0.9]]])
    np.testing.assert_allclose(right_shares(Parity(2), np.array([[[0.0], [1.0]]]), said), [[0.8, 0.9]])
    classes = np.array([[[0.1, 0.2, 0.3, 0.4]]])
    np.testing.assert_allclose(right_shares(Copy(), np.array([[2]]), classes), [[0.3]])


def standing(kind: str, losses: list[float], *, broken: bool = False) -> Standing:
    tested = [checkpoint(kind, Adding(9), 10 * place, loss) for place, loss in enumerate(losses)]
    return Standing(kind, 10 * len(losses), tested, broken)


def test_solved_is_from_when_on_the_test_loss_stays_below() -> None:
    assert standing("lstm", [1.0, 0.5, 0.009, 0.02, 0.005, 0.001]).solved_at(0.01) == 40
    assert standing("lstm", [1.0, 0.001, 0.02]).solved_at(0.01) is None
    assert standing("lstm", []).solved_at(0.01) is None
    assert standing("lstm", [1.0, float("nan")]).solved_at(0.01) is None
    assert standing_words(standing("lstm", [1.0, 0.5, 0.009]), 0.01) == "0.009, solved from update 20 on"
    assert standing_words(standing("gru", [0.5]), 0.01) == "0.5, not solved"
    assert standing_words(standing("gru", [0.5]), 0.0) == "0.5"
    assert standing_words(standing("gru", [0.5], broken=True), 0.01) == "overflowed at update 10"
    past = replace(standing("gru", [0.5, 0.004]), is_past=True)
    assert standing_words(past, 0.01) == "0.004 at update 10"
    assert "class='solved'" not in standings_html([past], 0.01)
    assert standing_words(standing("gru", []), 0.01) == say("training.standing.none")


def test_what_came_out() -> None:
    three = [standing("elman", [0.16]), standing("lstm", [0.001]), standing("gru", [0.002])]
    assert result_words(three, 0.01, 0.17) == (
        "Solved by the LSTM and the GRU: the loss on the test sequences is below 0.01. "
        "Not solved by the Elman RNN (test loss 0.16). The best constant prediction has a test loss of 0.17."
    )
    lost = [standing(kind, [0.18]) for kind in ("elman", "lstm")]
    assert result_words(lost, 0.01, 0.16) == (
        "Not solved by the Elman RNN (test loss 0.18) and the LSTM (test loss 0.18). The best constant prediction has "
        "a test loss of 0.16."
    )
    assert "Solved by the GRU" in result_words(three[2:], 0.01, 0.17)
    assert result_words([standing("gru", [0.05])], 0.01, 0.17) == "Not solved by the GRU (test loss 0.05)."
    assert result_words(three, 0.0, 0.17) == ""
    assert result_words([standing("gru", [0.001], broken=True)], 0.01, 0.17) == ""


def test_what_was_learned_by_heart() -> None:
    good, bad = standing("gru", [1.7, 4.2]), standing("elman", [1.7, 3.9])
    learned = [replace(good.tested[-1], train_loss=0.05), replace(bad.tested[-1], train_loss=0.2)]
    two = [replace(one, tested=[last]) for one, last in zip((good, bad), learned, strict=True)]
    assert heart_words(two, 0.1, 1.6) == (
        "Learned by heart by the GRU: the loss on the training sequences is below 0.1. No test loss is below 1.6, that "
        "of the best constant prediction."
    )
    assert heart_words(two[1:], 0.1, 4.0) == ""


def test_a_row_for_every_network() -> None:
    html = standings_html([standing("elman", [0.16]), standing("lstm", [0.001])], 0.01)
    assert html.count("<li") == 3  # with what is counted in front
    assert html.count("class='solved'") == 1


@pytest.mark.parametrize(
    ("state", "seconds", "place", "words"),
    [
        ("idle", None, 0, "Press Play to train for 1,000 updates."),
        ("queued", None, 2, "Waiting for a free worker: place 2 in the queue."),
        ("queued", None, 0, "The run is starting."),
        ("running", None, 0, "Update 420 of 1,000"),
        ("running", 0.2, 0, "Update 420 of 1,000, about 1 second left"),
        ("running", 12.4, 0, "Update 420 of 1,000, about 12 seconds left"),
        ("paused", None, 0, "Paused at update 420 of 1,000. Press Play to go on."),
        ("running", 200.0, 0, "Update 420 of 1,000, about 3 minutes left"),
        ("done", None, 0, "Every network has overflowed: the run ended at update 420 of 1,000."),
        ("stopped", None, 0, "Stopped at update 420 of 1,000."),
        ("failed", None, 0, "The run failed at update 420 of 1,000."),
    ],
)
def test_where_a_run_stands(state: str, seconds: float | None, place: int, words: str) -> None:
    assert progress_words(state, 420, 1000, seconds, place) == words


def test_a_run_that_will_be_stopped_before_its_end_says_so() -> None:
    words = "Update 420 of 1,000. All would take about 14 minutes more, but a run is stopped after 10 minutes."
    assert progress_words("running", 420, 1000, 840.0, 0, 10.0) == words


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (((0.0, 5.0), (0.0, 61.0)), "2 rows of 2 numbers. If your commas are decimal marks, write points instead."),
        (((-1.0, 5.0),), "1 row of 2 numbers. If your commas are decimal marks, write points instead."),
        (((0.5, 5.0), (0.0, 61.0)), "2 rows of 2 numbers."),
        (((1.0, -5.0), (0.0, 61.0)), "2 rows of 2 numbers."),
        (((1.0,),) * 1200, "1,200 rows of 1 number."),
    ],
)
def test_how_a_series_was_read(rows: tuple[tuple[float, ...], ...], words: str) -> None:
    assert series_words(rows) == words
