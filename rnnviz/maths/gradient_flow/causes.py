"""Which cause a gradient's change has, decided by its share of the decades."""

from __future__ import annotations

import math

__all__ = ["DECADE", "cause_of", "gates_part", "weights_share"]

DECADE = 1.0
"""Decades: a norm that changes by less than a factor of 10 asks for no cause."""

_MOST = 0.6  # the share of the decades from which on a cause stands alone
_EXPLAINED = 0.5  # the share of a change that the causes must come to, each by itself, to explain it
_GATES = 0.8  # the same for gates, which are one cause alone
_NEAR = 0.5  # decades


def weights_share(weights: float, slopes: float) -> float | None:
    """The share of the weights in the decades that weights and slopes would cost, each alone.

    Parameters
    ----------
    weights, slopes : float
        log10 of what either alone would leave, as `decay_causes` has it; growth costs nothing.

    Returns
    -------
    float or None
        0 to 1; None where neither costs anything, or each alone costs all.

    Examples
    --------
    >>> round(weights_share(-5.7, -1936.6), 4), weights_share(2.0, -3.0)
    (0.0029, 0.0)
    """
    weights, slopes = min(weights, 0.0), min(slopes, 0.0)
    if math.isinf(weights) and math.isinf(slopes):
        return None
    if math.isinf(weights) or math.isinf(slopes):
        return float(math.isinf(weights))
    return abs(weights / (weights + slopes)) if weights + slopes else None


def cause_of(norm: float, weights: float, slopes: float | None) -> str:
    """Which of the two causes changes the gradient norm of an Elman RNN.

    Over T steps like each other the norm and both counterfactuals are near straight lines, so the shares do not depend
    on T, as whether each alone crosses a threshold does.

    Parameters
    ----------
    norm, weights, slopes : float
        log10 of what is left of the gradient, and of what the weights and the slopes alone would leave. Slopes are
        None for a singular W_hh, where there is no one answer.

    Returns
    -------
    str
        Of a norm that falls: "weights" or "slopes", if at least 60 % of the decades are theirs, "both", or "interplay"
        if together they come to less than half of the fall. Of one that grows: "stretch" if the weights alone come to
        half of it, else "interplay". Of one that stays within a factor of 10: "balance" if the weights alone would
        stretch it and the slopes alone shrink it by more than that, else "still".

    Examples
    --------
    >>> cause_of(-1942.0, -5.7, -1936.6), cause_of(-26.4, -24.0, -1.7), cause_of(12.5, 48.0, -32.0)
    ('slopes', 'weights', 'stretch')
    """
    if norm > DECADE:
        return "stretch" if weights >= _EXPLAINED * norm else "interplay"
    if norm >= -DECADE:
        return "balance" if slopes is not None and weights > DECADE and slopes < -DECADE else "still"
    if slopes is None:
        slopes = norm - weights if weights > norm else 0.0  # what the weights leave to explain
    if min(weights, 0.0) + min(slopes, 0.0) > _EXPLAINED * norm:
        return "interplay"
    share = weights_share(weights, slopes)
    if share is None:
        return "both"
    return "weights" if share >= _MOST else "slopes" if share <= 1.0 - _MOST else "both"


def gates_part(norm: float, kept: float) -> str:
    """Which part the gates that keep the state have in the gradient norm of an LSTM or a GRU.

    Parameters
    ----------
    norm, kept : float
        log10 of what is left of the gradient, and of what the gates alone would leave (`log10_keep_products`).

    Returns
    -------
    str
        Of a norm that falls by more than a factor of 10: "lost" if the gates alone cost less than 80 % of the decades;
        "others" if they alone would cost more than twice as many; "shut_rest" if ten times as much arrives as they
        leave; else "shut". Of one that grows: "open_grows" if the gates alone would keep a tenth, else "around". Of one
        that stays: "others", "lost" or "open".

    Examples
    --------
    >>> gates_part(-18.7, -30.0), gates_part(-0.28, -0.3), gates_part(-6.0, -6.5)
    ('shut_rest', 'open', 'shut')
    """
    if norm > DECADE:
        return "open_grows" if kept >= -DECADE else "around"
    if norm >= -DECADE:
        if norm > kept + DECADE:
            return "others"
        return "lost" if kept > norm + _NEAR else "open"
    if kept > _GATES * norm:
        return "lost"
    if norm > _EXPLAINED * kept:
        return "others"
    return "shut_rest" if norm > kept + DECADE else "shut"
