"""The scripts of the components: their types, their order, and their pure functions by Node's own runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from rnnviz.ui.components.copy_link import LINK
from rnnviz.ui.components.drawing import PAD
from rnnviz.ui.components.explorer import EXPLORER
from rnnviz.ui.components.gradient_chart import CHART
from rnnviz.ui.components.plotly import FIGURE, LIBRARY
from rnnviz.ui.components.shared import scripts_of
from rnnviz.ui.components.shared.modules import in_order, joined, name_of
from tests.javascript.node import COMPONENTS, HERE, TYPESCRIPT, missing, node

ALL = (EXPLORER, CHART, PAD, LINK, LIBRARY, FIGURE)
NO_MODULES = {"mount.js", "scripts.js", "connection.js"}
"""Frames around the modules, which name nothing that they share."""


def test_types_are_clean() -> None:
    """Strict, from the comments alone: ``tsc --checkJs``, and no variable or import that nobody uses."""
    if not TYPESCRIPT.exists():
        missing("no TypeScript")
    done = node(TYPESCRIPT, "--project", HERE)
    assert done.returncode == 0, done.stdout


def test_pure_functions() -> None:
    """Every ``*.test.js`` of this folder."""
    files = sorted(HERE.glob("*.test.js"))
    done = node("--test", "--test-reporter=tap", *files)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# tests 0" not in done.stdout


def test_every_module_comes_after_what_it_imports() -> None:
    order = in_order([one.module for one in ALL])
    assert len(order) == len(set(order))
    for file in order:
        for line in file.read_text(encoding="utf-8").splitlines() if file.suffix == ".js" else ():
            if line.startswith("import "):
                imported = (file.parent / line.split('"')[1]).resolve()
                assert order.index(imported) < order.index(file), f"{file.name} is loaded before {imported.name}"


def test_every_script_is_sent() -> None:
    """A script that no component imports would only look as if it were in use."""
    files = {file for file in COMPONENTS.rglob("*.js") if file.name not in NO_MODULES}
    assert files - set(in_order([one.module for one in ALL])) == set()


def test_names_of_modules_differ() -> None:
    order = in_order([one.module for one in ALL])
    assert len({name_of(file) for file in order}) == len(order)


def test_the_joined_script_is_one_script() -> None:
    """All of it can be read."""
    text = scripts_of(ALL)
    done = node("--check", "--input-type=module", "-", stdin=text)
    assert done.returncode == 0, done.stderr


def write(folder: Path, **modules: str) -> Path:
    """Modules as files; the first is returned."""
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text, encoding="utf-8")
    return folder / f"{next(iter(modules))}.js"


def test_joined_modules_do_what_they_do_alone(tmp_path: Path) -> None:
    """Names that are not exported stay inside, classes and constants come across, each module runs once."""
    first = write(
        tmp_path,
        first='// Above.\n\nimport { other, Kind } from "./second.js";\nimport { count } from "./third.js";\n\n'
        "const own = 1;\nexport const sum = () => own + other() + new Kind().value + count;\n",
        second='import { count } from "./third.js";\n\n/**\n * @param {x} y * z\n */\nconst own = 20;\n'
        "/** @type {() => number} */\nexport function other() {\n  return /** @type {number} */ (own);\n}\n"
        "export class Kind {\n  value = 300 * count;\n}\n",
        third='import data from "./data.json" with { type: "json" };\nglobalThis.times = (globalThis.times ?? 0) + 1;\n'
        "export const count = globalThis.times + data.zero;\n",
    )
    (tmp_path / "data.json").write_text('{"zero": 0}', encoding="utf-8")
    assert [file.name for file in in_order([first])] == ["data.json", "third.js", "second.js", "first.js"]
    assert joined([first]).count("@") == 1  # the one within a line of code
    done = node("--input-type=module", stdin=f"{joined([first])}console.log({name_of(first)}.sum(), globalThis.times)")
    assert done.stdout.split() == ["322", "1"], done.stderr


def test_a_circle_of_modules_is_named(tmp_path: Path) -> None:
    first = write(
        tmp_path,
        first='import { b } from "./second.js";\nexport const a = 1;\n',
        second='import { a } from "./first.js";\nexport const b = 2;\n',
    )
    with pytest.raises(ValueError, match=r"first\.js -> second\.js -> first\.js"):
        in_order([first])


@pytest.mark.parametrize(
    "line", ["export const [a, b] = [1, 2];", "export default 1;", 'import * as all from "./x.js";']
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, line: str) -> None:
    """Rather than sent to a browser that would stop at it."""
    with pytest.raises(ValueError, match="cannot join"):
        joined([write(tmp_path, first=f"{line}\n")])
