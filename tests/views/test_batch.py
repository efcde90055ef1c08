"""The table of all sequences: every number in its place, and none by colour alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rnnviz.views.batch import state_table
from tests.views.spoken import number

STATES = np.array([[0.5, -1.0, 0.0], [0.25, 0.004, -0.75]])


def test_every_state_stands_in_the_row_of_its_sequence() -> None:
    rows = re.findall(r"<tr.*?</tr>", state_table(STATES, 2))
    assert len(rows) == 3
    found = [[number(text) for text in re.findall(r"<td[^>]*>([^<]+)</td>", row)] for row in rows[1:]]
    np.testing.assert_allclose(found, STATES, atol=0.0005)


def test_the_sequence_shown_is_marked() -> None:
    rows = re.findall(r"<tr.*?</tr>", state_table(STATES, 2))
    assert ["class=shown" in row for row in rows] == [False, False, True]


def test_colours_say_sign_and_size() -> None:
    colours = re.findall(r"rgba\((\d+),\d+,\d+,([\d.]+)\)", state_table(STATES, 1))
    reds = [int(red) for red, _ in colours]
    assert [red > 100 for red in reds] == [False, True, True, False, False, True]
    np.testing.assert_allclose([float(share) for _, share in colours], 0.55 * np.abs(STATES.ravel()), atol=0.006)


@pytest.mark.parametrize("value", [0.0, 1e-320, 1.7e308])
def test_numbers_at_the_ends_of_float64_have_a_colour(value: float) -> None:
    assert "nan" not in state_table(np.full((2, 1), value), 1)


def test_a_wide_table_can_be_scrolled_by_the_keyboard() -> None:
    assert "tabindex='0'" in state_table(np.zeros((8, 64)), 1)
