"""What every study promises, and every mechanism of missing scores."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from joblib import parallel_config

import rankagg as ra
from rankagg import _pandas as pd

__all__ = ["RemovalContract", "StudyContract"]

FULL = ra.distributions.LatentScores([0, 1, 2, 3, 4]).sample(4, 3, rng=0)


class StudyContract:
    """Tests that a study is a value, and that its figures depend on it alone.

    Subclass it and set `study`, one that takes a second; its result is a `DataFrame`, or has
    `to_frame`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.studies import StudyContract
    >>> class TestCycles(StudyContract):
    ...     study = ra.studies.CycleStudy(
    ...         models=[ra.cultures.ImpartialCulture()], n_rankings=[3], n_repetitions=4
    ...     )
    """

    study: ClassVar[Any]

    def _frame(self, study: Any, **options: Any) -> pd.DataFrame:
        result = study.run(progress=False, **options)
        frame = result if isinstance(result, pd.DataFrame) else result.to_frame()
        return frame.drop(columns="runtime", errors="ignore")

    def test_it_is_a_value(self) -> None:
        assert pickle.loads(pickle.dumps(self.study)) == self.study
        with pytest.raises(AttributeError):
            self.study.anything = 1

    def test_workers_change_no_figure(self) -> None:
        with parallel_config("threading"):
            together = self._frame(self.study, n_jobs=2)
        pd.testing.assert_frame_equal(together, self._frame(self.study))

    def test_it_goes_on_from_its_journal(self, tmp_path: Path) -> None:
        path = tmp_path / "study.jsonl"
        whole = self._frame(self.study, journal=path)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[: 1 + len(lines) // 2]), encoding="utf-8")
        pd.testing.assert_frame_equal(self._frame(self.study, journal=path), whole)
        assert path.read_text(encoding="utf-8").splitlines(keepends=True)[:1] == lines[:1]

    def test_the_journal_of_another_seed_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "study.jsonl"
        self._frame(self.study, journal=path)
        other = replace(self.study, seed=self.study.seed + 1)
        with pytest.raises(ValueError, match="journal"):
            other.run(journal=path, progress=False)


@pytest.mark.parametrize("whole_tasks", [True, False])
class RemovalContract:
    """Tests that a mechanism takes what it is asked for, of what is there, by its random numbers.

    Subclass it and set `removal`, and `table` where it is for other systems or tasks.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.studies import RemovalContract
    >>> class TestBySystem(RemovalContract):
    ...     removal = ra.studies.BySystem(spread=3)
    """

    removal: ClassVar[ra.studies.Removal]
    table: ClassVar[ra.ScoreTable] = ra.studies.AtRandom().remove(FULL, 0.2, rng=0)

    def test_as_many_go_as_are_asked_for_and_the_rest_stays(self, whole_tasks: bool) -> None:
        for share in (0.0, 0.25, 0.5):
            left = self.removal.remove(self.table, share, whole_tasks=whole_tasks, rng=0)
            entries = [t.task_scores() if whole_tasks else t.values for t in (self.table, left)]
            total, rest = (int(np.isfinite(one).sum()) for one in entries)
            assert rest == total - int(share * total + 0.5)
            before = self.table.to_frame()[left.to_frame().columns]
            assert before.equals(left.to_frame().fillna(before))

    def test_random_numbers_decide_and_directions_do_not(self, whole_tasks: bool) -> None:
        same = pickle.loads(pickle.dumps(self.removal))
        assert {same} == {self.removal}
        mirrored = ra.ScoreTable(-self.table.to_frame(), higher_is_better=False)
        left = same.remove(self.table, 0.5, whole_tasks=whole_tasks, rng=0).to_frame()
        other = self.removal.remove(mirrored, 0.5, whole_tasks=whole_tasks, rng=0).to_frame()
        assert left.equals(-other)
