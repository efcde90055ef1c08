"""Every sentence is there, is used, and gets the numbers that its slots ask for."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest

from rnnviz.presets import ALL_PRESETS
from rnnviz.presets.recipes import RECIPES
from rnnviz.settings import SETTINGS
from rnnviz.settings.comparison import COMPARISON
from rnnviz.settings.recipe import RECIPE, TASKS
from rnnviz.texts import filled, group, plain, say
from rnnviz.texts.en import TEXTS

ROOT = Path(__file__).parents[2]
SOURCES = [*ROOT.glob("rnnviz/**/*.py"), *ROOT.glob("pages/*.py")]
COMPONENTS = {
    name: ROOT / "rnnviz/ui/components" / folder
    for name, folder in {
        "explorer": "explorer", "drawing": "drawing", "flow": "gradient_chart", "copy_link": "copy_link",
    }.items()
}  # fmt: skip
SCRIPTS = {
    name: "\n".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.js")))
    for name, folder in COMPONENTS.items()
}
ROWS = [*SETTINGS.values(), *RECIPE.values(), *COMPARISON.values()]
PAGE_FILES = sorted(file.stem for file in ROOT.glob("pages/*.py"))


class Said(NamedTuple):
    """A call of `say` or `later`: where, a pattern of its keys, and the slots that it fills (None: a mapping)."""

    place: str
    pattern: str
    slots: frozenset[str | None]

    @property
    def keys(self) -> list[str]:
        return [key for key in TEXTS if re.fullmatch(self.pattern, key)]


def patterns(node: ast.expr, scope: ast.AST) -> Iterator[str]:
    """Regular expressions for the keys that an expression can be."""
    match node:
        case ast.Constant(value=str(key)):
            yield re.escape(key)
        case ast.JoinedStr(values=parts):
            yield "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[^.]+" for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from patterns(one, scope)
            yield from patterns(other, scope)
        case ast.Name(id=name):
            for inner in ast.walk(scope):
                if isinstance(inner, ast.Assign) and any(
                    isinstance(target, ast.Name) and target.id == name for target in inner.targets
                ):
                    yield from patterns(inner.value, scope)


def calls() -> Iterator[Said]:
    for file in SOURCES:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        inside = {id(node) for function in functions for node in ast.walk(function)}
        for scope in [*functions, tree]:
            for node in ast.walk(scope):
                if scope is tree and id(node) in inside:
                    continue
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("say", "later"):
                    slots = frozenset(keyword.arg for keyword in node.keywords)
                    for pattern in patterns(node.args[0], scope):
                        yield Said(f"{file.relative_to(ROOT)}:{node.lineno}", pattern, slots)


CALLS = sorted(set(calls()), key=lambda said: said[:2])


def slots_of(key: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(TEXTS[key]) if name is not None}


def test_the_scan_finds_plain_joined_and_chosen_keys() -> None:
    found = {said.pattern for said in CALLS}
    assert {r"problem\.too_long", r"choice\.[^.]+\.[^.]+", r"fact\.counter\.off", r"help\.[^.]+"} <= found


@pytest.mark.parametrize("said", CALLS, ids=lambda said: f"{said.place} {said.pattern}")
def test_every_sentence_exists_with_the_slots_that_are_filled(said: Said) -> None:
    assert said.keys
    for key in said.keys:
        assert slots_of(key) <= said.slots or None in said.slots


def test_no_slot_is_filled_for_nothing() -> None:
    """Of two sentences that one call chooses from, one may leave a number out."""
    for place in {said.place for said in CALLS}:
        here = [said for said in CALLS if said.place == place]
        taken = {slot for said in here for key in said.keys for slot in slots_of(key)}
        assert frozenset().union(*(said.slots for said in here)) <= taken | {None}


def test_what_is_chosen_from_tables_has_words() -> None:
    wanted = [f"control.{name}" for name in SETTINGS]
    wanted += [f"recipe.{name}" for name in (*RECIPE, *COMPARISON)]
    wanted += [f"choice.{row.name}.{choice}" for row in ROWS for choice in row.choices]
    wanted += [f"choice.preset.{name}" for presets in ALL_PRESETS.values() for name in presets]
    wanted += [f"recipe.preset.{name}" for name in RECIPES]
    wanted += [f"task.{name}" for name in TASKS]
    wanted += [f"{kind}.{page}" for kind in ("page", "home.card") for page in PAGE_FILES if (kind, page) != _HOME_CARD]
    wanted += [f"{page}.{part}" for page in PAGE_FILES for part in ("title", "subtitle")]
    wanted += [f"caption.{name}" for name in ("x", "h_prev", "from_x", "from_h", "a", "h", "y", "y_preact")]
    assert [key for key in wanted if not TEXTS.get(key)] == []


_HOME_CARD = ("home.card", "home")


def words_of(component: str) -> set[str]:
    """The words that a component's script asks for, and those of its buttons."""
    plain = set(re.findall(r"\bwords\.(\w+)\b(?!\()", SCRIPTS[component]))
    joined = re.findall(r"\bwords\[`([^`]*)`\]", SCRIPTS[component])
    html = "".join(file.read_text(encoding="utf-8") for file in COMPONENTS[component].glob("*.html"))
    buttons = set(re.findall(r'data-do="(\w+)"', html))
    templates = [re.sub(r"\$\{[^}]*\}", r"\\w+", text) for text in joined]
    return plain | buttons | {word for word in group(component) for text in templates if re.fullmatch(text, word)}


@pytest.mark.parametrize("component", SCRIPTS)
def test_a_component_has_its_words(component: str) -> None:
    assert sorted(words_of(component) - set(group(component))) == []


@pytest.mark.parametrize("component", SCRIPTS)
def test_a_component_fills_its_slots(component: str) -> None:
    for key in TEXTS:
        for slot in slots_of(key) if key.startswith(f"{component}.") else ():
            assert f'"{{{slot}}}"' in SCRIPTS[component] or f"{slot}:" in SCRIPTS[component]


def test_no_sentence_is_left_over() -> None:
    constants = {
        node.value
        for file in SOURCES
        if "texts" not in file.parts
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    used = {key for said in CALLS for key in said.keys} | constants
    used |= {f"{component}.{word}" for component in SCRIPTS for word in words_of(component)}
    used |= {key for page in PAGE_FILES for key in TEXTS if key.startswith(f"remark.{page}.")}  # listed by their panel
    assert [key for key in TEXTS if key not in used and not key.startswith("choice.")] == []
    listed = {f"choice.{row.name}.{choice}" for row in ROWS for choice in row.choices}
    listed |= {f"choice.preset.{name}" for presets in ALL_PRESETS.values() for name in presets} | {
        "choice.init.preset",
        "choice.init.stored",
        "choice.preset.stored",
        "choice.input.own",
    }
    assert [key for key in TEXTS if key.startswith("choice.") and key not in listed] == []


@pytest.mark.parametrize("key", TEXTS)
def test_a_sentence_is_fit_to_be_read(key: str) -> None:
    """Its slots can be filled, it names no file of ours, and no space is doubled or stands at an end."""
    text = TEXTS[key]
    filled = say(key, **dict.fromkeys(slots_of(key), 1))
    assert filled
    assert not re.search(r"[{}]", filled)
    assert text == text.strip()
    assert not re.search(r"\s\s|[^\S \u00a0]", text)  # a no-break space holds a sign and its number together
    assert not re.search(r"(?i)\bsource[s]? ?\d|\b00\d\b|_[0-9a-f]{8}|\.(?:txt|md|py|ipynb)\b", text)


@pytest.mark.parametrize(
    "text", ["![x](https://e.example)", "`a` *b* _c_ $d$ :red[e] <b> \\ ~f~ #g", "Größe – “x”", ""]
)
def test_a_readers_words_lose_their_meaning_to_markdown(text: str) -> None:
    """Each sign stands behind a backslash, and reads as it was."""
    marked = plain(text)
    assert re.sub(r"\\(.)", r"\1", marked) == text
    signs = re.escape(string.punctuation)
    assert re.fullmatch(rf"(?:\\[{signs}]|[^{signs}])*", marked)


def test_a_readers_words_are_cut_short_and_kept_on_a_line() -> None:
    assert plain("a\n\nb\tc") == "a b c"
    assert plain("w" * 61) == "w" * 59 + "…"
    assert plain("w" * 60) == "w" * 60


def test_a_group_is_its_texts_by_the_rest_of_their_key() -> None:
    words = group("notice")
    assert words == {key.removeprefix("notice."): TEXTS[key] for key in TEXTS if key.startswith("notice.")}
    assert len(words) >= 2
    assert group("noti") == {}


def test_a_word_has_the_form_that_its_number_asks_for() -> None:
    text = "{count} {count:number is|numbers are} typed"
    assert [filled(text, {"count": count}) for count in (0, 1, "1", 2, "1,000")] == [
        "0 numbers are typed", "1 number is typed", "1 number is typed", "2 numbers are typed",
        "1,000 numbers are typed",
    ]  # fmt: skip
    assert filled("{share:.1f} | {count}", {"share": 0.25, "count": 2}) == "0.2 | 2"


def test_an_unknown_key_is_no_sentence() -> None:
    with pytest.raises(KeyError):
        say("no.such.key")
    with pytest.raises(KeyError):
        say("fact.echo.off")
