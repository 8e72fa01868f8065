"""What every study promises."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from joblib import parallel_config

from rankagg import _pandas as pd

__all__ = ["StudyContract"]


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
