"""What holds for every test of a page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(autouse=True, scope="session")
def no_installed_components() -> Iterator[None]:
    """Leave out the search for components in installed packages: the app has none, and it is most of a first run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield
