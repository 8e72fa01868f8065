"""Examples in docstrings close the figures that they open."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _close_figures_of_examples(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if isinstance(request.node, pytest.DoctestItem) and "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
