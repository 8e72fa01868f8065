"""The order of rankings, scores and batches changes no bit of a result, of any rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from tests.rules import public_rules
from tests.strategies import policies, profiles

#: Fits end where a step is small, so that their last digits depend on the order of the sums.
FITS = (ra.distributions.PlackettLuceRanking, ra.distributions.MallowsRanking)

# There are many rules, and few ways to be wrong.
few = settings(max_examples=3)

awkward = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([0.1, 1e16, -1e16, 1 / 3, 1e-20]))
positive = st.one_of(st.floats(1e-3, 1e3), st.sampled_from([0.1, 1e16, 1 / 3, 1e-20]))
weights = st.one_of(st.floats(0.01, 100), st.sampled_from([0.1, 0.2, 1 / 3, 1.0]))

MEANS = [rule for rule in public_rules() if rule.needs == "scores"]
#: Rules that refuse weights of many shares.
PROGRAMS = (ra.Young(), ra.Dodgson())
RULES = [
    ra.KwikSort(pivot="best"),
    ra.InsertionSearch(start=ra.Copeland()),
    *(
        rule for rule in public_rules()
        if rule not in MEANS and not isinstance(rule, (*FITS, ra.Young, ra.Dodgson))
    ),
]  # fmt: skip
LEVELS = (ra.TwoLevel(ra.Borda(), ra.Borda()), ra.TwoLevel(ra.Bucklin(), ra.MC4()))


def bits(consensus: ra.Consensus) -> tuple[bytes, bytes | None, float]:
    scores = None if consensus.scores is None else consensus.scores.tobytes()
    return consensus.ranking.ranks.tobytes(), scores, consensus.cost


# One draw for all rules: drawing takes longer than most rules do.
@few
@given(profile=profiles(min_size=2, max_size=4, max_rows=6, weights=weights), data=st.data())
def test_the_order_of_rankings_changes_nothing(profile, data) -> None:
    profile = profile.with_unranked(data.draw(policies))
    order = data.draw(st.permutations(range(len(profile))))
    for rule in RULES:
        footrule = isinstance(rule, ra.FootruleOptimal)
        given = profile.with_unranked("last") if footrule else profile
        expected = bits(rule.aggregate(given, rng=0))
        assert bits(rule.aggregate(given[order], rng=0)) == expected, rule


BALLOTS = profiles(max_size=3, max_rows=4, weights=st.integers(1, 3))
GROUPS = profiles(max_size=4, max_rows=6, weights=weights, groups=True)


@pytest.mark.parametrize(("rules", "drawn"), [(PROGRAMS, BALLOTS), (LEVELS, GROUPS)])
@few
@given(data=st.data())
def test_the_order_of_ballots_and_groups_changes_nothing(rules, drawn, data) -> None:
    profile = data.draw(drawn).with_unranked("last")
    order = data.draw(st.permutations(range(len(profile))))
    for rule in rules:
        assert bits(rule.aggregate(profile[order])) == bits(rule.aggregate(profile)), rule


@st.composite
def instances(draw: st.DrawFn, cell: st.SearchStrategy[float]) -> ra.ScoreTable:
    n, m = draw(st.integers(1, 3)), draw(st.integers(1, 8))
    tasks = draw(st.lists(st.sampled_from("xyz"), min_size=m, max_size=m))
    cells = draw(st.lists(st.one_of(cell, st.just(float("nan"))), min_size=n * m, max_size=n * m))
    values = np.array(cells).reshape(n, m)
    values[0, np.isnan(values).all(axis=0)] = 1.0
    return ra.ScoreTable(
        values, systems=range(n), tasks=tasks, instances=range(m), higher_is_better=True,
        task_weights={task: draw(weights) for task in sorted(set(tasks))},
    )  # fmt: skip


@pytest.mark.parametrize(
    "rule", [*MEANS, ra.TwoLevel(ra.Mean(), ra.Borda()), ra.TwoLevel(ra.Median(), ra.Bucklin())],
    ids=repr,
)  # fmt: skip
@few
@given(data=st.data())
def test_the_order_of_scores_changes_nothing(rule: ra.Aggregator, data: st.DataObject) -> None:
    ratios = isinstance(rule, ra.GeometricMean | ra.HarmonicMean)
    table = data.draw(instances(positive if ratios else awkward))
    order = data.draw(st.permutations(range(table.n_units)))
    other = ra.ScoreTable(
        table.values[:, order], systems=table.systems, higher_is_better=True,
        tasks=[table.tasks[int(table.unit_tasks[u])] for u in order],
        instances=[table.instances[u] for u in order], task_weights=table.task_weights,
    )  # fmt: skip
    assert bits(rule.aggregate(other)) == bits(rule.aggregate(table))
