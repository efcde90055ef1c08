"""Every help text stands beside a control."""

from __future__ import annotations

from rnnviz.texts import say
from rnnviz.texts.en import TEXTS
from tests.pages.driven import App
from tests.pages.seen import open_folds

PAGES = [
    ("hidden_state", {"preset": "random", "layers": "2", "input": "text"}),
    ("lstm_gates", {}),
    ("gradient_flow", {"cell": "lstm"}),
    ("bptt_rtrl", {}),
    ("training", {"task": "copy"}),
    ("training", {"task": "next_number"}),
    ("compare_cells", {}),
    ("from_ngrams", {}),
]


def test_no_help_text_is_left_out() -> None:
    shown: set[str] = set()
    for page, query in PAGES:
        app = open_folds(App(query, page)).test
        shown |= {getattr(node.proto, "help", "") for node in app._tree if hasattr(node, "proto")}
    assert [key for key in TEXTS if key.startswith("help.") and say(key) not in shown] == []
