"""A session of the app with a cell that nobody has seen, run by its test: the registry is read when the app loads."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from rnnviz.maths import cells
from rnnviz.maths.cells import registry


@dataclass(frozen=True, eq=False)
class Leaky(cells.Cell):
    """``h' = (1 - alpha) h + alpha tanh(W_ih x + b_ih + W_hh h + b_hh)``."""

    alpha: float = 0.25

    kind: ClassVar[str] = "leaky"
    title: ClassVar[str] = "a leaky integrator"

    def step(self, x: Any, h: Any) -> Any:
        return (1 - self.alpha) * h + self.alpha * np.tanh(self.W_ih @ x + self.b_ih + self.W_hh @ h + self.b_hh)


PAGES = {
    "hidden_state": ["more", "phase", "drawing", "batch"],
    "gradient_flow": ["more", "causes", "step by step", "spectrum", "spectrum numbers", "steps numbers", "seeds"],
    "bptt_rtrl": ["more", "step one", "uses", "uses numbers", "rtrl", "influence numbers", "drift numbers"],
}


def main() -> None:
    """Open each page with the cell in front, then all that unfolds; nothing may fail or be taken for another cell."""
    registry.CELLS = cells.CELLS = MappingProxyType({**registry.CELLS, "leaky": Leaky})
    from rnnviz.texts import say
    from tests.pages.driven import App

    for page, folds in PAGES.items():
        app = App({"cell": "leaky", "steps": "12", "hidden_size": "3"}, page=page)
        for fold in folds:
            app.test.session_state[f"{page} {fold}"] = True
        app.run()
        assert app.test.query_params["cell"] in ("leaky", ["leaky"])
        said = [one.value for kind in ("warning", "error", "markdown", "caption") for one in getattr(app.test, kind)]
        assert say("panel.failed") not in " ".join(said), said
        assert not app.test.warning or "Elman" in app.test.warning[0].value, app.test.warning[0].value
        print(page, len(said))


if __name__ == "__main__":
    main()
