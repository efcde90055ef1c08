"""What a refusal must say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rnnviz import InputError


def assert_refused(call: Callable[[], Any], words: list[str]) -> None:
    """It is an InputError that says all of these words, in whole sentences."""
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    assert str(caught.value).endswith(".")
