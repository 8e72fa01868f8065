"""Whether a likelihood with ties has a maximum: against a linear program over all buckets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

import rankagg as ra
from rankagg.distributions.plackett_luce.likelihood import DistinctChoices, endless_choices
from rankagg.exceptions import NotIdentifiedError
from tests.distributions.luce_by_hand import choices_by_hand, from_rows
from tests.strategies import profiles, quick


def rising_by_hand(profile, sizes, *, worths=True, ties=True):
    """Say whether some direction gains on an alternative and loses on none: all are listed."""
    n = profile.n_items
    rows = []
    for ranking in profile:
        for alternatives, chosen in choices_by_hand(ranking):
            for d in (1, *sizes):
                for bucket in combinations(sorted(alternatives), d):
                    rows.append(features(chosen, n, sizes) - features(bucket, n, sizes))
    rows = np.array(rows).reshape(-1, n + len(sizes))
    free = [worths] * n + [ties] * len(sizes)
    bounds = [(-1, 1) if one else (0, 0) for one in free]
    found = linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds)
    return -found.fun > 1e-6


def features(bucket, n, sizes):
    row = np.zeros(n + len(sizes))
    row[list(bucket)] = 1.0 / len(bucket)
    if len(bucket) > 1:
        row[n + sizes.index(len(bucket))] = 1.0
    return row


def sizes_of(profile):
    found = {len(c) for r in profile for _, c in choices_by_hand(r)}
    return tuple(sorted(found - {1}))


def check(profile, **free):
    sizes = sizes_of(profile)
    if not sizes:
        return None
    found = endless_choices(DistinctChoices.of_ranks(profile.ranks), sizes, **free)
    assert (found is not None) == rising_by_hand(profile, sizes, **free)
    if found is None:
        return None
    # What is found rises, by hand too.
    gains = []
    for ranking in profile:
        for alternatives, chosen in choices_by_hand(ranking):
            own = features(chosen, profile.n_items, sizes) @ found
            for d in (1, *sizes):
                for bucket in combinations(sorted(alternatives), d):
                    gains.append(own - features(bucket, profile.n_items, sizes) @ found)
    assert min(gains) >= -1e-9
    assert max(gains) > 1e-9
    return found


@quick
@given(profile=profiles(min_size=2, max_size=5))
def test_a_direction_is_found_exactly_where_there_is_one(profile):
    check(profile)


@pytest.mark.parametrize("seed", range(40))
def test_random_ties_are_judged_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 6)), int(rng.integers(2, 8))
    profile = ra.Profile.from_ranks(rng.integers(0, n - 1, (m, n)))
    check(profile)
    check(profile, worths=False)
    check(profile, ties=False)


def test_both_answers_occur():
    answers = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        profile = ra.Profile.from_ranks(rng.integers(0, 3, (int(rng.integers(2, 8)), 4)))
        answers.append(check(profile) is None)
    assert 5 <= sum(answers) <= 35


def test_a_ghost_is_met_by_every_item_both_ways():
    observed = DistinctChoices.of_ranks(from_rows(["A>B>C", "A=B"], "ABC").ranks).with_ghost()
    pairs = [
        (np.flatnonzero(a).tolist(), np.flatnonzero(c).tolist())
        for a, c in zip(observed.alternatives, observed.chosen, strict=True)
        if a[3]
    ]
    assert sorted(pairs) == sorted(([i, 3], [winner]) for i in range(3) for winner in (i, 3))
    assert len(observed.alternatives) == 3 + 6


def test_the_message_names_what_grows():
    with pytest.raises(NotIdentifiedError, match="rises for ever as the weights of ties of 2 grow"):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "C=A"], "ABC"))
    words = "rises for ever as the worths of A and the weights of ties of 2 grow"
    with pytest.raises(NotIdentifiedError, match=words):
        ra.PlackettLuce.fit(from_rows(["A=B", "B=C", "A>C", "A=C"], "ABC"))


@pytest.mark.parametrize("method", ["newton", "mm"])
def test_regular_fits_with_endless_ties_are_refused(method):
    # A ghost is tied with nobody, which bounds ties of two and not those of three.
    profile = from_rows(["A=B=C", "A=B=C", "A=B=C"], "ABC")
    with pytest.raises(NotIdentifiedError, match="weights of ties of 3 grow"):
        ra.PlackettLuce.fit(profile, pseudo_rankings=0.5, method=method)


def test_ridges_hold_what_they_are_on():
    profile = from_rows(["A=B=C", "A=B=C"], "ABC")
    with pytest.raises(NotIdentifiedError, match="weights of ties of 3 grow"):
        ra.PlackettLuce.fit(profile, ridge=1.0)
    assert ra.PlackettLuce.fit(profile, ridge=1.0, tie_ridge=1.0).converged


@pytest.mark.parametrize("counts", [[3, 1, 1], [10**9, 1, 1], [1, 10**9, 1], [1, 1, 10**6]])
def test_davidson_pairs_have_a_maximum_whatever_the_counts(counts):
    profile = from_rows(["A>B", "B>A", "A=B"], "AB", counts=counts)
    for data in (profile, profile.pairwise("ignore")):
        fit = ra.BradleyTerry.fit(data, ties="davidson")
        wins, losses, ties = counts
        assert fit.converged
        # exp(l_A - l_B) is the odds; the weight of a tie is against the geometric mean.
        assert np.ptp(fit.estimates[:2]) == pytest.approx(abs(np.log(wins / losses)), abs=1e-5)
        expected = np.log(ties / np.sqrt(wins * losses))
        assert fit.estimates[2] == pytest.approx(expected, abs=1e-5)


def test_davidson_pairs_that_are_always_tied_are_refused():
    votes = from_rows(["A=B", "B=C", "A=C"], "ABC", counts=[2, 3, 1]).pairwise("ignore")
    with pytest.raises(NotIdentifiedError, match="weights of ties of 2 grow"):
        ra.BradleyTerry.fit(votes, ties="davidson")
