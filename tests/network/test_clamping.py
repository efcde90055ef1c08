"""Clamped gates in the address: written and read back, refused, named where a network lacks them, and what they do."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp, InputError, run
from rnnviz.network import (
    build,
    canonicalise,
    choose,
    clamp_gate,
    clamp_of,
    clamp_where,
    clamped_twice,
    follow,
    network_of,
    run_network,
    run_to_the_end,
    values_of,
)
from rnnviz.settings import Entry, Settings, read_clamps, write_clamps
from tests.settings.drawn import GATED, all_settings, bits, clamps

GATES = {"lstm": ("i", "f", "o"), "gru": ("r", "z")}

Held = tuple[tuple[int, Clamp], ...]


# --- as text --------------------------------------------------------------------------------------------------------

WRITTEN: list[tuple[str, Held]] = [
    ("f:1", ((1, Clamp("f", 1.0)),)),
    ("f:1;i.2:0@5", ((1, Clamp("f", 1.0)), (1, Clamp("i", 0.0, 1, 5)))),
    ("2.z.1:0.25", ((2, Clamp("z", 0.25, 0)),)),
    ("z:-0@500", ((1, Clamp("z", -0.0, None, 500)),)),
    ("o:5e-324;o:1", ((1, Clamp("o", 5e-324)), (1, Clamp("o", 1.0)))),
    ("99.r.64:0.1", ((99, Clamp("r", 0.1, 63)),)),
]


@pytest.mark.parametrize(("text", "held"), WRITTEN)
def test_clamped_gates_as_an_address_has_them(text: str, held: Held) -> None:
    assert write_clamps(held) == text
    assert bits(read_clamps(text)) == bits(held)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        (" f:1 ; i:0 ", "f:1;i:0"),
        ("1.f:1.0@1", "f:1"),
        ("f: 0.50", "f:0.5"),
        ("f.01:1@07", "f.1:1@7"),
    ],
)
def test_clamped_gates_typed_another_way(typed: str, text: str) -> None:
    assert write_clamps(read_clamps(typed)) == text


@given(st.sampled_from(GATED).flatmap(clamps).filter(bool))
def test_every_held_gate_comes_back_bit_for_bit(held: Held) -> None:
    assert bits(read_clamps(write_clamps(held))) == bits(held)


REFUSED = [
    "", " ", ";", "f", "f:", "f:;", "f:1;", ";f:1", "f=1", "f:1,i:0", ":1", "f:one", "f:nan", "f:inf", "f:1_0",
    "f:1e999", "f:1.01", "f:-0.5", "f:2", "f.0:1", "f.00:1", "f.-1:1", "f.x:1", "f.1.1:1", "f:1@0", "f:1@00",
    "f:1@-1", "f:1@1.5", "f:1@", "f:1@2@3", "0.f:1", "100.f:1", "f.1234567890:1", "f:1@1234567890", "1f:1", "f f:1",
    "ƒ:1", "f.²:1",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_holds_no_gate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"for example f:1;i\.2:0@5") as refusal:
        read_clamps(text)
    with pytest.raises(InputError):
        read_clamps(f"f:1;{text}")
    (example,) = re.findall(r"for example (\S+)\. ", str(refusal.value))
    assert write_clamps(read_clamps(example)) == example


@given(st.text(st.sampled_from("fiorz12.:@;0-e "), max_size=12) | st.text(max_size=12))
def test_whatever_is_typed_is_clamped_gates_or_refused(text: str) -> None:
    try:
        held = read_clamps(text)
    except InputError:
        return
    assert len(held) == text.count(";") + 1
    for layer, clamp in held:
        assert layer >= 1
        assert 0.0 <= clamp.value <= 1.0
        assert clamp.from_step >= 1
    assert bits(read_clamps(write_clamps(held))) == bits(held)


# --- what a network has ---------------------------------------------------------------------------------------------


def layers_of(kind: str, held: str, **chosen: object) -> Settings:
    """Two layers of three units over eight steps, unless said."""
    settings = Settings("random", kind=kind).choose(**{"layers": 2, **chosen})
    return replace(settings, clamps=read_clamps(held) if held else ())


POSSIBLE = [("lstm", "f:1"), ("lstm", "2.o.3:0@8"), ("lstm", "i:0.5;i.1:0"), ("gru", "z:1;r.3:0"), ("gru", "2.r:0@8")]


@pytest.mark.parametrize(("kind", "held"), POSSIBLE)
def test_gates_that_the_network_has_stay(kind: str, held: str) -> None:
    settings = layers_of(kind, held)
    assert canonicalise(settings) == (settings, ())


LACKING = [
    ("lstm", "g:1", "can be clamped are i, f, o."),  # a candidate is no gate
    ("lstm", "z:1", "can be clamped are i, f, o."),
    ("lstm", "F:1", "can be clamped are i, f, o."),
    ("lstm", "3.f:1", "no layer 3: the network has 2 layers."),
    ("lstm", "f.4:1", "no unit 4: layer 1 has 3 units."),
    ("lstm", "f:1@9", "no step 9: the sequence has 8 steps."),
    ("gru", "f:1", "can be clamped are r, z."),
    ("gru", "n:1", "can be clamped are r, z."),
    ("gru", "2.z.4:1@8", "no unit 4: layer 2 has 3 units."),
    ("elman", "f:1", "has no gates"),
]


@pytest.mark.parametrize(("kind", "held", "needed"), LACKING)
def test_gates_that_the_network_lacks_are_named_and_left_out(kind: str, held: str, needed: str) -> None:
    """One by one: what stands beside them is kept, in its order."""
    beside = {"lstm": ("o:0.5", "i:1@8"), "gru": ("r:0.5", "z:1@8")}.get(kind)
    settings = layers_of(kind, ";".join([beside[0], held, beside[1]]) if beside else held)
    settled, (problem,) = canonicalise(settings)
    assert (problem.name, problem.given) == ("clamp", held)
    assert needed in str(problem.needed)
    assert settled == (layers_of(kind, ";".join(beside)) if beside else Settings("random", settings.chosen))


def test_gates_go_with_the_layers_units_and_steps_that_they_hold() -> None:
    settings = layers_of("lstm", "2.f:1;f.3:1;f:0@8;i:0")
    assert write_clamps(choose(settings, "layers", 1).clamps) == "f.3:1;f:0@8;i:0"
    assert write_clamps(choose(settings, "hidden_size", 2).clamps) == "2.f:1;f:0@8;i:0"
    assert write_clamps(choose(settings, "steps", 7).clamps) == "2.f:1;f.3:1;i:0"
    assert write_clamps(follow(settings, ((1.0, 2.0),) * 7).clamps) == "2.f:1;f.3:1;i:0"
    assert choose(settings, "seed", 5).clamps == settings.clamps


@given(all_settings(st.integers(0, 3), most_steps=300, kinds=GATED))
def test_clamped_gates_are_kept_or_named(settings: Settings) -> None:
    """Against the network's own sizes; the order, which decides between two that hold the same, stays."""
    settled, problems = canonicalise(settings)
    values = {name: int(str(values_of(settled)[name])) for name in ("layers", "hidden_size", "steps")}
    fits = [
        clamp.gate in GATES[settings.kind]
        and layer <= values["layers"]
        and (clamp.unit is None or clamp.unit < values["hidden_size"])
        and clamp.from_step <= values["steps"]
        for layer, clamp in settings.clamps
    ]
    assert settled.clamps == tuple(held for held, fit in zip(settings.clamps, fits, strict=True) if fit)
    given = [problem.given for problem in problems if problem.name == "clamp"]
    assert given == [write_clamps([held]) for held, fit in zip(settings.clamps, fits, strict=True) if not fit]


# --- as the controls of a page set them -----------------------------------------------------------------------------


def shown(settings: Settings, layer: int = 1) -> Settings:
    return replace(settings, layer=layer)


def test_a_gate_of_the_layer_shown_is_held_and_let_go() -> None:
    free = shown(layers_of("lstm", ""), 2)
    one = clamp_gate(free, "f", 1.0)
    two = clamp_gate(one, "i", 0.25, unit=1, from_step=3)
    assert (write_clamps(one.clamps), write_clamps(two.clamps)) == ("2.f:1", "2.f:1;2.i.2:0.25@3")
    assert write_clamps(clamp_gate(two, "f", 0.5).clamps) == "2.i.2:0.25@3;2.f:0.5"
    assert clamp_gate(clamp_gate(two, "f", None), "i", None) == free
    assert (clamp_of(two, "f"), clamp_of(two, "o")) == (Clamp("f", 1.0), None)
    assert clamp_of(shown(two, 1), "f") is None


def test_what_other_layers_hold_stays() -> None:
    settings = shown(layers_of("gru", "z:1;2.z:0;2.r:0.5"), 1)
    assert write_clamps(clamp_gate(settings, "z", 0.5).clamps) == "2.z:0;2.r:0.5;z:0.5"
    assert write_clamps(clamp_where(shown(settings, 2), 1, 4).clamps) == "z:1;2.z.2:0@4;2.r.2:0.5@4"


def test_of_several_that_hold_a_gate_the_one_that_counts_is_shown_and_moved() -> None:
    """The last, as `run` has it; where and from when on changes for the others alone."""
    settings = layers_of("lstm", "f.1:1;f:0.5;f.2:0;i:1", layers=1)
    assert clamp_of(settings, "f") == Clamp("f", 0.0, 1)
    assert clamped_twice(settings) == ("f",)
    moved = clamp_where(settings, None, 2)
    assert write_clamps(moved.clamps) == "f.1:1;f:0.5;f.2:0;i:1@2"
    replaced = clamp_gate(moved, "f", 1.0, None, 3)
    assert write_clamps(replaced.clamps) == "i:1@2;f:1@3"
    assert clamped_twice(replaced) == ()
    assert (run_network(build(network_of(replaced))).trace.gates["f"][2:] == 1.0).all()


def test_a_step_that_the_sequence_lacks_is_refused() -> None:
    settings = layers_of("lstm", "f:1", layers=1)
    steps = int(str(values_of(settings)["steps"]))
    with pytest.raises(InputError, match=f"Choose a step from 1 to {steps}"):
        clamp_gate(settings, "f", 1.0, None, steps + 1)
    with pytest.raises(InputError, match=f"Choose a step from 1 to {steps}"):
        clamp_where(settings, None, steps + 1)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_gate_is_held_between_shut_and_open(value: float) -> None:
    with pytest.raises(InputError, match=r"in 0\.\.1"):
        clamp_gate(layers_of("lstm", ""), "f", value)


@given(all_settings(st.integers(0, 3), most_steps=300, kinds=GATED), st.data())
def test_holding_gives_settled_settings(settings: Settings, data: st.DataObject) -> None:
    settled = canonicalise(settings)[0]
    sizes = values_of(settled)
    unit = data.draw(st.none() | st.integers(0, int(str(sizes["hidden_size"])) - 1))
    step = data.draw(st.integers(1, int(str(sizes["steps"]))))
    gate = data.draw(st.sampled_from(GATES[settings.kind]))
    one = clamp_gate(settled, gate, data.draw(st.none() | st.floats(0, 1)), unit, step)
    for after in (one, clamp_where(one, unit, step)):
        assert canonicalise(after) == (after, ())
        assert replace(after, clamps=()) == replace(settled, clamps=())
        elsewhere = [held for held in settled.clamps if held[0] != settled.layer]
        assert [held for held in after.clamps if held[0] != settled.layer] == elsewhere
    several = clamped_twice(one)
    for layer, clamp in clamp_where(one, unit, step).clamps:
        moved = layer == settled.layer and clamp.gate not in several
        assert (clamp.unit, clamp.from_step) == (unit, step) if moved else (layer, clamp) in one.clamps


# --- in the walk ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["hidden", "readout"])
@pytest.mark.parametrize(("kind", "held"), [("lstm", "2.f.2:1@3;2.i:0.5;2.i.1:0"), ("gru", "2.z:1@3;2.r.1:0")])
def test_a_held_gate_acts_on_its_layer_alone(kind: str, held: str, form: str) -> None:
    """Layer by layer against `run` with the clamps in it, and without them in the layers around."""
    settings = layers_of(kind, held, layers=3, stack=form, sequences=2, seed=4)
    network = build(network_of(settings))
    assert [len(clamps) for clamps in network.clamps] == [0, len(settings.clamps), 0]
    own = [clamp for _, clamp in settings.clamps]
    for x, layers in zip(network.xs, run_network(network).batch, strict=True):
        for number, (cell, layer) in enumerate(zip(network.cells, layers, strict=True), start=1):
            h0, c0 = network.h0s[number - 1], network.c0s[number - 1]
            wanted = run(cell, x, h0, c0, clamp=own if number == 2 else ())
            np.testing.assert_array_equal(layer.trace.states, wanted.states)
            assert layer.trace.clamp == (tuple(own) if number == 2 else ())
            differs = not np.array_equal(wanted.states, run(cell, x, h0, c0).states)
            assert differs == (number == 2)
            x = wanted.h[1:]
            if network.passes:
                x = x @ network.passes[number - 1].W.T + network.passes[number - 1].b


@pytest.mark.parametrize("kind", GATED)
def test_a_gate_that_holds_from_a_step_past_the_end_of_a_walk_is_left_out(kind: str) -> None:
    """Where the numbers of the network grow out of float64 before that step."""
    chosen = {"layers": 1, "steps": 6, "output_size": 1, "init": "zeros"}
    settings = layers_of(kind, "o:1;f:1;i:1@5" if kind == "lstm" else "z:0.5;z:1@5", **chosen)
    edits = {Entry("W_ih", (0, 0)): 1e300, Entry("x", (3, 0)): 1e300, Entry("x", (3, 1)): 0.0}
    ran, reason = run_to_the_end(build(network_of(settings.edit(edits))))
    assert "step 4 of 6" in str(reason)
    assert ran.trace.steps == 3
    assert [clamp.from_step for clamp in ran.trace.clamp] == [1] * (len(settings.clamps) - 1)
