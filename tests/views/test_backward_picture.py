"""The payload of the backward pass: its numbers are the pass's own, and every formula gives them."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import BackwardTrace, ElmanCell, Readout, bptt, run
from rnnviz.maths.learning_rules.loss_pass import LossPass, take_loss_back
from rnnviz.texts import say
from rnnviz.views.explorer.backward import backward_picture
from rnnviz.views.explorer.gated import gated_picture
from rnnviz.views.explorer.picture import Caption, Sync, pack
from rnnviz.views.sentences.backward_pass import pass_fact, pass_notices
from tests.maths.drawn import ALL_FORMS, Case, cases, clamps_for, make_case
from tests.views.spoken import somewhere
from tests.views.test_gated_picture import evaluated
from tests.views.unpacked import Unpacked, unpack
from tests.views.written import says, says_power, says_share

Array = NDArray[np.float64]

STEPS, HIDDEN = 5, 3

every_form = pytest.mark.parametrize("form", ALL_FORMS, ids=lambda form: "-".join([form[0].kind, *form[1].values()]))


def passed_of(case: Case, clamps: Any = (), errors: Array | None = None) -> BackwardTrace:
    trace = run(*case, clamp=clamps)
    if errors is None:
        errors = np.random.default_rng(7).normal(size=(trace.steps, trace.cell.hidden_size))
    return bptt(trace, errors).backward


def made(form: Any, steps: int = STEPS, hidden: int = HIDDEN, errors: Array | None = None) -> BackwardTrace:
    return passed_of(make_case(form, 2, hidden, steps, 5), errors=errors)


def seen(passed: BackwardTrace, layer: int = 1) -> Unpacked:
    return unpack(pack(backward_picture(passed, layer), Caption({}), Sync("0f3a", 4, 17, 3)))


def assert_formulas(view: Unpacked) -> None:
    for name in view.header["formulas"]:
        for t in range(1, view.header["steps"] + 1):
            shown, wanted = view.vector(name, t), evaluated(view, name, t)
            assert shown == pytest.approx(wanted, rel=1e-11, abs=1e-12), (name, t)


# --- the numbers ----------------------------------------------------------------------------------------------------


@every_form
def test_every_number_is_the_passes_own(form: Any) -> None:
    """The errors, what they are made of, and the deltas; what is of the step after is 0 at the last."""
    passed = made(form)
    view, cell, trace = seen(passed), passed.trace.cell, passed.trace
    for t in range(1, STEPS + 1):
        wanted = {
            "from_loss": passed.from_loss[t - 1],
            "from_future": passed.from_future[t, :HIDDEN],
            "d_h": passed.h[t],
        }
        for gate in cell.gate_names:
            wanted |= {f"delta_{gate}": passed.delta[gate][t - 1], f"slope_{gate}": passed.slopes[gate][t - 1]}
            if cell.kind != "elman":
                wanted[f"at_{gate}"] = passed.at_gates[gate][t - 1]
                wanted[f"from_{gate}"] = passed.paths[gate][t]
        if passed.c is not None:
            wanted |= {"d_c": passed.c[t], "c_prev": trace.states[t - 1, HIDDEN:]}
        if cell.kind == "gru":
            wanted["kept"] = passed.paths["keep"][t]
        for name, numbers in wanted.items():
            assert view.vector(name, t) == pytest.approx(numbers.tolist(), rel=1e-13, abs=1e-15), (name, t)
    assert {name for name in view.header["variables"] if name.startswith(("delta_", "d_"))} >= {"d_h"}


@every_form
def test_the_matrices_are_the_transposed_rows_of_the_gates(form: Any) -> None:
    """And each entry is edited where it stands in W_hh, of whichever layer."""
    passed = made(form)
    cell = passed.trace.cell
    for layer, edited in ((1, "W_hh"), (3, "3.W_hh")):
        view = seen(passed, layer)
        for gate in cell.gate_names:
            variable = view.header["variables"][f"W_{gate}_T"]
            rows = np.array(view.rows(f"W_{gate}_T", 1))
            assert variable["edit"] == edited
            for i, j in np.ndindex(HIDDEN, HIDDEN):
                assert rows[i, j] == cell.W_hh[variable["turned"] + j, i]
            assert variable["turned"] == cell.rows(gate).start
        others = {name for name, one in view.header["variables"].items() if one["edit"]}
        assert others == {f"W_{gate}_T" for gate in cell.gate_names}


@every_form
def test_what_arrives_is_what_the_step_after_hands_on(form: Any) -> None:
    view = seen(made(form))
    assert view.header["loops"]
    for handed, arriving in view.header["loops"]:
        assert not any(view.vector(arriving, STEPS))
        for t in range(1, STEPS):
            assert view.vector(arriving, t) == view.vector(handed, t + 1)


# --- from the loss --------------------------------------------------------------------------------------------------

HEADS = ("none", "identity", "tanh", "sigmoid", "softmax", "two")


def with_loss(form: Any, head: str, kind: str, outputs: int = 2) -> tuple[BackwardTrace, LossPass]:
    """A run with a loss at some of its steps, read out in one of the ways that there are."""
    trace, random = run(*make_case(form, 2, HIDDEN, STEPS, 5)), np.random.default_rng(3)
    size = HIDDEN if head == "none" else outputs
    activation = "identity" if head in ("none", "two") else head
    last = Readout(random.normal(size=(outputs, HIDDEN)), random.normal(size=outputs), activation)
    first = Readout(random.normal(size=(HIDDEN, HIDDEN)), random.normal(size=HIDDEN))
    readouts = {"none": (), "two": (first, last)}.get(head, (last,))
    target = random.normal(size=(STEPS, size))
    if kind == "cross_entropy":
        target = np.eye(size)[target.argmax(axis=1)]
    has_loss = np.array([True, False, True, True, False])
    loss = take_loss_back(trace.h[1:], readouts, target, kind, has_loss)
    return bptt(trace, loss.d_h).backward, loss


@every_form
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", ["squared", "cross_entropy"])
def test_the_first_number_has_an_origin(form: Any, head: str, kind: str) -> None:
    """Output, target, error, factor and the transposed readout: each formula gives the number beside it."""
    passed, loss = with_loss(form, head, kind)
    view = unpack(pack(backward_picture(passed, 1, loss), Caption({}), Sync("0f3a", 4, 17, 3)))
    assert_formulas(view)
    assert_drawn_once(view)
    header, gate = view.header, passed.trace.cell.gate_names[0]
    assert {"y", "target", "error", "factor", "from_loss"} <= set(header["variables"])
    for t in range(1, STEPS + 1):
        assert view.vector("y", t) == loss.y[t - 1].tolist()
        assert view.vector("target", t) == loss.target[t - 1].tolist()
        factor = (2.0 if kind == "squared" else 1.0) if loss.has_loss[t - 1] else 0.0
        assert set(view.vector("factor", t)) == {factor}
        assert view.vector("from_loss", t) == passed.from_loss[t - 1].tolist()
        for place, name in enumerate(("W_ho", "W_out")[: len(loss.readouts)]):
            assert view.rows(f"{name}_T", t) == loss.readouts[place].readout.W.T.tolist()
            assert header["variables"][f"{name}_T"]["edit"] == name
    assert set(header["formulas"]) >= {"error", "from_loss", "d_h", f"delta_{gate}"}
    assert header["edges"][0] == ["from_loss", "join"]
    assert {header["variables"][name]["family"] for name in ("y", "target")} == {"signed"}  # states and outputs
    assert {header["variables"][name]["scale"] for name in ("y", "target")} == {"output"}
    assert header["limits"]["output"] >= 0.999 * max(np.abs(loss.y).max(), np.abs(loss.target).max())
    outputs = loss.y.shape[1]
    assert header["timeline"][:2] == (["y", "target"] if outputs <= 2 else ["from_loss", "from_future"])


def test_the_readout_of_an_upper_layer_is_edited_where_it_stands() -> None:
    passed, loss = with_loss(ALL_FORMS[0], "two", "squared")
    variables = backward_picture(passed, 3, loss).variables
    assert (variables["W_ho_T"].edit, variables["W_out_T"].edit) == ("3.W_ho", "W_out")
    passed, loss = with_loss(ALL_FORMS[0], "tanh", "squared")
    assert backward_picture(passed, 3, loss).variables["W_ho_T"].edit == "W_ho"


@every_form
def test_states_have_the_colours_of_the_forward_picture(form: Any) -> None:
    """And its scales; derivatives and gates keep the colours of factors."""
    passed = made(form)
    drawn = backward_picture(passed)
    variables, limits = drawn.variables, drawn.limits
    states = {"c_prev": "cell", "g": "state", "tanh_c": "state", "h_prev": "state", "change": "state"}
    shown = {name: scale for name, scale in states.items() if name in variables}
    assert shown or passed.trace.cell.kind == "elman"
    for name, scale in shown.items():
        assert (variables[name].family, variables[name].scale) == ("signed", scale)
        assert limits[scale] > 0
    assert {"state", "cell"} & set(limits) == set(shown.values())
    factors = {name for name in variables if name.startswith("slope_") or name in ("i", "r", "write", "keep_next")}
    assert {variables[name].family for name in factors} == {"factor"}
    assert ("from_h_n" in variables) == ("sum" in limits)
    if "from_h_n" in variables:  # a sum of the forward pass, not a gradient and not a factor between 0 and 1
        assert (variables["from_h_n"].family, variables["from_h_n"].scale) == ("signed", "sum")
        assert limits["sum"] >= np.abs(passed.trace.from_h[:, passed.trace.cell.rows("n")]).max()
    if shown:
        base = {
            "x": passed.trace.x,
            **{name: getattr(passed.trace.cell, name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")},
        }
        forward = gated_picture(passed.trace, None, None, None, base).limits
        assert {scale: limits[scale] for scale in shown.values()} == {scale: forward[scale] for scale in shown.values()}


# --- the formulas ---------------------------------------------------------------------------------------------------


@given(cases(shifts=(0.0, 30.0), max_steps=5), st.data())
def test_every_formula_gives_the_number_beside_it(case: Case, data: st.DataObject) -> None:
    """Of every cell and form, with gates held and saturated too."""
    gated = case.cell.kind != "elman"
    clamps = data.draw(st.lists(clamps_for(case), max_size=2)) if gated else ()
    assert_formulas(seen(passed_of(case, clamps)))


@every_form
def test_every_error_has_a_formula(form: Any) -> None:
    """But for what the loss sends and what arrives from the step after; so each product is there to be pointed at."""
    header = seen(made(form)).header
    of_forward = {name for name, one in header["variables"].items() if one["scale"] in ("state", "cell", "sum")}
    entries = {name for name, one in header["variables"].items() if one["family"] != "signed"} | of_forward
    arriving = {entry for _, entry in header["loops"]}
    assert set(header["formulas"]) == set(header["variables"]) - entries - arriving - {"from_loss"}


def blocks(node: Any) -> list[str]:
    """Every variable that a scene draws as a block."""
    if isinstance(node, list):
        return [name for child in node for name in blocks(child)]
    if not isinstance(node, dict):
        return []
    own = [node["block"]] if "block" in node else node.get("product", node.get("applied", [])[:1])
    return [*own, *(name for key in ("flow", "row", "column", "lines") for name in blocks(node.get(key, [])))]


def assert_drawn_once(view: Unpacked) -> None:
    drawn = blocks(view.header["scene"])
    assert len(drawn) == len(set(drawn))
    assert set(drawn) | set(view.header["timeline"]) == set(view.header["variables"])


@every_form
def test_each_variable_is_drawn_once_or_stands_in_the_strip(form: Any) -> None:
    view = seen(made(form))
    assert_drawn_once(view)
    assert view.header["scene"]["back"] is True
    assert view.header["timeline"][:3] == ["from_loss", "from_future", "d_h"]


def test_a_truncated_pass_is_refused() -> None:
    """Its deltas are no longer what W_hh transposed hands on."""
    trace = run(*make_case(ALL_FORMS[0], 2, HIDDEN, STEPS, 5))
    with pytest.raises(ValueError, match="truncated"):
        backward_picture(bptt(trace, np.ones((STEPS, HIDDEN)), truncation=2).backward)


# --- the sentences --------------------------------------------------------------------------------------------------


@every_form
@pytest.mark.parametrize("hidden", [1, 3])
@pytest.mark.parametrize("steps", [1, 4])
def test_each_step_says_one_thing_to_notice(form: Any, hidden: int, steps: int) -> None:
    for errors in (None, np.zeros((steps, hidden)), np.eye(steps)[-1][:, None] * np.ones(hidden)):
        passed = made(form, steps, hidden, errors)
        lines = pass_notices(passed)
        assert len(lines) == steps
        assert all(0 <= unit < hidden and line for unit, line in lines)
        assert lines[-1][1].startswith("The backward pass begins here.")
        assert pass_fact(passed)


def test_shares_and_derivatives_are_those_of_the_numbers() -> None:
    passed = made(ALL_FORMS[0])
    for t, (unit, line) in enumerate(pass_notices(passed)[:-1], 1):
        future, loss = np.abs(passed.from_future[t]).sum(), np.abs(passed.from_loss[t - 1]).sum()
        shares, narrow = somewhere("backward.share", line), somewhere("backward.narrow", line)
        assert shares is not None
        assert narrow is not None
        assert says_share(shares["future"], future / (future + loss))
        assert shares["after"] == str(t + 1)
        assert unit == int(np.abs(passed.h[t]).argmax())
        slopes = 1.0 - passed.trace.h[t] ** 2
        least = int((np.abs(passed.h[t]) * (1 - slopes)).argmax())
        assert narrow["unit"] == str(least + 1)
        assert says(narrow["slope"], slopes[least])
        assert says(narrow["given"], passed.h[t, least])
        assert says(narrow["left"], passed.h[t, least] * slopes[least])


@pytest.mark.parametrize("form", [ALL_FORMS[0], ALL_FORMS[-1]])
def test_a_step_without_a_loss_is_told_from_a_loss_without_a_gradient(form: Any) -> None:
    errors = np.zeros((STEPS, HIDDEN))
    errors[2] = 1.0
    passed = made(form, errors=errors)
    for has_loss, key in ((np.array([False, False, True, False, False]), "none"), (np.ones(STEPS, dtype=bool), "zero")):
        lines = [line for _, line in pass_notices(passed, has_loss)]
        assert lines[4].startswith(say(f"backward.begins.{key}"))
        assert lines[3].startswith(say(f"backward.silent.{key}", after=5))
        assert lines[2].startswith(say("backward.loss_alone", after=4))
        assert lines[1].startswith(say(f"backward.future_alone.{key}", after=3))
    assert pass_notices(passed, lacks_target=True)[-1][1] == say("backward.begins.no_target")


@every_form
def test_the_fact_names_the_largest_entry_and_that_of_step_1(form: Any) -> None:
    for errors in (None, np.eye(STEPS)[:1].T * np.ones(HIDDEN), 1e-200 * np.eye(STEPS)[:, 3:4] * np.ones(HIDDEN)):
        passed = made(form, errors=errors)
        sizes = [max(abs(value) for value in row) for row in passed.h[1:].tolist()]
        t = sizes.index(max(sizes))
        said = somewhere("backward.fact" if t else "backward.fact.first", pass_fact(passed))
        assert said is not None
        assert says_power(said["most"], math.log10(sizes[t]))
        if t:
            assert said["t"] == str(t + 1)
            assert says_power(said["first"], math.log10(sizes[0]))
        else:
            assert said["last"] == str(STEPS)
            assert float(said["begin"].replace("−", "-")) == pytest.approx(sizes[-1], rel=1e-3)


def test_a_gradient_that_leaves_float64_on_its_way_is_not_called_exactly_0() -> None:
    """0.1 to the power 400 underflows; the sentence allows for both."""
    cell = ElmanCell([[1.0]], [[0.1]], [0.0], [0.0], activation="identity")
    errors = np.zeros((400, 1))
    errors[-1] = 1.0
    passed = bptt(run(cell, np.ones((400, 1))), errors).backward
    assert pass_fact(passed) == say("backward.fact.gone", t=400, most="1")


def test_a_unit_whose_derivative_is_0_is_named() -> None:
    """A rectifier below its kink has the derivative 0: what arrives at the unit stops there. Above it it is 1."""
    cell = ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="relu")
    for x, key in ((-1.0, "backward.shut"), (1.0, "backward.open")):
        passed = bptt(run(cell, [[x]]), np.full((1, 1), 0.25)).backward
        assert somewhere(key, pass_notices(passed)[0][1]) is not None


@pytest.mark.parametrize("size", [1.0, 1e-310, 5e-324])
def test_no_entry_is_lost_only_where_none_meets_a_derivative_below_1(size: float) -> None:
    """Two rectifiers, one of them below its kink: what is lost is told however small it is."""
    cell = ElmanCell([[1.0], [-1.0]], np.zeros((2, 2)), [0.0, 0.0], [0.0, 0.0], activation="relu")
    trace = run(cell, [[1.0]])
    assert somewhere("backward.lossless", pass_notices(bptt(trace, [[size, 0.0]]).backward)[0][1]) is not None
    assert somewhere("backward.shut", pass_notices(bptt(trace, [[0.0, size]]).backward)[0][1]) is not None


def test_a_gated_memory_says_how_much_its_direct_path_passes() -> None:
    for form in (form for form in ALL_FORMS if form[0].kind != "elman"):
        passed = made(form)
        gradients, letter = (passed.h, "h") if passed.c is None else (passed.c, "c")
        for t, (unit, line) in enumerate(pass_notices(passed), 1):
            said = somewhere(f"backward.keeps.{letter}.start" if t == 1 else f"backward.keeps.{letter}", line)
            assert said is not None
            assert said["unit"] == str(unit + 1)
            kept = passed.paths["keep"][t - 1, unit] / gradients[t, unit]
            assert says_share(said["keep"], float(kept))


def test_no_step_has_a_gradient_where_the_loss_has_none() -> None:
    passed = made(ALL_FORMS[0], errors=np.zeros((STEPS, HIDDEN)))
    assert pass_fact(passed) == say("backward.fact.none")
    assert not any(math.fsum(seen(passed).vector("d_h", t)) for t in range(1, STEPS + 1))


UNITS: dict[str, tuple[Any, Any]] = {
    "tanh": (mpmath.tanh, lambda a: mpmath.sech(a) ** 2),
    "sigmoid": (lambda a: 1 / (1 + mpmath.exp(-a)), lambda a: 1 / (2 + mpmath.exp(a) + mpmath.exp(-a))),
    "relu": (lambda a: max(a, mpmath.mpf(0)), lambda a: mpmath.mpf(a > 0)),
    "identity": (lambda a: a, lambda a: mpmath.mpf(1)),
}
"""Each activation and its derivative."""


@pytest.mark.parametrize("activation", UNITS)
@pytest.mark.parametrize("error", [0.5, -0.5, -1e-100])
@pytest.mark.parametrize("w", [0.0, 0.7, -2.0, 40.0])
def test_of_a_single_unit_the_derivative_and_what_it_makes_of_the_gradient(
    activation: str, error: float, w: float
) -> None:
    """The chain rule in 60 digits: dL/dh from the step after, times the derivative, for which no unit is named."""
    x = [0.3, -0.8, 0.5, 1.5]
    cell = ElmanCell([[1.0]], [[w]], [0.0], [0.125], activation=activation)
    notices = pass_notices(bptt(run(cell, [[one] for one in x]), [[0.0], [0.0], [error], [0.0]]).backward)
    with mpmath.workdps(60):
        g, derivative = UNITS[activation]
        h, slopes = mpmath.mpf(0), []
        for one in x:
            a = mpmath.mpf(one) + 0.125 + w * h
            h = g(a)
            slopes.append(derivative(a))
        given = mpmath.mpf(error)
        for t in (3, 2, 1):
            left = given * slopes[t - 1]
            line = notices[t - 1][1]
            said = somewhere("backward.narrow.only", line)
            assert (said is not None) == (given != 0 and 0 < slopes[t - 1] < 1)
            if said is not None:
                assert "Unit" not in line
                assert says_power(said["slope"], float(mpmath.log10(slopes[t - 1])))
                for name, value in (("given", given), ("left", left)):
                    assert said[name].startswith("−") == (value < 0)
                    assert says_power(said[name].lstrip("−"), float(mpmath.log10(abs(value))))
            given = left * w


@pytest.mark.parametrize("errors", [[-0.5], [0.5], [-0.5, 0.25], [-1e-310, 0.0]])
def test_of_one_step_the_largest_entry_is_that_in_absolute_value(errors: list[float]) -> None:
    H = len(errors)
    cell = ElmanCell(np.ones((H, 1)), np.eye(H), np.zeros(H), np.zeros(H))
    fact = pass_fact(bptt(run(cell, [[1.0]]), [errors]).backward)
    largest = max(errors, key=abs)
    said = somewhere("backward.fact.one", fact)
    assert said is not None
    assert says_power(said["first"], math.log10(abs(largest)))
    assert largest > 0 or "In absolute value" in fact
