"""Condorcet cycles: how often majorities are cyclic, and Borda and Kemeny disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from rankagg._typing import Bools, RNGLike
from rankagg._validation import check_alpha, check_integer
from rankagg.aggregation import Borda, Deadline, Evidence
from rankagg.aggregation.kemeny import Kemeny
from rankagg.core import (
    ROWS,
    PairwiseMatrix,
    PartialRanking,
    counted,
    counts_told,
    permutation_of,
)
from rankagg.cultures import DataSource, checked
from rankagg.distances import kendall_distance
from rankagg.studies.closed_forms import known_cycle, known_winner, source_of
from rankagg.studies.sources import averaged
from rankagg.studies.study import (
    ROUNDING,
    Cell,
    Curve,
    Row,
    Study,
    StudyResult,
    finished,
    wilson,
)


class CycleResult(StudyResult):
    """How often majorities are cyclic, and how often Borda and Kemeny disagree.

    Made by `CycleStudy.run`; `plot` draws a `rankagg.plotting.study_plot`.

    Attributes
    ----------
    study : CycleStudy
        The study.
    """

    study: CycleStudy

    _schema = "rankagg.cycle_result"
    _row = "size"
    _summed = "by_size"
    _curves = MappingProxyType(
        {
            name: Curve(
                label,
                f"{name}_low",
                f"{name}_high",
                band="95 % Wilson intervals",
                dotted=dotted,
                dotted_is="known exactly",
            )
            for name, label, dotted in (
                ("cycle", "share with a Condorcet cycle", "cycle_exact"),
                ("winner", "share with a Condorcet winner", "winner_exact"),
                ("optimal", "share where Borda's ranking\nis a Kemeny optimum", ""),
            )
        }
    )
    _lines = ("model", "n_items")
    _counts = ("profiles", "profile")
    _stated = MappingProxyType({"repetitions": "study.n_repetitions", "headline": "headline"})

    def to_frame(self) -> pd.DataFrame:
        """Return one row per profile.

        Returns
        -------
        pandas.DataFrame
            model, n_items, n_rankings, repetition: the profile; winner: whether an item beats
            every other by a strict majority; cycle: whether strict majorities are cyclic; tied:
            whether two items tie in votes; finds_winner: whether Borda has that item alone in
            front, missing where there is none; optimal: whether Borda's ranking is an optimum of
            Kemeny's rule, a tied one only where every way to break its ties is; distance to the
            optimum that was found, in pairs, half for a tie in one.
        """
        return self._frame.copy()

    def by_size(self, *, alpha: float = 0.05) -> pd.DataFrame:
        """Return shares for every model and size, beside the probabilities that are known.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of the Wilson intervals.

        Returns
        -------
        pandas.DataFrame
            Index: model, n_items, n_rankings. profiles: how many were drawn; winner, cycle and
            optimal: the shares of those with a Condorcet winner, with a cycle of strict
            majorities, and where Borda is optimal, each with its interval (winner_low,
            winner_high and so on); winner_exact and cycle_exact: their probabilities, missing
            where they are not known; tied: the share with tied items; finds_winner: the share of
            the profiles with a Condorcet winner where Borda has it alone in front (the Condorcet
            efficiency); mean_distance of Borda to an optimum.
        """
        check_alpha(alpha)
        groups = self._groups()
        table = pd.DataFrame({"profiles": groups.size()})
        known = {"winner": known_winner, "cycle": known_cycle}
        for name in ("winner", "cycle", "optimal"):
            columns = name, f"{name}_low", f"{name}_high"
            for column, shares in zip(columns, wilson(groups, name, alpha), strict=True):
                table[column] = shares
            if name in known:
                exact = [known[name](*key) for key in self._sizes]
                table[f"{name}_exact"] = np.array(exact, dtype=np.float64)
        table["tied"] = groups["tied"].mean()
        table["finds_winner"] = groups["finds_winner"].mean().astype(np.float64)
        table["mean_distance"] = groups["distance"].mean()
        return table

    @property
    def _sizes(self) -> list[tuple[Any, int, int]]:
        """The models and sizes, in the order of the table."""
        sizes = ((cell.model, cell.n_items, cell.n_rankings) for cell in self.study.cells())
        return list(dict.fromkeys(sizes))

    @property
    def _known(self) -> list[tuple[str, int, float | None, str]]:
        """Of which models and sizes anything is known: cycles in the limit, and who found it.

        Two items have no cycle, which nobody needed to find.
        """
        known = dict.fromkeys(
            size[:2]
            for size in self._sizes
            if size[1] > 2 and (known_winner(*size) is not None or known_cycle(*size) is not None)
        )
        return [
            (model.name, n_items, known_cycle(model, n_items, None), source_of(model))
            for model, n_items in known
        ]

    def headline(self) -> str:
        """Return in one sentence how often majorities were cyclic, and Borda was not optimal."""
        frame = self._frame
        return (
            f"majorities are cyclic in {frame['cycle'].mean():.1%} of "
            f"{counted(len(frame), 'profile')}, and Borda's ranking is no Kemeny optimum in "
            f"{1 - frame['optimal'].mean():.1%}"
        )

    def _content(self) -> dict[str, Any]:
        names = "model", "n_items", "cycle_limit", "source"
        known = [dict(zip(names, one, strict=True)) for one in self._known]
        return super()._content() | {"known": known}

    def _table(self) -> pd.DataFrame:
        columns = ["winner", "winner_exact", "cycle", "cycle_exact", "finds_winner", "optimal"]
        return self._results()[[*self._grid, *columns]]

    def _below(self, rows: int | None = ROWS) -> list[str]:
        return [
            f"exact for {model}, {counted(n_items, 'item')}: {source}"
            + (f"; with ever more rankings {limit:.2%} are cyclic" if limit else "")
            for model, n_items, limit, source in self._known
        ]

    def _facts(self) -> list[str]:
        return [
            f"{counted(len(self.study._sources), 'model')}, "
            f"{counts_told(self._groups().size(), 'profile')} of each size, seed {self.study.rng}",
            self.headline(),
        ]


@dataclass(frozen=True)
class _ProfileCell(Cell):
    """One drawn profile."""

    # What it is drawn from.
    model: DataSource
    n_items: int = checked(check_integer, low=2)
    n_rankings: int = checked(check_integer, low=1)
    # Its number among its like.
    repetition: int = 0


@dataclass(frozen=True, kw_only=True)
class CycleStudy(Study[_ProfileCell, CycleResult]):
    """How often majorities are cyclic, and how often Borda and Kemeny disagree.

    Every combination of model and size is drawn `n_repetitions` times. Each profile is asked
    whether an item beats every other by a strict majority, whether strict majorities are cyclic,
    and whether Borda's ranking is one of the exact optima of Kemeny's rule. Probabilities that are
    known stand beside the shares: `condorcet_winner_probability` and `cycle_probability`.

    Parameters
    ----------
    data : DataSource, distribution, Profile, ScoreTable, path, or a list of them
        What profiles are drawn from: cultures and others. A profile, or a file of PrefLib, is taken
        as it is, once.
    n_items : sequence of int, default (3,)
        Sizes, each at least 2.
    n_rankings : sequence of int, default (3, 11, 101)
        How many rankings a profile has. With an even number majorities may tie.
    n_repetitions : int, default 1000
        Profiles for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed of all random numbers; by default, and from a generator, one is drawn and kept.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two data are alike, or data cannot give so many
        items.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831; Gehrlein (2002),
    https://doi.org/10.1023/A:1015551010381.

    Examples
    --------
    >>> from rankagg import cultures, studies
    >>> impartial = cultures.ImpartialCulture()
    >>> study = studies.CycleStudy(data=impartial, n_rankings=[3], n_repetitions=50, rng=0)
    >>> table = study.run().by_size().reset_index()
    >>> table[["n_items", "cycle", "cycle_exact", "optimal"]].round(3)
       n_items  cycle  cycle_exact  optimal
    0        3   0.08        0.056     0.82
    """

    _cell = _ProfileCell
    _found = CycleResult
    _fields: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("winner", "cycle", "tied", "optimal"), "bool"),
        "distance": "float64",
        "finds_winner": "boolean",
    }

    data: Any
    n_items: Sequence[int] = (3,)
    n_rankings: Sequence[int] = (3, 11, 101)
    n_repetitions: int = 1000
    rng: RNGLike = None

    def _is_drawn(self, cell: _ProfileCell) -> bool:
        return not cell.model.is_fixed

    def _prepared(self, deadline: Deadline) -> Deadline:
        return deadline

    def _try(self, cell: _ProfileCell, prepared: Deadline) -> list[Row]:
        """Draw a profile, look at its majorities, and hold Borda against Kemeny."""
        rng = cell.generator(self._seed, "data")
        evidence = Evidence(averaged(cell.model.sample(cell.n_items, cell.n_rankings, rng=rng)))
        votes = evidence.votes
        beats = votes.wins > votes.wins.T
        n_beaten = beats.sum(axis=1)
        found = Borda().aggregate(evidence).ranking
        # Items that beat one another in a circle are strongly connected.
        n_parts, _ = connected_components(beats, directed=True, connection="strong")
        cyclic = bool(n_parts < votes.n_items)
        exact = _optimal(evidence, prepared) if cyclic else _majority_order(votes, beats)
        cost, least = votes.cost(found), votes.cost(exact)
        winner = np.flatnonzero(n_beaten == votes.n_items - 1)
        first = np.flatnonzero(found.ranks == 0)
        return [
            {
                "winner": bool(len(winner)),
                "cycle": cyclic,
                "tied": bool(n_beaten.sum() < votes.n_items * (votes.n_items - 1) // 2),
                "finds_winner": first.tolist() == winner.tolist() if len(winner) else None,
                "optimal": bool(cost <= least + ROUNDING * (1 + least)),
                "distance": kendall_distance(found, exact, tie_cost=0.5),
            }
        ]


def _optimal(evidence: Evidence, deadline: Deadline) -> PartialRanking:
    """Return an optimal ranking."""
    result = finished(Kemeny().aggregate(evidence, deadline=deadline))
    if not result.is_proved:
        deadline.seconds_left()
    return result.ranking


def _majority_order(votes: PairwiseMatrix, beats: Bools) -> PartialRanking:
    """Return an order against no strict majority, which costs the least that any pair can."""
    # Whoever beats an item, over others too, is beaten by fewer.
    reach = beats.copy()
    for via in range(len(beats)):
        reach |= np.outer(reach[:, via], reach[via])
    order = np.argsort(reach.sum(axis=0), kind="stable")
    return permutation_of(np.argsort(order), votes.items)
