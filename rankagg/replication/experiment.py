"""An experiment of a paper: what it needs to run, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.scores import ScoreTable
from rankagg.replication.leaderboards import Leaderboards
from rankagg.replication.published import Row, Value
from rankagg.studies.study import AnyResult, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What came out, by item and quantity.
Values: TypeAlias = dict[tuple[str, str], Value]
#: Repetitions of a quick run: enough to see that everything works.
FEW = 3


@dataclass(frozen=True)
class Bench:
    """What an experiment runs on."""

    # The tables that are not bundled, as far as they are there.
    leaderboards: Leaderboards
    # Workers of the studies.
    n_jobs: int | None = None
    # The folder where studies note what they have; None for none.
    journals: Path | None = None
    # Whether few repetitions are enough.
    quick: bool = False
    progress: bool | None = None
    deadline: Deadline = field(default_factory=Deadline)

    def repetitions(self, full: int) -> int:
        """Return how many repetitions to run of those that the paper has."""
        return min(full, FEW) if self.quick else full

    def tables(self, *names: str) -> dict[str, ScoreTable]:
        """Return those of some leaderboards that are there, by name."""
        return {name: self.leaderboards[name] for name in names if name in self.leaderboards}

    def run(self, name: str, study: Study[Any, AnyResult]) -> AnyResult:
        """Run a study, and go on from its journal."""
        journal = None if self.journals is None else self.journals / f"{name}.jsonl"
        return study.run(
            n_jobs=self.n_jobs, journal=journal, progress=self.progress,
            time_limit=self.deadline.time_limit,
        )  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """A table to hand on: the name of its files, what it shows, its numbers."""

    name: str
    caption: str
    frame: pd.DataFrame


@dataclass(frozen=True)
class Picture:
    """A figure to hand on."""

    # The name of its files.
    name: str
    # What it shows, and how the paper's own differs.
    caption: str
    # Draws on a new figure and returns the axes, or one of several panels. A function of a
    # module, or a `functools.partial` of one or of a method, so that it can be pickled.
    draw: Callable[[], Axes]


@dataclass(frozen=True)
class Found:
    """What an experiment leaves behind."""

    # What came out, for the rows of the paper.
    values: Mapping[tuple[str, str], Value]
    # What comes out the way the authors ran it, where that is another way.
    as_run: Mapping[tuple[str, str], Value] = field(default_factory=dict)
    sheets: tuple[Sheet, ...] = ()
    pictures: tuple[Picture, ...] = ()
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """An experiment, and the items of its paper that it fills."""

    # What commands call it: the paper, a hyphen, and what it is, such as "p1-figure-3".
    name: str
    title: str
    # Tables, figures, equations and sections; each belongs to one experiment.
    items: tuple[str, ...]
    # Returns what it finds, given a `Bench`.
    run: Callable[[Bench], Found]

    @property
    def paper(self) -> str:
        """What the paper is called: P1, P2 or P3."""
        return self.name.partition("-")[0].upper()


@dataclass(frozen=True)
class Outcome:
    """An experiment, what it found, its rows, and how long it took."""

    experiment: Experiment
    found: Found
    rows: tuple[Row, ...]
    seconds: float


def scores_of(consensus: Consensus) -> NDArray[np.float64]:
    """Return the scores of all items, of a rule that gives some."""
    assert consensus.scores is not None
    return consensus.scores


def as_order(ranking: PartialRanking, *, first: int | None = None) -> str:
    """Return the ranked items, best first, tied ones joined by "=".

    Examples
    --------
    >>> from rankagg import PartialRanking
    >>> as_order(PartialRanking.from_buckets(["A", "BC"], items="ABCD"))
    'A > B = C'
    """
    groups = ranking.buckets[:first]
    return " > ".join(" = ".join(str(item) for item in group) for group in groups)


def number_at(table: pd.DataFrame, row: Hashable, column: str) -> float:
    """Return a number of a table, by its row and column.

    Examples
    --------
    >>> number_at(pd.DataFrame({"tau": [0.5]}, index=["Borda"]), "Borda", "tau")
    0.5
    """
    return float(table[column].to_dict()[row])
