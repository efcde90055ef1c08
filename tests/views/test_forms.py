"""Two forms of the GRU side by side: the sentence and the lines, against plain runs."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from rnnviz import GRUCell, Trace, make_cell, run
from rnnviz.views.forms import FORMS, form_words, forms_apart, forms_picture
from tests.views.spoken import number, slots
from tests.views.written import says

X = np.random.default_rng(3).standard_normal((7, 2))


def traces(form: tuple[str, str], x: np.ndarray = X) -> tuple[Trace, Trace]:
    """PyTorch's form and another with the same weights."""
    cell = make_cell("gru", 2, 3, seed=4)
    weights = cell.W_ih, cell.W_hh, cell.b_ih, cell.b_hh
    return run(cell, x), run(GRUCell(*weights, reset=form[0], update=form[1]), x)


@pytest.mark.parametrize("form", FORMS[1:])
def test_how_far_two_forms_are_apart(form: tuple[str, str]) -> None:
    here, other = traces(form)
    said = slots("forms.apart", forms_apart(here, other, 1, 4))
    assert (said["t"], said["unit"]) == ("4", "2")
    assert says(said["here"], float(here.h[4, 1]))
    assert says(said["other"], float(other.h[4, 1]))
    apart = [max(abs(a - b) for a, b in zip(one, two, strict=True)) for one, two in zip(here.h, other.h, strict=True)]
    assert int(said["step"]) == apart.index(max(apart))
    assert number(said["most"]) == pytest.approx(max(apart), rel=0.01)


def test_a_form_with_itself_is_the_same() -> None:
    assert slots("forms.same", forms_apart(*traces(FORMS[0]), 0, 1)) == {"steps": "7"}


@pytest.mark.parametrize("shorter", [0, 1])
def test_a_form_that_ends_early_is_held_against_as_many_steps(shorter: int) -> None:
    """One may leave float64 before the other."""
    here, other = traces(FORMS[2])
    here, other = (run(one.cell, X[:3]) if place == shorter else one for place, one in enumerate((here, other)))
    said = slots("forms.apart", forms_apart(here, other, 0, 6))
    assert said["t"] == "3"
    assert forms_picture(here, other, 0, 3).count("<polyline") == 2


def test_the_picture_has_both_lines() -> None:
    here, other = traces(FORMS[1])
    (svg,) = ElementTree.fromstring(forms_picture(here, other, 2, 5))
    assert svg.attrib["aria-label"] == forms_apart(here, other, 2, 5)
    lines = [line.attrib["points"].split() for line in svg.iter("{http://www.w3.org/2000/svg}polyline")]
    assert [len(line) for line in lines] == [8, 8]
    limit = max(np.abs(here.h[:, 2]).max(), np.abs(other.h[:, 2]).max())
    for line, trace in zip(lines, (here, other), strict=True):
        heights = [float(point.split(",")[1]) for point in line]
        assert heights == pytest.approx((10 + 65 * (1 - trace.h[:, 2] / limit)).tolist(), abs=0.06)


def test_each_form_has_its_own_words() -> None:
    assert len({form_words(form) for form in FORMS}) == 4
