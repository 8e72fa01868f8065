"""Sign flips against enumeration in fractions, which fixes their level."""

from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import lcm
from operator import gt, mul

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.inference import units as units_in_blocks
from rankagg.inference.pair_values import Differences
from rankagg.inference.ranks import sign_flips as module
from rankagg.inference.ranks.sign_flips import VECTORS, sign_flips
from rankagg.inference.units import Units
from tests import oracles
from tests.conftest import seeds

NAN = float("nan")
few = settings(max_examples=12)


def units(scores, *, counts=None, weights=None, clusters=None, scale=None):
    """Return units of scores: one row per observation, one column per item."""
    rows = np.array(scores, dtype=float)
    profile = ra.Profile.from_scores(
        np.where(np.isnan(rows), 0.0, rows), higher_is_better=True, counts=counts, weights=weights,
        groups=clusters,
    )  # fmt: skip
    source = Differences(rows, scale or float(np.nanmax(rows) - np.nanmin(rows)) or 1.0)
    unit = "ranking" if clusters is None else "task"
    return Units.of_values(profile, source, unit=unit, fixed_tasks=False, instances=None)


class Flips:
    """Sign flips with the p-values of all pairs: the least levels that decide them, by halving."""

    def __init__(self, found):
        self.found = found

    def __getattr__(self, name):
        return getattr(self.found, name)

    together = property(lambda self: self.p_values[0])
    alone = property(lambda self: self.p_values[1])

    @cached_property
    def p_values(self):
        many, values = self.found.n_vectors, np.ones((2, *self.found.ahead.shape))

        def halve(low, high, before, after):
            if not (after & ~before).any():
                return
            if high - low == 1:
                values[after & ~before] = high / many
                return
            middle = (low + high) // 2
            between = np.stack(self.found.decided(middle / many))
            assert (before <= between).all()
            assert (between <= after).all()
            halve(low, middle, before, between)
            halve(middle, high, between, after)

        halve(0, many, values < 1, values == 1)
        return values


def assert_same(found, expected):
    for name in ("ahead", "together", "alone"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def flips(scores, n_vectors=VECTORS, rng=0, *, scaled=False, **more):
    rng = np.random.default_rng(rng)
    return Flips(sign_flips(units(scores, **more), n_vectors, rng, scaled=scaled))


# -- the slow twin --------------------------------------------------------------------------------


def slow(rows, weights):
    """Return the p-values of all hypotheses, in all families, from all sign vectors.

    Rows are lists of whole numbers, or None for an item that a unit does not tell of. What is
    compared are sums divided by the roots of sums of squares: squared, and made whole numbers.
    """
    n, pairs = len(rows[0]), oracles.ordered_pairs(len(rows[0]))
    differences, mass = {}, {}
    for i, j in pairs:
        cells = [(row[i], row[j], w) for row, w in zip(rows, weights, strict=True)]
        differences[i, j] = [0 if None in (a, b) else w * (a - b) for a, b, w in cells]
        mass[i, j] = sum(w * w for a, b, w in cells if None not in (a, b))
    common = lcm(*(m for m in mass.values() if m))

    def values(signs):
        sums = {pair: sum(map(mul, signs, differences[pair])) for pair in pairs}
        return {
            pair: abs(total) * total * common // mass[pair] if mass[pair] else 0
            for pair, total in sums.items()
        }

    everything = [values(signs) for signs in product((1, -1), repeat=len(rows))]
    # The largest of the sums without their signs: both directions of a pair compete.
    seen = everything[0]

    def share(bar, family):
        reached = sum(any(other[pair] >= bar for pair in family) for other in everything)
        return reached / len(everything)

    def step_down(family):
        adjusted, last, still = {}, 0.0, list(family)
        while still:
            best = max(still, key=seen.__getitem__)
            last = max(last, share(seen[best], still))
            adjusted[best] = last
            # A pair leaves in both directions.
            still = [pair for pair in still if set(pair) != set(best)]
        return adjusted

    alone = [step_down([pair for pair in pairs if i in pair]) for i in range(n)]
    return seen, step_down(pairs), alone


def check(found, rows, weights):
    seen, together, alone = slow(rows, weights)
    for (i, j), value in seen.items():
        assert found.ahead[i, j] == (value > 0)
        if value > 0:
            assert found.together[i, j] == found.together[j, i] == together[i, j]
            assert found.alone[i, j] == alone[i][i, j]
            assert found.alone[j, i] == alone[j][i, j]
        elif value == 0:
            assert found.together[i, j] == found.alone[i, j] == 1
    assert (np.diagonal(found.together) == 1).all()


def slow_decisions(rows, alpha):
    """Return the pairs that are decided at a level by plain and by scaled sums, from all signs."""
    pairs = [(i, j) for i in range(len(rows[0])) for j in range(i)]
    apart = {(i, j): [row[i] - row[j] for row in rows] for i, j in pairs}
    squares = {pair: sum(d * d for d in apart[pair]) for pair in pairs}
    scaled = [p for p in pairs if 2.0 * len(pairs) <= 0.05 * 2 ** sum(d != 0 for d in apart[p])]
    everything = [
        {pair: sum(map(mul, signs, apart[pair])) ** 2 for pair in pairs}
        for signs in product((1, -1), repeat=len(rows))
    ]
    most = int(alpha * len(everything))

    def kinds(sums, still):
        plain = max(sums[pair] for pair in still)
        return plain, max([0, *(Fraction(sums[p], squares[p]) for p in still if p in scaled)])

    decided = set()
    while still := set(pairs) - decided:
        largest = [kinds(sums, still) for sums in everything]
        falling = [sorted(kind, reverse=True) for kind in zip(*largest, strict=True)]
        for passing in range(most, -1, -1):
            bars = [kind[passing] for kind in falling]
            if sum(one > bars[0] or two > bars[1] for one, two in largest) <= most:
                break
        new = {
            pair
            for pair in still
            if any(map(gt, kinds(everything[0], {pair}), bars)) and everything[0][pair]
        }
        if not new:
            break
        decided |= new
    return decided


# If each kind of sums spent the level by itself, these would be separated.
@example(
    [(7, 3, 0), (-4, -4, -9), (-8, -9, -6), (6, 3, 8), (0, 2, 9), (4, 3, 1), (1, 8, -4)],
    (8, 6, 0),
    0.1,
)
@example(
    [(-3, -7, 0), (9, -3, 7), (-2, 6, -5), (0, -3, -5), (7, 6, -7), (8, 9, -4), (-1, 1, 3)],
    (4, 1, 9), 0.3,
)  # fmt: skip
@given(
    st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=7, max_size=8),
    st.tuples(*[st.integers(0, 9)] * 3),
    st.sampled_from([1 / 64, 0.05, 0.1, 0.3]),
)
@settings(max_examples=15)
def test_plain_and_scaled_sums_share_a_level(noise, center, alpha):
    # One item varies three times as much.
    rows = [[3 * a + x, b + y, c + z] for (a, b, c) in noise for x, y, z in [center]]
    found, _ = flips(rows, scaled=True).decided(alpha)
    expected = slow_decisions(rows, alpha)
    assert {(i, j) for i in range(3) for j in range(i) if found[i, j]} == expected


cells = st.sampled_from([0, 0, 1, 2, 3, 7, None])


@st.composite
def tables(draw, *, gaps):
    m, n = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    allowed = cells if gaps else cells.filter(lambda cell: cell is not None)
    rows = draw(
        st.lists(st.lists(allowed, min_size=n, max_size=n), min_size=m, max_size=m).filter(
            lambda rows: any(cell is not None for row in rows for cell in row)
        )
    )
    return rows, draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=m, max_size=m))


def as_array(rows):
    return [[NAN if cell is None else cell for cell in row] for row in rows]


# Units that tie all their items do not change a sum, but count where sums are scaled.
@example(([[0, 0, 0], [0, 7, 1], [1, 0, 2], [0, 1, None]], [1, 2, 1, 1]))
@given(tables(gaps=True))
@few
def test_p_values_are_shares_of_all_sign_vectors(table):
    rows, weights = table
    found = flips(as_array(rows), weights=weights)
    assert found.is_exact
    check(found, rows, weights)


@given(tables(gaps=False), st.lists(st.integers(1, 3), min_size=6, max_size=6))
@few
def test_each_repetition_has_its_own_sign(table, many):
    rows, weights = table
    rows, weights, many = rows[:3], weights[:3], many[: len(rows[:3])]
    found = flips(rows, weights=weights, counts=many)
    written = [row for row, count in zip(rows, many, strict=True) for _ in range(count)]
    again = [w for w, count in zip(weights, many, strict=True) for _ in range(count)]
    if len(written) <= 6:
        check(found, written, again)
    assert_same(found, flips(written, weights=again))


def test_rankings_of_one_task_have_one_sign():
    rows = [[3, 0, 1], [5, 2, 2], [2, 4, 0], [1, 1, 0]]
    found = flips(rows, clusters="xxyz", weights=[1, 1, 2, 1])
    assert_same(found, flips([[4, 1, 1.5], [2, 4, 0], [1, 1, 0]], weights=[1, 2, 1]))


# -- the level ------------------------------------------------------------------------------------


def any_wrong(found, truth, alpha):
    """Say whether a decision is against the truth, a matrix of the signs of true differences."""
    families = found.families(alpha)
    together = families.together & ~(truth > 0)
    alone = (families.alone != 0) & (families.alone != truth)
    return together.any(), alone.any(axis=1), families.led


def wrong_shares(noise, center, deltas, *, scaled=False):
    """Return in which share of all signs of the noise something wrong is decided.

    One row for each level; columns: all pairs at once, those of each item, those above the leader.
    """
    center = np.array(center)
    truth = np.sign(center[:, None] - center).astype(int)
    leader = int(np.argmax(center))
    runs = []
    for signs in product((1, -1), repeat=len(noise)):
        found = flips(np.array(signs)[:, None] * noise + center, scaled=scaled)
        for alpha in deltas:
            together, alone, led = any_wrong(found, truth, alpha)
            runs.append([together, *alone, led[leader]])
    return np.array(runs).reshape(-1, len(deltas), len(center) + 2).mean(axis=0)


# A rule that studentizes each sum decides wrongly in 2^-6 for each of the five others: of those
# that are a little worse than a steady item, each is above it six times by the same.
COINS = np.array([list(row) for row in product((1.0, -1.0), repeat=5)])[[0, 3, 5, 9, 17, 30]]


def test_few_units_that_agree_by_chance_decide_nothing():
    # Five items are 1 or -1 with equal chance, the first is always 0.01: any of the five that is 1
    # in all six units would stand out if its sum were divided by its own root mean square.
    rows = np.column_stack([np.full(6, 0.01), COINS])
    rows[:, 1] = 1
    found = flips(rows, scaled=True)
    assert found.ahead[1, 0]
    assert found.together[1, 0] > 0.05
    noise = np.column_stack([np.zeros(6), COINS])
    assert wrong_shares(noise, [0.01, 0, 0, 0, 0, 0], [0.05], scaled=True).max() <= 0.05


def test_sums_of_few_units_are_not_scaled():
    # 28 pairs: 2^-7 and 2^-9 for all units of a pair to agree, in one direction or the other.
    scores = np.random.default_rng(0).normal(size=(11, 8))
    assert [len(flips(scores[:m], scaled=True).scales) for m in (8, 10, 11)] == [1, 1, 2]


def test_pairs_without_variation_are_not_decided_by_their_spread():
    # The first two fail in one task of ten and are .1 better in the others; the first did not.
    scores = np.zeros((12, 5))
    scores[:, :2] = 0.1
    scores[[2, 7], 1] -= 1
    found = flips(scores, scaled=True)
    assert found.ahead[0, 2:].all()
    assert not found.decided(0.05)[0].any()


# -- many units -----------------------------------------------------------------------------------


def test_many_sign_vectors_are_drawn_and_the_observed_one_is_among_them():
    scores = np.random.default_rng(0).normal(size=(40, 5)) + np.array([4, 0, 0, 0, 0.1])
    found = flips(scores, n_vectors=250)
    assert (found.n_vectors, found.is_exact) == (250, False)
    # No drawn vector reaches what is observed, but for itself.
    assert found.together[0, 1] == found.alone[0, 1] == 1 / 250


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_drawn_sign_vectors_estimate_the_exact_p_values(monkeypatch, seed):
    scores = np.random.default_rng(seed).normal(size=(11, 3)) + np.array([1.2, 0.8, 0])
    exact = flips(scores)
    assert (exact.n_vectors, exact.is_exact) == (1024, True)
    monkeypatch.setattr(module, "ALWAYS_ALL", 1)
    drawn = flips(scores, n_vectors=1000, rng=seed)
    assert not drawn.is_exact
    for name in ("together", "alone"):
        found, expected = getattr(drawn, name), getattr(exact, name)
        error = 4.5 * np.sqrt(expected * (1 - expected) / 1000) + 2 / 1000
        assert (np.abs(found - expected) <= error).all()
    assert np.ptp(exact.together) > 0.5


def test_counts_draw_sums_of_signs():
    rows, many = [[1, 0], [0, 1]], [33, 17]
    found = flips(rows, counts=many, n_vectors=5000)
    # Fifty fair coins with at least 33 or at most 17 heads.
    exact = 2 * stats.binom.sf(32, 50, 0.5)
    assert found.together[0, 1] == pytest.approx(exact, abs=4.5 * (exact / 5000) ** 0.5)


@cache
def at_once(gaps):
    """Return scores and weights of 40 units, what all signs of nine say, and drawn ones of all."""
    scores = np.random.default_rng(0).normal(size=(40, 3)) + np.array([0.3, 0.1, 0])
    scores[:gaps, 2] = NAN
    weights = np.random.default_rng(1).uniform(0.5, 2, size=40)
    exact = flips(scores[:9], weights=weights[:9])
    return scores, weights, exact, flips(scores, weights=weights, n_vectors=500)


@pytest.mark.parametrize("gaps", [1])
def test_blocks_and_ways_of_summing_change_nothing(monkeypatch, gaps):
    scores, weights, exact, expected = at_once(gaps)
    monkeypatch.setattr(module, "SIGNS_HELD", 50)
    monkeypatch.setattr(module, "AT_ONCE", 7)
    found = flips(scores[:9], weights=weights[:9])
    np.testing.assert_array_equal(found.together, exact.together)
    monkeypatch.setattr(units_in_blocks, "VALUES_HELD", 60)  # twenty at a time
    monkeypatch.setattr(module, "SUMS_HELD", 1500)  # as many sums as there are, and no values
    monkeypatch.setattr(module, "PAIRED_VALUES", 9)
    found = flips(scores, weights=weights, n_vectors=500)
    assert not found.is_exact
    for name in ("together", "alone"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=0.08)
    np.testing.assert_array_equal(found.ahead, expected.ahead)


@pytest.mark.parametrize("shape", [(1, 9), (4, 30)], ids=str)
def test_items_pairs_and_units_give_the_same_p_values(monkeypatch, shape):
    # The same signs are drawn for all.
    n, m = shape
    scores = np.random.default_rng(0).normal(size=(m, n)).round(1) + np.linspace(1, 0, n).round(1)
    items = flips(scores, n_vectors=300)
    with monkeypatch.context() as context:
        context.setattr(Differences, "is_complete", False)
        ways = [flips(scores, n_vectors=300)]
        context.setattr(module, "_has_few_units", lambda *_: False)
        ways.append(flips(scores, n_vectors=300))
    for way in ways:
        np.testing.assert_array_equal(items.ahead, way.ahead)
        for name in ("together", "alone"):
            # Sums that are equal but for rounding are in one order or the other.
            np.testing.assert_allclose(getattr(items, name), getattr(way, name), atol=1.01 / 300)


def by_points(orders, *, fixed_tasks=False, **more):
    """Return units that compare items by their points in rankings."""
    profile = ra.Profile.from_orders(orders, **more)
    source = Differences.of_points(profile)
    return Units.of_values(profile, source, unit="ranking", fixed_tasks=fixed_tasks, instances=None)


# -- units without information --------------------------------------------------------------------


def test_rounding_errors_decide_nothing():
    exact = np.arange(1.0, 9.0)
    noisy = exact * (1 + 4e-16)
    assert (noisy > exact).all()
    found = flips(np.column_stack([noisy, exact]))
    assert found.together[0, 1] == 1
    assert not found.ahead.any()


def test_sums_equal_but_for_rounding_count_as_equal():
    # .1 + .2 is not .3 in floats: the flip of the first two units gives the observed sum.
    scores = np.array([[0.1, 0], [0.2, 0], [-0.3, 0], [5, 0], [5, 0]])
    check(flips(scores), np.rint(10 * scores).astype(int).tolist(), [1] * 5)


def test_units_without_differences_decide_nothing():
    few = (flips([[1.0]] * 3), flips([[1.0], [NAN]]), flips([[1.0], [NAN]], scaled=True))
    for found in (flips([[1, 1]] * 3), flips([[NAN, 1.0], [2.0, NAN]]), *few):
        assert (found.together == 1).all()
        assert (found.alone == 1).all()
        assert not found.ahead.any()


# -- refusals -------------------------------------------------------------------------------------


def test_sign_flips_of_fixed_tasks_are_refused():
    one, two = (
        by_points(["AB", "BA", "AB"], groups=groups, fixed_tasks=True) for groups in ("xxx", "xxy")
    )
    assert sign_flips(one, 100, np.random.default_rng(0)).is_exact
    with pytest.raises(InvalidInputError, match=r"another one with fixed tasks.*'task'"):
        sign_flips(two, 100, np.random.default_rng(0))


def test_too_many_sums_for_memory_are_refused(monkeypatch):
    monkeypatch.setattr(module, "SUMS_HELD", 4000)
    with pytest.raises(InvalidInputError, match=r"at most 1,333 with 3 items"):
        flips(np.random.default_rng(0).normal(size=(40, 3)), n_vectors=2000)
