"""The explorer's payload of an LSTM and a GRU: its numbers are the trace's own, and every formula gives them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import Trace, run
from rnnviz.network import NetworkRun, build, canonicalise, network_of, run_network
from rnnviz.settings import Entry, Settings, Value, read_clamps
from rnnviz.views.explorer.gated import gated_picture, unit_order
from rnnviz.views.explorer.picture import Caption, Picture, Sync, pack
from rnnviz.views.explorer.reading import Place
from rnnviz.views.explorer.unrolled import levels_of
from tests.maths.drawn import FORMS as CELL_FORMS
from tests.maths.drawn import Case, cases, clamps_for
from tests.views.test_picture import NAMES, applied
from tests.views.unpacked import Unpacked, unpack

Array = NDArray[np.float64]

GATES = {"lstm": ("f", "i", "g", "o"), "gru": ("r", "z", "n")}  # from top to bottom of the picture
STACKED = {"lstm": "ifgo", "gru": "rzn"}  # as PyTorch stacks their rows
CANDIDATES = {"g", "n"}
MEMORY = {"lstm": ("c", "h"), "gru": ("h",)}
HIDDEN, STEPS = 3, 5

Form = tuple[str, dict[str, Value]]
LSTM: Form = ("lstm", {})
GRUS: list[Form] = [("gru", {"reset": r, "update": u}) for r in ("after", "before") for u in ("keep", "write")]
FORMS = [LSTM, *GRUS]
NOTATIONS = ("column", "joined")
CLAMPED = {"lstm": "f:1;i.2:0@3;2.o:0.25@2", "gru": "z.1:1;z:0.5@4;2.r:0"}

every_form = pytest.mark.parametrize("form", FORMS, ids=["lstm", *("-".join(map(str, f.values())) for _, f in GRUS)])


def ran(form: Form, clamped: str = "", **chosen: Any) -> NetworkRun:
    """A network of a form with biases and initial states; two layers over two sequences, unless said."""
    kind, forms = form
    settings = Settings("random", kind=kind).choose(
        **forms, **{"hidden_size": HIDDEN, "steps": STEPS, "seed": 3, "gain": 1.5, "layers": 2, "sequences": 2} | chosen
    )
    settings = settings.choose(**{f"bias_{STACKED[kind][0]}": 0.75, "h0": (0.3, -0.2, 0.9)})
    if kind == "lstm":
        settings = settings.choose(c0=(1.5, -0.4, 0.1))
    settings = replace(settings, clamps=read_clamps(clamped) if clamped else ())
    settled, problems = canonicalise(settings)
    assert problems == ()
    return run_network(build(network_of(settled)))


def drawn(ran: NetworkRun, layer: int = 1, sequence: int = 1, notation: str = "column", order: str = "unit") -> Picture:
    """As the page shows it: the output belongs to the top layer."""
    network, layers = ran.network, ran.batch[sequence - 1]
    output = ran.outputs[sequence - 1] if ran.outputs and layer == len(layers) else None
    return gated_picture(
        layers[layer - 1].trace,
        network.readout if output else None,
        output.preact if output else None,
        output.y if output else None,
        network.base,
        Place(
            layer,
            len(layers),
            sequence,
            network.passes[layer - 1] if network.passes else None,
            layers[layer - 1].passed,
        ),
        notation,
        order,
    )


def sent(picture: Picture) -> Unpacked:
    return unpack(pack(picture, Caption({}), Sync("0f3a", 4, 17, 3)))


def seen(ran: NetworkRun, *place: Any, **others: Any) -> Unpacked:
    return sent(drawn(ran, *place, **others))


# --- the numbers ----------------------------------------------------------------------------------------------------


def own_numbers(trace: Trace, t: int) -> dict[str, Array]:
    """What a drawn name stands for at step t, from the trace."""
    H = trace.cell.hidden_size
    own = {name: getattr(trace.cell, name) for name in ("W_ih", "b_ih", "W_hh", "b_hh")}
    own |= {"x": trace.x[t - 1], "from_x": trace.from_x[t - 1], "from_h": trace.from_h[t - 1]}
    own |= {"h_prev": trace.states[t - 1, :H], "h": trace.states[t, :H]}
    own |= {gate: values[t - 1] for gate, values in trace.gates.items()}
    own |= {f"a_{gate}": values[t - 1] for gate, values in trace.preacts.items()}
    if trace.cell.kind == "lstm":
        own |= {"c_prev": trace.states[t - 1, H:], "c": trace.states[t, H:], "tanh_c": np.tanh(trace.states[t, H:])}
    elif getattr(trace.cell, "reset", "") == "before":
        own["r_h"] = trace.gates["r"][t - 1] * trace.states[t - 1, :H]
    return own


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("layer", [1, 2])
@every_form
def test_every_number_is_the_traces_own_bit_for_bit(form: Form, layer: int, notation: str) -> None:
    one = ran(form, CLAMPED[form[0]], output_activation="softmax", output_size=2)
    view = seen(one, layer, 2, notation=notation)
    trace, output, readout = one.traces[1][layer - 1], one.outputs[1], one.network.readout
    assert readout is not None
    for t in range(1, STEPS + 1):
        own = own_numbers(trace, t)
        if layer == 2:
            own |= {"W_ho": readout.W, "b_o": readout.b, "y_preact": output.preact[t - 1], "y": output.y[t - 1]}
        folded = {"from_x", "from_h"} if notation == "joined" and one.network.cell.kind == "lstm" else set()
        if notation == "joined" and form[1].get("reset") == "before":
            folded = {"from_x", "from_h"}
        assert set(view.header["variables"]) == set(own) - folded
        for name in view.header["variables"]:
            assert np.array(view.rows(name, t)).tobytes() == np.ascontiguousarray(own[name]).tobytes(), name


@every_form
def test_the_memory_is_the_state_of_the_step_before(form: Form) -> None:
    one = ran(form)
    for layer in (1, 2):
        view = seen(one, layer)
        assert view.header["loops"] == [[name, f"{name}_prev"] for name in MEMORY[form[0]]]
        starts = {"h": one.network.h0s[layer - 1], "c": one.network.c0s[layer - 1]}
        for name in MEMORY[form[0]]:
            assert view.vector(f"{name}_prev", 1) == starts[name].tolist()
            for t in range(2, STEPS + 1):
                assert view.vector(f"{name}_prev", t) == view.vector(name, t - 1)


# --- the formulas ---------------------------------------------------------------------------------------------------


def factor(view: Unpacked, part: Any, unit: int, t: int) -> float:
    """A factor of a product: a number, 1 minus it, or one further down in a stacked vector."""
    if isinstance(part, str):
        return view.vector(part, t)[unit]
    if set(part) == {"one_minus"}:
        return 1.0 - view.vector(part["one_minus"], t)[unit]
    assert set(part) == {"ref", "offset"}
    return view.vector(part["ref"], t)[unit + part["offset"]]


def summand(view: Unpacked, term: dict[str, Any], unit: int, t: int) -> float | None:
    """What a term adds to a unit, from the numbers that its factors have on the screen; None for other rows."""
    row = unit + term.get("offset", 0)
    first, past = term.get("rows", (0, math.inf))
    if not first <= row < past:
        return None
    match {name for name in term if name not in ("offset", "rows", "minus")}:
        case names if names == {"ref"}:
            return view.vector(term["ref"], t)[row] * (-1 if term.get("minus") else 1)
        case names if names == {"product"}:
            assert "offset" not in term
            return math.prod(factor(view, part, unit, t) for part in term["product"])
        case names:
            assert names == {"dot"}
            matrix, vector = term["dot"]
            pairs = zip(view.rows(matrix, t)[row], view.vector(vector, t), strict=True)
            return math.fsum(w * v for w, v in pairs)


def evaluated(view: Unpacked, name: str, t: int) -> list[float]:
    """What the formula of a result gives at step t."""
    formula = view.header["formulas"][name]
    assert set(formula) <= {"terms", "fn", "depth"}
    sums = []
    for unit in range(len(view.vector(name, t))):
        parts = [summand(view, term, unit, t) for term in formula["terms"]]
        sums.append(math.fsum(part for part in parts if part is not None))
        assert any(part is not None for part in parts)
    return applied(formula.get("fn", "identity"), sums)


def clamped_at(view: Unpacked, name: str, t: int) -> list[bool]:
    """Which units of a result are marked as clamped."""
    array = view.header["scene"]["clamped"].get(name)
    return [bool(mark) for mark in view.arrays[array][t - 1]] if array else [False] * len(view.vector(name, t))


def assert_formulas(view: Unpacked) -> None:
    """Each number is what its formula gives, but for the gates that are clamped."""
    for name in view.header["formulas"]:
        for t in range(1, view.header["steps"] + 1):
            shown, clamped = view.vector(name, t), clamped_at(view, name, t)
            for value, wanted, is_clamped in zip(shown, evaluated(view, name, t), clamped, strict=True):
                assert is_clamped or value == pytest.approx(wanted, rel=1e-12, abs=1e-12), (name, t)


@pytest.mark.parametrize("clamped", [False, True], ids=["free", "clamped"])
@pytest.mark.parametrize("notation", NOTATIONS)
@every_form
def test_every_formula_gives_the_number_beside_it(form: Form, notation: str, clamped: bool) -> None:
    """In each layer, from any sequence, in both forms of a stack, with any readout."""
    for stack, readout in (("hidden", "sigmoid"), ("readout", "identity"), ("readout", "softmax"), ("hidden", "tanh")):
        one = ran(form, CLAMPED[form[0]] if clamped else "", stack=stack, output_activation=readout, output_size=2)
        for layer in (1, 2):
            assert_formulas(seen(one, layer, 2, notation=notation))


GATED_CASES = cases([*CELL_FORMS["lstm"], *CELL_FORMS["gru"]], shifts=(0.0, 30.0), max_steps=5)


def alone(case: Case, notation: str, clamps: Any = ()) -> Unpacked:
    trace = run(*case, clamp=clamps)
    base = {"x": trace.x} | {name: getattr(case.cell, name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
    return sent(gated_picture(trace, None, None, None, base, notation=notation))


@given(GATED_CASES, st.sampled_from(NOTATIONS), st.data())
def test_every_formula_holds_of_any_cell(case: Case, notation: str, data: st.DataObject) -> None:
    assert_formulas(alone(case, notation, data.draw(st.lists(clamps_for(case), max_size=3))))


@pytest.mark.parametrize("notation", NOTATIONS)
@every_form
def test_every_result_has_a_formula_and_no_entry_has(form: Form, notation: str) -> None:
    """So that what is clicked says how it was made, down to what can be edited."""
    for layer in (1, 2):
        header = seen(ran(form, output_activation="tanh"), layer, notation=notation).header
        variables = header["variables"]
        made = {name for name in variables if not variables[name]["edit"]}
        assert set(header["formulas"]) == made - ({"x"} if layer == 2 else set())


def leaves(view: Unpacked, name: str, unit: int = 0) -> set[str]:
    """The variables without a formula that a number comes down to: row by row, as r reads the memory before r does."""
    found: set[str] = set()
    for term in view.header["formulas"].get(name, {"terms": ()})["terms"]:
        row = unit + term.get("offset", 0)
        first, past = term.get("rows", (0, math.inf))
        if not first <= row < past:
            continue
        for part in (*term.get("product", ()), *term.get("dot", ()), *([term["ref"]] if "ref" in term else ())):
            place = unit + part["offset"] if isinstance(part, dict) and "offset" in part else row
            for used in used_by(part):
                found |= leaves(view, used, 0 if "dot" in term else place)
    return found or {name}


def used_by(formula: Any) -> set[str]:
    """Every variable that a formula names."""
    if isinstance(formula, str):
        return {formula}
    if isinstance(formula, list):
        return set().union(*map(used_by, formula))
    if isinstance(formula, dict):
        return set().union(
            *(
                used_by(value)
                for key, value in formula.items()
                if key in ("terms", "dot", "product", "ref", "one_minus")
            )
        )
    return set()


@pytest.mark.parametrize("notation", NOTATIONS)
@every_form
def test_the_state_comes_down_to_input_weights_and_memory(form: Form, notation: str) -> None:
    memory = {"h_prev", "c_prev"} if form[0] == "lstm" else {"h_prev"}
    assert leaves(seen(ran(form), notation=notation), "h") == {"x", "W_ih", "b_ih", "W_hh", "b_hh"} | memory


def test_the_joined_product_needs_a_candidate_that_is_one() -> None:
    """With the reset after the product, r stands between its two parts: there is nothing to join."""
    for form in FORMS:
        view = seen(ran(form), notation="joined")
        joined = form[1].get("reset") != "after"
        assert view.header["scene"]["joined"] == joined
        assert ("from_h" in view.header["variables"]) == (not joined)
        terms = view.header["formulas"][f"a_{GATES[form[0]][0]}"]["terms"]
        assert sum("dot" in term for term in terms) == (2 if joined else 0)


# --- clamped gates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", [1, 2])
@every_form
def test_clamped_gates_are_marked_where_they_are_clamped(form: Form, layer: int) -> None:
    """Unit by unit and step by step, as the text of the address has it; the value there is the one clamped."""
    wanted: dict[tuple[str, int, int], float] = {}
    for text in CLAMPED[form[0]].split(";"):
        ((number, clamp),) = read_clamps(text)
        for t in range(clamp.from_step, STEPS + 1):
            units = range(HIDDEN) if clamp.unit is None else [clamp.unit]
            wanted |= {(clamp.gate, t, unit): clamp.value for unit in units if number == layer}
    view = seen(ran(form, CLAMPED[form[0]]), layer)
    marked = {
        (gate, t, unit): view.vector(gate, t)[unit]
        for gate in view.header["scene"]["clamped"]
        for t in range(1, STEPS + 1)
        for unit, mark in enumerate(clamped_at(view, gate, t))
        if mark
    }
    assert marked == wanted
    assert wanted
    assert set(view.header["scene"]["clamped"]) == set(GATES[form[0]]) - CANDIDATES


@every_form
def test_nothing_is_marked_where_nothing_is_clamped(form: Form) -> None:
    for view in (seen(ran(form)), seen(ran(form, f"2.{CLAMPED[form[0]].split(';')[0]}"), 1)):
        assert view.header["scene"]["clamped"] == {}
        assert not [name for name in view.arrays if name.startswith("clamped")]


# --- the drawing order ----------------------------------------------------------------------------------------------

OURS = {"r_h", "y_preact"}
IN_A_STACK_OF_READOUTS = {"u", "W_out", "b_out"}


def mentioned(scene: Any) -> set[str]:
    """Every variable of the lines below the picture."""
    if isinstance(scene, list):
        return set().union(*map(mentioned, scene))
    if not isinstance(scene, dict):
        return set()
    own = {scene[key] for key in ("block", "again") if key in scene} | set(scene.get("applied", ()))
    return own.union(*(mentioned(scene[key]) for key in ("row", "column", "lines") if key in scene))


@pytest.mark.parametrize("stack", ["hidden", "readout"])
@pytest.mark.parametrize("notation", NOTATIONS)
@every_form
def test_all_that_is_drawn_exists_under_its_contracted_name(form: Form, notation: str, stack: str) -> None:
    for layer in (1, 2):
        view = seen(ran(form, stack=stack, output_activation="tanh"), layer, notation=notation)
        header, variables = view.header, set(view.header["variables"])
        assert variables <= {*NAMES, *OURS, *(IN_A_STACK_OF_READOUTS if stack == "readout" else ())}
        assert header["kind"] == form[0]
        assert {*header["timeline"], *header["formulas"]} <= variables
        assert {name for loop in header["loops"] for name in loop} <= variables
        assert mentioned(header["scene"]["lines"]) <= variables
        assert set().union(*map(used_by, header["formulas"].values())) <= variables
        assert {variable["array"] for variable in header["variables"].values()} <= set(view.arrays)
        read = {"y"} if layer == 2 else set()
        assert set(header["timeline"]) == {"x", *GATES[form[0]], *MEMORY[form[0]], *read, *({"u"} & variables)}


@every_form
def test_each_gate_is_a_band_with_its_own_rows(form: Form) -> None:
    kind = form[0]
    scene = seen(ran(form, layers=1), order="unit").header["scene"]
    assert [band["gate"] for band in scene["bands"]] == list(GATES[kind])
    for band in scene["bands"]:
        assert band["start"] == HIDDEN * STACKED[kind].index(band["gate"])
        assert band["fn"] == ("tanh" if band["gate"] in CANDIDATES else "σ")
        assert band["title"].endswith(f" {band['gate']}")
        assert band["words"]
    assert scene["memory"] == MEMORY[kind][0]
    assert scene["form"] == form[1]


def test_every_input_can_be_edited_and_no_result() -> None:
    def edits(form: Form, *place: Any, **chosen: Any) -> dict[str, str]:
        variables = seen(ran(form, **chosen), *place).header["variables"]
        return {name: variable["edit"] for name, variable in variables.items() if variable["edit"]}

    own = {name: name for name in ("x", "W_ih", "W_hh", "b_ih", "b_hh")} | {"h_prev": "h0"}
    for form in FORMS:
        start = {"c_prev": "c0"} if form[0] == "lstm" else {}
        assert edits(form, layers=1) == own | start | {"W_ho": "W_ho", "b_o": "b_o"}
        assert edits(form, layers=1, output_size=0) == own | start
        assert edits(form, 1, 2) == own | start | {"x": "2.x"}
        upper = {name: f"2.{edit}" for name, edit in (own | start).items() if name != "x"}
        assert edits(form, 2, 2) == upper | {"W_ho": "W_ho", "b_o": "b_o"}
        head = {"W_ho": "2.W_ho", "b_o": "2.b_o", "W_out": "W_out", "b_out": "b_out"}
        assert edits(form, 2, 1, stack="readout") == upper | head


@every_form
def test_layers_are_marked_only_where_there_are_several(form: Form) -> None:
    assert {variable["sup"] for variable in seen(ran(form, layers=1)).header["variables"].values()} == {""}
    marks = {name: variable["sup"] for name, variable in seen(ran(form), 2).header["variables"].items()}
    assert marks.pop("x") == "(1)"
    assert {name for name, mark in marks.items() if mark != "(2)"} == {"from_x", "from_h", "W_ho", "b_o", "y"}


@every_form
def test_another_layer_sequence_or_form_is_another_scene(form: Form) -> None:
    one = ran(form)
    scenes = {json.dumps(seen(one, layer, k).header["scene"]) for layer in (1, 2) for k in (1, 2)}
    assert len(scenes) == 4
    others = {json.dumps(seen(ran(other)).header["scene"]) for other in FORMS}
    assert len(others) == 5


# --- colours and order ----------------------------------------------------------------------------------------------


@every_form
def test_gates_weights_and_states_have_colours_of_their_own(form: Form) -> None:
    view = seen(ran(form, layers=1))
    variables, limits = view.header["variables"], view.header["limits"]
    families = {name: variable["family"] for name, variable in variables.items()}
    assert {name for name in families if families[name] == "weight"} == {
        n for n in families if n.startswith(("W_", "b_"))
    }
    assert {name for name in families if families[name] == "gate"} == set(GATES[form[0]]) - CANDIDATES
    scales = {name: variable["scale"] or variable["family"] for name, variable in variables.items()}
    assert set(scales.values()) == set(limits)
    assert limits["gate"] == limits["state"] == 1.0
    assert {name for name in scales if scales[name] == "cell"} == {"c", "c_prev"} & set(scales)
    assert {name for name in scales if scales[name] == "state"} == {
        "h", "h_prev", "tanh_c", "r_h", *CANDIDATES,
    } & set(scales)  # fmt: skip
    wanted = {"signed": ("x",), "weight": ("W_ih", "W_hh", "b_ih", "b_hh"), "cell": ("c",), "state": ("h",)}
    for scale, names in wanted.items():
        if scale not in limits:
            continue
        largest = max(np.abs(view.arrays[name]).max() for name in names)
        assert largest <= limits[scale] <= max(1.0, 2 * largest)


@every_form
def test_one_large_input_leaves_the_colours_of_the_states(form: Form) -> None:
    """An input of 1000 repaints inputs and sums alone."""
    settings = replace(Settings("random", kind=form[0]).choose(**form[1]), x=((1000.0, 0.0), (0.5, 0.5)))
    limits = seen(run_network(build(network_of(settings)))).header["limits"]
    assert limits["signed"] == 1000.0
    assert limits["state"] == 1.0
    assert limits.get("cell", 1.0) <= 2.0


@every_form
def test_an_edit_repaints_nothing_but_what_it_changes(form: Form) -> None:
    settings = Settings("random", kind=form[0]).choose(**form[1])
    edits = {Entry("W_hh", (0, 0)): 99.0, Entry("x", (0, 0)): 99.0}
    plain, edited = (
        seen(run_network(build(network_of(one)))).header["limits"] for one in (settings, settings.edit(dict(edits)))
    )
    cell_state = (edited.pop("cell", 1.0), plain.pop("cell", 1.0))  # has no range of its own: its scale follows it
    assert edited == plain
    assert cell_state[0] >= cell_state[1]


@every_form
def test_units_in_the_order_that_is_asked_for(form: Form) -> None:
    """By sums over the numbers on the screen; a tie stays in the order of the units."""
    one = ran(form, layers=1, hidden_size=3, steps=20)
    view = seen(one)
    kind, steps = form[0], range(1, 21)
    memory = MEMORY[kind][0]
    keeper = "f" if kind == "lstm" else "z"
    sign = -1 if form[1].get("update") == "write" else 1
    over_time = [
        [view.vector(f"{memory}_prev", 1)[u], *(view.vector(memory, t)[u] for t in steps)] for u in range(HIDDEN)
    ]
    means = [math.fsum(values) / 21 for values in over_time]
    measures = {
        "keep": [sign * math.fsum(view.vector(keeper, t)[u] for t in steps) for u in range(HIDDEN)],
        "memory": [values[-1] for values in over_time],
        "swing": [math.fsum((v - mean) ** 2 for v in values) for values, mean in zip(over_time, means, strict=True)],
        "unit": [-float(u) for u in range(HIDDEN)],
    }
    for order, measure in measures.items():
        wanted = sorted(range(HIDDEN), key=lambda unit: -measure[unit])
        assert seen(one, order=order).header["scene"]["order"] == wanted
        assert unit_order(one.trace, order) == wanted
    assert seen(one).header["scene"]["sorted"] == [*GATES[kind], *MEMORY[kind]]


# --- over time ------------------------------------------------------------------------------------------------------


@every_form
def test_unrolled_over_time_the_state_goes_past_all_weights(form: Form) -> None:
    """c of an LSTM, h of a GRU: what is carried is what each step keeps of it, as the update itself says."""
    one = ran(form, layers=1)
    trace = one.trace
    levels = {level.symbol: level for level in levels_of([trace])}
    assert list(levels) == (["x", "c", "h"] if form[0] == "lstm" else ["x", "h"])
    carried = levels["c" if form[0] == "lstm" else "h"]
    assert carried.carry is not None
    label, kept = carried.carry
    gate = label.removesuffix(" ⊙")
    wanted = 1.0 - trace.gates["z"] if gate == "(1 − z)" else trace.gates[gate]
    assert kept.tolist() == pytest.approx(wanted)
    new = trace.gates["i"] * trace.gates["g"] if form[0] == "lstm" else (1.0 - kept) * trace.gates["n"]
    np.testing.assert_allclose(carried.values[1:], kept * carried.values[:-1] + new, rtol=0, atol=1e-12)
    if form[0] == "lstm":
        assert levels["h"].from_below == "o ⊙ tanh c"
        np.testing.assert_allclose(levels["h"].values[1:], trace.gates["o"] * np.tanh(carried.values[1:]), atol=1e-12)
        assert (carried.around, levels["h"].inward) == (None, None)
    assert levels["h"].around == ("W_hh", trace.cell.W_hh)


@every_form
def test_the_graph_is_sent_with_what_is_carried(form: Form) -> None:
    one = ran(form, layers=1)
    view = sent(replace(drawn(one), levels=levels_of([one.trace])))
    for level in view.header["graph"]:
        assert level["scale"] in view.header["limits"]
        assert level["shift"] == len(view.arrays[level["values"]]) - STEPS
        if level["carry"]:
            assert view.arrays[level["carry"]["array"]].shape == (STEPS, HIDDEN)
