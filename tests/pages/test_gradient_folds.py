"""The lower folds of the Gradient flow page driven without a browser: steps, spectrum, seeds, remarks."""

from __future__ import annotations

import math
import re
import statistics

import numpy as np
import pytest

from rnnviz import StateOverflowError, log10_gradient_norms, make_cell, run, step_jacobians
from rnnviz.cache import RESULTS
from rnnviz.presets import GRADIENT_FLOW, SPECTRA, cell_of
from rnnviz.sequences import noise
from rnnviz.settings import KINDS, choices_of
from rnnviz.texts import group, say
from rnnviz.ui.gradient_flow import many, seeds
from rnnviz.ui.gradient_flow.flows import Followed, fresh_flow
from rnnviz.views.charts.gradient_flow import CellFlow
from tests.pages.driven import App
from tests.views.flows import norms_back
from tests.views.spoken import somewhere
from tests.views.written import four_digits, four_digits_power, says

PAGE = "gradient_flow"
SMALL = {"steps": "12", "hidden_size": "4", "input_size": "2"}
FOLDS = ("spectrum", "spectrum numbers", "seeds", "seeds numbers", "steps numbers", "remarks")


def opened(**query: object) -> App:
    return App({name: str(value) for name, value in query.items()}, PAGE)


def small(**query: object) -> App:
    """A network of a few units over a few steps."""
    return opened(**SMALL | query)


def told(app: App, key: str) -> dict[str, str]:
    said = somewhere(key, app.text)
    assert said is not None, f"not said with {key}: {app.text}"
    return said


# --- steps ----------------------------------------------------------------------------------------------------------


def test_the_factors_of_the_steps_and_the_step_that_is_open() -> None:
    """Bars against plain products; the number field moves the mark and the second chart."""
    app = small()
    trace = run(make_cell("elman", 2, 4), noise(12, 2, 0))
    norms = norms_back(trace)
    (bars,) = app.figure("chain chart")["data"]
    assert bars["x"] == list(range(1, 13))
    assert bars["y"] == pytest.approx([norms[k] - norms[k + 1] for k in range(12)], abs=1e-8)
    assert math.fsum(bars["y"]) == pytest.approx(norms[0], abs=1e-8)
    app.set("opened", 7)
    assert app.figure("chain chart")["layout"]["shapes"][0]["x0"] == 6.5
    units, singular, dots = app.figure("opened chart")["data"]
    assert units["y"] == pytest.approx((1 / np.cosh(trace.preacts["a"][6]) ** 2).tolist())
    assert singular["y"] == pytest.approx(np.linalg.svd(step_jacobians(trace)[6], compute_uv=False).tolist())
    assert dots["y"] == pytest.approx(np.linalg.svd(trace.cell.W_hh, compute_uv=False).tolist())


def test_numbers_come_with_their_fold() -> None:
    app = small()
    assert len(app.test.dataframe) == 0
    app.unfold("steps numbers")
    steps, units, singular = (table.value for table in app.test.dataframe)
    assert (len(steps), len(units), len(singular)) == (12, 4, 4)
    norms = norms_back(run(make_cell("elman", 2, 4), noise(12, 2, 0)))
    assert steps[say("chain.column.norm", t=12)].tolist() == pytest.approx(norms[:-1], abs=1e-8)


def test_an_lstm_says_which_state_is_followed() -> None:
    for block, symbol in (("state", "s"), ("h", "h"), ("c", "c")):
        app = small(cell="lstm", block=block)
        assert f"‖∂{symbol}₁₂/∂{symbol}₀‖" in app.text
        assert (say("chain.state") in app.text) == (block == "state")


# --- spectrum -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [1, 12, 60])
def test_the_headline_and_the_exponents_agree(kind: str, steps: int) -> None:
    """Of the whole state, as the page shows it: sentence, chart and table."""
    app = (
        opened(**SMALL | {"cell": kind, "steps": steps, "together": "one"})
        .unfold("spectrum")
        .unfold("spectrum numbers")
    )
    chart = app.chart()
    norm = float(chart.arrays[chart.header["curves"][0]["array"]][0])
    wanted = log10_gradient_norms(run(make_cell(kind, 2, 4), noise(steps, 2, 0)), block="state")[0]
    assert norm == pytest.approx(wanted, abs=1e-9)
    said = told(app, "spectrum.run.fades" if norm < 0 else "spectrum.run.grows")
    assert four_digits_power(said["left"], norm)
    assert four_digits_power(said["factor"], norm / steps)
    assert say("spectrum.run.same") in app.text
    bars = app.figure("spectrum chart")["data"][1]
    assert bars["y"][0] == pytest.approx(norm * math.log(10) / steps, abs=1e-9)
    table = app.test.dataframe[0].value
    assert table[say("spectrum.column.exponent")][0] == pytest.approx(bars["y"][0])
    assert len(table) == (8 if kind == "lstm" else 4)


def test_the_spectrum_of_the_block_that_is_chosen() -> None:
    app = small(cell="gru").unfold("spectrum")
    W = make_cell("gru", 2, 4).W_hh
    for number, gate in enumerate("rzn"):
        app.set("spectrum gate", gate)
        assert four_digits(
            told(app, "spectrum.words")["sigma"], float(np.linalg.norm(W[4 * number : 4 * number + 4], 2))
        )
        assert say("spectrum.gated", matrix=f"W_h{gate}", count=3) in app.text
    app.set("cell", "lstm")
    assert app.control("spectrum gate").value == "i"
    assert say("spectrum.gated", matrix="W_hi", count=4) in app.text


@pytest.mark.parametrize("preset", SPECTRA)
def test_a_matrix_to_try_opens_its_fold(preset: str) -> None:
    app = opened(preset=preset)
    W = SPECTRA[preset].weights["W_hh"]
    assert four_digits(told(app, "spectrum.words")["sigma"], float(np.linalg.norm(W, 2)))
    assert app.words == []
    plane = app.figure("plane chart")
    found = sorted(np.abs(np.array(plane["data"][0]["x"]) + 1j * np.array(plane["data"][0]["y"])).tolist())
    assert found == pytest.approx(sorted(np.abs(np.linalg.eigvals(W)).tolist()), abs=1e-7)
    assert len(plane["data"]) == (2 if preset == "nilpotent" else 1)
    assert (somewhere("spectrum.step.explodes", app.text) is not None) == (preset == "nilpotent")
    assert (somewhere("spectrum.turn.back", app.text) is not None) == (preset == "rotation")
    assert (somewhere("spectrum.transient", app.text) is not None) == (preset != "rotation")
    assert len(app.unfold("spectrum numbers").test.dataframe[0].value) == len(W)
    assert say("seeds.hand_set") in app.unfold("seeds").text


# --- seeds ----------------------------------------------------------------------------------------------------------


def test_many_networks_that_take_long_are_drawn_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "_MOST_SECONDS", 0.0)
    app = App(SMALL, PAGE).unfold("seeds")
    drawn = [node.key for node in app.test.get("plotly_chart")]
    count = 3 * seeds.SEEDS + 5 * seeds.INIT_SEEDS
    assert any(f"draws {count} networks" in said.value for said in app.test.caption)
    app.press("seeds compute")
    new = [node.key for node in app.test.get("plotly_chart") if node.key not in drawn]
    assert new == [f"{PAGE} seeds chart", f"{PAGE} inits chart"]


@pytest.mark.parametrize("cell", KINDS)
@pytest.mark.parametrize("together", ["all", "one"])
@pytest.mark.parametrize("pauses", [0, 1])
def test_the_seconds_told_beforehand_are_those_it_takes(
    monkeypatch: pytest.MonkeyPatch, cell: str, together: str, pauses: int
) -> None:
    """By a clock that only networks move, each kind by its own time: what is told, and what then passes.

    A single pause of the computer beforehand is no matter.
    """
    takes, clock, met = {"elman": 0.0125, "lstm": 0.09375, "gru": 0.0375}, [0.0], [pauses]

    def timed(of: Followed) -> CellFlow:
        clock[0] += takes[of.network.base.kind] + 7.0 * met[0]
        met[0] = 0
        return fresh_flow(of)

    monkeypatch.setattr(many, "fresh_flow", timed)
    monkeypatch.setattr(many, "perf_counter", lambda: clock[0])
    RESULTS.clear()
    app = App(SMALL | {"cell": cell, "together": together}, PAGE)
    monkeypatch.setattr(seeds, "_MOST_SECONDS", 0.0)
    app.unfold("seeds")
    (said,) = [found for one in app.test.caption if (found := somewhere("seeds.long", one.value))]
    before = clock[0]
    drawn = 0

    def counted(of: Followed) -> CellFlow:
        nonlocal drawn
        drawn += 1
        return timed(of)

    monkeypatch.setattr(many, "fresh_flow", counted)
    app.press("seeds compute")
    assert int(said["count"]) == drawn
    assert says(said["seconds"], clock[0] - before)


def test_bands_over_seeds_and_all_initialisations() -> None:
    """Quartiles and medians of the ends, each network run anew here."""
    app = small(together="one").unfold("seeds")

    def ends(count: int, **options: object) -> list[float]:
        made = (make_cell("elman", 2, 4, seed=seed, **options) for seed in range(count))  # type: ignore[arg-type]
        return [norms_back(run(cell, noise(12, 2, seed)))[0] for seed, cell in enumerate(made)]

    lower, upper, line = app.figure("seeds chart")["data"]
    assert [lower["y"][-1], line["y"][-1], upper["y"][-1]] == pytest.approx(
        statistics.quantiles(ends(32), n=4, method="inclusive"), abs=1e-8
    )
    inits = {trace["name"]: trace["y"][-1] for trace in app.figure("inits chart")["data"]}
    assert list(inits) == [
        say(f"choice.init.{init}") for init in ("torch", "xavier", "orthogonal", "identity", "spectral")
    ]
    for init in ("torch", "xavier", "orthogonal", "identity", "spectral"):
        assert inits[say(f"choice.init.{init}")] == pytest.approx(statistics.median(ends(8, init=init)), abs=1e-8)
    assert told(app, "seeds.bands")["count"] == "32"
    assert say("seeds.method") in app.text
    app.unfold("seeds numbers")
    assert [len(table.value) for table in app.test.dataframe] == [13, 13]


@pytest.mark.parametrize(
    ("typed", "said"), [({}, False), ({"h0.1": 0.5}, False), ({"x.1.1": 5}, True), ({"W_hh.1.1": 1.4}, True)], ids=str
)
def test_typed_weights_and_inputs_are_left_out_of_the_seeds_and_said_to_be(
    typed: dict[str, object], said: bool
) -> None:
    """With them the bands are those of the network without; a typed start stays, and moves them."""
    plain = small(together="one").unfold("seeds")
    app = small(together="one", **typed).unfold("seeds")
    assert (say("seeds.edited") in app.text) == said
    ends = [one.figure("seeds chart")["data"][2]["y"][-1] for one in (plain, app)]
    assert (ends[0] == ends[1]) == ("h0.1" not in typed)


def test_seeds_that_overflow_are_counted() -> None:
    app = opened(activation="identity", gain=10, steps=1000, hidden_size=2, input_size=1, together="one").unfold(
        "seeds"
    )
    assert app.words == []
    lost = 0
    drawn = [("torch", 32), *((init, 8) for init in choices_of("init", "elman") if init != "zeros")]
    for init, seed in ((init, seed) for init, count in drawn for seed in range(count)):
        cell = make_cell("elman", 1, 2, init=init, gain=10.0, seed=seed, activation="identity")
        try:
            run(cell, noise(1000, 1, seed))
        except StateOverflowError:
            lost += 1
    assert 0 < lost <= 72
    assert re.findall(r"(\d+) networks overflowed", app.text) == [str(lost)]


# --- all of them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", [*GRADIENT_FLOW, *SPECTRA])
def test_every_preset_with_every_fold_open(preset: str) -> None:
    app = opened(preset=preset, steps=20, hidden_size=6) if preset in GRADIENT_FLOW else opened(preset=preset)
    for fold in FOLDS:
        app.unfold(fold)
    assert app.words == []
    assert app.control("cell").value == cell_of(preset)
    for remark in group("remark.gradient_flow").values():
        assert remark in app.text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "query",
    [
        {"steps": 1, "hidden_size": 1, "input_size": 1},
        {"init": "zeros"},
        {"gain": 0},
        {"input_scale": 100},
        {"gain": 10, "steps": 200},
    ],
    ids=str,
)
def test_every_fold_at_the_ends_of_the_ranges(kind: str, query: dict[str, object]) -> None:
    app = opened(**SMALL | {"cell": kind} | query)
    for fold in FOLDS:
        app.unfold(fold)
    assert app.words == []


@pytest.mark.parametrize("query", [{"W_hh.1.1": "1.7e308"}, {"W_hh.1.1": "1e-320"}, {"activation": "relu", "gain": 10}])
def test_numbers_at_the_ends_of_float64(query: dict[str, object]) -> None:
    app = small(**query)
    for fold in FOLDS:
        app.unfold(fold)
    assert app.words == []
