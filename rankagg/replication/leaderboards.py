"""The tables that the papers speak of: which files they are, and whether they are there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import rankagg as ra
from rankagg.datasets.catalogue import load
from rankagg.exceptions import Described, InvalidInputError
from rankagg.studies.sources import table_digest


@dataclass(frozen=True)
class Leaderboard:
    """A file with scores."""

    # Its path below the folder of the data.
    file: str
    # The first digits of the `table_digest` of the papers' table.
    digest: str
    # How `read_scores` reads it.
    options: Mapping[str, Any]


def _at(file: str, digest: str, **options: Any) -> Leaderboard:
    return Leaderboard(f"{file}.csv", digest, {"higher_is_better": True, **options})


def _of_instances(name: str, digest: str, **options: Any) -> Leaderboard:
    return _at(f"instances/{name}", digest, instance="instance", **options)


def _of_authors(name: str, digest: str) -> Leaderboard:
    # Their headings of systems and instances are exchanged.
    file = f"authors/p1/final_df/{name}"
    return _at(file, digest, instance="System", system="Utterance")


#: The leaderboards by name.
LEADERBOARDS: Mapping[str, Leaderboard] = {
    "GLUE": _at("tasks/glue_full", "acb368a5aa31fc61", drop=("Score",)),
    "GLUE with Score": _at("tasks/glue_full", "9be60793226bb039"),
    "SuperGLUE": _at("tasks/superglue_full", "f9bce98720b628fe", drop=("Score",)),
    "SuperGLUE with Score": _at("tasks/superglue_full", "8e17df66bdd72605"),
    "XTREME": _at("tasks/xtreme", "d94836d799859f79"),
    "XTREME Score": _at("tasks/xtreme_leaderboard_score", "ae27d73832120856"),
    "XTREME with gaps": _at("tasks/xtreme_missing", "3c9904b4f0ccc27e"),
    "GEM": _at("authors/p2/data_task/gem_filtered", "8ef66ea5d32aab7f"),
    "GEM of 22": _at("authors/p2/data_task/gem", "6ba63fea5ff9b107"),
    "GEM BLEU": _at("tasks/gem_bleu_main", "631518f957b445c4"),
    "dialog_pc": _of_instances("dialog_pc", "81412ee50ddf560e"),
    "dialog_tc": _of_instances("dialog_tc", "29aeda554c841548"),
    "flickr": _of_instances("flickr", "f4f1298e52376ce0"),
    "sum_eval": _of_instances("sum_eval", "456693d35aa15107"),
    "tac_08": _of_instances("tac_08", "75c5ce5aaa776989"),
    "mlqe": _of_authors("MLQE", "60f3d660dc7ea1e6"),
    "real_sum": _of_authors("REAL_SUM", "e9f693d7e5ae8b5d"),
    "tac_09": _of_authors("TAC_09", "1f1e539043050f68"),
    "tac_11": _of_authors("TAC_11", "f551fcc32ff0e32d"),
    "dialogue with gaps": _of_instances(
        "m_dialogue_pc_missing", "d6a0f92761da4b3e", higher_is_better=False
    ),
}


def load_table(name: str) -> ra.ScoreTable:
    """Return a bundled table of scores."""
    table = load(name)
    assert isinstance(table, ra.ScoreTable)
    return table


class Leaderboards:
    """Those of the leaderboards that a folder has."""

    def __init__(self, folder: str | PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None and not self._folder.is_dir():
            raise InvalidInputError("data", "a folder of leaderboards", Described(str(folder)))
        self._read: dict[str, ra.ScoreTable] = {}

    def why_not(self, name: str) -> str:
        """Say why a leaderboard cannot be used; "" where it can."""
        leaderboard = LEADERBOARDS[name]
        if self._folder is None:
            return f"needs {leaderboard.file}, which is not bundled"
        if not (self._folder / leaderboard.file).is_file():
            return f"there is no {leaderboard.file} in the folder of the data"
        if not table_digest(self[name]).startswith(leaderboard.digest):
            return f"{leaderboard.file} is another version than the papers'"
        return ""

    def content_of(self, file: str) -> Any:
        """Return what a file of the authors holds that is no table; None where it is not there."""
        path = None if self._folder is None else self._folder / file
        return json.loads(path.read_text(encoding="utf-8")) if path and path.is_file() else None

    def __contains__(self, name: str) -> bool:
        return not self.why_not(name)

    def __getitem__(self, name: str) -> ra.ScoreTable:
        """Return a table, read once."""
        if self._folder is None:
            raise KeyError(name)
        if name not in self._read:
            known = LEADERBOARDS[name]
            self._read[name] = ra.read_scores(self._folder / known.file, **known.options)
        return self._read[name]
