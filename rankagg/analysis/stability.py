"""How much of a consensus survives when tasks or systems are left out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray

from rankagg._typing import Label, Ranks, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.leave_out import Over, Source
from rankagg.core.items import shortened
from rankagg.core.places import UNRANKED
from rankagg.core.profile import Profile
from rankagg.core.rankings import PartialRanking
from rankagg.core.scores import ScoreTable
from rankagg.core.value import Value
from rankagg.distances import kendall_distance, kendall_tau, top_k_agreement
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Stability", "stability"]

SCHEMA = "rankagg.stability"


def stability(
    data: ScoreTable | Profile,
    aggregator: Aggregator | None = None,
    *,
    over: Over = "tasks",
    sizes: Iterable[int] | None = None,
    n_samples: int = 50,
    tolerance: float | Mapping[Label, float] = 0.0,
    rng: RNGLike = None,
    n_jobs: int = 1,
) -> Stability:
    """Aggregate again without single tasks or systems, and on subsets of every size.

    Parameters
    ----------
    data : ScoreTable or Profile
        Tasks are those of the table, the groups of the profile, or its rows, with all their
        copies, where it has no groups.
    aggregator : Aggregator, optional
        Any rule; the exact `Kemeny()` by default.
    over : {"tasks", "systems"}, default "tasks"
        What is left out.
    sizes : iterable of int, optional
        How many tasks, or systems, subsets keep; by default every number from 1 (2 for systems)
        to all but one; an empty list leaves single ones out only.
    n_samples : int, default 50
        Subsets of each size, drawn at random without repetition; all of them where there are no
        more.
    tolerance : float or mapping from task to float, default 0
        Scores that differ by no more are tied.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    n_jobs : int, default 1
        Processes that joblib starts; -1 for all cores.

    Returns
    -------
    Stability

    Raises
    ------
    InvalidInputError
        If there are fewer than two tasks, or three systems.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> result = ra.stability(table, ra.Borda(), n_samples=20, rng=0)
    >>> result.influence().head(3).round(3)
              distance  tau  top1 winner
    left_out
    BoolQ          0.0  1.0   1.0  Human
    CB             0.0  1.0   1.0  Human
    COPA           0.0  1.0   1.0  Human
    """
    rule = Kemeny() if aggregator is None else aggregator
    if not isinstance(rule, Aggregator):
        raise InvalidInputError("aggregator", "an aggregator such as Borda()", rule)
    kind: Over = "tasks" if check_choice(over, ("tasks", "systems"), "over") == "tasks" else over
    times = check_integer(n_samples, "n_samples", low=1)
    jobs = -1 if n_jobs == -1 else check_integer(n_jobs, "n_jobs", low=1)
    source = Source(data, rule, tolerance, kind)
    whole = source.consensus(np.arange(len(source.units)))
    least = 1 if kind == "tasks" else 2
    total = len(source.units)
    if total <= least:
        raise InvalidInputError("data", f"more than {least} {kind}", Described(f"{total} {kind}"))
    chosen = _sizes(sizes, least, total - 1, kind)
    subsets = _subsets(total, chosen, times, as_generator(rng))
    every = [np.delete(np.arange(total), unit) for unit in range(total)]
    results = Parallel(n_jobs=jobs)(
        delayed(source.ranks)(kept) for kept in [*every, *(kept for _, kept in subsets)]
    )
    places = [ranks for ranks, _ in results]
    return Stability(
        whole, kind, source.units, without=places[:total],
        sizes=[size for size, _ in subsets], on_subsets=places[total:],
        unproved=sum(not proved for _, proved in [*results, (None, whole.is_proved is not False)]),
    )  # fmt: skip


def _sizes(sizes: Iterable[int] | None, low: int, high: int, kind: str) -> list[int]:
    if sizes is None:
        return list(range(low, high + 1))
    return [
        check_integer(size, f"sizes of subsets of {kind}", low=low, high=high) for size in sizes
    ]


def _subsets(
    total: int, sizes: Sequence[int], times: int, rng: np.random.Generator
) -> list[tuple[int, NDArray[np.intp]]]:
    """Return sizes and kept units: all subsets where they are few, else different random ones."""
    found: list[tuple[int, NDArray[np.intp]]] = []
    for size in sizes:
        if comb(total, size) <= times:
            found += [(size, np.array(kept)) for kept in combinations(range(total), size)]
            continue
        seen: set[tuple[int, ...]] = set()
        while len(seen) < times:
            seen.add(tuple(sorted(rng.choice(total, size, replace=False).tolist())))
        found += [(size, np.array(kept)) for kept in islice(sorted(seen), times)]
    return found


class Stability(Value):
    """Consensuses without single units, and on subsets, beside that of all data.

    Made by `stability`.

    Attributes
    ----------
    consensus : Consensus
        Of all data.
    over : {"tasks", "systems"}
        What was left out.
    units : tuple
        The tasks or systems.
    unproved : int
        How many of all the consensuses an exact rule did not prove optimal.
    notes : tuple of str
        What a reader should know.
    """

    consensus: Consensus
    over: Over
    units: tuple[Label, ...]
    unproved: int
    _without: tuple[Ranks, ...]
    _sizes: tuple[int, ...]
    _on_subsets: tuple[Ranks, ...]

    def __init__(
        self,
        consensus: Consensus,
        over: Over,
        units: Sequence[Label],
        *,
        without: Sequence[Ranks],
        sizes: Sequence[int],
        on_subsets: Sequence[Ranks],
        unproved: int,
    ) -> None:
        self._set(
            consensus=consensus,
            over=over,
            units=tuple(units),
            _without=tuple(without),
            _sizes=tuple(sizes),
            _on_subsets=tuple(on_subsets),
            unproved=unproved,
        )

    def _key(self) -> tuple[Hashable, ...]:
        rankings = [ranks.tobytes() for ranks in (*self._without, *self._on_subsets)]
        return (
            self.consensus, self.over, self.units, tuple(rankings), self._sizes, self.unproved,
        )  # fmt: skip

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        notes = []
        if self.unproved:
            total = 1 + len(self._without) + len(self._on_subsets)
            notes.append(f"{self.unproved} of {total} consensuses are not proved optimal")
        optima = self.consensus.optima if self.consensus.is_proved else None
        if optima is not None and not optima.is_unique:
            notes.append(
                "the exact consensus of all data is one of several; all is held against it"
            )
        return tuple(notes)

    def _agreement(self, ranks: Ranks) -> dict[str, Any]:
        whole = self.consensus.ranking
        other = PartialRanking(ranks, whole.items)
        common = (ranks != UNRANKED) & (whole.ranks != UNRANKED)
        if common.sum() < 1:
            return {"distance": np.nan, "tau": np.nan, "top1": np.nan}
        return {
            "distance": kendall_distance(whole, other, p=0.5),
            "tau": kendall_tau(whole, other),
            "top1": top_k_agreement(whole, other, 1),
        }

    def influence(self) -> pd.DataFrame:
        """Return what leaving out each task or system changes.

        Returns
        -------
        pandas.DataFrame
            Index: what is left out. distance: pairs of the remaining systems in another order than
            in the consensus of all data, half for a tie in one; tau: tau-b with it; top1: the
            chance that both have the same first system among those in both; winner: who is first,
            joined by " = " where tied.
        """
        rows = []
        for ranks in self._without:
            first = [self.consensus.items[int(i)] for i in np.flatnonzero(ranks == 0)]
            rows.append({**self._agreement(ranks), "winner": " = ".join(map(str, first))})
        return pd.DataFrame(rows, index=pd.Index(list(self.units), name="left_out"))

    def subsets(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> pd.DataFrame:
        """Return how near consensuses of subsets are to that of all data.

        Parameters
        ----------
        quantiles : sequence of float, default (0.05, 0.5, 0.95)
            Of tau.

        Returns
        -------
        pandas.DataFrame
            Index: size. subsets: how many; a column of tau for each quantile; top1: the mean
            chance of the same winner.
        """
        levels = [float(q) for q in quantiles]
        if not all(0 <= q <= 1 for q in levels):
            raise InvalidInputError("quantiles", "numbers in [0, 1]", quantiles)
        rows = [self._agreement(ranks) for ranks in self._on_subsets]
        frame = pd.DataFrame(rows, columns=["distance", "tau", "top1"], dtype=np.float64)
        grouped = frame.groupby(pd.Index(self._sizes, name="size"))
        columns = {"subsets": grouped.size()}
        columns |= {f"tau_{q:g}": grouped["tau"].quantile(q) for q in levels}
        columns["top1"] = grouped["top1"].mean()
        return pd.DataFrame(columns)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the agreement by size of subset; see `rankagg.plotting.robustness_plot`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from rankagg.plotting.robustness import robustness_plot  # noqa: PLC0415

        return robustness_plot(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        influence, subsets = self.influence().reset_index(), self.subsets().reset_index()
        return {
            "schema": SCHEMA,
            "version": 1,
            "aggregator": self.consensus.aggregator.name,
            "over": self.over,
            "unproved": self.unproved,
            "notes": list(self.notes),
            "influence": influence.astype(object).where(influence.notna(), None).to_dict("records"),
            "subsets": subsets.astype(object).where(subsets.notna(), None).to_dict("records"),
        }

    def summary(self, *, rows: int | None = 20) -> str:
        """Return the analysis as text.

        Parameters
        ----------
        rows : int or None, default 20
            How many units to print at most, the most influential first; None prints all.

        Returns
        -------
        str
        """
        frame = self.influence().sort_values("distance", ascending=False, kind="stable")
        shown = frame if rows is None else frame.head(check_integer(rows, "rows", low=1))
        changed = int((frame["distance"] > 0).sum())
        lines = [
            f"{self.consensus.aggregator.name}: leaving out one of {len(self.units)} {self.over} "
            f"changes the order of others in {changed} cases",
            *(f"note: {note}" for note in self.notes),
            shown.rename(index=shortened).rename_axis(None).to_string(
                float_format="{:.3f}".format, na_rep="-"
            ),
        ]  # fmt: skip
        if len(frame) > len(shown):
            lines.append(f"... and {len(frame) - len(shown)} more {self.over}")
        if self._on_subsets:
            table = self.subsets().to_string(float_format="{:.3f}".format, na_rep="-")
            lines += [f"subsets of {self.over}: tau with the consensus of all", table]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Stability of {self.consensus.aggregator.name} over {len(self.units)} {self.over}>"

    def _repr_html_(self) -> str:
        return self.influence().to_html(escape=True, na_rep="")
