"""A visitor without a browser: one session of the app over Streamlit's own protocol."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

PATIENCE = 120.0
"""Seconds that a run may take."""


class Session:
    """A tab that is open on a page.

    Attributes
    ----------
    widgets : dict of str to str
        The ids of the page's sliders and buttons by their keys, as ``"hidden_state hidden_size"``.
    fragments : dict of str to float
        The ids of the parts of the page that run by themselves, with the seconds between two runs of each.
    update : int
        The update that a run on the page has reached.
    received : int
        Bytes of all messages.
    """

    def __init__(self, port: int) -> None:
        url = f"ws://localhost:{port}/_stcore/stream"
        self._socket: ClientConnection = connect(url, max_size=None, open_timeout=PATIENCE, subprotocols=None)
        self.widgets: dict[str, str] = {}
        self.received = 0
        self.fragments: dict[str, float] = {}
        self.update = 0
        self._query = self._page = ""
        self._pages: dict[str, str] = {}
        self._errors: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def open(self, page: str, query: str = "") -> float:
        """Go to a page at an address; returns the seconds until it was all there."""
        self._query, self._page = query, page
        return self._run(page_name=page)

    def slide(self, key: str, value: float) -> float:
        """Move a slider; returns the seconds until the page was all there."""
        state = WidgetState(id=self.widgets[key])
        state.double_array_value.data.append(value)
        return self._run([state])

    def press(self, key: str) -> float:
        """Press a button; returns the seconds until the page was all there."""
        state = WidgetState(id=self.widgets[key])
        state.trigger_value = True
        return self._run([state])

    def watch(self, done: Callable[[], bool]) -> None:
        """Let the parts of the page that run by themselves run as often as they want to."""
        last = dict.fromkeys(self.fragments, 0.0)
        while not done():
            last = {fragment: last.get(fragment, 0.0) for fragment in self.fragments}
            next_of = {fragment: at + self.fragments[fragment] for fragment, at in last.items()}
            fragment = min(next_of, key=next_of.__getitem__)
            time.sleep(max(0.0, next_of[fragment] - time.monotonic()))
            last[fragment] = time.monotonic()
            self._run(fragment=fragment)

    def _run(self, changed: list[WidgetState] | None = None, page_name: str | None = None, fragment: str = "") -> float:
        """Ask for a run; the time until the script has finished."""
        ask = BackMsg()
        ask.rerun_script.query_string = self._query
        ask.rerun_script.fragment_id = fragment
        if page_name is not None:
            ask.rerun_script.page_name = page_name
        else:
            ask.rerun_script.page_script_hash = self._pages.get(self._page, "")  # none of an app with one page
        ask.rerun_script.widget_states.widgets.extend(changed or [])
        if not fragment:
            self.fragments.clear()
        start = time.perf_counter()
        self._socket.send(ask.SerializeToString())
        while True:
            data = self._socket.recv(timeout=PATIENCE)
            assert isinstance(data, bytes)
            self.received += len(data)
            message = ForwardMsg.FromString(data)
            self._note(message)
            if message.WhichOneof("type") == "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    self.fragments.clear()
                    continue
                return time.perf_counter() - start

    def _note(self, message: ForwardMsg) -> None:
        """What of a message the visitor needs: pages, sliders, the address; a box with an error is one."""
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self._pages |= {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            self.fragments[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if (widget := element.WhichOneof("type")) in ("slider", "button"):
                one = getattr(element, widget)
                self.widgets[one.id.split("-", 2)[-1]] = one.id
            elif found := re.search(r'data-update="(\d+)"', element.html.body):
                self.update = int(found[1])
            elif widget == "exception":
                raise AssertionError(element.exception.message)
