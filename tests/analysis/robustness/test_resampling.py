"""Resampled consensuses are those of the reweighted profile, each with its own proof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config

import rankagg as ra
from rankagg.analysis.robustness.perturbation import _Resampler
from tests.strategies import policies, profiles

INVALID = ra.exceptions.InvalidInputError
TABLE = ra.datasets.load("glue_human").rankings()


def reweighted(profile: ra.Profile, counts: np.ndarray) -> ra.Profile:
    kept = profile[np.flatnonzero(counts)]
    times = kept.counts * counts[counts > 0]
    again = ra.Profile(list(kept), counts=times, weights=kept.weights)
    return again.with_unranked(profile.unranked)


@given(profile=profiles(), unranked=policies, data=st.data())
def test_votes_and_cost_are_those_of_the_reweighted_profile(profile, unranked, data) -> None:
    m = len(profile)
    row = data.draw(st.lists(st.integers(0, 3), min_size=m, max_size=m).filter(any))
    rule, profile = ra.Kemeny(), profile.with_unranked(unranked)
    expected = reweighted(profile, np.array(row)).pairwise()
    assert _Resampler(profile, rule)._votes(np.array(row)) == expected
    (consensus,) = ra.analysis.resample_kemeny(profile, [row], rule)
    assert consensus.cost == rule.aggregate(expected).cost
    assert consensus.certificate.status == "optimal"
    assert consensus.certificate.verify(expected)


def test_certificates_do_not_depend_on_the_number_of_processes() -> None:
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 1, 30) + rng.normal(scale=0.2, size=(7, 30))
    profile = ra.Profile.from_scores(scores.round(1), higher_is_better=True)
    counts = rng.multinomial(7, np.ones(7) / 7, size=32)
    with parallel_config(backend="sequential"):  # tasks as processes have them
        alone, together = (
            ra.analysis.resample_kemeny(profile, counts, n_jobs=jobs) for jobs in (1, 2)
        )
    assert [c.certificate for c in alone] == [c.certificate for c in together]
    assert alone == together
    assert {consensus.certificate.status for consensus in alone} == {"optimal"}


def test_equal_rankings_are_counted_together() -> None:
    profile = ra.Profile.from_orders(["ABC", "BCA", "ABC", "CAB", "ABC"], weights=[1, 1, 2, 1, 1])
    resampler = _Resampler(profile, ra.Kemeny())
    assert len(resampler._ranks) == 4  # the third has a weight of its own
    counts = np.array([2, 0, 1, 1, 3])
    assert resampler._votes(counts) == reweighted(profile, counts).pairwise()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (([1, 2, 3],), "one row of 10 counts"),
        (([[1, 2]],), "one row of 10 counts"),
        (([[0] * 10],), "above 0 in every row"),
        (([[-1] + [1] * 9],), "whole numbers"),
        (([[0.5] * 10],), "whole numbers"),
        (([[1] * 10], ra.Borda()), "a Kemeny rule"),
    ],
)
def test_bad_counts_and_workers_are_refused(asked, words: str) -> None:
    with pytest.raises(INVALID, match=words):
        ra.analysis.resample_kemeny(TABLE, *asked)
    with pytest.raises(INVALID, match="n_jobs"):
        ra.analysis.resample_kemeny(TABLE, [[1] * 10], n_jobs=0)
