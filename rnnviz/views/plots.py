"""Pieces of plots over time as SVG that take the text's colour: axes, lines, labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rnnviz.views.numbers import written

NEGATIVE, POSITIVE = "#e0762f", "#2b7fc3"
"""Orange below nought, blue above: readable on a light and on a dark ground."""


@dataclass(frozen=True)
class Plot:
    """The place of signed values over time: nought in the middle, a column for each of the steps 0..T.

    Attributes
    ----------
    left, top, width, height : float
        In pixels.
    columns : int
        T + 1.
    limit : float
        The value at the upper edge.
    """

    left: float
    top: float
    width: float
    height: float
    columns: int
    limit: float

    @property
    def pitch(self) -> float:
        """Width of a column."""
        return self.width / self.columns

    def x(self, step: int) -> float:
        """The middle of a column."""
        return self.left + (step + 0.5) * self.pitch

    def y(self, value: float) -> float:
        """The height of a value."""
        return self.top + self.height / 2 * (1 - value / self.limit)

    def axis(self) -> str:
        """The line of nought, and the numbers at both ends."""
        numbers = "".join(
            label(self.left - 8, self.y(value), written(value), "end") for value in (self.limit, 0.0, -self.limit)
        )
        line = f'<line x1="{self.left:g}" x2="{self.left + self.width:g}" y1="{self.y(0):g}" y2="{self.y(0):g}"'
        return f'{line} stroke="currentColor" stroke-opacity="0.35"/>{numbers}'

    def line(self, values: Sequence[float], colour: str, *, dashed: bool = False) -> str:
        """Values of the steps 0..T joined by a line."""
        points = " ".join(f"{self.x(step):.1f},{self.y(value):.1f}" for step, value in enumerate(values))
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'

    def marker(self, step: int) -> str:
        """An upright line at a step."""
        x = self.x(step)
        return (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{self.top:g}" y2="{self.top + self.height:g}" '
            'stroke="currentColor" stroke-opacity="0.5" stroke-dasharray="2 3"/>'
        )

    def steps(self, start: str) -> str:
        """The numbers of the steps below it, as many as there is room for; `start` names step 0."""
        every = next((count for count in (1, 2, 5, 10, 20, 50) if count * self.pitch >= 30), 100)
        y = self.top + self.height + 13
        wanted = [step for step in range(1, self.columns) if step == 1 or step % every == 0]
        first = label(self.x(0), y, start) if self.pitch >= 30 else ""
        return first + "".join(label(self.x(step), y, str(step)) for step in wanted)


def column_bar(plot: Plot, column: int, value: float, colour: str, title: str) -> str:
    """A bar from nought to a value; its whole column says the title when pointed at."""
    top, height = min(plot.y(value), plot.y(0)), abs(plot.y(value) - plot.y(0))
    wide, x = max(0.8, min(0.82 * plot.pitch, 26.0)), plot.x(column)
    area = f'x="{x - plot.pitch / 2:.1f}" y="{plot.top:g}" width="{plot.pitch:.2f}" height="{plot.height:g}"'
    bar = f'x="{x - wide / 2:.1f}" y="{top:.1f}" width="{wide:.2f}" height="{height:.2f}" fill="{colour}"'
    return f'<g><title>{escape(title)}</title><rect {area} fill="transparent"/><rect {bar}/></g>'


def step_numbers(plot: Plot, first: int) -> list[str]:
    """The numbers of the steps below columns, as many as there is room for; the first column is step `first` + 1."""
    every = next((count for count in (1, 2, 5, 10, 20, 50, 100) if count * plot.pitch >= 30), 200)
    steps = range(first + 1, first + plot.columns + 1)
    y = plot.top + plot.height + 13
    return [label(plot.x(step - first - 1), y, str(step)) for step in steps if step % every == 0 or plot.columns == 1]


def label(x: float, y: float, text: str, anchor: str = "middle", fill: str = "currentColor", size: int = 12) -> str:
    """A text at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" font-size="{size}" '
        f'fill="{fill}">{escape(text)}</text>'
    )


def picture(name: str, width: float, height: float, said: str, parts: Sequence[str]) -> str:
    """One SVG of a class in a frame that scrolls where it would be too small to read, with its text twin."""
    label = escape(said)
    return (
        f'<div style="overflow-x:auto" role="region" aria-label="{label}" tabindex="0">'
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" viewBox="0 0 {width:g} {height:g}" width="100%" '
        f'style="display:block;min-width:{0.75 * width:g}px;max-width:{1.2 * width:g}px" role="img" '
        f'aria-label="{label}">{"".join(parts)}</svg></div>'
    )
