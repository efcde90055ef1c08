"""A page's form: the values that it holds, its fields, what it refuses beside them, and its address.

What the values are (a network's settings, a recipe) each page's own state says; see `FormState`.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock, get_ident
from typing import Any, ClassVar, TypeVar

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.settings import ADDRESS_LIMIT, Problem, Setting, Value, address_length
from rnnviz.texts import later, plain, say, say_message
from rnnviz.ui.widgets import heard, set_widget, settle
from rnnviz.wording import Message

_log = logging.getLogger(__name__)


@dataclass
class FormState(ABC):
    """What a session remembers of a page's form.

    Attributes
    ----------
    settings : frozen value
        The single truth that fields and address are made from.
    problems : tuple of Problem
        What of an address could not be used.
    refused : Message or None
        Why the last value was not taken.
    refused_by : str
        The control that it was given to.
    adjusted : mapping of str to Message
        What to say beside a control whose last number was taken as another, the nearest one possible.
    notes : tuple of Message
        What the last choice changed beside what it names.
    written : mapping
        The address last written.
    seen : list of mapping
        Addresses that the browser may still show because our last writes have not reached it, oldest first.
    movers : set of int
        Threads whose run a control or the explorer caused: its callbacks run in the thread of the run itself.
    lock : RLock
        Held by whatever changes the settings: a new run may begin while the callbacks of the last are still at work.
    """

    settings: Any
    problems: tuple[Problem, ...] = ()
    refused: Message | None = None
    refused_by: str = ""
    adjusted: Mapping[str, Message] = field(default_factory=dict)
    notes: tuple[Message, ...] = ()
    written: Mapping[str, str] | None = None
    seen: list[dict[str, str]] = field(default_factory=list)
    movers: set[int] = field(default_factory=set)
    lock: RLock = field(default_factory=RLock)

    bases: ClassVar[tuple[str, ...]] = ("preset",)
    """Settings on which the others stand: a choice of one needs no word on what it changed."""

    @abstractmethod
    def row(self, name: str) -> Setting:
        """What a setting may be."""

    @abstractmethod
    def value(self, name: str) -> Value:
        """What it is."""

    @abstractmethod
    def label(self, name: str) -> Message:
        """What its control is called."""

    @abstractmethod
    def help(self, name: str) -> Message | None:
        """What its help says, where it has one."""

    @abstractmethod
    def options(self, name: str) -> Sequence[str]:
        """The words that it may be here, some of its row's."""

    @abstractmethod
    def changed(self, name: str, value: Value) -> Any:
        """The settings with another value of one; an InputError where they cannot be."""

    @abstractmethod
    def accept(self, settings: Any, *, asked: bool = False) -> None:
        """Take new settings; an InputError where they cannot be used."""

    @abstractmethod
    def adopt(self, query: Mapping[str, str]) -> None:
        """Take an address; what cannot be used of it is named."""

    @property
    @abstractmethod
    def address(self) -> dict[str, str]:
        """The query that shows these settings."""

    @property
    @abstractmethod
    def first(self) -> Any:
        """The settings that the page begins with."""

    @property
    def waits(self) -> bool:
        """Whether the address is to stay for now."""
        return False

    def refuse(self, control: str, reason: Message) -> None:
        """Note why a control's value was not taken; the settings stay as they were."""
        self.refused, self.refused_by, self.adjusted = reason, control, {}

    def fall_silent(self) -> None:
        """Say no more beside any control."""
        self.refused, self.refused_by, self.adjusted = None, "", {}


S = TypeVar("S", bound=FormState)


def keep(page: str, state: FormState) -> None:
    """Let the session remember a page's state."""
    st.session_state[_key(page)] = state


def state_of(page: str) -> FormState | None:
    """The state that this session has of a page, if it was there."""
    state: FormState | None = st.session_state.get(_key(page))
    return state


def open_form(page: str, state: S) -> tuple[S, bool]:
    """Begin a run of a page: take what the browser's address wishes.

    Returns
    -------
    S
        The same state.
    bool
        Whether the page was just entered and went on with what it had.
    """
    entered = st.session_state.get("page") != page
    st.session_state["page"] = page
    query = st.query_params.to_dict()
    with state.lock:
        settle(alone=get_ident() not in state.movers and query in [state.written, *state.seen])
        moved = get_ident() in state.movers
        state.movers.discard(get_ident())
        wish = adopts(query, state.written, state.seen, entered=entered, moved=moved)
        if wish and state.written is not None:
            state.adopt(query)
        elif entered:
            state.fall_silent()
        if query in state.seen:  # what the browser showed before this it shows no more
            state.seen = state.seen[state.seen.index(query) :]
    return state, entered and not wish


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


def write_address(state: FormState) -> None:
    """Put the settings into the address bar, once per run and only when they differ and are not too long for it."""
    wanted, current = state.address, st.query_params.to_dict()
    if address_length(wanted) > ADDRESS_LIMIT:
        state.written = current  # it stays, and is no wish when it comes again
    elif not state.waits:
        if current != wanted:
            state.seen = [*(state.seen or [current]), wanted]
            st.query_params.from_dict(wanted)
        state.written = wanted


def _key(page: str) -> str:
    return f"state of {page}"


# --- what fields do -------------------------------------------------------------------------------------------------


def moved(page: str) -> None:
    """Something was opened or chosen that no setting holds (a Streamlit callback): the address is no wish."""
    state = state_of(page)
    if state is not None:
        state.movers.add(get_ident())


def take(page: str, control: str, change: Callable[[Any], Any], *, asked: bool = False) -> bool:
    """Change a page's settings for a control (within a Streamlit callback); a refusal stands beside the control.

    Returns
    -------
    bool
        Whether they were taken.
    """
    state = state_of(page)
    if state is None:
        return False
    with state.lock:
        state.movers.add(get_ident())
        try:
            state.accept(change(state.settings), asked=asked)
        except InputError as error:
            state.refuse(control, error.message)
            return False
        except Exception:  # nobody foresaw it; the page goes on with what it had
            _log.exception("%s, %s", page, control)
            state.refuse(control, later("problem.unforeseen"))
            return False
        return True


def take_field(page: str, name: str, key: str) -> None:
    """A field was given a value (a Streamlit callback)."""
    state, given = state_of(page), st.session_state[key]
    if state is not None:
        take(page, name, lambda _: state.changed(name, given), asked=name in state.bases)


def _take_number(page: str, name: str, key: str) -> None:
    """A number was typed (a Streamlit callback): the nearest one possible is taken, and named if it is another."""
    state, given = state_of(page), float(st.session_state[key])
    if state is None:
        return
    setting = state.row(name)
    number = setting.nearest(given)

    def changed(settings: Any) -> Any:
        return settings if number == state.value(name) else state.changed(name, number)

    with state.lock:
        if take(page, name, changed) and number != given:
            range_ = {"low": setting.said(setting.low), "high": setting.said(setting.high)}
            words = {
                "label": state.label(name),
                "given": setting.said(given),
                "taken": setting.said(number),
            }
            kind = "whole" if isinstance(setting.default, int) else "real"
            state.adjusted = {name: later(f"problem.adjusted.{kind}", **range_, **words)}


# --- fields ---------------------------------------------------------------------------------------------------------


def slider(page: str, state: FormState, name: str, *, locked: bool = False) -> None:
    """A slider for a whole number of the table, with a field for it."""
    _ranged(page, state, name, 1, help_text=say("control.locked") if locked else _help(state, name), locked=locked)


def real_slider(page: str, state: FormState, name: str, *, step: float) -> None:
    """A slider for a number of the table, with a field for it; `step` is the slider's, the field takes any number."""
    _ranged(page, state, name, step, help_text=_help(state, name))


def _ranged(
    page: str, state: FormState, name: str, step: float, *, help_text: str | None = None, locked: bool = False
) -> None:
    """Label, field and slider of one value: the slider for the hand, the field for a number that is known.

    Style alone puts the field into the label's line (shell.css): a block around the two would cost every change of the
    page a millisecond.
    """
    setting, key = state.row(name), _show(page, state, name)
    field = f"{key} {'locked field' if locked else 'field'}"  # another one, for the browser keeps what it cannot take
    value = st.session_state[key]
    label = say_message(state.label(name))
    _field(page, name, field, value, step, label=say("field.label", label=label), beside=True, locked=locked)
    bounds = [setting.low, setting.high, step]
    low, high, step = [int(bound) for bound in bounds] if isinstance(setting.default, int) else bounds
    high = max(high, value)  # stored weights may be larger than any that are drawn
    st.slider(
        label, low, high, value, step,
        key=key, disabled=locked, help=help_text, on_change=heard, args=(key, take_field, page, name, key),
    )  # fmt: skip
    refusal(state, name)


def number(page: str, state: FormState, name: str, *, step: float) -> None:
    """A number field of the table."""
    value = state.value(name)
    _field(
        page, name, f"{page} {name}", value, step, label=say_message(state.label(name)), help_text=_help(state, name)
    )
    refusal(state, name)


def _field(
    page: str, name: str, key: str, value: Value, step: float,
    *, label: str, help_text: str | None = None, beside: bool = False, locked: bool = False,
) -> None:  # fmt: skip
    """A field for a number, `beside` a slider that has the label.

    It is given no range, for the browser would keep what lies outside, unsent: the page could not say what is possible.
    Of a field for whole numbers it would send 3.7 as 3 and 1e3 as 1.
    """
    number = float(value)  # type: ignore[arg-type]
    set_widget(key, number)
    st.number_input(
        label, value=number, step=float(step), format="%g", key=key, help=help_text, disabled=locked,
        label_visibility="collapsed" if beside else "visible",
        on_change=heard, args=(key, _take_number, page, name, key),
    )  # fmt: skip


def choice(page: str, state: FormState, name: str, *, in_bar: bool = False) -> None:
    """A menu of the words that a setting may be here, in a bar without its label."""
    menu(page, state, name, list(state.options(name)), state.value(name), in_bar=in_bar)


def menu(
    page: str, state: FormState, name: str, options: list[str], shown: Value,
    *, in_bar: bool = False, act: Callable[[str, str, str], object] | None = None,
) -> None:  # fmt: skip
    """A menu of a setting with options that need not all be words of its own; `act` is what follows from a choice."""
    key = f"{page} {name}"
    set_widget(key, shown)
    st.selectbox(
        say_message(state.label(name)), options, options.index(st.session_state[key]), key=key,
        format_func=lambda option: say(f"choice.{name}.{option}"), help=_help(state, name),
        label_visibility="collapsed" if in_bar else "visible", width=220 if in_bar else "stretch",
        on_change=heard, args=(key, act or take_field, page, name, key),
    )  # fmt: skip
    refusal(state, name)


def _show(page: str, state: FormState, name: str) -> str:
    """Give a widget the value that the settings have; the settings are the only truth."""
    key = f"{page} {name}"
    set_widget(key, state.value(name))
    return key


def refusal(state: FormState, name: str) -> None:
    """Why the value that a control was given was not taken, or not as it is, below it."""
    if state.refused and state.refused_by == name:
        st.error(say("problem.refused", reason=plain(say_message(state.refused), 400)))
    elif name in state.adjusted:
        st.warning(say_message(state.adjusted[name]))


def _help(state: FormState, name: str) -> str | None:
    help_text = state.help(name)
    return say_message(help_text) if help_text else None
