"""Modules of JavaScript joined into one script, without a build step.

The files are ES modules as they stand: Node and TypeScript read them unchanged. Streamlit takes one script for each
component and serves no files beside it, so here each module becomes a function scope that returns its exports, after
all modules that it imports. A name that is not exported stays in its module; types, which are comments on lines of
their own, stay at home.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

_IMPORT = re.compile(
    r'^import (?:\{(?P<names>[^}]*)\}|(?P<whole>\w+)) from "(?P<file>[^"]+)"(?: with \{[^}]*\})?;\n', re.M
)
_TYPES = re.compile(r"^ */\*\*(?:[^*]|\*(?!/))*\*/\n", re.M)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const) (\w+))", re.M)


def in_order(entries: Sequence[Path]) -> list[Path]:
    """The modules of some entries, each after all that it imports.

    Raises
    ------
    ValueError
        If modules import each other in a circle: none of them could come first.
    """
    order: list[Path] = []

    def add(file: Path, importers: tuple[Path, ...]) -> None:
        if file in importers:
            circle = " -> ".join(one.name for one in (*importers[importers.index(file) :], file))
            raise ValueError(f"modules import each other: {circle}. Move what they share into a module of its own.")
        if file not in order:
            for imported in _imports(file):
                add(imported, (*importers, file))
            order.append(file)

    for entry in entries:
        add(entry.resolve(), ())
    return order


def joined(entries: Sequence[Path]) -> str:
    """One script with the modules of all entries, each once; `name_of` is where the exports of a module are.

    Raises
    ------
    ValueError
        If modules import each other in a circle, or an import or export is not of the few kinds that are read here.
    """
    return "".join(_scope(file) for file in in_order(entries))


def name_of(file: Path) -> str:
    """The object with a module's exports in a joined script."""
    return f"{file.parent.name}_{file.stem}"


def _imports(file: Path) -> list[Path]:
    """What a module imports; a file of JSON imports nothing."""
    text = "" if file.suffix == ".json" else file.read_text(encoding="utf-8")
    return [(file.parent / found["file"]).resolve() for found in _IMPORT.finditer(text)]


def _scope(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        return f"const {name_of(file)} = {text.strip()};\n"

    def taken(found: re.Match[str]) -> str:
        source = name_of((file.parent / found["file"]).resolve())
        return f"const {found['whole'] or '{' + found['names'] + '}'} = {source};\n"

    exports = ", ".join(_EXPORT.findall(text))
    body = _TYPES.sub("", _EXPORT.sub("", _IMPORT.sub(taken, text)))
    if unread := _LEFT_OVER.search(body):
        raise ValueError(f"{file.name}: cannot join {unread[0]!r}. Export one function, class or const at a time.")
    return f"const {name_of(file)} = (() => {{\n{body}return {{ {exports} }};\n}})();\n"
