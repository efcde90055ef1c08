"""The explorer's payload: unpacked byte by byte and held against the trace's own arrays."""

from __future__ import annotations

import json
import math
import re
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz.network import NetworkRun, build, network_of, run_network, text_of
from rnnviz.settings import ENTRY_DIMENSIONS, Entry, Settings
from rnnviz.ui.results import picture_of
from rnnviz.views.explorer.elman import elman_picture
from rnnviz.views.explorer.picture import Caption, Picture, Sync, colour_limit, pack, without_graph
from rnnviz.views.explorer.reading import Place
from rnnviz.views.explorer.unrolled import levels_of
from tests.views.unpacked import Unpacked, unpack

Array = NDArray[np.float64]

ACTIVATIONS = ("tanh", "sigmoid", "relu", "identity")
READOUTS = ("identity", "softmax", "sigmoid", "tanh")
SYNC = Sync("0f3a", 4, 17, 3)

# The names that contract section 4 promises to a browser test, and one of ours.
NAMES = (
    "x W_ih b_ih W_hh b_hh h_prev c_prev h0 c0 from_x from_h a i f g o r z n a_i a_f a_g a_o a_r a_z a_n "
    "c tanh_c h W_ho b_o y y_preact"
).split()


def settings_of(activation: str = "tanh", readout: str = "identity", outputs: int = 3, **others: Any) -> Settings:
    chosen = {"hidden_size": 4, "seed": 5, "steps": 6, "h0": (0.3, -0.2, 0.9, -0.7), "gain": 1.5, **others}
    chosen |= {"activation": activation, "output_activation": readout, "output_size": outputs}
    return Settings("random").choose(**chosen)


def drawn(ran: NetworkRun) -> Picture:
    return elman_picture(ran.trace, ran.network.readout, ran.y_preact, ran.y, ran.network.base)


def sent(ran: NetworkRun, caption: Caption | None = None) -> Unpacked:
    return unpack(pack(drawn(ran), caption or Caption({}), SYNC))


@pytest.fixture(scope="module")
def ran() -> NetworkRun:
    return run_network(build(network_of(settings_of())))


# --- the bytes ------------------------------------------------------------------------------------------------------


def test_every_array_is_the_traces_own_bit_for_bit(ran: NetworkRun) -> None:
    trace, cell, readout = ran.trace, ran.network.cell, ran.network.readout
    assert readout is not None
    own: dict[str, Any] = {name: getattr(cell, name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
    own |= {"x": trace.x, "h": trace.h, "from_x": trace.from_x, "from_h": trace.from_h, "a": trace.preacts["a"]}
    own |= {"W_ho": readout.W, "b_o": readout.b, "y_preact": ran.y_preact, "y": ran.y}
    arrays = sent(ran).arrays
    assert set(arrays) == {*own, "slope", "curve"}
    for name, array in own.items():
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == np.ascontiguousarray(array).tobytes()


def test_the_header_says_what_it_was_given(ran: NetworkRun) -> None:
    caption = Caption({"step": "Schritt – “t”"}, "≈ a fact", [(0, "first"), (2, "−second")], "too large", [])
    edited = replace(caption, edited=[("W_hh", (0, 1), -0.1), ("b_ih", (2,), 5e-324)])
    header = sent(ran, edited).header
    assert header["kind"] == "elman"
    assert header["steps"] == 6
    assert header["words"] == {"step": "Schritt – “t”"}
    assert header["fact"] == "≈ a fact"
    assert header["notices"] == [[0, "first"], [2, "−second"]]
    assert header["alert"] == "too large"
    assert header["edited"] == [["W_hh", [0, 1], -0.1], ["b_ih", [2], 5e-324]]
    assert (header["session"], header["epoch"], header["acknowledged"], header["t"]) == ("0f3a", 4, 17, 3)


@given(st.text(max_size=20))
def test_the_numbers_begin_at_a_multiple_of_eight(ran: NetworkRun, fact: str) -> None:
    """JavaScript makes no Float64Array elsewhere."""
    message = pack(drawn(ran), Caption({}, fact), SYNC)
    (length,) = struct.unpack_from("<I", message)
    assert (4 + length) % 8 == 0
    header = json.loads(message[4 : 4 + length])
    assert header["fact"] == fact
    sizes = [math.prod(place["shape"]) for place in header["arrays"].values()]
    assert [place["offset"] for place in header["arrays"].values()] == [sum(sizes[:k]) for k in range(len(sizes))]
    assert len(message) == 4 + length + 8 * sum(sizes)


@pytest.mark.parametrize("layout", ["F", ">f8", "<f4"])
def test_arrays_of_any_layout_arrive_row_by_row(ran: NetworkRun, layout: str) -> None:
    x = ran.trace.x.astype(layout) if "f" in layout else np.asfortranarray(ran.trace.x)
    picture = replace(drawn(ran), arrays={"x": x})
    assert unpack(pack(picture, Caption({}), SYNC)).arrays["x"].tolist() == x.tolist()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused(ran: NetworkRun, value: float) -> None:
    """One NaN in JSON and the component dies."""
    x = np.array(ran.trace.x)
    x[1, 0] = value
    with pytest.raises(ValueError, match=r"x .*finite"):
        pack(replace(drawn(ran), arrays={"x": x}), Caption({}), SYNC)
    with pytest.raises(ValueError, match="JSON"):
        pack(replace(drawn(ran), limits={"signed": value}), Caption({}), SYNC)


# --- the formulas ---------------------------------------------------------------------------------------------------


def applied(fn: str, sums: list[float]) -> list[float]:
    """An activation on a whole vector, in plain Python."""
    match fn:
        case "softmax":
            exponentials = [math.exp(a) for a in sums]
            return [e / math.fsum(exponentials) for e in exponentials]
        case "tanh":
            return [math.tanh(a) for a in sums]
        case "sigmoid":
            return [1 / (1 + math.exp(-a)) for a in sums]
        case "relu":
            return [max(a, 0.0) for a in sums]
    assert fn == "identity"
    return sums


def evaluated(view: Unpacked, name: str, t: int) -> list[float]:
    """What the formula of a result gives at step t, from the numbers that its factors have on the screen."""
    formula = view.header["formulas"][name]
    assert set(formula) <= {"terms", "fn"}
    sums = [0.0] * len(view.vector(name, t))
    for term in formula["terms"]:
        ((kind, of),) = term.items()
        for unit in range(len(sums)):
            if kind == "ref":
                sums[unit] += view.vector(of, t)[unit]
            elif kind == "product":
                sums[unit] += math.prod(view.vector(factor, t)[unit] for factor in of)
            else:
                assert kind == "dot"
                weights, vector = view.rows(of[0], t)[unit], view.vector(of[1], t)
                sums[unit] += math.fsum(w * v for w, v in zip(weights, vector, strict=True))
    return applied(formula.get("fn", "identity"), sums)


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_formula_gives_the_number_beside_it(activation: str, readout: str) -> None:
    view = sent(run_network(build(network_of(settings_of(activation, readout)))))
    results = {"from_x", "from_h", "a", "h", "y"} | ({"y_preact"} if readout != "identity" else set())
    assert set(view.header["formulas"]) == results
    for name in results:
        for t in range(1, view.header["steps"] + 1):
            assert evaluated(view, name, t) == pytest.approx(view.vector(name, t), rel=1e-12, abs=1e-12)


def test_the_memory_is_the_state_of_the_step_before(ran: NetworkRun) -> None:
    view = sent(ran)
    assert view.vector("h_prev", 1) == ran.network.h0.tolist()
    for t in range(2, view.header["steps"] + 1):
        assert view.vector("h_prev", t) == view.vector("h", t - 1)


# --- the drawing order ----------------------------------------------------------------------------------------------


def mentioned(scene: Any) -> list[str]:
    """Every variable of a scene, in the order in which it is drawn."""
    if isinstance(scene, list):
        return [name for part in scene for name in mentioned(part)]
    if not isinstance(scene, dict):
        return []
    own = [scene[key] for key in ("block", "again", "of", "to") if key in scene] + scene.get("product", [])
    own += [name for product in scene.get("joined", []) for name in product] + scene.get("applied", [])
    inner = ("flow", "row", "column", "lines", "upright")
    return own + [name for key in inner for name in mentioned(scene.get(key))]


SHAPES = [("tanh", "identity", 3), ("relu", "softmax", 2), ("sigmoid", "tanh", 1), ("identity", "identity", 0)]


@pytest.mark.parametrize(("activation", "readout", "outputs"), SHAPES)
def test_all_that_is_drawn_exists_under_its_contracted_name(activation: str, readout: str, outputs: int) -> None:
    view = sent(run_network(build(network_of(settings_of(activation, readout, outputs)))))
    header, variables = view.header, view.header["variables"]
    assert set(variables) <= set(NAMES)
    assert set(mentioned(header["scene"])) == set(variables)
    assert {*header["timeline"], *header["formulas"]} <= set(variables)
    assert {name for loop in header["loops"] for name in loop} <= set(variables)
    assert {end for edge in header["edges"] for end in edge} <= {*variables, "join", "plot"}
    for formula in header["formulas"].values():
        for term in formula["terms"]:
            (of,) = term.values()
            assert set([of] if isinstance(of, str) else of) <= set(variables)
    assert {variable["array"] for variable in variables.values()} <= set(view.arrays)
    wanted = "x W_ih b_ih W_hh b_hh h_prev from_x from_h a h".split() + ["W_ho", "b_o", "y"] * bool(outputs)
    assert set(wanted) <= set(variables)


def test_each_variable_is_drawn_as_a_block_once(ran: NetworkRun) -> None:
    text = json.dumps(sent(ran).header["scene"])
    for name in sent(ran).header["variables"]:
        in_product = len(re.findall(rf'"product": \[[^]]*"{name}"|"applied": \["{name}"', text))
        assert text.count(f'"block": "{name}"') + in_product == 1


def test_every_input_can_be_edited_and_no_result(ran: NetworkRun) -> None:
    view = sent(ran)
    edits = {name: variable["edit"] for name, variable in view.header["variables"].items() if variable["edit"]}
    elsewhere = {"W_out", "b_out", "c0"}  # in a stack, in an LSTM
    drawn_here = ENTRY_DIMENSIONS.keys() - elsewhere - {"h0"}
    assert edits == {name: name for name in drawn_here} | {"h_prev": "h0"}
    for name in edits:
        variable = view.header["variables"][name]
        axes = view.arrays[variable["array"]].ndim - (variable["per_step"] and name == "h_prev")
        assert axes == ENTRY_DIMENSIONS[edits[name]]
    assert not set(edits) & set(view.header["formulas"])


def test_weights_and_states_have_colours_of_their_own(ran: NetworkRun) -> None:
    header = sent(ran).header
    families = {name: variable["family"] for name, variable in header["variables"].items()}
    assert {variable["scale"] for variable in header["variables"].values()} <= {"", *header["limits"]}
    weights = {name for name in families if name.startswith(("W_", "b_"))}
    assert {name for name, family in families.items() if family == "weight"} == weights
    assert set(families.values()) <= set(header["limits"])


def test_colours_reach_the_largest_number(ran: NetworkRun) -> None:
    view = sent(ran)
    for family, names in {"signed": ("x",), "weight": ("W_ih", "W_hh", "b_ih", "b_hh")}.items():
        largest = max(np.abs(view.arrays[name]).max() for name in names)
        assert largest <= view.header["limits"][family] <= 2 * largest


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_one_large_input_leaves_the_colours_of_the_states(activation: str) -> None:
    """States have a scale of their own: -1 to 1 where the activation is bounded, else what they reach."""
    settings = settings_of(activation)
    large = run_network(build(network_of(replace(settings, x=((1000.0, 0.0),) + ((0.0, 0.0),) * 5))))
    plain = run_network(build(network_of(settings)))
    for ran in (plain, large):
        view = sent(ran)
        limits, variables = view.header["limits"], view.header["variables"]
        assert {variables[name]["scale"] for name in ("h", "h_prev")} == {"state"}
        assert {variables[name]["scale"] for name in ("x", "from_x", "from_h", "a", "y")} == {""}
        assert limits["signed"] == colour_limit(ran.trace.x, np.ones(1))
        bounded = activation in ("tanh", "sigmoid")
        assert limits["state"] == (1.0 if bounded else colour_limit(ran.trace.h))
        assert limits["state"] >= np.abs(ran.trace.h[1:]).max() * (1 - 1e-12)


def test_an_edit_repaints_nothing_but_what_it_changes() -> None:
    """Ten times the largest weight would fade all the others, were the scale to follow it."""
    plain, edited = (
        sent(run_network(build(network_of(settings_of().edit(edits))))).header["limits"]
        for edits in ({}, {Entry("W_hh", (0, 0)): 99.0, Entry("x", (0, 0)): 99.0})
    )
    assert edited == plain


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_curve_is_the_activation_on_a_fixed_axis(activation: str) -> None:
    """From -4 to 4 whatever sums occur, so that the same sum stands at the same place on every picture."""
    points, values = sent(run_network(build(network_of(settings_of(activation, gain=9.0))))).arrays["curve"]
    assert (np.diff(points) > 0).all()
    assert (points[0], points[-1]) == (-4.0, 4.0)
    np.testing.assert_allclose(values, applied(activation, points.tolist()), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_slopes_are_central_differences(activation: str) -> None:
    arrays = sent(run_network(build(network_of(settings_of(activation))))).arrays
    a, step = arrays["a"], 1e-6
    up, down = (np.array([applied(activation, row) for row in (a + side).tolist()]) for side in (step, -step))
    np.testing.assert_allclose(arrays["slope"], (up - down) / (2 * step), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "edits",
    [
        {Entry("W_ih", (0, 0)): 1.7e308},
        {Entry("x", (0, 0)): -1.7e308},
        {Entry("W_ih", (0, 0)): 5e-324, Entry("W_ih", (1, 0)): 0.0},
        {Entry("b_ih", (0,)): 1.7e308, Entry("h0", (0,)): 1e308},
    ],
)
def test_numbers_at_the_ends_of_float64_can_be_sent(edits: dict[Entry, float]) -> None:
    settings = settings_of(init="zeros", input="silence", hidden_size=2, h0=(0.1,), outputs=0).edit(dict(edits))
    view = sent(run_network(build(network_of(settings))))
    assert all(0 < limit < math.inf for limit in view.header["limits"].values())


# --- colour limits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "limit"),
    [([], 1.0), ([0.0], 1.0), ([1.0], 1.0), ([-3.0, 2.0], 3.0), ([0.1 + 0.2], 0.3), ([0.04], 0.04), ([-120.0], 200.0)],
)
def test_a_colour_limit_has_one_digit(values: list[float], limit: float) -> None:
    assert colour_limit(np.array(values)) == pytest.approx(limit, rel=1e-12)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4))
@example([5e-324])
@example([-1.7976931348623157e308])
@example([9.9999999999e-301])
def test_a_colour_limit_is_a_positive_number_that_covers_all(values: list[float]) -> None:
    largest, limit = max(map(abs, values)), colour_limit(np.array(values[:1]), np.array(values[1:]))
    assert 0.0 < limit < math.inf
    assert limit >= largest * (1 - 1e-9)
    assert not largest or limit / 10 <= largest
    assert limit == pytest.approx(float(f"{limit:.0e}"), rel=1e-9) or not 1e-300 < limit < 1e300


# --- a layer of a stack, a sequence of a batch ----------------------------------------------------------------------


def drawn_at(ran: NetworkRun, layer: int, sequence: int) -> Unpacked:
    """As the page shows it: the output belongs to the top layer."""
    network, layers = ran.network, ran.batch[sequence - 1]
    top = layer == len(layers)
    passes = network.passes[layer - 1] if network.passes else None
    output = ran.outputs[sequence - 1]
    picture = elman_picture(
        layers[layer - 1].trace,
        network.readout if top else None,
        output.preact if top else None,
        output.y if top else None,
        network.base,
        Place(layer, len(layers), sequence, passes, layers[layer - 1].passed),
    )
    return unpack(pack(picture, Caption({}), SYNC))


def stack_of(kind: str) -> NetworkRun:
    return run_network(build(network_of(settings_of(layers=3, stack=kind, sequences=2, h0=(0.3,)))))


@pytest.mark.parametrize("kind", ["hidden", "readout"])
@pytest.mark.parametrize("layer", [1, 2, 3])
def test_every_formula_holds_in_every_layer(kind: str, layer: int) -> None:
    view = drawn_at(stack_of(kind), layer, 2)
    for name in view.header["formulas"]:
        for t in range(1, view.header["steps"] + 1):
            assert evaluated(view, name, t) == pytest.approx(view.vector(name, t), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("kind", "handed_on"), [("hidden", "h"), ("readout", "u")])
def test_a_layer_shows_what_arrives_from_below(kind: str, handed_on: str) -> None:
    ran = stack_of(kind)
    for layer in (2, 3):
        below, view = drawn_at(ran, layer - 1, 1), drawn_at(ran, layer, 1)
        assert [view.vector("x", t) for t in range(1, 7)] == [below.vector(handed_on, t) for t in range(1, 7)]
        x = view.header["variables"]["x"]
        assert (x["edit"], x["symbol"], x["sup"]) == (None, handed_on, f"({layer - 1})")
        assert str(layer - 1) in x["caption"]


def test_each_array_is_edited_by_its_own_name() -> None:
    def edits(kind: str, layer: int, sequence: int) -> set[str]:
        variables = drawn_at(stack_of(kind), layer, sequence).header["variables"]
        return {variable["edit"] for variable in variables.values() if variable["edit"]}

    assert edits("hidden", 1, 2) == {"2.x", "W_ih", "W_hh", "b_ih", "b_hh", "h0"}
    assert edits("hidden", 2, 2) == {"2.W_ih", "2.W_hh", "2.b_ih", "2.b_hh", "2.h0"}
    assert edits("hidden", 3, 1) == {"3.W_ih", "3.W_hh", "3.b_ih", "3.b_hh", "3.h0", "W_ho", "b_o"}
    assert edits("readout", 1, 1) == {"x", "W_ih", "W_hh", "b_ih", "b_hh", "h0", "W_ho", "b_o"}
    readout = {"3.W_ho", "3.b_o", "W_out", "b_out"}
    assert edits("readout", 3, 1) == {"3.W_ih", "3.W_hh", "3.b_ih", "3.b_hh", "3.h0"} | readout


def test_layers_are_marked_only_where_there_are_several(ran: NetworkRun) -> None:
    assert {variable["sup"] for variable in sent(ran).header["variables"].values()} == {""}
    marks = {name: v["sup"] for name, v in drawn_at(stack_of("hidden"), 2, 1).header["variables"].items()}
    assert {name for name, mark in marks.items() if mark == "(2)"} == set("W_ih W_hh b_ih b_hh h_prev h a".split())


def test_another_layer_or_sequence_is_another_scene() -> None:
    """Sizes and names may be the same, and the browser would keep the old captions."""
    ran = stack_of("hidden")
    scenes = [json.dumps(drawn_at(ran, layer, k).header["scene"]) for layer in (1, 2) for k in (1, 2)]
    assert len(set(scenes)) == 4


def test_a_large_graph_is_left_out_until_it_is_asked_for(ran: NetworkRun) -> None:
    """Of a small network it is always there; what else the picture holds stays."""
    small = replace(drawn(ran), levels=levels_of([ran.trace]))
    assert without_graph(small) is small
    large = run_network(build(network_of(Settings("random").choose(hidden_size=64, steps=300))))
    picture = replace(drawn(large), levels=levels_of([large.trace]))
    caption = Caption({})
    whole, light = (unpack(pack(one, caption, SYNC)) for one in (picture, without_graph(picture)))
    assert [level["symbol"] for level in whole.header["graph"]] == ["x", "h"]
    assert light.header["graph"] is None
    assert set(light.arrays) == set(picture.arrays)


def test_a_text_is_sent_with_its_characters() -> None:
    """One for each component of x; none beside a sequence of numbers."""
    text = Settings("random").choose(input="text")
    picture = picture_of(text)
    header = unpack(pack(picture, Caption({}), SYNC)).header
    assert "".join(header["characters"][int(row.argmax())] for row in picture.arrays["x"]) == text_of(text)
    assert unpack(pack(picture_of(Settings("random")), Caption({}), SYNC)).header["characters"] == []
