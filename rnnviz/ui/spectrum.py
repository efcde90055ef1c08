"""Eigenvalues against singular values, below the picture of a gradient; computed while it is open."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths import ElmanCell, Trace, lyapunov_exponents
from rnnviz.maths.checks import Array
from rnnviz.maths.decay import power_norms, spectral_radius
from rnnviz.presets import SPECTRA
from rnnviz.texts import say
from rnnviz.ui.controls import moved, take_preset
from rnnviz.ui.ledger import STYLE
from rnnviz.ui.state import PageState
from rnnviz.views.spectrum import lyapunov_words, spectrum_picture, spectrum_table, spectrum_words

_POWERS = 40


def spectrum_panel(page: str, state: PageState, trace: Trace) -> None:
    """A fold: the spectrum of W_hh on the complex plane, its singular values, and what a run makes of both."""
    key = f"{page} spectrum"
    if key not in st.session_state and state.settings.preset in SPECTRA:
        st.session_state[key] = True
    fold = st.expander(say("spectrum.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(say("spectrum.presets"))
            for name in SPECTRA:
                st.button(
                    say(f"choice.preset.{name}"), key=f"{page} spectrum {name}", on_click=take_preset, args=(page, name)
                )
            W = _block(page, trace)
        radius, exponents = spectral_radius(W), lyapunov_exponents(trace)
        st.markdown(f"**{spectrum_words(W, radius, power_norms(W, _POWERS))}** {lyapunov_words(exponents)}")
        st.markdown(spectrum_picture(W, exponents, radius), unsafe_allow_html=True)
        numbers = st.expander(say("spectrum.numbers"), key=f"{page} spectrum numbers", on_change=moved, args=(page,))
        if numbers.open:
            numbers.html(f"<style>{STYLE}</style>{spectrum_table(W, exponents, radius)}")


def _block(page: str, trace: Trace) -> Array:
    """The recurrent weights, of a gated cell those of the gate that is chosen."""
    cell = trace.cell
    if isinstance(cell, ElmanCell):
        return cell.W_hh
    key = f"{page} spectrum gate"
    if st.session_state.get(key) not in cell.gate_names:
        st.session_state[key] = cell.gate_names[0]
    gate = st.selectbox(
        say("spectrum.gate"), cell.gate_names, key=key, format_func=lambda name: say("spectrum.block", gate=name),
        label_visibility="collapsed", width=220, on_change=moved, args=(page,),
    )  # fmt: skip
    return cell.W_hh[cell.rows(gate)]
