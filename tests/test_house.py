"""The house rules that a machine can hold: what lies where, and who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rnnviz.maths.cells import CELLS

ROOT = Path(__file__).resolve().parent.parent
TOP_LEVEL = {"README.md", "requirements.txt", "app.py", "pages", "rnnviz", "tests"}
PAGE_LINES = 120

# Who may import whom: every unit of the app and the floor on which it stands. Imports go to a lower floor.
FLOORS = {
    "app": 5,
    "pages": 5,
    "rnnviz.ui": 4,
    "rnnviz.network": 3,
    "rnnviz.presets": 2,
    "rnnviz": 2,  # the front door, rnnviz/__init__.py, which hands out names from below
    "rnnviz.language_models": 1,
    "rnnviz.learning": 1,
    "rnnviz.models": 1,
    "rnnviz.sequences": 1,
    "rnnviz.settings": 1,
    "rnnviz.texts": 1,
    "rnnviz.views": 1,
    "rnnviz.cache": 0,
    "rnnviz.lazy": 0,
    "rnnviz.maths": 0,
    "rnnviz.wording": 0,
    "rnnviz.weights": 1,
}
# Imports between neighbours on one floor.
NEIGHBOURS = {
    ("rnnviz.language_models", "rnnviz.sequences"),  # a text as one-hot vectors
    ("rnnviz.maths", "rnnviz.lazy"),
    ("rnnviz.maths", "rnnviz.wording"),  # what a refusal says
    ("rnnviz.settings", "rnnviz.sequences"),
    ("rnnviz.settings", "rnnviz.texts"),
    ("rnnviz.settings", "rnnviz.weights"),  # how a stored network is named, and how large it may be
    ("rnnviz.views", "rnnviz.language_models"),
    ("rnnviz.views", "rnnviz.learning"),  # what a run tells: values that need no torch
    ("rnnviz.views", "rnnviz.settings"),  # the names of editable arrays
    ("rnnviz.views", "rnnviz.texts"),
}
# Packages from outside, and who may import them.
OUTSIDERS = {
    "cachetools": {"rnnviz.cache"},
    "numpy": set(FLOORS),
    "pandas": set(FLOORS) - {"rnnviz.maths"},
    "plotly": set(FLOORS) - {"rnnviz.maths"},
    "streamlit": {"app", "pages", "rnnviz.ui"},
    "torch": {"rnnviz.learning", "rnnviz.models"},
}
# Slow to load: only inside a function, or for the type checker alone.
ONLY_WHEN_ASKED = {"pandas", "plotly", "torch"}
# What `import rnnviz` must not load.
HEAVY = ("pandas", "plotly", "streamlit", "torch")


class Import(NamedTuple):
    """One imported name: ``from a import b`` asks for ``a.b``, which may be a module or a name in one."""

    target: str
    line: int
    when_asked: bool


def imports(tree: ast.Module, module: str, *, is_package: bool) -> Iterator[Import]:
    """Every import of a module, relative ones resolved, those inside functions too."""

    def walk(node: ast.AST, when_asked: bool) -> Iterator[Import]:
        match node:
            case ast.Import():
                for alias in node.names:
                    yield Import(alias.name, node.lineno, when_asked)
            case ast.ImportFrom():
                home = module.split(".") if is_package else module.split(".")[:-1]
                steps = home[: len(home) - node.level + 1] if node.level else []
                base = ".".join([*steps, *filter(None, [node.module])])
                for alias in node.names:
                    yield Import(f"{base}.{alias.name}", node.lineno, when_asked)
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                for statement in node.body:
                    yield from walk(statement, True)
                for statement in node.orelse:
                    yield from walk(statement, when_asked)
            case _:
                deeper = when_asked or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                for child in ast.iter_child_nodes(node):
                    yield from walk(child, deeper)

    return walk(tree, False)


def unit_of(name: str) -> str:
    """The unit that a dotted name lies in: ``rnnviz.ui.shell`` in ``rnnviz.ui``, ``rnnviz.run`` in ``rnnviz``."""
    first, _, rest = name.partition(".")
    deeper = f"{first}.{rest.partition('.')[0]}"
    return deeper if deeper in FLOORS else first


def complaints(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of one module, a sentence each."""
    unit = unit_of(module)
    found = []
    for target, line, when_asked in imports(ast.parse(source), module, is_package=is_package):
        other, package = unit_of(target), target.partition(".")[0]
        wrong = None
        if other in FLOORS:
            if other != unit and FLOORS[other] >= FLOORS[unit] and (unit, other) not in NEIGHBOURS:
                wrong = f"{unit} (floor {FLOORS[unit]}) must not import {other} (floor {FLOORS[other]})"
        elif package in OUTSIDERS:
            if unit not in OUTSIDERS[package]:
                wrong = f"{unit} must not import {package}: only {', '.join(sorted(OUTSIDERS[package]))} may"
            elif package in ONLY_WHEN_ASKED and not when_asked:
                wrong = f"{package} is slow to load: import it inside the function that needs it"
        elif package not in sys.stdlib_module_names:
            wrong = f"{package} is new here: name it in requirements.txt, and in OUTSIDERS of tests/test_house.py"
        if wrong:
            found.append(f"{module}:{line}: {wrong}")
    return found


def modules() -> dict[str, Path]:
    """Every Python file of the app by its dotted name."""
    files = [ROOT / "app.py", *ROOT.glob("pages/**/*.py"), *ROOT.glob("rnnviz/**/*.py")]
    parts = {file: file.relative_to(ROOT).with_suffix("").parts for file in sorted(files)}
    return {".".join(path[:-1] if path[-1] == "__init__" else path): file for file, path in parts.items()}


@pytest.mark.parametrize("module", modules())
def test_imports_only_go_down(module: str) -> None:
    """Pages, then ui, the network, presets, the working floor, maths."""
    file = modules()[module]
    source = file.read_text(encoding="utf-8")
    assert complaints(source, module, is_package=file.name == "__init__.py") == []


def test_every_module_has_a_floor() -> None:
    """A new part of the package says where it stands."""
    tops = {".".join(name.split(".")[:2]) for name in modules() if name.startswith("rnnviz")}
    homeless = sorted(tops - set(FLOORS))
    assert not homeless, f"{', '.join(homeless)}: no floor yet. Add a line to FLOORS in tests/test_house.py."


@pytest.mark.parametrize(
    ("module", "source", "word"),
    [
        ("rnnviz.maths.forward", "from rnnviz.views import elman", "must not import rnnviz.views"),
        ("rnnviz.maths.forward", "from ..views.elman import elman_picture", "must not import rnnviz.views"),
        ("rnnviz.maths.forward", "from .. import settings", "must not import rnnviz.settings"),
        ("rnnviz.maths.forward", "from rnnviz import run", "must not import rnnviz (floor 2)"),
        ("rnnviz.maths.forward", "import pandas as pd", "must not import pandas"),
        ("rnnviz.views.explorer.elman", "def draw():\n    import rnnviz.models", "must not import rnnviz.models"),
        ("rnnviz.views.explorer.elman", "import streamlit.components.v2 as v2", "must not import streamlit"),
        ("rnnviz.settings", "from rnnviz.presets import PRESETS", "must not import rnnviz.presets"),
        ("rnnviz.texts.english", "from rnnviz.views import facts", "must not import rnnviz.views"),
        ("rnnviz.ui.shell", "import pages.home", "must not import pages"),
        ("pages.home", "import app", "must not import app"),
        ("pages.home", "def page():\n    import torch", "must not import torch"),
        ("rnnviz.learning.tasks", "import torch", "inside the function"),
        ("rnnviz.learning.tasks", "class Task:\n    from torch import nn", "inside the function"),
        ("rnnviz.learning.tasks", "def train():\n    import scipy", "requirements.txt"),
    ],
)
def test_the_import_check_sees(module: str, source: str, word: str) -> None:
    """Each kind of wrong import gives one complaint, with the place and the reason."""
    (complaint,) = complaints(source, module)
    assert complaint.startswith(f"{module}:{source.count(chr(10)) + 1}: ")
    assert word in complaint


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rnnviz.maths.forward", "import math\nimport numpy.linalg\nfrom .cells import Cell\nfrom . import checks"),
        (
            "rnnviz.views.explorer.elman",
            "from ..texts import say\nfrom rnnviz.maths import run\ndef f():\n    import plotly.graph_objects",
        ),
        ("rnnviz.settings", "from rnnviz import sequences"),
        ("rnnviz.models.reading", "def read():\n    import torch"),
        ("rnnviz.models.reading", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch"),
        ("rnnviz.ui.shell", "import streamlit as st\nfrom rnnviz import presets, run"),
        ("pages.home", "from rnnviz.ui import shell\nfrom rnnviz import run"),
    ],
)
def test_the_import_check_lets_pass(module: str, source: str) -> None:
    """Downwards, to a listed neighbour, and within one unit."""
    assert complaints(source, module) == []


def test_a_package_resolves_its_own_dots() -> None:
    """One dot in an ``__init__.py`` is the package itself."""
    assert complaints("from .forward import run", "rnnviz.maths", is_package=True) == []
    assert complaints("from ..views import elman", "rnnviz.maths", is_package=True) != []


def tells_cells_apart(source: str) -> list[str]:
    """Where code asks which cell it has: the name of a kind, or a test for the class of one cell."""
    tree = ast.parse(source)
    names = {cell.__name__ for cell in CELLS.values()}
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if text in CELLS:
                found.append(f"line {node.lineno}: the kind {text!r}")
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
                asked = {one.id for one in ast.walk(classes) if isinstance(one, ast.Name)}
                found += [f"line {node.lineno}: {name}" for name in sorted(asked & names)]
            case ast.MatchClass(cls=ast.Name(id=name)) if name in names:
                found.append(f"line {node.cls.lineno}: {name}")
            case ast.Compare():
                asked = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                found += [f"line {node.lineno}: {name}" for name in sorted(asked & names)]
    return found


@pytest.mark.parametrize("module", [name for name in modules() if name.startswith("rnnviz.maths")])
def test_only_cells_tell_cells_apart(module: str) -> None:
    """What is special about a cell is a method of it: outside maths/cells nobody asks for its kind or class."""
    if not module.startswith("rnnviz.maths.cells"):
        assert tells_cells_apart(modules()[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "if cell.kind == 'lstm':\n    pass",
        "steps = {'gru': 1}[cell.kind]",
        "isinstance(cell, GRUCell)",
        "isinstance(cell, (ElmanCell, int))",
        "type(cell) is LSTMCell",
        "match cell:\n    case LSTMCell():\n        pass",
    ],
)
def test_the_check_of_cells_sees(source: str) -> None:
    """Each way to ask gives one complaint."""
    assert len(tells_cells_apart(source)) == 1
    assert tells_cells_apart("isinstance(cell, Cell) and loss.kind == 'squared'") == []


def branches_on_the_kind(source: str) -> list[str]:
    """Where code goes one way for a kind of cell and another for all others, so that a newcomer is taken for these."""
    names = {cell.__name__ for cell in CELLS.values()}
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare() | ast.Call(func=ast.Name(id="isinstance" | "issubclass")):
                for one in ast.walk(node):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value in CELLS:
                        found.append(f"line {node.lineno}: the kind {one.value!r}")
                    elif isinstance(one, ast.Name) and one.id in names:
                        found.append(f"line {node.lineno}: {one.id}")
    return found


@pytest.mark.parametrize("module", [name for name in modules() if not name.startswith("rnnviz.maths")])
def test_nobody_takes_a_new_cell_for_another(module: str) -> None:
    """Pages and views have tables by kind, or ask the cell what it tells."""
    assert branches_on_the_kind(modules()[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("source", ["a if cell.kind == 'lstm' else b", "kind in ('gru',)", "isinstance(cell, GRUCell)"])
def test_the_check_of_branches_sees(source: str) -> None:
    assert len(branches_on_the_kind(source)) == 1
    assert branches_on_the_kind("DRAWN = {'lstm': 1}[cell.kind]; loss.kind == 'squared'") == []


@pytest.mark.parametrize("blocked", [False, True], ids=["installed", "blocked"])
def test_importing_rnnviz_needs_numpy_alone(blocked: bool) -> None:
    """``import rnnviz`` loads nothing heavy, and works where nothing heavy can be loaded."""
    code = f"""
import sys
heavy = {HEAVY!r}
class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in heavy:
            raise ModuleNotFoundError(f"{{name}} is blocked")
if {blocked}:
    sys.meta_path.insert(0, Wall())
import rnnviz
print(*(name for name in heavy if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_visible_top_level() -> None:
    """Beside the dotfiles there are six names. Files that git doesn't know may lie around."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    tracked = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    assert {name for name in tracked if not name.startswith(".")} - TOP_LEVEL == set()
    assert TOP_LEVEL - {path.name for path in ROOT.iterdir()} == set()


@pytest.mark.parametrize("page", sorted(ROOT.glob("pages/*.py")), ids=lambda page: page.name)
def test_pages_are_thin(page: Path) -> None:
    """No maths and no figure building fit into a page."""
    assert len(page.read_text(encoding="utf-8").splitlines()) <= PAGE_LINES


def test_garbage_is_not_collected_after_each_run() -> None:
    """Without this line every change of a control waits 18 to 93 ms longer."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["runner"]["postScriptGC"] is False
