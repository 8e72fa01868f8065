"""What every corruption promises."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest

import rankagg as ra
from rankagg._typing import Floats
from rankagg.exceptions import InvalidInputError
from rankagg.studies import Corruption

__all__ = ["CorruptionContract"]

SCORES = np.random.default_rng(0).normal(size=(5, 6))
NAMES: dict[str, Any] = {"systems": "ABCDE", "tasks": list("xxyyzz"), "instances": [0, 1] * 3}
TABLE = ra.ScoreTable(SCORES, higher_is_better=True, **NAMES)
MIRRORED = ra.ScoreTable(-SCORES, higher_is_better=False, **NAMES)
INCOMPLETE = TABLE._with(values=np.where(SCORES.max() == SCORES, np.nan, SCORES))


class CorruptionContract:
    """Tests that a corruption is a value, and touches nothing but scores of its tasks.

    Subclass it and set `corruption`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.corruptions import CorruptionContract
    >>> class TestReversed(CorruptionContract):
    ...     corruption = ra.studies.Reversed()
    """

    corruption: ClassVar[Corruption]

    def _values(self, table: ra.ScoreTable) -> Floats:
        return self.corruption.corrupt(table, ["z", "x"], rng=3).values

    def test_it_is_a_value_with_a_name(self) -> None:
        assert pickle.loads(pickle.dumps(self.corruption)) == self.corruption
        assert self.corruption.name
        with pytest.raises(AttributeError):
            self.corruption.after = None  # type: ignore[misc]

    def test_other_tasks_stay_and_the_seed_decides(self) -> None:
        values = self._values(TABLE)
        np.testing.assert_array_equal(values[:, 2:4], TABLE.values[:, 2:4])
        np.testing.assert_array_equal(values, self._values(TABLE))
        assert self.corruption.corrupt(TABLE, []) == TABLE

    def test_the_direction_of_a_task_does_not_matter(self) -> None:
        np.testing.assert_allclose(self._values(MIRRORED), -self._values(TABLE))

    def test_missing_scores_stay_missing_or_are_refused(self) -> None:
        if self.corruption.needs_all:
            with pytest.raises(InvalidInputError, match="missing score"):
                self._values(INCOMPLETE)
        else:
            assert np.isnan(self._values(INCOMPLETE)).tolist() == INCOMPLETE.missing.tolist()

    def test_it_takes_part_in_a_study(self) -> None:
        kinds = [self.corruption]
        study = ra.studies.CorruptionStudy(models=[TABLE], corruptions=kinds, n_repetitions=2)
        distances = study.run(progress=False).to_frame()["distance"]
        assert distances.between(0, 1).all()
        assert not distances[:3].any()
