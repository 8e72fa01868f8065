"""Parts of an analysis are shared out to threads, and to processes in slow tests."""

import pytest
from joblib import parallel_config


@pytest.fixture(params=["threading", pytest.param("loky", marks=pytest.mark.slow)])
def workers(request):
    """Return how many workers share the parts of an analysis: threads, or processes."""
    with parallel_config(backend=request.param):
        yield 2
