"""Two forms of the GRU side by side: sentences, maps, lines and table, against plain runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rnnviz import GRUCell, Trace, make_cell, run
from rnnviz.texts import say
from rnnviz.views.charts.forms import forms_figure
from rnnviz.views.sentences.forms import FORMS, form_words, forms_apart, forms_columns
from tests.views.spoken import number, slots
from tests.views.written import says

X = np.random.default_rng(3).standard_normal((7, 2))


def traces(form: tuple[str, str], x: np.ndarray = X, seed: int = 4) -> tuple[Trace, Trace]:
    """PyTorch's form and another with the same weights."""
    cell = make_cell("gru", 2, 3, seed=seed)
    weights = cell.W_ih, cell.W_hh, cell.b_ih, cell.b_hh
    return run(cell, x), run(GRUCell(*weights, reset=form[0], update=form[1]), x)


@pytest.mark.parametrize("form", FORMS[1:])
@pytest.mark.parametrize("seed", range(32))
def test_how_far_two_forms_are_apart(form: tuple[str, str], seed: int) -> None:
    here, other = traces(form, seed=seed)
    said = slots("forms.apart", forms_apart(here, other, 1, 4))
    assert (said["t"], said["unit"]) == ("4", "2")
    assert says(said["here"], float(here.h[4, 1]))
    assert says(said["other"].rstrip("."), float(other.h[4, 1]))
    apart = [
        (abs(float(here.h[t, unit] - other.h[t, unit])), t, unit + 1) for t in range(1, 8) for unit in range(3)
    ]  # fmt: skip
    most, step, where = max(apart)
    assert (int(said["step"].rstrip(".")), int(said["where"])) == (step, where)
    assert number(said["most"]) == pytest.approx(most, rel=1e-3)


def test_a_form_with_itself_is_the_same() -> None:
    assert slots("forms.same", forms_apart(*traces(FORMS[0]), 0, 1)) == {"steps": "7"}


def test_rounding_is_called_rounding() -> None:
    """With r = 1 and no bias both resets are the same product, summed in another order or not at all."""
    cell = make_cell("gru", 2, 3, seed=4)
    b_ih = cell.b_ih.copy()
    b_ih[:3] = 800.0
    here, other = (run(GRUCell(cell.W_ih, cell.W_hh, b_ih, cell.b_hh, reset=reset), X) for reset in ("after", "before"))
    moved = run(GRUCell(cell.W_ih, cell.W_hh * (1 + 2e-16), b_ih, cell.b_hh), X)
    for one in (other, moved):
        sentence = forms_apart(here, one, 0, 1)
        most = float(np.abs(here.h - one.h).max())
        if most == 0:
            slots("forms.same", sentence)
        else:
            assert number(slots("forms.rounding", sentence)["most"].rstrip(".")) == pytest.approx(most, rel=1e-3)
    assert np.abs(here.h - moved.h).max() > 0


@pytest.mark.parametrize("shorter", [0, 1])
def test_a_form_that_ends_early_is_compared_over_as_many_steps(shorter: int) -> None:
    """One may overflow float64 before the other."""
    here, other = traces(FORMS[2])
    here, other = (run(one.cell, X[:3]) if place == shorter else one for place, one in enumerate((here, other)))
    sentence = forms_apart(here, other, 0, 6)
    assert slots("forms.apart", sentence)["t"] == "3"
    assert say("forms.ends", steps=3) in sentence
    assert all(len(line["y"]) == 4 for line in forms_figure(here, other, 0, 6)["data"][3:])
    assert len(next(iter(forms_columns(here, other).values()))) == 4


@pytest.mark.parametrize("form", FORMS[1:])
def test_the_maps_are_both_whole_states_and_their_difference(form: tuple[str, str]) -> None:
    here, other = traces(form)
    figure = forms_figure(here, other, 2, 5)
    first, second, third, *_ = figure["data"]
    np.testing.assert_array_equal(first["z"], here.h.T)
    np.testing.assert_array_equal(second["z"], other.h.T)
    np.testing.assert_array_equal(third["z"], other.h.T - here.h.T)
    assert first["coloraxis"] == second["coloraxis"] == "coloraxis"
    assert third["coloraxis"] == "coloraxis2"
    scales = [figure["layout"][name] for name in ("coloraxis", "coloraxis2")]
    assert [(scale["cmin"], scale["cmax"]) for scale in scales] == [
        (-1.0, 1.0),
        (-np.abs(other.h - here.h).max(), np.abs(other.h - here.h).max()),
    ]
    assert first["hovertext"] == second["hovertext"] == third["hovertext"]
    said = slots("forms.hover", first["hovertext"][1][3])
    assert (said["unit"], said["step"]) == ("2", "3")
    assert says(said["here"], float(here.h[3, 1]))
    assert says(said["other"], float(other.h[3, 1]))


def test_a_start_outside_of_one_widens_the_scale_of_both() -> None:
    cell = make_cell("gru", 2, 3)
    here, other = run(cell, X, [3.0, 0.0, 0.0]), run(cell, X, [3.0, 0.0, 0.0])
    assert forms_figure(here, other, 0, 1)["layout"]["coloraxis"]["cmax"] == 3.0


def test_the_lines_are_those_of_the_unit() -> None:
    here, other = traces(FORMS[1])
    figure = forms_figure(here, other, 2, 5)
    *_, a, b = figure["data"]
    assert a["y"] == here.h[:, 2].tolist()
    assert b["y"] == other.h[:, 2].tolist()
    assert figure["layout"]["shapes"][0]["x0"] == 5
    assert say("forms.lines", unit=3) in [one["text"] for one in figure["layout"]["annotations"]]


@pytest.mark.parametrize("units", [1, 3, 64])
def test_panels_do_not_overlap_whatever_the_size(units: int) -> None:
    trace = run(make_cell("gru", 2, units), X)
    layout = forms_figure(trace, trace, 0, 1)["layout"]
    domains = [layout[f"yaxis{name}"]["domain"] for name in ("4", "3", "2", "")]
    assert domains[0][0] == pytest.approx(0.0, abs=1e-9)
    assert domains[-1][1] == 1.0
    assert all(low < high for low, high in domains)
    assert all(below[1] < above[0] for below, above in itertools.pairwise(domains))


def test_the_table_has_both_forms_unit_by_unit() -> None:
    here, other = traces(FORMS[3])
    columns = list(forms_columns(here, other).values())
    assert columns[0] == list(range(8))
    for unit in range(3):
        assert columns[1 + 2 * unit] == here.h[:, unit].tolist()
        assert columns[2 + 2 * unit] == other.h[:, unit].tolist()


def test_each_form_has_its_own_words() -> None:
    assert len({form_words(form) for form in FORMS}) == 4
