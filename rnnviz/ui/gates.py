"""Controls that act on the gates: a bias for each, and holding a gate open, shut or at a value."""

from __future__ import annotations

import streamlit as st

from rnnviz.presets import held, held_twice, hold, hold_where, values_of
from rnnviz.presets.network import CELLS
from rnnviz.settings import SETTINGS, Settings
from rnnviz.texts import say
from rnnviz.ui.controls import moved, real_slider, refusal, set_widget, take
from rnnviz.ui.state import PageState

_VALUES = {"computed": None, "shut": 0.0, "half": 0.5, "open": 1.0, "value": 0.75}


def gate_controls(page: str, state: PageState) -> None:
    """A fold with the biases of the gates and what holds them; open where an address uses any of it."""
    key, cell = f"{page} gates", CELLS[state.settings.kind]
    used = state.settings.clamps or any(name.startswith("bias_") for name, _ in state.settings.chosen)
    if key not in st.session_state and used:
        st.session_state[key] = True
    fold = st.expander(say("gates.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        st.caption(say("gates.note"))
        for gate in cell.gate_names:
            real_slider(page, state, f"bias_{gate}", step=0.5)
        for gate in cell.clampable:
            _hold_menu(page, state.settings, gate)
        _where(page, state.settings, cell.clampable)
        for gate in held_twice(state.settings):
            st.caption(say("gates.several", gate=gate))
        refusal(state, "clamp")


def _hold_menu(page: str, settings: Settings, gate: str) -> None:
    """What a gate of the layer shown is held at."""
    key, clamp = f"{page} hold {gate}", held(settings, gate)
    now = next((name for name, value in _VALUES.items() if value == (clamp and clamp.value)), "value")
    set_widget(key, now)
    st.selectbox(
        say("gates.hold", gate=gate),
        list(_VALUES),
        key=key,
        format_func=lambda name: say(f"gates.hold.{name}"),
        on_change=_take_hold,
        args=(page, gate, key),
    )
    if now == "value" and clamp:
        key = f"{page} hold {gate} at"
        set_widget(key, clamp.value)
        st.slider(
            say("gates.at", gate=gate), 0.0, 1.0, step=0.01, key=key, on_change=_take_value, args=(page, gate, key)
        )


def _where(page: str, settings: Settings, gates: tuple[str, ...]) -> None:
    """For which unit the gates are held, and from which step on."""
    values = values_of(settings)
    units, most = int(str(values["hidden_size"])), int(SETTINGS["steps"].high)
    first = next((clamp for gate in gates if (clamp := held(settings, gate))), None)
    unit_key, step_key = f"{page} hold unit", f"{page} hold step"
    options = [-1, *range(units)]
    if first is not None:
        set_widget(unit_key, -1 if first.unit is None else first.unit)
        set_widget(step_key, first.from_step)
    if st.session_state.get(unit_key) not in options:
        set_widget(unit_key, -1)
    if step_key not in st.session_state:
        set_widget(step_key, 1)
    st.selectbox(
        say("gates.unit"),
        options,
        key=unit_key,
        format_func=lambda unit: say("gates.unit.all") if unit < 0 else say("which.unit", unit=unit + 1),
        on_change=_take_where,
        args=(page,),
    )
    st.number_input(say("gates.step"), 1, most, key=step_key, on_change=_take_where, args=(page,))


def _chosen_where(page: str) -> tuple[int | None, int]:
    unit = int(st.session_state.get(f"{page} hold unit", -1))
    return (None if unit < 0 else unit), int(st.session_state.get(f"{page} hold step", 1))


def _take_hold(page: str, gate: str, key: str) -> None:
    """A gate is held at a value, or let go (a Streamlit callback)."""
    value, (unit, step) = _VALUES[st.session_state[key]], _chosen_where(page)
    take(page, "clamp", lambda settings: hold(settings, gate, value, unit, step), asked=True)


def _take_value(page: str, gate: str, key: str) -> None:
    """A held gate is held at another value (a Streamlit callback)."""
    value, (unit, step) = float(st.session_state[key]), _chosen_where(page)
    take(page, "clamp", lambda settings: hold(settings, gate, value, unit, step), asked=True)


def _take_where(page: str) -> None:
    """Another unit or step is chosen for what is held (a Streamlit callback)."""
    unit, step = _chosen_where(page)
    take(page, "clamp", lambda settings: hold_where(settings, unit, step), asked=True)
