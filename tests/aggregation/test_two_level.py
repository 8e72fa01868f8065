"""Two levels: by hand, by composition, and for systems absent from a whole task."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation import Aggregator, Needs, Outcome

BORDA = ra.TwoLevel(ra.Borda(), ra.Borda())
NAN = float("nan")


def instances() -> ra.ScoreTable:
    """Two tasks with three and one instance."""
    return ra.ScoreTable(
        [[3, 3, 1, 0], [2, 1, 3, 1], [1, 2, 2, 2]], systems="ABC",
        tasks=["x", "x", "x", "y"], instances=[0, 1, 2, 0], higher_is_better=True,
    )  # fmt: skip


def test_two_levels_by_hand() -> None:
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
    # Notes of the inner rule are told with their task.
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
def test_a_search_that_the_user_stopped_is_told(level: str) -> None:
    stopped = Stopped()
    plain = ra.Borda()
    rule = ra.TwoLevel(stopped, plain) if level == "inner" else ra.TwoLevel(plain, stopped)
    assert rule.aggregate(instances()).interrupted
    assert not ra.TwoLevel(plain, plain).aggregate(instances()).interrupted
