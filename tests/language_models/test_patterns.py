"""Patterns of characters against loops that read a text once; rankings against fractions and planted units."""

from __future__ import annotations

import copy
import math
import pickle
import statistics
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnnviz.language_models.patterns import PATTERNS, span_pattern
from rnnviz.language_models.rankings import rank_on_held_back, rank_units, similar_moments
from tests.maths.refused import assert_refused

seeds = st.integers(0, 2**32 - 1)
# Characters that the patterns tell apart, thick enough for every pair of them to meet; and all of Unicode.
signs = st.sampled_from('aeEßÉ\u0301\u0903яשع\n\t 7٣²_"“”([{)]}.!?…؟।’»-👍\u200d\0\ud800')
texts = st.text(st.one_of(signs, signs, st.characters()), max_size=60)
finite = st.floats(allow_nan=False, allow_infinity=False)


def slow_quotes(text: str) -> list[float]:
    straight = curly = False
    found = []
    for sign in text:
        was = straight or curly
        if sign == '"':
            straight = not straight
        elif sign in "“”":
            curly = sign == "“"
        found.append(float(was or straight or curly))
    return found


def slow_brackets(text: str) -> list[float]:
    depth, found = 0, []
    for sign in text:
        was = depth
        if sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        found.append(float(max(was, depth)))
    return found


def slow_vowels(text: str) -> list[float]:
    def bare(sign: str) -> str:
        return "".join(one for one in unicodedata.normalize("NFD", sign) if not is_mark(one))

    return [float(bare(sign).lower() in set("aeiou")) for sign in text]


def slow_position_in_word(text: str) -> list[float]:
    letters, found = 0, []
    for sign in text:
        found.append(float(letters if sign.isalpha() else 0))
        if sign.isalpha():
            letters += 1
        elif not is_mark(sign):
            letters = 0
    return found


def slow_position_in_line(text: str) -> list[float]:
    return [float(len(text[:place].rpartition("\n")[2])) for place in range(len(text))]


def slow_sentence_start(text: str) -> list[float]:
    ended, starts, inside = False, True, False
    found = []
    for place, sign in enumerate(text):
        inside, was = sign.isalpha() or (inside and is_mark(sign)), inside
        if place and sign.isspace() and ended:
            starts = True
        elif was and not inside:
            starts = False
        ended = sign in ".!?…؟।" or (ended and sign in "\"'”’»)]}")
        found.append(float(starts))
    return found


def is_mark(sign: str) -> bool:
    return unicodedata.category(sign) in ("Mn", "Mc", "Me")


SLOW = {
    "quotes": slow_quotes,
    "brackets": slow_brackets,
    "vowels": slow_vowels,
    "spaces": lambda text: [float(not sign.strip()) for sign in text],
    "upper": lambda text: [float(unicodedata.category(sign) == "Lu") for sign in text],
    "digits": lambda text: [float(unicodedata.decimal(sign, None) is not None) for sign in text],
    "position_in_word": slow_position_in_word,
    "position_in_line": slow_position_in_line,
    "sentence_start": slow_sentence_start,
}


@pytest.mark.parametrize("name", PATTERNS)
@given(texts)
def test_patterns_are_those_of_a_loop(name: str, text: str) -> None:
    found = PATTERNS[name](text)
    assert found.shape == (len(text),)
    assert found.dtype == np.dtype(np.float64)
    assert found.tolist() == SLOW[name](text)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("quotes", 'a "b" c', "0011100"),
        ("quotes", "a “b” c", "0011100"),
        ("quotes", '"" x', "1100"),
        ("quotes", 'a "b\nc', "001111"),  # never closed
        ("quotes", "a” b", "0000"),  # closes nothing
        ("quotes", "“a\n“b” c", "11111100"),  # a second paragraph of the same speech opens again
        ("quotes", 'a "b “c” d" e', "0011111111100"),  # one kind inside the other
        ("quotes", "«a» ‘b’", "0000000"),
        ("quotes", '👍"👍🏽"', "01111"),
        ("quotes", 'אמר "שלום" לי', "0000111111000"),
        ("brackets", "f(x[0])+{1}", "01122210111"),
        ("brackets", "(a)(b)", "111111"),
        ("brackets", "((a))", "12221"),
        ("brackets", "a) b (c)", "00000111"),  # the first closes nothing
        ("brackets", "(a]b", "1110"),  # no bracket asks for its own kind
        ("brackets", "(👍", "11"),
        ("brackets", "א (ב) ג", "0011100"),
        ("vowels", "machine", "0100101"),
        ("vowels", "AEIOU y", "1111100"),
        ("vowels", "Éübø", "1100"),
        ("vowels", "ǖ ệ İ", "10101"),  # two accents on one
        ("vowels", "e\u0301t", "100"),
        ("vowels", "яא👍", "000"),
        ("spaces", "a b\tc\n\u00a0\u3000", "01010111"),
        ("spaces", "a\u200db👍", "0000"),  # a joiner is no space
        ("upper", "Ab CÉß", "100110"),
        ("upper", "Яя ǅ Ⅷ", "100000"),  # title case and a number are no upper-case letters
        ("upper", "E\u0301שلA", "10001"),
        ("digits", "a1 23²", "010110"),
        ("digits", "٣७Ⅷ½👍", "11000"),
        ("position_in_word", "The cat's 2nd", "0120012000001"),
        ("position_in_word", "cafe\u0301s", "012304"),
        ("position_in_word", "cafés", "01234"),
        ("position_in_word", "שלום עולם", "012300123"),
        ("position_in_word", "हिन्दी में", "0010200000"),  # vowel signs go on as accents do
        ("position_in_word", "ab👍cd", "01001"),
        ("position_in_word", "\u0301ab", "001"),
        ("position_in_line", "abc\n\nd", "012300"),
        ("position_in_line", "\nab", "001"),
        ("position_in_line", "a\r\nb\u2028c", "012012"),  # \n alone ends a line
        ("position_in_line", "👍🏽\nש\n", "01201"),
        ("sentence_start", "Hi you. Go on!", "11000001110000"),
        ("sentence_start", "A?! B", "10011"),
        ("sentence_start", 'He: "Go." Me', "110000000111"),  # from the white space after the sign of quoting
        ("sentence_start", "a 3.14 b", "10000000"),  # no white space after the point
        ("sentence_start", " “Oh,” a", "11110000"),
        ("sentence_start", "1. 2. Oh no", "11111111000"),  # up to a word, which begins with a letter
        ("sentence_start", "e\u0301t go", "111000"),
        ("sentence_start", "מה? כן לא", "110111000"),
        ("sentence_start", "ما؟ نعم لا", "1101111000"),
        ("sentence_start", "👍 ok 👍. 👍 ok no", "111100011111000"),
    ],
)
def test_patterns_by_hand(name: str, text: str, expected: str) -> None:
    assert PATTERNS[name](text).tolist() == [float(digit) for digit in expected]


@given(st.text(st.sampled_from("aéÜñ \n."), max_size=30))
def test_letters_have_the_same_values_in_either_normal_form(text: str) -> None:
    """An accent may be a part of its letter or a character of its own."""
    apart = unicodedata.normalize("NFD", text)
    bare = [place for place, sign in enumerate(apart) if not is_mark(sign)]
    for name in ("vowels", "upper", "position_in_word", "sentence_start"):
        np.testing.assert_array_equal(PATTERNS[name](text), PATTERNS[name](apart)[bare])


@given(st.text(min_size=1, max_size=20), st.data())
def test_a_span_is_what_a_slice_of_the_text_is(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = span_pattern(text, start, end)
    assert found.tolist() == [float(start <= place < end) for place in range(len(text))]
    assert "".join(sign for sign, inside in zip(text, found, strict=True) if inside) == text[start:end]


def exact(v: Sequence[float], p: Sequence[float]) -> float:
    """Pearson's r in fractions, rounded at the very end."""

    def covariance(a: Sequence[float], b: Sequence[float]) -> Fraction:
        x, y = [Fraction(one) for one in a], [Fraction(one) for one in b]
        return len(x) * sum((i * j for i, j in zip(x, y, strict=True)), Fraction()) - Fraction(sum(x)) * sum(y)

    both, sizes = covariance(v, p), covariance(v, v) * covariance(p, p)
    return math.copysign(math.sqrt(both**2 / sizes), 1 if both > 0 else -1) if sizes else 0.0


def by_column(values: Sequence[Sequence[float]] | np.ndarray, pattern: Sequence[float] | np.ndarray) -> np.ndarray:
    """The correlations in the order of the columns."""
    ranking = rank_units(values, pattern)
    assert sorted(ranking.units.tolist()) == list(range(len(ranking.units)))
    found = np.empty(len(ranking.units))
    found[ranking.units] = ranking.correlations
    return found


@given(st.integers(1, 8), st.integers(1, 4), st.data())
def test_correlations_are_those_of_fractions(T: int, N: int, data: st.DataObject) -> None:
    """With any numbers that there are, from 5e-324 to 1.8e308."""
    columns = data.draw(st.lists(st.lists(finite, min_size=T, max_size=T), min_size=N, max_size=N))
    pattern = data.draw(st.lists(finite, min_size=T, max_size=T))
    found = by_column(np.array(columns).T, pattern)
    np.testing.assert_allclose(found, [exact(column, pattern) for column in columns], rtol=0, atol=1e-14)
    assert (np.abs(found) <= 1).all()


@pytest.mark.parametrize("T", [2, 3, 63, 64, 65, 129, 300])
def test_correlations_are_those_of_the_standard_library(T: int) -> None:
    random = np.random.RandomState(T)
    values, pattern = random.normal(size=(T, 7)) + 3, random.normal(size=T)
    expected = [statistics.correlation(values[:, unit].tolist(), pattern.tolist()) for unit in range(7)]
    ranking = rank_units(values, pattern)
    np.testing.assert_allclose(by_column(values, pattern), expected, rtol=1e-12, atol=1e-14)
    if T > 2:  # between two points all lines are straight
        assert ranking.units.tolist() == sorted(range(7), key=lambda unit: -abs(expected[unit]))


@pytest.mark.parametrize(
    ("offset", "scale"),
    [(offset, scale) for offset in (0.0, 1e8, -1e15) for scale in (1.0, 1e-200, 1e200, 1e-320)] + [(0.0, 2.0**1021)],
)
def test_a_tiny_spread_around_a_large_mean_counts(offset: float, scale: float) -> None:
    """The sum of squares about 0 would lose all digits at 1e8, and at 1e±200 it is no number of float64."""
    random = np.random.RandomState(0)
    values = (random.randint(-4, 5, (200, 3)) + offset) * scale
    pattern = random.randint(0, 2, 200)
    expected = [exact(values[:, unit].tolist(), pattern.tolist()) for unit in range(3)]
    np.testing.assert_allclose(by_column(values, pattern), expected, rtol=1e-12)
    np.testing.assert_allclose(by_column(pattern[:, np.newaxis], values[:, 0]), expected[:1], rtol=1e-12)


def test_columns_of_very_different_size_stand_side_by_side() -> None:
    random = np.random.RandomState(1)
    values, pattern = random.normal(size=(100, 4)), random.normal(size=100)
    found = by_column(values * [1e-200, 1.0, 1e200, 1e-3], pattern * 1e150)
    np.testing.assert_allclose(found, by_column(values, pattern), rtol=1e-12)


@pytest.mark.parametrize("exponent", [-1000, -310, -297, 297, 310, 1000])
def test_a_power_of_2_changes_nothing(exponent: int) -> None:
    """On either side of the size from which on numbers are scaled before they are squared."""
    random = np.random.RandomState(2)
    values, pattern = random.normal(size=(100, 4)), random.normal(size=100)
    found = by_column(values * 2.0**exponent, pattern * 2.0**exponent)
    np.testing.assert_array_equal(found, by_column(values, pattern))


def test_what_is_constant_has_the_correlation_0() -> None:
    """0.1 has no exact mean in float64, and yet no spread is made up."""
    pattern = np.arange(7.0)
    values = np.column_stack([np.full(7, 0.1), np.full(7, -1e300), np.zeros(7), pattern])
    ranking = rank_units(values, pattern)
    assert ranking.units.tolist() == [3, 0, 1, 2]
    assert ranking.correlations.tolist()[1:] == [0.0, 0.0, 0.0]
    assert rank_units(values, np.full(7, 0.1)).correlations.tolist() == [0.0] * 4
    assert rank_units([[3.0, 4.0]], [1.0]).correlations.tolist() == [0.0, 0.0]


@given(
    st.integers(-1000, 1000).filter(bool),
    st.integers(-(10**6), 10**6),
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=40),
)
def test_only_the_sign_of_a_scale_counts(a: int, b: int, pairs: list[tuple[int, int]]) -> None:
    x, p = (np.array(one, dtype=np.float64) for one in zip(*pairs, strict=True))
    found, other = by_column(np.column_stack([x, a * x + b]), p)
    assert other == pytest.approx(math.copysign(1, a) * found, abs=1e-13)
    assert by_column(p[:, np.newaxis], x)[0] == pytest.approx(found, abs=1e-13)
    assert found == pytest.approx(1.0 if np.ptp(x) else 0.0) or not np.array_equal(x, p)


@settings(max_examples=60)
@given(seeds, st.integers(4, 70), st.integers(2, 200))
def test_exact_ties_come_in_the_order_of_the_columns(seed: int, N: int, T: int) -> None:
    """A column, itself turned round, doubled and once more, wherever they stand: not even the last digit differs."""
    random = np.random.RandomState(seed)
    values, pattern = random.normal(size=(T, N)), random.normal(size=T)
    equal = random.permutation(N)[:4]
    values[:, equal] = values[:, equal[:1]] * [1, -1, 2, 1]
    ranking = rank_units(values, pattern)
    places = [ranking.units.tolist().index(unit) for unit in equal]
    assert len(set(np.abs(ranking.correlations[places]))) == 1
    assert ranking.units[np.sort(places)].tolist() == sorted(equal.tolist())
    assert (np.diff(np.abs(ranking.correlations)) <= 0).all()


TEXT = 'She said "(I know) the way [home], Éva". He went on: “Two of 3 (or 4) left!”\nNobody asked.\n' * 25


@pytest.mark.parametrize("name", PATTERNS)
def test_a_planted_unit_is_found(name: str) -> None:
    """Among 99 units of noise the one that follows the pattern, upside down, with noise that is louder than it."""
    pattern = PATTERNS[name](TEXT)
    values = np.random.RandomState(0).normal(size=(len(TEXT), 100))
    values[:, 42] -= 0.7 * pattern / pattern.std()
    ranking = rank_units(values, pattern)
    assert ranking.units[0] == 42
    assert ranking.correlations[0] == pytest.approx(-0.7 / math.hypot(0.7, 1), abs=0.07)
    assert np.abs(ranking.correlations[1:]).max() < 0.12
    halves = rank_on_held_back(values, pattern, len(TEXT) // 2)
    assert halves.units[0] == 42
    assert halves.held_back[0] == pytest.approx(halves.seen[0], abs=0.1)


def test_what_is_held_back_tells_chance() -> None:
    """The best of 500 units of noise on 40 characters looks like a find; on the next 1,000 it is none."""
    random = np.random.RandomState(0)
    ranking = rank_on_held_back(random.normal(size=(1040, 500)), random.randint(0, 2, 1040), 40)
    assert abs(ranking.seen[0]) > 0.4
    assert abs(ranking.held_back[0]) < 0.1


@given(seeds, st.integers(4, 90), st.data())
def test_each_side_of_a_cut_is_ranked_by_itself(seed: int, T: int, data: st.DataObject) -> None:
    random, cut = np.random.RandomState(seed), data.draw(st.integers(2, T - 2))
    values, pattern = random.normal(size=(T, 6)), random.normal(size=T)
    ranking, before = rank_on_held_back(values, pattern, cut), rank_units(values[:cut], pattern[:cut])
    np.testing.assert_array_equal(ranking.units, before.units)
    np.testing.assert_array_equal(ranking.seen, before.correlations)
    np.testing.assert_array_equal(ranking.held_back, by_column(values[cut:], pattern[cut:])[ranking.units])


def test_rankings_are_read_only_and_can_be_copied() -> None:
    values, pattern = np.eye(4), np.arange(4)
    for ranking in (rank_units(values, pattern), rank_on_held_back(values, pattern, 2)):
        for one in (ranking, copy.deepcopy(ranking), pickle.loads(pickle.dumps(ranking))):
            for name, array in vars(one).items():
                np.testing.assert_array_equal(array, getattr(ranking, name))
                assert not array.flags.writeable


def cosine(v: Sequence[float], w: Sequence[float]) -> float:
    sizes = math.hypot(*v) * math.hypot(*w)
    return sum(a * b for a, b in zip(v, w, strict=True)) / sizes if sizes else 0.0


@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=40),
    st.integers(1, 6),
    st.integers(1, 12),
    st.sampled_from([1.0, 2.0**700, 2.0**-1070]),
    st.data(),
)
def test_each_moment_is_the_best_that_there_is_room_for(rows, count, apart, scale, data) -> None:
    t = data.draw(st.integers(0, len(rows) - 1))
    found = similar_moments(np.array(rows) * scale, t, count, apart)
    taken = [t]
    for step in found:
        room = [s for s in range(len(rows)) if all(abs(s - other) >= apart for other in taken)]
        assert step in room
        assert cosine(rows[step], rows[t]) >= max(cosine(rows[s], rows[t]) for s in room) - 1e-12
        taken.append(step)
    full = all(any(abs(s - other) < apart for other in taken) for s in range(len(rows)))
    assert len(found) == count or (full and len(found) < count)


def test_similar_moments_by_hand() -> None:
    """Of 30 states on a circle, a turn in 12 steps: 0, 12 and 24 are alike, then come the nearest that are free."""
    angle = 2 * np.pi * np.arange(30) / 12
    states = np.round(np.column_stack([np.cos(angle), np.sin(angle)]), 12)
    assert similar_moments(states, 12, count=2) == [0, 24]
    assert similar_moments(states, 0, count=5, apart=10) == [12, 24]
    assert similar_moments(states, 0, count=3, apart=1) == [12, 24, 1]
    assert similar_moments(states * np.logspace(-200, 200, 30)[:, np.newaxis], 12, count=2) == [0, 24]


def test_a_zero_vector_is_like_nothing_and_unlike_nothing() -> None:
    states = [[1, 1], [0, 0], [-1, -1], [1, 0]]
    assert similar_moments(states, 0, count=3, apart=1) == [3, 1, 2]
    assert similar_moments(states, 1, count=3, apart=1) == [0, 2, 3]
    assert similar_moments([[1, 2]], 0) == []


@given(seeds, st.integers(2, 70))
def test_equal_states_come_in_the_order_of_their_steps(seed: int, N: int) -> None:
    """In a text that repeats itself; not even the last digit of a cosine depends on where the state stands."""
    states = np.tile(np.random.RandomState(seed).normal(size=(5, N)), (8, 1))
    assert similar_moments(states, 17, count=4, apart=1) == [2, 7, 12, 22]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: span_pattern("abc", 2, 2), ["From 2 up to 2", "a text of 3 characters", "start < end"]),
        (lambda: span_pattern("abc", 1, 4), ["From 1 up to 4"]),
        (lambda: span_pattern("a", 3, 5), ["a text of 1 character."]),
        (lambda: span_pattern("abc", -1, 2), ["start must be an integer of at least 0", "got -1"]),
        (lambda: span_pattern("abc", 0, 1.5), ["end must be an integer", "got 1.5"]),
        (lambda: span_pattern("", 0, 0), ["a text of 0 characters", "at least one character"]),
        (lambda: rank_units(np.ones((3, 2)), [1, 2]), ["pattern must be (3,)", "got (2,)", "same characters"]),
        (lambda: rank_units(np.ones((3, 2)), np.ones((3, 1))), ["pattern must be (3,)", "got (3, 1)"]),
        (lambda: rank_units([1.0, 2.0], [1, 2]), ["values must be (T, N)", "got (2,)", "a row for each character"]),
        (lambda: rank_units(np.ones((0, 2)), []), ["values must be (T, N)", "got (0, 2)"]),
        (lambda: rank_units(np.ones((3, 0)), np.ones(3)), ["values must be (T, N)", "got (3, 0)"]),
        (lambda: rank_units([[1.0], [math.nan]], [1, 2]), ["values row 2, column 1", "nan", "finite"]),
        (lambda: rank_units([[1.0], [2.0]], [1, math.inf]), ["pattern entry 2", "inf"]),
        (lambda: rank_on_held_back(np.ones((6, 2)), np.ones(6), 1), ["A cut at 1", "fewer than 2 of 6 characters"]),
        (lambda: rank_on_held_back(np.ones((6, 2)), np.ones(6), 5), ["A cut at 5", "fewer than 2"]),
        (lambda: rank_on_held_back(np.ones((3, 2)), np.ones(3), 2), ["A cut at 2", "of 3 characters", "longer text"]),
        (lambda: rank_on_held_back(np.ones((6, 2)), np.ones(6), -2), ["cut must be an integer of at least 0"]),
        (lambda: rank_on_held_back(np.ones((6, 2)), np.ones(5), 3), ["pattern must be (6,)"]),
        (lambda: similar_moments(np.ones((6, 2)), 6), ["t must be an integer in 0..5", "got 6"]),
        (lambda: similar_moments(np.ones((6, 2)), -1), ["t must be an integer in 0..5", "got -1"]),
        (lambda: similar_moments(np.ones((6, 2)), 0, count=0), ["count must be an integer of at least 1"]),
        (lambda: similar_moments(np.ones((6, 2)), 0, apart=0), ["apart must be an integer of at least 1"]),
        (lambda: similar_moments(np.ones(6), 0), ["values must be (T, N)", "got (6,)"]),
    ],
)
def test_what_does_not_fit_is_refused(call, words: list[str]) -> None:
    assert_refused(call, words)
