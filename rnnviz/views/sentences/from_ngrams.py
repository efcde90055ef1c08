"""What is said on the road from n-grams to hidden states, computed from the numbers on the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rnnviz.language_models.counts import first_larger_table, recurrent_parameters, table_entries, window_parameters
from rnnviz.language_models.hidden import Hidden
from rnnviz.language_models.histories import Known
from rnnviz.learning.echo import EVERY, Echo
from rnnviz.texts import say
from rnnviz.views.numbers import faded, thousands, written

ORDERS = range(1, 11)
"""The n that are shown."""

_LONG = 10**15
"""Counts from here on are written with an exponent."""


def count_words(vocabulary: int, n: int, hidden_size: int) -> str:
    """The table beside the network, and from where on it is the larger one."""
    entries, parameters = table_entries(vocabulary, n), recurrent_parameters(vocabulary, hidden_size)
    said = say(
        "ngrams.count.said", n=n, vocabulary=vocabulary, entries=count(entries), hidden=hidden_size,
        parameters=count(parameters),
    )  # fmt: skip
    first = first_larger_table(vocabulary, hidden_size)
    return f"{said} {say('ngrams.count.never') if first is None else say('ngrams.count.first', n=first)}"


def count(number: int) -> str:
    """A count in a sentence: all of its digits, or where these are too many four of them.

    Examples
    --------
    >>> count(14348907), count(27**20)
    ('14,348,907', '4.239e28')
    """
    return thousands(number) if number < _LONG else written(float(number))


def count_columns(vocabulary: int, hidden_size: int) -> dict[str, Sequence[object]]:
    """All digits of the counts by n, as text: a table on the page shows no number beyond 2**53 exactly."""
    rnn = thousands(recurrent_parameters(vocabulary, hidden_size))
    return {
        say("ngrams.column.n"): list(ORDERS),
        say("ngrams.column.table"): [thousands(table_entries(vocabulary, n)) for n in ORDERS],
        say("ngrams.column.window"): [thousands(window_parameters(vocabulary, n, hidden_size)) for n in ORDERS],
        say("ngrams.column.rnn"): [rnn for _ in ORDERS],
    }


def known_words(histories: tuple[str, str], n: int, known: tuple[Known, Known]) -> str:
    """What each model has left of two histories."""
    if not any(histories):
        return say("ngrams.known.empty")
    if histories[0] == histories[1]:
        return say("ngrams.known.same")
    first, second = known
    distance = float(np.linalg.norm(first.h - second.h))
    if first.context != second.context:
        slots = {"n": n, "first": first.context, "second": second.context}
        if not distance:
            return say("ngrams.known.sees.equal", **slots)
        return say("ngrams.known.sees", distance=faded(distance), **slots)
    if not distance:
        return say("ngrams.known.blind.forgot", n=n, context=first.context)
    if n == 1:
        return say("ngrams.known.blind.none", distance=faded(distance))
    return say("ngrams.known.blind", n=n, context=first.context, distance=faded(distance))


def hidden_words(hidden: Hidden) -> str:
    """Two steps with the same input: what the MLP and the network make of them."""
    if not hidden.cell.W_hh.any():
        return say("ngrams.hidden.no_state")
    if hidden.equal_inputs is None:
        return say("ngrams.hidden.no_pair")
    first, second = hidden.equal_inputs
    apart = hidden.apart(first, second)
    if not apart:
        return say("ngrams.hidden.pair.equal", first=first, second=second)
    return say("ngrams.hidden.pair", first=first, second=second, apart=faded(apart))


def hidden_rows(hidden: Hidden) -> tuple[list[str], list[tuple[str, list[list[float]]]]]:
    """The head and the rows of a table with both, a row for each step: a vector in each column."""
    head = [say(f"ngrams.column.{name}") for name in ("step", "x", "layer", "carried", "state")]
    before = np.vstack([np.zeros_like(hidden.state[:1]), hidden.state[:-1]])
    columns = (hidden.x, hidden.layer, before @ hidden.cell.W_hh.T, hidden.state)
    return head, [(str(t + 1), [column[t].tolist() for column in columns]) for t in range(len(hidden.x))]


def learned_words(found: Echo, delay: int) -> str:
    """What both networks have learned."""
    slots = {"updates": EVERY * (len(found.updates) - 1), "rnn": faded(float(found.with_state[-1]))}
    key = "ngrams.learn.failed" if delay else "ngrams.learn.both"
    return say(key, mlp=faded(float(found.without[-1])), **slots)


def learned_columns(found: Echo, delay: int) -> dict[str, Sequence[object]]:
    """One test sequence: what both networks say at each step; the first steps have no target."""
    bits = [int(bit) for bit in found.bits]
    return {
        say("ngrams.column.step"): list(range(1, len(bits) + 1)),
        say("ngrams.column.bit"): bits,
        say("ngrams.column.target"): [None] * delay + bits[: len(bits) - delay],
        say("ngrams.column.said.mlp"): found.said[0].tolist(),
        say("ngrams.column.said.rnn"): found.said[1].tolist(),
    }
