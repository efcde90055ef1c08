"""BPTT by other routes: autograd, with the same truncations; differences of the run; 60 digits where gates saturate."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import (
    Clamp,
    ElmanCell,
    Gradients,
    InputError,
    StateOverflowError,
    Trace,
    bptt,
    make_cell,
    rtrl,
    run,
    run_stack,
)
from rnnviz.maths.checks import Array

from . import exact_gradient
from .drawn import (
    ALL_FORMS,
    FORMS,
    TORCH_FORMS,
    Case,
    Drawn,
    away_from_the_kink,
    cases,
    close,
    make_case,
    runs,
    stack_above,
)
from .refused import assert_refused
from .twins import NAMES, tensor, torch_gradients, torch_network

GATED = [*FORMS["lstm"], *FORMS["gru"]]


def assert_as_autograd(found: Gradients, expected: Any) -> None:
    for name in NAMES:
        close(found.weights[name], expected.by_use[name].sum(axis=0), name)
        close(found.by_use[name], expected.by_use[name], f"uses of {name}")
    close(found.x, expected.x, "x")
    close(found.h, expected.h, "h")
    if found.c is not None:
        close(found.c, expected.c, "c")


@given(runs())
def test_the_whole_gradient_is_autograds(drawn: Drawn) -> None:
    """All forms and clamps; weights, each use of them, inputs and all states."""
    assert_as_autograd(bptt(*drawn), torch_gradients(*drawn))


@given(runs(), st.integers(0, 2**32 - 1))
def test_the_part_of_each_use_along_a_direction(drawn: Drawn, seed: int) -> None:
    """As the uses themselves have it, entry by entry; and a single 1 picks an entry."""
    found, random = bptt(*drawn), np.random.default_rng(seed)
    for name in NAMES:
        uses = found.by_use[name]
        towards = random.uniform(-1.0, 1.0, uses.shape[1:])
        sizes = np.abs(uses * towards).reshape(len(uses), -1).sum(axis=1)
        parts = (uses * towards).reshape(len(uses), -1).sum(axis=1)
        assert (np.abs(found.along(name, towards) - parts) <= 1e-13 * sizes + 1e-300).all()
        place = tuple(int(random.integers(size)) for size in uses.shape[1:])
        one = np.zeros(uses.shape[1:])
        one[place] = 1.0
        np.testing.assert_allclose(found.along(name, one), uses[(slice(None), *place)], rtol=1e-14, atol=1e-300)


def test_a_direction_of_another_shape_is_refused() -> None:
    trace = run(make_cell("elman", 2, 3), np.ones((4, 2)))
    found = bptt(trace, np.ones((4, 3)))
    with pytest.raises(InputError, match=r"\(3, 3\).*W_hh"):
        found.along("W_hh", np.ones((3, 2)))
    with pytest.raises(InputError, match="weight"):
        found.along("W", np.ones((3, 3)))


@given(runs(), st.data())
def test_chunks_are_states_detached_between_them(drawn: Drawn, data) -> None:
    K = data.draw(st.integers(1, drawn.trace.steps))
    found = bptt(*drawn, truncation=K, scheme="chunk")
    assert_as_autograd(found, torch_gradients(*drawn, K, "chunk"))


@given(runs(), st.data())
def test_sliding_is_a_graph_of_k_steps_for_each_loss(drawn: Drawn, data) -> None:
    K = data.draw(st.integers(1, drawn.trace.steps))
    assert_as_autograd(bptt(*drawn, truncation=K), torch_gradients(*drawn, K, "sliding"))


@given(runs(), st.sampled_from(["sliding", "chunk"]))
def test_truncated_to_all_steps_is_not_truncated(drawn: Drawn, scheme: str) -> None:
    whole, same = bptt(*drawn), bptt(*drawn, truncation=drawn.trace.steps, scheme=scheme)
    for name in (*NAMES, "x", "h"):
        np.testing.assert_array_equal(getattr(same, name), getattr(whole, name))


@given(runs(), st.sampled_from(["sliding", "chunk"]))
def test_one_step_is_what_each_loss_says_of_its_own_step(drawn: Drawn, scheme: str) -> None:
    """As with a state that is detached at every step: the run cut into runs of one step."""
    trace, d_h = drawn
    found = bptt(trace, d_h, truncation=1, scheme=scheme)
    for k in range(trace.steps):
        alone = bptt(trace.between(k, k + 1), d_h[k : k + 1])
        for name in NAMES:
            close(found.by_use[name][k], getattr(alone, name), name)


@given(cases(TORCH_FORMS, shifts=(0.0, 3.0)), st.integers(1, 3))
def test_a_stack_learns_as_torchs_network(case: Case, layers: int) -> None:
    """The error at the inputs of a layer is the direct gradient of the layer below."""
    cells, T = stack_above(case, layers), len(case.x)
    network, x = torch_network(cells), tensor(case.x).requires_grad_()
    d_h = np.random.default_rng(T).uniform(-1.0, 1.0, (T, case.cell.hidden_size))
    (network(x)[0] * tensor(d_h)).sum().backward()
    for layer, trace in reversed(list(enumerate(run_stack(cells, case.x)))):
        found = bptt(trace, d_h)
        d_h = found.x
        for ours, theirs in NAMES.items():
            close(getattr(found, ours), getattr(network, f"{theirs}_l{layer}").grad.numpy(), ours)
    close(d_h, x.grad.numpy(), "x")


@pytest.mark.parametrize("form", TORCH_FORMS)
def test_a_thousand_steps_of_64_units(form) -> None:
    case = make_case(form, 8, 64, 1000, seed=3)
    network, trace = torch_network([case.cell]), run(case.cell, case.x)
    d_h = np.random.default_rng(0).uniform(-1.0, 1.0, (1000, 64))
    (network(tensor(case.x))[0] * tensor(d_h)).sum().backward()
    found = bptt(trace, d_h)
    for ours, theirs in NAMES.items():
        close(getattr(found, ours), getattr(network, f"{theirs}_l0").grad.numpy(), ours, digits=1e-11)


def loss_of(trace: Trace, d_h: Array, **changed: Any) -> float:
    """``sum_t d_h[t] . h_t`` of the same run with something changed."""
    H = trace.cell.hidden_size
    state = changed.get("state", trace.states[0])
    cell = replace(trace.cell, **{name: changed[name] for name in NAMES if name in changed})
    c0 = state[H:] if trace.c is not None else None
    again = run(cell, changed.get("x", trace.x), state[:H], c0, clamp=changed.get("clamp", trace.clamp))
    return float((d_h * again.h[1:]).sum())


@given(runs(), st.integers(0, 2**32 - 1))
def test_differences_of_the_run_agree(drawn: Drawn, seed: int) -> None:
    """A move in a random direction of each weight, of the inputs and of the initial state."""
    trace, d_h = drawn
    away_from_the_kink(trace)
    found, random = bptt(trace, d_h), np.random.default_rng(seed)
    now = {name: getattr(trace.cell, name) for name in NAMES} | {"x": trace.x, "state": trace.states[0]}
    gradients = {name: getattr(found, name) for name in (*NAMES, "x")} | {"state": found.backward.states[0]}
    for name, value in now.items():
        way = random.uniform(-1.0, 1.0, value.shape)
        ends = [loss_of(trace, d_h, **{name: value + step * way}) for step in (-1e-5, 1e-5)]
        close((ends[1] - ends[0]) / 2e-5, (gradients[name] * way).sum(), name, digits=1e-7)


@given(runs(GATED), st.data())
def test_the_error_at_a_held_gate_is_what_holding_it_elsewhere_would_do(drawn: Drawn, data) -> None:
    trace, d_h = drawn
    gate = data.draw(st.sampled_from(trace.cell.clampable))
    unit, first = data.draw(st.integers(0, trace.cell.hidden_size - 1)), data.draw(st.integers(1, trace.steps))

    def held(value: float) -> tuple[Clamp, ...]:
        return (*trace.clamp, Clamp(gate, value, unit, first))

    cell, x, states, H = trace.cell, trace.x, trace.states, trace.cell.hidden_size
    again = run(cell, x, states[0, :H], states[0, H:] if trace.c is not None else None, clamp=held(0.4))
    ends = [loss_of(trace, d_h, clamp=held(value)) for value in (0.4 - 1e-5, 0.4 + 1e-5)]
    passed = bptt(again, d_h).backward
    close((ends[1] - ends[0]) / 2e-5, passed.at_gates[gate][first - 1 :, unit].sum(), digits=1e-7)
    np.testing.assert_array_equal(passed.delta[gate][first - 1 :, unit], 0.0)
    np.testing.assert_array_equal(passed.slopes[gate][first - 1 :, unit], 0.0)


SMOOTH = [*FORMS["elman"][:2], *GATED]


@pytest.mark.parametrize("shift", [0.0, 20.0, 40.0, 300.0])
@pytest.mark.parametrize("form", SMOOTH, ids=lambda form: "-".join([form[0].__name__, *form[1].values()]))
def test_saturated_units_keep_their_gradient(form, shift: float) -> None:
    """Where autograd finds 0, against 60 digits. All gates saturate, or all units of an Elman cell."""
    cell, x, h0, c0 = make_case(form, 1, 2, 3, seed=7)
    b_ih = cell.b_ih.copy()
    signs = np.random.default_rng(1).choice([-1.0, 1.0], len(b_ih))
    for name in cell.clampable or cell.gate_names:
        b_ih[cell.rows(name)] += shift * signs[cell.rows(name)]
    trace = run(replace(cell, b_ih=b_ih), x, h0, c0)
    d_h = np.random.default_rng(2).uniform(0.5, 1.0, (3, 2))
    expected = exact_gradient.weight_gradients(trace, d_h)
    for found in (bptt(trace, d_h), rtrl(trace, d_h)):
        for name in NAMES:
            row_scale = np.abs(expected[name]).reshape(len(b_ih), -1).max(axis=1)
            off = np.abs(getattr(found, name) - expected[name]).reshape(len(b_ih), -1).max(axis=1)
            assert row_scale.min() > 0.0
            assert (off / row_scale).max() < 1e-10, name


@given(runs(), st.data())
def test_the_backward_pass_adds_up(drawn: Drawn, data) -> None:
    """Every number that a page draws, whatever the truncation."""
    trace, d_h = drawn
    K = data.draw(st.none() | st.integers(1, trace.steps))
    passed = bptt(trace, d_h, truncation=K, scheme=data.draw(st.sampled_from(["sliding", "chunk"]))).backward
    H = trace.cell.hidden_size
    np.testing.assert_array_equal(passed.from_loss, d_h)
    np.testing.assert_array_equal(passed.h[1:], d_h + passed.from_future[1:, :H])
    np.testing.assert_array_equal(passed.states[0], passed.from_future[0])
    np.testing.assert_array_equal(passed.from_future[-1], 0.0)
    for name, delta in passed.delta.items():
        close(delta, passed.at_gates[name] * passed.slopes[name], name, digits=1e-15)
    paths = dict(passed.paths)
    if passed.c is not None and passed.c_from_h is not None:
        close(passed.c[1:], passed.from_future[1:, H:] + passed.c_from_h, digits=1e-15)
        close(paths.pop("keep"), passed.from_future[:, H:])
    close(sum(paths.values()), passed.from_future[:, :H])
    if K is None:
        np.testing.assert_array_equal(passed.passed_on, passed.states[1:])


def test_the_slopes_are_those_of_the_gates() -> None:
    for form in ALL_FORMS:
        trace = run(*make_case(form, 2, 3, 4, seed=4))
        slopes = bptt(trace, np.ones((4, 3))).backward.slopes
        assert list(slopes) == list(trace.preacts)
        for name, a in trace.preacts.items():
            kind = getattr(trace.cell, "activation", "tanh" if name in "gn" else "sigmoid")
            s = 1.0 / (1.0 + np.exp(-a))
            usual = {"tanh": 1.0 - np.tanh(a) ** 2, "sigmoid": s * (1.0 - s), "relu": a > 0.0, "identity": a == a}
            np.testing.assert_allclose(slopes[name], usual[kind], rtol=1e-12)


def test_what_is_cut_off_is_told() -> None:
    """An error of 1 at every step of an adder, by hand."""
    adder = ElmanCell([[1.0]], [[1.0]], [0.0], [0.0], activation="identity")
    trace, d_h = run(adder, np.ones((5, 1))), np.ones((5, 1))

    def told(**options: Any) -> tuple[list[float], list[float], list[float]]:
        passed = bptt(trace, d_h, **options).backward
        return tuple(array[:, 0].tolist() for array in (passed.from_future, passed.states, passed.passed_on))

    assert told() == ([5, 4, 3, 2, 1, 0], [5, 5, 4, 3, 2, 1], [5, 4, 3, 2, 1])
    assert told(truncation=2) == ([2, 1, 1, 1, 1, 0], [2, 2, 2, 2, 2, 1], [2, 1, 1, 1, 1])
    assert told(truncation=2, scheme="chunk") == ([2, 1, 0, 1, 0, 0], [2, 2, 1, 2, 1, 1], [2, 1, 0, 1, 0])


@given(runs())
def test_norms_of_the_uses(drawn: Drawn) -> None:
    found = bptt(*drawn)
    tiny = bptt(drawn.trace, np.ldexp(drawn.d_h, -700))
    for name in NAMES:
        parts = found.by_use[name].reshape(drawn.trace.steps, -1)
        np.testing.assert_allclose(found.use_norms(name), np.hypot.reduce(parts, axis=1), rtol=1e-13, atol=1e-300)
        np.testing.assert_allclose(np.ldexp(tiny.use_norms(name), 700), found.use_norms(name), rtol=1e-13, atol=1e-90)


@given(runs())
def test_it_is_linear_far_from_one(drawn: Drawn) -> None:
    """A power of two changes no digit."""
    for power in (-600, 600):
        scaled, found = bptt(drawn.trace, np.ldexp(drawn.d_h, power)), bptt(*drawn)
        for name in (*NAMES, "x", "h"):
            np.testing.assert_allclose(
                np.ldexp(getattr(scaled, name), -power), getattr(found, name), rtol=1e-15, atol=1e-100
            )


def test_results_are_read_only_and_survive_a_copy() -> None:
    case = make_case(FORMS["lstm"][0], 2, 3, 4, seed=5)
    found = bptt(run(*case), np.ones((4, 3)), truncation=2, scheme="chunk")
    assert found.W_ih.shape == (12, 2)
    assert found.h.shape == found.c.shape == (5, 3)
    for duplicate in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        passed = duplicate.backward
        assert (passed.truncation, passed.scheme) == (2, "chunk")
        mappings = (duplicate.weights, duplicate.by_use, passed.delta, passed.slopes, passed.at_gates, passed.paths)
        arrays = [array for mapping in mappings for array in mapping.values()]
        arrays += [duplicate.x, duplicate.h, duplicate.c, passed.c_from_h, passed.passed_on, passed.deltas_from_h]
        assert not any(array.flags.writeable for array in arrays)
        np.testing.assert_array_equal(duplicate.by_use["W_hh"], found.by_use["W_hh"])
    assert list(found.by_use) == list(NAMES)
    assert len(found.by_use) == 4
    with pytest.raises(KeyError):
        found.by_use["W_ho"]
    with pytest.raises(AttributeError):
        setattr(found, "W_ih", found.W_hh)  # noqa: B010 - a plain assignment is refused by the type checker


trace = run(make_cell("gru", 2, 3, seed=1), np.ones((4, 2)))
flat = np.ones((4, 3))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bptt(trace, flat[:3]), ["d_h must be (4, 3) for a run of 4 steps of 3 units; got (3, 3)", "One row"]),
        (lambda: bptt(trace, np.ones((5, 3))), ["got (5, 3)", "Leave out row 0"]),
        (lambda: bptt(trace, flat.T), ["got (3, 4)"]),
        (lambda: bptt(trace, flat[0]), ["got (3,)"]),
        (lambda: bptt(trace, np.full((4, 3), np.nan)), ["d_h row 1, column 1 (d_h[0, 0] in Python) is nan"]),
        (lambda: bptt(trace, anything), ["d_h must hold real numbers; got NoneType", "One row for each step"]),
        (lambda: bptt(trace, flat, truncation=0), ["truncation must be an integer in 1..4; got 0", "Choose one in"]),
        (lambda: bptt(trace, flat, truncation=5), ["truncation must be an integer in 1..4; got 5"]),
        (lambda: bptt(trace, flat, truncation=anything or 2.0), ["got 2.0", "whole number"]),
        (lambda: bptt(trace, flat, scheme="window"), ["scheme 'window' is not known", "'sliding', 'chunk'"]),
        (lambda: bptt(trace.cell, flat), ["bptt needs a Trace; got GRUCell"]),
        (lambda: bptt(trace, flat).use_norms("W"), ["weight 'W' is not known", "'W_ih', 'W_hh', 'b_ih', 'b_hh'"]),
        (
            lambda: bptt(trace, flat, truncation=2).by_loss,
            ["by_loss belongs to a whole gradient", "truncated to 2 steps"],
        ),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    assert_refused(call, words)


@pytest.mark.parametrize("scheme", ["sliding", "chunk"])
def test_a_gradient_that_overflows_names_its_step(scheme: str) -> None:
    wild = ElmanCell([[1.0]], [[1e100]], [0.0], [0.0], activation="identity")
    exploding = run(wild, np.zeros((6, 1)))
    d_h = np.zeros((6, 1))
    d_h[-1] = 1.0
    assert bptt(exploding, d_h, truncation=3, scheme=scheme).h.max() == 1e200
    with pytest.raises(
        InputError, match=r"overflows float64 .* in the backward pass, at step 2\. Lower .* truncation\."
    ):
        bptt(exploding, d_h, truncation=None if scheme == "sliding" else 6, scheme=scheme)
    with pytest.raises(InputError, match=r"at the initial state"):
        bptt(exploding.between(0, 4), [[0.0], [0.0], [0.0], [1.0]])


def test_a_weight_gradient_that_overflows_is_named() -> None:
    wild = ElmanCell([[1.0]], [[0.0]], [0.0], [0.0], activation="identity")
    with pytest.raises(
        InputError,
        match=r"gradient of W_ih overflows float64 .* Lower the weights, the inputs or the loss's gradient d_h",
    ):
        bptt(run(wild, [[1e200]]), [[1e200]])


def test_a_trace_without_steps_is_refused() -> None:
    with pytest.raises(StateOverflowError) as caught:
        run(ElmanCell([[1e200]], [[0.0]], [0.0], [0.0]), [[1e200]])
    for way in (bptt, rtrl):
        with pytest.raises(InputError, match="needs a trace of at least one step"):
            way(caught.value.trace, np.zeros((0, 1)))
