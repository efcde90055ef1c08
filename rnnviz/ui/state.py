"""A page's state within a session: its settings, the one writer of the address, and the explorer's events."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock, get_ident

import numpy as np
import streamlit as st

from rnnviz.maths import InputError
from rnnviz.presets import ALL_PRESETS, base_arrays, cell_of, default_preset, of_cell, settle
from rnnviz.settings import (
    ADDRESS_LIMIT,
    KINDS,
    Problem,
    Settings,
    address_length,
    apply_edit,
    format_address,
    parse_address,
    read_edit,
)
from rnnviz.texts import say
from rnnviz.ui.results import result_of, trace_of
from rnnviz.views.picture import Sync


@dataclass
class PageState:
    """What a session remembers of a page.

    Attributes
    ----------
    settings : Settings
        The single truth that controls, address and explorer are made from.
    epoch : int
        Raised whenever the base of the edits changes, so that stale edits fall away.
    acknowledged : int
        The highest sequence number of an edit that was applied.
    refused, refused_by : str
        Why the last value was not taken, and the control that it was given to.
    note : str
        What the last choice changed beside what it names.
    typing : bool
        Whether the places for a sequence of the reader's own are open.
    written : mapping
        The address last written.
    seen : list of mapping
        Addresses that the browser may still show because our last writes have not reached it, oldest first.
    replaced : dict of str or None to float
        Texts that the field of the reader's own sequence held before ours, and when each was replaced.
    movers : set of int
        Threads whose run a control or the explorer caused: its callbacks run in the thread of the run itself.
    dragging : bool
        Whether a number is being dragged: the address waits for the end.
    entry_t : int
        The step that the explorer starts from; afterwards the browser owns the step.
    lock : RLock
        Held by whatever changes the settings: a new run may begin while the callbacks of the last are still at work.
    """

    settings: Settings
    problems: tuple[Problem, ...] = ()
    refused: str = ""
    refused_by: str = ""
    note: str = ""
    typing: bool = False
    epoch: int = 1
    acknowledged: int = 0
    written: Mapping[str, str] | None = None
    seen: list[dict[str, str]] = field(default_factory=list)
    replaced: dict[str | None, float] = field(default_factory=dict)
    movers: set[int] = field(default_factory=set)
    dragging: bool = False
    entry_t: int = 1
    lock: RLock = field(default_factory=RLock)

    def rebase(self, settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
        """Take settings that did not come from the explorer: its edits on the way are stale now."""
        self.settings, self.problems, self.refused, self.refused_by = settings, problems, "", ""
        self.note = ""
        self.epoch += 1
        self.dragging = False
        self.entry_t = settings.t

    def accept(self, settings: Settings, note: str = "") -> None:
        """Take settings of a control: where the base of the edits stays, so does what can be undone."""
        old, new = base_arrays(self.settings), base_arrays(settings)
        same_base = old.keys() == new.keys() and all(np.array_equal(old[name], new[name]) for name in old)
        if same_base and settings.t == self.settings.t:
            self.settings, self.problems, self.refused, self.refused_by = settings, (), "", ""
        else:
            self.rebase(settings)
        self.note = note

    def refuse(self, control: str, reason: str) -> None:
        """Note why a control's value was not taken; the settings stay as they were."""
        self.refused, self.refused_by = reason, control


def open_page(page: str, *kinds: str, gallery: str = "") -> PageState:
    """The state of a page at the beginning of a run, with the address that the browser shows taken in.

    The page decides the kind of cell, or which kinds are shown beside each other: then ``cell`` on the address says
    which of them stands in front, the first if it does not. `gallery` is its set of presets, as `Settings` has it.
    """
    entered = st.session_state.get("page") != page
    st.session_state["page"] = page
    query = st.query_params.to_dict()
    state = state_of(page)
    if state is None:
        state = st.session_state[_key(page)] = PageState(_first(*(kinds or KINDS[:1]), gallery=gallery))
        _adopt(state, query)
    with state.lock:
        moved = get_ident() in state.movers
        state.movers.discard(get_ident())
        if adopts(query, state.written, state.seen, entered=entered, moved=moved) and state.written is not None:
            _adopt(state, query)
        elif entered:
            state.entry_t, state.refused_by = state.settings.t, ""
        if query in state.seen:  # what the browser showed before this it shows no more
            state.seen = state.seen[state.seen.index(query) :]
    return state


def adopts(
    query: Mapping[str, str],
    written: Mapping[str, str] | None,
    seen: Sequence[Mapping[str, str]],
    *,
    entered: bool,
    moved: bool,
) -> bool:
    """Whether a browser's address is a wish (a link, Back, a typed address) rather than an echo of our own.

    Parameters
    ----------
    query : mapping
        The address that came with this run.
    written, seen
        The address last written, and the ones that our writes replaced but the browser may still show.
    entered : bool
        Whether the page was just opened within the session: the menu drops the query, so an empty one carries on.
    moved : bool
        Whether a control or the explorer caused this run: then a replaced address is only one that our writes have
        not overtaken yet.
    """
    if query == written or (entered and not query):
        return False
    return not (moved and query in seen)


def state_of(page: str) -> PageState | None:
    """The state that this session has of a page, if it was there."""
    state: PageState | None = st.session_state.get(_key(page))
    return state


def write_address(state: PageState) -> str | None:
    """Put the settings into the address bar, once per run and only when they differ.

    Returns
    -------
    str or None
        What to tell the reader when they are too long for an address.
    """
    wanted, current = address_of(state.settings), st.query_params.to_dict()
    length = address_length(wanted)
    if length > ADDRESS_LIMIT:
        state.written = current  # it stays, and is no wish when it comes again
        return say("problem.too_long", length=length, limit=ADDRESS_LIMIT, fold=say("file.title"))
    if not state.dragging:
        if current != wanted:
            state.seen = [*(state.seen or [current]), wanted]
            st.query_params.from_dict(wanted)
        state.written = wanted
    return None


def take_edits(page: str, key: str) -> None:
    """Apply the edits that the explorer sent and that were not applied yet (a Streamlit callback)."""
    state, message = state_of(page), st.session_state[key].get("edits")
    if state is None or not isinstance(message, dict):
        return
    with state.lock:
        state.movers.add(get_ident())
        if message.get("session") != session_token() or message.get("epoch") != state.epoch:
            return
        sent = message.get("list")
        for item in sent if isinstance(sent, list) else []:
            _take_edit(state, item)


def _take_edit(state: PageState, message: object) -> None:
    """Apply one edit, unless it was applied before; one that no network can be made of is refused."""
    try:
        edit = read_edit(message)
    except InputError as error:
        state.refuse("explorer", str(error))
        return
    if edit.sequence <= state.acknowledged:
        return
    try:
        settings, problems = settle(apply_edit(state.settings, edit))
        require_to_run(settings)
    except InputError as error:
        state.refuse("explorer", str(error))
    else:
        state.settings, state.problems, state.refused_by = settings, problems, ""
    # Last, for a newer message may stop this run wherever it asks Streamlit for something.
    state.acknowledged, state.dragging = edit.sequence, not edit.settled


def take_step(page: str, key: str) -> None:
    """Note the step at which scrubbing stopped (a Streamlit callback)."""
    state, message = state_of(page), st.session_state[key].get("t")
    if state is None or not isinstance(message, dict) or not isinstance(message.get("t"), int):
        return
    with state.lock:
        state.movers.add(get_ident())
        if message.get("session") == session_token() and message.get("epoch") == state.epoch and message["t"] >= 1:
            state.settings = settle(replace(state.settings, t=message["t"]))[0]


def sync_of(state: PageState) -> Sync:
    """What the explorer needs in order to keep its edits in step."""
    return Sync(session_token(), state.epoch, state.acknowledged, state.entry_t)


def session_token() -> str:
    """A name for this server session; another one tells the browser that the server was restarted."""
    if "token" not in st.session_state:
        st.session_state["token"] = secrets.token_hex(8)
    return str(st.session_state["token"])


def _key(page: str) -> str:
    return f"state of {page}"


def address_of(settings: Settings) -> dict[str, str]:
    """The query of a page that shows these settings."""
    query = format_address(settings, default_preset(*settings.kinds, gallery=settings.gallery))
    in_front = settings.beside and settings.kind != (cell_of(settings.preset) or KINDS[0])
    return {"cell": settings.kind, **query} if in_front else query


def require_to_run(settings: Settings) -> None:
    """Refuse settings whose network can't be made or run, any of those that are shown beside each other.

    Raises
    ------
    InputError
    """
    if settings.beside:
        for kind in settings.kinds:
            trace_of(of_cell(settings, kind))
    else:
        result_of(settings)


def _first(*kinds: str, gallery: str = "") -> Settings:
    """What a page shows at first."""
    preset = default_preset(*kinds, gallery=gallery)
    return Settings(preset, kind=kinds[0], beside=kinds[1:], gallery=gallery)


def _cell_in_front(kinds: tuple[str, ...], query: dict[str, str], gallery: str) -> tuple[Settings, tuple[Problem, ...]]:
    """What a page of several cells begins with, by the ``cell`` of an address, which is taken out, or its preset."""
    cell = cell_of(query.get("preset", "")) or KINDS[0]
    asked = query.pop("cell", cell)
    problems = () if asked in kinds else (Problem("cell", asked, f"needs one of {', '.join(KINDS)}"),)
    cell = asked if asked in kinds else cell
    return _first(cell, *(kind for kind in KINDS if kind in kinds and kind != cell), gallery=gallery), problems


def _adopt(state: PageState, address: Mapping[str, str]) -> None:
    query, first, problems = dict(address), state.settings, tuple[Problem, ...]()
    if first.beside:
        first, problems = _cell_in_front(first.kinds, query, first.gallery)
    names, default = ALL_PRESETS[first.kind], default_preset(*first.kinds, gallery=first.gallery)
    settings, unreadable = parse_address(query, names, default, first.kind, first.beside)
    settled, outside = settle(replace(settings, gallery=first.gallery))
    problems += unreadable + outside
    try:
        require_to_run(settled)
    except InputError as error:
        settled = replace(_first(*first.kinds, gallery=first.gallery), preset=settled.preset)
        kept = address_of(settled)
        named = {problem.name for problem in problems}
        lost = [name for name in query if name not in kept and name not in named]
        problems += tuple(Problem(name, query[name], str(error)) for name in lost)
    state.rebase(settled, problems)
    state.seen, state.typing = [], False
