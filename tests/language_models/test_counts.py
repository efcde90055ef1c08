"""Counts of parameters against arrays that are made and counted."""

from __future__ import annotations

from itertools import product

import pytest
from torch import nn

from rnnviz.language_models.counts import (
    first_larger_table,
    recurrent_parameters,
    table_entries,
    window_parameters,
)


def numbers_in(*modules: nn.Module) -> int:
    return sum(parameter.numel() for module in modules for parameter in module.parameters())


@pytest.mark.parametrize(("vocabulary", "n"), [(1, 1), (1, 4), (2, 5), (3, 3), (5, 2)])
def test_a_table_has_an_entry_for_each_character_after_each_context(vocabulary: int, n: int) -> None:
    assert table_entries(vocabulary, n) == len(list(product(range(vocabulary), repeat=n)))


@pytest.mark.parametrize("vocabulary", [1, 2, 27])
@pytest.mark.parametrize("hidden", [1, 7, 64])
def test_networks_have_as_many_as_torch_counts(vocabulary: int, hidden: int) -> None:
    """PyTorch's RNN has a second bias, which the textbook's has not."""
    rnn, out = nn.RNN(vocabulary, hidden), nn.Linear(hidden, vocabulary)
    assert recurrent_parameters(vocabulary, hidden) == numbers_in(rnn, out) - hidden
    for n in (2, 5):
        window = nn.Linear((n - 1) * vocabulary, hidden)
        assert window_parameters(vocabulary, n, hidden) == numbers_in(window, out)
    assert window_parameters(vocabulary, 1, hidden) == hidden + numbers_in(out)  # nothing is read, a bias is left


@pytest.mark.parametrize(("vocabulary", "hidden"), [(2, 1), (2, 4096), (27, 64), (1_000_000, 1), (1_000_000, 4096)])
def test_from_where_on_the_table_is_the_larger_one(vocabulary: int, hidden: int) -> None:
    first, most = first_larger_table(vocabulary, hidden), recurrent_parameters(vocabulary, hidden)
    assert first is not None
    assert table_entries(vocabulary, first) > most
    assert all(table_entries(vocabulary, n) <= most for n in range(1, first))


def test_a_table_of_one_character_is_never_larger() -> None:
    assert first_larger_table(1, 1) is None
    assert all(table_entries(1, n) <= recurrent_parameters(1, 1) for n in range(1, 50))
