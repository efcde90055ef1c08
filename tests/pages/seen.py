"""Every text that a page shows: read from the messages to the browser themselves, so that no widget is forgotten."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from tests.pages.driven import App
from tests.views.unpacked import unpack

_SILENT = {
    "columns", "component_name", "config", "css_content", "css_source_path", "deferred_file_id", "format",
    "html_content", "id", "js_content", "js_source_path", "page", "page_script_hash", "query_string", "styles", "tag",
    "type", "uuid",
}  # fmt: skip
"""Fields of a message that nobody reads."""
_OF_FIGURES = {"text", "hovertext", "hovertemplate", "name", "ticktext", "label", "labels"}
"""Keys of a Plotly figure with text for readers."""
_NO_TEXT = re.compile(
    r"rnnviz_explorer (arrays|formulas|edges|loops|timeline|kind|session|graph (.* )?(array|values|scale)"
    r"|variables .*(array|family|scale|edit)"
    r"|scene (.* )?(name|block|product|joined|applied|again|of|to|curve|slope|gate|fn|memory|sorted|letters)"
    r"|scene (form|clamped|computed))\b"
    r"|rnnviz_flow (arrays|sync session|.*(array|key|style|colour))\b"
    r"|rnnviz_pad (name|session)\b"
)
"""Places in the data of our own components that name things to their scripts."""


def texts(app: App) -> Iterator[tuple[str, str]]:
    """Where on the page each text stands, and the text without marks of HTML and Plotly."""
    for node in app.test._tree:
        proto = getattr(node, "proto", None)
        if hasattr(proto, "ListFields"):
            found = _of_message(proto, type(proto).__name__)
            yield from ((place, _without_marks(text)) for place, text in found if not _NO_TEXT.match(place))
        if type(node).__name__ == "Dataframe":
            frame = node.value
            yield from (("Dataframe column", str(name)) for name in frame.columns)
            yield from (("Dataframe cell", cell) for cell in frame.to_numpy().ravel() if isinstance(cell, str))


def _of_message(message: Any, place: str) -> Iterator[tuple[str, str]]:
    for field, value in message.ListFields():
        if field.name in _SILENT:
            continue
        where = f"{place} {field.name}"
        if where == "PlotlyChart spec":
            yield from _of_figure(json.loads(value), where)
        elif where == "BidiComponent json":
            yield from _of_json(json.loads(value), message.component_name)
        elif where == "BidiComponent bytes":
            yield from _of_json(unpack(value).header, message.component_name)
        elif field.type == field.TYPE_STRING:
            yield from ((where, text) for text in ([value] if isinstance(value, str) else value))
        elif field.type == field.TYPE_MESSAGE and not field.message_type.GetOptions().map_entry:
            for inner in [value] if hasattr(value, "ListFields") else value:
                yield from _of_message(inner, where)


def _of_json(value: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for one in value:
            yield from _of_json(one, place)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _of_json(one, f"{place} {key}")


def _of_figure(value: object, place: str, *, shown: bool = False) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and shown:
        yield place, value
    elif isinstance(value, list):
        for one in value:
            yield from _of_figure(one, place, shown=shown)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _of_figure(one, f"{place} {key}", shown=key in _OF_FIGURES)


_MARKS = re.compile(r"<style>.*?</style>|<[^>]*>|%\{[^}]*\}|:material/\w+:", re.DOTALL)


def _without_marks(text: str) -> str:
    return unescape(_MARKS.sub(" ", text))


def open_folds(app: App) -> App:
    """Open every fold, and those inside of them."""
    opened: set[str] = set()
    while keys := _folds(app) - opened:
        for key in keys:
            app.test.session_state[key] = True
        opened |= keys
        app.load(app.address)
    return app


def _folds(app: App) -> set[str]:
    protos = [getattr(node, "proto", None) for node in app.test._tree]
    return {proto.id.split("-", 2)[2] for proto in protos if type(proto).__name__ == "Expandable" and proto.id}
