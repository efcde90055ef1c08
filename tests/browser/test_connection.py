"""What a page shows while its server computes."""

from __future__ import annotations

from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import AppServer
from tests.browser.test_hooks import open_explorer

BEGINNING = ("new_session", "session_status_changed")
"""What tells of a run's begin, before its results."""


class Line:
    """A page's line from its server, on which results can be kept back."""

    def __init__(self, page: Page) -> None:
        self._keeps = False
        self._kept: list[str | bytes] = []
        page.route_web_socket("**/_stcore/stream", self._join)

    def keep_back(self) -> None:
        """From now on a run only begins."""
        self._keeps = True

    def release(self) -> None:
        """Let through what was kept, and all that follows."""
        self._keeps = False
        for message in self._kept:
            self._socket.send(message)

    def _join(self, socket: WebSocketRoute) -> None:
        self._socket = socket
        socket.connect_to_server().on_message(self._carry)

    def _carry(self, message: str | bytes) -> None:
        assert isinstance(message, bytes)
        if self._keeps and (self._kept or ForwardMsg.FromString(message).WhichOneof("type") not in BEGINNING):
            self._kept.append(message)
        else:
            self._socket.send(message)


def test_what_is_out_of_date_fades_only_where_one_waits(server: AppServer, page: Page) -> None:
    """A fade that begins at every change has the browser paint all pictures twice, though nobody sees it."""
    line = Line(page)
    explorer = open_explorer(page, server)
    page.evaluate(
        """() => {
            globalThis.fades = { early: 0, late: 0 };
            const count = ({ target }) => {
                if (!target.matches(".stElementContainer")) return;
                fades[target.closest(".stApp").hasAttribute("data-waits") ? "late" : "early"] += 1;
            };
            document.addEventListener("transitionrun", count, true);
        }"""
    )
    picture = page.locator(".stElementContainer").filter(has=explorer.root)
    size = page.get_by_role("slider", name="Hidden size H")

    size.press("ArrowRight")
    expect(explorer.root.locator('[data-var="h"][data-index="3"]:not([data-step])')).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    line.keep_back()
    size.press("ArrowRight")
    expect(picture).not_to_have_css("opacity", "1")
    assert page.evaluate("fades.late") > 0
    line.release()
    expect(explorer.root.locator('[data-var="h"][data-index="4"]:not([data-step])')).to_be_visible()
    expect(picture).to_have_css("opacity", "1")
    assert page.evaluate("fades.early") == 0
