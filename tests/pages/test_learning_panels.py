"""The folds on RTRL and on clipping, driven without a browser: numbers, presets, large networks, refusals."""

from __future__ import annotations

import json
import math
from html import unescape
from typing import Any

import numpy as np
import pytest
import torch

from rnnviz import bptt
from rnnviz.learning.cliff import sweep
from rnnviz.network import Objective, build, network_of, objective_of, parts_of, run_network
from rnnviz.settings import Settings
from rnnviz.texts import say
from tests.maths.twins import tensor, torch_network
from tests.pages.driven import App
from tests.views.spoken import number, somewhere
from tests.views.written import says, says_power

PAGE = "bptt_rtrl"


def opened(fold: str, **query: object) -> App:
    return App({name: str(value) for name, value in query.items()}, PAGE).unfold(fold)


def told(app: App, key: str) -> dict[str, str]:
    said = somewhere(key, unescape(app.text))
    assert said is not None, f"not said with {key}: {app.text}"
    return said


def objective(preset: str) -> Objective:
    settings = Settings(preset, kind="elman")
    return objective_of(run_network(build(network_of(settings))).of(1), parts_of(settings).objective)


def norm_by_torch(found: Objective) -> float:
    """The norm of the whole gradient of a squared error at the last step, by autograd."""
    network = torch_network([found.trace.cell])
    h = network(tensor(found.trace.x))[0][-1]
    readout = found.readouts[0]
    value = ((tensor(readout.W) @ h + tensor(readout.b) - tensor(found.target[-1])) ** 2).sum()
    gradients = torch.autograd.grad(value, list(network.parameters()))
    return math.sqrt(sum(float((one**2).sum()) for one in gradients))


def test_closed_folds_compute_nothing_and_show_nothing() -> None:
    app = App(page=PAGE)
    assert app.words == []
    assert somewhere("rtrl.equal", app.text) is None
    assert somewhere("clip.clipped", app.text) is None


def figure(app: App, name: str) -> dict[str, Any]:
    """A Plotly figure by its key."""
    (found,) = [one.proto for one in app.test.get("plotly_chart") if one.proto.id.endswith(f"-{PAGE} {name}")]
    assert found.alt
    spec: dict[str, Any] = json.loads(found.spec)
    return spec


def figures(app: App) -> list[str]:
    return [one.proto.id.partition(f"-{PAGE} ")[2] for one in app.test.get("plotly_chart")]


@pytest.mark.parametrize("preset", ["lesson", "first_step", "first_step_lstm", "clip_saves", "clip_cannot"])
def test_the_fold_on_rtrl_says_how_equal_both_are(preset: str) -> None:
    app = opened("rtrl", preset=preset)
    said = told(app, "rtrl.equal")
    assert number(said["share"]) < 1e-13
    costs = app.test.dataframe[0].value
    assert costs.iloc[0, 0] == say("rtrl.cost.numbers")
    assert costs.iloc[0, 1].endswith(("bytes", "KiB"))
    words = told(app, "rtrl.matrix.words")
    assert words["t"] == "1"
    app.set("influence step", 3)
    assert told(app, "rtrl.matrix.words")["t"] == "3"
    assert int(told(app, "rtrl.matrix.words")["there"].replace(",", "")) >= int(words["there"].replace(",", ""))
    drawn = figure(app, "influence")
    assert len(drawn["data"]) == 2
    assert drawn["layout"]["shapes"][0]["x0"] == 3


def test_drift_follows_the_learning_rate() -> None:
    app = opened("rtrl")
    assert number(told(app, "rtrl.drift.words")["rate"].rstrip(".")) == 0.1
    names = [one["name"] for one in figure(app, "drift")["data"]]
    assert names == [say(f"rtrl.drift.{key}") for key in ("true", "online", "drift")]
    before = number(told(app, "rtrl.drift.words")["share"])
    app.set("lr", 0.001)
    assert app.address == {"lr": "0.001"}
    assert number(told(app, "rtrl.drift.words")["share"]) < 0.1 * before
    app.set("lr", 0.0)
    assert told(app, "rtrl.drift.still") == {}
    assert number(told(app, "rtrl.drift.rounding")["share"]) < 1e-13


def test_numbers_come_with_their_fold() -> None:
    app = opened("rtrl")
    assert len(app.test.dataframe) == 1
    app.unfold("influence numbers").unfold("drift numbers")
    _, influence, drift = (one.value for one in app.test.dataframe)
    assert list(influence.iloc[:, 0]) == list(range(1, 9))
    np.testing.assert_allclose(np.log10(influence.iloc[:, 1]), figure(app, "influence")["data"][0]["y"])
    assert drift.shape == (8, 4)


def test_a_large_network_is_asked_for_and_stays_until_another_one_comes() -> None:
    app = opened("rtrl", preset="first_step", hidden_size=64, steps=60)
    assert somewhere("rtrl.equal", app.text) is None
    assert somewhere("rtrl.long", app.text)
    app.press("rtrl compute")
    assert told(app, "rtrl.equal")["count"] == "4,288"
    assert told(app, "rtrl.matrix.large")
    assert len(figure(app, "influence")["data"]) == 1
    app.run()
    assert told(app, "rtrl.equal")
    app.set("seed", 3)
    assert somewhere("rtrl.equal", app.text) is None


def test_one_step_is_enough() -> None:
    app = opened("rtrl", steps=1, delay=0).unfold("clipping")
    assert told(app, "rtrl.influence.one")
    assert told(app, "rtrl.drift.one") == {}
    assert figures(app) == ["influence", "norms"]
    assert app.words == []


def test_a_network_of_one_unit_and_one_without_a_gradient() -> None:
    app = opened("rtrl", preset="first_step", hidden_size=1, steps=5, delay=4).unfold("clipping")
    assert somewhere("rtrl.equal", app.text) or somewhere("rtrl.equal.exact", app.text)
    app = opened("rtrl", preset="first_step", init="zeros", output_size=1, **{"b_o.1": 0}).unfold("clipping")
    assert app.words == []
    none = {f"W_ho.1.{unit}": 0 for unit in range(1, 6)}
    app = opened("rtrl", preset="first_step", **none).unfold("clipping")
    assert app.words == []
    assert told(app, "rtrl.equal.zero")
    assert told(app, "rtrl.drift.nothing") == {}
    assert told(app, "clip.zero") == {}
    assert "norms" not in figures(app)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_gated_cells_have_both_folds(kind: str) -> None:
    app = opened("rtrl", cell=kind).unfold("clipping")
    assert app.words == []
    assert figures(app)[-1] == "norms"


def test_the_gradient_before_and_after() -> None:
    app = opened("clipping", preset="clip_saves")
    found = objective("clip_saves")
    weights = bptt(found.trace, found.d_h).weights
    norm = math.sqrt(sum(float((array**2).sum()) for array in weights.values()))
    said = told(app, "clip.clipped")
    assert says_power(said["norm"], math.log10(norm))
    assert (said["limit"], said["after"], said["cosine"].rstrip(".")) == ("0.1", "0.1", "1")
    old, new = figure(app, "norms")["data"][-2:]
    assert old["x"][-1] == pytest.approx(math.log10(norm))
    assert new["x"][-1] == pytest.approx(-1)
    app.set("max_norm", 1e6)
    assert told(app, "clip.kept")["limit"] == "1e6"
    app = opened("clipping", preset="clip_cannot")
    assert says_power(told(app, "clip.kept")["norm"].rstrip(","), math.log10(norm_by_torch(objective("clip_cannot"))))


def test_the_presets_open_their_fold_once() -> None:
    app = App({"preset": "clip_saves"}, PAGE)
    assert told(app, "clip.clipped")
    assert App({"preset": "first_step"}, PAGE).test.session_state[f"{PAGE} clipping"] is False


def test_the_cliff_is_computed_when_asked_for() -> None:
    app = opened("clipping", preset="clip_saves")
    assert figures(app) == ["norms"]
    app.press("cliff compute")
    said = told(app, "clip.cliff.helps")
    clipped = sweep(0.1)
    free = sweep(None)
    assert (said["clipped"], said["starts"], said["free"]) == ("32", "32", str(int(free.arrived[free.best])))
    assert says(told(app, "clip.cliff.spread")["free_rate"], free.rate)
    _, way_free, way_clipped, begin = figure(app, "surface")["data"]
    assert (begin["x"], begin["y"]) == ([5.0], [-2.33])
    np.testing.assert_allclose(way_clipped["x"], clipped.path[:, 0, 0])
    np.testing.assert_allclose(way_free["y"], free.path[:, 0, 1])
    apart = (free.path != clipped.path).any(axis=(0, 2))
    for other, key in ((int(np.argmin(apart)), "same_way"), (int(np.flatnonzero(apart)[-1]), "way")):
        app.set("cliff start", other + 1)
        assert told(app, f"clip.cliff.{key}")["start"] == str(other + 1)
        np.testing.assert_allclose(figure(app, "surface")["data"][2]["x"], clipped.path[:, other, 0])
    app.unfold("cliff numbers")
    table = app.test.dataframe[-1].value
    assert table.shape == (19, 9)
    np.testing.assert_array_equal(table.iloc[:, 5], clipped.arrived)
    app.set("max_norm", 0.5)  # another limit is another question
    assert somewhere("clip.cliff.helps", app.text) is None


def test_a_limit_far_too_small_is_said_to_harm_and_one_too_large_to_change_nothing() -> None:
    app = opened("clipping", max_norm=1e-6).press("cliff compute")
    assert number(told(app, "clip.cliff.harms")["clipped"]) < 10
    app.set("max_norm", 1e6)
    app.press("cliff compute")
    said = told(app, "clip.cliff.same")
    assert said["clipped"] == said["free"]
    assert told(app, "clip.cliff.same_way")["start"] == "1"


def test_the_recall_is_computed_when_asked_for() -> None:
    app = opened("clipping", preset="clip_cannot").press("recall compute")
    said = told(app, "clip.recall.nothing")
    assert number(said["share"]) > 0.95
    assert number(told(app, "clip.recall.reach")["after"].rstrip(".")) < 1e-12
    assert number(told(app, "clip.control.learned")["share"]) < 0.1
    assert [one["name"] for one in figure(app, "recall")["data"]] == [
        say(f"clip.recall.{way}", steps=steps) for steps in (50, 3) for way in ("without", "with")
    ]
    app.unfold("recall numbers")
    assert app.test.dataframe[-1].value.shape == (7, 5)


def test_what_overflows_stands_as_a_sentence_and_the_page_lives_on() -> None:
    """A linear network that learns at every step at far too high a rate."""
    wild = {"activation": "identity", "gain": 1.05, "init": "orthogonal", "hidden_size": 8, "steps": 40}
    app = opened("rtrl", preset="first_step", delay=39, loss_at="every", lr=100, **wild)
    assert any("Learning stops at step" in text for text in app.words)
    assert told(app, "rtrl.equal")
    app.set("lr", 0.0)
    assert app.words == []
    assert told(app, "rtrl.drift.still") == {}
