"""The folds on RTRL and on clipping, driven without a browser: numbers, presets, large networks, refusals."""

from __future__ import annotations

import math
import re
from html import unescape

import numpy as np
import pytest
import torch

from rnnviz import bptt
from rnnviz.presets import Lesson, build, lesson_of, values_of, walk
from rnnviz.settings import Settings
from rnnviz.texts import say
from tests.maths.twins import tensor, torch_network
from tests.pages.driven import App
from tests.views.spoken import number, somewhere
from tests.views.written import says_power

PAGE = "bptt_rtrl"


def opened(fold: str, **query: object) -> App:
    return App({name: str(value) for name, value in query.items()}, PAGE).unfold(fold)


def told(app: App, key: str) -> dict[str, str]:
    said = somewhere(key, unescape(app.text))
    assert said is not None, f"not said with {key}: {app.text}"
    return said


def lesson(preset: str) -> Lesson:
    settings = Settings(preset, kind="elman")
    return lesson_of(walk(build(settings)), 1, values_of(settings))


def norm_by_torch(found: Lesson) -> float:
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


@pytest.mark.parametrize("preset", ["lesson", "first_step", "first_step_lstm"])
def test_the_fold_on_rtrl_says_how_equal_both_are(preset: str) -> None:
    app = opened("rtrl", preset=preset)
    said = told(app, "rtrl.equal")
    assert number(said["share"].rstrip(":")) < 1e-13
    assert say("rtrl.cost.numbers") in app.text
    words = told(app, "rtrl.matrix.words")
    assert words["t"] == "1"
    assert app.set("influence step", 3).text != ""
    assert told(app, "rtrl.matrix.words")["t"] == "3"
    assert int(told(app, "rtrl.matrix.words")["there"].replace(",", "")) > int(words["there"].replace(",", ""))


def test_drift_follows_the_learning_rate() -> None:
    app = opened("rtrl")
    assert number(told(app, "rtrl.drift.words")["rate"]) == 0.1
    assert app.chart("drift chart").header["curves"][0]["key"] == "online"
    before = number(told(app, "rtrl.drift.words")["share"])
    app.set("lr", 0.001)
    assert app.address == {"lr": "0.001"}
    assert number(told(app, "rtrl.drift.words")["share"]) < 0.1 * before
    app.set("lr", 0.0)
    assert number(told(app, "rtrl.drift.still")["most"].rstrip(")")) < 1e-13


def test_a_large_network_is_asked_for_and_stays_until_another_one_comes() -> None:
    app = opened("rtrl", preset="first_step", hidden_size=64, steps=60)
    assert somewhere("rtrl.equal", app.text) is None
    assert say("rtrl.long", work="1.1e9") in app.text
    app.press("rtrl compute")
    assert told(app, "rtrl.equal")["count"] == "4,288"
    assert told(app, "rtrl.matrix.large")
    app.run()
    assert told(app, "rtrl.equal")
    app.set("seed", 3)
    assert somewhere("rtrl.equal", app.text) is None


def test_one_step_is_enough() -> None:
    app = opened("rtrl", steps=1, delay=0).unfold("clipping")
    assert told(app, "rtrl.influence.one")
    assert told(app, "rtrl.drift.last")["steps"] == "1"
    assert told(app, "clip.same")
    assert somewhere("clip.vanished", app.text) is None


def test_a_network_of_one_unit_and_one_without_a_gradient() -> None:
    app = opened("rtrl", preset="first_step", hidden_size=1, steps=5, delay=4).unfold("clipping")
    assert somewhere("rtrl.equal", app.text) or somewhere("rtrl.equal.exact", app.text)
    app = opened("rtrl", preset="first_step", init="zeros").unfold("clipping")
    assert app.words == []
    assert re.search(say("clip.zero")[:20] + "|norm", app.text)


def test_clipping_saves_on_the_page() -> None:
    app = opened("clipping", preset="clip_saves")
    found = lesson("clip_saves")
    weights = bptt(found.trace, found.d_h).weights
    norm = math.sqrt(sum(float((array**2).sum()) for array in weights.values()))
    said = told(app, "clip.clipped")
    assert says_power(said["norm"], math.log10(norm))
    assert (said["limit"], said["after"], said["cosine"].rstrip(".")) == ("1", "1", "1.000000")
    left = told(app, "clip.outcome.left")
    assert (left["before"], left["left"]) == ("2", "3")
    assert number(told(app, "clip.outcome.stays")["last"]) < 0.01
    assert say("clip.nan", left=3) in app.text
    app.set("max_norm", 1e6)  # nothing is clipped but what is beyond saving
    assert told(app, "clip.kept")["limit"] == "1e6"
    app.set("lr", 0.0)
    assert told(app, "clip.still")


def test_clipping_cannot_help_on_the_page() -> None:
    app = opened("clipping", preset="clip_cannot")
    assert says_power(told(app, "clip.kept")["norm"], math.log10(norm_by_torch(lesson("clip_cannot"))))
    assert told(app, "clip.same")
    said = told(app, "clip.vanished")
    trace = lesson("clip_cannot").trace
    product = np.eye(8)
    for row in trace.h[2:]:
        product = (1 - row**2)[:, None] * trace.cell.W_hh @ product
    assert says_power(said["before"], math.log10(np.linalg.norm(product, 2)))
    assert number(said["after"].rstrip(".")) < 1e-30


def test_long_training_is_asked_for() -> None:
    app = opened("clipping", preset="first_step", steps=401)
    assert say("clip.long", updates=60, steps=401) in app.text
    assert somewhere("clip.outcome.stays", app.text) is None
    app.press("clip learn")
    assert told(app, "clip.outcome.stays")["updates"] == "60"


def test_what_overflows_stands_as_a_sentence_and_the_page_lives_on() -> None:
    """A linear network that learns at every step at far too high a rate."""
    app = opened("rtrl", preset="clip_saves", loss_at="every", lr=100)
    assert any("Learning at step" in text for text in app.words)
    assert told(app, "rtrl.equal")
    app.set("lr", 0.0)
    assert app.words == []
    assert told(app, "rtrl.drift.still")
