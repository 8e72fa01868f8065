"""The contract suite for every distance and measure of agreement that is there."""

from functools import partial

import rankagg as ra
import rankagg.distances
from rankagg.testing.distances import DistanceContract


class TestMetrics(DistanceContract):
    distances = (
        ra.kendall_distance,
        ra.spearman_footrule,
        ra.cayley_distance,
        ra.hamming_distance,
        ra.ulam_distance,
    )


class TestCorrelations(DistanceContract):
    kind = "similarity"
    distances = (ra.kendall_tau, ra.spearman_rho, ra.weighted_kendall_tau, ra.tau_ap)


class TestAgreement(DistanceContract):
    kind = "similarity"
    separates = False
    distances = (
        partial(ra.top_k_agreement, k=2),
        partial(ra.last_k_agreement, k=3),
        ra.rank_biased_overlap,
    )


def test_every_public_distance_has_a_contract() -> None:
    suites = DistanceContract.__subclasses__()
    tested = {getattr(one, "func", one).__name__ for suite in suites for one in suite.distances}
    assert tested == set(rankagg.distances.__all__)
