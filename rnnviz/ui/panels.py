"""Parts of a page that stand for themselves: folds, Plotly charts, tables, and what becomes of an unforeseen error."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TypeVar

import streamlit as st

from rnnviz.texts import say
from rnnviz.ui.components.plotly import mount_moving
from rnnviz.ui.form import FormState, moved, state_of, take
from rnnviz.views.charts.figure import CONFIG, Figure, themed
from rnnviz.views.tables import NOTHING, frame

_log = logging.getLogger(__name__)

S = TypeVar("S", bound=FormState)
T = TypeVar("T")


def parts(page: str, state: S, *bodies: Callable[[str, S], object]) -> None:
    """Build parts of a page one after the other, each of them `apart` from the others."""
    for body in bodies:
        _one(page, state, body)


def _one(page: str, state: S, body: Callable[[str, S], object]) -> None:
    apart(page, body.__name__, lambda: body(page, state))


def fold(page: str, name: str, title: str, body: Callable[[], None], *, opened: bool = False) -> None:
    """A fold whose body is built only while it is open; `opened` is how it begins."""
    key = f"{page} {name}"
    if opened and key not in st.session_state:
        st.session_state[key] = True
    place = st.expander(title, key=key, on_change=moved, args=(page,))
    if place.open:
        with place:
            apart(page, name, body)


def opened_by(page: str, name: str, preset: str, presets: Collection[str]) -> None:
    """Open a fold where a preset is taken that is about nothing else; a reader can close it."""
    key = f"{page} {name}"
    if preset in presets and st.session_state.get(f"{key} of") != preset:
        st.session_state[key] = True
    st.session_state[f"{key} of"] = preset


def wanted(page: str, name: str, of: object, *, large: bool, why: str = "", label: str = "") -> bool:
    """Whether something is to be computed: at once, or where it is large when its button was pressed for just this."""
    key = f"{page} {name}"
    if not large or st.session_state.get(f"{key} of") == of:
        return True
    if why:
        st.caption(why)
    st.button(label or say("compute"), key=key, on_click=_ask, args=(page, key, of))
    return False


def _ask(page: str, key: str, of: object) -> None:
    """Something large is to be computed (a Streamlit callback)."""
    st.session_state[f"{key} of"] = of
    moved(page)


def apart(page: str, name: str, body: Callable[[], T]) -> T | None:
    """Build a part of a page: an error that nobody foresaw shows in its place alone, with a way on.

    Returns
    -------
    object
        What the body returns; None after an error.
    """
    try:
        return body()
    except Exception:
        _log.exception("%s, %s", page, name)
        st.error(say("panel.failed"))
        st.button(say("panel.reset"), key=f"{page} {name} reset", on_click=_take_default, args=(page,))
        return None


def chart(figure: Figure, *, key: str, said: str) -> None:
    """Show a Plotly figure in the colours of the theme; `said` is its text twin."""
    theme = st.context.theme.type or "light"
    taken = _unchecked()(themed(figure, theme))
    st.plotly_chart(taken, theme=None, key=key, alt=said, config=CONFIG, width="stretch")


def moving_chart(figure: Figure, *, key: str, said: str, moves: bool) -> None:
    """Show a Plotly figure that changes in its place, several times a second; as `chart`.

    While it `moves` it cannot be pointed at.
    """
    theme, config = st.context.theme.type or "light", CONFIG | {"staticPlot": moves}
    spec = json.dumps({**themed(figure, theme), "config": config}, separators=(",", ":"), allow_nan=False)
    mount_moving(spec, key=key, said=said)


@cache
def _unchecked() -> type:
    """A figure that Plotly does not check property by property, which takes 18 of the 22 ms of a chart: tests do."""
    from plotly.basedatatypes import BaseFigure  # slow to load

    class Unchecked(BaseFigure):  # type: ignore[misc]
        def __init__(self, figure: Figure) -> None:
            self._figure = figure

        def to_dict(self) -> Figure:
            return self._figure

    return Unchecked


def table(columns: Mapping[str, Sequence[object]], *, key: str, marked: int | None = None) -> None:
    """Show numbers as a table that sorts, searches and downloads in full precision, one of its rows marked."""
    st.dataframe(frame(columns, marked=marked), key=key, hide_index=True, width="stretch", placeholder=NOTHING)


def _take_default(page: str) -> None:
    """What the page begins with is wanted (a Streamlit callback)."""
    state = state_of(page)
    if state is not None:
        take(page, "preset", lambda _: state.first, asked=True)
