"""Controls that act on the gates: what is added to the bias of each, and clamping a gate to a value."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths.cells.registry import cell_class
from rnnviz.network import clamp_gate, clamp_of, clamp_where, clamped_twice, hidden_sizes, parts_of
from rnnviz.texts import later, say
from rnnviz.ui.form import real_slider, refusal, take
from rnnviz.ui.panels import fold
from rnnviz.ui.ranged import slider_with_field
from rnnviz.ui.state import PageState
from rnnviz.ui.widgets import heard, set_widget

_VALUES = {"computed": None, "closed": 0.0, "half": 0.5, "open": 1.0, "value": 0.75}


def gate_controls(page: str, state: PageState) -> None:
    """A fold with the biases of the gates and their clamps; open where an address uses any of it."""
    used = bool(state.settings.clamps) or any(name.startswith("bias_") for name, _ in state.settings.chosen)
    fold(page, "gates", say("gates.title"), lambda: _controls(page, state), opened=used)


def _controls(page: str, state: PageState) -> None:
    cell = cell_class(state.settings.kind)
    st.caption(say("gates.note"))
    for gate in cell.gate_names:
        real_slider(page, state, f"bias_{gate}", step=0.5)
    for gate in cell.clampable:
        _clamp_menu(page, state, gate)
    _where(page, state, cell.clampable)
    for gate in clamped_twice(state.settings):
        st.caption(say("gates.several", gate=gate))
    refusal(state, "clamp")


def _clamp_menu(page: str, state: PageState, gate: str) -> None:
    """What a gate of the layer shown is clamped to."""
    key, clamp = f"{page} clamp {gate}", clamp_of(state.settings, gate)
    now = next((name for name, value in _VALUES.items() if value == (clamp and clamp.value)), "value")
    set_widget(key, now)
    st.selectbox(
        say("gates.clamp", gate=gate),
        list(_VALUES),
        key=key,
        format_func=lambda name: say(f"gates.clamp.{name}"),
        on_change=heard,
        args=(key, _take_clamp, page, gate, key),
    )
    if now == "value" and clamp:
        slider_with_field(
            page, state, later("gates.at", gate=gate), 0.0, 1.0, clamp.value,
            step=0.01, key=f"{page} clamp {gate} to", taken=lambda value: _take_value(page, gate, value),
        )  # fmt: skip


def _where(page: str, state: PageState, gates: tuple[str, ...]) -> None:
    """In which unit the gates are clamped, and from which step on."""
    settings, base = state.settings, parts_of(state.settings).base
    units, last = hidden_sizes(base)[settings.layer - 1], base.steps
    first = next((clamp for gate in gates if (clamp := clamp_of(settings, gate))), None)
    unit_key, step_key = f"{page} clamp unit", f"{page} clamp step"
    options = [-1, *range(units)]
    if first is not None:
        set_widget(unit_key, -1 if first.unit is None else first.unit)
        set_widget(step_key, first.from_step)
    if st.session_state.get(unit_key) not in options:
        set_widget(unit_key, -1)
    st.session_state.setdefault(step_key, 1)
    st.selectbox(
        say("gates.unit"),
        options,
        key=unit_key,
        format_func=lambda unit: say("gates.unit.all") if unit < 0 else say("which.unit", unit=unit + 1),
        on_change=heard,
        args=(unit_key, _take_where, page),
    )
    step = st.session_state[step_key]
    slider_with_field(
        page, state, later("gates.step"), 1, max(last, step), step, key=step_key, taken=lambda _: _take_where(page)
    )


def _chosen_where(page: str) -> tuple[int | None, int]:
    unit = int(st.session_state.get(f"{page} clamp unit", -1))
    return (None if unit < 0 else unit), int(st.session_state.get(f"{page} clamp step", 1))


def _take_clamp(page: str, gate: str, key: str) -> None:
    """A gate is clamped to a value, or computed again (a Streamlit callback)."""
    value, (unit, step) = _VALUES[st.session_state[key]], _chosen_where(page)
    take(page, "clamp", lambda settings: clamp_gate(settings, gate, value, unit, step), asked=True)


def _take_value(page: str, gate: str, value: float) -> None:
    """A clamped gate is clamped to another value (a Streamlit callback)."""
    unit, step = _chosen_where(page)
    take(page, "clamp", lambda settings: clamp_gate(settings, gate, value, unit, step), asked=True)


def _take_where(page: str) -> None:
    """Another unit or step is chosen for the clamps (a Streamlit callback)."""
    unit, step = _chosen_where(page)
    take(page, "clamp", lambda settings: clamp_where(settings, unit, step), asked=True)
