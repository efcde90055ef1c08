"""The figures in the remarks of the Gradient flow page, measured."""

from __future__ import annotations

import math
import re
import statistics
from typing import Any

import numpy as np
import pytest

from rnnviz import ElmanCell, log10_gradient_norms, make_cell, run
from rnnviz.maths.gradient_flow.decay import gradient_bounds
from rnnviz.sequences import noise
from rnnviz.texts import group

REMARKS = group("remark.gradient_flow")


def pytorch(H: int, seed: int) -> ElmanCell:
    cell = make_cell("elman", 1, H, seed=seed)
    assert isinstance(cell, ElmanCell)
    return cell


def test_each_remark_ends_with_its_source() -> None:
    """One fact, one source: author and year, but for what was measured here."""
    for name, text in REMARKS.items():
        source = r"\(measured with this app: [^()]*\)" if name == "default" else r"\([A-Z][^()]*, (?:19|20)\d\d\)"
        assert re.search(rf" {source}\.$", text), text
        assert len(re.findall(source, text)) == 1


def test_pytorchs_weights_have_a_radius_of_one_over_root_three() -> None:
    """And a variance of 1/(3H); the largest singular value goes to twice the radius of the circle."""
    assert "1/√3 ≈ 0.577" in REMARKS["radius"]
    assert "2/√3 ≈ 1.155" in REMARKS["norm"]
    found = {}
    for H, seeds in ((64, 16), (256, 6), (768, 2)):
        weights = [pytorch(H, seed).W_hh for seed in range(seeds)]
        assert statistics.mean(float(np.var(W)) * 3 * H for W in weights) == pytest.approx(1, abs=0.01)
        radii = [float(np.abs(np.linalg.eigvals(W)).max()) for W in weights]
        sigmas = [float(np.linalg.norm(W, 2)) for W in weights]
        found[H] = statistics.median(radii) - 1 / math.sqrt(3), statistics.median(sigmas) - 2 / math.sqrt(3)
    assert abs(found[64][0]) > abs(found[256][0]) > abs(found[768][0])
    assert abs(found[64][1]) > abs(found[256][1]) > abs(found[768][1])
    assert abs(found[768][0]) < 0.025
    assert abs(found[768][1]) < 0.01
    eigenvalues = np.linalg.eigvals(pytorch(768, 0).W_hh)
    inside = [float(np.mean(np.abs(eigenvalues) < share / math.sqrt(3))) for share in (0.25, 0.5, 0.75)]
    assert inside == pytest.approx([0.0625, 0.25, 0.5625], abs=0.03)  # a disc filled evenly


def test_pytorchs_default_measured_over_seeds() -> None:
    """Medians of 32 seeds at the sizes of the page, as a factor a step."""
    told = dict(
        zip(
            ("elman", "lstm", "gru", "forget"),
            map(float, re.findall(r"(0\.\d+)", REMARKS["default"])),
            strict=True,
        )
    )
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "elman": ("elman", {}), "lstm": ("lstm", {}), "gru": ("gru", {}), "forget": ("lstm", {"forget_bias": 1.0}),
    }  # fmt: skip
    for name, (kind, options) in kinds.items():
        ends = []
        for seed in range(32):
            trace = run(make_cell(kind, 4, 32, seed=seed, **options), noise(100, 4, seed))
            ends.append(float(log10_gradient_norms(trace, block="state")[0]))
        assert told[name] == pytest.approx(10 ** (statistics.median(ends) / 100), abs=5.1e-4), name


def test_a_forget_bias_of_1_is_said_as_its_source_says_it() -> None:
    """Jozefowicz, Zaremba & Sutskever (2015), abstract: "adding a bias of 1 to the LSTM's forget gate closes the gap
    between the LSTM and the GRU". With all weights 0 the bias alone makes f; without it, it is a half.
    """
    for said in (REMARKS["bias"], group("remark.lstm_gates")["bias"]):
        assert re.search(r"forget bias of 1 .*closed the gap between LSTM and GRU \(Jozefowicz", said)
    told = re.search(r"σ\(1\) = ([\d.]+) instead of ([\d.]+)\.", group("remark.lstm_gates")["bias"])
    assert told
    for text, bias in zip(told.groups(), (1.0, 0.0), strict=True):
        trace = run(make_cell("lstm", 1, 1, init="zeros", forget_bias=bias), [[0.0]])
        assert float(text) == pytest.approx(float(trace.gates["f"][0, 0]), abs=5e-4)


@pytest.mark.parametrize(("activation", "largest"), [("tanh", 1.0), ("sigmoid", 0.25)])
def test_pascanus_two_conditions(activation: str, largest: float) -> None:
    """Below 1 every run vanishes as fast as the bound or faster; above 1 some vanish all the same."""
    above = []
    for seed in range(32):
        gain = (0.5, 1.5)[seed % 2] / largest
        cell = make_cell("elman", 2, 6, seed=seed, init="orthogonal", gain=gain, activation=activation)
        assert isinstance(cell, ElmanCell)
        bounds = gradient_bounds(cell)
        assert bounds.largest_slope == largest
        product = bounds.largest_singular_value * largest
        norms = log10_gradient_norms(run(cell, np.random.default_rng(seed).standard_normal((60, 2))))
        assert norms[0] <= 60 * math.log10(product) + 1e-9
        if product < 1:
            assert norms[0] < -18
        else:
            above.append(norms[0])
    assert min(above) < 0
