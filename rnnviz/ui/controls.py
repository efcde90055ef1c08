"""Controls: each is declared once, takes its range from the table of settings, and writes the page's settings."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import streamlit as st

from rnnviz.network import (
    STORED,
    build,
    canonicalise,
    choose,
    follow,
    follow_text,
    hidden_sizes,
    network_of,
    parameter_counts,
    parts_of,
    text_of,
    values_of,
)
from rnnviz.presets import buttons, preset_of
from rnnviz.sequences import Array, alphabet, read_batch, read_batch_file, write_lines
from rnnviz.settings import SETTINGS, TEXT_LIMIT, Settings, checked_batch, checked_text
from rnnviz.texts import plain, say
from rnnviz.ui.form import choice, menu, moved, number, refusal, slider, take, take_field
from rnnviz.ui.state import OF_PRESET, PageState, page_state_of
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.numbers import thousands

_log = logging.getLogger(__name__)

_OWN = "own"  # in the menu of inputs: a sequence of the reader's own


def bar(page: str, state: PageState) -> None:
    """Above the explorer: the presets, and how a step is written."""
    with st.container(horizontal=True, vertical_alignment="center"):
        preset_buttons(page, state)
        choice(page, state, "notation", in_bar=True)


def sizes(page: str, state: PageState) -> None:
    """The dimensions of the cell and of its sequence, which a sequence of the reader's own sets."""
    fixed = sets_its_sizes(state.settings)
    slider(page, state, "input_size", locked=fixed)
    slider(page, state, "hidden_size")
    slider(page, state, "steps", locked=fixed)


def cell_form(page: str, state: PageState) -> None:
    """What the cell can be told apart from its weights: an activation, or the forms of a GRU."""
    for name in ("activation", "reset", "update"):
        if state.settings.kind in SETTINGS[name].kinds:
            choice(page, state, name)


def initial_states(page: str, state: PageState) -> None:
    """A field for each state that the cell begins with."""
    for name in ("h0", "c0"):
        if state.settings.kind in SETTINGS[name].kinds:
            initial_state(page, state, name)


def weights(page: str, state: PageState) -> None:
    """How weights are drawn, and what stands above and beside the single cell."""
    choice(page, state, "init")
    number(page, state, "gain", step=0.1)
    number(page, state, "seed", step=1)
    readout_layers_batch(page, state)


def preset_buttons(page: str, state: PageState) -> None:
    """A row of buttons, one for each preset of the page and for the one in force, which is marked."""
    key, options = f"{page} preset", list(buttons(*state.settings.kinds, gallery=state.settings.gallery))
    shown = STORED if state.settings.weights else state.settings.preset
    if shown not in options:
        options.append(shown)
    set_widget(key, shown)
    st.pills(
        say("control.preset"),
        options,
        default=st.session_state[key],
        key=key,
        format_func=lambda name: say(f"choice.preset.{name}"),
        label_visibility="collapsed",
        on_change=heard,
        args=(key, _take_button, page, key),
    )


def readout_layers_batch(page: str, state: PageState) -> None:
    """A fold with what stands above and beside the single cell; open where an address uses any of it."""
    key, names = f"{page} more", ("output_size", "output_activation", "layers", "stack", "sequences")
    if key not in st.session_state and not dict(state.settings.chosen).keys().isdisjoint(names):
        st.session_state[key] = True
    fold = st.expander(say("control.more"), key=key, on_change=moved, args=(page,))
    if not fold.open:  # each control costs every change of the page some milliseconds
        return
    with fold:
        number(page, state, "output_size", step=1)
        choice(page, state, "output_activation")
        slider(page, state, "layers")
        if parts_of(state.settings).base.layers != 1:
            choice(page, state, "stack")
        slider(page, state, "sequences", locked=state.settings.x is not None)


SHOWN = ("layer", "sequence")
"""What of a network the explorer shows one of."""


def layer_and_sequence(page: str, state: PageState, shown: Sequence[str] = SHOWN) -> None:
    """Which layer and which sequence is shown, where there are several."""
    base = parts_of(state.settings).base
    counts = {name: getattr(base, f"{name}s") for name in shown}
    if max(counts.values()) == 1:
        return
    with st.container(horizontal=True):
        for name, count in counts.items():
            if count > 1:
                _show_one(page, state, name, count)


def stack_in_words(page: str, state: PageState) -> None:
    """What stands between the layers, and how many parameters either form of stack has."""
    del page
    base = parts_of(state.settings).base
    if base.layers != 1:
        counts = {stack: thousands(count) for stack, count in parameter_counts(base).items()}
        st.caption(say(f"stack.{base.stack}", **counts))


def _show_one(page: str, state: PageState, name: str, count: int) -> None:
    key = f"{page} {name}"
    set_widget(key, getattr(state.settings, name))
    st.segmented_control(
        say(f"control.{name}"),
        range(1, count + 1),
        default=st.session_state[key],
        key=key,
        required=True,
        format_func=lambda number: say(f"shown.{name}", number=number),
        label_visibility="collapsed",
        on_change=heard,
        args=(key, _take_shown, page, name, key),
    )


def input_choice(page: str, state: PageState) -> None:
    """Where the sequences come from; with "your own" or "text", the places to type, paste or upload them."""
    options = [*SETTINGS["input"].choices, _OWN]
    if preset_of(state.settings).x is None:
        options.remove(OF_PRESET)
    own = state.settings.x is not None or state.typing
    menu(page, state, "input", options, _OWN if own else state.value("input"), act=_take_input)
    if own:
        _own_sequence(page, state)
    elif values_of(state.settings)["input"] == "text":
        _own_text(page, state)


def sets_its_sizes(settings: Settings) -> bool:
    """Whether a sequence or a text of the reader's own sets D and T."""
    base = parts_of(settings).base
    return bool(base.batch or base.text)


def initial_state(page: str, state: PageState, name: str = "h0") -> None:
    """A field for h0 or c0; what can't be read is named below it and changes nothing."""
    key = f"{page} {name}"
    if state.refused_by != name:
        set_widget(key, _start_text(name, state.settings))
    st.text_input(
        say(f"control.{name}"), st.session_state[key],
        key=key, placeholder="0", help=say(f"help.{name}"), on_change=heard, args=(key, _take_start, page, name, key),
    )  # fmt: skip
    refusal(state, name)


def _start_text(name: str, settings: Settings) -> str:
    """The numbers of an initial state as they are read, those of each layer apart by semicolons."""
    parts = parts_of(settings)
    numbers, sizes = SETTINGS[name].write(parts.values[name]).split(","), hidden_sizes(parts.base)
    if len(numbers) != sum(sizes):
        return ", ".join(numbers)
    ends = list(accumulate(sizes))
    return "; ".join(", ".join(numbers[end - size : end]) for size, end in zip(sizes, ends, strict=True))


def _own_sequence(page: str, state: PageState) -> None:
    text_key, file_key = f"{page} own text", f"{page} own file"
    if state.refused_by != "own.text" and state.settings.x is not None:
        set_widget(text_key, write_lines(build(network_of(state.settings)).xs))
    st.text_area(
        say("control.own.text"), st.session_state.get(text_key, ""), key=text_key, height=110,
        placeholder="0.5, -0.3\n0.1, 0.2", on_change=heard, args=(text_key, _take_typed, page, text_key),
    )  # fmt: skip
    refusal(state, "own.text")
    st.file_uploader(
        say("control.own.file"), ["csv", "txt", "tsv"], key=file_key, on_change=_take_file, args=(page, file_key)
    )
    refusal(state, "own.file")
    st.caption(say("control.own.draw", fold=say("drawing.title")))
    if state.settings.x is not None:
        base = parts_of(state.settings).base
        sizes = {"sequences": base.sequences, "steps": base.steps, "input_size": base.input_size}
        st.caption(say("control.own.taken", **sizes))


def _own_text(page: str, state: PageState) -> None:
    key, text = f"{page} text", text_of(state.settings)
    if state.refused_by != "text":
        set_widget(key, text)
    st.text_input(
        say("control.text"),
        key=key,
        max_chars=TEXT_LIMIT,
        help=say("help.text"),
        on_change=heard,
        args=(key, _take_text, page, key),
    )
    refusal(state, "text")
    signs = alphabet(text)
    shown = plain(" ".join(_BLANKS.get(sign, sign) for sign in signs), 200)
    st.caption(say("control.text.taken", steps=len(text), size=len(signs), alphabet=shown))


_BLANKS = {" ": "␣", "\t": "⇥", "\n": "⏎"}  # else they could not be seen


def choose_unit(page: str, name: str, units: list[int], first: int) -> int:
    """A menu of units, zero-based; a unit that is there no longer gives way to the first."""
    key = f"{page} {name}"
    if st.session_state.get(key) not in units:
        st.session_state[key] = first
    return st.selectbox(
        say(name),
        units,
        key=key,
        format_func=lambda unit: say("which.unit", unit=unit + 1),
        on_change=moved,
        args=(page,),
    )


def take_preset(page: str, name: str) -> None:
    """A button for a preset was pressed (a Streamlit callback)."""
    take(page, "preset", lambda settings: choose(settings, "preset", name), asked=True)


def _take_button(page: str, key: str) -> None:
    """A button for a preset was pressed (a Streamlit callback)."""
    state = page_state_of(page)
    if state is not None:
        state.typing = False
        take_field(page, "preset", key)


def _take_input(page: str, name: str, key: str) -> None:
    """Another kind of sequence is wanted (a Streamlit callback); for one of the reader's own its places open first."""
    state = page_state_of(page)
    if state is None:
        return
    with state.lock:
        state.typing = st.session_state[key] == _OWN
        if state.typing:
            moved(page)
        else:
            take_field(page, name, key)


def _take_start(page: str, name: str, key: str) -> None:
    """An initial state was typed (a Streamlit callback); an empty field is no choice."""
    given = st.session_state[key]
    take(page, name, lambda settings: choose(settings, name, SETTINGS[name].read(given) if given.strip() else None))


def _take_shown(page: str, name: str, key: str) -> None:
    """Another layer or sequence is to be seen (a Streamlit callback): nothing is computed from it."""
    number = st.session_state[key]
    take(page, name, lambda settings: canonicalise(replace(settings, **{name: number}))[0])


def _take_text(page: str, key: str) -> None:
    """A text was typed (a Streamlit callback)."""
    take(page, "text", lambda settings: follow_text(settings, checked_text(st.session_state[key])))


def _take_typed(page: str, key: str) -> None:
    """A sequence was typed or pasted (a Streamlit callback)."""
    take(page, "own.text", lambda settings: _follow(settings, read_batch(st.session_state[key])))


def _take_file(page: str, key: str) -> None:
    """A file was chosen or taken away (a Streamlit callback)."""
    file = st.session_state[key]  # taken away, the sequence stays
    take(page, "own.file", lambda settings: _follow(settings, read_batch_file(file.getvalue())) if file else settings)


def _follow(settings: Settings, sequences: Sequence[Array]) -> Settings:
    x, *others = checked_batch(sequences)
    return follow(settings, x, tuple(others))
