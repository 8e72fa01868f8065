"""Decided pairs: Holm's procedure, simultaneous intervals, and what they imply together."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankagg as ra
from rankagg import PairwiseIntervals
from rankagg.exceptions import InvalidInputError
from rankagg.inference import Decisions
from rankagg.inference.decisions import by_p_values, by_sign_flips, tarone
from tests import oracles, strategies

from_data = PairwiseIntervals.from_data

# statsmodels collects garbage before it adjusts p-values, which takes longer than all the rest.
few = settings(max_examples=12)

CYCLE = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[200, 200, 200])
CLEAR = ra.Profile.from_orders(["ABCD", "BACD", "ABDC"], counts=[60, 60, 10])


@st.composite
def ballots(draw, **kinds):
    """Draw a profile of rankings that were observed so often that some pairs are decided."""
    profile = draw(strategies.profiles(min_size=2, max_size=4, weights=st.just(1.0), **kinds))
    return ra.Profile(list(profile), counts=profile.counts * draw(st.integers(1, 40)))


def decided(*pairs, items="ABCDE"):
    """Return decisions with known pairs."""
    labels = ra.ItemSet(items)
    above = np.zeros((len(labels), len(labels)), dtype=bool)
    for first, second in pairs:
        above[labels.index(first), labels.index(second)] = True
    return Decisions(items=labels, above=above, alpha=0.05, how="hand")


# -- Holm -----------------------------------------------------------------------------------------


@given(ballots(ties=False), st.sampled_from(["hoeffding", "clopper-pearson"]))
@few
def test_holm_rejects_the_smallest_p_values_in_turn(profile, method):
    found = from_data(profile, method=method, alpha=0.1)
    p_values = found.p_values()
    named = {(i, j): p_values[i, j] for i, j in oracles.ordered_pairs(profile.n_items)}
    decisions = found.decisions()
    rejected = slow_holm(list(named.values()), 0.1)
    assert [bool(decisions.above[pair]) for pair in named] == rejected


def test_holm_decides_a_known_case():
    # Twelve hypotheses; the p-values that matter are exp(-2 * 130 * 0.25) and exp(-2 * 130 *
    # (120/130 - 0.5)**2), far below 0.05/12, and 0.21 of A and B, above 0.05/7.
    found = from_data(CLEAR)
    assert found.p_values()[0, 1] == pytest.approx(np.exp(-260 * (70 / 130 - 0.5) ** 2))
    expected = (("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D"))
    assert found.decisions().pairs == expected
    assert found.decisions().how == "Holm's procedure on Hoeffding p-values"
    binomial = from_data(CLEAR, method="wilson").decisions()
    assert binomial.how == "exact sign tests (Holm, Tarone)"


@given(ballots(), st.floats(0.001, 0.4))
@few
def test_holm_decides_what_simultaneous_intervals_decide(profile, alpha):
    # Holm's first step spends alpha/(n(n - 1)) on each side of a pair, as the intervals do.
    by_intervals = from_data(profile, alpha=alpha, simultaneous="bonferroni").decisions("intervals")
    assert set(by_intervals.pairs) <= set(from_data(profile, alpha=alpha).decisions().pairs)


# -- intervals ------------------------------------------------------------------------------------


@given(ballots(), st.floats(0.001, 0.5))
def test_intervals_decide_where_one_half_is_outside(profile, alpha):
    found = from_data(profile, alpha=alpha, simultaneous="bonferroni")
    decisions = found.decisions("intervals")
    frame = found.to_frame()
    outside = {(row.above, row.below) for row in frame.itertuples() if row.outside}
    assert set(decisions.pairs) == outside
    assert decisions.how == "bonferroni hoeffding intervals"


@pytest.mark.parametrize(
    ("choice", "how", "approximate"),
    [
        ({}, "holm", False),
        ({"method": "wilson"}, "holm", False),
        ({"simultaneous": "bonferroni"}, "intervals", False),
        ({"simultaneous": "bonferroni", "method": "clopper-pearson"}, "intervals", False),
        ({"simultaneous": "bonferroni", "method": "wilson"}, "intervals", True),
        ({"simultaneous": "max-t", "method": "percentile", "rng": 1}, "intervals", True),
    ],
)
def test_approximate_levels_are_called_approximate(choice, how, approximate):
    decisions = from_data(CLEAR, **choice).decisions(how)
    assert decisions.is_approximate is approximate
    assert ("rate about 0.05" if approximate else "rate at most 0.05") in decisions.summary()
    many = approximate and choice["method"] != "wilson"
    assert ("independent draws, and many" in decisions.summary()) == many


@pytest.mark.parametrize(
    ("choice", "how", "parameter", "message"),
    [
        ({}, "intervals", "simultaneous", "'bonferroni' or 'max-t'.*or decide by Holm"),
        ({"anytime": True}, "holm", "how", "'intervals' for anytime intervals.*single analysis"),
        ({}, "bonferroni", "how", "'holm' or 'intervals'"),
    ],
)  # fmt: skip
def test_invalid_decisions_are_refused(choice, how, parameter, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        from_data(CLEAR, **choice).decisions(how)
    assert caught.value.parameter == parameter


# -- cycles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["holm", "intervals"])
def test_decided_majorities_may_be_cyclic(how):
    decisions = from_data(CYCLE, simultaneous="bonferroni").decisions(how)
    assert decisions.pairs == (("A", "B"), ("B", "C"), ("C", "A"))
    assert decisions.cyclic_components == (("A", "B", "C"),)
    assert decisions.tiers == (("A", "B", "C"),)
    assert "cycles       among A, B, C" in decisions.summary().splitlines()


# -- tiers, ranks, the graph ---------------------------------------------------------------------


def slow_tiers(decisions):
    """Return tiers by their definition: the smallest sets above all the rest, one after another."""
    pairs, left, tiers = set(decisions.pairs), list(decisions.items), []
    while left:
        tiers.append(
            next(
                chosen
                for size in range(1, len(left) + 1)
                for chosen in combinations(left, size)
                if all((a, b) in pairs for a in chosen for b in left if b not in chosen)
            )
        )
        left = [item for item in left if item not in tiers[-1]]
    return tuple(tiers)


@given(st.lists(st.sampled_from(["AB", "BC", "CD", "DA", "AC", "BD", "EA", "CE"]), unique=True))
def test_tiers_of_cyclic_decisions_follow_their_definition(pairs):
    assert decided(*pairs).tiers == slow_tiers(decided(*pairs))


# -- how they look --------------------------------------------------------------------------------


def test_a_summary_lists_decided_and_undecided_pairs():
    assert from_data(CLEAR, alpha=0.01).decisions().summary().splitlines() == [
        "decided      5 of 6 pairs, by Holm's procedure on Hoeffding p-values; "
        "family-wise error rate at most 0.01",
        "assumed      rankings are independent draws",
        "tiers        every item of a tier is decided to be above every item of the next ones",
        "tier         A, B",
    ]
    assert repr(from_data(CLEAR).decisions()) == "<Decisions on 5 pairs of 4 items>"


# -- steps: Holm against statsmodels, Tarone against its definition and level ---------------------


more = settings(max_examples=50)


def slow_holm(p_values, alpha):
    """Reject the smallest p-values as long as each is small enough for those that are left."""
    rejected = [False] * len(p_values)
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[i] > alpha / (len(p_values) - rank):
            break
        rejected[i] = True
    return rejected


def slow_tarone(p_values, least, alpha):
    """Reject by the definition, one round after the other."""
    left, rejected = set(range(len(p_values))), set()
    while left:
        k = next(
            k for k in range(1, len(left) + 1) if sum(least[i] <= alpha / k for i in left) <= k
        )
        new = {i for i in left if p_values[i] <= alpha / k}
        if not new:
            break
        left, rejected = left - new, rejected | new
    return [i in rejected for i in range(len(p_values))]


@given(st.data())
@more
def test_tarones_procedure_follows_its_definition(data):
    size = data.draw(st.integers(1, 10))
    tosses = data.draw(st.lists(st.integers(0, 12), min_size=size, max_size=size))
    heads = [data.draw(st.integers(0, n)) for n in tosses]
    p_values = stats.binom.sf(np.array(heads) - 1, tosses, 0.5)
    least = 0.5 ** np.array(tosses, dtype=float)
    alpha = data.draw(st.sampled_from([0.05, 0.2, 0.5]))
    found = tarone(p_values, least, alpha)
    assert found.tolist() == slow_tarone(p_values, least, alpha)
    assert (found >= np.array(slow_holm(p_values, alpha))).all()


def test_tests_that_cannot_reject_do_not_count():
    # Six heads of six at 2^-6, with ten coins that were tossed twice.
    p_values = least = np.array([2**-6] + [0.25] * 10)
    for alpha in (0.05, 2**-6):
        assert tarone(p_values, least, alpha).tolist() == [True] + [False] * 10
    assert not tarone(p_values, least, 2**-6.01).any()
    assert not tarone(np.full(3, 2**-3), np.full(3, 2**-3), 2**-2).any()
    assert not any(slow_holm(p_values, 0.05))
    assert (by_sign_flips(0.05), by_p_values(0.05, 3, 0.5)) == (6, 7)  # 2 / 2**6, 6 / 2**7
