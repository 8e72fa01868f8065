"""Resampled consensuses are those of the reweighted profile, each with its own proof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.kemeny.resampling import _Resampler
from tests.strategies import policies, profiles, quick

INVALID = ra.exceptions.InvalidInputError
TABLE = ra.datasets.load("glue_human").rankings()


def reweighted(profile: ra.Profile, counts: np.ndarray) -> ra.Profile:
    kept = profile[np.flatnonzero(counts)]
    times = kept.counts * counts[counts > 0]
    return ra.Profile(list(kept), counts=times, weights=kept.weights)


@quick
@given(profile=profiles(), unranked=policies, data=st.data())
def test_votes_and_cost_are_those_of_the_reweighted_profile(
    profile: ra.Profile, unranked: str, data: st.DataObject
) -> None:
    m = len(profile)
    row = data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m).filter(any))
    rule = ra.Kemeny(unranked=unranked)
    expected = reweighted(profile, np.array(row)).pairwise(unranked)
    assert _Resampler(profile, rule)._votes(np.array(row)) == expected
    (consensus,) = ra.resample_kemeny(profile, [row], rule)
    assert consensus.cost == rule.aggregate(expected).cost
    assert consensus.certificate.status == "optimal"
    assert consensus.certificate.verify(expected)


def test_every_version_is_proved_whatever_the_number_of_processes() -> None:
    counts = np.random.default_rng(3).multinomial(10, np.ones(10) / 10, size=20)
    alone = ra.resample_kemeny(TABLE, counts)
    together = ra.resample_kemeny(TABLE, counts, n_jobs=2)
    assert len(alone) == 20
    assert alone == together
    assert {consensus.certificate.status for consensus in alone} == {"optimal"}


def test_start_changes_nothing_but_the_time() -> None:
    votes = TABLE.pairwise()
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0]):
        outcome = ra.Kemeny().solve(votes, start=np.array(order))
        assert outcome.certificate.cost == 55
        assert outcome.certificate.status == "optimal"


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([1, 2, 3], "one row of 10 counts"),
        ([[1, 2]], "one row of 10 counts"),
        ([[0] * 10], "above 0 in every row"),
        ([[-1] + [1] * 9], "whole numbers"),
        ([[0.5] * 10], "whole numbers"),
    ],
)
def test_bad_counts_are_refused(counts: list[object], words: str) -> None:
    with pytest.raises(INVALID, match=words):
        ra.resample_kemeny(TABLE, counts)


def test_other_rules_and_jobs_are_refused() -> None:
    with pytest.raises(INVALID, match="a Kemeny rule"):
        ra.resample_kemeny(TABLE, [[1] * 10], ra.Borda())
    with pytest.raises(INVALID, match="n_jobs"):
        ra.resample_kemeny(TABLE, [[1] * 10], n_jobs=0)
