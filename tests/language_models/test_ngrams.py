"""N-gram models against the equations, written down with dictionaries and fractions."""

from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnnviz.language_models.ngrams import LONGEST, SMOOTHINGS, ngram_model
from tests.maths.refused import assert_refused

V = 4
orders = st.integers(1, LONGEST)
smoothings = st.sampled_from(SMOOTHINGS)
texts = st.lists(st.integers(0, V - 1), min_size=1, max_size=60)
contexts = st.lists(st.integers(0, V - 1), max_size=10)

ABRACADABRA = ["abcdr".index(sign) for sign in "abracadabra"]
Gram = tuple[int, ...]


def occurrences(text: list[int], k: int) -> Counter[Gram]:
    return Counter(tuple(text[i : i + k]) for i in range(len(text) - k + 1))


def predecessors(text: list[int], k: int) -> Counter[Gram]:
    """How many different characters stand before each k-gram; None is the beginning of the text."""
    pairs = {(text[i - 1] if i else None, tuple(text[i : i + k])) for i in range(len(text) - k + 1)}
    return Counter(gram for _, gram in pairs)


def by_hand(text: list[int], n: int, vocabulary: int, smoothing: str) -> Callable[[Gram, int], Fraction]:
    """``P(w | context)`` straight from the equations, in fractions."""
    counted = {
        k: predecessors(text, k) if smoothing == "kneser_ney" and k < n else occurrences(text, k)
        for k in range(1, n + 1)
    }

    def probability(context: Gram, w: int, k: int) -> Fraction:
        if k == 0:
            return Fraction(1, vocabulary)
        c, h = counted[k], context[len(context) - k + 1 :]
        after = [count for gram, count in c.items() if gram[:-1] == h]
        shorter = probability(context, w, k - 1)
        if not after:
            return shorter
        if smoothing == "witten_bell":
            return (c[(*h, w)] + len(after) * shorter) / (sum(after) + len(after))
        ones, twos = (sum(count == size for count in c.values()) for size in (1, 2))
        D = Fraction(ones, ones + 2 * twos) if ones and twos else Fraction(1, 2)
        return (max(c[(*h, w)] - D, Fraction(0)) + D * len(after) * shorter) / sum(after)

    return lambda context, w: probability(context, w, min(n, len(context) + 1))


@given(texts, contexts, orders, smoothings)
def test_probabilities_are_those_of_the_equations(text, context, n, smoothing) -> None:
    p = by_hand(text, n, V, smoothing)
    expected = [p(tuple(context), w) for w in range(V)]
    assert sum(expected) == 1
    found = ngram_model(text, n, V, smoothing).probabilities(context)
    np.testing.assert_allclose(found, [float(one) for one in expected], rtol=1e-12)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("n", range(1, LONGEST + 1))
def test_cross_entropy_is_that_of_the_equations(n: int, smoothing: str) -> None:
    """On a text of words that recur, and another of the same words with a character here and there that is new."""
    random = np.random.RandomState(n)
    words = [random.randint(0, 6, random.randint(1, 5)) for _ in range(12)]
    text, held_back = (np.concatenate([words[i] for i in random.randint(0, 12, 60)]).tolist() for _ in range(2))
    held_back[10:60:10] = [6] * 5
    p = by_hand(text, n, 7, smoothing)
    nats = [-math.log(p(tuple(held_back[:t]), w)) for t, w in enumerate(held_back)]
    model = ngram_model(np.array(text), n, 7, smoothing)
    np.testing.assert_allclose(-model.log_probabilities(held_back), nats, rtol=1e-12)
    assert model.cross_entropy(held_back) == pytest.approx(math.fsum(nats) / len(nats), rel=1e-12)


def test_abracadabra_by_kneser_ney() -> None:
    """Twice ab, br, ra and once ac, ca, ad, da: D_2 = 4 / (4 + 2·3) = 0.4.

    Before a stand the beginning, r, c and d, before each of the others one character: c_1 = 4, 1, 1, 1, 1. No c_1 is 2,
    so D_1 = 0.5: P_1(a) = 3.5/8 + 0.5·5/8·1/5 = 0.5 and P_1(b) = 0.5/8 + 0.5·5/8·1/5 = 0.125. After a: C = 4, N = 3.
    """
    model = ngram_model(ABRACADABRA, 2, 5)
    np.testing.assert_allclose(model.probabilities([]), [0.5, 0.125, 0.125, 0.125, 0.125], rtol=1e-15)
    after_a = [0.3 * 0.5, 1.6 / 4 + 0.3 * 0.125, 0.6 / 4 + 0.3 * 0.125, 0.6 / 4 + 0.3 * 0.125, 0.3 * 0.125]
    np.testing.assert_allclose(model.probabilities([0]), after_a, rtol=1e-14)
    np.testing.assert_allclose(after_a, [0.15, 0.4375, 0.1875, 0.1875, 0.0375], rtol=1e-14)
    nats = -(math.log(0.5) + math.log(0.4375)) / 2  # a, b after a
    assert model.cross_entropy([0, 1]) == pytest.approx(nats, rel=1e-14)


def test_abracadabra_by_witten_bell() -> None:
    """Of 11 characters a is 5, of N = 5 kinds: P_1(a) = (5 + 5·1/5) / 16; after a: C = 4, N = 3."""
    model = ngram_model(ABRACADABRA, 2, 5, "witten_bell")
    single = np.array([6, 3, 2, 2, 3]) / 16
    np.testing.assert_allclose(model.probabilities([]), single, rtol=1e-14)
    np.testing.assert_allclose(model.probabilities([0]), (np.array([0, 2, 1, 1, 0]) + 3 * single) / 7, rtol=1e-14)
    np.testing.assert_allclose(model.probabilities([0]) * 112, [18, 41, 22, 22, 9], rtol=1e-14)


def test_what_is_stored() -> None:
    """5 characters, 7 pairs ab br ra ac ca ad da, 7 triples abr bra rac aca cad ada dab."""
    assert [ngram_model(ABRACADABRA, n, 5).stored_ngrams for n in (1, 2, 3)] == [5, 12, 19]
    assert ngram_model(ABRACADABRA, 3, 5).n == 3


@given(texts, orders)
def test_every_different_gram_is_stored_once(text, n) -> None:
    expected = sum(len(occurrences(text, k)) for k in range(1, n + 1))
    assert {ngram_model(text, n, V, smoothing).stored_ngrams for smoothing in SMOOTHINGS} == {expected}


@given(texts, contexts, orders, smoothings, st.integers(V, 50))
def test_a_distribution_sums_to_1_and_leaves_nothing_out(text, context, n, smoothing, vocabulary) -> None:
    p = ngram_model(text, n, vocabulary, smoothing).probabilities(context)
    assert p.shape == (vocabulary,)
    assert (p > 0).all()
    assert p.sum() == pytest.approx(1.0, abs=1e-13)


@given(texts, contexts, st.lists(st.integers(0, V - 1), min_size=LONGEST, max_size=LONGEST), orders, smoothings)
def test_a_context_counts_no_further_back_than_n_minus_1(text, earlier, last, n, smoothing) -> None:
    model = ngram_model(text, n, V, smoothing)
    np.testing.assert_array_equal(model.probabilities(earlier + last), model.probabilities(last[LONGEST - n + 1 :]))


@given(texts, orders, smoothings)
def test_an_unseen_context_is_one_that_is_shorter(text, n, smoothing) -> None:
    """Code V never occurs, so that only what comes after it counts."""
    model = ngram_model(text, n, V + 1, smoothing)
    for tail in (text[:length] for length in range(n - 1)):
        np.testing.assert_array_equal(model.probabilities([V, *tail]), model.probabilities(tail))


@settings(max_examples=50)
@given(texts, texts, orders, smoothings, st.data())
def test_log_probabilities_are_those_of_each_step(text, read, n, smoothing, data) -> None:
    model = ngram_model(text, n, V, smoothing)
    first = data.draw(st.integers(0, len(read)))
    steps = [math.log(model.probabilities(read[:t])[read[t]]) for t in range(first, len(read))]
    found = model.log_probabilities(read, first)
    np.testing.assert_allclose(found, steps, rtol=1e-13, atol=1e-15)
    assert found.shape == (len(read) - first,)
    assert (found <= 0).all()
    if steps:
        assert model.cross_entropy(read, first) == pytest.approx(-np.mean(steps), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_periodic_text_is_certain_where_the_context_tells_its_phase(smoothing: str) -> None:
    """In aaab aaab ... three characters tell; after one a there is another in 2 of 3 cases, after aa in 1 of 2."""
    text = [0, 0, 0, 1] * 2500
    found = [ngram_model(text, n, 2, smoothing).cross_entropy(text) for n in range(1, LONGEST + 1)]
    single = -0.75 * math.log(0.75) - 0.25 * math.log(0.25)
    double = 0.75 * (-2 / 3 * math.log(2 / 3) - 1 / 3 * math.log(1 / 3))
    triple = 0.5 * math.log(2)
    np.testing.assert_allclose(found, [single, double, triple, 0.0, 0.0, 0.0], atol=2e-3)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("n", [1, 2, LONGEST])
def test_one_character_is_text_enough(n: int, smoothing: str) -> None:
    """Kneser-Ney: 1 - 0.5 + 0.5·1/2; Witten-Bell: (1 + 1·1/2) / 2. The same number, whatever the context."""
    model = ngram_model([1], n, 2, smoothing)
    for context in ([], [1], [0, 1, 0]):
        np.testing.assert_array_equal(model.probabilities(context), [0.25, 0.75])
    assert model.stored_ngrams == 1


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_certainty_is_0_nats(smoothing: str) -> None:
    """With one character in the alphabet. It is never below 0 from rounding, nor -0."""
    for length in range(1, 60):
        nats = ngram_model([0] * length, 1 + length % LONGEST, 1, smoothing).cross_entropy([0] * length)
        assert math.copysign(1.0, nats) == 1.0
        assert nats < 1e-15


def test_a_large_alphabet_does_not_overflow_the_keys() -> None:
    """The sixth power of the number of Unicode characters is 2e36, far past int64."""
    random, size = np.random.RandomState(0), 0x110000
    text = random.randint(size - 3, size, 200).tolist()
    for smoothing in SMOOTHINGS:
        p = by_hand(text, 6, size, smoothing)
        nats = [-math.log(p(tuple(text[:t]), text[t])) for t in range(30)]
        np.testing.assert_allclose(
            -ngram_model(text, 6, size, smoothing).log_probabilities(text[:30]), nats, rtol=1e-12
        )


def test_it_is_read_only_and_can_be_copied() -> None:
    model = ngram_model(ABRACADABRA, 3, 5)
    for one in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(one.probabilities([0, 1]), model.probabilities([0, 1]))
        assert not any(array.flags.writeable for order in one.orders for array in (order.keys, order.share, order.rest))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([], 2, 5), ["The text is empty"]),
        (([0, 5], 2, 5), ["codes[1] is 5", "0..4", "Encode the text"]),
        (([-1], 2, 5), ["codes[0] is -1"]),
        (([0, 1, 0.5], 2, 5), ["codes[2] is 0.5"]),
        (([[0, 1]], 2, 5), ["codes must be a row", "(1, 2)", "integers from 0 on"]),
        (("abc", 2, 5), ["codes", "integers from 0 on"]),
        ((ABRACADABRA, 0, 5), ["n must be an integer in 1..6", "got 0"]),
        ((ABRACADABRA, 7, 5), ["n must be an integer in 1..6", "got 7"]),
        ((ABRACADABRA, 2, 0), ["vocabulary must be an integer", "got 0"]),
        ((ABRACADABRA, 2, 5, "laplace"), ["smoothing 'laplace' is not known", "'kneser_ney', 'witten_bell'"]),
    ],
)
def test_what_no_model_can_be_made_of_is_refused(arguments: tuple, words: list[str]) -> None:
    assert_refused(lambda: ngram_model(*arguments), words)


def test_what_no_model_can_read_is_refused() -> None:
    model = ngram_model(ABRACADABRA, 2, 5)
    assert_refused(lambda: model.probabilities([0, 5]), ["context[1] is 5", "0..4"])
    assert_refused(lambda: model.log_probabilities([7]), ["codes[0] is 7"])
    assert_refused(lambda: model.log_probabilities([0], first=2), ["first must be an integer in 0..1", "got 2"])
    assert_refused(lambda: model.cross_entropy([0], first=1), ["No character is left", "from character 1 on"])
    assert_refused(lambda: model.cross_entropy([]), ["No character is left"])
