"""The contributions to a weight's gradient: they add up to it, and what truncation does is told, against plain sums."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import ElmanCell, Gradients, Readout, bptt, make_cell, run
from rnnviz.maths.learning_rules.loss_pass import LossPass, take_loss_back
from rnnviz.texts import say
from rnnviz.views.charts.contributions import MOST_HOVERS, contributions_figure, gradient_figure
from rnnviz.views.charts.figure import Figure
from rnnviz.views.palette import NEGATIVE, POSITIVE
from rnnviz.views.sentences.objective import Target, gradient_facts, loss_words, target_letters
from rnnviz.views.sentences.uses import (
    Uses,
    cut_words,
    gradient_columns,
    gradient_words,
    product_words,
    rounding_words,
    uses_columns,
    uses_of,
    uses_words,
    weight_names,
)
from tests.maths.drawn import Drawn, runs
from tests.maths.twins import NAMES
from tests.views.spoken import number, slots, somewhere, whole
from tests.views.written import says, says_power

Array = NDArray[np.float64]


class Asked(NamedTuple):
    whole: Gradients
    cut: Gradients
    weight: str
    entry: tuple[int, ...] | None
    loss: LossPass

    @property
    def uses(self) -> Uses:
        return uses_of(*self)


def loss_on(h: Array, outputs: int, kind: str = "squared", activation: str = "tanh") -> LossPass:
    """A loss at every step behind a readout."""
    random = np.random.default_rng(11)
    readout = Readout(random.normal(size=(outputs, h.shape[1])), random.normal(size=outputs), activation)
    target = np.eye(outputs)[random.integers(0, outputs, len(h))]
    return take_loss_back(h, (readout,), target, kind, np.ones(len(h), dtype=bool))


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    drawn: Drawn = draw(runs())
    whole = bptt(*drawn)
    loss = loss_on(drawn.trace.h[1:], draw(st.integers(1, 3)))
    most, scheme = draw(st.integers(1, drawn.trace.steps)), draw(st.sampled_from(["sliding", "chunk"]))
    cut = whole if most == drawn.trace.steps else bptt(*drawn, truncation=most, scheme=scheme)
    weight = draw(st.sampled_from(weight_names(loss)))
    shape = whole.weights[weight].shape if weight in NAMES else getattr(loss.readouts[0], weight[0]).shape
    entry = tuple(draw(st.integers(0, size - 1)) for size in shape) if draw(st.booleans()) else None
    return Asked(whole, cut, weight, entry, loss)


def of_steps(found: Gradients, one: Asked) -> Array:
    """What each step contributes to all entries, (T, *shape)."""
    if one.weight in NAMES:
        return found.by_use[one.weight]
    passed = one.loss.readouts[0]
    return passed.d_a if one.weight == "b_o" else passed.d_a[:, :, None] * passed.read[:, None, :]


def by_hand(found: Gradients, one: Asked) -> list[float]:
    """The bars from the contributions themselves, each its entry or its part along the whole gradient."""
    parts = of_steps(found, one)
    if one.entry is not None:
        return [float(part[one.entry]) for part in parts]
    gradient = of_steps(one.whole, one).sum(axis=0)
    gradient = gradient / (float(np.abs(gradient).max()) or 1.0)  # squared, entries of 1e-165 would be lost
    length = math.sqrt(sum(value * value for value in gradient.ravel().tolist()))
    return [float((part * gradient).sum()) / length if length else 0.0 for part in parts]


@given(asked())
def test_the_bars_add_up_to_the_gradient(one: Asked) -> None:
    uses = one.uses
    size = max(np.abs(uses.whole).sum(), np.abs(uses.cut).sum(), 1e-290)
    gradient = of_steps(one.whole, one).sum(axis=0)
    largest = float(np.abs(gradient).max()) or 1.0  # squared, entries of 1e-264 would be lost
    length = largest * float(np.linalg.norm(gradient / largest))
    total = float(gradient[one.entry]) if one.entry is not None else length
    np.testing.assert_allclose(uses.gradient, gradient, rtol=1e-9, atol=1e-12 * size)
    assert abs(uses.total - total) <= 1e-12 * size
    assert abs(sum(uses.whole.tolist()) - uses.total) <= 1e-12 * size
    assert abs(sum(uses.cut.tolist()) - uses.cut_total) <= 1e-12 * size
    np.testing.assert_allclose(uses.whole, by_hand(one.whole, one), rtol=1e-9, atol=1e-12 * size)
    np.testing.assert_allclose(uses.cut, by_hand(one.cut, one), rtol=1e-9, atol=1e-12 * size)


@given(asked())
def test_what_is_said_of_them(one: Asked) -> None:
    uses, said = one.uses, uses_words(one.uses)
    if not uses.whole.any():
        cancels = one.entry is None and of_steps(one.whole, one).any()
        assert said == say("use.cancels" if cancels else "use.nothing", name=uses.name)
        return
    if len(uses.whole) == 1:
        assert says(slots("use.sum_of_one", said)["total"].split(" ")[-1].rstrip(","), uses.total)
        return
    found = whole("use.sum", said)
    assert says(found["total"].split(" ")[-1], uses.total)
    assert found["steps"] == str(one.whole.backward.trace.steps)
    assert says(found["most"], float(uses.whole[int(found["step"]) - 1]))
    assert abs(uses.whole[int(found["step"]) - 1]) == np.abs(uses.whole).max()
    off = whole("use.rounding", rounding_words(uses))["error"]
    error = abs(math.fsum(uses.whole) - uses.total)
    assert number(off) <= 1e-12 * np.abs(uses.whole).sum() + 2 * error


def flat(found: Gradients) -> Array:
    return np.concatenate([found.weights[name].ravel() for name in NAMES])


def says_change(told: dict[str, str], u: Array, v: Array) -> None:
    """Angle by the arc cosine, ratio and share by plain norms."""
    cosine = float(u @ v) / (np.linalg.norm(u) * np.linalg.norm(v))
    angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    assert angle == pytest.approx(number(told["angle"]), rel=1e-3, abs=1e-5)
    assert says(told["ratio"], float(np.linalg.norm(v) / np.linalg.norm(u)))
    assert number(told["thrown"].removesuffix(" %")) == pytest.approx(
        100 * float(np.linalg.norm(u - v) / np.linalg.norm(u)), rel=1e-3
    )


@given(asked())
def test_what_is_said_of_the_truncation(one: Asked) -> None:
    lines = cut_words(one.uses, one.whole, one.cut)
    most = one.cut.backward.truncation
    if most is None:
        assert lines == []
        return
    key = "use.cut_by.detach" if most == 1 else f"use.cut_by.{one.cut.backward.scheme}"
    assert lines[0] == say(key, most=most)
    if one.weight not in NAMES:
        assert lines[1] == say("use.cut.readout", weight=one.weight)
    of_weight = [found.weights.get(one.weight, np.zeros(1)).ravel() for found in (one.whole, one.cut)]
    compared: list[tuple[str, str, Array, Array]] = [("use.cut.all", lines[2], flat(one.whole), flat(one.cut))]
    if one.weight in NAMES:
        compared.append(("use.cut", lines[1], of_weight[0], of_weight[1]))
    for prefix, line, u, v in compared:
        told = somewhere(prefix, line.replace("**", ""))
        if told is not None:
            says_change(told, u, v)
        elif np.array_equal(u, v):
            assert somewhere(f"{prefix}.same", line.replace("**", "")) is not None
        elif not v.any():
            assert somewhere(f"{prefix}.gone", line.replace("**", "")) is not None
        elif not u.any():
            assert somewhere(f"{prefix}.none", line.replace("**", "")) is not None
        else:
            assert np.linalg.norm(u - v) < 2e-12 * np.linalg.norm(u)
    is_biased = np.linalg.norm(flat(one.whole) - flat(one.cut)) > 2e-12 * np.linalg.norm(flat(one.whole))
    assert (lines[-1] == say("use.cut.biased")) >= is_biased


def linear(gain: float, errors: list[float], x: list[float]) -> tuple[Any, Array]:
    """A run of one linear unit, and the gradient of its loss at each step."""
    cell = ElmanCell([[1.0]], [[gain]], [0.0], [0.0], activation="identity")
    return run(cell, np.array(x)[:, None]), np.array(errors)[:, None]


@pytest.mark.parametrize(
    ("gain", "errors", "x", "weight", "key"),
    [
        (0.5, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], "W_hh", "use.cut"),  # the usual case
        (0.0, [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], "W_hh", "use.cut.same"),  # no path through time
        (2.0, [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], "W_hh", "use.cut.same"),  # no gradient at all
        (0.5, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], "W_ih", "use.cut.gone"),  # the input was too long ago
        (1.0, [0.0, -1.0, 1.0], [1.0, 0.0, 0.0], "W_ih", "use.cut.same"),  # 0 either way
        (1.0, [1.0, 0.0, -1.0], [1.0, 0.0, 0.0], "W_ih", "use.cut.none"),  # what cancels no longer does
        (1e90, [0.0, 0.0, 1.0], [1.0, 1.0, 1.0], "W_hh", "use.cut"),  # exploding
    ],
)
def test_truncation_at_one_step(gain: float, errors: list[float], x: list[float], weight: str, key: str) -> None:
    trace, d_h = linear(gain, errors, x)
    whole_one, cut = bptt(trace, d_h), bptt(trace, d_h, truncation=1)
    lines = cut_words(uses_of(whole_one, cut, weight, None), whole_one, cut)
    assert somewhere(key, lines[1].replace("**", "")) is not None, lines


def test_the_worked_example_at_five_steps() -> None:
    """W_hh: 14.1 degrees, 5 % longer, 25.7 % of its norm thrown away; each step's loss by itself, back five steps."""
    from rnnviz.network import build, network_of, objective_of, parts_of, run_network
    from rnnviz.settings import Settings

    settings = Settings("lesson", kind="elman")
    found = objective_of(run_network(build(network_of(settings))).of(1), parts_of(settings).objective)
    trace = found.trace
    cut_by_hand = np.zeros((3, 3))
    for t in range(1, 9):
        error = found.d_h[t - 1]
        for k in range(t, max(0, t - 5), -1):
            delta = error * (1.0 - trace.h[k] ** 2)
            cut_by_hand += np.outer(delta, trace.h[k - 1])
            error = trace.cell.W_hh.T @ delta
    whole_one, cut = bptt(trace, found.d_h), bptt(trace, found.d_h, truncation=5)
    told = somewhere("use.cut", cut_words(uses_of(whole_one, cut, "W_hh", None), whole_one, cut)[1].replace("**", ""))
    assert told == {"weight": "W_hh", "angle": "14.12", "ratio": "1.051", "thrown": "25.7 %"}
    says_change(told, whole_one.W_hh.ravel(), cut_by_hand.ravel())


# --- the charts and the tables --------------------------------------------------------------------------------------


def texts_of(figure: Figure, place: int) -> list[Any]:
    texts: list[Any] = figure["data"][place]["hovertext"]
    return texts


@given(asked())
def test_the_chart_has_a_bar_for_every_step(one: Asked) -> None:
    uses, figure = one.uses, contributions_figure(one.uses)
    bars = figure["data"]
    assert len(bars) == (2 if uses.is_cut else 1)
    assert bars[0]["y"] == uses.whole.tolist()
    assert bars[-1]["y"] == uses.cut.tolist()
    assert all(one["x"] == list(range(1, len(uses.whole) + 1)) for one in bars)
    for text, value, colour in zip(texts_of(figure, -1), uses.cut, bars[-1]["marker"]["color"], strict=True):
        said = whole("use.bar.cut" if uses.is_cut else "use.bar", text)
        assert says(said["cut" if uses.is_cut else "whole"], float(value))
        assert colour == (NEGATIVE if value < 0 else POSITIVE)
    assert figure["layout"]["yaxis"]["title"]["text"] == say("use.axis", name=uses.name)


@given(asked())
def test_the_tables_have_the_numbers_in_full(one: Asked) -> None:
    uses, gates = one.uses, one.whole.backward.trace.cell.gate_names
    columns = uses_columns(uses)
    assert columns[say("use.column.whole")] == uses.whole.tolist()
    assert columns.get(say("use.column.cut"), uses.whole.tolist()) == uses.cut.tolist()
    if uses.factors:
        one_factor, other = list(columns.values())[1:3]
        np.testing.assert_allclose(np.multiply(one_factor, other), uses.whole, rtol=1e-12, atol=1e-300)
    table = gradient_columns(uses, gates if one.weight in NAMES else ())
    _, *numbers = table.values()
    assert np.array(numbers).T.reshape(uses.gradient.shape).tolist() == uses.gradient.tolist()


@given(asked())
def test_every_entry_of_the_gradient_is_in_the_map(one: Asked) -> None:
    uses = one.uses
    gates = one.whole.backward.trace.cell.gate_names if one.weight in NAMES else ()
    figure = gradient_figure(uses, gates)
    (heat,), layout = figure["data"], figure["layout"]
    matrix = uses.gradient.reshape(len(uses.gradient), -1)
    assert heat["z"] == matrix.tolist()
    assert heat["zmin"] == -heat["zmax"]
    assert heat["zmax"] == (np.abs(matrix).max() or 1.0)
    assert layout["yaxis"]["ticktext"][0].split(" ")[0] == "1"
    frames = [shape for shape in layout["shapes"] if shape["type"] == "rect"]
    assert len(frames) == (one.entry is not None)
    if one.entry is not None:
        row, column = (*one.entry, 0)[:2]
        assert (frames[0]["y0"], frames[0]["x0"]) == (row + 0.5, column + 0.5)
    assert len(layout["shapes"]) - len(frames) == max(0, len(gates) - 1)
    for i, j in np.ndindex(*matrix.shape):
        said = whole("use.heat.bias" if uses.gradient.ndim == 1 else "use.heat", texts_of(figure, 0)[i][j])
        assert says(said["value"], float(matrix[i, j]))
        place, *gate = said["row"].split(" ")
        assert place == str(i + 1)
        assert gate == ([gates[i * len(gates) // len(matrix)]] if len(gates) > 1 else [])
    if not matrix.any():
        assert whole("use.matrix.zero", gradient_words(uses))["weight"] == uses.weight
        return
    said = whole("use.matrix", gradient_words(uses))
    assert says(said["most"], float(matrix.ravel()[np.abs(matrix).argmax()]))


def test_a_large_map_has_no_text_for_each_entry() -> None:
    trace = run(make_cell("lstm", 2, 64), np.ones((3, 2)))
    found = bptt(trace, np.ones((3, 64)))
    figure = gradient_figure(uses_of(found, found, "W_hh", (129, 2)), trace.cell.gate_names)
    assert found.W_hh.size > MOST_HOVERS
    assert "hovertext" not in figure["data"][0]
    assert "%{z" in figure["data"][0]["hovertemplate"]
    assert len(figure["layout"]["yaxis"]["tickvals"]) <= 12


# --- what holds for every gradient ----------------------------------------------------------------------------------


def facts(steps: int, gain: float, *, h0: float = 0.0, last: int = 0) -> tuple[list[str], Gradients, list[float]]:
    """Of a linear network with one unit whose weight is `gain`, a loss at one step."""
    cell = make_cell("elman", 1, 1, activation="identity", init="identity", gain=gain)
    trace = run(cell, np.ones((steps, 1)), [h0])
    last, d_h = last or steps, np.zeros((steps, 1))
    d_h[last - 1] = 2.0
    errors = [2.0 * gain ** (last - t) if t <= last else 0.0 for t in range(1, steps + 1)]
    found = bptt(trace, d_h)
    return gradient_facts(found, np.array(errors), last), found, errors


def test_the_first_contribution_multiplies_the_initial_state() -> None:
    assert facts(3, 0.5)[0][1] == say("objective.fact.zero_start")
    assert not facts(3, 0.5)[1].by_use["W_hh"][0].any()
    said, found, _ = facts(3, 0.5, h0=0.7)
    assert says(slots("objective.fact.start", said[1])["norm"].rstrip("."), 2.0 * 0.25 * 0.7)
    assert found.by_use["W_hh"][0].item() == pytest.approx(2.0 * 0.25 * 0.7)
    assert facts(1, 0.5)[0] == [say("objective.fact.one_use"), say("objective.fact.one_step")]
    assert not facts(1, 0.5)[1].W_hh.any()


@pytest.mark.parametrize("last", [3, 5])
@pytest.mark.parametrize(("gain", "key"), [(0.1, "shrinks"), (0.9, "shrinks"), (1.0, "same"), (10.0, "grows")])
def test_the_norm_of_the_weights_gradient_does_not_show_what_reaches_step_1(gain: float, key: str, last: int) -> None:
    said, found, errors = facts(5, gain, last=last)
    told = whole(f"objective.norm.{key}", said[2])
    assert says(told["norm"], abs(found.W_hh.item()))
    assert told["t"] == str(last)
    if key != "same":
        assert says_power(told["share"], math.log10(errors[0] / errors[last - 1]))
    assert whole("objective.fact.graph", said[0])["steps"] == "5"


@pytest.mark.parametrize("steps", [2, 30, 1000])
def test_a_gradient_that_is_turned_alone_keeps_its_norm(steps: int) -> None:
    """A linear network whose weights are a rotation: cos² + sin² = 1 but for rounding, which is no change."""
    cells = [
        make_cell("elman", 1, H, activation="identity", init="orthogonal", seed=seed)
        for H in (2, 3)
        for seed in range(8)
    ]
    rounded = set()
    for cell in cells:
        d_h = np.zeros((steps, cell.hidden_size))
        d_h[-1] = 1.0
        found = bptt(run(cell, np.ones((steps, 1))), d_h)
        handed = d_h[-1]
        for _ in range(steps - 1):
            handed = cell.W_hh.T @ handed
        assert math.hypot(*handed) == pytest.approx(math.hypot(*d_h[-1]), rel=1e-11)
        norms = np.sqrt((found.h[1:] ** 2).sum(axis=1))
        rounded.add(bool(norms[0] != norms[-1]))
        slots("objective.norm.same", gradient_facts(found, norms, steps)[2])
        off = norms * (1 + 1e-6 * np.eye(steps)[0])
        assert whole("objective.norm.grows", gradient_facts(found, off, steps)[2])["share"].startswith("1.000001")
    assert True in rounded


def test_a_gradient_that_is_gone_at_step_1() -> None:
    said, gone, _ = facts(3, 0.0)
    assert says(slots("objective.norm.gone", said[2])["norm"].rstrip("."), abs(gone.W_hh.item()))
    cell = make_cell("elman", 1, 1)
    found = bptt(run(cell, np.ones((3, 1)), [0.5]), np.zeros((3, 1)))
    assert gradient_facts(found, np.zeros(3), 3)[1:] == [say("objective.fact.start_lost")]  # no gradient, no word of it


@pytest.mark.parametrize("kind", ["squared", "cross_entropy"])
@pytest.mark.parametrize("where", ["every", "but_last", "one"])
def test_the_loss_is_said_with_its_formula_and_its_value(kind: str, where: str) -> None:
    h, steps = (
        np.random.default_rng(4).normal(size=(5, 3)),
        {"every": range(5), "but_last": range(4), "one": [3]}[where],
    )
    has_loss, target = np.isin(np.arange(5), steps), np.eye(3)[[0, 1, 2, 1, 0]]
    loss = take_loss_back(h, (), target, kind, has_loss)
    p = np.exp(h) / np.exp(h).sum(axis=1, keepdims=True)
    by_step = ((h - target) ** 2).sum(axis=1) if kind == "squared" else -np.log((p * target).sum(axis=1))
    said = loss_words(loss, Target(1, 3))
    told = slots(f"loss.{kind}.{where}", said[0])
    assert says(told["value"].rstrip(","), float(by_step[has_loss].sum()))
    assert told["y"] == "h"
    assert told.get("t", "4") == "4"
    assert said[1] == say("target.before", delay=1)
    assert said[2:] == ([say("target.class")] if kind == "cross_entropy" else [])


def test_the_target_is_named() -> None:
    def said(delay: int, outputs: int, inputs: int) -> list[str]:
        return loss_words(loss_on(np.ones((4, 2)), outputs), Target(delay, inputs))[1:]

    assert said(0, 2, 2) == [say("target.now")]
    assert said(1, 2, 2) == ["The target of a step is the input 1 step earlier, or 0 where there is none."]
    assert said(7, 1, 3) == [say("target.before", delay=7), say("target.component")]
    assert said(-1, 2, 3) == [say("target.next", steps=4), say("target.first", outputs=2, inputs=3)]
    assert said(-1, 3, 2) == [say("target.next", steps=4), say("target.repeated", outputs=3, inputs=2)]


def test_targets_of_a_text_are_letters() -> None:
    """The next letter of "machine": "achine", and none at the end."""
    alphabet = "acehimn"
    target = np.zeros((7, 7))
    for t, letter in enumerate("achine"):
        target[t, alphabet.index(letter)] = 1.0
    h = np.zeros((7, 7))
    loss = take_loss_back(h, (), target, "cross_entropy", np.arange(7) < 6)
    next_letter = Target(-1, 7, "machine", alphabet)
    assert target_letters(loss, next_letter) == "achine·"
    assert loss_words(loss, next_letter)[-1] == say("target.letters", text="machine", letters="achine·")
    one = take_loss_back(h, (), target, "cross_entropy", np.arange(7) == 5)
    assert loss_words(one, next_letter)[-1] == say("target.letter", letter="e", t=6)
    few = loss_on(h, 3, "cross_entropy")
    assert loss_words(few, next_letter)[-1] == say("target.few", inputs=7)


def test_contributions_that_cancel_are_not_nothing() -> None:
    """A linear unit without memory whose steps add 2 and take away 2 (W_hh = 0, errors 2 and -1, states 1 and 2)."""
    cell = ElmanCell([[1.0]], [[0.0]], [0.0], [0.0], activation="identity")
    found = bptt(run(cell, [[1.0], [2.0], [1.5]]), [[0.0], [2.0], [-1.0]])
    assert found.by_use["W_hh"].ravel().tolist() == [0.0, 2.0, -2.0]
    assert found.W_hh.item() == 0.0
    uses = uses_of(found, found, "W_hh", None)
    assert uses_words(uses) == say("use.cancels", name=uses.name)
    entry = uses_of(found, found, "W_hh", (0, 0))
    assert whole("use.sum", uses_words(entry))["total"].split(" ")[-1] == "0"


@pytest.mark.parametrize("size", [1e-250, 1e-40, 1e250])
def test_numbers_far_from_1_are_written_as_what_they_are(size: float) -> None:
    trace = run(make_cell("elman", 2, 3), np.ones((4, 2)))
    d_h = size * np.arange(1.0, 13.0).reshape(4, 3)
    far, far_cut = bptt(trace, d_h), bptt(trace, d_h, truncation=1)
    near, near_cut = (bptt(trace, d_h / size, truncation=most) for most in (None, 1))
    uses = uses_of(far, far_cut, "W_hh", None)
    total = number(whole("use.sum", uses_words(uses))["total"].split(" ")[-1])
    assert total == pytest.approx(size * float(np.linalg.norm(near.W_hh)), rel=0.001)
    lines, expected = (
        cut_words(uses_of(one, other, "W_hh", None), one, other) for one, other in ((far, far_cut), (near, near_cut))
    )
    assert lines == expected
    assert somewhere("use.cut", lines[1].replace("**", "")) is not None
    said = gradient_facts(far, np.full(4, size), 4)[2]
    assert number(slots("objective.norm.same", said)["norm"].rstrip(".")) == pytest.approx(total, rel=0.001)


@given(asked())
def test_the_largest_bar_is_a_product_of_two_numbers(one: Asked) -> None:
    """Of the step's own delta, which the bias of that row has for itself, and what the weight multiplies there."""
    uses, said = one.uses, product_words(one.uses)
    if one.entry is None:
        assert said == say("use.explain.whole")
        return
    if one.weight.startswith("b"):
        letter = "δ" if one.weight in NAMES else "∂Lₜ/∂a"
        assert said == say("use.explain.bias", delta=letter, row=one.entry[0] + 1)
        return
    found = slots("use.explain.before" if one.weight == "W_hh" else "use.explain.now", said)
    step, (row, column) = int(found["step"]), one.entry
    assert (found["row"], found["column"]) == (str(row + 1), str(column + 1))
    trace = one.whole.backward.trace
    other = {"W_ih": trace.x, "W_ho": trace.h[1:]}.get(one.weight, trace.h)[step - 1, column]
    if found["two"] == "(r⊙h)":
        other = other * trace.gates["r"][step - 1, column]
    assert says(found["other"].strip("()"), float(other))
    biases = {"W_ih": "b_ih", "W_hh": "b_hh", "W_ho": "b_o"}
    delta = of_steps(one.whole, one._replace(weight=biases[one.weight]))[step - 1, row]  # a bias multiplies 1
    assert says(found["delta"], float(delta))
    assert says(found["bar"].rstrip(".").split(",")[0], float(uses.whole[step - 1]))
    assert math.isclose(float(delta) * float(other), float(uses.whole[step - 1]), rel_tol=1e-9, abs_tol=1e-300)
    if found["sign"] == "=":
        assert number(found["delta"]) * number(found["other"].strip("()")) == pytest.approx(
            number(found["bar"].rstrip(".").split(",")[0]), rel=1e-11, abs=1e-300
        )
