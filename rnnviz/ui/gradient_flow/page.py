"""The Gradient flow page: what stands above the picture, the picture, and the folds below it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rnnviz.maths import LSTMCell, log10_keep_products
from rnnviz.maths.cells import cell_class
from rnnviz.maths.checks import Array
from rnnviz.network import canonicalise, in_front, parts_of, weights_are_hand_set
from rnnviz.settings import KINDS, SETTINGS, Settings, settings_of
from rnnviz.texts import say, unbroken
from rnnviz.ui.components.gradient_chart import mount_chart
from rnnviz.ui.controls import initial_state, input_choice, preset_buttons
from rnnviz.ui.form import choice, moved, number, real_slider, take
from rnnviz.ui.gradient_flow.flows import causes_of, flow_of, flows_of, followed, pairs_of
from rnnviz.ui.gradient_flow.steps_back import STEPS, pair_of
from rnnviz.ui.panels import fold, wanted
from rnnviz.ui.state import PageState, sync_of, take_edits
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.charts.causes import causes_chart, paths_chart
from rnnviz.views.charts.decades import pack_chart
from rnnviz.views.charts.gradient_flow import CellFlow, flow_chart, pair_map
from rnnviz.views.names import cell_name
from rnnviz.views.sentences.gradient_flow import (
    blocks_words,
    elman_cause,
    gated_cause,
    gradient_words,
    keep_words,
    limits_words,
    notice,
    point_words,
    saturation_words,
    shares_words,
    split_words,
)

_MOST_WORK = 4e9
"""Steps times the cube of the state's size: what is drawn, at most 64 units over 1,000 steps, stays below it."""


def flow_bar(page: str, state: PageState) -> None:
    """Above the picture: the presets, the cell in front, and whether the others stand beside it."""
    preset_buttons(page, state)
    with st.container(horizontal=True, vertical_alignment="center"):
        cell_choice(page, state)
        choice(page, state, "together", in_bar=True)
        if "block" in settings_of(state.settings.kind):
            choice(page, state, "block", in_bar=True)


def cell_choice(page: str, state: PageState) -> None:
    """Which of the cells that the page shows stands in front."""
    key = f"{page} cell"
    set_widget(key, state.settings.kind)
    st.segmented_control(
        say("control.cell"), KINDS, default=st.session_state[key], key=key, required=True,
        format_func=cell_name,
        label_visibility="collapsed", on_change=heard, args=(key, _take_cell, page, key),
    )  # fmt: skip


def flow_controls(page: str, state: PageState) -> None:
    """The levers: how weights are drawn, what bends and scales, what the gates begin with; the rest in a fold."""
    choice(page, state, "init")
    real_slider(page, state, "gain", step=0.05)
    choice(page, state, "activation")
    number(page, state, "input_scale", step=0.1)
    biases = biases_of(state.settings.kind)
    real_slider(page, state, biases[0], step=0.5)
    more = st.expander(say("control.flow.more"), key=f"{page} more", on_change=moved, args=(page,))
    if more.open:
        with more:
            number(page, state, "seed", step=1)
            input_choice(page, state)
            initial_state(page, state)
            number(page, state, "threshold", step=1)
            for name in biases[1:]:
                real_slider(page, state, name, step=0.5)


def biases_of(kind: str) -> list[str]:
    """The biases that can be raised, what keeps the memory first; without gates in front it is that of the LSTM."""
    cell = cell_class(kind)
    gates = sorted(cell.reading_order, key=lambda gate: gate != cell.keeping) or [LSTMCell.keeping]
    return [f"bias_{gate}" for gate in gates]


def flow_panel(page: str, state: PageState) -> list[CellFlow]:
    """The main picture with what to notice, and why; returns the gradients shown, the one in front first.

    There are none while gradients of large stored weights wait to be asked for.
    """
    front_of = followed(state.settings)
    trace = front_of.trace
    why = say("reach.long", units=trace.cell.hidden_size)
    large = trace.steps * trace.cell.state_size**3 > _MOST_WORK
    if not wanted(page, "flow compute", front_of, large=large, why=why):
        return []
    flows, threshold = flows_of(state.settings), parts_of(state.settings).view.threshold
    front, (grid, first) = flows[0], pairs_of(front_of)
    pairs = pair_map(grid, first, pair_of(state.settings, front), front.name)
    point = point_words(front, threshold)
    said = notice(flows, threshold, _cause(state.settings, front), is_hand_set=weights_are_hand_set(state.settings))
    key = f"{page} chart"
    mount_chart(
        pack_chart(flow_chart(flows, threshold, said, pairs), sync_of(state)),
        key=key,
        on_cell=lambda: _take_pair(page, key),
        on_edits=lambda: take_edits(page, key),
    )
    more = f"{said.removeprefix(point)} {_blocks(state.settings, front)}"
    st.html(f"<style>{_STYLE}</style><p class='notice'><b>{point}</b>{unbroken(more)}</p>")
    base = parts_of(state.settings).base
    below = [gradient_words(flows), limits_words(flows, state.settings.layer, base.layers, base.steps)]
    typed = [entry for entry, _ in state.settings.edits]
    below += [say("reach.edited", count=len(typed))] if typed else []
    st.caption(" ".join(filter(None, below)))
    return flows


def _cause(settings: Settings, front: CellFlow) -> str:
    told_by = front.trace.cell.told_by
    if told_by == "slopes":
        return elman_cause(front, causes_of(followed(settings)))
    return gated_cause(front, log10_keep_products(front.trace)) if told_by == "gates" else ""


def _blocks(settings: Settings, front: CellFlow) -> str:
    """What the other blocks of an LSTM in front pass on, where they tell another story."""
    if "block" not in settings_of(front.kind):
        return ""
    return blocks_words(front, {block: float(norms[0]) for block, norms in _by_block(settings).items()})


def _by_block(settings: Settings) -> dict[str, Array]:
    """The norms of each block of the LSTM in front."""
    return {block: flow_of(followed(settings, block)).norms for block in SETTINGS["block"].choices}


def causes_panel(page: str, state: PageState, front: CellFlow) -> None:
    """A fold, open at first: weights or derivatives; in a gated cell, which path carries the gradient."""

    def body() -> None:
        if front.trace.cell.told_by == "slopes":
            causes = causes_of(followed(state.settings))
            said = [shares_words(front, causes), saturation_words(front.trace), split_words(front, causes)]
            chart = causes_chart(front, causes)
        else:
            keep = log10_keep_products(front.trace)
            said = [keep_words(front.trace, keep)]
            norms = _by_block(state.settings) if "block" in settings_of(front.kind) else {"h": front.norms}
            chart = paths_chart(front, norms, keep)
        st.markdown(unbroken(" ".join(filter(None, said))))
        mount_chart(pack_chart(chart), key=f"{page} causes chart")

    if front.trace.cell.told_by != "step":  # which tells no cause
        fold(page, "causes", say("cause.title"), body, opened=True)


def _take_cell(page: str, key: str) -> None:
    """Another cell is to stand in front (a Streamlit callback)."""
    kind = st.session_state[key]
    take(page, "cell", lambda settings: in_front(settings, kind))


def _take_pair(page: str, key: str) -> None:
    """A pair of steps was opened on the map (a Streamlit callback)."""
    pair = st.session_state[key].get("cell")
    k, t = (pair.get(name) for name in "kt") if isinstance(pair, dict) else (None, None)
    if isinstance(k, int) and isinstance(t, int) and 0 <= k < t <= SETTINGS["to_step"].high:
        take(page, "pair", lambda settings: canonicalise(settings.choose(from_step=k, to_step=t, opened=None))[0])
        st.session_state[f"{page} {STEPS}"] = True


_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
