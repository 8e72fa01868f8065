"""Output of intervals and ranks: refusals, notes and descriptions as complete sentences."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError

NAN = float("nan")
VOTES = ra.Profile.from_orders(["ABC", "ACB"], counts=[55, 45])
GAPS = ra.ScoreTable([[0.25, NAN], [0.5, 0.5]], systems="AB", higher_is_better=True)
FIXED = ra.Profile.from_orders(["AB"] * 6 + ["BA"], groups="xxxxyyy")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ra.PairwiseIntervals.from_data(None),
         "`data` must be a ScoreTable or a Profile. Got None."),
        (lambda: ra.rank_intervals(VOTES, of="rank"),
         "`of` must be 'pairwise' or 'borda' or 'mean'. Got 'rank'."),
        (lambda: ra.rank_intervals(VOTES.pairwise()),
         f"`data` must be a ScoreTable or a Profile. Got {VOTES.pairwise()!r}."),
        (lambda: ra.rank_intervals(VOTES, of="mean"),
         f"`data` must be a ScoreTable for of='mean'. Got {VOTES!r}."),
        (lambda: ra.rank_intervals(GAPS, of="mean", method="max-t"),
         "`data` must be a table without missing scores for of='mean' and method='max-t'. Got 1 of "
         "4 scores missing. Means over different units are not comparable; drop units, or use "
         "of='borda' or method='sign-flips', which compares two systems on the units with "
         "both scores."),
    ],
)  # fmt: skip
def test_bad_calls_are_refused_in_one_sentence(call, sentence):
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("data", "options", "note"),
    [
        (GAPS, {"of": "mean"},
         "1 of 4 scores are missing: two items are compared by the units in which both are "
         "scored, which assumes that gaps do not depend on who is better"),
        (GAPS, {"of": "borda"},
         "1 of 4 ranks are missing: two items are compared by the units in which both are "
         "ranked, which assumes that gaps do not depend on who is better"),
        (ra.Profile.from_orders(["AB", "CA"], items="ABC", counts=[3, 4]), {},
         "7 of 21 ranks are missing: two items are compared by the units in which both are "
         "ranked, which assumes that gaps do not depend on who is better"),
        (ra.Profile.from_orders(["AB", "C"] * 4, items="ABC"), {},
         "2 of 3 pairs were never compared"),
        (FIXED, {"fixed_tasks": True},
         "tasks are fixed, so that signs cannot be flipped within them: decided by hoeffding "
         "instead"),
        (ra.Profile.from_orders(["AB", "BC", "CA"]), {"of": "pairwise"},
         "a rank is one more than the number of items above; because of cycles, ties or gaps these "
         "pairs form no ranking, so that ranks repeat or are left out"),
    ],
)  # fmt: skip
def test_each_note_is_made_once(data, options, note):
    assert ra.rank_intervals(data, **options).notes.count(note) == 1


def test_half_on_the_edge_of_an_interval_is_not_outside():
    # Half of all resamples of two units have one of each.
    equal = ra.Profile.from_orders(["AB", "BA"])
    found = ra.PairwiseIntervals.from_data(equal, method="percentile", alpha=0.9, rng=0)
    assert found.lower[0, 1] == found.upper[0, 1] == 0.5
    assert found.to_frame()["outside"].tolist() == [False]


def test_an_interval_that_touches_half_decides_nothing():
    profile = ra.Profile.from_orders(["BA"], items="AB", counts=[2])
    alpha = 2 / np.e  # the radius is the root of log(2 / alpha) / 4, a half
    found = ra.PairwiseIntervals.from_data(profile, alpha=alpha, simultaneous="bonferroni")
    assert (found.upper[0, 1], found.lower[1, 0]) == (0.5, 0.5)
    assert found.to_frame()["outside"].tolist() == [False]
    assert found.decisions("intervals").pairs == ()
    assert ra.rank_intervals(profile, method="hoeffding", alpha=alpha).decisions.pairs == ()
    more = ra.rank_intervals(profile, method="hoeffding", alpha=alpha + 1e-9)
    assert more.decisions.pairs == (("B", "A"),)
