"""Controls: each is declared once, takes its range from the table of settings, and writes the page's settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from threading import get_ident

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.network import (
    STORED,
    build,
    canonicalise,
    choose,
    follow,
    follow_text,
    hidden_sizes,
    lacks_of_clamp,
    network_of,
    parameter_counts,
    parts_of,
    text_of,
    values_of,
    weights_are_hand_set,
)
from rnnviz.presets import buttons, preset_of
from rnnviz.sequences import Array, alphabet, read_batch, read_batch_file, write_lines
from rnnviz.settings import SETTINGS, TEXT_LIMIT, Settings, Value, checked_batch, checked_text, choices_of
from rnnviz.texts import later, plain, say, say_message
from rnnviz.ui.state import PageState, require_to_run, state_of
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.numbers import thousands
from rnnviz.wording import Message

_log = logging.getLogger(__name__)

_OWN, _PRESET = "own", "preset"  # in menus: a sequence of the reader's own, what the preset brings


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
        args=(key, _take, page, "preset", key),
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


def slider(page: str, state: PageState, name: str, *, locked: bool = False) -> None:
    """A slider for a whole number of the table, with a field for it."""
    _ranged(page, state, name, 1, help_text=say("control.locked") if locked else _help(name), locked=locked)


def real_slider(page: str, state: PageState, name: str, *, step: float) -> None:
    """A slider for a number of the table, with a field for it; `step` is the slider's, the field takes any number."""
    _ranged(page, state, name, step, help_text=_help(name))


def _ranged(
    page: str, state: PageState, name: str, step: float, *, help_text: str | None = None, locked: bool = False
) -> None:
    """Label, field and slider of one value: the slider for the hand, the field for a number that is known.

    Style alone puts the field into the label's line (shell.css): a block around the two would cost every change of the
    page a millisecond.
    """
    setting, key = SETTINGS[name], _show(page, state, name)
    field = f"{key} {'locked' if locked else 'field'}"  # another one, for the browser keeps what it cannot take
    value = st.session_state[key]
    label = say(f"control.{name}")
    _field(page, name, field, value, step, label=say("field.label", label=label), beside=True, locked=locked)
    bounds = [setting.low, setting.high, step]
    low, high, step = [int(bound) for bound in bounds] if isinstance(setting.default, int) else bounds
    high = max(high, value)  # stored weights may be larger than any that are drawn
    st.slider(
        label, low, high, value, step,
        key=key, disabled=locked, help=help_text, on_change=heard, args=(key, _take, page, name, key),
    )  # fmt: skip
    refusal(state, name)


def number(page: str, state: PageState, name: str, *, step: float) -> None:
    """A number field of the table."""
    value = values_of(state.settings)[name]
    _field(page, name, f"{page} {name}", value, step, label=say(f"control.{name}"), help_text=_help(name))
    refusal(state, name)


def _field(
    page: str, name: str, key: str, value: Value, step: float,
    *, label: str, help_text: str | None = None, beside: bool = False, locked: bool = False,
) -> None:  # fmt: skip
    """A field for a number, `beside` a slider that has the label.

    It is given no range, for the browser would keep what lies outside, unsent: the page could not say what is possible.
    Of a field for whole numbers it would send 3.7 as 3 and 1e3 as 1.
    """
    number = float(value)  # type: ignore[arg-type]
    set_widget(key, number)
    st.number_input(
        label, value=number, step=float(step), format="%g", key=key, help=help_text, disabled=locked,
        label_visibility="collapsed" if beside else "visible",
        on_change=heard, args=(key, _take_number, page, name, key),
    )  # fmt: skip


def choice(page: str, state: PageState, name: str, *, in_bar: bool = False) -> None:
    """A menu of the table's words, in a bar without its label."""
    options, key = list(choices_of(name, *state.settings.kinds)), f"{page} {name}"
    if name == "init" and weights_are_hand_set(state.settings):
        own = STORED if state.settings.weights else _PRESET
        options = [own, *options]
        set_widget(key, own)
    else:
        _show(page, state, name)
    _menu(page, name, key, options, in_bar=in_bar)
    refusal(state, name)


def input_choice(page: str, state: PageState) -> None:
    """Where the sequences come from; with "your own" or "text", the places to type, paste or upload them."""
    key = f"{page} input"
    options = [*SETTINGS["input"].choices, _OWN]
    if preset_of(state.settings).x is None:
        options.remove(_PRESET)
    own = state.settings.x is not None or state.typing
    set_widget(key, _OWN if own else values_of(state.settings)["input"])
    _menu(page, "input", key, options)
    refusal(state, "input")
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
        key=key, placeholder="0", help=_help(name), on_change=heard, args=(key, _take, page, name, key),
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


def _show(page: str, state: PageState, name: str) -> str:
    """Give a widget the value that the settings have; the settings are the only truth."""
    key = f"{page} {name}"
    set_widget(key, values_of(state.settings)[name])
    return key


def _menu(page: str, name: str, key: str, options: list[str], *, in_bar: bool = False) -> None:
    st.selectbox(
        say(f"control.{name}"),
        options,
        options.index(st.session_state[key]),
        key=key,
        format_func=lambda option: say(f"choice.{name}.{option}"),
        help=_help(name),
        label_visibility="collapsed" if in_bar else "visible",
        width=220 if in_bar else "stretch",
        on_change=heard,
        args=(key, _take, page, name, key),
    )


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


def refusal(state: PageState, name: str) -> None:
    """Why the value that a control was given was not taken, or not as it is, below it."""
    if state.refused and state.refused_by == name:
        st.error(say("problem.refused", reason=plain(say_message(state.refused), 400)))
    elif name in state.adjusted:
        st.warning(say_message(state.adjusted[name]))


def _help(name: str) -> str | None:
    key = f"help.{name}"
    return say(key) if name in _WITH_HELP else None


_WITH_HELP = (
    "init",
    "gain",
    "input_scale",
    "block",
    "h0",
    "c0",
    "output_size",
    "layers",
    "stack",
    "sequences",
    "threshold",
    "delay",
    "lr",
    "max_norm",
)


def _take(page: str, name: str, key: str) -> None:
    """A control was moved (a Streamlit callback)."""
    state, given = state_of(page), st.session_state[key]
    if state is None:
        return
    with state.lock:
        if name == "preset":
            state.typing = False
        if name == "input":
            state.typing = given == _OWN
        if state.typing and name == "input":
            state.movers.add(get_ident())
            return
        asked = name in ("preset", "init")
        take(page, name, lambda settings: choose(settings, name, _value(state, name, given)), asked=asked)


def _take_number(page: str, name: str, key: str) -> None:
    """A number was typed (a Streamlit callback): the nearest one possible is taken, and named if it is another."""
    state, given, setting = state_of(page), float(st.session_state[key]), SETTINGS[name]
    if state is None:
        return
    number = setting.nearest(given)

    def changed(settings: Settings) -> Settings:
        return settings if number == values_of(settings)[name] else choose(settings, name, number)

    with state.lock:
        if take(page, name, changed) and number != given:
            range_ = {"low": setting.said(setting.low), "high": setting.said(setting.high)}
            words = {"label": later(f"control.{name}"), "given": setting.said(given), "taken": setting.said(number)}
            kind = "whole" if isinstance(setting.default, int) else "real"
            state.adjusted = {name: later(f"problem.adjusted.{kind}", **range_, **words)}


def take_preset(page: str, name: str) -> None:
    """A button for a preset was pressed (a Streamlit callback)."""
    take(page, "preset", lambda settings: choose(settings, "preset", name), asked=True)


def _value(state: PageState, name: str, given: Value | None) -> Value | None:
    """What a widget's value means: the preset in force, pressed again, is taken anew; an empty start is no choice."""
    if name == "preset" and given is None:
        return STORED if state.settings.weights else state.settings.preset
    if name in ("h0", "c0") and isinstance(given, str):
        return SETTINGS[name].read(given) if given.strip() else None
    choices = SETTINGS[name].choices if name in SETTINGS else ()
    # "the preset's own" takes a choice back; so does what a menu sends that has changed under the reader's hand.
    return None if choices and given not in choices else given


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


def moved(page: str) -> None:
    """Something was opened or chosen that no setting holds (a Streamlit callback): the address is no wish."""
    state = state_of(page)
    if state is not None:
        state.movers.add(get_ident())


def take(page: str, control: str, change: Callable[[Settings], Settings], *, asked: bool = False) -> bool:
    """Change a page's settings for a control (within a Streamlit callback); a refusal stands beside the control.

    Returns
    -------
    bool
        Whether they were taken.
    """
    state = state_of(page)
    if state is None:
        return False
    with state.lock:
        state.movers.add(get_ident())
        try:
            _accept(state, change(state.settings), asked=asked)
        except InputError as error:
            state.refuse(control, error.message)
            return False
        except Exception:  # nobody foresaw it; the page goes on with what it had
            _log.exception("%s, %s", page, control)
            state.refuse(control, later("problem.unforeseen"))
            return False
        return True


def _accept(state: PageState, settings: Settings, *, asked: bool = False) -> None:
    """Take settings of a control if their network runs; else the refusal stands beside the control."""
    require_to_run(settings)
    gave_way = weights_are_hand_set(state.settings) and settings.preset == "random" and not settings.weights
    notes = [_gave_way(state.settings)] if gave_way else []
    lost = [one for one in state.settings.clamps if one not in settings.clamps]
    for layer, clamp in lost:
        lacks = lacks_of_clamp(settings, layer, clamp) or "gate"  # whose cell may have one of the same letter
        words = {"layer": layer, "unit": (clamp.unit or 0) + 1, "step": clamp.from_step}
        notes.append(later(f"note.let_go.{lacks}", gate=clamp.gate, **words))
    typed = len(state.settings.edits) - len(settings.edits)
    if typed > 0 and settings.kind != state.settings.kind:
        notes.append(later("note.edits_gone", count=typed))
    state.remember(state.settings, settings)
    state.accept(settings, () if asked else tuple(notes))


def _gave_way(settings: Settings) -> Message:
    if settings.weights:
        return later("note.gave_way.stored")
    return later("note.gave_way", preset=later(f"choice.preset.{settings.preset}"))
