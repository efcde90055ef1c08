"""A real browser against a real server: fixtures `server`, `make_server`, `page`, `new_page`, and helpers.

Every page is watched: a test fails when the browser's console shows an error, when Streamlit shows an exception, or
when anything is asked of another machine.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError

from tests.__main__ import CHROMIUM_NAMES, chromium_on_path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 20_000
"""Milliseconds that a page may take for anything on a busy machine."""

expect.set_options(timeout=PATIENCE)


# --- the server -----------------------------------------------------------------------------------------------------


class AppServer:
    """A Streamlit server of its own on a free port of this machine, as ``streamlit run`` starts it.

    The port stays the same for life, so that a page finds a restarted server again.
    """

    def __init__(self, script: Path, log_file: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._script = script
        self._log_file = log_file
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, path: str = "", **query: object) -> str:
        """The address of a page, with a query string."""
        return f"http://127.0.0.1:{self.port}/{path.lstrip('/')}" + (f"?{urlencode(query)}" if query else "")

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """All that the server has written, over all of its lives."""
        return self._log_file.read_text(encoding="utf-8", errors="replace") if self._log_file.exists() else ""

    def start(self) -> None:
        """Start, and wait until the server answers."""
        options = {"headless": "true", "address": "127.0.0.1", "port": self.port, "fileWatcherType": "none"}
        flags = [f"--server.{name}={value}" for name, value in options.items()]
        with self._log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", self._script, *flags],
                cwd=ROOT,  # where .streamlit/config.toml is
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + 60
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"the server did not start:\n{self.log}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it politely; fail if it has ended by itself."""
        if self._process is not None and self._process.poll() is not None:
            pytest.fail(f"the server ended by itself with {self._process.returncode}:\n{self.log[-4000:]}")
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """A new process on the same port, which knows nothing of the old one's sessions."""
        self.stop()
        self.start()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url("_stcore/health"), timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        os.killpg(process.pid, how)
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app, one server for all tests; leave it running."""
    app = AppServer(ROOT / "app.py", tmp_path_factory.mktemp("server") / "log.txt")
    app.start()
    yield app
    app.stop()


@pytest.fixture(scope="module")
def make_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., AppServer]]:
    """``make_server()`` starts the app afresh, ``make_server(script)`` another one, to be killed and restarted at will.

    What a test does not stop is stopped at the end of its file.
    """
    made: list[AppServer] = []

    def make(script: Path = ROOT / "app.py") -> AppServer:
        made.append(AppServer(script, tmp_path_factory.mktemp("server") / "log.txt"))
        made[-1].start()
        return made[-1]

    yield make
    for one in made:
        one.stop()


# --- the browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="package")
def chromium_path() -> str:
    """A Chromium. Without one the browser tests skip, but not in CI."""
    found = os.environ.get("RNNVIZ_CHROMIUM") or chromium_on_path()
    if not found:
        reason = f"no Chromium: none of {', '.join(CHROMIUM_NAMES)} on PATH; `python3 -m tests browser` installs one"
        if os.environ.get("CI", "").lower() not in ("", "0", "false"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="package")
def browser(chromium_path: str) -> Iterator[Browser]:
    """One browser for all tests of this folder; it ends with the folder, since its event loop would trouble others."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="package")
def idle_pages(browser: Browser) -> dict[str, list[Page]]:
    """Emptied pages of earlier tests, by what they were made with."""
    del browser  # they end with it
    return {}


STREAMLIT_ERRORS = (r"404 \(Not Found\) \[\S+/\w+/_stcore/(health|host-config)\]",)
"""Opened below the root, Streamlit looks for its server beside the page first, and then at the root."""


@dataclass
class PageLog:
    """What one page did, written down from its first moment."""

    page: Page
    console_errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listeners: dict[Any, Callable[[Any], None]] = {
            "console": self._note_message,
            "pageerror": lambda error: self.console_errors.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
            "websocket": lambda socket: self.requests.append(socket.url),
        }
        for event, listener in self._listeners.items():
            self.page.on(event, listener)

    def end(self) -> None:
        """Write no more down."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.console_errors.append(f"{message.text} [{message.location['url']}]")

    @property
    def foreign_requests(self) -> list[str]:
        """Requests to any other machine."""
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname not in ("127.0.0.1", "localhost")
        ]

    def faults(self, allowed: tuple[str, ...] = ()) -> list[str]:
        """A line for each thing that must not happen; `allowed` are regular expressions for console errors."""
        harmless = re.compile("|".join((*STREAMLIT_ERRORS, *allowed)))
        console = [text for text in self.console_errors if not harmless.search(text)]
        boxes = [] if self.page.is_closed() else self.page.get_by_test_id("stException").all_inner_texts()
        return [
            *(f"console error: {text}" for text in console),
            *(f"request to another machine: {url}" for url in self.foreign_requests),
            *(f"exception on the page: {text}" for text in boxes),
        ]


MOST_VISITED = 25
"""A page goes to no other test after so many entries: a browser keeps 50, and a test that counts them needs room."""


class PageMaker:
    """Opens pages that share nothing with others, neither cookies nor storage.

    Each has a context of its own and is emptied for a later test: in a new one the browser would have to read and
    compile Streamlit's scripts again, which is half of what it takes to open a page. A test that leaves on its page
    what cannot be taken back, as scripts that run before each document, is marked ``own_page``.
    """

    def __init__(
        self, browser: Browser, defaults: dict[str, Any], idle: dict[str, list[Page]], *, own: bool = False
    ) -> None:
        self._browser = browser
        self._defaults = defaults
        self._idle = idle
        self._own = own
        self._used: list[tuple[str, Page, dict[str, Any]]] = []
        self.logs: list[PageLog] = []

    def __call__(self, **options: Any) -> Page:
        """A blank page; `options` are those of Playwright's ``new_context``."""
        wanted = self._defaults | options
        kind = repr(sorted(wanted.items()))
        idle = self._idle.setdefault(kind, [])
        page = idle.pop() if idle and not self._own else self._browser.new_context(**wanted).new_page()
        page.set_default_timeout(PATIENCE)
        self.logs.append(PageLog(page))
        self._used.append((kind, page, wanted))
        return page

    def close(self) -> None:
        """Empty its pages; one that is gone, or shows nothing that has a storage, takes its context with it."""
        for log in self.logs:
            log.end()
        for kind, page, wanted in self._used:
            try:
                visited = page.evaluate("localStorage.clear(); sessionStorage.clear(); history.length")
                page.goto("about:blank")
                for other in page.context.pages:
                    if other != page:
                        other.close()
                page.context.clear_cookies()
                page.mouse.move(0, 0)
                if "viewport" in wanted:
                    page.set_viewport_size(wanted["viewport"])
            except PlaywrightError:
                page.context.close()
            else:
                if self._own or visited > MOST_VISITED:
                    page.context.close()
                else:
                    self._idle[kind].append(page)

    def log(self, page: Page) -> PageLog:
        """What a page of this maker did."""
        return next(log for log in self.logs if log.page is page)


@pytest.fixture
def color_scheme() -> str:
    """What the reader's system prefers, which the theme follows; parametrize a test with "light" and "dark"."""
    return "light"


@pytest.fixture
def viewport() -> ViewportSize:
    """The size of the window in CSS pixels; parametrize a test to change it."""
    return {"width": 1280, "height": 720}


@pytest.fixture
def new_page(
    browser: Browser,
    idle_pages: dict[str, list[Page]],
    color_scheme: str,
    viewport: ViewportSize,
    request: pytest.FixtureRequest,
) -> Iterator[PageMaker]:
    """For tests that need several pages, or a page unlike others: ``new_page(reduced_motion="reduce")``."""
    own = request.node.get_closest_marker("own_page") is not None
    maker = PageMaker(browser, {"color_scheme": color_scheme, "viewport": viewport}, idle_pages, own=own)
    yield maker
    allowed = tuple(pattern for mark in request.node.iter_markers("allow_console_errors") for pattern in mark.args)
    faults = [fault for log in maker.logs for fault in log.faults(allowed)]
    maker.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def page(new_page: PageMaker) -> Page:
    """A blank, watched page."""
    return new_page()


@pytest.fixture
def page_log(new_page: PageMaker, page: Page) -> PageLog:
    """What `page` did so far."""
    return new_page.log(page)


def visit(page: Page, url: str) -> None:
    """Go to an address and wait until the script has run to its end."""
    page.goto(url)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the page is connected, no script runs and what it sent is drawn.

    For the first run of a page. After a click, wait for what the click should change instead: the run that it starts
    may not have begun yet.
    """
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(app).to_have_attribute("data-test-script-state", re.compile("notRunning|compilationError"))
    expect(app.get_by_test_id("stSkeleton")).to_have_count(0)


def unfold(summary: Locator) -> None:
    """Open a fold by its summary; where what is still on its way moves it from under the pointer, click again."""
    details = summary.locator("..")
    for _ in range(3):
        summary.click()
        with suppress(AssertionError):
            expect(details).to_have_attribute("open", "", timeout=2500)
            return
    pytest.fail(f"the fold {summary.inner_text()!r} does not open")


# --- accessibility --------------------------------------------------------------------------------------------------

EMPTY_PAGE_FAULTS: frozenset[str] = frozenset()
"""The rules that an empty Streamlit 1.67 page breaks, light and dark: none."""

STREAMLIT_FAULTS = frozenset(
    {
        # A menu with section headings: its <ul> holds <div>s, which hold the <li>s.
        ("list", "stSidebarNav"),
        ("listitem", "stSidebarNav"),
        # The corner cell of st.dataframe and st.data_editor.
        ("empty-table-header", "stDataFrame"),
        ("presentation-role-conflict", "stFileUploader"),
    }
)
"""Faults inside Streamlit's own elements: the rule, and the test id of the element that alone may break it."""


@dataclass(frozen=True)
class Violation:
    """One element that breaks one rule of axe-core."""

    rule: str
    impact: str
    help: str
    target: str
    html: str
    inside: frozenset[str]
    """The test ids of the element and of all around it, across shadow roots."""

    @property
    def is_streamlits_own(self) -> bool:
        """Whether it stands in `STREAMLIT_FAULTS`."""
        return any((self.rule, test_id) in STREAMLIT_FAULTS for test_id in self.inside)


_TEST_IDS_AROUND = """target => {
    let root = document, element = null;
    for (const selector of [target].flat()) { element = root.querySelector(selector); root = element?.shadowRoot; }
    const found = [];
    for (; element; element = element.parentElement ?? element.getRootNode().host)
        if (element.dataset.testid) found.push(element.dataset.testid);
    return found;
}"""


def axe_violations(page: Page) -> list[Violation]:
    """Everything that axe-core finds on a page, components with shadow roots included; nothing is left out."""
    results = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]  # no selectors of passes
    return [
        Violation(
            rule=result["id"],
            impact=result["impact"],
            help=result["help"],
            target=str(node["target"]),
            html=node["html"],
            inside=frozenset(page.evaluate(_TEST_IDS_AROUND, node["target"][0])),
        )
        for result in results
        for node in result["nodes"]
    ]


def assert_accessible(page: Page) -> None:
    """Fail when axe-core finds anything beyond Streamlit's own, named faults."""
    ours = [violation for violation in axe_violations(page) if not violation.is_streamlits_own]
    lines = [f"{v.rule} ({v.impact}): {v.help}\n    {v.target}\n    {v.html}" for v in ours]
    assert not ours, "\n".join(lines)
