"""Controls: each is declared once, takes its range from the table of settings, and writes the page's settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import get_ident

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.presets import HIDDEN_STATE, choose, follow, values_of, weights_are_hand_set
from rnnviz.sequences import Array, read_sequence, read_sequence_file, write_sequence
from rnnviz.settings import SETTINGS, Settings, Value, checked_sequence
from rnnviz.texts import plain, say
from rnnviz.ui.results import result_of
from rnnviz.ui.state import PageState, state_of

_OWN, _PRESET = "own", "preset"  # in menus: a sequence of the reader's own, what the preset brings


def preset_buttons(page: str, state: PageState, presets: Sequence[str]) -> None:
    """A row of buttons, one for each preset; the one in force is marked."""
    key = f"{page} preset"
    _set(key, state.settings.preset)
    st.pills(
        say("control.preset"),
        presets,
        key=key,
        format_func=lambda name: say(f"choice.preset.{name}"),
        label_visibility="collapsed",
        on_change=_take,
        args=(page, "preset", key),
    )


def slider(page: str, state: PageState, name: str, *, locked: bool = False) -> None:
    """A slider for a whole number of the table."""
    setting, key = SETTINGS[name], _show(page, state, name)
    help_text = say("control.locked") if locked else None
    low, high = int(setting.low), int(setting.high)
    label = say(f"control.{name}")
    st.slider(label, low, high, key=key, disabled=locked, help=help_text, on_change=_take, args=(page, name, key))
    _refusal(state, name)


def number(page: str, state: PageState, name: str, *, step: float) -> None:
    """A number field within the table's range; whole numbers where the setting is one."""
    setting, key = SETTINGS[name], _show(page, state, name)
    bounds = [setting.low, setting.high, step]
    low, high, step = [int(bound) for bound in bounds] if isinstance(setting.default, int) else bounds
    label = say(f"control.{name}")
    st.number_input(label, low, high, step=step, key=key, help=_help(name), on_change=_take, args=(page, name, key))
    _refusal(state, name)


def choice(page: str, state: PageState, name: str) -> None:
    """A menu of the table's words."""
    options, key = list(SETTINGS[name].choices), f"{page} {name}"
    if name == "init" and weights_are_hand_set(state.settings):
        options = [_PRESET, *options]
        _set(key, _PRESET)
    else:
        _show(page, state, name)
    _menu(page, name, key, options)
    _refusal(state, name)


def input_choice(page: str, state: PageState) -> None:
    """Where the sequence comes from; with "your own", the places to type, paste or upload it."""
    key = f"{page} input"
    options = [*SETTINGS["input"].choices, _OWN]
    if HIDDEN_STATE[state.settings.preset].x is None:
        options.remove(_PRESET)
    own = state.settings.x is not None or state.typing
    _set(key, _OWN if own else values_of(state.settings)["input"])
    _menu(page, "input", key, options)
    _refusal(state, "input")
    if own:
        _own_sequence(page, state)


def initial_state(page: str, state: PageState) -> None:
    """A field for h0; what can't be read is named below it and changes nothing."""
    key = f"{page} h0"
    if state.refused_by != "h0":
        value = values_of(state.settings)["h0"]
        _set(key, SETTINGS["h0"].write(value).replace(",", ", "))
    st.text_input(
        say("control.h0"), key=key, placeholder="0", help=_help("h0"), on_change=_take, args=(page, "h0", key)
    )
    _refusal(state, "h0")


def _show(page: str, state: PageState, name: str) -> str:
    """Give a widget the value that the settings have; the settings are the only truth."""
    key = f"{page} {name}"
    _set(key, values_of(state.settings)[name])
    return key


def _set(key: str, value: object) -> None:
    """Set a widget where it differs: a value that is set anew overtakes what the reader's hand does meanwhile."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def _menu(page: str, name: str, key: str, options: list[str]) -> None:
    st.selectbox(
        say(f"control.{name}"),
        options,
        key=key,
        format_func=lambda option: say(f"choice.{name}.{option}"),
        help=_help(name),
        on_change=_take,
        args=(page, name, key),
    )


def _own_sequence(page: str, state: PageState) -> None:
    text_key, file_key = f"{page} own text", f"{page} own file"
    if state.refused_by != "own.text" and state.settings.x is not None:
        text = write_sequence(result_of(state.settings).walk.network.x)
        _set(text_key, text if text.endswith(";") else text.replace(";", "\n"))
    st.text_area(
        say("control.own.text"), key=text_key, height=110, placeholder="0.5, -0.3\n0.1, 0.2",
        on_change=_take_text, args=(page, text_key),
    )  # fmt: skip
    _refusal(state, "own.text")
    st.file_uploader(
        say("control.own.file"), ["csv", "txt", "tsv"], key=file_key, on_change=_take_file, args=(page, file_key)
    )
    _refusal(state, "own.file")
    if state.settings.x is not None:
        values = values_of(state.settings)
        st.caption(say("control.own.taken", steps=values["steps"], size=values["input_size"]))


def _refusal(state: PageState, name: str) -> None:
    if state.refused_by == name:
        st.error(say("problem.refused", reason=plain(state.refused, 400)))


def _help(name: str) -> str | None:
    key = f"help.{name}"
    return say(key) if name in ("init", "gain", "h0", "output_size") else None


def _take(page: str, name: str, key: str) -> None:
    """A control was moved (a Streamlit callback)."""
    state, given = state_of(page), st.session_state[key]
    if state is None:
        return
    with state.lock:
        state.movers.add(get_ident())
        if name == "preset":
            state.typing = False
        if name == "input":
            state.typing = given == _OWN
            if state.typing:
                return
        try:
            _accept(state, choose(state.settings, name, _value(state, name, given)), asked=name in ("preset", "init"))
        except InputError as error:
            state.refuse(name, str(error))


def _value(state: PageState, name: str, given: Value | None) -> Value | None:
    """What a widget's value means: the preset in force, pressed again, is taken anew; an empty h0 is no choice."""
    if name == "preset" and given is None:
        return state.settings.preset
    if name == "h0" and isinstance(given, str):
        return SETTINGS["h0"].read(given) if given.strip() else None
    choices = SETTINGS[name].choices if name in SETTINGS else ()
    # "the preset's own" takes a choice back; so does what a menu sends that has changed under the reader's hand.
    return None if choices and given not in choices else given


def _take_text(page: str, key: str) -> None:
    """A sequence was typed or pasted (a Streamlit callback)."""
    _take_sequence(page, "own.text", lambda: read_sequence(st.session_state[key]))


def _take_file(page: str, key: str) -> None:
    """A file was chosen or taken away (a Streamlit callback)."""
    state, file = state_of(page), st.session_state[key]
    if state is not None and file is None:
        state.movers.add(get_ident())  # a file was taken away: the sequence stays
    elif file is not None:
        _take_sequence(page, "own.file", lambda: read_sequence_file(file.getvalue()))


def _take_sequence(page: str, control: str, read: Callable[[], Array]) -> None:
    state = state_of(page)
    if state is None:
        return
    with state.lock:
        state.movers.add(get_ident())
        try:
            _accept(state, follow(state.settings, checked_sequence(read().tolist())))
        except InputError as error:
            state.refuse(control, str(error))


def _accept(state: PageState, settings: Settings, *, asked: bool = False) -> None:
    """Take settings of a control if their network runs; else the refusal stands beside the control."""
    result_of(settings)
    gave_way = settings.preset == "random" != state.settings.preset and weights_are_hand_set(state.settings)
    note = say("note.gave_way", preset=say(f"choice.preset.{state.settings.preset}")) if gave_way and not asked else ""
    state.accept(settings, note)
