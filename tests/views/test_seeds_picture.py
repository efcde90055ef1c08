"""Many seeds and several initialisations on one axis: quartiles against sorted lists, sentences against both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz.settings import KINDS, choices_of
from rnnviz.texts import say
from rnnviz.views.decades import BEHIND, FRONT, pack_chart
from rnnviz.views.flow import CellFlow
from rnnviz.views.seeds import bands_chart, bands_words, inits_chart, inits_words, quartiles
from tests.views.flows import with_norms
from tests.views.spoken import slots
from tests.views.unpacked import unpack
from tests.views.written import says_power

NAMES = {"elman": "Elman (tanh)", "lstm": "LSTM", "gru": "GRU"}

decades = st.floats(-400.0, 400.0) | st.sampled_from([-math.inf, 0.0, -1000.0])


@st.composite
def many(draw: st.DrawFn, most: int = 9) -> list[list[float]]:
    """Norms of networks of one length."""
    steps, count = draw(st.integers(1, 5)), draw(st.integers(1, most))
    return [[*draw(st.lists(decades, min_size=steps, max_size=steps)), 0.0] for _ in range(count)]


def by_rank(values: list[float], share: float) -> set[float]:
    """The values whose place in a sorted list is nearest to that share of the way; two where both are as near."""
    place = share * (len(values) - 1)
    return {value for rank, value in enumerate(sorted(values)) if abs(rank - place) <= 0.5}


# --- seeds ----------------------------------------------------------------------------------------------------------


@given(many(32))
@example([[-math.inf, 0.0], [-math.inf, 0.0], [-3.0, 0.0], [0.0, 0.0]])
@example([[-math.inf, 0.0]] * 5)
def test_quartiles_are_those_of_sorted_lists(norms: list[list[float]]) -> None:
    """Each is one of the norms, so that an exact 0 stays one and no mean with it is drawn."""
    for share, edge in zip((0.25, 0.5, 0.75), quartiles(np.array(norms)), strict=True):
        assert edge.shape == (len(norms[0]),)
        for step, value in enumerate(edge.tolist()):
            assert value in by_rank([one[step] for one in norms], share)


def test_the_quartiles_of_32_seeds() -> None:
    """As many as the page runs: ranks 8, 16 and 24 of 1..32 within half a rank."""
    norms = np.random.default_rng(0).permutation(np.arange(1.0, 33.0))[:, None]
    lower, median, upper = (float(edge[0]) for edge in quartiles(norms))
    assert lower in (8.0, 9.0)
    assert median in (16.0, 17.0)
    assert upper in (24.0, 25.0)


@st.composite
def seeds(draw: st.DrawFn) -> dict[str, list[list[float]]]:
    kinds = draw(st.permutations(KINDS))[: draw(st.integers(1, 3))]
    return {kind: draw(many()) for kind in kinds}


def networks(norms: dict[str, list[list[float]]]) -> dict[str, list[CellFlow]]:
    return {kind: [with_norms(one, kind) for one in found] for kind, found in norms.items()}


@given(seeds())
def test_a_band_for_each_cell_around_its_median(norms: dict[str, list[list[float]]]) -> None:
    chart = bands_chart(networks(norms))
    assert [curve.colour for curve in chart.curves] == list(norms)
    assert [curve.style for curve in chart.curves] == [FRONT, BEHIND, BEHIND][: len(norms)]
    for kind, curve in zip(norms, chart.curves, strict=True):
        assert curve.name == NAMES[kind]
        note = slots("seeds.note", curve.note)
        assert (note["name"], int(note["count"])) == (NAMES[kind], len(norms[kind]))
        lower, upper = curve.band
        for step in range(len(norms[kind][0])):
            values = [one[step] for one in norms[kind]]
            for share, edge in ((0.25, lower), (0.5, curve.values), (0.75, upper)):
                assert edge[step] in by_rank(values, share)
            assert lower[step] <= curve.values[step] <= upper[step]
    assert chart.said == say("seeds.chart", count=max(map(len, norms.values())))
    assert all(curve["band"] for curve in unpack(pack_chart(chart)).header["curves"])


@given(seeds())
def test_the_bands_in_words(norms: dict[str, list[list[float]]]) -> None:
    """Between which norms at step 0 the middle half lies."""
    said = slots("seeds.bands", bands_words(networks(norms)))
    assert int(said["count"]) == max(map(len, norms.values()))
    for kind, cell in zip(norms, said["cells"].split(", "), strict=True):
        named = slots("seeds.cell", cell)
        name, lower = f"{named['name']} {named['lower']}".rsplit(" ", 1)  # a name may have a blank in it
        assert name == NAMES[kind]
        values = [one[0] for one in norms[kind]]
        for text, share in ((lower, 0.25), (named["upper"], 0.75)):
            assert any(says_power(text, value) for value in by_rank(values, share))


# --- initialisations ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_initialisation_has_a_colour_of_its_own(kind: str) -> None:
    """But that with all weights 0, of which there is nothing to see."""
    inits = [init for init in choices_of("init", kind) if init != "zeros"]
    chart = inits_chart({init: with_norms([-float(place), 0.0], kind) for place, init in enumerate(inits)})
    assert [curve.name for curve in chart.curves] == inits
    assert len({curve.colour for curve in chart.curves}) == len(inits)
    assert [curve.values[0] for curve in chart.curves] == [-float(place) for place in range(len(inits))]
    for curve in chart.curves:
        assert slots("flows.note.norm", curve.note)["name"] == f"{NAMES[kind]}, {curve.name}"
    assert chart.said == say("inits.chart", name=NAMES[kind])


@given(st.lists(decades, min_size=1, max_size=6), st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_initialisations_in_words(ends: list[float], seed: int, kind: str) -> None:
    flows = {f"init {place}": with_norms([end, 0.0], kind) for place, end in enumerate(ends)}
    said = slots("inits.words", inits_words(flows, seed))
    assert (said["name"], int(said["seed"])) == (NAMES[kind], seed)
    for name, end, cell in zip(flows, ends, said["cells"].split(", "), strict=True):
        init, left = cell.rsplit(" ", 1)
        assert init == name
        assert says_power(left, end)


def test_networks_that_end_early_are_shown_as_far_as_they_go() -> None:
    chart = inits_chart({"long": with_norms([-1.0, -0.5, 0.0]), "short": with_norms([2.0, 0.0])})
    assert [len(curve.values) for curve in chart.curves] == [3, 2]
