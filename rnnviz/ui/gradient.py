"""The Gradient flow page: what stands above the picture, the picture, and the folds below it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rnnviz.maths import log10_keep_products
from rnnviz.maths.checks import Array
from rnnviz.presets import in_front, settle, values_of
from rnnviz.settings import KINDS, SETTINGS, Settings
from rnnviz.texts import say
from rnnviz.ui.controls import (
    choice,
    initial_state,
    input_choice,
    moved,
    number,
    preset_buttons,
    real_slider,
    set_widget,
    take,
)
from rnnviz.ui.flow import mount_chart
from rnnviz.ui.flows import causes_of, flow_of, flows_of, norms_between, pairs_of, single
from rnnviz.ui.state import PageState
from rnnviz.views.causes import causes_chart, paths_chart
from rnnviz.views.decades import pack_chart
from rnnviz.views.flow import CellFlow, flow_chart, pair_map
from rnnviz.views.flow_words import (
    elman_cause,
    gated_cause,
    keep_words,
    limits_words,
    memory_words,
    notice,
    split_words,
)
from rnnviz.views.steps_back import (
    chain_picture,
    chain_words,
    opened_formula,
    opened_picture,
    opened_words,
    worst_step,
)


def flow_bar(page: str, state: PageState) -> None:
    """Above the picture: the presets, the cell in front, and whether the others stand beside it."""
    preset_buttons(page, state)
    with st.container(horizontal=True, vertical_alignment="center"):
        cell_choice(page, state)
        choice(page, state, "together", in_bar=True)
        if state.settings.kind == "lstm":
            choice(page, state, "block", in_bar=True)


def cell_choice(page: str, state: PageState) -> None:
    """Which of the cells that the page shows stands in front."""
    key = f"{page} cell"
    set_widget(key, state.settings.kind)
    st.segmented_control(
        say("control.cell"), KINDS, default=st.session_state[key], key=key, required=True,
        format_func=lambda kind: say(f"flows.cell.{kind}"),
        label_visibility="collapsed", on_change=_take_cell, args=(page, key),
    )  # fmt: skip


def flow_controls(page: str, state: PageState) -> None:
    """The levers: how weights are drawn, what bends and scales, what the gates begin with; the rest in a fold."""
    choice(page, state, "init")
    real_slider(page, state, "gain", step=0.05)
    choice(page, state, "activation")
    number(page, state, "input_scale", step=0.1)
    biases = biases_of(state.settings.kind)
    real_slider(page, state, biases[0], step=0.5)
    fold = st.expander(say("control.flow.more"), key=f"{page} more", on_change=moved, args=(page,))
    if fold.open:
        with fold:
            number(page, state, "seed", step=1)
            input_choice(page, state)
            initial_state(page, state)
            number(page, state, "threshold", step=1)
            for name in biases[1:]:
                real_slider(page, state, name, step=0.5)


def biases_of(kind: str) -> list[str]:
    """The biases that can be raised, what keeps the memory first; without gates in front it is that of the LSTM."""
    gates = {"lstm": "figo", "gru": "zrn"}.get(kind, "f")
    return [f"bias_{gate}" for gate in gates]


def flow_panel(page: str, state: PageState) -> list[CellFlow]:
    """The main picture with what to notice, and why; returns the gradients shown, the one in front first."""
    flows, threshold = flows_of(state.settings), threshold_of(state.settings)
    front, (grid, first) = flows[0], pairs_of(single(state.settings))
    pairs = pair_map(grid, first, _pair(state.settings, front), front.name)
    said = notice(flows, threshold)
    key = f"{page} chart"
    mount_chart(pack_chart(flow_chart(flows, threshold, said, pairs)), key=key, on_cell=lambda: _take_pair(page, key))
    cause = f"{_cause(state.settings, front, threshold)} {_long_memory(state.settings, front)}"
    st.html(f"<style>{_STYLE}</style><p class='notice'><b>{said}</b> {cause}</p>")
    values = values_of(state.settings)
    wanted = int(str(values["steps"]))
    limits = [limits_words(flows, state.settings.layer, int(str(values["layers"])), wanted)]
    typed = [entry for entry, _ in state.settings.edits]
    limits += [say("reach.edited", count=len(typed))] if typed else []
    if any(limits):
        st.caption(" ".join(limits))
    return flows


def _cause(settings: Settings, front: CellFlow, threshold: int) -> str:
    if front.kind == "elman":
        return elman_cause(front, causes_of(single(settings)), threshold)
    return gated_cause(front, log10_keep_products(front.trace), threshold)


def _long_memory(settings: Settings, front: CellFlow) -> str:
    """What the long memory of an LSTM passes on where another block is followed that passes on much less."""
    return memory_words(front, _block(settings, "c")) if front.kind == "lstm" and front.block == "h" else ""


def _block(settings: Settings, block: str) -> Array:
    """The norms of a block of the LSTM in front."""
    return flow_of(single(settings).choose(block=block)).norms


def causes_panel(page: str, state: PageState, front: CellFlow) -> None:
    """A fold, open at first: saturation or weights; in a gated cell, which way carries the gradient."""
    key, elman = f"{page} causes", front.kind == "elman"
    if key not in st.session_state:
        st.session_state[key] = True
    fold = st.expander(say("cause.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        if elman:
            causes = causes_of(single(state.settings))
            st.markdown(split_words(causes, front.trace))
            chart = causes_chart(front, causes)
        else:
            keep = log10_keep_products(front.trace)
            st.markdown(keep_words(front.trace, keep))
            blocks = SETTINGS["block"].choices if front.kind == "lstm" else ()
            norms = {block: _block(state.settings, block) for block in blocks} or {"h": front.norms}
            chart = paths_chart(front, norms, keep)
        mount_chart(pack_chart(chart), key=f"{page} causes chart")


def steps_panel(page: str, state: PageState, front: CellFlow) -> None:
    """A fold, open at first: the way from t back to k, step by step, and one step opened."""
    key = f"{page} step by step"
    if key not in st.session_state:
        st.session_state[key] = True
    fold = st.expander(say("chain.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    k, t = _pair(state.settings, front)
    with fold:
        values, steps = values_of(state.settings), front.trace.steps
        asked_t = int(str(values["to_step"])) or steps
        asked_k = int(str(values["from_step"]))
        if (asked_k, asked_t) != (k, t):
            st.caption(say("chain.clipped", k=asked_k, t=asked_t, steps=steps))
        norms = norms_between(front, k, t)
        opened = int(str(values["opened"]))
        opened = opened if k < opened <= t else worst_step(norms, k)
        chain, step = st.columns(2, gap="medium")
        with chain:
            st.markdown(f"**{chain_words(norms, k)}** {say('chain.note')}")
            st.markdown(chain_picture(norms, k, opened), unsafe_allow_html=True)
            _choose_step(page, state.settings, k, t, opened)
        with step:
            st.html(f"<p class='step-formula'>{opened_formula(front.trace, opened)}</p>")
            st.markdown(opened_words(front.trace, opened))
            st.markdown(opened_picture(front.trace, opened), unsafe_allow_html=True)


def _pair(settings: Settings, front: CellFlow) -> tuple[int, int]:
    """The pair of steps that is shown step by step: by default the whole way."""
    values, last = values_of(settings), front.trace.steps
    t = min(int(str(values["to_step"])) or last, last)
    return min(int(str(values["from_step"])), t - 1), t


def _choose_step(page: str, settings: Settings, k: int, t: int, shown: int) -> None:
    """Which step is opened; empty while none is chosen, for what a run sets anew can come back as if it were chosen."""
    if t - k < 2:
        return
    key, most = f"{page} opened", int(SETTINGS["opened"].high)
    set_widget(key, values_of(settings)["opened"] or None)
    st.number_input(
        say("control.opened"), 1, most, value=None, key=key, placeholder=str(shown),
        help=say("chain.choose", first=k + 1, last=t), on_change=_take_opened, args=(page, key),
    )  # fmt: skip


def threshold_of(settings: Settings) -> int:
    """The decades below which a gradient counts as gone."""
    return int(str(values_of(settings)["threshold"]))


def _take_cell(page: str, key: str) -> None:
    """Another cell is to stand in front (a Streamlit callback)."""
    kind = st.session_state[key]
    take(page, "cell", lambda settings: in_front(settings, kind))


def _take_pair(page: str, key: str) -> None:
    """A pair of steps was opened on the map (a Streamlit callback)."""
    pair = st.session_state[key].get("cell")
    k, t = (pair.get(name) for name in "kt") if isinstance(pair, dict) else (None, None)
    if isinstance(k, int) and isinstance(t, int) and 0 <= k < t <= SETTINGS["to_step"].high:
        take(page, "pair", lambda settings: settle(settings.choose(from_step=k, to_step=t, opened=None))[0])


def _take_opened(page: str, key: str) -> None:
    """Another step is to be opened (a Streamlit callback)."""
    step = st.session_state[key]
    take(page, "opened", lambda settings: settle(settings.choose(opened=step))[0])


_STYLE = (Path(__file__).parent / "gradient.css").read_text(encoding="utf-8")
