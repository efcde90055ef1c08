"""A table as the browser hands it out: what shows has four digits, what is downloaded all of them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings
from rnnviz.texts import say
from tests.browser.conftest import AppServer, unfold, visit


@pytest.mark.own_page
def test_a_table_is_downloaded_in_full_precision(page: Page, server: AppServer) -> None:
    page.add_init_script("delete window.showSaveFilePicker")  # which asks where to
    visit(page, server.url("hidden_state"))
    unfold(page.locator("summary", has_text=say("phase.title")))
    unfold(page.locator("summary", has_text=say("phase.path")))
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    table.hover()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    with Path(download.value.path()).open(encoding="utf-8-sig") as file:
        _, *rows = csv.reader(file)
    found = np.array(rows, dtype=np.float64)
    h = run_network(build(network_of(Settings("worked_example")))).trace.h
    assert found[:, -h.shape[1] :].tolist() == h.tolist()
