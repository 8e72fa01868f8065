"""Summed scores, against the scores themselves."""

from fractions import Fraction
from math import isnan

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankagg as ra
from rankagg.core import exact_sum, score_summary
from rankagg.exceptions import DataFormatError, InvalidInputError, ItemMismatchError
from rankagg.kernels import counting
from tests.strategies import POLICIES

NAN = float("nan")
WEIGHTS = (1.0, 2.0, 0.1, 1 / 3, 0.7310585786300049)


@st.composite
def tables(draw, max_systems=5, max_units=9):
    """Draw an instance-level table with ties, gaps and tasks of both directions."""
    n, m = draw(st.integers(1, max_systems)), draw(st.integers(1, max_units))
    values = draw(
        arrays(np.float64, (n, m), elements=st.sampled_from([0, 0.1, 0.25, -3.5, 7, NAN, NAN]))
    )
    names = draw(st.lists(st.sampled_from("xyz"), min_size=m, max_size=m))
    values[0, np.isnan(values).all(axis=0)] = 1.0  # empty units have a test of their own
    tasks = sorted(set(names))
    return ra.ScoreTable(
        values,
        tasks=names,
        instances=range(m),
        higher_is_better={task: draw(st.booleans()) for task in tasks},
        task_weights={task: draw(st.sampled_from(WEIGHTS)) for task in tasks},
    )


def assert_same_votes(found, expected):
    assert found == expected
    assert found.denominator == expected.denominator
    assert found.exact_weight == expected.exact_weight
    assert found.rounding == expected.rounding
    assert found.is_decided == expected.is_decided
    assert found._shares == expected._shares
    assert found.fingerprint == expected.fingerprint
    np.testing.assert_allclose(found.squared_weights, expected.squared_weights, rtol=1e-12)


class TestAgainstTheScores:
    @settings(max_examples=8)
    @given(table=tables(), policy=st.sampled_from(POLICIES))
    def test_sums_give_the_votes_means_and_points_of_scores(self, table, policy):
        summary = ra.ScoreSummary.from_scores(table)
        summary, table = summary.with_unranked(policy), table.with_unranked(policy)
        borda, copeland = ra.Borda(), ra.Copeland()
        assert_same_votes(summary.pairwise(), table.rankings().pairwise())
        for rule in (
            borda,
            copeland,
            ra.TwoLevel(borda, borda),
            ra.TwoLevel(borda, copeland, "unranked"),
            ra.TwoLevel(copeland, borda),
            ra.TwoLevel(ra.Mean(), borda),
        ):
            found, expected = rule.aggregate(summary), rule.aggregate(table)
            assert found == expected, rule
            assert found.notes == expected.notes
        for signed in (False, True):
            np.testing.assert_array_equal(
                summary.task_scores(signed=signed), table.task_scores(signed=signed)
            )
        assert ra.Mean().aggregate(summary) == ra.Mean().aggregate(table)
        assert ra.Median().aggregate(summary) == ra.Median().aggregate(table)
        assert summary.n_missing == table.n_missing
        assert summary.n_units == table.n_units

    def test_shares_of_many_systems_are_rounded_alike(self):
        n, rng = 101, np.random.default_rng(101)
        values = rng.integers(0, 50, (n, 60)).astype(float)
        values[rng.random(values.shape) < rng.random(60)] = NAN
        values[0, np.isnan(values).all(axis=0)] = 0
        table = ra.ScoreTable(
            values, higher_is_better=True, tasks=["x"] * 40 + ["y"] * 20, instances=range(60),
            task_weights={"y": 3},
        )  # fmt: skip
        summary = ra.ScoreSummary.from_scores(table)
        assert summary.tallies["x"].shares is None
        halves = [_units(table, np.arange(start, 60, 2)) for start in (0, 1)]
        assert sum((ra.ScoreSummary.from_scores(half) for half in halves[1:]),
                   ra.ScoreSummary.from_scores(halves[0])) == summary  # fmt: skip
        for policy in POLICIES:
            summed, scored = summary.with_unranked(policy), table.with_unranked(policy)
            assert_same_votes(summed.pairwise(), scored.rankings().pairwise())
            assert ra.Borda().aggregate(summed) == ra.Borda().aggregate(scored)
        assert summary.pairwise().rounding > 0

    def test_shares_of_many_systems_that_fit_are_exact(self):
        values = np.random.default_rng(1).normal(size=(101, 30))
        values[:50, ::3] = NAN
        table = ra.ScoreTable(values, higher_is_better=True, tasks=["x"] * 30, instances=range(30))
        summary = ra.ScoreSummary.from_scores(table)
        assert_same_votes(summary.pairwise(), table.rankings().pairwise())
        assert summary.pairwise().rounding == 0


def _units(table, part, systems=slice(None)):
    tasks = [table.tasks[t] for t in table.unit_tasks[part]]
    return ra.ScoreTable(
        table.values[systems, part],
        systems=table.systems.labels[systems],
        tasks=tasks,
        instances=[table.instances[int(p)] for p in part],
        higher_is_better={task: table.higher_is_better[task] for task in tasks},
        task_weights={task: table.task_weights[task] for task in tasks},
    )


class TestKernels:
    @pytest.mark.parametrize(("n", "m"), [(1, 3), (2, 9), (3, 64), (130, 5), (5, 300)])
    def test_wins_and_leads_of_score_columns_equal_the_loop(self, n, m, monkeypatch):
        monkeypatch.setattr(counting, "UNITS_AT_ONCE", 64)
        rng = np.random.default_rng(n * m)
        columns = rng.integers(0, 4, (n, m)).astype(float)
        columns[rng.random((n, m)) < 0.3] = NAN
        wins, behind = counting.count_scores(columns, leads=True)
        above = columns[:, None] > columns[None]
        assert wins.tolist() == above.sum(axis=2).tolist()
        assert behind.tolist() == (above.sum(axis=0) - above.sum(axis=1)).tolist()
        assert counting.count_scores(columns, leads=False)[1].size == 0

    @pytest.mark.parametrize("n", [127, 128, 129, 300])
    def test_leads_larger_than_a_byte_are_counted(self, n):
        columns = np.arange(float(n))[:, None].repeat(9, axis=1)
        _, behind = counting.count_scores(columns, leads=True)
        assert behind[:, 8].tolist() == list(range(n - 1, -n, -2))

    @given(
        values=arrays(
            np.float64, st.tuples(st.integers(1, 3), st.integers(0, 8)),
            elements=st.floats(allow_infinity=False, allow_nan=True),
        )
    )  # fmt: skip
    def test_sums_are_exact(self, values):
        expected = [sum(Fraction(v) for v in row if not isnan(v)) for row in values.tolist()]
        assert [Fraction(total, 1 << 1074) for total in exact_sum.exact_sums(values)] == expected

    @given(
        values=arrays(
            np.float64, st.integers(1, 8), elements=st.floats(allow_infinity=False, allow_nan=False)
        )
    )
    @example(values=np.full(3, np.finfo(np.float64).max))
    @example(values=np.full(7, -np.finfo(np.float64).max))
    @example(values=np.array([5e-324, 5e-324, 0.0]))
    def test_means_are_those_of_tables(self, values):
        there = np.ones((1, len(values)), dtype=bool)
        groups = np.zeros(len(values), dtype=np.int64)
        expected = exact_sum.mean_by_group(values[None], there, groups, 1)[0, 0]
        (total,) = exact_sum.exact_sums(values[None])
        for room in (0, 900):
            shift = room + exact_sum.FLOAT_PLACES - abs(total).bit_length()
            mean = np.array(score_summary._exact_mean(total, len(values), shift))
            assert exact_sum.restored(mean, shift) == expected


class TestWhatIsRefused:
    def summary(self, **changes):
        table = ra.ScoreTable(
            [[1.0, 2.0], [2.0, NAN]],
            **{"systems": "AB", "tasks": "xy", "higher_is_better": True, **changes},
        )
        return ra.ScoreSummary.from_scores(table)

    def test_unsuitable_data_and_rules_are_refused(self):
        with pytest.raises(ItemMismatchError, match="'C'"):
            self.summary() + self.summary(systems="AC")
        with pytest.raises(InvalidInputError, match="higher_is_better"):
            self.summary() + self.summary(higher_is_better=False)
        with pytest.raises(InvalidInputError, match="tolerance"):
            ra.Borda().aggregate(self.summary(), tolerance=0.1)
        for rule in (ra.Bucklin(), ra.TwoLevel(ra.Bucklin(), ra.Borda())):
            with pytest.raises(ra.exceptions.InformationLostError, match="read_scores"):
                rule.aggregate(self.summary())

    def test_damaged_plain_data_are_refused(self):
        plain = self.summary().to_dict()
        for damage in (
            {}, {**plain, "version": 9}, {**plain, "systems": ["A"]}, {**plain, "tasks": [1]},
            {**plain, "tasks": [{**plain["tasks"][0], "tally": {"wins": [[0.5]]}}]},
        ):  # fmt: skip
            with pytest.raises((DataFormatError, InvalidInputError)):
                ra.ScoreSummary.from_dict(damage)
