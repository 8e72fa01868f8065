"""Time limits of the engine on votes of many items, in seconds."""

from time import monotonic

import numpy as np
import pytest

import rankagg as ra


@pytest.mark.parametrize("n", [100, 200, 500, 1000])
@pytest.mark.parametrize("limit", [1, 2, 5])
@pytest.mark.parametrize("phi", [1.0, 0.98])
def test_the_limit_is_overrun_by_a_second_at_most(n: int, limit: float, phi: float) -> None:
    profile = ra.Mallows(range(n), theta=-np.log(phi)).sample(10, rng=0)
    began = monotonic()
    found = ra.Kemeny(time_limit=limit).aggregate(profile)
    assert monotonic() - began < limit + 1
    assert found.certificate.lower_bound <= found.cost
