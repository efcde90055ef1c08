"""The gated latch beside the tanh latch: words and figure against the equation in 40 digits, and medians over seeds."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp, Trace, make_cell, run
from rnnviz.network import build, choose, network_of, run_network
from rnnviz.settings import Entry, Settings
from rnnviz.texts import say
from rnnviz.texts.en import TEXTS
from rnnviz.views.charts.latch import latch_figure
from rnnviz.views.sentences import gate_facts
from rnnviz.views.sentences.latch import latch_words, log10_gradients, random_norms, random_words, tanh_latch
from tests.views.spoken import number, slots, the_one, whole
from tests.views.test_gate_facts import memory
from tests.views.test_gate_facts import tanh_latch as by_equation
from tests.views.written import says, says_power

KINDS = ("lstm", "gru")


def latched(kind: str, **chosen: object) -> Trace:
    settings = Settings("latch", kind=kind)
    for name, value in chosen.items():
        settings = choose(settings, name, value)  # type: ignore[arg-type]
    return run_network(build(network_of(settings))).trace


def test_the_tanh_latch_holds_for_ever_and_its_gradient_is_gone() -> None:
    """Bengio, Simard & Frasconi (1994): h stays at the fixed point of h = tanh(3 h), which multiplies by 0.0305."""
    x = np.zeros((1000, 2))
    x[2, 1] = 1.0
    plain = tanh_latch(x)
    fixed = float(mpmath.findroot(lambda h: mpmath.tanh(3 * h) - h, 0.99))
    np.testing.assert_allclose(plain.h[20:, 0], fixed, rtol=1e-12)
    assert fixed == pytest.approx(0.9949, abs=5e-5)
    assert 3 * (1 - fixed**2) == pytest.approx(0.0305, abs=5e-5)
    part = plain.between(0, 100)
    assert log10_gradients(part)[3] == pytest.approx(-147.02, abs=0.01)
    assert log10_gradients(part)[3] == pytest.approx(by_equation(part, 3)[1], rel=1e-12)


def test_noise_does_not_turn_it() -> None:
    """Robust: of 32 noises as large as half its weight none turns the bit."""
    for seed in range(32):
        x = np.random.default_rng(seed).uniform(-0.2, 0.2, (100, 1))
        x[2] = 1.0
        assert tanh_latch(x).h[3:, 0].min() > 0.9


def assert_why(why: str, trace: Trace, step: int) -> None:
    """What is said of the tanh unit, by its equation in 40 digits."""
    with mpmath.workdps(40):
        path = [mpmath.mpf(0)]
        for row in trace.x.tolist():
            path.append(mpmath.tanh(3 * path[-1] + 5 * mpmath.mpf(row[-1])))
        factor = float(3 * (1 - path[-1] ** 2))
    held = path[step:]
    why = why.replace(TEXTS["latch.why.gated"], "").strip()
    key, said = the_one(["latch.why.holds", "latch.why.empty", "latch.why.other"], why)
    assert number(said["factor"]) == pytest.approx(factor, rel=1e-3, abs=1e-12)
    if key == "latch.why.empty":
        assert not any(path)
        assert factor == 3
    elif key == "latch.why.holds":
        assert all(one > 0.9 for one in held) or all(one < -0.9 for one in held)
        assert says(said["least"], float(min(map(abs, held))))
        assert all(3 * (1 - one**2) < 0.6 for one in held)
    else:
        assert any(path)
        assert min(map(abs, held)) <= 0.9 or len({one > 0 for one in held}) == 2
        fixed = float(mpmath.findroot(lambda h: mpmath.tanh(3 * h) - h, 0.99))
        assert says(said["h"], float(path[-1]))
        assert says(said["fixed"], fixed)
        assert number(said["flat"]) == pytest.approx(3 * (1 - fixed**2), rel=1e-3)


@pytest.mark.parametrize(
    ("x", "step", "key"),
    [
        ([0.0] * 50, 1, "empty"),  # no mark: each step multiplies by 3
        ([0.0, 1.0, *[0.0] * 48], 2, "holds"),
        ([0.0, -1.0, *[0.0] * 48], 2, "holds"),
        ([0.0, 1.0, *[0.0] * 20, -2.0, *[0.0] * 27], 2, "other"),  # turned over on the way
        ([0.0, 1e-3, *[0.0] * 3], 2, "other"),  # still on its way from 0
        ([1.0, -0.5], 1, "other"),  # close to 0 at its last step
    ],
)
def test_why_follows_what_the_tanh_unit_does(x: list[float], step: int, key: str) -> None:
    trace = run(latched("lstm").cell, [[0.0, one] for one in x])
    why = latch_words(trace, tanh_latch(trace.x), step, "c").split("** ")[1]
    assert whole(f"latch.why.{key}", why.replace(TEXTS["latch.why.gated"], "").strip())
    assert_why(why, trace, step)
    assert ("vanishing gradient" in why) == (key == "holds")


@given(st.lists(st.floats(-1.5, 1.5) | st.just(0.0), min_size=2, max_size=12), st.integers(0, 11))
def test_why_is_true_of_any_input(x: list[float], step: int) -> None:
    trace = run(latched("gru").cell, [[0.0, one] for one in x])
    step = min(step, len(x) - 1)
    h = tanh_latch(trace.x).h[step:, 0]
    if (np.abs(np.abs(h) - 0.9) > 1e-9).all():
        assert_why(latch_words(trace, tanh_latch(trace.x), step, "h").split("** ")[1], trace, step)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chosen", [{}, {"steps": 10}, {"input": "noise"}, {"input_size": 1}])
def test_the_words_have_both_latches_numbers(kind: str, chosen: dict[str, object]) -> None:
    trace = latched(kind, **chosen)
    plain, symbol = tanh_latch(trace.x), gate_facts.memory_symbol(trace)
    step = gate_facts.subject_of(gate_facts.latch, trace).step
    first, why = latch_words(trace, plain, step, symbol).removeprefix("**").split("** ")
    said = slots("latch.words", first)
    h, log10 = by_equation(trace, step)
    of = memory(trace, 0)
    assert (int(said["step"]), int(said["last"]), said["symbol"]) == (step, trace.steps, symbol)
    assert says(said["memory"], of.values[-1])
    assert says(said["h"], h)
    assert says_power(said["left"].rstrip("."), log10)
    direct = float(np.prod(of.keeps[step:]))  # W_hh = 0: all paths are the direct one
    assert number(said["gated"]) == pytest.approx(direct, rel=1e-3)
    holds = "vanishing gradient" in why
    assert why.endswith(TEXTS["latch.why.gated"]) == (holds and bool(np.log10(direct) > log10))
    assert_why(why, trace, step)


def test_a_gated_unit_that_keeps_less_is_no_way_out() -> None:
    """At a single marked step the forget gate is still near 0: less than the tanh unit keeps."""
    trace = latched("lstm", steps=1)
    said = latch_words(trace, tanh_latch(trace.x), 0, "c")
    numbers = slots("latch.words", said.removeprefix("**").split("** ")[0])
    assert number(numbers["gated"]) < number(numbers["left"].rstrip("."))
    assert TEXTS["latch.why.gated"] not in said
    longer = latched("lstm")
    assert latch_words(longer, tanh_latch(longer.x), 3, "c").endswith(TEXTS["latch.why.gated"])


def test_a_saturated_tanh_unit_has_a_factor_that_keeps_its_digits() -> None:
    """With u = 10 the slope is 4 exp(-106), where 1 - h^2 is 0 in float64."""
    cell = latched("lstm")
    trace = run(cell.cell, np.full((4, 2), 10.0))
    factor = slots("latch.why.holds", latch_words(trace, tanh_latch(trace.x), 1, "c").split("** ")[1])["factor"]
    h, a = mpmath.mpf(0), mpmath.mpf(0)
    with mpmath.workdps(80):
        for _ in range(4):
            a = 3 * h + 50
            h = mpmath.tanh(a)
        assert number(factor) == pytest.approx(float(3 * mpmath.sech(a) ** 2), rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_the_figure_has_memories_and_gradients_of_both(kind: str) -> None:
    trace = latched(kind)
    plain, symbol = tanh_latch(trace.x), gate_facts.memory_symbol(trace)
    figure = latch_figure(trace, plain, symbol)
    held, gated, h, vanishing = figure["data"]
    assert held["y"] == memory(trace, 0).values
    assert h["y"] == plain.h[:, 0].tolist()
    assert [held["name"], h["name"]] == [say("latch.curve.gated", symbol=symbol), say("latch.curve.plain")]
    keeps = memory(trace, 0).keeps
    for k in (0, 2, 3, 50, 100):
        assert gated["y"][k] == pytest.approx(np.log10(keeps[k:]).sum(), abs=1e-9)
        assert vanishing["y"][k] == pytest.approx(by_equation(trace, k)[1], rel=1e-9, abs=1e-9)
        assert says_power(slots("latch.hover.gradient", vanishing["hovertext"][k])["value"], vanishing["y"][k])
    assert figure["layout"]["xaxis"]["matches"] == "x2"


def test_the_figure_of_a_single_step_has_its_axis() -> None:
    trace = run(latched("gru").cell, np.ones((1, 2)))
    figure = latch_figure(trace, tanh_latch(trace.x), "h")
    assert [len(line["y"]) for line in figure["data"]] == [2, 2, 2, 2]


# --- random weights -------------------------------------------------------------------------------------------------


def by_torch(kind: str, x: np.ndarray, hidden: int, step: int, seed: int) -> float:
    """log10 of the spectral norm of the Jacobian that autograd finds, of the whole state."""
    cell = make_cell(kind, x.shape[1], hidden, seed=seed)
    trace, lstm = run(cell, x), kind == "lstm"
    twins = {"elman": torch.nn.RNNCell, "lstm": torch.nn.LSTMCell, "gru": torch.nn.GRUCell}
    twin = twins[kind](x.shape[1], hidden).double()
    with torch.no_grad():
        for name, ours in (("ih", cell.W_ih), ("hh", cell.W_hh)):
            getattr(twin, f"weight_{name}").copy_(torch.tensor(np.array(ours)))
        twin.bias_ih.copy_(torch.tensor(np.array(cell.b_ih)))
        twin.bias_hh.copy_(torch.tensor(np.array(cell.b_hh)))

    def onwards(state: torch.Tensor) -> torch.Tensor:
        for row in x[step:]:
            u = torch.tensor(np.array(row))
            state = torch.cat(twin(u, (state[:hidden], state[hidden:]))) if lstm else twin(u, state)
        return state

    jacobian = torch.func.jacrev(onwards)(torch.tensor(np.array(trace.states[step])))
    return float(np.log10(np.linalg.norm(jacobian.detach().numpy(), 2)))


def test_medians_over_seeds_are_those_of_autograd() -> None:
    x = latched("lstm", steps=14).x
    norms = random_norms(x, 2, 3, range(32))
    for kind, median in norms.items():
        wanted = statistics.median(by_torch(kind, x, 2, 3, seed) for seed in range(32))
        assert median == pytest.approx(wanted, abs=1e-8)


def test_the_words_have_the_medians() -> None:
    norms = random_norms(latched("gru").x, 2, 3)
    said = slots("latch.random", random_words(norms, 3, 100))
    assert (said["of"], said["to"], said["seeds"]) == ("₃", "₁₀₀", "32")
    for kind, median in norms.items():
        assert says_power(said[kind], median)


def test_an_edited_latch_is_compared_as_it_stands() -> None:
    """Another step is marked: the words follow it."""
    settings = Settings("latch", kind="lstm").edit({Entry("x", (2, 1)): 0.0, Entry("x", (59, 1)): 1.0})
    trace = run_network(build(network_of(replace(settings)))).trace
    assert gate_facts.subject_of(gate_facts.latch, trace) == (0, 60)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gated_unit_that_others_feed_is_told_by_its_own_path_and_sign(kind: str) -> None:
    """Weights from h to h: all paths may keep more than tanh does, and the direct one less; the derivative has a sign.

    The derivative by differences of runs with a memory moved at that step, the direct path by a product of the gates.
    """
    told, negative, gate = set(), 0, "f" if kind == "lstm" else "z"
    for seed in range(16):
        random, cell, step = np.random.default_rng(seed), latched(kind).cell, 3
        bias, clamps = np.array(cell.b_ih), [Clamp(gate, 0.02)] if seed % 2 else []
        bias[cell.rows(gate)] -= 2.0
        edited = replace(cell, W_hh=random.normal(size=cell.W_hh.shape) * 3.0, b_ih=bias)
        trace = run(edited, latched(kind, steps=8).x, clamp=clamps)
        said = latch_words(trace, tanh_latch(trace.x), step, "m")
        numbers = slots("latch.words", said.removeprefix("**").split("** ")[0])
        ends = []
        for moved in (1e-6, -1e-6):
            starts = [np.array(trace.h[step])] + ([] if trace.c is None else [np.array(trace.c[step])])
            starts[-1][0] += moved
            ends.append(float(gate_facts.memory_of(run(edited, trace.x[step:], *starts, clamp=clamps))[-1, 0]))
        slope, plain = (ends[0] - ends[1]) / 2e-6, by_equation(trace, step)[1]
        if abs(slope) > 1e-5:
            assert number(numbers["gated"]) == pytest.approx(slope, rel=2e-3)
            negative += slope < 0
        assert "vanishing gradient" in said
        keeps_more = math.fsum(map(math.log10, memory(trace, 0).keeps[step:])) > plain
        assert said.endswith(TEXTS["latch.why.gated"]) == keeps_more
        told.add((keeps_more, abs(slope) > 10**plain))
    assert negative
    assert told >= {(True, True), (False, True)}
