"""The contract suite for every distance and measure of agreement that is there."""

from functools import partial

import rankagg as ra
import rankagg.distances
from rankagg.testing.distances import DistanceContract


class TestMetrics(DistanceContract):
    distances = (
        ra.kendall_distance,
        ra.distances.spearman_footrule,
        ra.distances.cayley_distance,
        ra.distances.hamming_distance,
        ra.distances.ulam_distance,
    )


class TestCorrelations(DistanceContract):
    kind = "similarity"
    distances = (
        ra.kendall_tau,
        ra.distances.spearman_rho,
        ra.distances.weighted_kendall_tau,
        ra.distances.tau_ap,
    )


class TestAgreement(DistanceContract):
    kind = "similarity"
    separates = False
    distances = (
        partial(ra.distances.top_k_agreement, k=2),
        partial(ra.distances.last_k_agreement, k=3),
        ra.distances.rank_biased_overlap,
    )


def test_every_public_distance_has_a_contract() -> None:
    suites = DistanceContract.__subclasses__()
    tested = {getattr(one, "func", one).__name__ for suite in suites for one in suite.distances}
    assert tested == set(rankagg.distances.__all__)
