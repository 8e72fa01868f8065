"""Contract suites of rules and axioms."""

from __future__ import annotations

import ast
import copy
import itertools
import pickle
from contextlib import suppress
from dataclasses import fields
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg import Aggregator as Rule
from rankagg.aggregation.base import scores_by_group
from rankagg.axioms import Axiom, Witness, find_counterexample
from rankagg.exceptions import InformationLostError, InvalidInputError

__all__ = ["SETTINGS", "AggregatorContract", "AxiomContract"]

# Tests are inherited on purpose; no subclass changes the execution of examples.
SETTINGS = settings(
    max_examples=15,
    deadline=None,
    # The first table loads pandas, which on a busy machine exceeds the time for a draw.
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
)


# Tests on complete data.
COMPLETE = ("test_unanimity", "test_guarantee_holds", "test_one_item", "test_two_items")


@st.composite
def _score_tables(draw: st.DrawFn, *, missing: bool = True, max_systems: int = 5) -> ra.ScoreTable:
    """Draw tables of few systems and tasks with small positive scores, with frequent ties."""
    n = draw(st.integers(1, max_systems))
    m = draw(st.integers(1, 4))
    cell = st.sampled_from([1.0, 2.0, 3.0, 4.0] + 4 * missing * [float("nan")])
    values = np.array(draw(st.lists(cell, min_size=n * m, max_size=n * m))).reshape(n, m)
    empty = np.isnan(values).all(axis=0)
    values[0, empty] = 1.0  # a task without any score is refused
    systems, tasks = [f"s{i}" for i in range(n)], [f"t{j}" for j in range(m)]
    return ra.ScoreTable(values, systems=systems, tasks=tasks, higher_is_better=draw(st.booleans()))


def _rearranged(table: ra.ScoreTable, rows: Any, columns: Any) -> ra.ScoreTable:
    """Return a table with reordered systems and tasks."""
    return ra.ScoreTable(
        table.values[np.ix_(rows, columns)],
        systems=[table.systems[i] for i in rows],
        tasks=[table.tasks[j] for j in columns],
        higher_is_better=next(iter(table.higher_is_better.values())),
    )


def _assert_same(first: ra.Consensus, second: ra.Consensus) -> None:
    """Assert equal rankings and scores; for exact rules, equal sets of optima."""
    if first.optima is not None and second.optima is not None:
        assert first.cost == second.cost
        assert {one.reindex(second.items) for one in first.optima} == set(second.optima)
        return
    assert first.ranking.reindex(second.items) == second.ranking
    assert (first.scores is None) == (second.scores is None)
    if first.scores is not None and second.scores is not None:
        scores = first.scores[first.items.indices(second.items)]
        close = np.isclose(scores, second.scores, rtol=1e-9, atol=1e-9, equal_nan=True)
        assert close.all(), (scores, second.scores)


class AggregatorContract:
    """Tests of all properties of rules that the base class and the axioms require.

    Subclass it and set `rules`, the rules to be tested, with various parameters. Set
    `is_specific = False` for rules that may return any of several equally good rankings. Set
    `unanimity` for rules that return only part of a unanimous ranking: its "first" or "last" item,
    all others tied, or "none" of it.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.aggregators import AggregatorContract
    >>> class TestBorda(AggregatorContract):
    ...     rules = (ra.Approval(2), ra.Approval(3))
    """

    rules: ClassVar[tuple[ra.Aggregator, ...]]
    is_specific: ClassVar[bool] = True
    unanimity: ClassVar[Literal["ranking", "first", "last", "none"]] = "ranking"

    def assert_same(self, first: ra.Consensus, second: ra.Consensus) -> None:
        """Compare results, or only their items if the rule may return any of several."""
        if self.is_specific:
            _assert_same(first, second)
        else:
            assert set(first.items) == set(second.items)

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every rule."""
        if "rule" in metafunc.fixturenames:
            rules = list(self.rules)
            if metafunc.function.__name__ in COMPLETE:
                rules = list({rule.name: rule for rule in rules}.values())
            metafunc.parametrize("rule", rules, ids=repr)

    # -- parameters -----------------------------------------------------------------------------

    def test_repr_and_str_evaluate_to_an_equal_rule(self, rule: Rule) -> None:
        names = {name: getattr(ra, name) for name in dir(ra)}
        names[type(rule).__name__] = type(rule)
        assert eval(repr(rule), names) == eval(str(rule), names) == rule

    def test_str_states_parameters_that_differ_from_defaults(self, rule: Rule) -> None:
        call = ast.parse(str(rule), mode="eval").body
        assert isinstance(call, ast.Call)
        assert {stated.arg for stated in call.keywords} == {
            field.name
            for field in fields(rule)
            if field.compare and getattr(rule, field.name) != field.default
        }

    def test_is_frozen_hashable_and_picklable(self, rule: Rule) -> None:
        assert hash(rule) == hash(copy.deepcopy(rule))
        assert pickle.loads(pickle.dumps(rule)) == rule
        with pytest.raises(AttributeError):
            rule.anything = 1  # type: ignore[attr-defined]

    # -- results --------------------------------------------------------------------------------

    @SETTINGS
    @given(table=_score_tables())
    def test_result_covers_the_items_and_comes_again(
        self, rule: Rule, table: ra.ScoreTable
    ) -> None:
        """Results depend on the seed only and survive pickling, and the data do not change."""
        before = pickle.dumps(table)
        consensus = rule.aggregate(table, rng=1)
        assert consensus.items == table.systems
        assert consensus.rule == rule
        scored = ~table.missing.all(axis=1)
        if rule.reads_unranked != "as observed":
            assert consensus.ranking.is_complete
        else:
            assert ((consensus.ranking.ranks >= 0) == scored).all()
        assert consensus.cost >= 0
        assert consensus.ranking.is_strict or not rule.is_strict
        assert pickle.dumps(table) == before
        assert rule.aggregate(table, rng=1) == consensus
        again = pickle.loads(pickle.dumps(consensus))
        assert again == consensus
        assert hash(again) == hash(consensus)

    # -- axioms ---------------------------------------------------------------------------------

    @SETTINGS
    @given(table=_score_tables(), data=st.data())
    def test_anonymity(self, rule: Rule, table: ra.ScoreTable, data: st.DataObject) -> None:
        columns = data.draw(st.permutations(range(table.n_tasks)))
        other = _rearranged(table, list(range(table.n_systems)), columns)
        self.assert_same(rule.aggregate(table, rng=0), rule.aggregate(other, rng=0))

    @SETTINGS
    @given(table=_score_tables(), data=st.data())
    def test_neutrality(self, rule: Rule, table: ra.ScoreTable, data: st.DataObject) -> None:
        rows = data.draw(st.permutations(range(table.n_systems)))
        other = _rearranged(table, rows, list(range(table.n_tasks)))
        self.assert_same(rule.aggregate(table, rng=0), rule.aggregate(other, rng=0))

    @SETTINGS
    @given(order=st.permutations(range(5)), m=st.integers(1, 4))
    def test_unanimity(self, rule: Rule, order: list[int], m: int) -> None:
        scores = np.repeat(5.0 - np.argsort(order)[:, None], m, axis=1)
        buckets = rule.aggregate(ra.ScoreTable(scores, higher_is_better=True)).buckets
        expected = {
            "ranking": tuple((item,) for item in order),
            "first": ((order[0],), tuple(sorted(order[1:]))),
            "last": (tuple(sorted(order[:-1])), (order[-1],)),
        }
        assert buckets == expected.get(self.unanimity, buckets)

    @SETTINGS
    @given(table=_score_tables(), data=st.data())
    def test_weight_two_is_the_task_twice(
        self, rule: Rule, table: ra.ScoreTable, data: st.DataObject
    ) -> None:
        chosen = data.draw(st.integers(0, table.n_tasks - 1))
        weighted = table.with_task_weights({table.tasks[chosen]: 2})
        doubled = ra.ScoreTable(
            np.column_stack([table.values, table.values[:, chosen]]),
            systems=table.systems,
            tasks=[*table.tasks, "again"],
            higher_is_better=next(iter(table.higher_is_better.values())),
        )
        self.assert_same(rule.aggregate(weighted, rng=0), rule.aggregate(doubled, rng=0))

    @SETTINGS
    @given(orders=st.lists(st.permutations(range(5)), min_size=1, max_size=4))
    def test_guarantee_holds(self, rule: Rule, orders: list[list[int]]) -> None:
        """Tested on complete strict rankings; guarantees in expectation are tested elsewhere."""
        if rule.guarantee is None or rule.guarantee.in_expectation:
            return
        profile = ra.Profile.from_orders(orders, items=range(5))
        votes = profile.pairwise()
        least = min(
            votes.cost(ra.Permutation.from_order(order))
            for order in itertools.permutations(range(5))
        )
        assert rule.aggregate(profile).cost <= rule.guarantee.factor * least + 1e-9

    def test_groups_scored_together_are_scored_as_apart(self, rule: Rule) -> None:
        rng = np.random.default_rng(0)
        ranks = np.where(rng.random((9, 4)) < 0.3, np.nan, rng.integers(1, 4, (9, 4)))
        profile = ra.Profile.from_ranks(ranks, groups=list("zxyzzxyxx"))
        together = scores_by_group(rule, *profile.sorted_by_group())
        if together is None:
            return
        apart = [rule.aggregate(group).scores for group in profile.by_group().values()]
        np.testing.assert_array_equal(together, np.array(apart))

    def test_policies_for_unranked_items_are_not_all_alike(self, rule: Rule) -> None:
        # One of twenty tables suffices; a rule may also refuse a policy.
        if rule.reads_unranked != "by policy":
            return
        rng = np.random.default_rng(0)
        scores = np.where(rng.random((20, 4, 3)) < 0.3, np.nan, rng.integers(1, 5, (20, 4, 3)))
        tables = [ra.ScoreTable(one, higher_is_better=True) for one in scores]
        with suppress(InvalidInputError):
            both = ((one, one.with_unranked("last")) for one in tables)
            differ = (len({rule.aggregate(d, rng=0).ranking for d in pair}) > 1 for pair in both)
            assert any(differ), f"{type(rule).__name__} ignores the policy of the data"

    # -- statements of the class ----------------------------------------------------------------

    def test_names_for_the_command_line_make_the_rule(self, rule: Rule) -> None:
        kind = type(rule)
        assert all(type(kind(**named)) is kind for named in kind.command_names.values())

    def test_no_small_profile_contradicts_what_is_stated_on_axioms(self, rule: Rule) -> None:
        stated = {*rule.keeps, *rule.breaks, *rule.counterexamples}
        assert stated <= {axiom.name for axiom in ra.axioms.AXIOMS}
        if not stated:
            return
        table = ra.axioms.axiom_table([rule], n_items=3, n_rankings=2).to_frame()
        assert not table.broken[table.proved == "keeps"].any()

    # -- small and degenerate data --------------------------------------------------------------

    def test_one_item(self, rule: Rule) -> None:
        consensus = rule.aggregate(ra.ScoreTable([[1.0, 2.0]], higher_is_better=True))
        assert consensus.order == (0,)
        assert consensus.cost == 0

    def test_two_items(self, rule: Rule) -> None:
        consensus = rule.aggregate(ra.ScoreTable([[1.0], [2.0]], higher_is_better=True))
        assert consensus.order == (1, 0)

    @pytest.mark.parametrize(
        "poor", [ra.Profile, ra.PairwiseMatrix], ids=lambda kind: kind.__name__
    )
    def test_takes_what_it_needs_and_refuses_less(self, rule: Rule, poor: type) -> None:
        profile = ra.Profile.from_ranks([[0, 1, 2], [1, 0, 2]], groups=["x", "y"])
        data = profile if poor is ra.Profile else profile.pairwise()
        enough = {"scores": (), "rankings": (ra.Profile,), "votes": (ra.Profile, ra.PairwiseMatrix)}
        if poor in enough[rule.needs]:
            assert rule.aggregate(data).items == profile.items
        else:
            with pytest.raises(InformationLostError, match=poor.__name__):
                rule.aggregate(data)


class AxiomContract:
    """Tests of the description of an axiom, and of the profiles that break it.

    Subclass it and set `axiom`, a rule that breaks it and one that keeps it, both on profiles of at
    most `n_items` items and `n_rankings` rankings.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.aggregators import AxiomContract
    >>> class TestMajority(AxiomContract):
    ...     axiom = ra.axioms.Majority()
    ...     broken_by, kept_by = ra.Borda(), ra.Plurality()
    """

    axiom: ClassVar[Axiom]
    broken_by: ClassVar[ra.Aggregator]
    kept_by: ClassVar[ra.Aggregator]
    n_items: ClassVar[int] = 3
    n_rankings: ClassVar[int] = 4

    def _found(self, rule: ra.Aggregator) -> Witness | None:
        return find_counterexample(
            rule, self.axiom, n_items=self.n_items, n_rankings=self.n_rankings
        )

    @pytest.fixture
    def witness(self) -> Witness:
        """Find the smallest profile on which the rule breaks the axiom."""
        found = self._found(self.broken_by)
        assert found is not None
        return found

    def test_it_says_what_it_is(self) -> None:
        assert self.axiom.name == self.axiom.name.lower()
        assert self.axiom.definition.endswith(".")
        assert self.axiom.source

    def test_it_is_a_value(self) -> None:
        assert pickle.loads(pickle.dumps(self.axiom)) == self.axiom
        with pytest.raises(AttributeError):
            self.axiom.anything = 1  # type: ignore[attr-defined]

    def test_the_counterexample_verifies_and_has_a_sentence(self, witness: Witness) -> None:
        assert witness.verify()
        assert witness.sentence.endswith(".")

    def test_names_of_items_do_not_matter(self, witness: Witness) -> None:
        profile = witness.profiles[0]
        others = dict(zip(profile.items, reversed(list(profile.items)), strict=True))
        orders = [[others[item] for item in ranking.order] for ranking in profile]
        renamed = ra.Profile.from_orders(orders, items=profile.items, counts=profile.counts)
        assert self.axiom.check(self.broken_by, renamed) is not None

    def test_a_rule_that_keeps_it_has_no_witness(self) -> None:
        assert self._found(self.kept_by) is None
