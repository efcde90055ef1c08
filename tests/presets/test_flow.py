"""The presets of the Gradient flow page: what each is there to show, true by other routes, said with its numbers."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from rnnviz import Trace, decay_causes, gradient_bounds, log10_gradient_norms, log10_keep_products, run
from rnnviz.maths.gradient_flow.decay import power_norms
from rnnviz.network import Network, build, network_of, of_cell, run_network
from rnnviz.presets import ALL_PRESETS, GRADIENT_FLOW, SPECTRA, cell_of, preset_of
from rnnviz.settings import KINDS, Settings, Value
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.sentences.gradient_flow import blocks_words, elman_cause, gated_cause, notice
from rnnviz.views.sentences.spectrum import weights_words
from tests.maths import reference
from tests.settings.drawn import others
from tests.views.flows import norms_back
from tests.views.spoken import slots, somewhere, whole
from tests.views.written import says, says_power, says_share

Array = NDArray[np.float64]

EVERY = [*GRADIENT_FLOW, *SPECTRA]
FRONT = {name: cell_of(name) for name in EVERY}
GONE = 3  # decades: the page's threshold
STEPS = 100


@cache
def network(preset: str, kind: str = "", **chosen: Value) -> Network:
    front = FRONT[preset]
    return build(
        network_of(of_cell(Settings(preset, kind=front, beside=others(front)).choose(**chosen), kind or front))
    )


@cache
def trace(preset: str, kind: str = "", **chosen: Value) -> Trace:
    return run_network(network(preset, kind, **chosen)).trace


def left(preset: str, kind: str = "", lag: int = STEPS, block: str = "state", **chosen: Value) -> float:
    """log10 of what arrives so many steps back, by plain products of the steps."""
    one = trace(preset, kind, **chosen)
    return norms_back(one, block)[one.steps - lag]


def flow_of(one: Trace) -> CellFlow:
    """Its gradient as the page shows it at first: that of the whole state."""
    return CellFlow(one, log10_gradient_norms(one, block="state"), "state" if one.c is not None else "h")


def noticed(preset: str) -> str:
    """What the page says above the picture, with all cells shown."""
    front = FRONT[preset]
    return notice([flow_of(trace(preset, kind)) for kind in (front, *others(front))], GONE)


def because(preset: str) -> str:
    """What it says of the reason."""
    one = trace(preset)
    if one.cell.kind == "elman":
        return elman_cause(flow_of(one), decay_causes(one))
    return gated_cause(flow_of(one), log10_keep_products(one))


def reach(key: str, preset: str) -> dict[str, str]:
    """The numbers of the first sentence, which must be that of the key."""
    return slots(f"reach.{key}", noticed(preset))


def pace(key: str, preset: str) -> dict[str, str]:
    """The numbers of a sentence on its pace."""
    told = somewhere(f"reach.pace.{key}", noticed(preset))
    assert told is not None, noticed(preset)
    return told


def beside(preset: str) -> dict[str, str]:
    """What is said to arrive in the other cells."""
    told = re.search(r"The norms of the other cells at step 0: (.*)\.$", noticed(preset))
    assert told
    cells = (cell.rsplit(" ", 1) for cell in told[1].split(", "))
    return {"elman" if name.startswith(("Elman", "IRNN")) else name.lower(): left for name, left in cells}


# --- all of them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", EVERY)
def test_every_network_in_front_runs_as_its_equations_say(preset: str) -> None:
    """Every step from the states before it: a chaotic network makes much of a last digit."""
    found, H = trace(preset), trace(preset).cell.hidden_size
    np.testing.assert_array_equal(found.x, network(preset).x)
    for t in range(found.steps):
        state, x = found.states[t], found.x[t : t + 1]
        if found.cell.kind == "elman":
            after = reference.elman(found.cell, x, state)["h"][1]
        else:
            numbers = reference.lstm(found.cell, x, state[:H], state[H:])
            after = [*numbers["h"][1], *numbers["c"][1]]
        np.testing.assert_allclose(found.states[t + 1], after, rtol=0, atol=1e-13)


@pytest.mark.parametrize("preset", EVERY)
def test_what_arrives_is_said_of_every_cell(preset: str) -> None:
    """With the numbers of plain products."""
    said = beside(preset)
    assert list(said) == list(others(FRONT[preset]))
    steps = trace(preset).steps
    for kind, text in said.items():
        assert says_power(text, left(preset, kind, steps))


def test_the_default_is_the_first_and_differs_in_nothing() -> None:
    """PyTorch's initialisation in all cells, an Elman network in front."""
    assert next(iter(GRADIENT_FLOW)) == "pytorch"
    assert GRADIENT_FLOW["pytorch"].values == GRADIENT_FLOW["lstm_pytorch"].values
    assert (FRONT["pytorch"], FRONT["lstm_pytorch"]) == ("elman", "lstm")
    assert all(not preset.weights for preset in GRADIENT_FLOW.values())


# --- Elman networks -------------------------------------------------------------------------------------------------


def singular_values(preset: str) -> Array:
    return np.asarray(np.linalg.svd(trace(preset).cell.W_hh, compute_uv=False), dtype=np.float64)


def slopes(preset: str) -> Array:
    return np.asarray(1 - trace(preset).h[1:] ** 2)


def test_vanishes_for_its_weights() -> None:
    """All singular values are 0.6, so the weights alone leave 0.6^100; the slopes alone would leave a tenth."""
    np.testing.assert_allclose(singular_values("vanishes"), 0.6, rtol=1e-12)
    said = slots("cause.elman.weights", because("vanishes"))
    assert says_power(said["weights"], STEPS * math.log10(0.6))
    turned = slopes_alone("vanishes", trace("vanishes").cell.W_hh / 0.6)
    assert -GONE < turned < 0
    assert says_power(said["slopes"], turned)
    found = reach("vanishing", "vanishes")
    assert says_power(found["left"], left("vanishes"))
    halved = pace("halves", "vanishes")
    rate = np.polyfit(np.arange(STEPS + 1), norms_back(trace("vanishes"))[::-1], 1)[0]
    assert (halved["first"], halved["last"]) == ("0", "100")
    assert says(halved["steps"], -math.log10(2) / float(rate))
    assert left("vanishes") < STEPS * math.log10(0.6)


def slopes_alone(preset: str, Q: Array) -> float:
    """log10 of the norm of the slopes with an orthogonal matrix between them."""
    product = np.eye(len(Q))
    for row in slopes(preset):
        product = row[:, None] * (Q @ product)
    return math.log10(np.linalg.norm(product, 2))


def test_saturates_with_weights_that_keep_every_length() -> None:
    """W_hh is orthogonal: what is lost is lost in the slopes, of which one in six is under 0.1."""
    np.testing.assert_allclose(singular_values("saturates"), 1.0, rtol=1e-12)
    said = slots("cause.elman.slopes", because("saturates"))
    assert said["weights"].rstrip(".") == "1"
    saturated = somewhere("cause.saturated.tanh", because("saturates"))
    assert saturated
    assert says_share(saturated["share"], float((slopes("saturates") < 0.1).mean()))
    assert says_power(said["slopes"], left("saturates"))
    assert says_power(said["slopes"], slopes_alone("saturates", trace("saturates").cell.W_hh))
    assert left("saturates") < -15
    assert (slopes("saturates") < 0.1).mean() > 0.15
    # the same weights with a fortieth of the input
    assert left("saturates", input_scale=0.1) > -GONE


def test_explodes_though_it_saturates() -> None:
    """Spectral radius 3; the slopes alone would make it vanish."""
    W = trace("explodes").cell.W_hh
    assert np.abs(np.linalg.eigvals(W)).max() == pytest.approx(3.0)
    said = slots("cause.elman.stretch", because("explodes"))
    assert says_power(said["weights"], math.log10(np.linalg.norm(np.linalg.matrix_power(W, STEPS), 2)))
    assert 40 < math.log10(np.linalg.norm(np.linalg.matrix_power(W, STEPS), 2)) < 60
    U, _, V = np.linalg.svd(W)
    assert says_power(said["slopes"], slopes_alone("explodes", U @ V))
    found = reach("exploding", "explodes")
    assert says_power(found["left"], left("explodes"))
    assert left("explodes") > 10


def lyapunov(one: Trace) -> float:
    """The largest exponent in nats a step: how fast a nudge grows in the cell's own equations, shrunk at every step."""
    W, nudge = one.cell.W_hh, np.random.default_rng(0).standard_normal(one.cell.hidden_size)
    grown = []
    for h in one.h[1:]:
        nudge = (1 - h**2) * (W @ nudge)
        grown.append(math.log(np.linalg.norm(nudge)))
        nudge /= np.linalg.norm(nudge)
    return math.fsum(grown) / len(grown)


def lyapunov_by_qr(one: Trace) -> float:
    """The same by QR at every step, where the first direction turns into the fastest."""
    Q, logs = np.eye(one.cell.hidden_size), np.zeros(one.cell.hidden_size)
    for h in one.h[1:]:
        Q, R = np.linalg.qr((1 - h**2)[:, None] * one.cell.W_hh @ Q)
        logs += np.log(np.abs(np.diag(R)))
    return float(logs.max()) / one.steps


def test_the_edge_of_chaos() -> None:
    """The largest Lyapunov exponent is nearly 0, over more steps too: it neither vanishes nor explodes."""
    assert abs(lyapunov_by_qr(trace("edge_of_chaos"))) < 0.02
    assert abs(lyapunov_by_qr(trace("edge_of_chaos", steps=1000))) < 0.02
    assert abs(lyapunov(trace("edge_of_chaos", steps=1000))) < 0.02
    said = slots("cause.elman.balance", because("edge_of_chaos"))
    W = trace("edge_of_chaos").cell.W_hh
    assert says_power(said["weights"], math.log10(np.linalg.norm(np.linalg.matrix_power(W, STEPS), 2)))
    U, _, V = np.linalg.svd(W)
    assert says_power(said["slopes"].rstrip("."), slopes_alone("edge_of_chaos", U @ V))
    assert abs(left("edge_of_chaos")) < GONE
    assert lyapunov_by_qr(trace("explodes")) > 0.2
    assert lyapunov_by_qr(trace("vanishes")) < -0.4
    # a little less and a little more, and it does
    assert left("edge_of_chaos", gain=0.8) < -GONE
    assert left("edge_of_chaos", gain=2.0) > GONE


def test_an_identity_rnn_passes_all_on() -> None:
    """Exactly 1 at every step: no unit of relu ever sleeps, W_hh is the identity and there is no bias."""
    found = trace("identity_rnn")
    assert flow_of(found).name == "IRNN"
    assert getattr(found.cell, "activation", "") == "relu"
    assert not found.cell.b_ih.any()
    assert not found.cell.b_hh.any()
    np.testing.assert_array_equal(found.cell.W_hh, np.eye(32))
    assert found.h.min() > 0
    assert norms_back(found) == [0.0] * (STEPS + 1)
    assert log10_gradient_norms(found).tolist() == [0.0] * (STEPS + 1)
    assert reach("constant", "identity_rnn")["left"] == "1"
    assert whole("cause.elman.still", because("identity_rnn")) == {"weights": "1", "slopes": "1"}


# --- gated cells ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [32, 64])
def test_pytorchs_lstm_is_no_remedy(hidden: int) -> None:
    """At lag 99 nothing of note arrives in any cell; the LSTM is a few decades off, not a hundred steps."""
    ends = {kind: left("lstm_pytorch", kind, 99, "h", hidden_size=hidden) for kind in KINDS}
    assert max(ends.values()) < -15
    assert abs(ends["lstm"] - ends["elman"]) < 10
    if hidden == 64:
        assert ends == pytest.approx({"elman": -20, "lstm": -19.3, "gru": -18.7}, abs=2.0)  # MATHS


def test_pytorchs_lstm_lets_go_by_its_forget_gates() -> None:
    """They are about a half, and a half to the power of 100 is 1e-30; what goes through h brings decades back."""
    f = trace("lstm_pytorch").gates["f"]
    said = whole("cause.gates.shut_rest", because("lstm_pytorch"))
    assert (said["gate"], said["gates"]) == ("f", "forget gates")
    assert says(said["mean"], float(np.mean(f)))
    assert 0.4 < f.mean() < 0.6
    assert says_power(said["kept"], max(math.fsum(map(math.log10, unit)) for unit in f.T.tolist()))
    assert left("lstm_pytorch") > max(np.log10(f).sum(axis=0)) + 1
    found = reach("vanishing", "lstm_pytorch")
    assert says_power(found["left"], left("lstm_pytorch"))


def test_a_forget_bias_of_1_gains_ten_decades() -> None:
    f = trace("forget_1").gates["f"]
    assert 0.65 < f.mean() < 0.75  # sigmoid(1) = 0.73
    assert left("forget_1") - left("lstm_pytorch") > 10
    assert left("forget_1", block="h") == pytest.approx(-6.6, abs=1.5)  # MATHS
    assert says_power(reach("vanishing", "forget_1")["left"], left("forget_1"))
    assert slots("cause.gates.shut_rest", because("forget_1"))
    assert left("forget_1", "elman") == left("pytorch")  # it is no setting of the others
    assert left("forget_1", "gru") == left("pytorch", "gru")


def test_a_forget_bias_of_5_carries() -> None:
    """sigmoid(5) = 0.993, to the power of 100 a half; h adds to it."""
    f = trace("forget_5").gates["f"]
    assert f.mean() == pytest.approx(1 / (1 + math.exp(-5)), abs=0.002)
    assert -1 < left("forget_5", block="h") < 1.5
    assert left("forget_5") == pytest.approx(math.log10(40.5), abs=0.01)
    said = slots("cause.gates.open_grows", because("forget_5"))
    kept = max(math.fsum(map(math.log10, unit)) for unit in f.T.tolist())
    assert -0.5 < kept < 0
    assert says_power(said["kept"].rstrip("."), kept)
    assert says_power(reach("growing", "forget_5")["left"], left("forget_5"))
    assert int(pace("none", "forget_5")["steps"]) == 100


def test_chrono_carries_over_its_steps() -> None:
    """Biases drawn for memories of up to 100 steps: LSTM and GRU carry, an Elman network has none of it."""
    ends = {kind: left("chrono", kind) for kind in KINDS}
    assert -0.5 < ends["gru"] < ends["lstm"] < 0
    assert ends["elman"] < -15
    assert left("chrono", block="h") == pytest.approx(-2.6, abs=0.3)  # MATHS, at H = 64 alike
    assert ends["gru"] == pytest.approx(-0.34, abs=0.3)
    assert says_power(reach("stable", "chrono")["left"], ends["lstm"])
    kept = max(math.fsum(map(math.log10, unit)) for unit in trace("chrono").gates["f"].T.tolist())
    assert says_power(slots("cause.gates.open", because("chrono"))["kept"].rstrip("."), kept)
    # the block of h alone tells another story
    found = trace("chrono")
    blocks = {block: float(log10_gradient_norms(found, block=block)[0]) for block in ("h", "c", "state")}
    assert blocks["c"] == pytest.approx(-0.35, abs=0.1)  # MATHS
    said = whole("reach.blocks.state", blocks_words(flow_of(found), blocks))
    assert says_power(said["h"], left("chrono", block="h"))
    assert says_power(said["c"], c_block(found))


def c_block(found: Trace) -> float:
    """log10 ||dc_T/dc_0|| by differences of whole runs from nudged cell states."""
    H, columns = found.cell.hidden_size, []
    for unit in range(H):
        nudge = np.zeros(H)
        nudge[unit] = 1e-5
        ends = [run(found.cell, found.x, found.h[0], found.states[0, H:] + sign * nudge).states[-1] for sign in (1, -1)]
        columns.append((ends[0] - ends[1])[H:] / 2e-5)
    return math.log10(np.linalg.norm(columns, 2))


# --- matrices -------------------------------------------------------------------------------------------------------


def matrix(preset: str) -> Array:
    W = trace(preset).cell.W_hh
    bounds = gradient_bounds(trace(preset).cell)  # type: ignore[arg-type]
    assert bounds.largest_singular_value == pytest.approx(np.linalg.norm(W, 2))
    return W


def in_words(preset: str) -> dict[str, str]:
    W = matrix(preset)
    return slots("spectrum.words", weights_words(W, power_norms(W, 40)))


def test_the_matrix_of_the_textbook() -> None:
    """Radius 0.976 and largest singular value 1.227: it grows by a third before it fades."""
    W = matrix("textbook_matrix")
    assert W.tolist() == [[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]]
    said = in_words("textbook_matrix")
    assert (said["radius"], said["sigma"]) == ("0.9759", "1.227")
    # roots of its characteristic polynomial, and of that of W^T W
    assert max(map(abs, np.roots(np.poly(W)))) == pytest.approx(0.976, abs=5e-4)
    assert math.sqrt(max(np.roots(np.poly(W.T @ W)).real)) == pytest.approx(1.227, abs=5e-4)
    norms = norms_back(trace("textbook_matrix"))
    powers = [math.log10(np.linalg.norm(np.linalg.matrix_power(W, n), 2)) for n in range(40, -1, -1)]
    np.testing.assert_allclose(norms, powers, rtol=0, atol=1e-10)  # linear: no slope bends it
    assert 10 ** max(norms) == pytest.approx(1.34, abs=0.005)
    assert norms[0] < 0


def test_a_matrix_of_radius_08_grows_eightfold_and_fades() -> None:
    """Of the gradient: 8.2 four steps back, and a few hundredths at the first step."""
    assert in_words("transient")["radius"] == "0.8"
    W, norms = matrix("transient"), norms_back(trace("transient"))
    assert np.linalg.eigvals(W).tolist() == [0.8, 0.8]
    powers = [math.log10(np.linalg.norm(np.linalg.matrix_power(W, n), 2)) for n in range(40, -1, -1)]
    np.testing.assert_allclose(norms, powers, rtol=0, atol=1e-10)
    assert norms.index(max(norms)) == 36
    assert 8.2 < 10 ** max(norms) < 8.3
    assert 10 ** norms[0] < 0.03


def test_a_matrix_of_radius_0_explodes() -> None:
    """Its square is 0, and with unit 1 saturated a step multiplies by 1.5."""
    W = matrix("nilpotent")
    assert not (W @ W).any()
    assert in_words("nilpotent")["radius"] == "0"
    found = trace("nilpotent")
    assert (1 - found.h[1:, 0] ** 2 < 0.01).all()
    np.testing.assert_allclose(found.h[1:, 1], 0.0, atol=1e-12)
    wanted = [(n - 1) * math.log10(1.5) + math.log10(1.5 * math.sqrt(2)) for n in range(40, 0, -1)]
    np.testing.assert_allclose(norms_back(found)[:-1], wanted, rtol=0, atol=2e-3)  # saturated, not gone
    assert says_power(reach("exploding", "nilpotent")["left"], norms_back(found)[0])
    assert slots("cause.singular.interplay", because("nilpotent"))["weights"] == "0"


def test_a_rotation_keeps_every_length_at_every_step() -> None:
    W = matrix("rotation")
    np.testing.assert_allclose(W @ W.T, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(np.linalg.matrix_power(W, 12), np.eye(2), atol=1e-14)  # a turn of 30 degrees
    np.testing.assert_allclose(norms_back(trace("rotation")), 0.0, atol=1e-13)
    said = in_words("rotation")
    assert (said["radius"], said["sigma"], said["left"]) == ("1", "1", "1")
    assert reach("constant", "rotation")["left"] == "1"


# --- on the page of its cell ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "kind"), [(name, kind) for name in EVERY for kind in KINDS if name in ALL_PRESETS[kind]]
)
def test_the_page_of_a_cell_has_something_to_say_of_it(preset: str, kind: str) -> None:
    """Where it can be opened by its name: a sentence with a number of its trace."""
    settings = Settings(preset, kind=kind)
    ran = run_network(build(network_of(settings)))
    assert re.search(r"\d", preset_of(settings).fact(ran.trace, ran.y))
