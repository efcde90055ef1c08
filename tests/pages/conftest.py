"""What holds for every test of a page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from plotly.graph_objects import Figure
from streamlit.components.v2 import manifest_scanner

from rnnviz.ui import panels


@pytest.fixture(autouse=True, scope="session")
def no_installed_components() -> Iterator[None]:
    """Leave out the search for components in installed packages: the app has none, and it is most of a first run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield


@pytest.fixture(autouse=True, scope="session")
def figures_are_checked() -> Iterator[None]:
    """Let Plotly check every property of every figure, as it does not on the page, where that takes too long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(panels, "_unchecked", lambda: Figure)
        yield
