"""The button *Copy link*, on every page: the address carries the whole screen, so copying it shares the screen."""

from __future__ import annotations

from pathlib import Path

from rnnviz.texts import group
from rnnviz.ui.components.shared import Component

LINK = Component("copy_link", "CopyLink", Path(__file__).parent / "copy_link.js")


def copy_link(*, whole: bool) -> None:
    """Show the button; `whole` is whether the address carries the screen, else there is nothing to copy."""
    LINK.mount({"words": group("copy_link"), "whole": whole}, key="copy link")
