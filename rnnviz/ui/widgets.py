"""Widgets that are set from here while a reader uses them.

With each message the browser tells the value of every widget. One that was set meanwhile, of which the browser has
not heard yet, tells its old value, and Streamlit takes that for a choice of the reader's: on a distant server two
quick choices would undo each other. So what a widget tells is held against the values that were sent to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import streamlit as st


@dataclass
class _Sent:
    """What this session's widgets were set to, and what they told.

    Attributes
    ----------
    values : dict of str to list
        By key of a widget that the browser may not know of yet: what it held, and what was sent to it since.
    doubted : dict of str to callable
        By key of a widget that told one of those values: what follows if a reader did choose it.
    """

    values: dict[str, list[object]] = field(default_factory=dict)
    doubted: dict[str, Callable[[], object]] = field(default_factory=dict)


def set_widget(key: str, value: object) -> None:
    """Set a widget where it differs: a value that is set anew overtakes what the reader's hand does meanwhile.

    The widget takes the value as its default too: if the run ends before the browser has it, it begins there with its
    default, which would come back as if it were chosen.
    """
    before = st.session_state.get(key)
    if before != value:
        if key in st.session_state:
            _sent().values.setdefault(key, [before]).append(value)
        st.session_state[key] = value


def heard(key: str, act: Callable[..., object], *args: object) -> None:
    """What follows from a widget's new value (a Streamlit callback), unless the browser may not know its last one."""
    sent = _sent()
    if st.session_state[key] in sent.values.get(key, ())[:-1]:
        sent.doubted[key] = partial(act, *args)
    else:
        act(*args)


def settle(*, alone: bool) -> None:
    """Decide on what was doubted, at the beginning of a run.

    Parameters
    ----------
    alone : bool
        Whether nothing else caused this run: then a single widget that tells an old value was really set back to it.
    """
    sent = _sent()
    doubted, sent.doubted = sent.doubted, {}
    values, sent.values = sent.values, {key: value for key, value in sent.values.items() if key in doubted}
    if alone and len(doubted) == 1:
        sent.values.clear()
        for act in doubted.values():
            act()
        return
    for key in doubted:
        st.session_state[key] = values[key][-1]


def _sent() -> _Sent:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = _Sent()
    sent: _Sent = st.session_state[_KEY]
    return sent


_KEY = "values sent to widgets"
