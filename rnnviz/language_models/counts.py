"""How many numbers models of text store: tables of n-grams, a network on a window, a recurrent network."""

from __future__ import annotations


def table_entries(vocabulary: int, n: int) -> int:
    """Count the probabilities of an n-gram table, ``V**n``: one for each character after each context.

    Of these ``V**(n - 1) * (V - 1)`` are free, since those after one context sum to 1.
    """
    entries: int = vocabulary**n
    return entries


def window_parameters(vocabulary: int, n: int, hidden_size: int) -> int:
    """Count the parameters of an MLP with one hidden layer that reads the last n - 1 characters one-hot.

    ``(n - 1) V H + H`` for the hidden layer, ``H V + V`` for the output (Bengio et al., 2003, without embeddings).
    """
    return (n - 1) * vocabulary * hidden_size + hidden_size + hidden_size * vocabulary + vocabulary


def recurrent_parameters(vocabulary: int, hidden_size: int) -> int:
    """Count the parameters of an Elman RNN on one-hot characters, with one bias: the same for any length.

    ``V H + H H + H`` for ``H_t = φ(X_t W_xh + H_{t-1} W_hh + b_h)``, ``H V + V`` for the output.
    """
    hidden = vocabulary * hidden_size + hidden_size * hidden_size + hidden_size
    return hidden + hidden_size * vocabulary + vocabulary


def first_larger_table(vocabulary: int, hidden_size: int) -> int | None:
    """The smallest n whose table has more entries than the recurrent network has parameters; None for one character."""
    if vocabulary == 1:
        return None
    most, n = recurrent_parameters(vocabulary, hidden_size), 1
    while table_entries(vocabulary, n) <= most:
        n += 1
    return n
