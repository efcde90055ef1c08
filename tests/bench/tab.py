"""A browser's tab with no one listening in.

Playwright has the browser copy every message between a page and its server to it, within the page's own thread: 20 ms
and more for 700 kB, which no reader waits for. What is timed by such messages is driven from here.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.__main__ import chromium_on_path
from tests.browser.conftest import FLAGS

PATIENCE = 20.0
"""Seconds to wait for anything."""

KEYS = {"Enter": (13, "\r"), "ArrowRight": (39, ""), "ArrowDown": (40, "")}
"""The code of each key that is pressed here, and the text that it types."""


class Tab:
    """One tab, driven by the protocol of Chromium's own developer tools.

    Parameters
    ----------
    socket : ClientConnection
        To the browser.
    script : str
        What every page runs before anything else.
    """

    def __init__(self, socket: ClientConnection, script: str) -> None:
        self._socket, self._asked = socket, 0
        self._session: dict[str, str] = {}
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        self._ask("Page.enable")
        self._ask("Page.bringToFront")
        self._ask("Page.addScriptToEvaluateOnNewDocument", source=script)
        self._ask("Emulation.setDeviceMetricsOverride", width=1280, height=720, deviceScaleFactor=1, mobile=False)

    def visit(self, url: str, until: str) -> None:
        """Go to an address and wait until a condition holds and no script runs."""
        self._ask("Page.navigate", url=url)
        self.wait(f"document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning' && {until}")

    def wait(self, condition: str) -> None:
        """Wait until a condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{condition} did not come true within {PATIENCE:.0f} s")
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression, as JSON holds it; a promise is waited for."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def focus(self, selector: str) -> None:
        """Put the focus on an element."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")

    def click(self, selector: str) -> None:
        """Click on the middle of an element when it stands still."""
        self.focus(selector)  # it comes into view
        where = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()"
        box, before = self.evaluate(where), None
        deadline = time.monotonic() + PATIENCE
        while box != before and time.monotonic() < deadline:
            time.sleep(0.1)
            box, before = self.evaluate(where), box
        middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **middle)

    def press(self, key: str) -> None:
        """Press a key of `KEYS` and let it go."""
        code, text = KEYS[key]
        names = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self._ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **names)
        self._ask("Input.dispatchKeyEvent", type="keyUp", **names)

    def _ask(self, method: str, **params: object) -> dict[str, Any]:
        self._asked += 1
        self._socket.send(json.dumps({"id": self._asked, "method": method, "params": params, **self._session}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") != self._asked:
                continue  # news
            if "error" in message:
                raise RuntimeError(str(message["error"]))
            answer: dict[str, Any] = message["result"]
            return answer


@contextmanager
def opened_tab(script: str) -> Iterator[Tab]:
    """A tab in a browser of its own."""
    path = os.environ.get("RNNVIZ_CHROMIUM") or chromium_on_path()
    if path is None:
        raise FileNotFoundError("needs Chromium; RNNVIZ_CHROMIUM tells where it is")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [*FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        browser = subprocess.Popen([path, *flags], stderr=subprocess.DEVNULL)
        try:
            with connect(_address(browser, Path(profile) / "DevToolsActivePort"), max_size=None) as socket:
                yield Tab(socket, script)
        finally:
            browser.terminate()
            browser.wait(PATIENCE)


def _address(browser: subprocess.Popen[bytes], file: Path) -> str:
    """Where the browser listens, which it writes into a file when it does."""
    deadline = time.monotonic() + PATIENCE
    while not file.exists() or len(lines := file.read_text().split()) < 2:
        if browser.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"Chromium did not begin to listen; it ended with {browser.poll()}")
        time.sleep(0.05)
    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
