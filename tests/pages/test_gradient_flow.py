"""The Gradient flow page driven without a browser: levers, presets, the cell in front, pairs, links and addresses."""

from __future__ import annotations

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from rnnviz import Cell, Clamp, ElmanCell, LSTMCell, Trace, make_cell, run, step_jacobians
from rnnviz.network import build, network_of
from rnnviz.presets import GRADIENT_FLOW, SPECTRA, cell_of
from rnnviz.sequences import impulse, noise, sine
from rnnviz.settings import KINDS, SETTINGS, Entry, Settings, settings_of, to_json
from rnnviz.texts import say
from tests.pages.driven import App
from tests.settings.drawn import others
from tests.views.flows import norms_back
from tests.views.spoken import somewhere
from tests.views.unpacked import Unpacked
from tests.views.written import index, says_power

Array = NDArray[np.float64]

PAGE = "gradient_flow"
CELLS = {"elman": "hidden_state", "lstm": "lstm_gates", "gru": "gru_gates"}
STORIES = ["0.9ⁿ", "1.1ⁿ"]
SMALL = {"steps": "12", "hidden_size": "4", "input_size": "2"}


def opened(**query: object) -> App:
    return App({name: str(value) for name, value in query.items()}, PAGE)


def small(**query: object) -> App:
    """A network of a few units over a few steps."""
    return opened(**SMALL | query)


def curves(app: App, name: str = "chart") -> dict[str, list[float]]:
    """The curves of a chart by their keys, in their order."""
    chart = app.chart(name)
    return {one["key"]: chart.arrays[one["array"]].tolist() for one in chart.header["curves"] if one["style"] != "fit"}


def styles(app: App, name: str = "chart") -> dict[str, str]:
    return {one["key"]: one["style"] for one in app.chart(name).header["curves"]}


def same(one: App, other: App) -> bool:
    """Whether two sessions show the same picture, bit for bit, and the same words."""

    def seen(app: App) -> tuple[object, ...]:
        charts: list[Unpacked] = [app.chart(name) for name in ("chart", "causes chart")]
        arrays = [{name: array.tobytes() for name, array in chart.arrays.items()} for chart in charts]
        headers = [chart.header | {"sync": None} for chart in charts]  # which names the session
        return headers, arrays, app.text, app.words

    return seen(one) == seen(other)


def assert_curves(app: App, traces: dict[str, Trace]) -> None:
    """The norms of these runs by plain products, the first in front."""
    found = curves(app)
    assert [key for key in found if key in KINDS] == list(traces)
    for kind, trace in traces.items():
        np.testing.assert_allclose(found[kind], norms_back(trace, "state"), rtol=0, atol=1e-8, err_msg=kind)
    front, *behind = traces
    assert styles(app)[front] == "front"
    assert {styles(app)[kind] for kind in behind} <= {"behind"}


def told(app: App, key: str) -> dict[str, str]:
    """What the page says with a key."""
    said = somewhere(key, app.text)
    assert said is not None, f"not said with {key}: {app.text}"
    return said


def chain(app: App) -> dict[str, str]:
    """What it says of the way from t back to k."""
    found = [somewhere(f"chain.{key}", app.text) for key in ("loses", "wins", "single", "same", "even")]
    said = next(said for said in found if said is not None)
    return {**said, "t": str(index(said["to"])), "k": str(index(said["of"]))}


def made(kind: str, **options: object) -> Cell:
    """As `SMALL` draws it."""
    return make_cell(kind, 2, 4, **options)  # type: ignore[arg-type]


X = noise(12, 2, 0)


def runs(**cells: Cell) -> dict[str, Trace]:
    return {kind: run(cell, X) for kind, cell in cells.items()}


PLAIN = {kind: made(kind) for kind in KINDS}


# --- what stands there at first -------------------------------------------------------------------------------------


def test_the_page_opens_with_pytorchs_cells_side_by_side() -> None:
    app = App(page=PAGE)
    assert app.words == []
    assert app.address == {}
    assert say("gradient_flow.title") in app.text
    assert say("gradient_flow.subtitle") in app.text
    x = noise(100, 4, 0)
    traces = {kind: run(make_cell(kind, 4, 32), x) for kind in KINDS}
    assert_curves(app, traces)
    assert list(curves(app)) == [*KINDS, "bound", "radius", *STORIES]
    header = app.chart().header
    assert header["threshold"] == {"value": -3.0, "label": "threshold 0.001"}
    assert header["chosen"] == [0, 100]
    assert (header["map"]["first"], header["map"]["size"]) == (0, 101)
    norms = norms_back(traces["elman"])
    said = told(app, "reach.vanishing")
    heard = min(k for k, norm in enumerate(norms) if norm >= -3)
    horizon = told(app, "reach.horizon")
    assert (int(horizon["k"].split()[-1]), int(horizon["back"])) == (heard, 100 - heard)
    assert says_power(said["left"], norms[0])
    assert header["said"] in app.text
    assert somewhere("reach.pace.halves", app.text)
    assert say("remarks.title") in [fold.label for fold in app.test.expander]


def test_the_map_holds_the_norms_of_all_pairs() -> None:
    """In the mean over the 4 directions, by products of the steps between; nothing above the diagonal, 1 on it."""
    app = small()
    grid = app.chart().arrays["pairs"]
    steps = step_jacobians(run(PLAIN["elman"], X))
    for t in range(13):
        product = np.eye(4)
        for k in range(t, -1, -1):
            assert grid[t, k] == pytest.approx(math.log10(np.linalg.norm(product) / 2), abs=1e-9)
            product = product @ steps[k - 1]
        assert (grid[t, t + 1 :] == -math.inf).all()


def test_the_page_has_a_control_for_every_setting_of_its_own() -> None:
    for kind in KINDS:
        app = small(cell=kind)
        for name in (
            "preset cell together init gain activation input_scale seed input h0 threshold opened input_size "
            "hidden_size steps"
        ).split():
            assert app.control(name).key == f"{PAGE} {name}"
        biases = [name for name in settings_of(kind) if name.startswith("bias_")] or ["bias_f"]
        assert [name for name in SETTINGS if name.startswith("bias_") and app._controls(name)] == biases
        assert len(app._controls("block")) == (kind == "lstm")
        assert app.control("together").options == [say("choice.together.all"), say("choice.together.one")]


# --- levers ---------------------------------------------------------------------------------------------------------


def biased(kind: str, gate: int, by: float) -> Cell:
    """PyTorch's cell with a gate's bias raised."""
    cell = PLAIN[kind]
    bias = cell.b_ih.copy()
    bias[4 * gate : 4 * gate + 4] += by
    return type(cell)(cell.W_ih, cell.W_hh, bias, cell.b_hh)


def beside(kind: str) -> dict[str, Cell]:
    return {other: PLAIN[other] for other in others(kind)}


LEVERS: dict[str, tuple[dict[str, str], str, object, dict[str, Trace]]] = {
    "gain": ({}, "gain", 2.5, runs(**{kind: made(kind, gain=2.5) for kind in KINDS})),
    "orthogonal": ({}, "init", "orthogonal", runs(**{kind: made(kind, init="orthogonal") for kind in KINDS})),
    "chrono": (
        {},
        "init",
        "chrono",  # for the cells that have gates
        runs(elman=PLAIN["elman"], **{kind: made(kind, init="chrono", t_max=12) for kind in ("lstm", "gru")}),
    ),
    "relu": ({}, "activation", "relu", runs(**PLAIN | {"elman": made("elman", activation="relu")})),
    "sigmoid": ({}, "activation", "sigmoid", runs(**PLAIN | {"elman": made("elman", activation="sigmoid")})),
    "scale": ({}, "input_scale", 4.0, {kind: run(cell, 4 * X) for kind, cell in PLAIN.items()}),
    "forget bias": ({}, "bias_f", 1.5, runs(**PLAIN | {"lstm": biased("lstm", 1, 1.5)})),
    "output bias": ({"cell": "lstm"}, "bias_o", -2.0, runs(lstm=biased("lstm", 3, -2.0), **beside("lstm"))),
    "update bias": ({"cell": "gru"}, "bias_z", 3.0, runs(gru=biased("gru", 1, 3.0), **beside("gru"))),
    "seed": ({}, "seed", 7, {kind: run(made(kind, seed=7), noise(12, 2, 7)) for kind in KINDS}),
    "steps": ({}, "steps", 30, {kind: run(cell, noise(30, 2, 0)) for kind, cell in PLAIN.items()}),
    "units": ({}, "hidden_size", 9, {kind: run(make_cell(kind, 2, 9), X) for kind in KINDS}),
    "inputs": ({}, "input_size", 5, {kind: run(make_cell(kind, 5, 4), noise(12, 5, 0)) for kind in KINDS}),
    "impulse": ({}, "input", "impulse", {kind: run(cell, impulse(12, 2)) for kind, cell in PLAIN.items()}),
    "sine": ({}, "input", "sine", {kind: run(cell, sine(12, 2)) for kind, cell in PLAIN.items()}),
    "h0": ({}, "h0", "0.5", {kind: run(cell, X, np.full(4, 0.5)) for kind, cell in PLAIN.items()}),
}  # fmt: skip


@pytest.mark.parametrize(("query", "name", "value", "traces"), LEVERS.values(), ids=list(LEVERS))
def test_a_lever_changes_the_curves_and_stands_in_the_address(
    query: dict[str, str], name: str, value: object, traces: dict[str, Trace]
) -> None:
    app = small(**query)
    before = curves(app)
    app.set(name, value)
    assert app.words == []
    assert_curves(app, traces)
    assert curves(app) != before
    assert name in app.address
    assert same(App(app.address, PAGE), app)


def test_the_threshold_is_a_level_and_a_word() -> None:
    app = small()
    before = curves(app)
    app.set("threshold", 1)
    assert curves(app) == before
    assert app.chart().header["threshold"] == {"value": -1.0, "label": "threshold 0.1"}
    assert told(app, "reach.horizon")["share"].rstrip(".") == "0.1"
    assert app.address == {**SMALL, "threshold": "1"}


def test_a_text_and_a_sequence_of_the_readers_own_are_read_by_all_cells() -> None:
    app = small().set("input", "own").set("own text", "1, 2\n-1, 0.5\n0, 0")
    x = [[1.0, 2.0], [-1.0, 0.5], [0.0, 0.0]]
    assert_curves(app, {kind: run(cell, x) for kind, cell in PLAIN.items()})
    app.set("input_scale", 3.0)  # it is the reader's
    assert_curves(app, {kind: run(cell, x) for kind, cell in PLAIN.items()})
    assert app.chart().header["steps"] == 3
    app.set("input", "text").set("text", "abab")
    eye = np.eye(2)
    assert_curves(app, {kind: run(cell, eye[[0, 1, 0, 1]]) for kind, cell in PLAIN.items()})


# --- presets, the cell in front, what is shown ----------------------------------------------------------------------


@pytest.mark.parametrize("preset", [*GRADIENT_FLOW, *SPECTRA])
def test_each_preset_puts_its_cell_in_front(preset: str) -> None:
    base = "saturates" if preset == "pytorch" else "pytorch"
    app = opened(**SMALL | {"preset": base, "cell": "gru", "threshold": 5, "from_step": 3})
    if preset in SPECTRA:
        app.unfold("spectrum").press(f"spectrum {preset}")
    else:
        app.set("preset", preset)
    assert app.words == []
    kind = cell_of(preset)
    assert list(curves(app))[:3] == [kind, *others(kind)]
    assert app.control("cell").value == kind
    assert app.control("preset").value == preset
    assert app.address == {"threshold": "5"} | ({"preset": preset} if preset != "pytorch" else {})
    assert same(App(app.address, PAGE).unfold("spectrum"), app.unfold("spectrum"))


def test_the_preset_in_force_is_taken_anew_when_it_is_pressed() -> None:
    app = opened(preset="forget_1", cell="elman", gain="2").set("preset", None)
    assert app.address == {"preset": "forget_1"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_cell_in_front_has_the_map_the_causes_and_the_steps(kind: str) -> None:
    app = small()
    if kind != "elman":
        app.set("cell", kind)
    assert app.address == SMALL | ({} if kind == "elman" else {"cell": kind})
    assert_curves(app, {one: run(PLAIN[one], X) for one in (kind, *others(kind))})
    lines = ["bound", "radius"] if kind == "elman" else []
    assert list(curves(app))[3:] == [*lines, *STORIES]
    J = step_jacobians(run(PLAIN[kind], X))
    mean = np.linalg.norm(J[11]) / math.sqrt(len(J[11]))
    assert app.chart().arrays["pairs"][12, 11] == pytest.approx(math.log10(mean), abs=1e-9)
    beside = {
        "elman": [say("cause.weights_alone"), say("cause.slopes_alone")],
        "lstm": [*(say(f"cause.block.{block}") for block in ("h", "c")), say("cause.keep", gate="f")],
        "gru": [say("cause.keep", gate="z")],
    }[kind]
    front, *behind = [one["name"] for one in app.chart("causes chart").header["curves"]]
    assert front == {"elman": "Elman (tanh)", "lstm": say("cause.block.state"), "gru": say("cause.block.h")}[kind]
    assert behind == beside
    assert next(iter(curves(app, "causes chart").values())) == pytest.approx(
        norms_back(run(PLAIN[kind], X), "state"), abs=1e-8
    )
    app.set("cell", "gru" if kind == "elman" else "elman")
    assert app.words == []


def test_one_cell_by_itself() -> None:
    app = small().set("together", "one")
    assert_curves(app, {"elman": run(PLAIN["elman"], X)})
    assert app.address == {**SMALL, "together": "one"}
    assert somewhere("reach.beside", app.text) is None
    app.set("cell", "lstm")
    assert_curves(app, {"lstm": run(PLAIN["lstm"], X)})
    app.set("preset", "vanishes")
    assert app.address == {"preset": "vanishes", "together": "one"}


@pytest.mark.parametrize(("block", "name"), [("c", "LSTM (c alone)"), ("h", "LSTM (h alone)"), ("state", "LSTM")])
def test_what_is_followed_of_an_lstm_can_be_chosen(block: str, name: str) -> None:
    """Norms, map, causes and chain are of that block then; the other cells stay as they are."""
    app = small(cell="lstm")
    beside = {kind: values for kind, values in curves(app).items() if kind in ("elman", "gru")}
    if block == "state":  # which it is at first
        assert app.control("block").value == block
    else:
        app.set("block", block)
        assert app.address == {**SMALL, "cell": "lstm", "block": block}
        assert same(App(app.address, PAGE), app)
    trace, product = run(PLAIN["lstm"], X), np.eye(8)
    rows = {"h": slice(0, 4), "c": slice(4, 8), "state": slice(0, 8)}[block]
    wanted = [0.0]
    for J in step_jacobians(trace)[::-1]:
        product = product @ J
        wanted.append(math.log10(np.linalg.norm(product[rows, rows], 2)))
    np.testing.assert_allclose(curves(app)["lstm"], wanted[::-1], rtol=0, atol=1e-9)
    assert {kind: curves(app)[kind] for kind in ("elman", "gru")} == beside
    assert app.chart().header["curves"][0]["name"] == name
    assert next(iter(curves(app, "causes chart").values())) == curves(app)["lstm"]
    assert says_power(chain(app)["left"], wanted[-1])
    mean = math.sqrt(float(np.mean(np.linalg.svd(product[rows, rows], compute_uv=False) ** 2)))
    assert app.chart().arrays["pairs"][12, 0] == pytest.approx(math.log10(mean), abs=1e-9)


# --- pairs of steps -------------------------------------------------------------------------------------------------


def test_a_pair_opened_on_the_map_goes_to_the_address_and_to_the_chain() -> None:
    app = small().open_pair(k=3, t=9, click=1)
    assert app.address == {**SMALL, "from_step": "3", "to_step": "9"}
    assert app.chart().header["chosen"] == [3, 9]
    said = chain(app)
    assert (said["t"], said["k"]) == ("9", "3")
    product, norms = np.eye(4), [0.0]
    for J in step_jacobians(run(PLAIN["elman"], X))[3:9][::-1]:
        product = product @ J
        norms.append(math.log10(np.linalg.norm(product, 2)))
    assert says_power(said["left"], norms[-1])
    changes = {9 - number: after - before for number, (before, after) in enumerate(pairwise(norms))}
    worst = min(changes, key=lambda step: changes[step])
    assert int(said["step"]) == worst
    assert says_power(said["factor"].rstrip("."), changes[worst])
    assert told(app, "opened.elman")["t"] == str(worst)
    assert app.control("opened").value == app.control("opened field").value == worst
    assert "opened" not in app.address  # nobody chose it
    assert app.control("opened").help == say("chain.choose", first=4, last=9)
    assert same(App(app.address, PAGE), app)


def test_the_whole_way_leaves_the_address_alone() -> None:
    app = small(from_step=3, to_step=9).open_pair(k=0, t=9, click=1)
    assert app.address == {**SMALL, "to_step": "9"}
    assert (chain(app)["k"], chain(app)["t"]) == ("0", "9")


def test_two_steps_beside_each_other_need_no_choice_of_one() -> None:
    app = small().open_pair(k=4, t=5, click=1)
    assert not app._controls("opened")
    assert told(app, "opened.elman")["t"] == "5"
    app.open_pair(k=4, t=6, click=2)
    assert app._controls("opened")


def test_a_step_is_opened_and_another_pair_lets_it_go() -> None:
    app = small().set("opened", 7)
    assert app.address == {**SMALL, "opened": "7"}
    assert "∂h7/∂h6 = diag(1 − h7²) Whh" in app.text
    trace = run(PLAIN["elman"], X)
    said = told(app, "opened.elman")
    assert said["t"] == "7"
    assert says_power(said["step"], math.log10(np.linalg.norm(step_jacobians(trace)[6], 2)))
    assert same(App(app.address, PAGE), app)
    app.open_pair(k=8, t=12, click=1)
    assert app.address == {**SMALL, "from_step": "8", "to_step": "12"}
    assert told(app, "opened.elman")["t"] != "7"


def test_a_step_that_the_pair_has_not_gives_way_to_the_nearest() -> None:
    app = small(to_step=9).set("opened field", 50)
    assert app.words == ["“Step shown in detail” takes a whole number from 1 to 9. 50 was changed to 9."]
    assert told(app, "opened.elman")["t"] == "9"
    assert app.control("opened").value == app.control("opened field").value == 9
    app.set("opened", 4)
    assert app.words == []
    assert told(app, "opened.elman")["t"] == "4"


def test_the_step_that_a_run_chose_is_not_taken_as_a_readers_choice() -> None:
    """A browser may send back what it was given."""
    app = small(to_step=9)
    shown = app.control("opened").value
    app.set("opened field", shown)
    assert "opened" not in app.address


def test_an_opened_step_outside_the_pair_waits_for_its_turn() -> None:
    app = small(opened=11, to_step=9)
    assert app.words == []
    assert int(told(app, "opened.elman")["t"]) <= 9
    app.open_pair(k=0, t=12, click=1)
    assert "opened" not in app.address


@pytest.mark.parametrize("event", [{}, {"k": "3", "t": 9}, {"k": None, "t": None}, {"k": 1.5, "t": 3}])
def test_what_is_no_pair_is_passed_over(event: dict[str, object]) -> None:
    app = small(to_step=9).open_pair(**event)
    assert app.address == {**SMALL, "to_step": "9"}
    assert app.words == []


def test_a_pair_stays_on_a_shorter_sequence() -> None:
    app = small().open_pair(k=5, t=12, click=1).set("steps", 4)
    assert app.chart().header["chosen"] == [3, 4]
    assert told(app, "opened.elman")["t"] == "4"
    assert app.words == []


# --- addresses ------------------------------------------------------------------------------------------------------


def test_an_address_with_an_edited_network() -> None:
    """The edit is that of the cell in front; the others are drawn at its sizes and read its sequence."""
    app = opened(**{"preset": "worked_example", "W_hh.1.1": 1.4})
    assert app.words == []
    W = np.array([[1.4, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]])
    network = build(network_of(Settings("worked_example")))
    cell = network.cell
    trace = run(ElmanCell(cell.W_ih, W, cell.b_ih, cell.b_hh), network.x, network.h0)
    size, inputs = cell.hidden_size, cell.input_size
    assert_curves(
        app, {"elman": trace} | {kind: run(make_cell(kind, inputs, size), network.x) for kind in ("lstm", "gru")}
    )
    assert app.address == {"preset": "worked_example", "W_hh.1.1": "1.4"}
    assert f"σ₁ = {np.linalg.norm(W, 2):.3f}" in app.unfold("spectrum").text
    app.set("cell", "gru")
    assert not any(name.startswith("W_hh") for name in app.address)


def test_numbers_typed_by_hand_are_counted_and_let_go_with_their_cell() -> None:
    """Those of x stay: all cells read it."""
    app = small(**{"W_hh.1.1": 1.4, "b_ih.2": 3, "x.1.1": 5})
    assert say("reach.edited", count=3) in app.text
    app.set("cell", "lstm")
    (note,) = app.test.info
    assert note.value == say("note.edits_gone", count=2)
    assert app.address == {**SMALL, "cell": "lstm", "x.1.1": "5"}
    assert say("reach.edited", count=1) in app.text
    x = X.copy()
    x[0, 0] = 5.0
    assert_curves(app, {kind: run(PLAIN[kind], x) for kind in ("lstm", "elman", "gru")})
    assert say("reach.edited", count=1) not in app.set("preset", "vanishes").text


def test_a_trained_network_by_its_name() -> None:
    app = opened(preset="bracket_depth", cell="lstm")
    assert app.words == []
    network = build(network_of(Settings("bracket_depth", kind="lstm")))
    assert isinstance(network.cell, LSTMCell)
    assert curves(app)["lstm"] == pytest.approx(norms_back(run(network.cell, network.x), "state"), abs=1e-8)
    assert app.control("preset").value == "bracket_depth"
    assert app.address == {"preset": "bracket_depth", "cell": "lstm"}
    assert "LSTM" in app.text


BAD = [
    ({"cell": "transformer"}, "cell"),
    ({"preset": "nope"}, "preset"),
    ({"preset": "bracket_depth"}, "preset"),
    ({"preset": "rotation", "cell": "gru"}, "preset"),
    ({"threshold": "0"}, "threshold"),
    ({"threshold": "301"}, "threshold"),
    ({"from_step": "-1"}, "from_step"),
    ({"to_step": "1.5"}, "to_step"),
    ({"opened": "x"}, "opened"),
    ({"together": "some"}, "together"),
    ({"block": "o"}, "block"),
    ({"input_scale": "-1"}, "input_scale"),
    ({"input_scale": "nan"}, "input_scale"),
    ({"steps": "1001"}, "steps"),
    ({"hidden_size": "65"}, "hidden_size"),
    ({"clamp": "f:1"}, "clamp"),
    ({"cell": "lstm", "clamp": "q:1"}, "clamp"),
    ({"h0": "1,2"}, "h0"),
    ({"W_hh.99.1": "1"}, "W_hh.99.1"),
    ({"W_hh.1.1": "inf"}, "W_hh.1.1"),
    ({"k": "3"}, "k"),
]


@pytest.mark.parametrize(("query", "named"), BAD, ids=[f"{named} {number}" for number, (_, named) in enumerate(BAD)])
def test_a_bad_value_is_named_and_the_page_lives(query: dict[str, str], named: str) -> None:
    app = opened(**{"steps": "12"} | query)
    assert any(f"{named} = " in said for said in app.words), app.words
    assert named not in app.address
    front = query.get("cell", "elman") if query.get("cell") in KINDS else "elman"
    assert next(iter(curves(app))) == front
    app.set("gain", 1.5)
    assert app.words == []


def test_pairs_from_an_address_are_brought_onto_the_map() -> None:
    for query, chosen in (
        ({"from_step": 20, "to_step": 30}, [11, 12]),
        ({"from_step": 9, "to_step": 3}, [2, 3]),
        ({"from_step": 4}, [4, 12]),
        ({"to_step": 5}, [0, 5]),
    ):
        app = small(**query)
        assert app.words == []
        assert app.chart().header["chosen"] == chosen
        assert [int(chain(app)[name]) for name in "kt"] == chosen


# --- from page to page ----------------------------------------------------------------------------------------------

NETWORKS = {
    "elman": {"hidden_size": "4", "preset": "random", "W_hh.1.1": "1.4", "x.2.1": "-3", "t": "3", "activation": "relu"},
    "lstm": {"preset": "random", "bias_f": "2", "clamp": "i.1:0.5@2", "W_hh.2.1": "0.25", "c0": "1", "layers": "2"},
    "gru": {"preset": "parity", "update": "write", "b_hh.1": "-0.5"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_goes_from_its_page_to_the_gradient_and_back(kind: str) -> None:
    """By the links: the same states here and there, the same address at the end but for the step that was shown."""
    there = App(NETWORKS[kind], CELLS[kind])
    address = {name: text for name, text in there.address.items() if name != "t"}
    states = there.seen.arrays["h"]
    app = App(there.link(PAGE), PAGE)
    assert app.words == []
    assert next(iter(curves(app))) == kind
    assert app.control("cell").value == kind
    steps = len(states) - 1
    assert app.chart().header["steps"] == steps
    back = app.link(CELLS[kind])
    assert back == address
    assert np.array_equal(App(back, CELLS[kind]).seen.arrays["h"], states)


def test_the_link_of_an_edited_network_carries_its_gradient() -> None:
    there = App(NETWORKS["elman"], "hidden_state")
    arrays = there.seen.arrays
    cell = ElmanCell(arrays["W_ih"], arrays["W_hh"], arrays["b_ih"], arrays["b_hh"], activation="relu")
    assert cell.W_hh[0, 0] == 1.4
    app = App(there.link(PAGE), PAGE)
    np.testing.assert_allclose(curves(app)["elman"], norms_back(run(cell, arrays["x"])), rtol=0, atol=1e-9)


def test_the_way_back_takes_the_network_and_leaves_how_its_gradient_was_shown() -> None:
    """The scale of the input makes the sequence; threshold, pair and step are of this page alone."""
    app = small(input_scale=2, threshold=9, from_step=2, to_step=7, opened=5, together="one", bias_f=3)
    query = app.link("hidden_state")
    assert query == {**SMALL, "preset": "pytorch", "input_scale": "2"}
    assert np.array_equal(App(query, "hidden_state").seen.arrays["x"], 2 * X)


@pytest.mark.parametrize("preset", GRADIENT_FLOW)
def test_a_preset_can_be_walked_number_by_number(preset: str) -> None:
    """Under its own name on the page of its cell."""
    app = opened(preset=preset)
    query = app.link(CELLS[cell_of(preset)])
    assert query == {"preset": preset}
    there = App(query, CELLS[cell_of(preset)])
    assert there.words == []
    assert there.control("preset").value == preset
    assert there.seen.arrays["h"].shape == (101, 32)


def test_a_network_that_is_open_elsewhere_is_taken_over() -> None:
    """A button for each page that was there, none for one that was not; its edits and held gates come along."""
    app = App(NETWORKS["lstm"], "lstm_gates").go(PAGE)
    assert app.address == {}
    assert not app._controls("take elman")
    assert not app._controls("take gru")
    app.press("take lstm")
    assert app.words == []
    lstm = {name: text for name, text in NETWORKS["lstm"].items() if name != "t"}
    assert app.address == {"cell": "lstm"} | lstm
    assert say("reach.layer", layer=1) in app.text
    app.go("hidden_state", {"W_hh.1.1": "1.4"}).go(PAGE)
    assert app.address == {"cell": "lstm"} | lstm  # as it was left
    app.press("take elman")
    assert app.address == {"preset": "worked_example", "W_hh.1.1": "1.4"}
    assert app.control("take lstm").label == say("flows.cell.lstm")


def test_nothing_is_offered_to_take_over_where_nothing_is_open() -> None:
    app = App(page=PAGE)
    assert not [kind for kind in KINDS if app._controls(f"take {kind}")]
    assert say("link.take") not in [caption.value for caption in app.test.sidebar.caption]


def test_a_network_too_long_for_a_link_says_how_to_get_it_here() -> None:
    rows = ";".join(",".join(f"{0.001 * (i + 37 * j):.6f}" for i in range(8)) for j in range(160))
    there = App({"preset": "random"}, "hidden_state").set("input", "own").set("own text", rows.replace(";", "\n"))
    assert not [link for link in there.test.get("page_link") if link.proto.page == PAGE]
    assert say("link.flow.long", page=say(f"page.{PAGE}"), fold=say("link.take")) in there.text
    app = there.go(PAGE).press("take elman")
    assert app.chart().header["steps"] == 160
    assert not [link for link in app.test.get("page_link") if link.proto.page == "hidden_state"]


# --- Undo, and files ------------------------------------------------------------------------------------------------


def undo(app: App, seq: int) -> App:
    """Press the button above the curves."""
    sync = {name: app.chart().header["sync"][name] for name in ("session", "epoch")}
    return app._tell("rnnviz_flow", {"edits": sync | {"list": [{"seq": seq, "set": [], "undo": True}]}}, "chart")


def undoable(app: App) -> int:
    return int(app.chart().header["sync"]["undoable"])


def test_every_change_of_the_page_is_undone() -> None:
    """A lever, the cell in front, a pair opened on the map."""
    app = small()
    assert undoable(app) == 0
    addresses = [app.address]
    app.set("hidden_size", 5)
    addresses.append(app.address)
    app.set("cell", "lstm")
    addresses.append(app.address)
    app.open_pair(k=2, t=7)
    assert undoable(app) == 3
    for number, address in enumerate(reversed(addresses), start=1):
        undo(app, number)
        assert app.address == address
    assert undoable(app) == 0
    assert app.chart("causes chart").header["sync"] is None  # one button


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", [PAGE, "bptt_rtrl"])
def test_a_saved_network_of_any_cell_opens(page: str, kind: str) -> None:
    """As the link of its cell's page brings it."""
    saved = Settings("random", kind=kind).choose(hidden_size=4, steps=9, seed=7).edit({Entry("W_hh", (0, 1)): 1.5})
    app = App(page=page).upload(to_json(saved).encode())
    assert app.words == []
    network = {"preset": "random", "hidden_size": "4", "steps": "9", "seed": "7", "W_hh.1.2": "1.5"}
    linked = App(({} if kind == "elman" else {"cell": kind}) | network, page)
    assert app.address == linked.address
    assert app.address["W_hh.1.2"] == "1.5"
    assert app.text == linked.text


def test_what_the_page_saves_it_opens_again() -> None:
    """Also a setting of a cell that stands beside the one in front."""
    app = small(bias_f=2, threshold=5)
    settings = app.test.session_state[f"state of {PAGE}"].settings
    assert ("bias_f", 2.0) in settings.chosen
    again = App(page=PAGE).upload(to_json(settings).encode())
    assert again.words == []
    assert again.address == app.address


# --- the ends of the ranges -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_one_step_of_one_unit(kind: str) -> None:
    app = opened(cell=kind, steps=1, hidden_size=1, input_size=1)
    assert app.words == []
    assert_curves(app, {one: run(make_cell(one, 1, 1), noise(1, 1, 0)) for one in (kind, *others(kind))})
    assert app.chart().header["chosen"] == [0, 1]
    assert not app._controls("opened")
    for fold in ("spectrum", "spectrum numbers", "seeds", "more"):
        app.unfold(fold)
    assert app.words == []


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_zero_pass_nothing_on(kind: str) -> None:
    """Nothing but what the gates keep: z = 1/2 of a GRU, f = 1/2 of an LSTM, whose h shows half of its c."""
    app = small(cell=kind, init="zeros")
    assert app.words == []
    ends = {"elman": -math.inf, "lstm": 12 * math.log10(0.5) + math.log10(1.25) / 2, "gru": 12 * math.log10(0.5)}
    for one, end in ends.items():
        assert curves(app)[one][0] == pytest.approx(end)
    for fold in ("spectrum", "spectrum numbers", "seeds"):
        app.unfold(fold)
    assert app.words == []
    if kind == "elman":
        assert told(app, "reach.zero")["zero"] == "11"
        assert say("cause.split.singular") in app.text
        assert say("spectrum.run.none", s="h", to="₁₂") in app.text


def test_a_thousand_steps() -> None:
    """Far below 1e-308, and the map of the last 400 steps; the way is shown from end to end all the same."""
    app = opened(steps=1000, hidden_size=2, input_size=1, gain=0.5)
    assert app.words == []
    trace = run(make_cell("elman", 1, 2, gain=0.5), noise(1000, 1, 0))
    with mpmath.workdps(30):
        product = mpmath.eye(2)
        for J in step_jacobians(trace)[::-1]:
            product = product * mpmath.matrix(J.tolist())
        end = float(mpmath.log10(max(mpmath.svd_r(product, compute_uv=False))))
    assert end < -308
    assert curves(app)["elman"][0] == pytest.approx(end, abs=1e-6)
    header = app.chart().header
    assert (header["map"]["first"], header["map"]["size"]) == (600, 401)
    assert header["chosen"] == [0, 1000]  # off the map, which then marks none
    assert (chain(app)["k"], chain(app)["t"]) == ("0", "1000")
    assert says_power(chain(app)["left"], end)
    assert header["low"] < end
    app.open_pair(k=700, t=900, click=1)
    assert app.address["from_step"] == "700"
    assert (chain(app)["k"], chain(app)["t"]) == ("700", "900")


def test_a_network_that_leaves_the_range_of_numbers_is_shown_up_to_there() -> None:
    app = opened(preset="explodes", activation="identity", steps=1000, hidden_size=4, gain=10)
    assert app.words == []
    ended = app.chart().header["steps"], len(curves(app)["elman"]) - 1
    assert ended[0] == 1000
    assert 250 < ended[1] < 400
    assert say("reach.early", name="Elman (identity)", steps=ended[1]) in app.text
    assert curves(app)["elman"][0] > 200
    assert len(curves(app)["bound"]) == ended[1] + 1
    assert app.chart().header["chosen"] == [0, ended[1]]
    app.unfold("seeds")
    assert app.words == []


@pytest.mark.parametrize(
    "query", [{"x": "1e308,1e308;1,1", "activation": "identity", "gain": "10"}, {"W_hh.1.1": "1.7e308"}]
)
def test_numbers_at_the_ends_of_float64_break_nothing(query: dict[str, str]) -> None:
    app = small(**query)
    assert len(curves(app)) >= 5


def test_a_network_whose_first_step_overflows_is_named_and_gives_way() -> None:
    app = opened(**{"activation": "identity", "x": "1e308;1e308", "hidden_size": 2, "gain": 10.0, "W_ih.1.1": 1e10})
    assert any("step 1" in said for said in app.words)
    assert_curves(app, {kind: run(make_cell(kind, 4, 32), noise(100, 4, 0)) for kind in KINDS})


def test_held_gates_count_as_constants_and_the_page_says_so() -> None:
    app = small(cell="lstm", clamp="f:1;i.2:0@5")
    assert app.words == []
    held = [Clamp("f", 1.0), Clamp("i", 0.0, 1, 5)]
    assert_curves(app, {"lstm": run(PLAIN["lstm"], X, clamp=held)} | runs(elman=PLAIN["elman"], gru=PLAIN["gru"]))
    assert say("reach.clamped") in app.text
    assert app.address["clamp"] == "f:1;i.2:0@5"
    app.set("cell", "gru")  # which has no such gates
    assert "clamp" not in app.address
    assert say("reach.clamped") not in app.text


def test_a_layer_of_a_stack_and_a_sequence_of_a_batch() -> None:
    app = small(layers=3, sequences=2)
    assert say("reach.layer", layer=1) in app.text
    app.set("layer", 2).set("sequence", 2)
    assert app.words == []
    assert say("reach.layer", layer=2) in app.text
    assert (app.address["layer"], app.address["sequence"]) == ("2", "2")
    network = build(network_of(Settings("random").choose(layers=3, sequences=2, steps=12, hidden_size=4, input_size=2)))
    below = run(network.cells[0], network.xs[1])
    shown = run(network.cells[1], below.h[1:])
    np.testing.assert_allclose(curves(app)["elman"], norms_back(shown), rtol=0, atol=1e-9)


def test_each_page_keeps_its_own_network() -> None:
    app = small(gain=2).go("hidden_state", {"preset": "echo"}).go(PAGE)
    assert app.address == {**SMALL, "gain": "2"}
    assert app.go("hidden_state").address == {"preset": "echo"}
