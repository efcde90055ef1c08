"""A page's state within a session: its settings, the one writer of the address, and the explorer's events."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock, get_ident

import numpy as np
import streamlit as st

from rnnviz.maths import InputError
from rnnviz.network import base_arrays, canonicalise, kinds_drawn, of_cell, parts_of
from rnnviz.presets import ALL_PRESETS, PRESETS, cell_of, default_preset
from rnnviz.settings import (
    ADDRESS_LIMIT,
    KINDS,
    NOT_HERE,
    Edit,
    Problem,
    Settings,
    address_length,
    apply_edit,
    format_address,
    one_of_words,
    parse_address,
    read_edit,
    without_hosting,
)
from rnnviz.texts import later
from rnnviz.ui.results import run_shown
from rnnviz.ui.widgets import settle
from rnnviz.views.explorer.picture import Sync
from rnnviz.weights import STORE
from rnnviz.wording import Message

_log = logging.getLogger(__name__)


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
    refused : Message or None
        Why the last value was not taken.
    refused_by : str
        The control that it was given to.
    adjusted : mapping of str to Message
        What to say beside a control whose last number was taken as another, the nearest one possible.
    notes : tuple of Message
        What the last choice changed beside what it names.
    typing : bool
        Whether the places for a sequence of the reader's own are open.
    written : mapping
        The address last written.
    seen : list of mapping
        Addresses that the browser may still show because our last writes have not reached it, oldest first.
    movers : set of int
        Threads whose run a control or the explorer caused: its callbacks run in the thread of the run itself.
    dragging : bool
        Whether a number is being dragged: the address waits for the end.
    entry_t : int
        The step that the explorer starts from; afterwards the browser owns the step.
    history : list of Settings
        What the settings were before each change, oldest first: what Undo brings back.
    lock : RLock
        Held by whatever changes the settings: a new run may begin while the callbacks of the last are still at work.
    """

    settings: Settings
    problems: tuple[Problem, ...] = ()
    refused: Message | None = None
    refused_by: str = ""
    adjusted: Mapping[str, Message] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()
    typing: bool = False
    epoch: int = 1
    acknowledged: int = 0
    written: Mapping[str, str] | None = None
    seen: list[dict[str, str]] = field(default_factory=list)
    movers: set[int] = field(default_factory=set)
    dragging: bool = False
    entry_t: int = 1
    history: list[Settings] = field(default_factory=list)
    lock: RLock = field(default_factory=RLock)

    def rebase(self, settings: Settings, problems: tuple[Problem, ...] = ()) -> None:
        """Take settings that did not come from the explorer: its edits on the way are stale now."""
        self.settings, self.problems = settings, problems
        self.notes = ()
        self.fall_silent()
        self.epoch += 1
        self.dragging = False
        self.entry_t = settings.t

    def remember(self, old: Settings, new: Settings) -> None:
        """Note a change for Undo; one back to what the settings were before the last change undoes that."""
        if _same_network(old, new):
            return
        if self.history and _same_network(self.history[-1], new):
            self.history.pop()
        else:
            self.history = [*self.history, old][-_MOST_UNDONE:]

    def undo(self) -> None:
        """Bring back what the settings were before the last change; the step shown stays."""
        if self.history:
            before = self.history.pop()
            self.accept(canonicalise(replace(before, t=self.settings.t))[0])
            self.dragging = False

    def accept(self, settings: Settings, notes: tuple[Message, ...] = ()) -> None:
        """Take settings of a control: where the base of the edits stays, so do edits that are on their way."""
        old, new = (base_arrays(parts_of(one).base) for one in (self.settings, settings))
        same_base = old.keys() == new.keys() and all(np.array_equal(old[name], new[name]) for name in old)
        if same_base and settings.t == self.settings.t:
            self.settings, self.problems = settings, ()
            self.fall_silent()
        else:
            self.rebase(settings)
        self.notes = notes

    def refuse(self, control: str, reason: Message) -> None:
        """Note why a control's value was not taken; the settings stay as they were."""
        self.refused, self.refused_by = reason, control

    def fall_silent(self) -> None:
        """Say no more beside any control."""
        self.refused, self.refused_by, self.adjusted = None, "", {}


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
        settle(alone=get_ident() not in state.movers and query in [state.written, *state.seen])
        moved = get_ident() in state.movers
        state.movers.discard(get_ident())
        if adopts(query, state.written, state.seen, entered=entered, moved=moved) and state.written is not None:
            before = state.settings
            _adopt(state, query)
            state.remember(before, state.settings)  # so that Undo and the browser's Back agree
        elif entered:
            state.entry_t = state.settings.t
            state.fall_silent()
        if query in state.seen:  # what the browser showed before this it shows no more
            state.seen = state.seen[state.seen.index(query) :]
        _follow_store(state)
    return state


def _follow_store(state: PageState) -> None:
    """Take stored weights that came since the last run, and do without those that went."""
    now = state.settings
    came = now.missing and STORE.get(now.missing)
    if came or (now.weights and not STORE.get(now.weights)):
        settings, problems = canonicalise(replace(now, weights=now.weights or now.missing, missing=""))
        state.rebase(settings, problems)


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


def write_address(state: PageState) -> None:
    """Put the settings into the address bar, once per run and only when they differ and are not too long for it."""
    wanted, current = address_of(state.settings), st.query_params.to_dict()
    if address_length(wanted) > ADDRESS_LIMIT:
        state.written = current  # it stays, and is no wish when it comes again
    elif not state.dragging:
        if current != wanted:
            state.seen = [*(state.seen or [current]), wanted]
            st.query_params.from_dict(wanted)
        state.written = wanted


def take_edits(page: str, key: str) -> None:
    """Apply the edits that the explorer sent and that were not applied yet (a Streamlit callback)."""
    state, message = state_of(page), st.session_state[key].get("edits")
    if state is None or not isinstance(message, dict):
        return
    with state.lock:
        state.movers.add(get_ident())
        epoch = state.epoch
        if message.get("session") != session_token() or message.get("epoch") != epoch:
            return
        sent = message.get("list")
        for item in sent if isinstance(sent, list) else []:
            _take_edit(state, item, stale=state.epoch != epoch)


def _take_edit(state: PageState, message: object, *, stale: bool) -> None:
    """Apply one edit, unless it was applied before; one that no network can be made of is refused.

    After an undo to another base in the same message, what was edited on the base that is gone is `stale`.
    """
    try:
        edit = read_edit(message)
    except InputError as error:
        state.refuse("explorer", error.message)
        return
    if edit.sequence <= state.acknowledged:
        return
    try:
        if edit.undo:
            state.undo()
        elif not stale:
            settings, problems = canonicalise(apply_edit(state.settings, edit))
            require_to_run(settings)
            _remember_edit(state, edit, settings)
            state.settings, state.problems = settings, problems
            state.fall_silent()
    except InputError as error:
        state.refuse("explorer", error.message)
    except Exception:  # nobody foresaw it; the page goes on with what it had
        _log.exception("edit %s", message)
        state.refuse("explorer", later("problem.unforeseen"))
    # Last, for a newer message may stop this run wherever it asks Streamlit for something.
    state.acknowledged, state.dragging = edit.sequence, not edit.settled


def _remember_edit(state: PageState, edit: Edit, settings: Settings) -> None:
    """Note an edit for Undo; a number that is dragged is one edit, or none where it ends as it began."""
    if not state.dragging:
        state.remember(state.settings, settings)
    elif edit.settled and state.history and _same_network(state.history[-1], settings):
        state.history.pop()


def _same_network(one: Settings, other: Settings) -> bool:
    """Whether settings differ at most in the step, layer and sequence that is shown."""
    return replace(one, t=1, layer=1, sequence=1) == replace(other, t=1, layer=1, sequence=1)


_MOST_UNDONE = 50
"""Changes of a page that can be undone."""


def take_step(page: str, key: str) -> None:
    """Note the step at which scrubbing stopped (a Streamlit callback)."""
    state, message = state_of(page), st.session_state[key].get("t")
    if state is None or not isinstance(message, dict) or not isinstance(message.get("t"), int):
        return
    with state.lock:
        state.movers.add(get_ident())
        if message.get("session") == session_token() and message.get("epoch") == state.epoch and message["t"] >= 1:
            state.settings = canonicalise(replace(state.settings, t=message["t"]))[0]


def sync_of(state: PageState) -> Sync:
    """What the explorer needs in order to keep its edits in step."""
    return Sync(session_token(), state.epoch, state.acknowledged, state.entry_t, len(state.history))


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
    usual = (cell_of(settings.preset) or KINDS[0]) if settings.beside else settings.kind
    named = settings.kind != usual or settings.kind not in PRESETS
    return {"cell": settings.kind, **query} if named else query


def require_to_run(settings: Settings) -> None:
    """Refuse settings whose network can't be made or run, any of those that the page draws.

    What is run here is what the page shows next, and it is remembered.

    Raises
    ------
    InputError
    """
    for kind in () if settings.gallery else kinds_drawn(settings)[1:]:
        run_shown(of_cell(settings, kind))
    run_shown(settings)


def _first(*kinds: str, gallery: str = "") -> Settings:
    """What a page shows at first."""
    preset = default_preset(*kinds, gallery=gallery)
    return Settings(preset, kind=kinds[0], beside=kinds[1:], gallery=gallery)


def _cell_in_front(kinds: tuple[str, ...], query: dict[str, str], gallery: str) -> tuple[Settings, tuple[Problem, ...]]:
    """What a page of several cells begins with, by the ``cell`` of an address, which is taken out, or its preset."""
    cell = cell_of(query.get("preset", "")) or KINDS[0]
    asked = query.pop("cell", cell)
    problems = () if asked in kinds else (Problem("cell", asked, one_of_words(KINDS).message),)
    cell = asked if asked in kinds else cell
    return _first(cell, *(kind for kind in KINDS if kind in kinds and kind != cell), gallery=gallery), problems


def adopted(kinds: tuple[str, ...], gallery: str, address: Mapping[str, str]) -> PageState:
    """The state of a page that is opened at an address."""
    state = PageState(_first(*kinds, gallery=gallery))
    _adopt(state, address)
    return state


def _adopt(state: PageState, address: Mapping[str, str]) -> None:
    """Take an address: what cannot be used of it is named, and never keeps the page from opening."""
    try:
        settings, problems = _read(address, state.settings)
    except Exception:  # nobody foresaw it; the reader still gets a page
        _log.exception("address %s", dict(address))
        settings = _first(*_in_order(state.settings.kinds), gallery=state.settings.gallery)
        problems = tuple(Problem(name, given, later("problem.unforeseen")) for name, given in address.items())
    state.rebase(settings, problems)
    state.seen, state.typing = [], False


def _is_walked_with(kind: str, other: str) -> bool:
    """Whether a kind of cell is shown on the page of another: a cell of one's own, which has none of its own, is."""
    return kind == other or (kind in KINDS and kind not in PRESETS)


def _in_order(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(kind for kind in KINDS if kind in kinds)


def _read(address: Mapping[str, str], now: Settings) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings that an address means on the page of these, and what of it cannot be used."""
    query, first, problems = without_hosting(address), now, tuple[Problem, ...]()
    if first.beside:
        first, problems = _cell_in_front(first.kinds, query, first.gallery)
    elif _is_walked_with(first.kind, KINDS[0]):
        cell = query.pop("cell", KINDS[0])
        if not _is_walked_with(cell, KINDS[0]):
            problems = (Problem("cell", cell, NOT_HERE),)
            cell = KINDS[0]
        first = _first(cell)
    names, default = ALL_PRESETS[first.kind], default_preset(*first.kinds, gallery=first.gallery)
    settings, unreadable = parse_address(query, names, default, first.kind, first.beside)
    settled, outside = canonicalise(replace(settings, gallery=first.gallery))
    problems += unreadable + outside
    try:
        require_to_run(settled)
    except InputError as error:
        settled = replace(_first(*first.kinds, gallery=first.gallery), preset=settled.preset)
        kept = address_of(settled)
        named = {problem.name for problem in problems}
        lost = [name for name in query if name not in kept and name not in named]
        problems += tuple(Problem(name, query[name], error.message) for name in lost)
    return settled, problems
