"""The fixtures themselves, on a tiny app: each check can fail, and Streamlit's own faults are those written down."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import (
    EMPTY_PAGE_FAULTS,
    STREAMLIT_FAULTS,
    AppServer,
    PageLog,
    PageMaker,
    assert_accessible,
    axe_violations,
    visit,
)

TINY = """
import pandas as pd
import streamlit as st

def faults():
    st.title("Faults")
    st.dataframe(pd.DataFrame({"a": [1, 2]}))
    st.file_uploader("Weights")

match st.query_params.get("show"):
    case None:
        st.title(st.context.theme.type)
    case "faults":
        other = st.Page(lambda: st.title("Other"), title="Other", url_path="other")
        st.navigation({"Forward": [st.Page(faults)], "Backward": [other]}).run()
    case "error":
        raise ValueError("private")
    case "slider":
        value = st.slider("Slide", 0, 9, 1)
        st.title(f"value {value}")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, make_server: Callable[[Path], AppServer]) -> AppServer:
    """A server of the tiny app."""
    script = tmp_path_factory.mktemp("tiny") / "tiny.py"
    script.write_text(TINY, encoding="utf-8")
    return make_server(script)


@pytest.mark.parametrize(("color_scheme", "background"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(16, 21, 29)")])
@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 720}, {"width": 360, "height": 640}])
def test_an_empty_page(
    server: AppServer, page: Page, page_log: PageLog, color_scheme: str, background: str, viewport: dict[str, int]
) -> None:
    """It follows the reader's colours and the window, asks nobody else, and breaks the rules written down."""
    visit(page, server.url())
    expect(page.get_by_role("heading")).to_have_text(color_scheme)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", background)
    assert page.evaluate("innerWidth") == viewport["width"]
    assert {violation.rule for violation in axe_violations(page)} == EMPTY_PAGE_FAULTS
    assert any("/_stcore/stream" in url for url in page_log.requests)
    assert page_log.faults() == []


def test_streamlits_own_faults(server: AppServer, page: Page) -> None:
    """Those that are written down are all found, so that none stays on the list once Streamlit has mended it."""
    visit(page, server.url(show="faults"))
    # The grid is a canvas; its table for screen readers follows when it has been drawn.
    expect(page.get_by_test_id("stDataFrame").locator("th").first).to_be_attached()
    found = {(violation.rule, test_id) for violation in axe_violations(page) for test_id in violation.inside}
    assert found >= STREAMLIT_FAULTS
    assert_accessible(page)


def test_axe_sees_faults(page: Page) -> None:
    """Also inside a shadow root, where components live."""
    page.set_content("<html lang=en><title>t</title><main data-testid=outer><h1>t</h1><div id=host></div></main>")
    page.evaluate("host.attachShadow({mode: 'open'}).innerHTML = '<button data-testid=inner></button>'")
    (violation,) = axe_violations(page)
    assert violation.rule == "button-name"
    assert violation.inside == {"inner", "outer"}
    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(page)


@pytest.mark.allow_console_errors("^boom", "late", "ERR_")
def test_faults_are_seen(server: AppServer, page: Page, page_log: PageLog) -> None:
    """An error in the console, an uncaught one and a request elsewhere; a marker admits the errors that it names."""
    page.goto(server.url("_stcore/health"))
    page.evaluate("console.error('boom'); setTimeout(() => { throw new Error('late') })")
    page.evaluate("fetch('http://elsewhere.invalid/x').catch(() => 0)")
    seen = "\n".join(page_log.faults())
    assert "console error: boom" in seen
    assert "console error: late" in seen
    assert page_log.faults(("^boom", "late", "ERR_")) == ["request to another machine: http://elsewhere.invalid/x"]
    page_log.requests.clear()


def test_an_exception_is_seen(server: AppServer, page: Page, new_page: PageMaker) -> None:
    """The reader gets its kind, the log all of it."""
    visit(page, server.url(show="error"))
    (fault,) = new_page.log(page).faults()
    assert "ValueError" in fault
    assert "private" not in fault
    assert "ValueError: private" in server.log
    page.close()


@pytest.mark.allow_console_errors("ERR_CONNECTION_REFUSED", "not responding", "No response received")
def test_a_page_finds_a_restarted_server(server: AppServer, page: Page) -> None:
    """Killed and started again on its port, the server gets the widget's value back from the page."""
    visit(page, server.url(show="slider"))
    page.get_by_role("slider").press("ArrowRight")
    expect(page.get_by_role("heading")).to_have_text("value 2")
    server.kill()
    expect(page.get_by_test_id("stConnectionStatus")).to_be_visible()
    server.start()
    expect(page.get_by_test_id("stConnectionStatus")).to_be_hidden()
    expect(page.get_by_role("heading")).to_have_text("value 2")


def test_a_page_is_used_again_with_nothing_of_the_last_test(server: AppServer, browser: Browser) -> None:
    idle: dict[str, list[Page]] = {}
    first = PageMaker(browser, {}, idle)
    page = first()
    visit(page, server.url())
    page.evaluate("localStorage.setItem('mine', '1'); sessionStorage.setItem('mine', '1'); document.cookie = 'mine=1'")
    first.close()
    assert [*idle.values()] == [[page]]
    assert page.url == "about:blank"
    again = PageMaker(browser, {}, idle)()
    visit(again, server.url())
    assert again is page
    assert first.log(page).requests.count(server.url()) == 1
    found = again.evaluate("[localStorage.getItem('mine'), sessionStorage.getItem('mine'), document.cookie]")
    assert "mine=1" not in found[2]
    assert found[:2] == [None, None]
    page.context.close()


def test_what_cannot_be_taken_back_is_left_on_a_page_of_its_own() -> None:
    """Each test that calls one of these is marked."""
    lasting = {"add_init_script", "new_cdp_session", "emulate_media", "route", "on", "expose_function"}
    for file in Path(__file__).parent.glob("test_*.py"):
        for test in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(test, ast.FunctionDef):
                called = {one.attr for one in ast.walk(test) if isinstance(one, ast.Attribute)}
                assert not called & lasting or "own_page" in called, f"{file.name}: {test.name}"


def test_pages_of_one_test_share_nothing(browser: Browser) -> None:
    maker = PageMaker(browser, {}, {})
    assert maker().context is not maker().context
    maker.close()
