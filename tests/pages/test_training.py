"""The training page without a browser: a run from its first button to the links of its last checkpoint."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from rnnviz.learning.jobs import JOBS
from rnnviz.presets.recipes import RECIPES
from rnnviz.settings import KINDS
from rnnviz.settings.recipe import RECIPE, TASKS, Recipe
from rnnviz.texts import say
from rnnviz.weights import STORE
from tests.pages.driven import App

SMALL = {"hidden_size": "4", "steps": "6", "updates": "12", "batch_size": "4"}


def open_small(**query: str) -> App:
    return App({**SMALL, **query}, "training")


def recipe_of(app: App) -> Recipe:
    recipe: Recipe = app.test.session_state["state of training"].settings
    return recipe


def hook(app: App, name: str) -> str:
    """One of the numbers that others hold on to."""
    html = next(one.proto.body for one in app.test.get("html") if "training-run" in one.proto.body)
    found = re.search(rf'data-{name}="([^"]*)"', html)
    assert found
    return found[1]


def until(app: App, true: Callable[[], bool], seconds: float = 60.0) -> App:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, hook(app, "state")
        time.sleep(0.05)
        app.load(app.address)
    return app


def play(app: App) -> App:
    app.press("play")
    return until(app, lambda: hook(app, "state") in ("done", "failed"))


def test_a_run_from_play_to_done() -> None:
    app = open_small()
    assert hook(app, "state") == "idle"
    assert not app.control("play").disabled
    assert app.control("pause").disabled
    assert app.control("stop").disabled
    play(app)
    assert hook(app, "state") == "done"
    assert hook(app, "update") == "12"
    run = JOBS.find(app.address["run"])
    assert run is not None
    lane = run.lanes[0]
    assert float(hook(app, "train-loss")) == lane.updates[-1].loss
    assert float(hook(app, "test-loss")) == lane.checkpoints[-1].test_loss
    assert app.words == []


def test_another_session_with_the_address_sees_the_run() -> None:
    """As after a reload, which makes a new session; of another recipe it is not the run."""
    app = play(open_small(seed="3"))
    again = App(app.address, "training")
    assert hook(again, "state") == "done"
    assert hook(again, "train-loss") == hook(app, "train-loss")
    assert hook(App(app.address | {"seed": "4"}, "training"), "state") == "idle"
    assert hook(App(app.address | {"run": "0badbeef"}, "training"), "state") == "idle"


def test_a_changed_recipe_ends_its_run_and_the_old_one_is_found_again() -> None:
    app = open_small(updates="20000")
    app.press("play")
    until(app, lambda: int(hook(app, "update")) > 3)
    run = JOBS.find(app.address["run"])
    assert run is not None
    app.set("hidden_size", 5)
    assert hook(app, "state") == "idle"
    until(app, lambda: run.is_over)
    assert run.state == "stopped"
    app.set("hidden_size", 4)
    assert hook(app, "state") == "stopped"
    assert int(hook(app, "update")) > 3


def test_who_only_watches_a_run_does_not_end_it() -> None:
    app = open_small(updates="20000", seed="7")
    app.press("play")
    until(app, lambda: int(hook(app, "update")) > 3)
    run = JOBS.find(app.address["run"])
    assert run is not None
    guest = App(app.address, "training")
    assert hook(guest, "state") == "running"
    guest.set("hidden_size", 5)
    time.sleep(0.5)
    assert run.state == "running"
    app.press("stop")
    until(app, lambda: run.is_over)


def test_the_server_never_loads_torch() -> None:
    """In a process of its own: the tests of others here have loaded it."""
    script = """
import sys, time
from rnnviz.learning.jobs import JOBS
from tests.pages.driven import App
for page, button in (("training", "play"), ("compare_cells", "train")):
    app = App({"hidden_size": "3", "steps": "5", "updates": "4", "batch_size": "2"}, page)
    app.press(button)
    while any(not run.is_over for run in JOBS._runs.values()):
        time.sleep(0.1)
        app.load(app.address)
    assert any(run.state == "done" for run in JOBS._runs.values())
assert len(JOBS._runs) == 2
print("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.splitlines()[-1:] == ["False"], done.stderr


def test_pause_go_on_and_stop() -> None:
    app = open_small(updates="20000", cells="gru")
    app.press("play")
    until(app, lambda: int(hook(app, "update")) > 3)
    app.press("pause")
    assert hook(app, "state") == "paused"
    assert not app.control("play").disabled
    reached = int(hook(app, "update"))
    app.press("play")
    until(app, lambda: int(hook(app, "update")) > reached + 5)
    assert hook(app, "state") == "running"
    app.press("stop")
    until(app, lambda: hook(app, "state") == "stopped", seconds=5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_opens_on_other_pages_and_its_recipe_makes_it_again(kind: str) -> None:
    app = play(open_small(cells=kind, start="learned"))
    moments = app.test.select_slider[0]
    moments.set_value(int(moments.options[-4]))
    app.run()
    links = [one.proto for one in app.test.get("page_link")]
    assert len(links) == 3
    for link in links:
        query = dict(parse_qsl(link.query_string or urlsplit(link.page).query))
        assert STORE.get(query["weights"]) is not None
        page = link.page.rpartition("/")[2] or link.page
        there = App(query, page)
        assert there.words == []
        assert there.address == query  # nothing of it is lost, and Back needs one step
    again = play(App(dict(part.split("~") for part in query["recipe"].split(",")), "training"))
    new = dict(parse_qsl(next(one.proto for one in again.test.get("page_link")).query_string))
    assert new["weights"] == query["weights"]


def test_what_was_looked_at_is_there_again_after_another_page() -> None:
    """The moment, the cell and its value: one opens a page from them and comes Back."""
    app = play(open_small(cells="all"))
    app.test.session_state["training front"] = "gru"
    app.run()
    app.test.session_state["training value gru"] = "r"
    moments = app.test.select_slider[0]
    wanted = int(moments.options[-4])
    moments.set_value(wanted)
    app.run()
    address = app.address
    app.go("hidden_state").go("training", address)
    assert app.test.select_slider[0].value == wanted
    assert app.test.session_state["training front"] == "gru"
    assert app.test.session_state["training value gru"] == "r"


def test_missing_weights_are_trained_again_from_their_recipe() -> None:
    name, recipe = "0123456789abcdef0123", "cells~lstm,steps~6,updates~3"
    there = App({"weights": name, "recipe": recipe}, "lstm_gates")
    assert any(name in words for words in there.words)
    assert there.address["recipe"] == recipe
    (link,) = [one.proto for one in there.test.get("page_link") if "training" in one.proto.page]
    assert dict(parse_qsl(link.query_string)) == {"cells": "lstm", "steps": "6", "updates": "3"}
    without = App({"weights": name}, "lstm_gates")
    assert not [one for one in without.test.get("page_link") if "training" in one.proto.page]
    wrong = App({"weights": name, "recipe": "<script>"}, "lstm_gates")
    assert any("recipe" in words for words in wrong.words)
    assert "recipe" not in App({"recipe": recipe}, "lstm_gates").address


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_has_its_button_and_its_address(name: str) -> None:
    app = App({"preset": name}, "training")
    assert app.words == []
    assert app.control("preset").value == name
    assert app.address == ({} if name == next(iter(RECIPES)) else {"preset": name})


@pytest.mark.parametrize("task", TASKS)
def test_every_task_can_be_chosen(task: str) -> None:
    app = open_small()
    app.set("task", task)
    assert app.address.get("task", "adding") == task
    assert app.words == []


@pytest.mark.parametrize(("name", "given", "taken"), [("lr", 1e9, 10.0), ("lr", 0.0, 1e-6), ("clip", -1.0, 0.0)])
def test_a_number_that_cannot_be_is_the_nearest_one(name: str, given: float, taken: float) -> None:
    app = App({}, "training")
    app.set(name, given)
    assert app.control(name).value == taken
    assert len(app.words) == 1


@pytest.mark.parametrize(
    ("query", "named"),
    [({"steps": "501"}, "steps"), ({"hidden_size": "129"}, "hidden_size"), ({"lr": "0"}, "lr"), ({"task": "x"}, "task"),
     ({"preset": "x"}, "preset"), ({"W_hh.1.1": "2"}, "W_hh.1.1")],
)  # fmt: skip
def test_an_address_that_cannot_be_is_named(query: dict[str, str], named: str) -> None:
    app = App(query, "training")
    assert len(app.words) == 1
    assert named in app.words[0]
    assert hook(app, "state") == "idle"


def test_a_series_of_the_readers_own() -> None:
    app = App({"task": "series", "steps": "5", "updates": "4", "hidden_size": "3"}, "training")
    app.press("play")
    assert len(app.words) == 1
    assert "series" in app.words[0]
    assert hook(app, "state") == "idle"

    def typed(text: str) -> App:
        app.test.text_area[0].set_value(text)
        return app.load(app.address)

    assert "does not change" in typed("\n".join(["1, 2"] * 60)).words[0]
    assert "Line 2 is empty" in typed("1\n\n3").words[0]
    assert "has 1 row; at least 11 are needed" in typed("5").words[0]
    assert len(typed("1, 2\n3").words) == 1  # a gap
    assert "series" not in app.address
    typed("\n".join(f"{t % 7}, {t % 5}" for t in range(60)))
    assert app.words == []
    play(app)
    assert hook(app, "state") == "done"


def test_a_short_series_lowers_the_steps_and_says_so() -> None:
    app = App({"task": "series", "steps": "50", "updates": "4", "hidden_size": "3", "cells": "gru"}, "training")
    app.test.text_area[0].set_value("\n".join(str(t % 7) for t in range(96)))
    app.load(app.address)
    assert app.address["steps"] == "19"
    assert app.words == ["T was lowered from 50 to 19, the most that this series has room for."]
    app.set("seed", 3)
    assert app.words == []
    assert app.control("preset").value is None  # the task is another one
    play(app)
    assert hook(app, "state") == "done"
    app.set("steps", 20)
    assert "at least 101" in app.words[0]
    assert app.address["steps"] == "19"


def test_a_series_that_is_too_long_for_a_link_stays_in_the_session() -> None:
    """The address has all else, and with a run that is still kept the series too."""
    app = App({"task": "series", "steps": "5", "updates": "4", "hidden_size": "3", "cells": "gru"}, "training")
    app.test.text_area[0].set_value("\n".join(str(np.sin(t)) for t in range(900)))
    app.load(app.address)
    assert app.words == [say("training.too_long")]
    assert "series" not in app.address
    app.set("lr", 0.5)
    assert app.address["lr"] == "0.5"
    app.load(app.address | {"lr": "0.25"})  # Back to an earlier entry
    assert len(recipe_of(app).series) == 900
    play(app)
    again = App(app.address, "training")
    assert hook(again, "state") == "done"
    assert recipe_of(again) == recipe_of(app)
    fresh = App({name: text for name, text in app.address.items() if name != "run"}, "training")
    assert recipe_of(fresh).series == ()


def test_a_run_that_is_gone_is_named() -> None:
    app = open_small(run="0badbeef")
    assert say("training.gone") in [info.value for info in app.test.info]
    assert "run" not in app.address
    app.set("lr", 0.5)
    assert say("training.gone") not in [info.value for info in app.test.info]


def test_the_last_run_comes_back() -> None:
    app = play(open_small(seed="11"))
    loss = hook(app, "test-loss")
    app.set("lr", 0.5)
    assert hook(app, "state") == "idle"
    app.press("back")
    assert hook(app, "state") == "done"
    assert hook(app, "test-loss") == loss


def test_settings_of_the_table_have_a_control() -> None:
    shown = set()
    for query in ({}, {"task": "copy"}, {"task": "next_number"}):
        app = App(query, "training").unfold("how").unfold("weights")
        shown |= {name for name in RECIPE if app._controls(name)}
    assert shown == set(RECIPE)
