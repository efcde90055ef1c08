"""What was chosen, by what depends on it: each setting stands in one part, and moves nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnnviz import Clamp
from rnnviz.cache import RESULTS
from rnnviz.maths import run
from rnnviz.network import base_arrays, canonicalise, parts, parts_of
from rnnviz.settings import (
    SETTINGS,
    BaseSettings,
    Entry,
    LearningSettings,
    NetworkSettings,
    ObjectiveSettings,
    Settings,
    ViewSettings,
)
from rnnviz.settings.parts import FORMS
from tests.pages.driven import App
from tests.settings.drawn import all_settings, allowed

PARTS = {"network": NetworkSettings, "objective": ObjectiveSettings, "learning": LearningSettings, "view": ViewSettings}


def part_of(name: str) -> str:
    """The part in which a setting stands, found by its name."""
    in_base = {field.name for field in fields(BaseSettings)} | {*FORMS}
    if name in in_base or name.startswith("bias_"):
        return "network"
    [part] = [part for part, kind in PARTS.items() if name in {field.name for field in fields(kind)}]
    return part


def test_every_setting_stands_in_one_part() -> None:
    assert {part_of(name) for name in SETTINGS} == set(PARTS)


@settings(max_examples=150)
@given(all_settings(st.integers(0, 2), most_steps=20), st.data())
def test_a_setting_changes_its_own_part_alone(one: Settings, data: st.DataObject) -> None:
    """Nothing has to be taken out of a key before something is remembered by it."""
    one = canonicalise(one)[0]
    name = data.draw(st.sampled_from(sorted(name for name, setting in SETTINGS.items() if one.kind in setting.kinds)))
    value = data.draw(allowed(SETTINGS[name], one.kind))
    other = one.choose(**{name: value})
    before, after = parts_of(one), parts_of(other)
    changed = {part for part in PARTS if getattr(before, part) != getattr(after, part)}
    assert changed <= {part_of(name)}
    if one.x is None and name != "input_scale" and before.values[name] != after.values[name]:
        assert changed == {part_of(name)}


def test_what_is_typed_or_clamped_leaves_the_base() -> None:
    plain = Settings("random", kind="lstm")
    edited = replace(plain.edit({Entry("W_hh", (0, 0)): 3.0}), clamps=((1, Clamp("f", 1.0)),))
    assert parts_of(edited).network != parts_of(plain).network
    assert parts_of(edited).base == parts_of(plain).base
    assert base_arrays(parts_of(edited).base) is base_arrays(parts_of(plain).base)


def test_two_ways_to_ask_for_the_same_network_are_one_key() -> None:
    """A choice that says what holds anyway makes no other network."""
    by_default, chosen = Settings("random"), Settings("random").choose(steps=8, activation="tanh")
    assert by_default != chosen
    assert parts_of(by_default).network == parts_of(chosen).network
    assert hash(parts_of(by_default).network) == hash(parts_of(chosen).network)


@pytest.mark.parametrize("page", ["hidden_state", "lstm_gates", "gradient_flow", "bptt_rtrl"])
def test_a_run_of_a_page_resolves_each_of_its_settings_once(page: str) -> None:
    app = App(page=page)
    resolved: Counter[Settings] = Counter()
    resolve = parts._resolve

    def counted(settings: Settings) -> object:
        resolved[settings] += 1
        return resolve(settings)

    with mock.patch.object(parts, "_resolve", counted):
        app.set("hidden_size", 6)
    assert resolved
    assert set(resolved.values()) == {1}


RUNS = {"hidden_state": 1, "lstm_gates": 1, "gradient_flow": 3, "bptt_rtrl": 1}


@pytest.mark.parametrize(("page", "runs"), RUNS.items())
def test_validation_and_the_page_run_a_network_once(page: str, runs: int) -> None:
    """The check that a network runs is the page's own run; the page on gradients draws three cells."""
    app = App(page=page)
    RESULTS.clear()  # whatever other tests have run
    with mock.patch("rnnviz.network.run.run", side_effect=run) as counted:
        app.set("hidden_size", 7)
    assert counted.call_count == runs
