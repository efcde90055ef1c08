"""How a component of the page meets its scripts, which come by themselves."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, AppServer
from tests.browser.test_hooks import open_explorer

MOUNT = (ROOT / "rnnviz/ui/components/shared/mount.js").read_text(encoding="utf-8")
SCRIPTS = (ROOT / "rnnviz/ui/components/shared/scripts.js").read_text(encoding="utf-8")
VIEW = """
    class View {
        constructor(host, data, setStateValue) { note("made", host.textContent, data, setStateValue); }
        receive(data, setStateValue) { note("received", data, setStateValue); }
        close() { note("closed"); }
    }
    const HTML = "<b>here</b>", VIEW = View;
"""
DRIVE = """async ([mount, scripts]) => {
    const seen = [];
    globalThis.note = (...what) => seen.push(what.join(" "));
    const load = (text) => import(`data:text/javascript,const NAME = "test";${encodeURIComponent(text)}`);
    const show = (await load(mount)).default;
    const parentElement = document.createElement("div"), lost = document.createElement("div");
    document.body.append(parentElement, lost);
    const tell = (data, host = parentElement) => show({ data, parentElement: host, setStateValue: "set" });
    const waiting = [tell("one"), tell("two"), tell("other", lost)];
    lost.remove();
    note("before the scripts");
    await load(scripts);
    const [end] = await Promise.all(waiting);
    end(); // Streamlit ends a message that a newer one has overtaken
    note("overtaken");
    const last = await tell("three");
    parentElement.remove();
    last();
    return seen;
}"""


def test_messages_wait_for_the_scripts_and_one_view_shows_them_all(page: Page) -> None:
    """A view that is still shown is not closed when a newer message comes, one that has gone is never made."""
    assert page.evaluate(DRIVE, [MOUNT, VIEW + SCRIPTS]) == [
        "before the scripts", "made here one set", "received two set", "overtaken", "received three set",
        "closed",
    ]  # fmt: skip


def test_a_view_that_is_left_is_closed(server: AppServer, page: Page) -> None:
    """Else it would go on listening to the keys of another page."""
    explorer = open_explorer(page, server)
    explorer.root.evaluate(
        """root => {
            const { shown } = root.getRootNode();
            const close = shown.close;
            globalThis.timesClosed = 0;
            shown.close = function () { globalThis.timesClosed += 1; close.call(this); };
        }"""
    )
    explorer.button("Next").click()
    explorer.expect_step(2)
    assert page.evaluate("timesClosed") == 0
    page.get_by_role("link", name="Gradient flow").first.click()
    expect(page.get_by_role("heading", name="Gradient flow")).to_be_visible()
    page.wait_for_function("timesClosed === 1")
