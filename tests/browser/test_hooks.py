"""What tests and other people's code hold on to: every number of the explorer, and that all are one run of the core."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from rnnviz import ElmanCell, Readout, Trace, run
from tests.browser.conftest import PATIENCE, AppServer, visit

# --- reading the screen ---------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where a number stands: its hooks. `step` is None outside the timeline."""

    var: str
    at: tuple[int, ...]
    step: int | None = None


@dataclass(frozen=True)
class Screen:
    """Everything that the explorer shows at one moment, in full precision."""

    t: int
    steps: int
    numbers: Mapping[Place, float]

    def array(self, var: str, *, over_time: bool = False) -> NDArray[np.float64]:
        """A variable of the scene by its index; over time, of the timeline with one row a step."""
        found = {
            (place.step, *place.at) if over_time else place.at: value
            for place, value in self.numbers.items()
            if place.var == var and (place.step is not None) == over_time
        }
        first = min(found)
        shape = np.array(max(found)) - first + 1
        assert len(found) == shape.prod(), f"{var} has gaps"
        array = np.empty(shape)
        for index, value in found.items():
            array[tuple(np.array(index) - first)] = value
        return array

    def cell(self, activation: str = "tanh") -> ElmanCell:
        """The cell with the weights that stand on the screen."""
        W_ih, W_hh, b_ih, b_hh = (self.array(name) for name in ("W_ih", "W_hh", "b_ih", "b_hh"))
        return ElmanCell(W_ih, W_hh, b_ih, b_hh, activation=activation)

    def trace(self, activation: str = "tanh") -> Trace:
        """The core's own run of that cell over the inputs and from the initial state that stand on the screen."""
        return run(self.cell(activation), self.array("x", over_time=True), self.array("h0", over_time=True)[0])

    def differences(
        self, activation: str = "tanh", output_activation: str = "identity", trace: Trace | None = None
    ) -> list[str]:
        """Every shown number that is not bit for bit that of a trace, by default the core's own run."""
        trace, t = trace or self.trace(activation), self.t
        expected = {
            ("x", False): trace.x[t - 1],
            ("h_prev", False): trace.h[t - 1],
            ("from_x", False): trace.from_x[t - 1],
            ("from_h", False): trace.from_h[t - 1],
            ("a", False): trace.preacts["a"][t - 1],
            ("h", False): trace.h[t],
            ("h", True): trace.h[1:],
        }
        if any(place.var == "y" for place in self.numbers):
            readout = Readout(self.array("W_ho"), self.array("b_o"), activation=output_activation)
            y = readout(trace.h[1:])
            expected |= {("y", False): y[t - 1], ("y", True): y}
        return [
            f"{var}{' over time' if over_time else ''}: {shown.tolist()} is not {wanted.tolist()}"
            for (var, over_time), wanted in expected.items()
            if not np.array_equal(shown := self.array(var, over_time=over_time), wanted)
        ]


_READ = """root => ({
    t: +root.dataset.t, steps: +root.dataset.steps,
    numbers: [...root.querySelectorAll('[data-var]')].map(({dataset: d}) => [d.var, d.index, d.step ?? null, d.value]),
})"""


class Explorer:
    """The cell explorer on a page, by the hooks of the contract."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.get_by_test_id("cell-explorer")

    def cell(self, var: str, *index: int, step: int | None = None) -> Locator:
        """The element of one number."""
        where = ":not([data-step])" if step is None else f'[data-step="{step}"]'
        return self.root.locator(f'[data-var="{var}"][data-index="{",".join(map(str, index))}"]{where}')

    def button(self, name: str) -> Locator:
        """A real button by its accessible name; numbers have the same role."""
        return self.root.locator("button").and_(self.root.get_by_role("button", name=name))

    def read(self) -> Screen:
        """What it shows now."""
        seen = self.root.evaluate(_READ)
        numbers = {
            Place(var, tuple(map(int, index.split(","))), None if step is None else int(step)): float(value)
            for var, index, step, value in seen["numbers"]
        }
        return Screen(seen["t"], seen["steps"], numbers)

    def expect_step(self, t: int) -> None:
        """Wait until it shows step t."""
        expect(self.root).to_have_attribute("data-t", str(t))

    def expect_value(self, value: float, var: str, *index: int, step: int | None = None) -> None:
        """Wait until one number has a value, bit for bit."""
        shown = self.cell(var, *index, step=step)
        eventually(self.page, lambda: float(shown.get_attribute("data-value") or "nan"), value)

    def type_into(self, number: str, var: str, *index: int, leave_by: str = "Enter") -> None:
        """Click a number, type another one and leave the field by a key."""
        self.cell(var, *index).click()
        self.page.keyboard.type(number)
        self.page.keyboard.press(leave_by)


def open_explorer(page: Page, server: AppServer, path: str = "hidden_state", **query: object) -> Explorer:
    """Visit a page of the app and wait for its explorer."""
    visit(page, server.url(path, **query))
    explorer = Explorer(page)
    expect(explorer.cell("h", 0)).to_be_visible()
    return explorer


def query_of(page: Page) -> dict[str, str]:
    """The entries in the address bar."""
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


def eventually(page: Page, read: Callable[[], object], wanted: object) -> None:
    """Wait until `read()` gives what is wanted."""
    deadline = time.monotonic() + PATIENCE / 1000
    while (seen := read()) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(25)
    assert seen == wanted


def expect_query(page: Page, wanted: Mapping[str, str]) -> None:
    """Wait until the address carries these entries and no others."""
    eventually(page, lambda: query_of(page), dict(wanted))


# --- a first visit --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["hidden_state", ""])
def test_the_first_visitor_of_a_server_opens_a_deep_link(
    make_server: Callable[[], AppServer], page: Page, path: str
) -> None:
    """The menu is there, no error box, and the worked example has the textbook's hand-computed numbers."""
    explorer = open_explorer(page, make_server(), path)
    menu = page.get_by_test_id("stSidebarNav")
    for name in ("Home", "Hidden state"):
        expect(menu.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    screen = explorer.read()
    assert (screen.t, screen.steps) == (1, 8)
    by_hand = np.array([0.04, 0.0, 0.22])
    np.testing.assert_allclose(screen.array("a"), by_hand, rtol=0, atol=1e-15)
    np.testing.assert_allclose(screen.array("h"), np.tanh(by_hand), rtol=0, atol=1e-15)
    assert screen.differences() == []


# --- every number ---------------------------------------------------------------------------------------------------


def test_the_hooks_of_the_worked_example(server: AppServer, page: Page) -> None:
    """All variables of an Elman step with their shapes, in the scene and over time."""
    screen = open_explorer(page, server).read()
    shapes = {
        "x": (2,), "W_ih": (3, 2), "b_ih": (3,), "W_hh": (3, 3), "b_hh": (3,), "h_prev": (3,), "from_x": (3,),
        "from_h": (3,), "a": (3,), "h": (3,), "W_ho": (1, 3), "b_o": (1,), "y": (1,),
    }  # fmt: skip
    assert {place.var for place in screen.numbers if place.step is None} == set(shapes)
    assert {name: screen.array(name).shape for name in shapes} == shapes
    over_time = {"x": (8, 2), "h0": (1, 3), "h": (8, 3), "y": (8, 1)}
    assert {place.var for place in screen.numbers if place.step is not None} == set(over_time)
    assert {name: screen.array(name, over_time=True).shape for name in over_time} == over_time
    assert screen.array("W_ih").tolist() == [[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]]
    assert screen.array("W_hh").tolist() == [[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]]


@pytest.mark.parametrize(
    ("query", "steps"),
    [
        ({"activation": "sigmoid", "output_size": 3, "output_activation": "softmax", "t": 5}, 8),
        ({"hidden_size": 6, "input_size": 4, "steps": 60, "activation": "relu", "output_size": 0, "t": 37}, 60),
    ],
    ids=["softmax", "large"],
)
def test_an_address_opens_at_its_step_with_the_numbers_of_the_core(
    server: AppServer, page: Page, query: dict[str, Any], steps: int
) -> None:
    """Another activation, readout and size: still one run, bit for bit."""
    screen = open_explorer(page, server, **query).read()
    assert (screen.t, screen.steps) == (query["t"], steps)
    assert screen.differences(str(query["activation"]), str(query.get("output_activation", "identity"))) == []
