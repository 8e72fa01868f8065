"""Run files of TREC: what search engines found for each topic, fused and written back."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from os import PathLike
from pathlib import PurePath
from typing import Any, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Ranks
from rankagg._validation import check_integer
from rankagg.core import Profile, ScoreTable, counted, listed, places
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError, nearest, shown
from rankagg.io.output_files import write_text
from rankagg.io.tables.sources import (
    MAX_BYTES,
    Source,
    first_lines,
    is_source,
    read_text,
    text_lines,
)

# Measured: bytes of memory for a byte of text.
PER_BYTE = 32
COLUMNS = ["run", "topic", "document", "score"]


def looks_like_run(text: str) -> bool:
    """Say whether the first lines of a text are those of a run file."""
    filled = [row for line in first_lines(text) if (row := line.split())]
    return bool(filled) and all(_is_entry(row) and row[1] in ("Q0", "q0") for row in filled)


def _is_entry(row: list[str]) -> bool:
    """Say whether words are topic, Q0, document, rank, score and tag."""
    try:
        return len(row) == 6 and int(row[3]) >= 0 and isfinite(float(row[4]))
    except ValueError:
        return False


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    r"""Runs of one search engine or several: documents with scores for each topic.

    `read_run` makes them. Documents are in the order of their scores, higher first; the tied ones
    are in that of trec_eval, by name from the end of the alphabet.

    Examples
    --------
    >>> from io import StringIO
    >>> import rankagg as ra
    >>> runs = ra.read_run(StringIO("q1 Q0 d1 1 9.5 bm25\nq1 Q0 d2 2 7.0 bm25\n"))
    >>> runs, runs.topics
    (<Runs: 1 run, 1 topic, 2 documents>, ('q1',))
    """

    # Columns run, topic, document and score; in order within run and topic.
    _frame: pd.DataFrame
    # The runs by their tags, those that no other one has.
    _by_tag: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The runs."""
        return tuple(self._frame["run"].unique())

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in the order in which they first occur."""
        return tuple(self._frame["topic"].unique())

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each run, topic and document, best first.

        Returns
        -------
        pandas.DataFrame
            Columns run, topic, document and score.
        """
        return self._frame.copy()

    def _cut(self, depth: int | None) -> pd.DataFrame:
        if depth is None:
            return self._frame
        groups = self._frame.groupby(["run", "topic"], sort=False)
        return groups.head(check_integer(depth, "depth", low=1))

    def profiles(self, depth: int | None = None) -> dict[str, Profile]:
        """Return the lists of each topic: what a run did not find is unlisted.

        Parameters
        ----------
        depth : int, optional
            How many documents of each run count; all by default.

        Returns
        -------
        dict
            From topic to Profile; the groups are the runs that found anything.
        """
        topics = self._cut(depth).groupby("topic", sort=False)
        return {str(topic): _lists(_scores(rows)) for topic, rows in topics}

    def fuse(
        self,
        aggregator: Any,
        *,
        weights: Mapping[str, float] | None = None,
        depth: int | None = None,
    ) -> Runs:
        r"""Merge the runs topic by topic into one.

        Parameters
        ----------
        aggregator : Aggregator
            `ReciprocalRankFusion`, `CombSUM`, `CombMNZ`, `Borda`, `Kemeny` or any other rule. Rules
            on scores get scores, and all others lists, on which unlisted documents are below the
            listed ones.
        weights : mapping from run to float, optional
            Runs that are not named weigh 1. A run is called like its file, or by its tag where no
            other one has that.
        depth : int, optional
            How many documents of each run count for a topic, and how many come back; all by
            default. An exact rule such as `Kemeny` needs few, 10 or 20.

        Returns
        -------
        Runs
            One run, called like the rule. Its scores are those of the rule, or else count down to 1
            at the last document; documents of one rank share a score.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> import rankagg as ra
        >>> bm25, dense = Path(mkdtemp(), "bm25.run"), Path(mkdtemp(), "dense.run")
        >>> _ = bm25.write_text("q1 Q0 a 1 9 x\nq1 Q0 b 2 8 x\n")
        >>> _ = dense.write_text("q1 Q0 b 1 .7 y\nq1 Q0 c 2 .6 y\n")
        >>> runs = ra.read_run([bm25, dense])
        >>> fused = runs.fuse(ra.ReciprocalRankFusion(k=60), weights={"dense": 2})
        >>> fused.to_frame()["document"].tolist()
        ['b', 'c', 'a']
        """
        known = {**self._by_tag, **{run: run for run in self.names}}
        for run in weights or {}:
            if run not in known:
                allowed = f"of runs that were read, which are {listed(self.names)}"
                raise InvalidInputError("weights", allowed, run, nearest(run, known))
        given = {known[run]: weight for run, weight in (weights or {}).items()}
        parts = []
        for topic, rows in self._cut(depth).groupby("topic", sort=False):
            scores = _scores(rows)
            of_runs = {run: given.get(str(run), 1.0) for run in scores.tasks}
            scores = scores.with_task_weights(of_runs)
            found = aggregator.aggregate(scores if aggregator.needs == "scores" else _lists(scores))
            values = _values(found.scores, found.ranking.ranks)
            part = pd.DataFrame({"document": list(scores.systems), "score": values})
            parts.append(part.assign(run=aggregator.name, topic=topic))
        return Runs(Runs(_ordered(pd.concat(parts)))._cut(depth))

    def __repr__(self) -> str:
        number = counted(self._frame["document"].nunique(), "document")
        told = f"{counted(len(self.names), 'run')}, {counted(len(self.topics), 'topic')}"
        return f"<Runs: {told}, {number}>"


def _values(scores: Floats | None, ranks: Ranks) -> Floats:
    """Return the scores of a rule where they go down as its ranking does, or else count down."""
    order = np.argsort(ranks, kind="stable")
    steps = np.diff(ranks[order]) > 0
    if scores is not None and (np.diff(scores[order])[steps] < 0).all():
        return scores
    return np.asarray(ranks.max() + 1.0 - ranks, dtype=np.float64)


def _ordered(frame: Any) -> Any:
    """Return the rows of each run and topic by score, and then as trec_eval orders documents."""
    group = frame.groupby(["run", "topic"], sort=False).ngroup()
    by, ascending = ["group", "score", "document"], [True, False, False]
    ordered = frame.assign(group=group).sort_values(by, ascending=ascending, ignore_index=True)
    return ordered[COLUMNS]


def _scores(rows: Any) -> ScoreTable:
    wide = rows.pivot(index="document", columns="run", values="score")
    wide = wide[list(rows["run"].unique())]
    return ScoreTable(wide, higher_is_better=True)


def _lists(scores: ScoreTable) -> Profile:
    profile = scores.rankings()
    return profile._replace(ranks=places.unranked_last(profile.ranks))


def read_run(source: Source | Iterable[Source], *, max_bytes: int = MAX_BYTES) -> Runs:
    r"""Read run files of TREC: a line for each document, ``topic Q0 document rank score tag``.

    As for trec_eval, the score says the order, and not the rank.

    Parameters
    ----------
    source : path, text stream, or iterable of these
        Run files, one run each, which is called like its file without the last ending: tags are
        often the same.
    max_bytes : int, default 2**30
        How many bytes of memory reading may take; what would take more is refused.

    Returns
    -------
    Runs

    Raises
    ------
    DataFormatError
        If a line is none of a run file, or a topic has a document twice; the message names it.

    Warns
    -----
    DataWarning
        Where ranks say another order than scores.

    Examples
    --------
    >>> from io import StringIO
    >>> from rankagg import read_run
    >>> read_run(StringIO("q1 Q0 d1 1 9.5 x\nq1 Q0 d2 2 7.0 x\n")).to_frame()
              run topic document  score
    0  the stream    q1       d1    9.5
    1  the stream    q1       d2    7.0
    """
    sources = cast(Any, [source] if is_source(source) else source)
    read = [read_text(one, max_bytes, PER_BYTE) for one in sources]
    names = [PurePath(called).stem for called, _ in read]
    if len(set(names)) < len(names) or not names:
        raise InvalidInputError("source", "run files of different names", names)
    parts = [_run(*one).assign(run=run) for one, run in zip(read, names, strict=True)]
    tags = [part["tag"].iloc[0] for part in parts]
    by_tag = {tag: run for tag, run in zip(tags, names, strict=True) if tags.count(tag) == 1}
    return Runs(_ordered(pd.concat(parts)), by_tag)


def _run(name: str, text: str) -> Any:
    rows = []
    for number, line in enumerate(text_lines(text), start=1):
        row = line.split()
        if _is_entry(row):
            rows.append((row[0], row[2], int(row[3]), float(row[4]), row[5]))
        elif row:
            what = f"must hold topic, Q0, document, rank, score and tag. Got {shown(line)}."
            raise DataFormatError(f"{name}, line {number}, {what}")
    frame = pd.DataFrame(rows, columns=["topic", "document", "rank", "score", "tag"])
    again = frame[frame.duplicated(["topic", "document"])]
    if len(again) or not rows:
        topic, document = again.iloc[0, :2] if rows else ("", "")
        why = f"has {shown(document)} twice in topic {shown(topic)}" if rows else "is empty"
        raise DataFormatError(f"{name} {why}; a run names each document of a topic once.")
    by = frame.sort_values(["topic", "score", "rank"], ascending=[True, False, True])
    astray = (by["rank"].diff() < 0) & (by["topic"] == by["topic"].shift())
    if n := by.loc[astray, "topic"].nunique():
        what = "ranks say another order than scores, which count as they do for trec_eval"
        warnings.warn(f"{name}: in {counted(n, 'topic')} {what}.", DataWarning, stacklevel=3)
    return frame


def write_run(runs: Runs, target: str | PathLike[str]) -> None:
    """Write one run as a run file of TREC, which trec_eval and others read.

    Ranks count from 1 in the order of the scores. The tag is the name of the run without blanks.

    Parameters
    ----------
    runs : Runs
        What `Runs.fuse` returned, or one run that was read.
    target : path
        The file to write.

    Raises
    ------
    InvalidInputError
        If there are several runs.
    """
    if len(runs.names) != 1:
        raise InvalidInputError("runs", "one run", runs, "`fuse` merges several.")
    frame = runs.to_frame()
    ranks = frame.groupby("topic", sort=False).cumcount() + 1
    tag = "".join(runs.names[0].split())
    rows = zip(frame["topic"], frame["document"], ranks, frame["score"], strict=True)
    lines = [f"{topic} Q0 {document} {at} {score!r} {tag}" for topic, document, at, score in rows]
    write_text(target, "\n".join(lines) + "\n")
