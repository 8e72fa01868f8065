"""Two levels by hand, and all tasks at once against the inner rule on each task by itself."""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import Aggregator, Needs, Outcome, positional
from rankagg.aggregation.base import ranks_by_scores, scores_by_group
from tests import strategies
from tests.conftest import slow_but
from tests.strategies import POLICIES, policies, profiles, score_arrays

BORDA = ra.TwoLevel(ra.Borda(), ra.Borda())


def instances() -> ra.ScoreTable:
    """Two tasks with three and one instance."""
    return ra.ScoreTable(
        [[3, 3, 1, 0], [2, 1, 3, 1], [1, 2, 2, 2]], systems="ABC",
        tasks=["x", "x", "x", "y"], instances=[0, 1, 2, 0], higher_is_better=True,
    )  # fmt: skip


def test_two_level_rules_equal_results_by_hand() -> None:
    # Points in x: A 2+2+0, B 1+0+2, C 0+1+1, so A > B > C there; in y C > B > A.
    assert BORDA.aggregate(instances()).scores.tolist() == [2, 2, 2]
    assert ra.Borda().aggregate(instances()).scores.tolist() == [4, 4, 4]
    # Means in x: 7/3, 2, 5/3.
    means = ra.TwoLevel(ra.Mean(), ra.Borda())
    assert means.needs == "scores"
    assert means.aggregate(instances()).scores.tolist() == [2, 2, 2]
    # Without instances there is nothing to aggregate inside.
    table = ra.datasets.load("superglue_human")
    expected = ra.Borda().aggregate(table).scores
    np.testing.assert_allclose(BORDA.aggregate(table).scores, expected)
    # Notes of the inner rule name their task.
    cycle = ra.Profile(list(ra.datasets.load("three_cycle")), groups=["x"] * 3)
    rule = ra.TwoLevel(ra.PairwiseMajority(), ra.Borda())
    assert rule.aggregate(cycle).notes[0].startswith("x: cyclic")


def test_bad_parts_and_profiles_without_groups_are_refused() -> None:
    for call, message in (
        (lambda: ra.TwoLevel(ra.Borda(), "borda"), "`outer of TwoLevel` must be a rule"),
        (lambda: BORDA.aggregate(ra.datasets.load("tennessee")), "a profile with groups"),
    ):
        with pytest.raises(ra.exceptions.InvalidInputError, match=message):
            call()


@dataclass(frozen=True, kw_only=True)
class Stopped(Aggregator):
    """Returns what a rule does that the user stopped."""

    needs: ClassVar[Needs] = "rankings"

    def _aggregate(self, evidence, rng):
        return Outcome(scores=np.arange(len(evidence.items), dtype=float), interrupted=True)


@pytest.mark.parametrize("level", ["inner", "outer"])
def test_interruption_of_either_level_is_reported(level: str) -> None:
    stopped = Stopped()
    plain = ra.Borda()
    rule = ra.TwoLevel(stopped, plain) if level == "inner" else ra.TwoLevel(plain, stopped)
    assert rule.aggregate(instances()).interrupted
    assert not ra.TwoLevel(plain, plain).aggregate(instances()).interrupted


ABSENT = ("ranked", "unranked")
# The last two are read as other numbers when there are many others.
weights = st.one_of(strategies.weights, st.sampled_from([1e15, 1e-90, 0.1234567890123, np.pi]))
tolerances = st.one_of(
    st.just(0.0), st.fixed_dictionaries({"x": st.sampled_from([0.0, 0.25, 1.0])})
)
RULES = (ra.Borda, ra.Copeland)


@st.composite
def instance_tables(draw) -> ra.ScoreTable:
    """Draw up to five instances of up to three tasks in any order, with weights."""
    m = draw(st.integers(1, 5))
    values = score_arrays(rows=draw(st.integers(1, 5)), columns=m)
    scores = draw(values.filter(lambda drawn: not np.isnan(drawn).all(axis=0).any()))
    tasks = draw(st.lists(st.sampled_from("xyz"), min_size=m, max_size=m))
    return ra.ScoreTable(
        scores, tasks=tasks, instances=range(m), higher_is_better=draw(st.booleans()),
        task_weights={task: draw(strategies.weights) for task in sorted(set(tasks))},
    )  # fmt: skip


def by_definition(
    rule: ra.TwoLevel, data: ra.ScoreTable | ra.Profile, tolerance: object = 0.0
) -> ra.Consensus:
    """Rank inside each task by itself, then the rankings of the tasks; no array is shared."""
    rankings, task_weights, groups = [], [], []
    profile = data if isinstance(data, ra.Profile) else data.rankings(tolerance)
    for group, inside in profile.by_group().items():
        ranking = rule.inner.aggregate(inside).ranking
        if rule.absent == "unranked":
            here = inside.ranks >= (0 if data.unranked == "last" else ra.UNLISTED)
            here &= inside.ranks != ra.UNRANKED
            seen = [item for item, at in zip(inside.items, here.any(axis=0), strict=True) if at]
            nothing = ra.PartialRanking([ra.UNRANKED] * profile.n_items, profile.items)
            ranking = ranking.restrict(seen).reindex(profile.items) if seen else nothing
        rankings.append(ranking)
        task_weights.append(inside.total_weight / inside.n_rankings)
        groups.append(group)
    together = ra.Profile(rankings, weights=task_weights, groups=groups)
    return rule.outer.aggregate(together.with_unranked(profile.unranked))


def assert_same(one: ra.Consensus, other: ra.Consensus) -> None:
    assert one.ranking == other.ranking
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-12)


@given(
    profile=profiles(groups=True, weights=weights, max_rows=6), policy=policies,
    absent=st.sampled_from(ABSENT), kinds=st.tuples(*[st.sampled_from(RULES)] * 2),
)  # fmt: skip
def test_rankings_are_aggregated_by_definition(profile, policy, absent, kinds) -> None:
    rule = ra.TwoLevel(*(kind() for kind in kinds), absent=absent)
    profile = profile.with_unranked(policy)
    assert_same(rule.aggregate(profile), by_definition(rule, profile))


@given(
    table=instance_tables(), tolerance=tolerances, policy=policies, absent=st.sampled_from(ABSENT)
)
def test_scores_are_aggregated_by_definition(table, tolerance, policy, absent) -> None:
    rule, table = ra.TwoLevel(ra.Borda(), ra.Borda(), absent=absent), table.with_unranked(policy)
    if isinstance(tolerance, dict) and "x" not in table.tasks:
        tolerance = 0.25
    found = rule.aggregate(table, tolerance=tolerance)
    assert_same(found, by_definition(rule, table, tolerance))


@pytest.mark.parametrize(
    ("absent", "policy"), slow_but([*product(ABSENT, POLICIES)][::2], [*product(ABSENT, POLICIES)])
)
def test_each_rule_treats_absent_items_by_its_own_policy(absent, policy) -> None:
    profile = ra.Profile.from_orders(["ABC", "B", "DA", "DBA", "C"], groups="xxyyz", items="ABCDE")
    data = profile.with_unranked(policy)
    kinds = ra.Borda(), ra.Bucklin(), ra.InstantRunoff()
    for inner, outer in product(kinds, kinds):
        rule = ra.TwoLevel(inner, outer, absent=absent)
        assert rule.aggregate(data).ranking == by_definition(rule, data).ranking, rule


def test_blocks_of_groups_change_no_score(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((40, 5))
    scores[rng.random(scores.shape) < 0.3] = np.nan
    names = rng.integers(0, 12, 40).tolist()
    profile = ra.Profile.from_scores(scores, higher_is_better=True, groups=names)
    grouped, groups = profile.sorted_by_group()
    rule = ra.Borda()
    whole = scores_by_group(rule, grouped, groups).tolist()
    monkeypatch.setattr(positional, "BLOCK", 50)  # two groups, ten rankings
    assert scores_by_group(rule, grouped, groups).tolist() == whole
    assert whole == [rule.aggregate(one).scores.tolist() for one in profile.by_group().values()]


def test_weights_read_separately_in_each_group_give_the_definition() -> None:
    orders = ["AB", "BA", "AB", "BA"]
    odd = [0.1, 0.1, np.pi, np.e]
    profile = ra.Profile.from_orders(orders, weights=odd, groups=["x", "x", "y", "y"])
    assert scores_by_group(ra.Borda(), *profile.sorted_by_group()) is None
    rule = ra.TwoLevel(ra.Borda(), ra.Borda())
    assert_same(rule.aggregate(profile), by_definition(rule, profile))


def test_each_row_of_scores_has_its_own_relative_tie() -> None:
    almost = 1 + 1e-15
    rows = np.array([[1.0, almost, 0.0], [1.0, almost, 1e9], [1.0, 1 + 1e-9, np.nan]])
    assert ranks_by_scores(rows).tolist() == [[0, 0, 2], [1, 1, 0], [1, 0, -1]]
    # 1e-6 is no tie where scores are near 1, whatever those of other rows are.
    rows = np.array([[1.0, 1.000001], [1e9, 1e9 + 1e-6]])
    assert ranks_by_scores(rows).tolist() == [[1, 0], [0, 0]]


@dataclass(frozen=True)
class LeastPoints(ra.Borda):
    """The order of Borda turned round."""

    def _aggregate(self, evidence, rng):
        return Outcome(scores=-super()._aggregate(evidence, rng).scores)


def test_an_inner_rule_with_a_way_of_its_own_is_asked_itself():
    profile = ra.Profile.from_orders(["ABC", "ACB", "BAC", "ABC"], groups="xxyy")
    found = ra.TwoLevel(LeastPoints(), ra.Borda()).aggregate(profile)
    assert found.scores.tolist() == [0.5, 2.0, 3.5]
