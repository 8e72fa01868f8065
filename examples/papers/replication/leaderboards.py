"""The tables that the papers speak of, found by their content in any folder that has them."""

from __future__ import annotations

import json
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import rankagg as ra
from rankagg.exceptions import DataWarning, InvalidInputError, RankaggError

#: Where the authors of the papers, and others, published what they used.
FIRST_PAPER: Final = "https://github.com/PierreColombo/RankingNLPSystems"
SECOND_PAPER: Final = "https://github.com/AnasHimmi/MissingDataRanking"
GEM_RESULTS: Final = "https://gem-benchmark.com"


@dataclass(frozen=True)
class Leaderboard:
    """A table of scores that the papers used, or the folder that a run left behind."""

    # The first digits of its `table_digest`; of a folder those of all its files.
    digest: str
    # Where it is published, and what the file is called there.
    source: str
    file: str


# A date in the name of a system; and bytes of a file that is larger than all that the papers used.
DATE, LARGEST = r"[A-Z][a-z]{2} \d{1,2} \d{4}", 2_000_000
#: What is no table: rankings of the second paper's instances, by three rules.
RUN: Final = "the run on 34 data sets"

#: The leaderboards by name.
LEADERBOARDS: Mapping[str, Leaderboard] = {
    "GLUE": Leaderboard("acb368a5aa31fc61", SECOND_PAPER, "data_task/glue.csv"),
    "GLUE with Score": Leaderboard("9be60793226bb039", SECOND_PAPER, "data_task/glue.csv"),
    "SuperGLUE": Leaderboard("f9bce98720b628fe", SECOND_PAPER, "data_task/superglue.csv"),
    "SuperGLUE with Score": Leaderboard(
        "8e17df66bdd72605", SECOND_PAPER, "data_task/superglue.csv"
    ),
    "XTREME": Leaderboard("d94836d799859f79", SECOND_PAPER, "data_task/xtrem.csv"),
    "XTREME Score": Leaderboard("19e905acc7312da1", SECOND_PAPER, "data_task/xtrem.csv"),
    "XTREME with gaps": Leaderboard(
        "baa78503d517db21", SECOND_PAPER, "example_data_cli/xtreme_missing.csv"
    ),
    "GEM": Leaderboard("8ef66ea5d32aab7f", SECOND_PAPER, "data_task/gem_filtered.csv"),
    "GEM of 22": Leaderboard("6ba63fea5ff9b107", SECOND_PAPER, "data_task/gem.csv"),
    "GEM BLEU": Leaderboard("631518f957b445c4", GEM_RESULTS, "gem_bleu_main.csv"),
    "dialog_pc": Leaderboard("81412ee50ddf560e", FIRST_PAPER, "final_df/DIALOG_pc.csv"),
    "dialog_tc": Leaderboard("29aeda554c841548", FIRST_PAPER, "final_df/DIALOG_tc.csv"),
    "flickr": Leaderboard("f4f1298e52376ce0", FIRST_PAPER, "final_df/FLICKR.csv"),
    "sum_eval": Leaderboard("456693d35aa15107", FIRST_PAPER, "final_df/SUM_EVAL.csv"),
    "tac_08": Leaderboard("75c5ce5aaa776989", FIRST_PAPER, "final_df/TAC_08.csv"),
    "mlqe": Leaderboard("60f3d660dc7ea1e6", FIRST_PAPER, "final_df/MLQE.csv"),
    "real_sum": Leaderboard("e9f693d7e5ae8b5d", FIRST_PAPER, "final_df/REAL_SUM.csv"),
    "tac_09": Leaderboard("1f1e539043050f68", FIRST_PAPER, "final_df/TAC_09.csv"),
    "tac_11": Leaderboard("f551fcc32ff0e32d", FIRST_PAPER, "final_df/TAC_11.csv"),
    "dialogue with gaps": Leaderboard(
        "d6a0f92761da4b3e", SECOND_PAPER, "example_data_cli/DIALOGUE_pc_missing.csv"
    ),
    RUN: Leaderboard("392ed3d6df100134", SECOND_PAPER, "instance_level_correlations"),
}


def load_table(name: str) -> ra.ScoreTable:
    """Return a bundled table of scores."""
    table = ra.datasets.load(name)
    assert isinstance(table, ra.ScoreTable)
    return table


def table_digest(table: ra.ScoreTable) -> str:
    """Return the SHA-256 of labels, directions, weights and scores, the same on every machine."""
    labels = (
        tuple(table.systems),
        tuple(table.tasks[int(task)] for task in table.unit_tasks),
        table.instances,
        [(task, table.higher_is_better[task], table.task_weights[task]) for task in table.tasks],
    )
    digest = sha256(f"rankagg.score_table 1\n{labels!r}\n".encode("utf-8", "backslashreplace"))
    # One missing score is like another, whatever its bits.
    values = np.where(np.isnan(table.values), np.nan, table.values)
    digest.update(values.astype("<f8").tobytes())
    return digest.hexdigest()


class Leaderboards:
    """Those of the leaderboards that a folder has, in whatever files below it."""

    def __init__(self, folder: str | PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None and not self._folder.is_dir():
            raise InvalidInputError("data", "a folder of leaderboards", str(folder))

    @cached_property
    def _tables(self) -> dict[str, ra.ScoreTable]:
        """The tables of all files, by their digests."""
        paths = [] if self._folder is None else sorted(self._folder.rglob("*.csv"))
        with warnings.catch_warnings():
            # Of files that the papers did not use, too.
            warnings.simplefilter("ignore", DataWarning)
            tables = [table for path in paths for table in _tables_of(path)]
        return {table_digest(table)[:16]: table for table in tables}

    @cached_property
    def rankings(self) -> list[np.ndarray]:
        """Ranks of each data set of the run, by rule, table and system; none unless it is whole."""
        wanted = LEADERBOARDS[RUN]
        folder = None if self._folder is None else next(self._folder.rglob(wanted.file), None)
        paths = [] if folder is None else sorted(folder.rglob("*.json"), key=Path.as_posix)
        texts = [path.read_bytes() for path in paths]
        samples: dict[str, list[np.ndarray]] = defaultdict(list)
        if sha256(b"".join(texts)).hexdigest().startswith(wanted.digest):
            for content in map(json.loads, texts):
                removed = content["results"]["robustness"]["system-col"]
                rules = (removed[rule] for rule in ("mean", "one_level", "two_level"))
                ranks = np.array([[found["ranking"] for found in rule] for rule in rules])
                samples[content["file"]].append(ranks)
        return [np.concatenate(parts, axis=1) for parts in samples.values()]

    def why_not(self, name: str) -> str:
        """Say why a leaderboard cannot be used; "" where it can."""
        wanted = LEADERBOARDS[name]
        if self.rankings if name == RUN else wanted.digest in self._tables:
            return ""
        there = "is not bundled" if self._folder is None else "is in no file of the folder"
        return f"{name} {there}: {wanted.file} of {wanted.source}"

    def content_of(self, file: str) -> Any:
        """Return what a file of the authors holds that is no table; None where it is not there."""
        found = None if self._folder is None else next(self._folder.rglob(file), None)
        return None if found is None else json.loads(found.read_text(encoding="utf-8"))

    def __contains__(self, name: str) -> bool:
        return not self.why_not(name)

    def __getitem__(self, name: str) -> ra.ScoreTable:
        """Return a table."""
        return self._tables[LEADERBOARDS[name].digest]


def _tables_of(path: Path) -> Iterator[ra.ScoreTable]:
    """Yield the tables that a file can be read as; none where it has another layout."""
    if path.stat().st_size > LARGEST:
        return
    try:
        headings = [str(name).strip() for name in pd.read_csv(path, nrows=0).columns]
        if len(headings) > 1 and headings[1] in ("instance", "Utterance"):
            system, instance = headings[:2]
            yield ra.read_scores(
                path, higher_is_better=True, system=system, instance=instance, only="*"
            )
            yield ra.read_scores(
                path, higher_is_better=False, system=system, instance=instance, only="*"
            )
            # The first paper's headings of systems and instances are exchanged.
            yield ra.read_scores(
                path, higher_is_better=True, system=instance, instance=system, only="*"
            )
        elif headings[0] in ("system", "Model"):
            scores = pd.read_csv(path, index_col=0)
            # One file has lost what is between the parts of a name.
            between = " " if scores.isna().any(axis=None) else " | "
            scores.index = [between.join(_parts(label)) for label in scores.index]
            scores.columns = [name.replace("leaderboard_score", "Score") for name in headings[1:]]
            yield ra.ScoreTable(scores, higher_is_better=True)
            for part in (scores.drop(columns="Score"), scores[["Score"]]):
                yield ra.ScoreTable(part, higher_is_better=True)
    except (RankaggError, ValueError, KeyError):
        # No file that the papers used, or one without a total.
        return


def _parts(label: object) -> list[str]:
    """Return the parts of a system's name, without the date that some files add."""
    parts = [" ".join(part.split()).strip("- ") for part in re.split(r"\t| \| ", str(label))]
    return [part for part in parts if part and not re.fullmatch(DATE, part)]
