"""Eigenvalues, singular values and the exponents of a run, below the picture of a gradient; computed while open."""

from __future__ import annotations

import streamlit as st

from rnnviz.cache import remembered
from rnnviz.maths import Trace
from rnnviz.maths.checks import Array
from rnnviz.maths.gradient_flow.decay import power_norms
from rnnviz.maths.gradient_flow.spectra import finite_time_exponents
from rnnviz.presets import SPECTRA
from rnnviz.texts import say, unbroken
from rnnviz.ui.controls import take_preset
from rnnviz.ui.form import moved
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.state import PageState
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.charts.spectrum import bars_chart, bars_said, plane_chart, plane_said
from rnnviz.views.sentences.spectrum import (
    headline_words,
    last_step,
    matrix_name,
    run_words,
    spectrum,
    spectrum_columns,
    step_name,
    step_words,
    weights_words,
)

_POWERS = 40


def spectrum_panel(page: str, state: PageState, front: CellFlow) -> None:
    """A fold: the spectrum of W_hh on the complex plane, its singular values, and what a run makes of both."""
    opened = state.settings.preset in SPECTRA
    fold(page, "spectrum", say("spectrum.title"), lambda: _spectrum(page, front), opened=opened)


def _spectrum(page: str, front: CellFlow) -> None:
    trace = front.trace
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("spectrum.presets"), width="content")
        for name in SPECTRA:
            st.button(
                say(f"choice.preset.{name}"), key=f"{page} spectrum {name}", on_click=take_preset, args=(page, name)
            )
        gate = _gate(page, trace)
    W, name = _block(trace, gate), matrix_name(trace.cell, gate)
    exponents = _exponents(trace)
    said = [
        f"**{run_words(exponents, trace)}** {headline_words(trace, front.block)}",
        f"**{weights_words(W, power_norms(W, _POWERS), name)}** {step_words(trace, exponents, name)}",
    ]
    st.markdown(unbroken("\n\n".join(said)))
    eigenvalues, singular = spectrum(W)
    beside = step_name(trace)
    step = spectrum(last_step(trace))[0] if beside else None
    plane, bars = st.columns(2, gap="medium")
    with plane:
        chart(plane_chart(eigenvalues, name, step, beside), key=f"{page} plane chart", said=plane_said(name, beside))
    with bars:
        said_of_bars = bars_said(singular, exponents, name)
        chart(bars_chart(singular, exponents, name), key=f"{page} spectrum chart", said=said_of_bars)
    columns = spectrum_columns(W, exponents)
    fold(page, "spectrum numbers", say("spectrum.numbers"), lambda: table(columns, key=f"{page} spectrum table"))


def _gate(page: str, trace: Trace) -> str:
    """Which block of the recurrent weights of a gated cell is looked at; none of an Elman network."""
    cell = trace.cell
    if len(cell.gate_names) == 1:
        return ""
    key = f"{page} spectrum gate"
    if st.session_state.get(key) not in cell.gate_names:
        st.session_state[key] = cell.gate_names[0]
    return str(
        st.selectbox(
            say("spectrum.gate"), cell.gate_names, key=key, label_visibility="collapsed", width=220,
            format_func=lambda gate: say("spectrum.block", gate=gate, matrix=matrix_name(cell, gate)),
            on_change=moved, args=(page,),
        )
    )  # fmt: skip


def _block(trace: Trace, gate: str) -> Array:
    """The recurrent weights, of a gated cell those of a gate."""
    return trace.cell.W_hh[trace.cell.rows(gate)] if gate else trace.cell.W_hh


@remembered
def _exponents(trace: Trace) -> Array:
    """Of a run, which is remembered as long as a few others: they take seconds for an LSTM of 64 units."""
    exponents = finite_time_exponents(trace)
    exponents.setflags(write=False)
    return exponents
