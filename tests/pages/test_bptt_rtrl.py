"""The page on backpropagation driven without a browser: the bars, the truncation, what is to be learned, addresses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from rnnviz import bptt, run, step_jacobians
from rnnviz.network import Objective, build, network_of, objective_of, of_cell, parts_of, run_network
from rnnviz.presets import BPTT_RTRL, cell_of
from rnnviz.settings import KINDS, Entry, Settings, Value
from rnnviz.texts import say
from tests.maths.twins import differentiable_states, tensor
from tests.pages.driven import App
from tests.views.spoken import somewhere
from tests.views.written import says, says_power

Array = NDArray[np.float64]

PAGE = "bptt_rtrl"


def opened(**query: object) -> App:
    return App({name: str(value) for name, value in query.items()}, PAGE)


def objective(preset: str = "lesson", kind: str = "", **chosen: Value) -> Objective:
    """What the page is to show, made without it."""
    front = cell_of(preset)
    page = Settings(preset, kind=front, beside=tuple(one for one in KINDS if one != front), gallery="bptt_rtrl")
    settings = of_cell(page.choose(**chosen), kind or front)
    return objective_of(run_network(build(network_of(settings))).of(1), parts_of(settings).objective)


def bars(app: App) -> list[float]:
    """The contributions as the table has them, those with truncation where there are two columns, and the gradient."""
    app.unfold("uses").unfold("uses numbers")
    contributions = app.test.dataframe[0].value
    said = somewhere("use.rounding", app.text)
    assert said is not None
    whole = contributions[say("use.column.whole")].tolist()
    return [*contributions.iloc[:, -1].tolist(), sum(whole)]


def test_the_page_opens_with_the_worked_example() -> None:
    app = opened()
    assert app.words == []
    assert app.address == {}
    assert say("bptt_rtrl.title") in app.text
    gradient = bptt(objective().trace, objective().d_h)
    *parts, total = bars(app)
    np.testing.assert_allclose(total, np.linalg.norm(gradient.W_hh), atol=1e-6)
    np.testing.assert_allclose(sum(parts), total, atol=1e-5)


@pytest.mark.parametrize("preset", BPTT_RTRL)
@pytest.mark.parametrize("kind", KINDS)
def test_every_preset_in_every_cell(preset: str, kind: str) -> None:
    app = opened(preset=preset).unfold("uses")
    app.set("cell", kind)
    assert app.words == []
    gradient = bptt(objective(preset, kind).trace, objective(preset, kind).d_h)
    said = somewhere("use.sum", app.text)
    assert said is not None
    assert says(said["total"].split(" ")[-1], float(np.linalg.norm(gradient.W_hh)))


def test_an_entry_of_a_weight() -> None:
    app = opened(row=2, column=3)
    gradient = bptt(objective().trace, objective().d_h)
    *parts, total = bars(app)
    np.testing.assert_allclose(parts, gradient.by_use["W_hh"][:, 1, 2], atol=1e-6)
    np.testing.assert_allclose(total, gradient.W_hh[1, 2], atol=1e-6)
    app.set("weight", "b_ih")
    assert app.address == {"row": "2", "column": "3", "weight": "b_ih"}
    np.testing.assert_allclose(bars(app)[:-1], gradient.by_use["b_ih"][:, 1], atol=1e-6)


def test_a_row_brings_a_column_and_none_takes_both_back() -> None:
    app = opened()
    app.set("row of 3", 2)
    assert app.address == {"row": "2", "column": "1"}
    app.set("column of 3", 3)
    assert app.address == {"row": "2", "column": "3"}
    app.set("row of 3", 0)
    assert app.address == {}


def test_an_entry_outside_the_weight_is_named() -> None:
    app = opened(row=9, column=1)
    assert say("use.outside", weight="W_hh", shape="3 × 3") in app.text
    np.testing.assert_allclose(bars(app)[-1], np.linalg.norm(bptt(objective().trace, objective().d_h).W_hh), atol=1e-6)


@pytest.mark.parametrize("scheme", ["sliding", "chunk"])
def test_the_truncation(scheme: str) -> None:
    app = opened(scheme=scheme)
    app.set("truncation of 8", 3)
    assert app.address == {"truncation": "3"} | ({"scheme": scheme} if scheme != "sliding" else {})
    whole = bptt(objective().trace, objective().d_h)
    cut = bptt(objective().trace, objective().d_h, truncation=3, scheme=scheme)
    said = somewhere("use.cut", app.text)
    assert said is not None
    assert says(said["ratio"], float(np.linalg.norm(cut.W_hh) / np.linalg.norm(whole.W_hh)))
    assert says(
        said["thrown"].removesuffix(" %"),
        100 * float(np.linalg.norm(cut.W_hh - whole.W_hh) / np.linalg.norm(whole.W_hh)),
    )
    assert say("use.cut.biased") in app.text
    direction = whole.W_hh / np.linalg.norm(whole.W_hh)
    np.testing.assert_allclose(bars(app)[:-1], [(use * direction).sum() for use in cut.by_use["W_hh"]], atol=1e-12)
    app.set("truncation of 8", 1)
    assert somewhere("use.cut_by.detach", app.text) is not None
    app.set("truncation of 8", 8)
    assert "truncation" not in app.address
    assert say("use.cut.biased") not in app.text


def test_a_truncation_beyond_the_sequence_cuts_nothing_and_says_so() -> None:
    app = opened(truncation=50)
    assert say("use.beyond", most=50, steps=8) in app.text
    assert say("use.cut.biased") not in app.text
    assert opened(truncation=-1).words != []  # not a number of the table


def test_an_edit_is_in_the_bars() -> None:
    entry = Entry("W_hh", (1, 2))
    app = opened(**{entry.address: "0.9"})
    assert app.address == {entry.address: "0.9"}
    edited = Settings("lesson").edit({entry: 0.9})
    found = objective_of(run_network(build(network_of(edited))).of(1), parts_of(edited).objective)
    gradient = bptt(found.trace, found.d_h)
    *parts, total = bars(app)
    np.testing.assert_allclose(total, np.linalg.norm(gradient.W_hh), atol=1e-6)
    np.testing.assert_allclose(sum(parts), total, atol=1e-5)
    assert total != bars(opened())[-1]


def test_a_loss_that_does_not_fit_is_a_sentence_and_the_page_lives() -> None:
    app = opened(loss="cross_entropy")
    (said,) = app.words
    assert "needs at least 2 outputs" in said
    app.set("loss", "squared")
    assert app.words == []
    app = opened(loss="cross_entropy", output_size=3)
    assert app.words == []
    assert somewhere("loss.cross_entropy.every", app.text) is not None


def test_one_step_from_nothing_teaches_w_hh_nothing() -> None:
    app = opened(preset="first_step", steps=1).unfold("uses")
    assert say("objective.fact.one_step") in app.text
    assert say("step_one.alone") in app.text
    assert somewhere("use.nothing", app.text) is not None
    assert bars(app) == [0.0, 0.0]


def test_of_a_stack_the_top_layer_is_shown() -> None:
    app = opened(preset="first_step", layers=2)
    assert say("stack.top_layer", layers=2) in app.text
    found = objective("first_step", layers=2)
    np.testing.assert_allclose(bars(app)[-1], np.linalg.norm(bptt(found.trace, found.d_h).W_hh), atol=1e-6)
    assert [node for node in app.test.main if getattr(node, "key", None) == f"{PAGE} layer"] == []


@pytest.mark.parametrize(
    ("preset", "kind"), [("first_step", "elman"), ("first_step_lstm", "lstm"), ("first_step", "gru")]
)
def test_how_much_of_the_last_error_is_left_by_products_of_jacobians(preset: str, kind: str) -> None:
    app = opened(preset=preset, cell=kind, loss_at="every", delay=1)
    found = objective(preset, kind, loss_at="every", delay=1)
    trace, d_h = found.trace, found.d_h
    H = trace.cell.hidden_size

    def length(handed: Array, step: int) -> float:
        """Of the error at a state, to which h of an LSTM adds its part at c."""
        whole = handed.copy()
        if kind == "lstm":
            whole[H:] += handed[:H] * trace.gates["o"][step - 1] * (1.0 - np.tanh(trace.states[step, H:]) ** 2)
        return float(np.linalg.norm(whole))

    last = np.zeros(trace.states.shape[1])
    last[:H] = d_h[-1]
    first = np.linalg.multi_dot([last, *step_jacobians(trace)[:0:-1]])
    said = [somewhere(f"objective.norm.{key}", app.text) for key in ("shrinks", "grows")]
    (share,) = [one["share"] for one in said if one is not None]
    wanted = math.log10(length(first, 1) / length(last, trace.steps))
    assert says_power(share.split(" ")[0], wanted)
    told = somewhere("step_one.words", app.text)
    assert told is not None
    assert says_power(told[kind].split(" ")[0], wanted)


@pytest.mark.parametrize("preset", ["first_step", "first_step_lstm"])
def test_what_reaches_step_1_of_all_three_cells(preset: str) -> None:
    """The fold is open with these presets, and says the shares that torch's own gradients have."""
    app = opened(preset=preset)
    told = somewhere("step_one.words", app.text)
    assert told is not None
    table = app.unfold("step one numbers").test.dataframe[0].value
    for row, kind in enumerate(KINDS):
        found = objective(preset, kind)
        states = differentiable_states(found.trace)
        h = states[-1][: found.trace.cell.hidden_size]
        loss = ((tensor(found.readouts[0].W) @ h + tensor(found.readouts[0].b) - tensor(found.target[-1])) ** 2).sum()
        first = torch.autograd.grad(loss, states[1], retain_graph=True)[0]
        if kind == "lstm":  # the same with h_1 counted into c_1
            H, trace = found.trace.cell.hidden_size, found.trace
            first[H:] += first[:H] * tensor(trace.gates["o"][0] * (1 - np.tanh(trace.states[1, H:]) ** 2))
        assert table[say("step_one.column.first")][row] == pytest.approx(float(first.norm()), rel=1e-9)
        last = table[say("step_one.column.last", t=20)][row]
        assert says_power(told[kind].split(" ")[0].rstrip("."), math.log10(float(first.norm()) / last))
    assert say("step_one.note") in app.text
    assert somewhere("step_one.medians", app.text) is not None


def test_the_next_value_as_target() -> None:
    """The last step has no target, no loss, and the page says so."""
    app = opened(delay=-1)
    assert app.words == []
    assert say("target.next", steps=8) in app.text
    assert not any(app.seen.vector("from_loss", 8))
    assert app.seen.header["notices"][-1][1] == say("backward.begins.no_target")
    found = objective(delay=-1)
    for t in range(1, 8):
        assert app.seen.vector("target", t) == [found.trace.x[t, 0]]
    app.set("loss_at", "last")
    said = somewhere("loss.squared.one", app.text)
    assert said is not None
    assert said["t"] == "7"
    assert any("needs at least 2 steps" in text for text in opened(delay=-1, steps=1, preset="first_step").words)
    assert opened(delay=-2).words != []


def test_a_text_has_letters_as_targets() -> None:
    app = opened(input="text", text="machine", delay=-1, loss="cross_entropy", output_size=7)
    assert app.words == []
    assert say("target.letters", text="machine", letters=r"achine·") in app.text


@pytest.mark.parametrize(("weight", "name"), [("W_ho", "W"), ("b_o", "b")])
def test_the_readout_has_a_gradient_too(weight: str, name: str) -> None:
    app = opened(weight=weight, truncation=2)
    gradient = getattr(objective().path.readouts[0], name)
    np.testing.assert_allclose(bars(app)[-1], np.linalg.norm(gradient), rtol=1e-12)
    assert somewhere("use.cut.readout", app.text) is not None
    assert say("use.no_weight", asked="W_out", weight="W_hh") in opened(weight="W_out").text
    app = opened(weight="W_out", layers=2, stack="readout", preset="first_step")
    np.testing.assert_allclose(
        bars(app)[-1], np.linalg.norm(objective("first_step", layers=2, stack="readout").path.readouts[1].W), rtol=1e-12
    )


def test_a_run_that_ends_early_says_so() -> None:
    app = opened(preset="first_step", activation="identity", gain=10, steps=1000, output_activation="tanh")
    (said,) = app.words
    assert somewhere("objective.ended", said) is not None
    assert "of 1000" in said


def test_one_sequence_of_a_batch() -> None:
    app = opened(preset="first_step", sequences=2, sequence=2)
    assert say("objective.sequence", count=2, number=2) in app.text
    first = bars(opened(preset="first_step", sequences=2))
    assert bars(app) != first
    assert first == bars(opened(preset="first_step"))


def test_numbers_that_run_over_can_be_taken_back() -> None:
    app = opened(activation="relu", **{"W_hh.1.1": "1e200"})
    assert any("The loss overflows" in said for said in app.words)
    app.press("unedited")
    assert app.words == []
    assert app.address == {"activation": "relu"}


def test_a_network_comes_from_its_cells_page_and_goes_back() -> None:
    """With its edits, and without what only this page asks of it."""
    entry = Entry("W_hh", (1, 0))
    app = App({"preset": "oscillator", entry.address: "0.9"}, "hidden_state").go(PAGE)
    app.press("take elman")
    assert app.address == {"preset": "oscillator", entry.address: "0.9"}
    app.set("delay", 3)
    assert app.address == {"preset": "oscillator", "delay": "3", entry.address: "0.9"}
    assert app.link("hidden_state") == {"preset": "oscillator", entry.address: "0.9"}
    assert app.link("gradient_flow") == {"preset": "oscillator", entry.address: "0.9"}
    app.set("preset", "lesson")
    assert app.address == {}


def test_random_cells_beside_weights_set_by_hand_are_no_comparison() -> None:
    app = App({"preset": "lesson"}, PAGE).unfold("step one")
    assert say("step_one.note.hand_set", cell="Elman") in app.text
    assert say("step_one.note") not in app.text


def test_what_the_round_and_the_straight_d_mean() -> None:
    """By differences: h moves at one step, with the steps after it or without; a weight moves at all steps."""
    assert say("backward.letters") in opened().text
    found, small = objective(), 1e-6
    trace, t = found.trace, 3
    gradient = bptt(trace, found.d_h)
    for unit in range(trace.cell.hidden_size):
        ends = []
        for way in (small, -small):
            moved = trace.h.copy()
            moved[t, unit] += way
            alone = found.loss_of(moved[1:])[0].value
            moved[t:] = run(trace.cell, trace.x[t:], moved[t]).h
            ends.append((alone, found.loss_of(moved[1:])[0].value))
        of_step, through_all = ((up - down) / (2 * small) for up, down in zip(*ends, strict=True))
        assert gradient.backward.from_loss[t - 1, unit] == pytest.approx(of_step, abs=1e-7)
        assert gradient.h[t, unit] == pytest.approx(through_all, abs=1e-7)
    losses = []
    for way in (small, -small):
        W_hh = np.array(trace.cell.W_hh)
        W_hh[0, 1] += way
        losses.append(found.loss_of(run(replace(trace.cell, W_hh=W_hh), trace.x, trace.h[0]).h[1:])[0].value)
    assert gradient.W_hh[0, 1] == pytest.approx((losses[0] - losses[1]) / (2 * small), abs=1e-7)
    assert gradient.by_use["W_hh"][:, 0, 1].sum() == pytest.approx(gradient.W_hh[0, 1], rel=1e-12)
