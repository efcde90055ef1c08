"""Cells beside each other: the same sizes and sequence for all, one in front, and what the address says of it."""

from __future__ import annotations

from dataclasses import fields, replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rnnviz import Clamp
from rnnviz.network import (
    base_arrays,
    build,
    canonicalise,
    choose,
    follow,
    follow_text,
    in_front,
    network_of,
    of_cell,
    run_network,
    values_of,
)
from rnnviz.presets import ALL_PRESETS, BPTT_RTRL, GRADIENT_FLOW, PRESETS, SPECTRA, buttons, cell_of, default_preset
from rnnviz.sequences import one_hot
from rnnviz.settings import (
    FLOW_SETTINGS,
    KINDS,
    OBJECTIVE_SETTINGS,
    SETTINGS,
    Entry,
    LearningSettings,
    ObjectiveSettings,
    Problem,
    Settings,
    Value,
    ViewSettings,
    array_of,
    parse_address,
)
from rnnviz.ui import state as ui_state
from rnnviz.ui.links import beside_others
from rnnviz.ui.state import PageState, address_of
from tests.settings.drawn import all_settings, allowed, bits, others, side_by_side

near = st.integers(0, 3)
anything = side_by_side(near).map(lambda one: canonicalise(one)[0])
"""As a page holds them: in their one canonical form."""

EDITED = {Entry(name, place): 7.0 for name, place in (("W_hh", (0, 0)), ("b_ih", (0,)), ("h0", (0,)), ("x", (1, 0)))}
OWN = ((0.5, -0.25), (1.0, 2.0), (0.0, -3.0))


def page(preset: str, kind: str = "elman", **chosen: Value) -> Settings:
    """Settings of the page with all cells."""
    return Settings(preset, kind=kind, beside=others(kind)).choose(**chosen)


def opened(query: dict[str, str]) -> tuple[Settings, tuple[Problem, ...]]:
    """What the page makes of an address; whether its networks run is asked elsewhere."""
    state = PageState(page("pytorch"))
    with mock.patch.object(ui_state, "require_to_run"):
        ui_state._adopt(state, query)
    return state.settings, state.problems


# --- one of them in front -------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(anything, st.permutations(KINDS))
def test_another_cell_comes_to_the_front(one: Settings, order: list[str]) -> None:
    """It is settled, brings the others along in their order, and asked for again it stays as it is."""
    for kind in order:
        shown = in_front(one, kind)
        assert (shown.kind, shown.beside) == (kind, others(kind))
        assert canonicalise(shown) == (shown, ())
        assert in_front(shown, kind) == shown
        assert of_cell(shown, kind) == of_cell(one, kind)
    assert in_front(one, one.kind) == one


@settings(max_examples=50)
@given(anything)
def test_all_cells_have_the_same_sizes_and_read_the_same_sequences(one: Settings) -> None:
    """The sequences that are in front, edits and all, be they generated, the preset's, a text's or the reader's own."""
    front = build(network_of(one))
    for kind in KINDS:
        single = of_cell(one, kind)
        assert (single.kind, single.beside) == (kind, ())
        assert canonicalise(single) == (single, ())
        network = build(network_of(single))
        assert network.cell.kind == kind
        assert len(network.xs) == len(front.xs)
        for x, wanted in zip(network.xs, front.xs, strict=True):
            np.testing.assert_array_equal(x, wanted)  # 0 and -0 are one number to the cache
        assert [cell.hidden_size for cell in network.cells] == [cell.hidden_size for cell in front.cells]
        assert (single.layer, single.sequence) == (one.layer, one.sequence)


@settings(max_examples=50)
@given(anything)
def test_weights_and_held_gates_go_and_the_edits_of_x_stay(one: Settings) -> None:
    """An entry of W_hh, or a gate that is held, means nothing to another kind of cell."""
    of_x = tuple((entry, value) for entry, value in one.edits if array_of(entry.name) == "x")
    for kind in one.beside:
        shown = in_front(one, kind)
        assert (shown.edits, shown.clamps) == (of_x, ())
    assert of_cell(one, one.kind).edits == one.edits
    assert of_cell(one, one.kind).clamps == one.clamps


@settings(max_examples=50)
@given(anything)
def test_what_only_another_cell_has_survives_a_change_and_back(one: Settings) -> None:
    """The bias of an LSTM's forget gate is there again when the LSTM is."""
    before = {name: value for name, value in values_of(one).items() if name not in ("h0", "c0", "input", "sequences")}
    for kind in one.beside:
        there = in_front(one, kind)
        for shown in (there, in_front(there, one.kind)):
            assert {name: values_of(shown)[name] for name in before} == before


@pytest.mark.parametrize("preset", GRADIENT_FLOW)
def test_the_presets_of_the_page_stay_when_the_cell_changes(preset: str) -> None:
    """There and back is nowhere: bias_f, h0 and the rest as they were."""
    before = page(preset, "elman", bias_f=2.0, gain=1.5, threshold=5, opened=4)
    for kind in ("lstm", "gru"):
        there = in_front(before, kind)
        assert (there.preset, there.chosen) == (preset, before.chosen)
        assert in_front(there, "elman") == before
    assert values_of(in_front(before, "lstm"))["bias_f"] == 2.0


def test_edits_and_held_gates_by_example() -> None:
    shown = page("forget_1", "lstm", bias_f=2.5).edit(dict(EDITED))
    shown = replace(shown, clamps=((1, Clamp("f", 1.0)),))
    assert canonicalise(shown) == (shown, ())
    gone = in_front(shown, "gru")
    assert [entry.name for entry, _ in gone.edits] == ["x"]
    assert gone.clamps == ()
    assert dict(gone.chosen) == {"bias_f": 2.5}
    assert in_front(gone, "lstm").clamps == ()


@pytest.mark.parametrize(
    ("preset", "kind"), [(name, "elman") for name in SPECTRA] + [("latch", "gru"), ("echo", "elman")]
)
def test_a_preset_that_only_one_cell_has_gives_way_to_random_weights_of_its_sizes(preset: str, kind: str) -> None:
    one = page(preset, kind)
    for other in one.beside:
        shown = in_front(one, other)
        assert shown.preset == "random"
        for name in ("hidden_size", "input_size", "steps", "output_size", "activation"):
            assert values_of(shown)[name] == values_of(one)[name]


@pytest.mark.parametrize("own", [OWN, ((2.0,),), None])
@pytest.mark.parametrize("preset", [*SPECTRA, "latch", "worked_example"])
def test_the_readers_own_sequence_is_read_by_all(preset: str, own: tuple[tuple[float, ...], ...] | None) -> None:
    """Over that of the preset; without one, theirs is the preset's."""
    kind = "lstm" if preset == "latch" else "elman"
    one = page(preset, kind)
    one = follow(one, own) if own else one
    wanted = [list(row) for row in own] if own else build(network_of(one)).x.tolist()
    for cell in KINDS:
        assert build(network_of(of_cell(one, cell))).x.tolist() == wanted


def test_all_sequences_of_a_batch_come_along_with_the_one_shown() -> None:
    """Also those that a preset makes of its own."""
    one = canonicalise(replace(page("nilpotent", sequences=3), sequence=3))[0]
    front = build(network_of(one)).xs
    assert len({x.tobytes() for x in front}) == 3
    for cell in KINDS:
        single = of_cell(one, cell)
        assert single.sequence == 3
        assert [x.tolist() for x in build(network_of(single)).xs] == [x.tolist() for x in front]


# --- a choice -------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(anything, st.data())
def test_a_choice_keeps_the_cells_and_is_settled(one: Settings, data: st.DataObject) -> None:
    names = [name for name in SETTINGS if name not in ("h0", "c0")]
    name = data.draw(st.sampled_from(["preset", *names]))
    on_the_page = [*buttons(*one.kinds), *SPECTRA, one.preset]
    value = data.draw(st.sampled_from(on_the_page) if name == "preset" else allowed(SETTINGS[name], *KINDS))
    after = choose(one, name, value)
    assert canonicalise(after) == (after, ())
    assert after.beside == others(after.kind)
    if name != "preset":
        assert after.kind == one.kind
        assert values_of(after)[name] == value or (name == "input" and value == "preset")
    else:
        assert after.preset == value
        assert after.kind == (cell_of(str(value)) or one.kind)


@pytest.mark.parametrize("preset", [*GRADIENT_FLOW, *SPECTRA])
def test_a_preset_puts_its_cell_in_front_and_leaves_how_it_is_shown(preset: str) -> None:
    """And nothing else: sequence, edits and held gates belonged to the last network."""
    before = page("forget_5", "lstm", together="one", threshold=7, block="c", notation="joined", gain=3.0, opened=5)
    before = replace(before.edit(dict(EDITED)), x=OWN, clamps=((1, Clamp("o", 0.5)),), t=2)
    shown = page(preset, cell_of(preset))
    shown = shown.choose(together="one", threshold=7, block="c", notation="joined")
    assert choose(before, "preset", preset) == shown


def test_which_cell_a_preset_puts_in_front() -> None:
    assert {name: cell_of(name) for name in GRADIENT_FLOW} == {
        "pytorch": "elman",
        "vanishes": "elman",
        "saturates": "elman",
        "explodes": "elman",
        "edge_of_chaos": "elman",
        "identity_rnn": "elman",
        "lstm_pytorch": "lstm",
        "forget_1": "lstm",
        "forget_5": "lstm",
        "chrono": "lstm",
    }
    assert {cell_of(name) for name in SPECTRA} == {"elman"}
    assert {cell_of(name) for named in PRESETS.values() for name in named} == {""}
    assert cell_of("nothing of the kind") == ""


def test_the_buttons_of_a_page_and_the_preset_that_it_begins_with() -> None:
    for kind in KINDS:
        assert buttons(kind) == tuple(PRESETS[kind])
        assert default_preset(kind) == next(iter(PRESETS[kind]))
        assert buttons(kind, *others(kind)) == tuple(GRADIENT_FLOW)
        assert default_preset(kind, *others(kind)) == "pytorch"
        # What stands in one place under a name stands under no other in the same place.
        assert set(GRADIENT_FLOW).isdisjoint(PRESETS[kind])
        assert buttons(kind, *others(kind), gallery="bptt_rtrl") == tuple(BPTT_RTRL)
        assert default_preset(kind, *others(kind), gallery="bptt_rtrl") == (
            "lesson" if kind == "elman" else "first_step"
        )
        assert set(BPTT_RTRL).isdisjoint({*PRESETS[kind], *GRADIENT_FLOW, *SPECTRA})
        drawn = {name for name, preset in BPTT_RTRL.items() if not preset.weights}
        own = {*SPECTRA, *BPTT_RTRL} if kind == "elman" else drawn
        assert set(ALL_PRESETS[kind]) == {*PRESETS[kind], *GRADIENT_FLOW, *own}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("preset", GRADIENT_FLOW)
def test_every_preset_of_the_page_runs_with_every_cell(preset: str, kind: str) -> None:
    """Over the same sequence, of the sizes that MATHS names: 100 steps, 32 units, 4 inputs."""
    ran = run_network(build(network_of(of_cell(page(preset, GRADIENT_FLOW[preset].cell), kind))))
    assert ran.trace.cell.kind == kind
    assert ran.trace.x.shape == (100, 4)
    assert ran.trace.h.shape == (101, 32)
    assert np.isfinite(ran.trace.states).all()


@pytest.mark.parametrize("preset", SPECTRA)
def test_every_matrix_to_try_runs(preset: str) -> None:
    trace = run_network(build(network_of(of_cell(page(preset), "elman")))).trace
    assert trace.steps == 40
    np.testing.assert_array_equal(trace.cell.W_hh, SPECTRA[preset].weights["W_hh"])
    assert not trace.cell.b_ih.any()
    assert not trace.cell.b_hh.any()


# --- the address ----------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(anything)
@example(page("pytorch"))
@example(page("pytorch", "gru"))
@example(page("forget_1", "lstm"))
@example(page("forget_1", "elman", bias_f=3.0))
def test_a_copied_address_shows_the_same_cells(one: Settings) -> None:
    """Bit for bit, which of them is in front, and in which order the others stand beside it."""
    back, problems = opened(address_of(one))
    assert problems == ()
    assert bits(back) == bits(one)


@settings(max_examples=60)
@given(anything)
def test_the_link_to_the_page_of_a_cell_carries_its_network(one: Settings) -> None:
    """Nothing in it is unknown there, whatever was chosen for the other cells."""
    for kind in KINDS:
        single = of_cell(one, kind)
        back, unreadable = parse_address(address_of(single), ALL_PRESETS[kind], default_preset(kind), kind)
        settled, outside = canonicalise(back)
        assert unreadable + outside == ()
        assert bits(settled) == bits(single)


@settings(max_examples=60)
@given(all_settings(near, most_steps=300))
def test_the_link_from_the_page_of_a_cell_carries_its_network(one: Settings) -> None:
    """With that cell in front and its weights, edits and held gates as they were."""
    single = canonicalise(one)[0]
    back, problems = opened(address_of(beside_others(single)))
    assert problems == ()
    assert (back.kind, back.beside) == (single.kind, others(single.kind))
    assert bits(of_cell(back, single.kind)) == bits(replace(single, t=1))


@pytest.mark.parametrize(
    ("one", "query"),
    [
        (page("pytorch"), {}),
        (page("pytorch", "lstm"), {"cell": "lstm"}),
        (page("pytorch", "gru", gain=0.5), {"cell": "gru", "gain": "0.5"}),
        (page("forget_1", "lstm"), {"preset": "forget_1"}),
        (page("forget_1", "elman"), {"cell": "elman", "preset": "forget_1"}),
        (page("vanishes"), {"preset": "vanishes"}),
        (page("vanishes", "gru"), {"cell": "gru", "preset": "vanishes"}),
        (page("bracket_depth", "lstm"), {"cell": "lstm", "preset": "bracket_depth"}),
        (page("worked_example"), {"preset": "worked_example"}),
        (Settings("random", kind="lstm"), {"preset": "random"}),  # the page of a cell has no word for it
        (Settings("latch", kind="lstm"), {}),
    ],
)
def test_addresses_to_the_character(one: Settings, query: dict[str, str]) -> None:
    assert address_of(one) == query


@pytest.mark.parametrize(
    ("query", "preset", "kind", "named"),
    [
        ({}, "pytorch", "elman", []),
        ({"cell": "gru"}, "pytorch", "gru", []),
        ({"preset": "chrono"}, "chrono", "lstm", []),
        ({"preset": "chrono", "cell": "elman"}, "chrono", "elman", []),  # the reader chose another cell
        ({"cell": "gru", "preset": "vanishes"}, "vanishes", "gru", []),
        ({"preset": "bracket_depth", "cell": "lstm"}, "bracket_depth", "lstm", []),
        ({"cell": "transformer"}, "pytorch", "elman", ["cell"]),
        ({"cell": ""}, "pytorch", "elman", ["cell"]),
        ({"cell": "LSTM"}, "pytorch", "elman", ["cell"]),
        ({"cell": "transformer", "preset": "forget_1"}, "forget_1", "lstm", ["cell"]),
        ({"preset": "nope", "cell": "gru"}, "pytorch", "gru", ["preset"]),
        ({"preset": "textbook_matrix", "cell": "lstm"}, "pytorch", "lstm", ["preset"]),  # an LSTM has none of it
        ({"preset": "bracket_depth"}, "pytorch", "elman", ["preset"]),
        ({"cell": "elman", "clamp": "f:1"}, "pytorch", "elman", ["clamp"]),
        ({"cell": "lstm", "clamp": "f:1", "block": "c"}, "pytorch", "lstm", []),
        ({"cell": "lstm", "clamp": "z:1"}, "pytorch", "lstm", ["clamp"]),
        ({"threshold": "0", "from_step": "-1", "to_step": "1001"}, "pytorch", "elman",
         ["threshold", "from_step", "to_step"]),
        ({"together": "two", "block": "o", "opened": "x"}, "pytorch", "elman", ["together", "block", "opened"]),
    ],
)  # fmt: skip
def test_which_cell_an_address_puts_in_front(query: dict[str, str], preset: str, kind: str, named: list[str]) -> None:
    """What is wrong with it is named, and the page shows the rest."""
    shown, problems = opened(query)
    assert (shown.preset, shown.kind, shown.beside) == (preset, kind, others(kind))
    assert [problem.name for problem in problems] == named
    assert all(problem.given == query[problem.name] and problem.needed for problem in problems)


def test_a_page_of_one_cell_has_no_word_for_the_cell() -> None:
    for kind in KINDS:
        shown, (problem,) = parse_address({"cell": kind}, PRESETS[kind], default_preset(kind), kind)
        assert shown == Settings(default_preset(kind), kind=kind)
        assert problem.name == "cell"


# --- the scale of the input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", ["noise", "sine", "impulse", "silence"])
def test_a_generated_sequence_is_scaled(kind: str, content: str) -> None:
    one = page("pytorch", kind, input=content, sequences=2)
    plain, scaled = build(network_of(one)).xs, build(network_of(one.choose(input_scale=2.5))).xs
    for x, larger in zip(plain, scaled, strict=True):
        assert [[2.5 * value for value in row] for row in x.tolist()] == larger.tolist()


@pytest.mark.parametrize(("kind", "preset"), [("elman", "nilpotent"), ("elman", "worked_example"), ("lstm", "latch"),
                                             ("lstm", "bracket_depth"), ("gru", "parity")])  # fmt: skip
def test_a_presets_own_sequence_is_scaled(kind: str, preset: str) -> None:
    """Also where each further one is another draw."""
    one = page(preset, kind, sequences=3)
    plain, scaled = build(network_of(one)).xs, build(network_of(one.choose(input_scale=0.25))).xs
    assert any(x.any() for x in plain)
    for x, smaller in zip(plain, scaled, strict=True):
        assert [[0.25 * value for value in row] for row in x.tolist()] == smaller.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("preset", ["pytorch", "saturates"])
def test_what_the_reader_typed_is_never_scaled(kind: str, preset: str) -> None:
    """Neither a sequence, nor a text, nor an edit; a preset that scales the noise does not scale them either."""
    one = page(preset, kind)
    for scale in (0.0, 2.5, 100.0):
        own = follow(one.choose(input_scale=scale), OWN, (OWN[::-1],))
        assert [x.tolist() for x in build(network_of(own)).xs] == [[list(row) for row in x] for x in (OWN, OWN[::-1])]
        text = follow_text(one.choose(input_scale=scale), "hello")
        np.testing.assert_array_equal(build(network_of(text)).x, one_hot("hello"))
        edit = one.choose(input_scale=scale).edit({Entry("x", (2, 1)): 7.0})
        assert build(network_of(edit)).x[2, 1] == 7.0


def test_the_scale_leaves_the_weights_and_their_edits() -> None:
    one = page("pytorch").edit({Entry("W_hh", (0, 0)): 7.0, Entry("x", (0, 0)): 5.0})
    after = choose(one, "input_scale", 3.0)
    assert after.edits == one.edits
    np.testing.assert_array_equal(build(network_of(after)).cell.W_hh, build(network_of(one)).cell.W_hh)


# --- how it is shown ------------------------------------------------------------------------------------------------


SHOWN = sorted(
    {field.name for part in (ViewSettings, ObjectiveSettings, LearningSettings) for field in fields(part)} & {*SETTINGS}
)


@settings(max_examples=50)
@given(anything, st.data())
def test_how_a_network_is_shown_does_not_change_it(one: Settings, data: st.DataObject) -> None:
    """Not even its place in the caches."""
    names = data.draw(st.sets(st.sampled_from(SHOWN), min_size=1))
    after = canonicalise(one.choose(**{name: data.draw(allowed(SETTINGS[name], *KINDS)) for name in sorted(names)}))[0]
    assert network_of(after) == network_of(one)
    assert base_arrays(network_of(after).base) is base_arrays(network_of(one).base)
    assert (after.edits, after.preset, after.kind) == (one.edits, one.preset, one.kind)


def test_what_the_page_alone_has_controls_for_is_shown_or_scales() -> None:
    """Else a network would look other on the page of its cell than here."""
    assert {*FLOW_SETTINGS, *OBJECTIVE_SETTINGS} - set(SHOWN) == {"input_scale"}
    assert set(SHOWN) - {*FLOW_SETTINGS, *OBJECTIVE_SETTINGS} == {"order", "notation"}
