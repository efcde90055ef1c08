"""The latch of a gate page beside a plain tanh unit that latches, below the explorer."""

from __future__ import annotations

import streamlit as st

from rnnviz.cache import remembered
from rnnviz.network import network_of
from rnnviz.presets import preset_of
from rnnviz.settings import Entry, NetworkSettings, Settings
from rnnviz.texts import say
from rnnviz.ui.panels import chart, fold
from rnnviz.ui.results import run_of, trace_of
from rnnviz.ui.shell import page_link
from rnnviz.ui.state import PageState, address_of
from rnnviz.views.charts.latch import latch_figure
from rnnviz.views.sentences import gate_facts
from rnnviz.views.sentences.latch import W_HH, W_IH, latch_words, random_norms, random_words, tanh_latch


def latch_panel(page: str, state: PageState) -> None:
    """A fold, below a preset that latches, with the same latch in a plain tanh unit."""
    settings = state.settings
    if preset_of(settings).fact is gate_facts.latch and settings.layer == 1:
        fold(page, "latch", say("latch.title"), lambda: _latch(page, settings))


def _latch(page: str, settings: Settings) -> None:
    trace = trace_of(settings)
    plain, symbol = tanh_latch(trace.x), gate_facts.memory_symbol(trace)
    step = gate_facts.subject_of(gate_facts.latch, trace).step
    said = latch_words(trace, plain, step, symbol)
    st.markdown(said)
    chart(latch_figure(trace, plain, symbol), key=f"{page} latch chart", said=said.replace("**", ""))
    norms = _random(network_of(settings), settings.sequence, step)
    st.markdown(random_words(norms, step, trace.steps))
    page_link("hidden_state", say("latch.link", page=say("page.hidden_state")), address_of(_tanh_latch_settings()))


@remembered
def _random(network: NetworkSettings, sequence: int, step: int) -> dict[str, float]:
    """What random networks of the sizes shown pass back on the sequence shown; some hundred runs, so kept."""
    trace = run_of(network, sequence)[0].traces[0]
    return random_norms(trace.x, trace.cell.hidden_size, step)


def _tanh_latch_settings() -> Settings:
    """The tanh latch as the Hidden state page takes it, with its mark at the first step."""
    settings = Settings("random").choose(input_size=1, hidden_size=1, steps=100, input="impulse", output_size=0)
    weights = {"W_ih": (0, 0), "W_hh": (0, 0), "b_ih": (0,), "b_hh": (0,)}
    values = {"W_ih": W_IH, "W_hh": W_HH, "b_ih": 0.0, "b_hh": 0.0}
    return settings.edit({Entry(name, place): values[name] for name, place in weights.items()})
