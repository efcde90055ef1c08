"""The app driven without a browser: controls by name, the explorer's payload read, its events sent.

`AppTest` keeps the address when the page changes, where a browser's menu drops it, and it knows no components of the
second version: their payload is read from the message itself, and an event is put among the widgets' values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.views.unpacked import Unpacked, unpack

APP = Path(__file__).parents[2] / "app.py"
PAGE = "hidden_state"
FOLDS = ("more", "how", "weights", "gates", "ledger", "saturation", "forms", "uses", "step by step")
"""Folds with controls in them."""


class App:
    """A session of the app."""

    def __init__(self, query: Mapping[str, str] | None = None, page: str = PAGE, *, language: str = "") -> None:
        self.test = AppTest.from_file(APP, default_timeout=30)
        if language:
            self.test.session_state["language"] = language
        self.page = page
        if page == "home":
            self.load(query or {})
        else:
            self.test.run()
            self.go(page, query)

    def go(self, page: str, query: Mapping[str, str] | None = None) -> App:
        """Through the menu, which drops the address, or to an address of that page."""
        self.page = page
        self.test.switch_page(f"pages/{page}.py")
        self.test.session_state["gradient_flow step by step"] = True  # what the tests read stands in this fold
        return self.load(query or {})

    def load(self, query: Mapping[str, str]) -> App:
        """Run with an address that the browser shows by now: Back, a link, a typed address."""
        self.test.query_params = dict(query)
        return self.run()

    def run(self) -> App:
        self.test.run()
        assert [error.message for error in self.test.exception] == []
        return self

    def control(self, name: str) -> Any:
        """The control of a setting, by its name in the table; the fold that it may stand in is opened."""
        for fold in FOLDS:
            if not self._controls(name):
                self.test.session_state[f"{self.page} {fold}"] = True
                self.run()
        (found,) = self._controls(name)
        return found

    def _controls(self, name: str) -> list[Any]:
        nodes = (*self.test.main, *self.test.sidebar)
        return [node for node in nodes if getattr(node, "key", None) == f"{self.page} {name}"]

    def set(self, name: str, value: object, *, shown: Mapping[str, str] | None = None) -> App:
        """Move a control, as from a browser that still shows an older address if one is given."""
        self.control(name).set_value(value)
        return self.load(self.address if shown is None else shown)

    @property
    def address(self) -> dict[str, str]:
        """What stands in the address bar after the run."""
        return {name: str(text) for name, text in self.test.query_params.items()}

    @property
    def seen(self) -> Unpacked:
        """What the explorer got."""
        return unpack(self._explorer.bytes)

    @property
    def words(self) -> list[str]:
        """Everything that is said beside the explorer, warnings and errors, as it reads without Markdown's escapes."""
        return [re.sub(r"\\([\W_])", r"\1", said.value) for said in (*self.test.warning, *self.test.error)]

    def send(self, *edits: Mapping[str, object], **event: object) -> App:
        """Send edits as the explorer does, each ``{"seq": 1, "set": [...]}``; with words, another event than that."""
        header = self.seen.header
        sync = {"session": header["session"], "epoch": header["epoch"]}
        message = {"edits": sync | {"list": list(edits)} | event} if "t" not in event else {"t": sync | event}
        return self._tell("rnnviz_explorer", message)

    @property
    def pad(self) -> dict[str, Any]:
        """What the pad got, on which sequences are drawn."""
        found: dict[str, Any] = json.loads(self._component("rnnviz_pad").json)[0]
        return found

    def draw(self, *strokes: Mapping[str, object], **event: object) -> App:
        """Send strokes as the pad does, each ``{"seq": 1, "set": [...]}``; with words, another event than that."""
        sync = {name: self.pad[name] for name in ("session", "epoch")}
        return self._tell("rnnviz_pad", {"edits": sync | {"list": list(strokes)} | event})

    def chart(self, name: str = "chart") -> Unpacked:
        """What one of the charts of the Gradient flow page got: the main one, or that of a fold by its key."""
        return unpack(self._component("rnnviz_flow", name).bytes)

    def figure(self, name: str) -> dict[str, Any]:
        """A Plotly figure by its key: its data and its layout."""
        (found,) = [node for node in self.test.get("plotly_chart") if node.key == f"{self.page} {name}"]
        read: dict[str, Any] = json.loads(found.proto.spec)
        return read

    def open_pair(self, **pair: object) -> App:
        """Open a pair of steps as the map does when it is clicked."""
        return self._tell("rnnviz_flow", {"cell": pair}, "chart")

    def unfold(self, name: str) -> App:
        """Open a fold by its key."""
        self.test.session_state[f"{self.page} {name}"] = True
        return self.run()

    def upload(self, content: bytes) -> App:
        """Open a file of settings."""
        (place,) = self.unfold("file").test.get("file_uploader")
        place.upload("rnnviz.json", content, "application/json")
        return self.load(self.address)

    def press(self, name: str) -> App:
        """Press a button by its key."""
        self.control(name).click()
        return self.load(self.address)

    def link(self, page: str) -> dict[str, str]:
        """The address that a link to a page carries."""
        (query,) = [link.proto.query_string for link in self.test.get("page_link") if link.proto.page == page]
        return dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))

    @property
    def text(self) -> str:
        """Everything that is said on the page, without marks of HTML, of Markdown, and against a broken line."""
        shown = (*self.test.get("html"), *self.test.markdown, *self.test.main.caption)
        marks = r"<style>.*?</style>|<[^>]*>|\*\*|\u2060"
        return unescape(re.sub(marks, "", "\n".join(said.value for said in shown), flags=re.S))

    @property
    def _explorer(self) -> Any:
        return self._component("rnnviz_explorer")

    def _component(self, name: str, key: str = "") -> Any:
        """The message to a component; where a page has several of them, to the one of a key."""
        found = [node.proto for node in self.test.get("bidi_component") if node.proto.component_name == name]
        (message,) = [one for one in found if not key or one.id.endswith(f"-{self.page} {key}")]
        return message

    def _tell(self, component: str, message: object, key: str = "") -> App:
        states = self.test._tree.get_widget_states()
        states.widgets.append(WidgetState(id=self._component(component, key).id, json_value=json.dumps(message)))
        self.test._run(states)
        assert [error.message for error in self.test.exception] == []
        return self
