"""The same step in other writing: the numbers stay, letters and order change."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rnnviz import ElmanCell, make_cell, run
from rnnviz.network import NetworkRun, build, network_of, run_network
from rnnviz.settings import Settings
from rnnviz.views.explorer.elman import elman_picture
from rnnviz.views.explorer.notation import NOTATIONS, joining_error, remark
from rnnviz.views.explorer.picture import Caption, Sync, pack
from tests.views.test_picture import evaluated, mentioned
from tests.views.unpacked import Unpacked, unpack

RANDOM = Settings("random").choose(hidden_size=4, input_size=3, steps=6, output_size=2, output_activation="softmax")


def seen(notation: str, ran: NetworkRun | None = None) -> Unpacked:
    """A picture as the browser gets it."""
    ran = ran or run_network(build(network_of(RANDOM)))
    network = ran.network
    picture = elman_picture(ran.trace, network.readout, ran.y_preact, ran.y, network.base, notation=notation)
    return unpack(pack(picture, Caption({}), Sync("0f3a", 1, 0, 1)))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_numbers_stay_where_they_are(notation: str) -> None:
    """Every variable that is still drawn holds the same array, may be edited under the same name, and once only."""
    usual, other = seen("column"), seen(notation)
    assert set(other.header["variables"]) >= set(usual.header["variables"]) - {"from_x", "from_h"}
    for name, variable in other.header["variables"].items():
        assert variable | {"symbol": "", "sub": ""} == usual.header["variables"][name] | {"symbol": "", "sub": ""}
    for name, array in other.arrays.items():
        assert np.array_equal(array, usual.arrays[name])
    drawn = [name for name in mentioned(other.header["scene"]) if name in other.header["variables"]]
    assert set(drawn) == set(other.header["variables"])
    assert other.header["timeline"] == usual.header["timeline"]


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_formula_still_gives_the_number_beside_it(notation: str) -> None:
    view = seen(notation)
    for name in view.header["formulas"]:
        for t in range(1, 7):
            assert evaluated(view, name, t) == pytest.approx(view.vector(name, t), rel=1e-12, abs=1e-12)


def test_one_product_has_no_sums_of_its_own_for_input_and_memory() -> None:
    view = seen("joined")
    assert not {"from_x", "from_h"} & {*view.header["variables"], *view.header["formulas"]}
    assert view.header["formulas"]["a"]["terms"][:2] == [{"dot": ["W_ih", "x"]}, {"dot": ["W_hh", "h_prev"]}]


def test_rows_put_the_vector_first() -> None:
    def products(scene: Any) -> list[dict[str, Any]]:
        if isinstance(scene, list):
            return [found for part in scene for found in products(part)]
        if not isinstance(scene, dict):
            return []
        own = [scene] if "product" in scene or "joined" in scene else []
        return own + [found for part in scene.values() for found in products(part)]

    turned = {name: [part["turned"] for part in products(seen(name).header["scene"])] for name in NOTATIONS}
    assert turned == {"column": [False, False], "row": [True, True], "joined": [True], "letters": [False, False]}


@pytest.mark.parametrize(
    ("notation", "letters"),
    [
        ("column", "x_t W_ih W_hh h_t−1 h_t W_ho y_t"),
        ("row", "X_t W_xh W_hh H_t−1 H_t W_hq O_t"),
        ("joined", "X_t W_xh W_hh H_t−1 H_t W_hq O_t"),
        ("letters", "x_(t) V_ U_ h_(t−1) h_(t) W_ ŷ_(t)"),
    ],
)
def test_the_letters_are_those_of_the_texts(notation: str, letters: str) -> None:
    variables = seen(notation).header["variables"]
    names = "x W_ih W_hh h_prev h W_ho y".split()
    assert " ".join(f"{variables[name]['symbol']}_{variables[name]['sub']}" for name in names) == letters


def test_the_joining_error_is_that_of_two_orders_of_one_sum() -> None:
    """Within rounding of the exact sum of products, and nought where nothing is rounded."""
    trace = run_network(build(network_of(RANDOM))).trace
    cell, eps = trace.cell, np.finfo(float).eps
    largest = 0.0
    for x, h in zip(trace.x, trace.h[:-1], strict=True):
        for i in range(4):
            terms = [*zip(cell.W_ih[i], x, strict=True), *zip(cell.W_hh[i], h, strict=True)]
            largest = max(largest, math.fsum(abs(Fraction(w) * Fraction(v)) for w, v in terms))
    assert 0 <= joining_error(trace) <= 2 * 7 * eps * largest
    whole = ElmanCell([[1.0, 2.0]], [[3.0]], [0.0], [0.0], activation="identity")
    assert joining_error(run(whole, [[1.0, -1.0], [2.0, 0.5]])) == 0.0


def test_the_remark_says_the_shapes_and_how_equal_it_is() -> None:
    trace = run_network(build(network_of(RANDOM))).trace
    assert remark("column", trace, 1) == ""
    assert "(1 × 3) × W_xh (3 × 4)" in remark("row", trace, 1)
    assert "X_t is 5 × 3 and H_t is 5 × 4" in remark("row", trace, 5)
    assert "H(1)_t is 5 × 3 and H(2)_t is 5 × 4" in remark("row", trace, 5, "H(1)", "H(2)")  # of layer 2
    joined = remark("joined", trace, 1)
    assert "(1 × 7) times the stacked matrix [W_xh; W_hh] (7 × 4)" in joined
    said = re.search(r"largest difference .* is (.*)\.$", joined)
    assert (said is not None) == (joining_error(trace) > 0)


@pytest.mark.parametrize("form", [("lstm", {}), ("gru", {"reset": "before"})], ids=lambda form: form[0])
def test_the_joined_product_of_a_gated_cell_is_the_one_that_is_drawn(form: tuple[str, dict[str, str]]) -> None:
    """Row by row ``[W_hh, W_ih] [h; x]``, with r times h in the rows of n, against exact sums."""
    kind, options = form
    cell = make_cell(kind, 3, 4, seed=2, **options)
    trace = run(cell, np.random.default_rng(0).standard_normal((6, 3)))
    largest = 0.0
    for t, (x, h) in enumerate(zip(trace.x, trace.h[:-1], strict=True)):
        for i, (W_i, W_h) in enumerate(zip(cell.W_ih, cell.W_hh, strict=True)):
            seen_h = h * trace.gates["r"][t] if kind == "gru" and i >= 8 else h
            exact = sum(
                Fraction(w) * Fraction(v) for w, v in [*zip(W_h, seen_h, strict=True), *zip(W_i, x, strict=True)]
            )
            bias = cell.b_ih[i] + cell.b_hh[i]
            gate = cell.gate_names[i // 4]
            assert float(exact) + bias == pytest.approx(trace.preacts[gate][t, i % 4], abs=1e-14)
            largest = max(largest, abs(float(exact)))
    assert 0 < joining_error(trace) <= 1e-14 * max(1.0, largest)
    said = remark("joined", trace, 1)
    assert f"({len(cell.W_hh)} × 7" in said
    assert ("[r ⊙ h; x]" in said) == (kind == "gru")


def test_a_reset_after_the_product_is_not_joined() -> None:
    trace = run(make_cell("gru", 3, 4), np.ones((2, 3)))
    assert "not a single product" in remark("joined", trace, 1)
