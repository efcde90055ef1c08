"""What a control does to the settings: sizes, seeds, presets, sequences, and which edits survive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp
from rnnviz.network import (
    base_arrays,
    build,
    canonicalise,
    choose,
    follow,
    follow_text,
    network_of,
    parts_of,
    values_of,
    weights_are_hand_set,
)
from rnnviz.presets import default_preset
from rnnviz.settings import KINDS, SETTINGS, Entry, Settings, Value, array_of, choices_of, settings_of
from tests.settings.drawn import EVERY_PRESET, GATED, NAMES, PRESETS, all_settings, allowed, sequences

HAND_SET = [name for name in PRESETS if weights_are_hand_set(Settings(name))]
EVERYWHERE = (
    (Entry("W_hh", (0, 0)), 9.0),
    (Entry("W_ho", (0, 0)), 8.0),
    (Entry("b_ih", (0,)), 7.0),
    (Entry("h0", (0,)), 6.0),
    (Entry("x", (0, 0)), 5.0),
)


def edited(preset: str) -> Settings:
    """A preset with one edit in every kind of array."""
    settings, problems = canonicalise(Settings(preset, edits=EVERYWHERE))
    assert (settings.edits, problems) == (EVERYWHERE, ())
    return settings


def edited_arrays(settings: Settings) -> set[str]:
    return {entry.name for entry, _ in settings.edits}


def test_five_presets_bring_weights_and_two_draw_them() -> None:
    assert set(PRESETS) - set(HAND_SET) == {"chaotic", "random"}


@pytest.mark.parametrize("preset", HAND_SET)
@pytest.mark.parametrize(("name", "value"), [("hidden_size", 5), ("input_size", 4), ("seed", 7), ("gain", 0.5)])
def test_new_weights_mean_random_ones(preset: str, name: str, value: Value) -> None:
    """The choice holds, the rest of the preset stays, and edits of the old weights go."""
    before, after = edited(preset), choose(edited(preset), name, value)
    assert after.preset == "random"
    assert edited_arrays(after) <= {"h0", "x"}
    kept = ("steps", "activation", "output_activation", "output_size")
    assert [values_of(after)[other] for other in kept] == [values_of(before)[other] for other in kept]
    assert values_of(after)[name] == value


@pytest.mark.parametrize(
    ("kind", "preset"), [pair for pair in EVERY_PRESET if weights_are_hand_set(Settings(pair[1], kind=pair[0]))]
)
def test_any_initialisation_replaces_hand_set_weights(kind: str, preset: str) -> None:
    """The first of the menu too, although it is the table's default."""
    for init in choices_of("init", kind):
        after = choose(Settings(preset, kind=kind), "init", init)
        assert (after.preset, after.kind) == ("random", kind)
        assert values_of(after)["init"] == init


@pytest.mark.parametrize(("name", "value"), [("hidden_size", 4), ("seed", 1), ("init", "zeros"), ("gain", 2.0)])
def test_drawn_weights_drop_the_edits_of_the_old_ones(name: str, value: Value) -> None:
    after = choose(edited("random"), name, value)
    assert after.preset == "random"
    assert values_of(after)[name] == value
    assert edited_arrays(after) == {"h0", "x"} or (name == "seed" and edited_arrays(after) == {"h0"})


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("name", "value", "lost"),
    [
        ("activation", "sigmoid", set()),
        ("output_activation", "tanh", set()),
        ("steps", 5, set()),
        ("steps", 200, set()),
        ("input", "sine", {"x"}),
        ("h0", (0.25,), {"h0"}),
    ],
)
def test_edits_survive_what_leaves_their_numbers_alone(preset: str, name: str, value: Value, lost: set[str]) -> None:
    after = choose(edited(preset), name, value)
    assert after.preset == preset
    assert edited_arrays(after) == edited_arrays(edited(preset)) - lost


def test_edits_past_a_shorter_end_go() -> None:
    edits = ((Entry("x", (1, 0)), 1.0), (Entry("x", (6, 0)), 1.0))
    assert choose(Settings("random", edits=edits, t=8), "steps", 4) == Settings(
        "random", (("steps", 4),), None, edits[:1], 4
    )


def test_another_preset_begins_afresh() -> None:
    before = Settings("worked_example", (("activation", "relu"),), ((1.0, 2.0),), EVERYWHERE, 1)
    assert choose(before, "preset", "echo") == Settings("echo")


@pytest.mark.parametrize(("kind", "name"), EVERY_PRESET)
def test_a_choice_equal_to_the_base_is_none(kind: str, name: str) -> None:
    base = after = Settings(name, kind=kind)
    for setting, value in values_of(base).items():
        if setting != "init" or not weights_are_hand_set(base):
            after = choose(after, setting, value)
    assert after == base


def test_choices_stand_over_the_preset_and_the_preset_over_the_table() -> None:
    assert values_of(Settings("echo", (("steps", 5),))) == {
        **{name: setting.default for name, setting in SETTINGS.items() if "elman" in setting.kinds},
        **{"input_size": 1, "activation": "identity"},
        **{"steps": 5},
    }


def test_taking_h0_back_leaves_the_presets_own() -> None:
    chosen = choose(Settings("worked_example"), "h0", (1.0, 2.0, 3.0))
    assert values_of(chosen)["h0"] == (1.0, 2.0, 3.0)
    assert choose(chosen, "h0", None) == Settings("worked_example")


# --- a sequence of the reader's own ---------------------------------------------------------------------------------


@given(all_settings(st.integers(0, 3), most_steps=300), sequences())
def test_a_sequence_sets_D_and_T(settings: Settings, x: tuple[tuple[float, ...], ...]) -> None:
    after = follow(canonicalise(settings)[0], x)
    values = values_of(after)
    assert after.x == x
    assert (values["steps"], values["input_size"]) == (len(x), len(x[0]))
    assert not {"steps", "input_size", "input"} & set(dict(after.chosen))
    assert "x" not in edited_arrays(after)
    assert after.t <= len(x)


def test_a_sequence_that_fits_leaves_hand_set_weights_and_their_edits() -> None:
    after = follow(edited("worked_example"), ((1.0, 2.0),) * 20)
    assert after.preset == "worked_example"
    assert edited_arrays(after) == {"W_hh", "W_ho", "b_ih", "h0"}


@pytest.mark.parametrize("preset", ["worked_example", "random"])
def test_a_sequence_of_another_width_brings_new_weights(preset: str) -> None:
    """As the slider for D does, so the edits of the old weights go with it."""
    after = follow(edited(preset), ((1.0, 2.0, 3.0),) * 4)
    assert after.preset == "random"
    assert edited_arrays(after) == {"h0"}


@pytest.mark.parametrize(("name", "value"), [("steps", 5), ("input_size", 3), ("input", "silence")])
def test_generating_a_sequence_again_drops_the_own_one(name: str, value: Value) -> None:
    own = follow(Settings("random"), ((1.0, 2.0),) * 4)
    after = choose(own, name, value)
    assert after.x is None
    assert values_of(after)[name] == value


@pytest.mark.parametrize(("name", "value"), [("hidden_size", 5), ("activation", "relu"), ("seed", 3), ("h0", (1.0,))])
def test_all_else_leaves_the_own_one(name: str, value: Value) -> None:
    own = follow(Settings("worked_example"), ((1.0, 2.0),) * 4)
    assert choose(own, name, value).x == own.x


@given(all_settings(st.integers(0, 3), most_steps=300), st.data())
def test_a_choice_gives_settled_settings(settings: Settings, data: st.DataObject) -> None:
    kind = settings.kind
    name = data.draw(st.sampled_from(["preset", *settings_of(kind)]))
    value = data.draw(st.sampled_from(NAMES[kind]) if name == "preset" else allowed(SETTINGS[name], kind))
    settled = canonicalise(settings)[0]
    if name in ("h0", "c0"):  # of the length that the network needs
        size = int(str(values_of(settled)["hidden_size"]))
        value = (value * size)[:size]
    after = choose(settled, name, value)
    assert canonicalise(after) == (after, ())
    assert set(dict(after.chosen)) <= set(settings_of(kind))
    assert after.preset in NAMES[kind]
    assert after.kind == kind


# --- kinds of cells -------------------------------------------------------------------------------------------------


def test_each_kind_has_the_settings_that_act_on_it() -> None:
    special = {"activation", "reset", "update", "c0", "order", "block", *(f"bias_{gate}" for gate in "ifgorzn")}
    common = set(SETTINGS) - special
    assert set(settings_of("elman")) == common | {"activation"}
    assert set(settings_of("lstm")) == common | {"c0", "order", "block", "bias_i", "bias_f", "bias_g", "bias_o"}
    assert set(settings_of("gru")) == common | {"reset", "update", "order", "bias_r", "bias_z", "bias_n"}


def test_words_that_not_every_kind_has() -> None:
    limited = {(name, word, kind) for name in SETTINGS for word in SETTINGS[name].choices for kind in KINDS}
    limited -= {(name, word, kind) for kind in KINDS for name in SETTINGS for word in choices_of(name, kind)}
    written = {("notation", word, kind) for word in ("row", "letters") for kind in GATED}
    assert limited == {("init", "chrono", "elman")} | written


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_begins_with_its_first_preset_and_has_a_random_one(kind: str) -> None:
    assert default_preset(kind) == NAMES[kind][0]
    assert weights_are_hand_set(Settings(default_preset(kind), kind=kind))
    assert not weights_are_hand_set(Settings("random", kind=kind))


FOREIGN: list[tuple[str, str, Value, str]] = [
    ("elman", "init", "chrono", "one of these: torch, xavier"),
    ("elman", "c0", (1.0,), "no such setting"),
    ("elman", "bias_f", 2.0, "no such setting"),
    ("lstm", "notation", "row", "one of these: column, joined"),
    ("lstm", "activation", "relu", "no such setting"),
    ("gru", "c0", (1.0, 2.0), "no such setting"),
]


@pytest.mark.parametrize("preset", ["random", None])
@pytest.mark.parametrize(("kind", "name", "value", "needed"), FOREIGN)
def test_a_choice_that_a_kind_lacks_is_named_and_left_out(
    kind: str, name: str, value: Value, needed: str, preset: str | None
) -> None:
    """Hand-set weights stay: nothing new was asked for."""
    base = Settings(preset or default_preset(kind), kind=kind)
    settled, (problem,) = canonicalise(base.choose(**{name: value, "output_activation": "tanh"}))
    assert settled == base.choose(output_activation="tanh")
    assert (problem.name, problem.given) == (name, SETTINGS[name].write(value))
    assert needed in str(problem.needed)


@pytest.mark.parametrize("kind", GATED)
def test_another_preset_lets_go_of_the_gates_and_keeps_the_notation(kind: str) -> None:
    before = Settings("random", (("notation", "joined"), ("gain", 0.5)), kind=kind, clamps=((1, Clamp("o", 1.0)),))
    assert choose(before, "preset", "latch") == Settings("latch", (("notation", "joined"),), kind=kind)


def test_a_c0_of_the_wrong_length_is_named() -> None:
    settled, (problem,) = canonicalise(Settings("random", (("c0", (1.0, 2.0)),), kind="lstm"))
    assert settled == Settings("random", kind="lstm")
    assert (problem.name, problem.given) == ("c0", "1,2")
    assert "all units, or 3 numbers, one for each unit." in str(problem.needed)


def test_another_size_takes_the_c0_of_the_preset_along_only_where_it_fits() -> None:
    copies = Settings("copy_forever", kind="lstm")
    assert values_of(choose(copies, "seed", 3))["c0"] == (0.9, -0.5, 0.2)
    assert values_of(choose(copies, "hidden_size", 5))["c0"] == ()


# --- biases that a choice moves -------------------------------------------------------------------------------------


def biases_edited(kind: str, **chosen: Value) -> Settings:
    """A stack with an edit in each gate's rows of b_ih, in both layers, and one of W_hh."""
    entries = [Entry(name, (row,)) for name in ("b_ih", "2.b_ih") for row in range(0, 12 if kind == "lstm" else 9, 3)]
    edits = dict.fromkeys([*entries, Entry("b_hh", (0,)), Entry("W_hh", (0, 0)), Entry("x", (0, 0))], 7.0)
    settings = Settings("random", kind=kind).choose(layers=2, **chosen).edit(edits)
    assert canonicalise(settings) == (settings, ())
    return settings


def lost(before: Settings, after: Settings) -> set[str]:
    return {entry.address for entry, _ in before.edits} - {entry.address for entry, _ in after.edits}


@pytest.mark.parametrize(
    ("kind", "gate", "row"), [("lstm", "f", 4), ("lstm", "o", 10), ("gru", "r", 1), ("gru", "n", 7)]
)
def test_a_raised_bias_drops_the_edits_that_would_hide_it(kind: str, gate: str, row: int) -> None:
    before = biases_edited(kind)
    after = choose(before, f"bias_{gate}", 1.5)
    assert lost(before, after) == {f"b_ih.{row}", f"2.b_ih.{row}"}
    assert choose(before, f"bias_{gate}", 0.0) == before


@pytest.mark.parametrize(("kind", "rows"), [("lstm", (1, 4)), ("gru", (4,))])
def test_chrono_draws_its_biases_anew_for_another_number_of_steps(kind: str, rows: tuple[int, ...]) -> None:
    moved = {f"{layer}b_ih.{row}" for layer in ("", "2.") for row in rows}
    before = biases_edited(kind, init="chrono")
    assert lost(before, choose(before, "steps", 20)) == moved
    assert lost(before, follow(before, ((1.0, 2.0),) * 20)) == moved | {"x.1.1"}
    assert lost(biases_edited(kind), choose(biases_edited(kind), "steps", 20)) == set()


def test_the_update_of_a_gru_turns_chronos_biases_round() -> None:
    before = biases_edited("gru", init="chrono")
    assert lost(before, choose(before, "update", "write")) == {"b_ih.4", "2.b_ih.4"}
    assert lost(before, choose(before, "reset", "before")) == set()


def test_a_text_that_brings_new_weights_drops_the_edits_of_the_old_ones() -> None:
    """Whether it is typed or chosen from the menu of inputs."""
    before = Settings("random").edit({Entry("W_ih", (0, 0)): 7.0, Entry("h0", (0,)): 6.0})
    for after in (choose(before, "input", "text"), follow_text(before, "abc")):
        assert [entry.name for entry, _ in after.edits] == ["h0"]


@given(all_settings(st.integers(0, 3), most_steps=300), st.data())
def test_an_edit_outlives_a_choice_only_on_the_weights_that_it_was_made_on(
    settings: Settings, data: st.DataObject
) -> None:
    settled = canonicalise(settings)[0]
    name = data.draw(st.sampled_from([name for name in settings_of(settings.kind) if name not in ("h0", "c0")]))
    after = choose(settled, name, data.draw(allowed(SETTINGS[name], settings.kind)))
    old, new = (base_arrays(parts_of(one).base) for one in (settled, after))
    for entry, value in after.edits:
        assert (entry, value) in settled.edits
        if array_of(entry.name) in ("W_ih", "W_hh", "b_ih", "b_hh"):
            assert old[entry.name][entry.place] == new[entry.name][entry.place]
    build(network_of(after))
