"""What a person may do to a network or an address, and the page lives on and says so."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from rnnviz import StateOverflowError, run
from tests.browser.conftest import AppServer
from tests.browser.test_hooks import expect_query, open_explorer


def test_an_edit_that_makes_the_state_overflow_is_named(server: AppServer, page: Page) -> None:
    """The walk ends before it, the rest stays alive, and undo brings all back."""
    explorer = open_explorer(page, server, activation="identity")
    alert = explorer.root.locator(".alert")
    expect(alert).to_be_hidden()
    before = explorer.read()
    explorer.type_into("1e100", "W_hh", 0, 0)
    expect(alert).to_be_visible()
    expect(alert).to_contain_text("step 4")
    explorer.expect_value(1e100, "W_hh", 0, 0)
    screen = explorer.read()
    assert screen.steps == 3
    with pytest.raises(StateOverflowError) as error:
        run(screen.cell("identity"), before.array("x", over_time=True), before.array("h0", over_time=True)[0])
    assert error.value.step == 4
    assert screen.differences(trace=error.value.trace) == []
    explorer.button("Last").click()
    explorer.expect_step(3)
    explorer.button("Undo").click()
    expect(alert).to_be_hidden()
    expect(explorer.root).to_have_attribute("data-steps", str(before.steps))
    explorer.button("First").click()
    explorer.expect_step(1)
    assert explorer.read() == before


def test_an_edit_that_no_first_step_survives_is_refused(server: AppServer, page: Page) -> None:
    """The reason stands on the page, the numbers stay."""
    explorer = open_explorer(page, server, activation="identity")
    before = explorer.read()
    explorer.type_into("1e308", "W_hh", 0, 0)
    explorer.expect_value(1e308, "W_hh", 0, 0)
    explorer.type_into("1e3", "h_prev", 0)
    alert = explorer.root.locator(".alert")
    expect(alert).to_contain_text("Nothing was changed")
    assert explorer.cell("h_prev", 0).get_attribute("data-value") == "0.1"
    assert explorer.cell("h_prev", 0).text_content() == "0.1"
    expect_query(page, {"activation": "identity", "W_hh.1.1": "1e+308"})
    explorer.button("Reset").click()
    explorer.expect_value(0.7, "W_hh", 0, 0)
    expect(alert).to_be_hidden()
    assert explorer.read() == before


@pytest.mark.parametrize("path", ["hidden_state", ""], ids=["hidden_state", "home"])
def test_what_an_address_says_wrongly_is_named(server: AppServer, page: Page, path: str) -> None:
    """Each entry by its name, and the page opens with its defaults; what is readable holds."""
    wrong = {
        "preset": "nope", "activation": "cosine", "hidden_size": "99", "seed": "1.5", "t": "0", "colour": "red",
        "W_hh.1.1": "<b>abc</b>", "W_hh.9.9": "1", "b_ih.0": "1", "h0": "nan",
    }  # fmt: skip
    explorer = open_explorer(page, server, path, **wrong, **{"b_hh.2": "0.5"})
    warnings = page.get_by_test_id("stAlert")
    expect(warnings).to_have_count(len(wrong))
    for name, given in wrong.items():
        warning = warnings.filter(has_text=f"{name} = {given}")
        expect(warning).to_have_count(1)
    explorer.expect_step(1)
    explorer.expect_value(0.7, "W_hh", 0, 0)
    explorer.expect_value(0.5, "b_hh", 1)
    assert explorer.read().differences() == []
    expect_query(page, {"b_hh.2": "0.5"})
    explorer.type_into("2", "W_hh", 0, 0)
    explorer.expect_value(2.0, "W_hh", 0, 0)
    expect(warnings).to_have_count(0)


def test_an_address_that_cannot_run_opens_with_the_default(server: AppServer, page: Page) -> None:
    """A network that leaves float64 at its first step."""
    explorer = open_explorer(page, server, **{"activation": "identity", "W_ih.1.1": "1e308", "x.1.1": "1e308"})
    expect(page.get_by_test_id("stAlert").first).to_be_visible()
    explorer.expect_value(0.1, "W_ih", 0, 0)
    assert explorer.read().steps == 8


@pytest.mark.allow_console_errors("does not seem to exist")
def test_a_page_that_is_nearly_named_is_offered(server: AppServer, page: Page) -> None:
    """Beside Streamlit's own dialog, which only says that there is none; an unknown one has that alone."""
    dialog, link = page.get_by_role("dialog"), page.get_by_role("link", name="Open LSTM gates")
    for path, offered in (("nonsense", 1), ("lstm", 2)):  # the link of its card, and the one of the offer
        page.goto(server.url(path))
        expect(dialog).to_contain_text("Page not found")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        expect(link).to_have_count(offered)
    expect(page.get_by_test_id("stAlert")).to_contain_text("There is no page “lstm”. Did you mean “LSTM gates”?")
    link.first.click()
    page.wait_for_url(server.url("lstm_gates"))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Home").click()
    expect(page.get_by_text("New here?")).to_be_visible()
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
