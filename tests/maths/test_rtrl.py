"""RTRL: the gradient of BPTT on another way, the influence by autograd, the costs counted, and learning online."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from rnnviz import (
    Cell,
    ElmanCell,
    GRUCell,
    InputError,
    Readout,
    Trace,
    bptt,
    cross_entropy,
    gradient_costs,
    influence,
    influence_norms,
    make_cell,
    readout_gradients,
    rtrl,
    rtrl_online,
    run,
    squared_error,
    step_jacobians,
)
from rnnviz.maths.checks import Array

from .drawn import ALL_FORMS, Case, Drawn, away_from_the_kink, cases, close, runs
from .refused import assert_refused
from .twins import NAMES, differentiable_states, tensor, torch_gradients


@given(runs())
def test_bptt_and_rtrl_and_autograd_agree(drawn: Drawn) -> None:
    """The crown: three ways to one gradient, for every form and clamp."""
    forward, backward, expected = rtrl(*drawn), bptt(*drawn), torch_gradients(*drawn)
    for name in NAMES:
        close(getattr(forward, name), getattr(backward, name), name)
        close(getattr(forward, name), expected.by_use[name].sum(axis=0), name)
        assert getattr(forward, name).shape == getattr(drawn.trace.cell, name).shape
    for name in ("x", "h"):
        np.testing.assert_array_equal(getattr(forward, name), getattr(backward, name))


LOSSES: dict[str, Callable[[Readout, Trace, Array, str], Any]] = {
    "squared error": lambda readout, trace, target, at: squared_error(
        readout(trace.h[1:]), target if at == "every" else target[-1], at=at
    ),
    "cross-entropy": lambda readout, trace, target, at: cross_entropy(
        readout.preacts(trace.h[1:]), target.argmax(axis=1) if at == "every" else target[-1].argmax(), at=at
    ),
}


@given(
    runs(),
    st.sampled_from(["identity", "tanh", "sigmoid", "softmax"]),
    st.sampled_from(list(LOSSES)),
    st.sampled_from(["every", "last"]),
    st.integers(0, 2**32 - 1),
)
def test_a_step_down_the_gradient_lowers_the_loss(drawn: Drawn, activation: str, kind: str, at: str, seed: int) -> None:
    """By the length of the gradient times that of the step; the weights of the cell and of the readout all move."""
    trace, random = drawn.trace, np.random.default_rng(seed)
    away_from_the_kink(trace)
    shape = int(random.integers(1, 4)), trace.cell.hidden_size
    readout = Readout(random.uniform(-1.0, 1.0, shape), random.uniform(-1.0, 1.0, shape[0]), activation)
    target = random.uniform(-1.0, 1.0, (trace.steps, shape[0]))
    loss = LOSSES[kind](readout, trace, target, at)
    of = "outputs" if kind == "squared error" else "preacts"
    d_h, d_W, d_b = readout_gradients(readout, trace.h[1:], loss.d_y, of=of)
    for way in (bptt, rtrl):
        found = way(trace, d_h).weights
        length = np.sqrt(sum(float((array**2).sum()) for array in (*found.values(), d_W, d_b)))
        assume(length > 1e-3)
        ends = []
        for step in (1e-6 / length, -1e-6 / length):
            moved = {name: getattr(trace.cell, name) - step * array for name, array in found.items()}
            again = Readout(readout.W - step * d_W, readout.b - step * d_b, activation)
            ends.append(LOSSES[kind](again, _again(trace, replace(trace.cell, **moved)), target, at).value)
        assert ends[0] < loss.value < ends[1]
        assert ends[1] - ends[0] == pytest.approx(2e-6 * length, rel=1e-4, abs=1e-12 * loss.value)


def _again(trace: Trace, cell: Cell) -> Trace:
    state, H = trace.states[0], cell.hidden_size
    return run(cell, trace.x, state[:H], state[H:] if cell.kind == "lstm" else None, clamp=trace.clamp)


@given(runs(max_steps=5))
def test_by_loss_is_the_gradient_of_each_loss_alone(drawn: Drawn) -> None:
    trace, d_h = drawn
    parts = rtrl(trace, d_h).by_loss
    assert list(parts) == list(NAMES)
    for k in range(trace.steps):
        only = np.zeros_like(d_h)
        only[k] = d_h[k]
        alone = bptt(trace, only)
        for name in NAMES:
            assert not parts[name].flags.writeable
            close(parts[name][k], getattr(alone, name), name)
            close(bptt(trace, d_h).by_loss[name][k], getattr(alone, name), name)


@given(runs(max_steps=4), st.data())
def test_the_influence_is_autograds(drawn: Drawn, data) -> None:
    """Every unit of the state, h and c, with respect to every weight."""
    trace = drawn.trace
    t = data.draw(st.integers(1, trace.steps))
    found = influence(trace, t)
    weights = [tensor(getattr(trace.cell, name)) for name in NAMES]
    jacobian: Any = torch.autograd.functional.jacobian
    expected = jacobian(lambda *moved: differentiable_states(trace, moved)[t], tuple(weights))
    squares = 0.0
    for name, array in zip(NAMES, expected, strict=True):
        close(found[name], array.numpy(), name)
        assert not found[name].flags.writeable
        squares += float((array**2).sum())
    close(influence_norms(trace)[t - 1], np.sqrt(squares))


def test_norms_of_the_influence_beyond_the_root_of_float64() -> None:
    """An input of 1e200 at step 1, doubled at every further step; by hand, of W_ih and W_hh."""
    doubler = ElmanCell([[1.0]], [[2.0]], [0.0], [0.0], activation="identity")
    norms = influence_norms(run(doubler, [[1e200], [0.0], [0.0], [0.0]]))
    of_W_ih, of_W_hh = np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.0, 1.0, 4.0, 12.0])
    np.testing.assert_allclose(norms / 1e200, np.sqrt(of_W_ih**2 + of_W_hh**2), rtol=1e-14)


class Counter:
    """Products with a matrix, their multiply-adds counted."""

    def __init__(self) -> None:
        self.multiply_adds = 0

    def times(self, A: Any, B: Any) -> Array:
        self.multiply_adds += A.size * (B.shape[1] if B.ndim == 2 else 1)
        return A @ B


def plain_bptt(trace: Any, d_h: Array, counter: Counter) -> tuple[Array, Array]:
    """dL/dW_ih and dL/dW_hh as the textbook has them, step by step."""
    cell, gates, H, times = trace.cell, trace.gates, trace.cell.hidden_size, counter.times
    W = {name: cell.W_hh[cell.rows(name)] for name in cell.gate_names}
    dh, dc, d_W_ih, d_W_hh = np.zeros(H), np.zeros(H), np.zeros(cell.W_ih.shape), np.zeros(cell.W_hh.shape)
    for t in range(trace.steps, 0, -1):
        dh, h_prev = dh + d_h[t - 1], trace.h[t - 1]
        gate = {name: values[t - 1] for name, values in gates.items()}
        s = {name: value * (1.0 - value) for name, value in gate.items()}
        read = dict.fromkeys(cell.gate_names, h_prev)
        if cell.kind == "elman":
            deltas = {"a": (1.0 - trace.h[t] ** 2) * dh}
        elif cell.kind == "lstm":
            c, c_prev = trace.c[t], trace.c[t - 1]
            dc = dc + dh * gate["o"] * (1.0 - np.tanh(c) ** 2)
            deltas = {"i": dc * gate["g"] * s["i"], "f": dc * c_prev * s["f"]}
            deltas |= {"g": dc * gate["i"] * (1.0 - gate["g"] ** 2), "o": dh * np.tanh(c) * s["o"]}
            dc = dc * gate["f"]
        else:
            n = dh * (1.0 - gate["z"]) * (1.0 - gate["n"] ** 2)
            deltas = {"z": dh * (h_prev - gate["n"]) * s["z"], "n": n}
            dh = dh * gate["z"]
            if cell.reset == "before":
                operand = times(W["n"].T, n)
                deltas["r"] = operand * h_prev * s["r"]
                dh = dh + operand * gate["r"]
                read["n"] = gate["r"] * h_prev
            else:
                deltas["r"] = n * trace.from_h[t - 1, 2 * H :] * s["r"]
        dx = np.concatenate([deltas[name] for name in cell.gate_names])
        d_W_ih += times(dx[:, None], trace.x[t - 1][None])
        if cell.kind == "gru" and cell.reset == "after":
            deltas["n"] = deltas["n"] * gate["r"]
        d_W_hh += np.concatenate([times(deltas[name][:, None], read[name][None]) for name in cell.gate_names])
        back = [name for name in cell.gate_names if not (name == "n" and getattr(cell, "reset", "") == "before")]
        kept: Any = dh if cell.kind == "gru" else 0.0
        dh = kept + sum(times(W[name].T, deltas[name]) for name in back)
    return d_W_ih, d_W_hh


def plain_rtrl(trace: Any, d_h: Array, counter: Counter) -> tuple[Array, Array]:
    """The same with the influence of W_ih, W_hh and both biases, (S, P)."""
    cell, H, S = trace.cell, trace.cell.hidden_size, trace.cell.state_size
    sizes = np.cumsum([getattr(cell, name).size for name in NAMES])
    M, total = np.zeros((S, sizes[-1])), np.zeros(sizes[-1])
    for k, J in enumerate(step_jacobians(trace)):
        if getattr(cell, "reset", "") == "before":
            counter.times(cell.W_hh[2 * H :], np.eye(H))  # W_hn times what r * h does, inside J
        uses = influence(trace.between(k, k + 1), 1)
        use = np.concatenate([uses[name].reshape(S, -1) for name in NAMES], axis=1)
        diagonal = np.tile(np.eye(H), (S // H, S // H - 1)) * J[:, H:]  # how c moves h and c, unit by unit
        M = counter.times(J[:, :H], M[:H]) + diagonal @ M[H:] + use
        total = total + counter.times(d_h[k], M[:H])
    parts = np.split(total, sizes[:-1])
    return parts[0].reshape(cell.W_ih.shape), parts[1].reshape(cell.W_hh.shape)


COUNTED = [form for form in ALL_FORMS if form[1] in ({}, {"activation": "tanh"}) or form[1].get("update") == "keep"]


@given(cases(COUNTED))
def test_costs_are_those_of_the_textbook_counted(case: Case) -> None:
    trace = run(*case)
    cell, d_h = trace.cell, np.random.default_rng(0).uniform(-1.0, 1.0, trace.h[1:].shape)
    costs, found = gradient_costs(cell, trace.steps), bptt(trace, d_h)
    for plain, cost in ((plain_bptt, costs.bptt), (plain_rtrl, costs.rtrl)):
        counter = Counter()
        d_W_ih, d_W_hh = plain(trace, d_h, counter)
        np.testing.assert_allclose(d_W_ih, found.W_ih, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(d_W_hh, found.W_hh, rtol=1e-9, atol=1e-12)
        assert counter.multiply_adds == cost.multiply_adds
    kept = [trace.x, trace.states, *trace.preacts.values()]
    if isinstance(cell, GRUCell) and cell.reset == "after":
        kept.append(trace.from_h[:, cell.rows("n")])
    assert costs.bptt.numbers == sum(array.size for array in kept)
    held = [*influence(trace, 1).values(), *found.weights.values()]
    assert costs.rtrl.numbers == sum(array.size for array in held)


def test_what_grows_with_what() -> None:
    """BPTT's memory with T and H, RTRL's with the cube of H; its work with the fourth power."""
    small, large = make_cell("elman", 1, 32), make_cell("elman", 1, 64)
    once, twice = gradient_costs(small, 100), gradient_costs(small, 200)
    assert twice.bptt.numbers == pytest.approx(2 * once.bptt.numbers, rel=0.01)
    assert twice.rtrl.numbers == once.rtrl.numbers
    assert twice.rtrl.multiply_adds == 2 * once.rtrl.multiply_adds
    wider = gradient_costs(large, 100)
    assert wider.bptt.numbers / once.bptt.numbers == pytest.approx(2.0, rel=0.05)
    assert wider.rtrl.numbers / once.rtrl.numbers == pytest.approx(8.0, rel=0.1)
    assert wider.rtrl.multiply_adds / once.rtrl.multiply_adds == pytest.approx(16.0, rel=0.1)


def toward(goal: float) -> Callable[[int, Array], Array]:
    """The gradient of ``|h_t - goal|^2 / 2`` at every step."""
    return lambda t, h: h - goal * np.cos(t)


@given(cases(max_steps=8, shifts=(0.0,)))
def test_without_learning_nothing_drifts(case: Case) -> None:
    cell, x, h0, c0 = case
    learned = rtrl_online(cell, x, toward(0.5), lr=0.0, h0=h0, c0=c0)
    trace = run(cell, x, h0, c0)
    close(learned.h, trace.h)  # one step is summed in another order than many
    for name in NAMES:
        np.testing.assert_array_equal(getattr(learned.cell, name), getattr(cell, name))
    d_h = np.array([toward(0.5)(t, h) for t, h in enumerate(trace.h[1:], start=1)])
    parts = rtrl(trace, d_h).by_loss.values()
    norms = np.sqrt(sum((part.reshape(len(x), -1) ** 2).sum(axis=1) for part in parts))
    np.testing.assert_allclose(learned.norms, norms, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(learned.true_norms, norms, rtol=1e-12, atol=1e-14)
    assert (learned.drift <= 1e-12 * (1.0 + norms)).all()


@given(cases(max_steps=6, shifts=(0.0,)))
def test_learning_online_by_the_definition(case: Case) -> None:
    """Step by step with the Jacobians; the true gradient by autograd at the weights of each step."""
    cell, x, h0, c0 = case
    learned = rtrl_online(cell, x, toward(0.5), lr=0.05, h0=h0, c0=c0)
    H, state, influences = len(h0), run(cell, x, h0, c0).states[0], None
    for k in range(len(x)):
        c_prev = state[H:] if cell.kind == "lstm" else None
        step = run(cell, x[k : k + 1], state[:H], c_prev)
        (J,), uses = step_jacobians(step), influence(step, 1)
        influences = {
            name: use + (np.tensordot(J, influences[name], 1) if influences else 0.0) for name, use in uses.items()
        }
        state = step.states[1]
        np.testing.assert_allclose(learned.h[k + 1], state[:H], rtol=0.0, atol=1e-12)
        direct = toward(0.5)(k + 1, state[:H])
        online = {name: np.tensordot(direct, array[:H], 1) for name, array in influences.items()}
        fixed = run(cell, x[: k + 1], h0, c0)
        d_h = np.zeros((k + 1, H))
        d_h[-1] = toward(0.5)(k + 1, fixed.h[-1])
        true = {name: array.sum(axis=0) for name, array in torch_gradients(fixed, d_h).by_use.items()}
        off = np.sqrt(sum(((online[name] - true[name]) ** 2).sum() for name in NAMES))
        close(learned.drift[k], off, digits=1e-12)
        close(learned.true_norms[k], np.sqrt(sum((array**2).sum() for array in true.values())), digits=1e-12)
        cell = replace(cell, **{name: getattr(cell, name) - 0.05 * online[name] for name in NAMES})
    for name in NAMES:
        close(getattr(learned.cell, name), getattr(cell, name), name, digits=1e-12)


def test_the_drift_grows_with_the_learning_rate() -> None:
    cell, x = make_cell("gru", 1, 4, seed=3), np.ones((30, 1))
    drifts = [rtrl_online(cell, x, toward(0.5), lr=lr).drift for lr in (0.001, 0.01, 0.1)]
    assert all(drift[0] < 1e-14 for drift in drifts)
    assert drifts[0].max() * 3 < drifts[1].max() < drifts[2].max() / 3
    assert not drifts[0].flags.writeable


trace = run(make_cell("gru", 2, 3, seed=1), np.ones((4, 2)))
flat = np.ones((4, 3))
large = run(make_cell("elman", 1, 65), np.ones((2, 1)))
anything: Any = None


def online(**given: Any) -> Any:
    return rtrl_online(**({"cell": trace.cell, "x": trace.x, "d_loss": lambda t, h: h, "lr": 0.1} | given))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: rtrl(large, np.ones((2, 65))),
            ["RTRL carries the influence", "H must be at most 64; got 65", "Use fewer units, or BPTT"],
        ),
        (lambda: influence(large, 1), ["RTRL carries", "got 65"]),
        (lambda: influence_norms(large), ["RTRL carries", "got 65"]),
        (lambda: bptt(large, np.ones((2, 65))).by_loss, ["RTRL carries", "got 65"]),
        (lambda: online(cell=large.cell, x=large.x), ["RTRL carries", "got 65"]),
        (lambda: rtrl(trace, flat[:3]), ["d_h must be (4, 3) for a run of 4 steps of 3 units; got (3, 3)"]),
        (lambda: rtrl(trace, np.ones((5, 3))), ["Leave out row 0"]),
        (lambda: rtrl(trace, flat * np.inf), ["d_h row 1, column 1 (d_h[0, 0] in Python) is inf"]),
        (lambda: rtrl(anything, flat), ["rtrl needs a Trace; got NoneType"]),
        (lambda: influence(trace, 0), ["t must be an integer in 1..4; got 0"]),
        (lambda: gradient_costs(trace.cell, 0), ["steps must be an integer of at least 1; got 0"]),
        (lambda: gradient_costs(anything or "gru", 5), ["gradient_costs needs a cell; got str", "make_cell"]),
        (lambda: online(lr=-0.1), ["lr must be a finite number of at least 0; got -0.1"]),
        (lambda: online(lr=np.nan), ["lr must be a finite number"]),
        (lambda: online(x=trace.x[:, :1]), ["x must be (T, 2)"]),
        (lambda: online(d_loss=lambda t, h: h[:2]), ["at step 1 of 4", "what d_loss returns must be (3,)", "got (2,)"]),
        (lambda: online(d_loss=lambda t, h: h / 0.0 if t == 2 else h), ["at step 2 of 4", "what d_loss returns entry"]),
        (lambda: online(d_loss=lambda t, h: 1e300 * h, lr=1e300), ["Learning stops at step", "lr = 1e+300"]),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    assert_refused(call, words)


def test_the_largest_cell_is_taken() -> None:
    most = run(make_cell("elman", 1, 64), np.ones((2, 1)))
    d_h = np.ones((2, 64))
    close(rtrl(most, d_h).W_hh, bptt(most, d_h).W_hh)


def test_an_influence_that_overflows_names_its_step() -> None:
    wild = ElmanCell([[1.0]], [[1e100]], [0.0], [0.0], activation="identity")
    exploding = run(wild, np.zeros((6, 1)))
    for call in (lambda: influence(exploding, 6), lambda: rtrl(exploding, np.ones((6, 1)))):
        with pytest.raises(InputError, match=r"influence of the weights overflows float64 .* at step \d\. Lower"):
            call()
    with pytest.raises(InputError, match="at step 5"):
        influence_norms(exploding)
    influence(exploding, 4)


def test_a_gradient_that_overflows_online_names_its_step() -> None:
    linear = ElmanCell([[1.0]], [[0.0]], [0.0], [0.0], activation="identity")
    with pytest.raises(InputError, match=r"^Learning stops at step 2 of 2 .* influence of the weights overflows"):
        rtrl_online(linear, [[0.0], [1e200]], lambda t, h: [1e200], lr=0.0)
