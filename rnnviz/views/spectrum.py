"""Eigenvalues and singular values of the recurrent weights side by side, and the Lyapunov exponents of a run."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.numbers import MINUS, power_of_ten, written
from rnnviz.views.plots import label, picture
from rnnviz.views.tables import table

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_SIDE, _LEFT, _TOP = 210.0, 44.0, 24.0
_ROUNDING = 1e-9  # of an exponent: a rotation's are 0 but for that
_EIGEN, _SINGULAR, _LYAPUNOV = "#d95f0e", "#0b83a5", "#7c4dbd"


def spectrum_words(W: Array, radius: float, norms: Array) -> str:
    """What the eigenvalues promise, what the singular values allow, and what the powers of W do.

    Parameters
    ----------
    W : (H, H) array
    radius : float
        Its spectral radius.
    norms : (n+1,) array
        log10 of the spectral norm of its powers, W^n first, W^0 last.
    """
    sigma = float(np.linalg.norm(W, 2))
    highest = int(np.argmax(norms[::-1]))
    slots = {"radius": written(radius, 3), "sigma": written(sigma, 3), "steps": len(norms) - 1}
    said = say("spectrum.words", left=power_of_ten(float(norms[0])), **slots)
    if norms.max() < np.log10(1.05):
        return said
    peak = say("spectrum.peak", power=highest, peak=power_of_ten(float(norms.max())))
    shrinks = radius < 1 and norms.max() > norms[0]
    return f"{said} {peak} {say('spectrum.shortcut')}" if shrinks else f"{said} {peak}"


def spectrum_picture(W: Array, exponents: Array, radius: float) -> str:
    """Three plots: eigenvalues on the complex plane with the unit circle, singular values, Lyapunov exponents.

    Parameters
    ----------
    W : (H, H) array
    exponents : (S,) array
        Natural logarithms per step, descending; ``-inf`` where a direction is lost.
    radius : float
        The spectral radius of W.
    """
    eigenvalues, singular = spectrum(W, radius)
    apart = _SIDE + _LEFT + 40
    parts = [_plane(_LEFT, eigenvalues), _bars(_LEFT + apart, singular), _exponents(_LEFT + 2 * apart, exponents)]
    return picture("spectrum", 3 * apart - 20, _TOP + _SIDE + 30, spectrum_said(eigenvalues, singular), parts)


def spectrum(W: Array, radius: float) -> tuple[Complex, Array]:
    """Eigenvalues and singular values, each from the largest down.

    A nilpotent matrix's eigenvalues come out of the computer as a ring around 0: its radius is known better.
    """
    eigenvalues = np.linalg.eigvals(W).astype(np.complex128) if radius > 0 else np.zeros(len(W), dtype=np.complex128)
    order = np.argsort(-np.abs(eigenvalues), kind="stable")
    return eigenvalues[order], np.asarray(np.linalg.svd(W, compute_uv=False), dtype=np.float64)


def spectrum_said(eigenvalues: Complex, singular: Array) -> str:
    """The picture in a sentence."""
    return say(
        "spectrum.said", count=len(singular), radius=written(float(np.abs(eigenvalues).max()), 3),
        sigma=written(float(singular[0]), 3), least=written(float(singular[-1]), 3),
    )  # fmt: skip


def spectrum_table(W: Array, exponents: Array, radius: float) -> str:
    """The same as numbers, a row for each place in the order of size."""
    eigenvalues, singular = spectrum(W, radius)
    rows = [
        [
            str(place + 1),
            complex_text(eigenvalues[place]) if place < len(W) else "",
            written(float(abs(eigenvalues[place])), 3) if place < len(W) else "",
            written(float(singular[place]), 3) if place < len(W) else "",
            written(float(exponents[place]), 3),
        ]
        for place in range(len(exponents))
    ]
    head = [say(f"spectrum.column.{name}") for name in ("place", "eigenvalue", "size", "singular", "exponent")]
    return table("ledger", say("spectrum.table"), head, rows)


def complex_text(value: complex) -> str:
    """An eigenvalue as it is written.

    Examples
    --------
    >>> complex_text(0.5 - 0.25j), complex_text(-1 + 0j)
    ('0.50 − 0.25i', '−1.00')
    """
    if value.imag == 0:
        return written(value.real)
    return f"{written(value.real)} {MINUS if value.imag < 0 else '+'} {written(abs(value.imag))}i"


def _plane(left: float, eigenvalues: Complex) -> str:
    """The unit circle and a dot for each eigenvalue; the plane reaches as far as the farthest."""
    reach = 1.15 * max(1.0, float(np.abs(eigenvalues).max()))
    unit, x0, y0 = _SIDE / 2 / reach, left + _SIDE / 2, _TOP + _SIDE / 2
    parts = [
        label(left, 10, say("spectrum.plane"), "start", size=13),
        f'<path d="M{left:g} {y0:g}H{left + _SIDE:g}M{x0:g} {_TOP:g}V{_TOP + _SIDE:g}" stroke="currentColor" '
        'stroke-opacity="0.25"/>',
        f'<circle cx="{x0:g}" cy="{y0:g}" r="{unit:.1f}" fill="none" stroke="currentColor" stroke-opacity="0.7" '
        'stroke-dasharray="5 4"/>',
        label(x0 + unit + 4, y0 - 8, "1", "start"),
    ]
    for value in eigenvalues:
        title = say("spectrum.dot", value=complex_text(value), size=written(float(abs(value)), 3))
        parts.append(
            f'<g><title>{escape(title)}</title><circle cx="{x0 + unit * value.real:.1f}" '
            f'cy="{y0 - unit * value.imag:.1f}" r="4.5" fill="{_EIGEN}" fill-opacity="0.8"/></g>'
        )
    return "".join(parts)


def _bars(left: float, singular: Array) -> str:
    """A bar for each singular value, with the level 1 at which a direction keeps its length."""
    limit = 1.15 * max(1.0, float(singular[0]))
    return _row(left, say("spectrum.singular"), singular, 0.0, limit, 1.0, _SINGULAR, _singular_title)


def _exponents(left: float, exponents: Array) -> str:
    """A bar for each exponent, up where a direction grows; what is lost at once reaches the lower edge."""
    finite = exponents[np.isfinite(exponents)]
    high = max(0.3, 1.1 * float(finite.max(initial=0.0)))
    low = min(-0.3, 1.1 * float(finite.min(initial=0.0)))
    return _row(left, say("spectrum.lyapunov"), exponents, low, high, 0.0, _LYAPUNOV, _exponent_title)


def _singular_title(place: int, value: str) -> str:
    return say("spectrum.bar", place=place, value=value)


def _exponent_title(place: int, value: str) -> str:
    return say("spectrum.exponent", place=place, value=value)


def _row(
    left: float,
    title: str,
    values: Array,
    low: float,
    high: float,
    level: float,
    fill: str,
    title_of: Callable[[int, str], str],
) -> str:
    """Bars from a level, or from 0 where that is the lower edge, with the level marked."""
    pitch, scale = _SIDE / len(values), _SIDE / (high - low)

    def y(value: float) -> float:
        return _TOP + (high - max(value, low)) * scale

    foot = y(max(low, 0.0))
    parts = [label(left, 10, title, "start", size=13)]
    for place, value in enumerate(map(float, values)):
        named = title_of(place + 1, written(value, 3))
        top = min(y(value), foot)
        parts.append(
            f'<g><title>{escape(named)}</title><rect x="{left + (place + 0.1) * pitch:.2f}" y="{top:.1f}" '
            f'width="{0.8 * pitch:.2f}" height="{max(abs(y(value) - foot), 0.8):.1f}" fill="{fill}"/></g>'
        )
    parts.append(
        f'<path d="M{left:g} {y(level):.1f}H{left + _SIDE:g}" stroke="currentColor" stroke-opacity="0.7" '
        'stroke-dasharray="5 4"/>'
    )
    for value in {level, low if low < 0 else 0.0, high / 1.15 if low == 0 and high > 1.4 else level}:
        parts.append(label(left - 6, y(value), written(value, 1), "end"))
    return "".join(parts)


def lyapunov_words(exponents: Array) -> str:
    """What the largest exponent says."""
    largest = float(exponents[0])
    if np.isneginf(largest):
        return say("spectrum.exponents.none")
    if abs(largest) < _ROUNDING:
        return say("spectrum.exponents.keeps")
    factor = written(float(np.exp(largest)), 3)
    grows = int((exponents > _ROUNDING).sum())
    if not grows:
        return say("spectrum.exponents.fades", largest=written(largest, 3), factor=factor)
    return say("spectrum.exponents.grows", largest=written(largest, 3), factor=factor, count=grows, all=len(exponents))
