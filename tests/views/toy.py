"""A second language for tests: every letter of every sentence in another width, slots and marks as they are.

It is made of the English texts and of the refusals in the source, found without running it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter, ascii_letters
from typing import NamedTuple

from rnnviz.maths.cells import CELLS
from rnnviz.texts.en import TEXTS

ROOT = Path(__file__).parents[2]
SOURCES = sorted(ROOT.glob("rnnviz/**/*.py"))

_WIDE = {ord(letter): ord(letter) + 0xFEE0 for letter in ascii_letters}
_MARKS = re.compile(r"(<[^>]*>|&\w+;|:material/\w+:)")


class Sentence(NamedTuple):
    """What one place in the source can say later: its key and English template, and the slots that it fills.

    Key or template is None where it is not written out, a slot's value where it comes from elsewhere. `shared` are the
    slots of a mapping, which several sentences may have in common.
    """

    place: str
    key: str | None
    template: str | None
    slots: dict[str, ast.expr | None]
    shared: set[str]


def sentences(source: str, place: str) -> Iterator[Sentence]:
    """Every refusal and message that a source makes."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        name = _made(node)
        if not isinstance(node, ast.Call) or not name:
            continue
        scope = next((one for one in reversed(functions) if node in ast.walk(one)), tree)
        key, template = [*(_text(one) for one in node.args), None, None][:2]
        if key is not None and name != "Message":
            key = f"error.{key}"
        slots: dict[str, ast.expr | None] = {one.arg: one.value for one in node.keywords if one.arg}
        shared = [_spread(one.value, scope) for one in node.keywords if not one.arg]
        for mapping in shared:
            slots |= mapping
        if name == "within":
            slots["problem"] = None
        if name == "StateOverflowError":
            slots.pop("trace", None)
        yield Sentence(f"{place}:{node.lineno}", key, template, slots, {name for one in shared for name in one})


def _made(node: ast.AST) -> str:
    """What a call makes, if it makes a sentence: a refusal, a message, or a refusal within a longer one."""
    match node:
        case ast.Call(func=ast.Name(id="InputError" | "StateOverflowError" | "Message" as name)):
            return name
        case ast.Call(func=ast.Attribute(attr="within")):
            return "within"
    return ""


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _spread(node: ast.expr, scope: ast.AST) -> dict[str, ast.expr | None]:
    """The slots of a mapping that is written out in the same function."""
    for inner in ast.walk(scope):
        match inner, node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys, values=values)), ast.Name(id=asked):
                if name == asked:
                    return {str(_text(key)): value for key, value in zip(keys, values, strict=True) if key}
    return {}


def slots_of(template: str) -> set[str]:
    """The names of a template's slots."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def refusals() -> dict[str, str]:
    """The English template of every refusal, and of what stands in its slots, by its key in another language."""
    found = {
        one.key: one.template
        for file in SOURCES
        for one in sentences(file.read_text(encoding="utf-8"), file.name)
        if one.key and one.template
    }
    return found | {f"error.title.{kind}": cell.title for kind, cell in CELLS.items()}


def toy(text: str) -> str:
    """A text in the toy language.

    >>> toy("{count} {count:step|steps} of <b>h</b>")
    '{count} {count:ｓｔｅｐ|ｓｔｅｐｓ} ｏｆ <b>ｈ</b>'
    """
    made = ""
    for literal, name, spec, conversion in Formatter().parse(text):
        parts = _MARKS.split(literal.replace("{", "{{").replace("}", "}}"))
        made += "".join(part if place % 2 else part.translate(_WIDE) for place, part in enumerate(parts))
        if name is not None:
            form = "|".join(map(toy, spec.split("|"))) if spec and "|" in spec else spec or ""
            made += "{" + name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "") + "}"
    return made


TOY = {key: toy(text) for key, text in {**TEXTS, **refusals()}.items()}
