"""An experiment of a paper: what it needs to run, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import rankagg as ra
from replication.leaderboards import Leaderboards
from replication.published import Row, Value

# Repetitions of a quick run: enough to see that everything works.
QUICK_REPETITIONS = 3


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

    def repetitions(self, full: int = 100) -> int:
        """Return how many repetitions to run of those that the paper has."""
        return min(full, QUICK_REPETITIONS) if self.quick else full

    def tables(self, *names: str) -> dict[str, ra.ScoreTable]:
        """Return those of some leaderboards that are there, by name."""
        return {name: self.leaderboards[name] for name in names if name in self.leaderboards}

    def run(self, name: str, study: Any) -> Any:
        """Run a study, and go on from its journal."""
        return study.run(
            n_jobs=self.n_jobs,
            journal=None if self.journals is None else self.journals / f"{name}.jsonl",
            progress=self.progress,
        )


@dataclass(frozen=True)
class Sheet:
    """A table to hand on: the name of its files, what it shows, its numbers."""

    name: str
    caption: str
    frame: pd.DataFrame


@dataclass(frozen=True)
class Illustration:
    """A figure to hand on."""

    # The name of its files.
    name: str
    # What it shows, and how the paper's own differs.
    caption: str
    # Draws on a new figure and returns the axes, or one of several panels.
    draw: Callable[[], Axes]


@dataclass
class ExperimentRun:
    """An experiment, what it found, its rows, and how long it took."""

    experiment: Experiment
    # What came out by item and quantity, for the rows of the paper.
    values: dict[tuple[str, str], Value] = field(default_factory=dict)
    # What comes out the way the authors ran it, where that is another way.
    as_run: dict[tuple[str, str], Value] = field(default_factory=dict)
    sheets: list[Sheet] = field(default_factory=list)
    pictures: list[Illustration] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    rows: tuple[Row, ...] = ()
    seconds: float = 0.0

    def add(self, item: str, found: Any, *of: str, as_run: bool = False) -> dict[str, Value]:
        """Keep texts, numbers and facts of an item by quantity; `of` says of what they are."""
        plain = {str(quantity): _plain(value) for quantity, value in found.items()}
        kept = self.as_run if as_run else self.values
        kept |= {(item, ", ".join([quantity, *of])): value for quantity, value in plain.items()}
        return plain

    def add_sheet(self, name: str, caption: str, frame: pd.DataFrame) -> None:
        """Hand on a table."""
        self.sheets.append(Sheet(name, caption, frame))

    def add_picture(self, name: str, caption: str, draw: Callable[[], Axes]) -> None:
        """Hand on a figure."""
        self.pictures.append(Illustration(name, caption, draw))

    def each(self, item: str, quantity: str, found: Any, *of: str) -> None:
        """Keep one quantity of systems, or of others, by their names."""
        self.add(item, {f"{quantity}, {name}": value for name, value in found.items()}, *of)


def _plain(value: Any) -> Value:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return value if isinstance(value, str) else float(value)


@dataclass(frozen=True)
class Experiment:
    """An experiment, and the items of its paper that it fills."""

    # What commands call it: the paper, a hyphen, and what it is, such as "p1-figure-3".
    name: str
    title: str
    # Tables, figures, equations and sections; each belongs to one experiment.
    items: tuple[str, ...]
    # Runs it on a bench, and adds to its run what it finds.
    function: Callable[[Bench, ExperimentRun], None]

    @property
    def paper(self) -> str:
        """What the paper is called: P1, P2 or P3."""
        return self.name.partition("-")[0].upper()

    def run(self, bench: Bench) -> ExperimentRun:
        """Return what it finds."""
        found = ExperimentRun(self)
        self.function(bench, found)
        return found


#: Every experiment, those of a paper in the order in which its chapter has them.
REGISTERED: list[Experiment] = []
Function = Callable[[Bench, ExperimentRun], None]


def experiment(name: str, title: str, *items: str) -> Callable[[Function], Function]:
    """Register the function of an experiment."""

    def register(function: Function) -> Function:
        REGISTERED.append(Experiment(name, title, items, function))
        return function

    return register


def scores_of_items(consensus: ra.Consensus) -> pd.Series[float]:
    """Return the scores of all items, of a rule that gives some."""
    index = pd.Index(list(consensus.items), dtype=object)
    return pd.Series(consensus.scores, index=index, dtype=np.float64)


def proved(table: ra.ScoreTable, policy: str = "uniform") -> tuple[ra.Consensus, ra.Optima]:
    """Return the exact consensus, whose proof is checked, and all optima."""
    table = table.with_unranked(policy)
    consensus = ra.Kemeny().aggregate(table)
    assert consensus.certificate is not None
    assert isinstance(consensus.optima, ra.Optima)
    assert consensus.certificate.verify(table.rankings().pairwise())
    return consensus, consensus.optima


def as_order(ranking: ra.PartialRanking, *, first: int | None = None) -> str:
    """Return the ranked items, best first, tied ones joined by "=".

    Examples
    --------
    >>> from rankagg import PartialRanking
    >>> as_order(PartialRanking.from_buckets(["A", "BC"], items="ABCD"))
    'A > B = C'
    """
    groups = ranking.buckets[:first]
    return " > ".join(" = ".join(str(item) for item in group) for group in groups)


def beside(plots: Mapping[str, Callable[..., object]]) -> Axes:
    """Draw plots in two columns, each below its title, and return the first."""
    rows, columns = ceil(len(plots) / 2), min(2, len(plots))
    size = 5.5 * columns, 4.5 * rows
    _, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained", figsize=size)
    axes: list[Axes] = list(grid.flat)
    for ax in axes[len(plots) :]:
        ax.remove()
    for ax, (title, plot) in zip(axes, plots.items(), strict=False):
        plot(ax=ax)
        legend = ax.get_legend()
        above = 0.0 if legend is None else legend.get_window_extent().height
        ax.set_title(title, loc="left", weight="bold", pad=6 + above * 72 / ax.figure.dpi)
    return axes[0]


def counted(number: float, noun: str, form: str = "") -> str:
    """Return a number with its noun, in the plural but for one.

    Examples
    --------
    >>> counted(1, "pair"), counted(0, "quantity"), counted(4000, "system", ",")
    ('1 pair', '0 quantities', '4,000 systems')
    """
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:{form}} {noun if number == 1 else plural}"


def frame_of(table: ra.ScoreTable) -> pd.DataFrame:
    """Return the scores with the systems in a column."""
    return table.to_frame().rename_axis("system").reset_index()


def rank_in(consensus: ra.Consensus, system: str | int) -> int:
    """Return the rank of a system, from 1."""
    rank = consensus.ranking.rank(system)
    assert rank is not None
    return rank
