"""What a control does to the settings: sizes, seeds, presets, sequences, and which edits survive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.presets import HIDDEN_STATE, choose, follow, settle, values_of, weights_are_hand_set
from rnnviz.settings import SETTINGS, Entry, Settings, Value
from tests.settings.drawn import PRESETS, all_settings, allowed, sequences

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
    settings, problems = settle(Settings(preset, edits=EVERYWHERE))
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


@pytest.mark.parametrize("preset", HAND_SET)
@pytest.mark.parametrize("init", SETTINGS["init"].choices)
def test_any_initialisation_replaces_hand_set_weights(preset: str, init: str) -> None:
    """The first of the menu too, although it is the table's default."""
    after = choose(Settings(preset), "init", init)
    assert after.preset == "random"
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


def test_a_choice_equal_to_the_base_is_none() -> None:
    for name in PRESETS:
        after = Settings(name)
        for setting, value in values_of(after).items():
            if setting != "init" or name not in HAND_SET:
                after = choose(after, setting, value)
        assert after == Settings(name)


def test_choices_stand_over_the_preset_and_the_preset_over_the_table() -> None:
    assert values_of(Settings("echo", (("steps", 5),))) == {
        **{name: setting.default for name, setting in SETTINGS.items()},
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
    after = follow(settle(settings)[0], x)
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
    name = data.draw(st.sampled_from(["preset", *SETTINGS]))
    value = data.draw(st.sampled_from(PRESETS) if name == "preset" else allowed(SETTINGS[name]))
    settled = settle(settings)[0]
    if name == "h0":  # of the length that the network needs
        size = int(str(values_of(settled)["hidden_size"]))
        value = (value * size)[:size]
    after = choose(settled, name, value)
    assert settle(after) == (after, ())
    assert set(dict(after.chosen)) <= set(SETTINGS)
    assert after.preset in HIDDEN_STATE
