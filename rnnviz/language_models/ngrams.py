"""N-gram models of characters: what the counts of a text predict, the baseline beside a recurrent network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.language_models.codes import Codes, read_codes
from rnnviz.maths import InputError
from rnnviz.maths.checks import Array, Sealed, one_of, read_integer

SMOOTHINGS = ("kneser_ney", "witten_bell")
LONGEST = 6
"""The largest n."""

_CHARACTERS = 0x110000  # of Unicode: no larger V is needed, and T V, which bounds the keys, stays far inside int64


@dataclass(frozen=True, eq=False)
class Order(Sealed):
    """The k-grams of a text for one k, smoothed: ``P_k(w | h) = share(h w) + rest(h) P_{k-1}(w | h')``.

    The place of a k-gram ``h w`` is that of its key ``V place(h) + w`` among the sorted keys, so that none grows like
    ``V**k``. The last entry of each array, at the place -1, is for all that the text lacks. The arrays are read-only.

    Attributes
    ----------
    vocabulary : int
        V.
    keys, share : (K + 1,) array
        Of the K different k-grams; at the end a key that is never asked for and the share 0.
    rest : (contexts + 1,) array
        Of the different (k-1)-grams; 1 where nothing follows, so at the end too.
    """

    vocabulary: int
    keys: Codes
    share: Array
    rest: Array

    def __post_init__(self) -> None:
        for array in (self.keys, self.share, self.rest):
            array.setflags(write=False)

    def places(self, contexts: Codes, codes: Codes) -> Codes:
        """The places of the k-grams made of a context's place and a code; -1 if the text lacks either."""
        keys = contexts * self.vocabulary + codes  # below 0, and so not found, where the context is lacking
        found = np.searchsorted(self.keys, keys)
        return np.where(self.keys[found] == keys, found, -1)


@dataclass(frozen=True, eq=False)
class NgramModel(Sealed):
    """The probability of a character after the n - 1 before it, as `ngram_model` learned it from a text.

    Attributes
    ----------
    vocabulary : int
        V.
    smoothing : {"kneser_ney", "witten_bell"}
    orders : tuple of Order
        For k = 1..n.
    """

    vocabulary: int
    smoothing: str
    orders: tuple[Order, ...]

    @property
    def n(self) -> int:
        """The order: a character is predicted from the n - 1 before it."""
        return len(self.orders)

    @property
    def stored_ngrams(self) -> int:
        """The different k-grams of the text, for all k = 1..n together: what is kept of a table of V**n."""
        return sum(len(order.keys) - 1 for order in self.orders)

    def probabilities(self, context: ArrayLike) -> Array:
        """The distribution of the next character.

        Parameters
        ----------
        context : (T,) array-like of int
            Of any length, also 0; only the last n - 1 codes count.

        Returns
        -------
        (V,) array
            Above 0, with the sum 1.

        Raises
        ------
        InputError
            If a code is not in 0..V-1.
        """
        codes = read_codes("context", context, self.vocabulary)
        last = codes[max(len(codes) - self.n + 1, 0) :]
        return self._predicted([places[-1:] for places in self._contexts(last)], np.arange(self.vocabulary))

    def log_probabilities(self, codes: ArrayLike, first: int = 0) -> Array:
        """``log P(codes[t] | codes[t-n+1], ..., codes[t-1])`` for each t from `first` on.

        Near the beginning the context is what there is; the first character has none.

        Parameters
        ----------
        codes : (T,) array-like of int
        first : int
            In 0..T. What stands before it is context alone.

        Returns
        -------
        (T - first,) array
            In nats.

        Raises
        ------
        InputError
            If a code is not in 0..V-1 or first not in 0..T.
        """
        text = read_codes("codes", codes, self.vocabulary)
        start = read_integer("first", first, 0, len(text))
        before = min(start, self.n - 1)
        text = text[start - before :]
        contexts = [places[before:-1] for places in self._contexts(text)]
        return np.log(self._predicted(contexts, text[before:]))

    def cross_entropy(self, codes: ArrayLike, first: int = 0) -> float:
        """The mean of ``-log_probabilities(codes, first)``, in nats per character.

        Raises
        ------
        InputError
            As `log_probabilities`, and if no character is left to predict.
        """
        found = self.log_probabilities(codes, first)
        if not found.size:
            raise InputError(
                "ngrams.nothing",
                "No character is left to predict from character {first} on, counted from 0. Give a longer text or a "
                "lower first.",
                first=first,
            )  # fmt: skip
        return float(0.0 - found.mean())  # not -0.0 where all is certain

    def _contexts(self, text: Codes) -> list[Codes]:
        """The place of the k-gram before each character and after the last, (T + 1,) for each k = 0..n-1."""
        found = [np.zeros(len(text) + 1, dtype=np.int64)]
        for order in self.orders[:-1]:
            found.append(np.concatenate([[-1], order.places(found[-1][:-1], text)]))
        return found

    def _predicted(self, contexts: list[Codes], codes: Codes) -> Array:
        probability = np.full(len(codes), 1 / self.vocabulary)
        for order, places in zip(self.orders, contexts, strict=True):
            probability = order.share[order.places(places, codes)] + order.rest[places] * probability
        return probability


def ngram_model(codes: ArrayLike, n: int, vocabulary: int, smoothing: str = "kneser_ney") -> NgramModel:
    """Learn an n-gram model from a text.

    Each order is interpolated with the one below, down to ``P_0 = 1/V``. With h the k - 1 characters before w, h' the
    same without the first, C(h) the sum of c(h w) over w, and N(h) the number of different w after h::

        Kneser-Ney   P_k(w | h) = (max(c(h w) - D_k, 0) + D_k N(h) P_{k-1}(w | h')) / C(h)
        Witten-Bell  P_k(w | h) = (c(h w) + N(h) P_{k-1}(w | h')) / (C(h) + N(h))

    and ``P_k(w | h) = P_{k-1}(w | h')`` where nothing follows h in the text. c counts how often a k-gram occurs; for
    Kneser-Ney with k < n, how many different characters come before it, the beginning of the text being one of them.
    ``D_k = n_1 / (n_1 + 2 n_2)``, where n_1 and n_2 are the numbers of k-grams with c = 1 and c = 2; 0.5 if either is
    0, as in KenLM.

    Kneser & Ney (1995), "Improved backing-off for m-gram language modeling", interpolated as by Chen & Goodman (1999),
    "An empirical study of smoothing techniques for language modeling"; Witten & Bell (1991), "The zero-frequency
    problem: estimating the probabilities of novel events in adaptive text compression", method C.

    Parameters
    ----------
    codes : (T,) array-like of int
        The characters as integers in 0..V-1, at least one; also fewer than n.
    n : int
        In 1..6: a character is predicted from the n - 1 before it.
    vocabulary : int
        V, at least 1.
    smoothing : {"kneser_ney", "witten_bell"}

    Returns
    -------
    NgramModel

    Raises
    ------
    InputError
        If the text is empty, a code is not in 0..V-1, n not in 1..6 or the smoothing is unknown.

    Examples
    --------
    >>> model = ngram_model(["abcdr".index(sign) for sign in "abracadabra"], n=2, vocabulary=5)
    >>> model.probabilities([0]).round(4).tolist()
    [0.15, 0.4375, 0.1875, 0.1875, 0.0375]
    >>> model.stored_ngrams
    12
    """
    V = read_integer("vocabulary", vocabulary, 1, _CHARACTERS)
    n = read_integer("n", n, 1, LONGEST)
    one_of("smoothing", smoothing, SMOOTHINGS)
    text = read_codes("codes", codes, V)
    if not text.size:
        raise InputError("ngrams.empty", "The text is empty. Give at least one character.")
    places, contexts = np.zeros(len(text) + 1, dtype=np.int64), 1  # the one 0-gram, around every character
    orders: list[Order] = []
    for k in range(1, n + 1):
        keys, places, counts = np.unique(places[:-1] * V + text[k - 1 :], return_inverse=True, return_counts=True)
        if smoothing == "kneser_ney" and k < n:
            counts = _predecessors(places, text, V)
        orders.append(_smoothed(keys, counts, contexts, V, smoothing))
        contexts = len(keys)
    return NgramModel(V, smoothing, tuple(orders))


def _predecessors(places: Codes, text: Codes, vocabulary: int) -> Codes:
    """How many different characters come before each k-gram, the beginning of the text taken for a character V."""
    before = np.concatenate([[vocabulary], text])[: len(places)]
    return np.bincount(np.unique(places * (vocabulary + 1) + before) // (vocabulary + 1))


def _smoothed(keys: Codes, counts: Codes, contexts: int, vocabulary: int, smoothing: str) -> Order:
    """An order from the counts of its k-grams and the number of its contexts."""
    context = keys // vocabulary
    total = np.bincount(context, counts, minlength=contexts)
    followers = np.bincount(context, minlength=contexts)
    if smoothing == "kneser_ney":
        D = _discount(counts)
        kept, freed, whole = counts - D, D * followers, total
    else:
        kept, freed, whole = counts.astype(np.float64), followers.astype(np.float64), total + followers
    rest = np.divide(freed, whole, out=np.ones(contexts), where=followers > 0)
    return Order(
        vocabulary,
        np.append(keys, np.iinfo(np.int64).max),
        np.append(kept / whole[context], 0.0),
        np.append(rest, 1.0),
    )


def _discount(counts: Codes) -> float:
    ones, twos = np.count_nonzero(counts == 1), np.count_nonzero(counts == 2)
    return ones / (ones + 2 * twos) if ones and twos else 0.5
