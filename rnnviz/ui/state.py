"""The state of a page that shows a network: its settings, what came before them, and the explorer's events."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import get_ident

import numpy as np
import streamlit as st

from rnnviz.maths import InputError
from rnnviz.network import (
    STORED,
    base_arrays,
    canonicalise,
    choose,
    kinds_drawn,
    lacks_of_clamp,
    of_cell,
    parts_of,
    values_of,
    weights_are_hand_set,
)
from rnnviz.presets import ALL_PRESETS, PRESETS, cell_of, default_preset
from rnnviz.settings import (
    KINDS,
    NOT_HERE,
    SETTINGS,
    Edit,
    Problem,
    Setting,
    Settings,
    Value,
    apply_edit,
    choices_of,
    format_address,
    one_of_words,
    parse_address,
    read_edit,
    without_hosting,
)
from rnnviz.texts import later
from rnnviz.ui.form import FormState, keep, open_form, state_of
from rnnviz.ui.results import run_shown
from rnnviz.views.explorer.picture import Sync
from rnnviz.weights import STORE
from rnnviz.wording import Message

_log = logging.getLogger(__name__)

OF_PRESET = "preset"
"""In menus: what the preset brings."""

_WITH_HELP = (
    "init", "gain", "input_scale", "block", "h0", "c0", "output_size",
    "layers", "stack", "sequences", "threshold", "delay", "lr", "max_norm",
)  # fmt: skip


@dataclass
class PageState(FormState):
    """What a session remembers of a page that shows a network.

    Attributes
    ----------
    settings : Settings
    epoch : int
        Raised whenever the base of the edits changes, so that stale edits fall away.
    acknowledged : int
        The highest sequence number of an edit that was applied.
    typing : bool
        Whether the places for a sequence of the reader's own are open.
    dragging : bool
        Whether a number is being dragged: the address waits for the end.
    entry_t : int
        The step that the explorer starts from; afterwards the browser owns the step.
    history : list of Settings
        What the settings were before each change, oldest first: what Undo brings back.
    """

    settings: Settings
    typing: bool = False
    epoch: int = 1
    acknowledged: int = 0
    dragging: bool = False
    entry_t: int = 1
    history: list[Settings] = field(default_factory=list)

    bases = ("preset", "init")

    def label(self, name: str) -> Message:
        return later(f"control.{name}")

    def help(self, name: str) -> Message | None:
        return later(f"help.{name}") if name in _WITH_HELP else None

    def row(self, name: str) -> Setting:
        return SETTINGS[name]

    def value(self, name: str) -> Value:
        """What it is; of weights that are not drawn, where they come from."""
        if name == "init" and weights_are_hand_set(self.settings):
            return STORED if self.settings.weights else OF_PRESET
        return values_of(self.settings)[name]

    def options(self, name: str) -> Sequence[str]:
        words = choices_of(name, *self.settings.kinds)
        return [str(self.value(name)), *words] if name == "init" and weights_are_hand_set(self.settings) else words

    def changed(self, name: str, value: Value | None) -> Settings:
        """The preset in force, pressed again, is taken anew."""
        if name == "preset" and value is None:
            value = STORED if self.settings.weights else self.settings.preset
        words = SETTINGS[name].choices if name in SETTINGS else ()
        # "the preset's own" takes a choice back; so does what a menu sends that has changed under the reader's hand.
        return choose(self.settings, name, None if words and value not in words else value)

    def accept(self, settings: Settings, *, asked: bool = False) -> None:
        """Take settings if their network runs, and note what else they changed."""
        require_to_run(settings)
        gave_way = weights_are_hand_set(self.settings) and settings.preset == "random" and not settings.weights
        notes = [_gave_way(self.settings)] if gave_way else []
        lost = [one for one in self.settings.clamps if one not in settings.clamps]
        for layer, clamp in lost:
            lacks = lacks_of_clamp(settings, layer, clamp) or "gate"  # whose cell may have one of the same letter
            words = {"layer": layer, "unit": (clamp.unit or 0) + 1, "step": clamp.from_step}
            notes.append(later(f"note.let_go.{lacks}", gate=clamp.gate, **words))
        typed = len(self.settings.edits) - len(settings.edits)
        if typed > 0 and settings.kind != self.settings.kind:
            notes.append(later("note.edits_gone", count=typed))
        self.remember(self.settings, settings)
        self.follow(settings, () if asked else tuple(notes))

    def adopt(self, query: Mapping[str, str]) -> None:
        before = self.settings
        _adopt(self, query)
        self.remember(before, self.settings)  # so that Undo and the browser's Back agree

    @property
    def first(self) -> Settings:
        """The page's default preset, on what else was chosen."""
        settings = self.settings
        return choose(settings, "preset", default_preset(*settings.kinds, gallery=settings.gallery))

    @property
    def address(self) -> dict[str, str]:
        return address_of(self.settings)

    @property
    def waits(self) -> bool:
        return self.dragging

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
            self.follow(canonicalise(replace(before, t=self.settings.t))[0])
            self.dragging = False

    def follow(self, settings: Settings, notes: tuple[Message, ...] = ()) -> None:
        """Take settings of a control: where the base of the edits stays, so do edits that are on their way."""
        old, new = (base_arrays(parts_of(one).base) for one in (self.settings, settings))
        same_base = old.keys() == new.keys() and all(np.array_equal(old[name], new[name]) for name in old)
        if same_base and settings.t == self.settings.t:
            self.settings, self.problems = settings, ()
            self.fall_silent()
        else:
            self.rebase(settings)
        self.notes = notes


def open_page(page: str, *kinds: str, gallery: str = "") -> PageState:
    """The state of a page at the beginning of a run, with the address that the browser shows taken in.

    The page decides the kind of cell, or which kinds are shown beside each other: then ``cell`` on the address says
    which of them stands in front, the first if it does not. `gallery` is its set of presets, as `Settings` has it.
    """
    known = page_state_of(page)
    if known is None:
        known = PageState(_first(*(kinds or KINDS[:1]), gallery=gallery))
        keep(page, known)
        _adopt(known, st.query_params.to_dict())
    state, carried_on = open_form(page, known)
    with state.lock:
        if carried_on:
            state.entry_t = state.settings.t
        _follow_store(state)
    return state


def page_state_of(page: str) -> PageState | None:
    """The state that this session has of a page that shows a network, if it was there."""
    state = state_of(page)
    return state if isinstance(state, PageState) else None


def _follow_store(state: PageState) -> None:
    """Take stored weights that came since the last run, and do without those that went."""
    now = state.settings
    came = now.missing and STORE.get(now.missing)
    if came or (now.weights and not STORE.get(now.weights)):
        settings, problems = canonicalise(replace(now, weights=now.weights or now.missing, missing=""))
        state.rebase(settings, problems)


def take_edits(page: str, key: str) -> None:
    """Apply the edits that the explorer sent and that were not applied yet (a Streamlit callback)."""
    state, message = page_state_of(page), st.session_state[key].get("edits")
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
    state, message = page_state_of(page), st.session_state[key].get("t")
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


def _gave_way(settings: Settings) -> Message:
    if settings.weights:
        return later("note.gave_way.stored")
    return later("note.gave_way", preset=later(f"choice.preset.{settings.preset}"))
