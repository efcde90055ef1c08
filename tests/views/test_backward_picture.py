"""The walk's payload: its numbers are the backward pass's own, and every formula gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import BackwardTrace, ElmanCell, bptt, run
from rnnviz.views.backward import backward_picture
from rnnviz.views.backward_words import walk_fact, walk_notices
from rnnviz.views.picture import Caption, Sync, pack
from tests.maths.drawn import ALL_FORMS, Case, cases, clamps_for, make_case
from tests.views.spoken import somewhere
from tests.views.test_gated_picture import evaluated
from tests.views.unpacked import Unpacked, unpack
from tests.views.written import says, says_share

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
    entries = {name for name, one in header["variables"].items() if one["family"] != "signed"}
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


@every_form
def test_each_variable_is_drawn_once_or_stands_in_the_strip(form: Any) -> None:
    header = seen(made(form)).header
    drawn = blocks(header["scene"])
    assert len(drawn) == len(set(drawn))
    assert set(drawn) | set(header["timeline"]) == set(header["variables"])
    assert header["scene"]["back"] is True
    assert header["timeline"][:3] == ["from_loss", "from_future", "d_h"]


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
        lines = walk_notices(passed)
        assert len(lines) == steps
        assert all(0 <= unit < hidden and line for unit, line in lines)
        assert "begins" in lines[-1][1]
        assert walk_fact(passed)


def test_shares_and_slopes_are_those_of_the_numbers() -> None:
    passed = made(ALL_FORMS[0])
    for t, (unit, line) in enumerate(walk_notices(passed)[:-1], 1):
        future, loss = np.abs(passed.from_future[t]).sum(), np.abs(passed.from_loss[t - 1]).sum()
        shares, narrow = somewhere("backward.share", line), somewhere("backward.narrow", line)
        assert shares is not None
        assert narrow is not None
        assert says_share(shares["future"], future / (future + loss))
        assert unit == int(np.abs(passed.h[t]).argmax())
        slopes = passed.slopes["a"][t - 1]
        least = int((np.abs(passed.h[t]) * (1 - slopes)).argmax())
        assert narrow["unit"] == str(least + 1)
        assert says(narrow["slope"], slopes[least])
        assert says(narrow["given"], passed.h[t, least])
        assert says(narrow["left"], passed.delta["a"][t - 1, least])


@every_form
def test_the_fact_names_the_largest_error_and_where_the_walk_ends(form: Any) -> None:
    for errors in (None, np.eye(STEPS)[:1].T * np.ones(HIDDEN)):
        passed = made(form, errors=errors)
        sizes = np.abs(passed.h[1:]).max(axis=1)
        t = int(sizes.argmax())
        said = somewhere("backward.fact" if t else "backward.fact.grows", walk_fact(passed))
        assert said is not None
        assert says(said["most"], sizes[t])
        assert (said["t"] == str(t + 1) and says(said["first"], sizes[0])) if t else says(said["begin"], sizes[-1])


def test_a_shut_unit_is_named() -> None:
    """A rectifier below its kink has the slope 0: what arrives at the unit ends there. Above it the slope is 1."""
    cell = ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="relu")
    for x, key in ((-1.0, "backward.shut"), (1.0, "backward.open")):
        passed = bptt(run(cell, [[x]]), np.full((1, 1), 0.25)).backward
        assert somewhere(key, walk_notices(passed)[0][1]) is not None


def test_a_gated_memory_says_how_much_it_hands_on() -> None:
    for form in (form for form in ALL_FORMS if form[0].kind != "elman"):
        passed = made(form)
        errors = passed.h if passed.c is None else passed.c
        for t, (unit, line) in enumerate(walk_notices(passed), 1):
            said = somewhere("backward.keeps.start" if t == 1 else "backward.keeps", line)
            assert said is not None
            assert said["unit"] == str(unit + 1)
            kept = passed.paths["keep"][t - 1, unit] / errors[t, unit]
            assert says_share(said["keep"], float(kept))


def test_nothing_goes_back_where_nothing_is_to_be_learned() -> None:
    passed = made(ALL_FORMS[0], errors=np.zeros((STEPS, HIDDEN)))
    assert walk_fact(passed) == "No error goes back: the loss sends nothing to any h."
    assert not any(math.fsum(seen(passed).vector("d_h", t)) for t in range(1, STEPS + 1))
