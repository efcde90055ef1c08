"""Every help text stands beside a control."""

from __future__ import annotations

from rnnviz.settings.recipe import RECIPE
from rnnviz.texts import say
from rnnviz.texts.en import TEXTS
from rnnviz.ui.training.state import RecipeState
from tests.pages.driven import App
from tests.pages.seen import open_folds

PAGES = [
    ("hidden_state", {"preset": "random", "layers": "2", "input": "text"}),
    ("lstm_gates", {}),
    ("gradient_flow", {"cell": "lstm"}),
    ("bptt_rtrl", {}),
]


def test_no_help_text_is_left_out() -> None:
    shown: set[str] = set()
    for page, query in PAGES:
        app = open_folds(App(query, page)).test
        shown |= {getattr(node.proto, "help", "") for node in app._tree if hasattr(node, "proto")}
    of_recipes = set(RecipeState.help_of.values())
    assert [key for key in TEXTS if key.startswith("help.") and key not in of_recipes and say(key) not in shown] == []


def test_help_texts_of_recipes_are_those_of_their_controls() -> None:
    found = {key.removeprefix("help.recipe."): key for key in TEXTS if key.startswith("help.recipe.")}
    assert found == dict(RecipeState.help_of)
    assert set(found) <= set(RECIPE)
