"""Examples in docstrings close the figures that they open, and collected tests are no garbage."""

import gc
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest


def pytest_collection_finish() -> None:
    """Spare what was collected from the search for garbage: a tenth of the time of all tests."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _close_figures_of_examples(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if isinstance(request.node, pytest.DoctestItem) and "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


# The compiled loops cannot be imported without the extra `fast`.
collect_ignore = [] if find_spec("numba") else ["rankagg/kernels/loops.py"]
