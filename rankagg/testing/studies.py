"""Contract suites of studies, corruptions, and mechanisms of missing scores."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config

import rankagg as ra
from rankagg._typing import Floats
from rankagg.exceptions import InvalidInputError

__all__ = ["CorruptionContract", "RemovalContract", "StudyContract"]

FULL = ra.distributions.LatentScores([0, 1, 2, 3, 4]).sample(4, 3, rng=0)
INCOMPLETE = ra.studies.RandomRemoval().remove(FULL, 0.2, rng=0)


def _mirrored(table: ra.ScoreTable) -> ra.ScoreTable:
    return ra.ScoreTable(-table.to_frame(), higher_is_better=False)


class StudyContract:
    """Tests that a study is a value, and that its figures depend only on it.

    Subclass it and set `study`, one that takes a second; its result is a `DataFrame`, or has
    `to_frame`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.studies import StudyContract
    >>> class TestCycles(StudyContract):
    ...     study = ra.studies.CycleStudy(
    ...         data=ra.cultures.ImpartialCulture(), n_rankings=[3], n_repetitions=4, rng=0
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

    def test_it_continues_from_its_journal(self, tmp_path: Path) -> None:
        path = tmp_path / "study.jsonl"
        complete = self._frame(self.study, journal=path)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[: 1 + len(lines) // 2]), encoding="utf-8")
        pd.testing.assert_frame_equal(self._frame(self.study, journal=path), complete)
        assert path.read_text(encoding="utf-8").splitlines(keepends=True)[:1] == lines[:1]

    def test_the_journal_of_another_seed_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "study.jsonl"
        self._frame(self.study, journal=path)
        other = replace(self.study, rng=self.study.rng + 1)
        with pytest.raises(ValueError, match="journal"):
            other.run(journal=path, progress=False)


class CorruptionContract:
    """Tests that a corruption is a value, and changes only scores of its tasks.

    Subclass it and set `corruption`.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.studies import CorruptionContract
    >>> class TestReversed(CorruptionContract):
    ...     corruption = ra.studies.ReversedScores()
    """

    corruption: ClassVar[ra.studies.Corruption]

    def _values(self, table: ra.ScoreTable) -> Floats:
        return self.corruption.corrupt(table, [2, 0], rng=3).values

    def test_it_is_a_value_with_a_name(self) -> None:
        assert pickle.loads(pickle.dumps(self.corruption)) == self.corruption
        assert self.corruption.name
        with pytest.raises(AttributeError):
            self.corruption.after = None  # type: ignore[misc]

    def test_other_tasks_stay_and_the_seed_decides(self) -> None:
        values, others = self._values(FULL), np.isin(FULL.unit_tasks, [1, 3])
        np.testing.assert_array_equal(values[:, others], FULL.values[:, others])
        np.testing.assert_array_equal(values, self._values(FULL))
        assert self.corruption.corrupt(FULL, []) == FULL

    def test_the_direction_of_a_task_does_not_matter(self) -> None:
        np.testing.assert_allclose(self._values(_mirrored(FULL)), -self._values(FULL))

    def test_missing_scores_stay_missing_or_are_refused(self) -> None:
        if self.corruption.needs_all:
            with pytest.raises(InvalidInputError, match="missing score"):
                self._values(INCOMPLETE)
        else:
            assert np.isnan(self._values(INCOMPLETE)).tolist() == INCOMPLETE.missing.tolist()

    def test_it_takes_part_in_a_study(self) -> None:
        kinds = [self.corruption]
        study = ra.studies.CorruptionStudy(data=FULL, corruptions=kinds, n_repetitions=2, rng=0)
        distances = study.run(progress=False).to_frame()["distance"]
        assert distances.between(0, 1).all()
        assert not distances[:3].any()


@pytest.mark.parametrize("whole_tasks", [True, False])
class RemovalContract:
    """Tests that a mechanism removes the right number of entries, by its random numbers.

    Subclass it and set `removal`, and `table` if it is for other systems or tasks.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.studies import RemovalContract
    >>> class TestBySystem(RemovalContract):
    ...     removal = ra.studies.RemovalBySystem(spread=3)
    """

    removal: ClassVar[ra.studies.ScoreRemoval]
    table: ClassVar[ra.ScoreTable] = INCOMPLETE

    def test_the_requested_number_goes_and_the_rest_stays(self, whole_tasks: bool) -> None:
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
        left = same.remove(self.table, 0.5, whole_tasks=whole_tasks, rng=0).to_frame()
        other = same.remove(_mirrored(self.table), 0.5, whole_tasks=whole_tasks, rng=0).to_frame()
        assert left.equals(-other)

    def test_it_takes_part_in_a_study(self, whole_tasks: bool) -> None:
        kind = (ra.studies.ConfidenceStudy, ra.studies.MissingScoresStudy)[whole_tasks]
        study = kind(data=self.table, removals=[self.removal], proportions=[0.25], rng=0)
        frame = replace(study, n_repetitions=2).run(progress=False).to_frame()
        assert frame["error"].isna().all()
        assert {self.removal.name} >= set(frame.get("removal", ()))
