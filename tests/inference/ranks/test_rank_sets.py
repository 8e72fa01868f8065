"""Rank sets of estimates with errors: a slow oracle, a published table, and error rates."""

import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from rankagg.inference.ranks.rank_sets import ScoredItems, _ErrorDraws

# Each call draws alike.
rank_sets = partial(ra.inference.rank_sets, rng=0)

# -- a slow oracle --------------------------------------------------------------------------------


def slow_steps(scores, covariance, hypotheses, alpha, drawn):
    """Return the decided ones among "row is not above column", all draws of all at once."""
    pairs = list(hypotheses)
    rows, columns = np.array(pairs).T
    error = np.sqrt([covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for i, j in pairs])
    known = error > 1e-9
    safe = np.where(known, error, 1.0)
    difference = scores[rows] - scores[columns]
    seen = np.where(known, difference / safe, np.copysign(np.inf, difference))
    seen[difference == 0] = 0
    errors = np.where(known, (drawn[:, rows] - drawn[:, columns]) / safe, 0.0)
    left = np.ones(len(pairs), dtype=bool)
    while left.any():
        new = left & (seen > np.quantile(errors[:, left].max(axis=1), 1 - alpha))
        if not new.any():
            break
        left &= ~new
    return {pair for pair, is_left in zip(pairs, left, strict=True) if not is_left}


@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from(["plain", "sum 0", "known"]))
def test_decisions_are_those_of_all_draws_of_all_pairs(seed, n, kind):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-4, 5, n) * 1.5
    covariance = np.cov(rng.normal(size=(n, n + 2)))
    if kind == "sum 0":
        center = np.eye(n) - 1 / n
        covariance = center @ covariance @ center
    if kind == "known":
        covariance[:2], covariance[:, :2] = 0.0, 0.0
    found = ScoredItems(scores, covariance, np.full(n, np.inf), n)
    families = found.families(0.1, 400, np.random.default_rng(seed))
    drawn = found.drawn(400, np.random.default_rng(seed)).T
    every = [(i, j) for i in range(n) for j in range(n) if i != j]
    joint = slow_steps(scores, covariance, every, 0.1, drawn)
    assert {tuple(pair) for pair in np.argwhere(families.together)} == joint
    for i in range(n):
        mine = slow_steps(scores, covariance, [p for p in every if i in p], 0.1, drawn)
        assert set(np.flatnonzero(families.alone[i] > 0)) == {b for a, b in mine if a == i}
        assert set(np.flatnonzero(families.alone[i] < 0)) == {a for a, b in mine if b == i}
        if n > 2:  # the largest of one difference may be below 0
            above = slow_steps(scores, covariance, [p for p in every if p[1] == i], 0.1, drawn)
            assert families.led[i] == bool(above)


def test_errors_are_drawn_with_the_covariance():
    half = np.array([[2.0, 0, 0], [1, 1, 0], [-1, 0.5, 0]])
    for covariance in (half @ half.T, np.diag([4.0, 1, 0])):
        found = ScoredItems(np.zeros(3), covariance, np.full(3, np.inf), 3)
        drawn = found.drawn(60_000, np.random.default_rng(0))
        np.testing.assert_allclose(np.cov(drawn), covariance, atol=0.05)


@given(st.integers(0, 10**6), st.integers(100, 300), st.floats(0.01, 0.6))
def test_only_draws_near_the_quantile_are_recomputed(seed, times, alpha):
    rng = np.random.default_rng(seed)
    exact = rng.normal(size=times)
    largest, looked_at = exact + rng.exponential(size=times), []

    def again(chosen):
        looked_at.extend(chosen.tolist())
        return exact[chosen]

    found = ScoredItems(np.zeros(1), np.eye(1), np.ones(1), 1)
    _ErrorDraws(found, alpha, np.zeros((1, times)), np.zeros((1, 1)))._lower(largest, again)
    assert np.quantile(largest, 1 - alpha) == np.quantile(exact, 1 - alpha)
    assert len(looked_at) == len(set(looked_at))


# -- a published table ----------------------------------------------------------------------------

# Mean scores in mathematics with their standard errors: OECD, PISA 2018 Results, volume 1,
# countries of the OECD; and the sets that csranks 1.2.3 for R gives with 20,000 draws.
MEANS = """527 526 523 519 516 515 512 509 509 508 507 502 502 501 500 500 499 499 496 495 495 494
492 491 487 486 483 481 481 481 478 463 454 451 417 409 402 391"""
ERRORS = """2.5 3.1 1.7 2.6 2.6 2.9 2.4 1.7 1.4 2.3 2 2.7 2.6 2.2 2.6 2.2 3 2.5 2 2.3 2 1.7 2.7 1.9
2.8 2.6 1.1 2.3 2 1.5 3.2 3.5 2.3 3.1 2.4 2.5 3.3 3"""
PUBLISHED = {
    "rank": """1 2 3 4 5 6 7 8 8 10 11 12 12 14 15 15 17 17 19 20 20 22 23 24 25 26 27 28 28 28 31
    32 33 34 35 36 37 38""",
    "best": """1 1 1 1 1 1 3 4 4 4 4 5 6 7 7 7 7 8 12 12 12 12 12 12 15 17 23 23 23 24 23 31 32 32
    35 35 35 37""",
    "worst": """6 7 6 11 12 13 17 18 18 18 18 24 24 24 25 25 26 26 26 26 26 26 31 30 31 31 31 31 31
    31 32 34 34 34 37 37 38 38""",
    "marginal_best": """1 1 1 1 2 2 4 5 5 5 5 7 7 9 9 10 10 10 12 12 12 12 12 16 19 20 25 25 25 25
    25 32 32 32 35 35 36 37""",
    "marginal_worst": """4 6 6 7 11 11 13 16 14 18 18 23 23 23 24 23 24 24 25 26 26 26 26 26 31 31
    31 31 31 31 31 34 34 34 36 37 38 38""",
}


def numbers(text):
    return np.array(text.split(), dtype=float)


def test_sets_are_those_of_csranks():
    ranks = rank_sets(numbers(MEANS), standard_errors=numbers(ERRORS))
    for name, text in PUBLISHED.items():
        off = np.abs(getattr(ranks, name) - numbers(text))
        # Other draws move single bounds, as another seed there does.
        assert off.max() <= (0 if name == "rank" else 1)
        assert off.sum() <= 2
    # Confidence sets for the five best and the five worst; with another seed there eleven.
    assert ranks.top(5) in (tuple(range(11)), tuple(range(12)))
    assert ranks.bottom(5) == tuple(range(31, 38))


# -- input ----------------------------------------------------------------------------------------


def test_estimates_and_errors_are_matched_by_label():
    ratings = pd.Series({"A": 1262.0, "B": 1250, "C": 1190, "D": 1177})
    errors = {"D": 4.0, "C": 7, "B": 5, "A": 6}
    ranks = rank_sets(ratings, standard_errors=errors)
    assert ranks.items.labels == tuple("ABCD")
    assert rank_sets(dict(ratings), standard_errors=[6, 5, 7, 4]) == ranks
    table = pd.DataFrame(np.diag([16.0, 49, 25, 36]), index=list("DCBA"), columns=list("DCBA"))
    given = rank_sets(ratings, covariance=table)
    assert given.to_frame().equals(ranks.to_frame())
    assert (ranks.unit, given.unit) == ("estimate", None)
    assert "no covariance is given: estimates are assumed independent" in ranks.notes
    assert not given.notes
    assert "independent" not in given.summary()
    table.loc["A", "A"] = 1e6
    assert rank_sets(ratings, covariance=table).worst.tolist() == [4, 2, 4, 4]
    turned = rank_sets(-ratings, standard_errors=errors, higher_is_better=False)
    frames = (one.to_frame().drop(columns="estimate") for one in (turned, ranks))
    pd.testing.assert_frame_equal(*frames)
    assert turned.estimate.tolist() == (-ratings).tolist()
    assert rank_sets([1.0, 2], standard_errors=[1, 1]).items.labels == (0, 1)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("power", [-1070, -900, 300, 1020])
def test_no_power_of_two_changes_a_rank(power):
    values, errors = np.array([3.0, 2.5, 1.0, 0.2]), np.array([0.3, 0.3, 0.2, 0.4])
    frames = [
        rank_sets(np.ldexp(values, k), standard_errors=np.ldexp(errors, k)).to_frame()
        for k in (0, power)
    ]
    if power == 300:
        table = np.ldexp(np.diag(errors**2), 2 * power)
        frames.append(rank_sets(np.ldexp(values, power), covariance=table).to_frame())
    first, *others = (frame.drop(columns="estimate") for frame in frames)
    assert all(first.equals(other) for other in others)


def test_pairs_without_error_are_decided_by_the_sign():
    ranks = rank_sets([3.0, 2, 2, 0], standard_errors=[0, 0, 0, 50])
    assert ranks.decisions.above[:3, :3].tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert (ranks.rank.tolist(), ranks.best.tolist()) == ([1, 2, 2, 4], [1, 2, 2, 1])
    assert "2 pairs differ without error, and are decided by the sign" in ranks.notes
    # Two ratings that share all of their error; the third has one of its own.
    shared = rank_sets([2.0, 1, 0], covariance=[[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert shared.decisions.pairs == ((0, 1),)
    alone = rank_sets([5.0], standard_errors=[1])
    assert (alone.best.tolist(), alone.worst.tolist(), alone.first) == ([1], [1], (0,))


PLAIN = {"standard_errors": [1, 1]}


@pytest.mark.parametrize(
    ("estimates", "options", "message"),
    [
        ([1, 2], {}, "given, or `covariance` in their place. Got neither"),
        ([1, np.nan], PLAIN, "Got nan at position 1. Leave the item out"),
        ([1, 2], {"standard_errors": [1, -1]}, "numbers of 0 or more"),
        ([1, 2], {"covariance": np.eye(3)}, "a row and a column for each of 2 items"),
        ([1, 2], {"covariance": [[1, 2], [2, 1]]}, "no eigenvalue below 0"),
        ([1, 2], {"covariance": [[1, 0.5], [0, 1]]}, "symmetric"),
        ([1, 2], {**PLAIN, "higher_is_better": "no"}, "higher_is_better"),
        (ra.Mallows.fit(ra.Profile.from_orders(["AB", "BA", "AB"])), {}, "a fit with worths"),
    ],
)
def test_unsuitable_estimates_and_options_are_refused(estimates, options, message):
    with pytest.raises(InvalidInputError, match=message):
        rank_sets(estimates, **options)


def test_other_labels_are_refused():
    with pytest.raises(ItemMismatchError, match="estimates and standard_errors"):
        rank_sets({"A": 1.0, "B": 2}, standard_errors={"A": 1.0, "C": 2})


# -- fits -----------------------------------------------------------------------------------------


def battles(n_clusters=0):
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, 600)
    second = (first + rng.integers(1, 4, 600)) % 4
    won = rng.random(600) < 1 / (1 + np.exp(1.0 * (first - second)))
    clusters = np.arange(600) % n_clusters if n_clusters else None
    return ra.Comparisons("ABCD", first, second, np.where(won, 1, -1), clusters=clusters)


def test_a_fit_has_worths_and_a_covariance():
    fit = ra.BradleyTerry.fit(battles())
    ranks = rank_sets(fit)
    given = rank_sets(fit.log_worths, covariance=fit.covariance[:4, :4])
    assert ranks.decisions.above.tolist() == given.decisions.above.tolist()
    assert (ranks.of, ranks.unit, ranks.n_units) == ("worths", "comparison", 600)
    assert ranks.estimate.tolist() == fit.log_worths.tolist()
    orders = ["ABCD", "ABDC", "BACD", "CABD"]
    listed = rank_sets(ra.PlackettLuce.fit(ra.Profile.from_orders(orders, counts=[90, 40, 50, 30])))
    assert (listed.of, listed.unit, listed.n_units) == ("worths", "ranking", 210)
    assert listed.first == ("A",)
    with pytest.raises(InvalidInputError, match="left out for a fit"):
        rank_sets(fit, standard_errors=[1, 1, 1, 1])


# -- many items -----------------------------------------------------------------------------------


def test_many_items_take_less_memory_than_all_draws():
    n, times = 120, 200
    estimates = np.random.default_rng(0).normal(0, 10, n)
    tracemalloc.start()
    ranks = rank_sets(estimates, standard_errors=np.ones(n), n_resamples=times)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * n * (n - 1) / 2 * times / 3
    assert (ranks.best <= ranks.rank).all()
    assert (ranks.rank <= ranks.worst).all()
    assert ranks.decisions.above.mean() > 0.25
