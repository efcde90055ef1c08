"""Two forms of the GRU with the same weights side by side, and who uses which."""

from __future__ import annotations

from html import escape

import numpy as np

from rnnviz.maths import Trace
from rnnviz.texts import say
from rnnviz.views.numbers import power_of_ten, written

_WIDTH, _HEIGHT, _LEFT, _TOP = 900.0, 130.0, 58.0, 10.0
_HERE, _OTHER = "#2b7fc3", "#e0762f"

FORMS = (("after", "keep"), ("before", "keep"), ("before", "write"), ("after", "write"))
"""Every form of the GRU as (reset, update); the first is PyTorch's."""


def form_words(form: tuple[str, str]) -> str:
    """The equations of a form in words."""
    reset, update = form
    return say("forms.form", reset=say(f"forms.reset.{reset}"), update=say(f"forms.update.{update}"))


def forms_apart(here: Trace, other: Trace, unit: int, t: int) -> str:
    """How far the states of two forms are apart, in a sentence."""
    difference = np.abs(here.h[1:] - other.h[1:])
    most = float(difference.max())
    a, b = float(here.h[t, unit]), float(other.h[t, unit])
    if most == 0:
        return say("forms.same", steps=here.steps)
    step = int(difference.max(axis=1).argmax()) + 1
    return say(
        "forms.apart", unit=unit + 1, t=t, here=written(a, 4), other=written(b, 4), step=step,
        most=power_of_ten(float(np.log10(most))),
    )  # fmt: skip


def forms_picture(here: Trace, other: Trace, unit: int, t: int) -> str:
    """The state of a unit over time in both forms, as one SVG element that takes the text's colour."""
    plot = _WIDTH - _LEFT - 12
    limit = max(float(np.abs(one.h[:, unit]).max()) for one in (here, other)) or 1.0
    middle = _TOP + _HEIGHT / 2
    parts = [
        f'<line x1="{_LEFT:g}" x2="{_WIDTH - 12:g}" y1="{middle:g}" y2="{middle:g}" stroke="currentColor" '
        'stroke-opacity="0.35"/>'
    ]
    for value, y in ((limit, _TOP), (0.0, middle), (-limit, _TOP + _HEIGHT)):
        parts.append(
            f'<text x="{_LEFT - 8:g}" y="{y:g}" text-anchor="end" dominant-baseline="central" font-size="12" '
            f'fill="currentColor">{written(value)}</text>'
        )
    for trace, colour, dash in ((here, _HERE, ""), (other, _OTHER, ' stroke-dasharray="6 4"')):
        points = " ".join(
            f"{_LEFT + plot * k / here.steps:.1f},{middle - value / limit * _HEIGHT / 2:.1f}"
            for k, value in enumerate(trace.h[:, unit])
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
    x = _LEFT + plot * t / here.steps
    parts.append(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP:g}" y2="{_TOP + _HEIGHT:g}" stroke="currentColor" '
        'stroke-opacity="0.5" stroke-dasharray="2 3"/>'
    )
    label = escape(forms_apart(here, other, unit, t))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="forms" viewBox="0 0 {_WIDTH:g} {_HEIGHT + 2 * _TOP:g}" '
        f'width="100%" style="max-width:1100px" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )
