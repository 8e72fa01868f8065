"""Samples for Bradley-Terry models: contests of two items in independent units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Label, Positions, Ranks, Tolerance
from rankagg._validation import table_remedy
from rankagg.core import (
    UNRANKED,
    ItemSet,
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    ScoreTable,
    canonical_profile,
    label_numbers,
    places,
)
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.bradley_terry.contests import OUTCOMES, Contests
from rankagg.exceptions import InvalidInputError, nearest

# Contests of rankings in memory at one time.
CONTESTS_HELD = 200_000


class Block(NamedTuple):
    """Contests of some units, sorted by unit; equal contests of a unit are one entry."""

    # Shape (e,). Unit, position in the `Contests`, and row of their results.
    unit: Positions
    kind: Positions
    outcome: Positions
    # Shape (e,). Summed weights, all positive.
    weights: Floats

    def only(self, kept: Bools) -> Block:
        """Return some of the entries."""
        return Block(self.unit[kept], self.kind[kept], self.outcome[kept], self.weights[kept])


@dataclass(frozen=True, eq=False)
class Sample:
    """Contests with the units that are independent of each other."""

    items: ItemSet
    contests: Contests
    # Name of a single comparison; None if comparisons are dependent.
    single: str | None
    is_weighted: bool = False
    # Name of an independent unit, in the singular; None if the data have no units.
    unit: str | None = None
    # Returns the contests of all units, some units at a time; None without units.
    blocks: Callable[[], Iterable[Block]] | None = None
    # Shape (u,). Number of copies of each unit.
    repeats: Floats | None = None
    # Names of the units, if they have names.
    labels: Sequence[Label] | None = None
    # Returns each comparison as a unit; None if weights are equal.
    singles: Callable[[], Iterable[Block]] | None = None
    # Summed weight of the excluded ties.
    n_dropped: float = 0.0
    are_votes: bool = False

    @classmethod
    def of(
        cls,
        data: object,
        *,
        drops_ties: bool,
        side: bool,
        covariates: Iterable[str],
        tolerance: Tolerance,
    ) -> Sample:
        """Return the sample of some data."""
        if not isinstance(data, ScoreTable) and not (np.isscalar(tolerance) and tolerance == 0):
            remedy = "Only scores are equal within a tolerance; `tol` is that of the fit."
            raise InvalidInputError(
                "tolerance", "0 unless `data` is a ScoreTable", tolerance, remedy
            )
        if isinstance(data, Comparisons):
            names = _checked_covariates(covariates, tuple(data.covariates))
            return _of_comparisons(data, drops_ties, side, names)
        if side:
            raise InvalidInputError("side", "False unless `data` are Comparisons", side)
        _checked_covariates(covariates, ())
        if isinstance(data, ScoreTable):
            return _of_scores(data, tolerance, drops_ties)
        if isinstance(data, Profile):
            return _of_rankings(data, drops_ties)
        if isinstance(data, ScoreSummary):
            votes = data.direct_pairwise()
            _check_lost(data.with_task_weights({}).direct_pairwise(), votes, data.weight_vector)
            return _of_votes(votes, drops_ties)
        if isinstance(data, PairwiseMatrix):
            return _of_votes(data, drops_ties)
        allowed = "Comparisons, a Profile, ScoreTable, ScoreSummary or PairwiseMatrix"
        raise InvalidInputError("data", allowed, data, table_remedy(data))

    def named(self, unit: int) -> str:
        """Return the name of a unit in a sentence."""
        return f"one {self.unit}" if self.labels is None else f"{self.unit} {self.labels[unit]!r}"


def _checked_covariates(covariates: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    if isinstance(covariates, str) or not isinstance(covariates, Iterable):
        raise InvalidInputError("covariates", "a sequence of names", covariates)
    names = tuple(covariates)
    for at, name in enumerate(names):
        if name not in known:
            options = ", ".join(map(repr, known)) or "none"
            allowed = f"names of covariates of the comparisons ({options})"
            raise InvalidInputError("covariates", allowed, name, nearest(name, known))
        if name in names[:at]:
            raise InvalidInputError("covariates", "different names", name, "It occurs twice.")
    return names


def _contests_of(
    data: Comparisons, *, side: bool, covariates: Sequence[str]
) -> tuple[Contests, tuple[Positions, Positions, Floats]]:
    """Merge equal contests; add kind, row of results and weight of each comparison."""
    extras: dict[str, Any] = {"side": 1 if data.sides is None else data.sides} if side else {}
    extras |= {name: data.covariates[name] for name in covariates}
    kind = data.first.astype(np.int64) * data.n_items + data.second
    for column in extras.values():
        codes, values = pd.factorize(np.broadcast_to(column, len(data)))
        kind = pd.factorize(kind)[0] * len(values) + codes
    kind, kinds = pd.factorize(kind)
    # The first comparison of each kind.
    at = np.empty(len(kinds), dtype=np.intp)
    at[kind[::-1]] = np.arange(len(data))[::-1]
    outcome = 1 - data.outcomes.astype(np.intp)
    own = np.ones(len(data)) if data.weights is None else data.weights

    def summed(amounts: Floats) -> Floats:
        sums = np.bincount(kind * OUTCOMES + outcome, amounts, minlength=len(kinds) * OUTCOMES)
        return np.ascontiguousarray(sums.reshape(-1, OUTCOMES).T)

    table = np.empty((len(at), len(extras)))
    for k, column in enumerate(extras.values()):
        table[:, k] = np.broadcast_to(column, len(data))[at]
    # Covariates are divided by these, so that effects have the size of log odds.
    units = np.abs(table).max(axis=0, initial=0.0)
    units[units == 0] = 1.0
    pair = data.first[at].astype(np.intp), data.second[at].astype(np.intp)
    contests = Contests(data.n_items, *pair, table / units, units, summed(own), summed(own**2))
    return contests, (kind, outcome, own)


def _of_comparisons(
    data: Comparisons, drops_ties: bool, side: bool, covariates: Sequence[str]
) -> Sample:
    dropped = 0.0
    if drops_ties and data.n_ties:
        is_tie = data.outcomes == 0
        dropped = float(is_tie.sum() if data.weights is None else data.weights[is_tie].sum())
        data = data.take(np.flatnonzero(~is_tie))
    contests, entries = _contests_of(data, side=side, covariates=covariates)
    weights, codes = data.weights, data.clusters

    def blocks(units: Positions) -> Iterable[Block]:
        return [_merged(units, *entries, len(contests.first))]

    differ = weights is not None and bool(np.ptp(weights))
    singles = partial(blocks, np.arange(len(data))) if differ else None
    units: dict[str, Any] = {}
    if codes is not None:
        used, unit = np.unique(codes, return_inverse=True)
        labels = [data.cluster_labels[code] for code in used.tolist()]
        units = {"unit": "cluster", "blocks": partial(blocks, unit), "labels": labels}
        units["repeats"] = np.ones(len(used))
    units |= {"is_weighted": weights is not None, "n_dropped": dropped}
    return Sample(data.items, contests, "comparison", singles=singles, **units)


def _of_scores(data: ScoreTable, tolerance: Tolerance, drops_ties: bool) -> Sample:
    """Return the sample of a table; units are tasks, or instances of a single task."""
    profile = data.rankings(tolerance)
    if profile.clusters is not None:
        return _of_rankings(profile, drops_ties)
    if data.n_tasks == 1 and data.instances is not None:
        return _of_rankings(profile.with_clusters(data.instances), drops_ties, "instance")
    return _of_rankings(profile.with_clusters(profile.groups), drops_ties, "task")


def _of_rankings(profile: Profile, drops_ties: bool, unit: str = "cluster") -> Sample:
    votes = profile.direct_pairwise()
    if (profile.weights != 1).any():
        plain = canonical_profile(profile.items, profile.ranks).direct_pairwise()
        _check_lost(plain, votes, profile.weights)
    contests, dropped = _contests_of_votes(votes, drops_ties)
    labels = profile.clusters
    if labels is None:
        # Equal rankings have equal scores in the likelihood.
        profile, unit = profile.compress(), "ranking"
        units, repeats = np.arange(len(profile)), profile.counts.astype(np.float64)
        weights = profile.weights
    else:
        units = label_numbers(labels)
        first = np.unique(units, return_index=True)[1]
        labels = tuple(labels[row] for row in first.tolist())
        repeats, weights = np.ones(len(first)), profile.counts * profile.weights
    order = np.argsort(units, kind="stable")
    rows = profile.ranks[order], units[order], weights[order]
    are_pairs = unit == "ranking" and (profile.ranks != UNRANKED).sum(axis=1).max() <= 2
    return Sample(
        profile.items,
        contests,
        unit if are_pairs else None,
        bool((profile.weights != 1).any()),
        unit,
        lambda: _ranking_blocks(contests, *rows, drops_ties),
        repeats,
        labels,
        n_dropped=dropped,
    )


def _ranking_blocks(
    contests: Contests, ranks: Ranks, units: Positions, weights: Floats, drops_ties: bool
) -> Iterator[Block]:
    """Yield the contests of rankings, which are sorted by unit."""
    kinds = np.zeros((contests.n_items, contests.n_items), dtype=np.intp)
    kinds[contests.first, contests.second] = np.arange(len(contests.first))
    most = int((ranks != UNRANKED).sum(axis=1).max(initial=0))
    number = max(CONTESTS_HELD // max(most**2 // 2, 1), 1)
    n_kinds, none = len(contests.first), np.zeros(0, dtype=np.intp)
    rest = Block(none, none, none, np.zeros(0))
    for begin in range(0, len(ranks), number):
        part = slice(begin, begin + number)
        row, first, second, outcome = _contests_of_ranks(ranks[part])
        kept = (outcome != 1) if drops_ties else np.ones(len(row), dtype=bool)
        row, kind, outcome = row[kept], kinds[first[kept], second[kept]], outcome[kept]
        merged = _merged(
            np.concatenate([rest.unit, units[part][row]]),
            np.concatenate([rest.kind, kind]),
            np.concatenate([rest.outcome, outcome]),
            np.concatenate([rest.weights, weights[part][row]]),
            n_kinds,
        )
        # The last unit may continue in the next part.
        done = merged.unit < units[part][-1]
        if done.any():
            yield merged.only(done)
        rest = merged.only(~done)
    if len(rest.unit):
        yield rest


def _contests_of_ranks(ranks: Ranks) -> tuple[Positions, Positions, Positions, Positions]:
    """Return row, both items and outcome for each pair of items that a ranking compares."""
    seen = ranks != UNRANKED
    width = int(seen.sum(axis=1).max(initial=0))
    # Observed items first, in the order of the items.
    items = np.argsort(~seen, axis=1, kind="stable")[:, :width]
    place = np.take_along_axis(places.comparable(ranks), items, axis=1)
    one, other = np.triu_indices(width, k=1)
    # The second item is observed, and one of both is listed: unlisted items are not compared.
    compared = np.take_along_axis(seen, items, axis=1)[:, other]
    compared &= (place[:, one] < ranks.shape[1]) | (place[:, other] < ranks.shape[1])
    row, pair = np.nonzero(compared)
    one, other = one[pair], other[pair]
    outcome = 1 + np.sign(place[row, one] - place[row, other])
    return row, items[row, one], items[row, other], outcome.astype(np.intp)


def _merged(
    unit: Positions, kind: Positions, outcome: Positions, weights: Floats, n_kinds: int
) -> Block:
    """Merge equal contests of a unit."""
    codes, inverse = np.unique((unit * n_kinds + kind) * OUTCOMES + outcome, return_inverse=True)
    unit, rest = np.divmod(codes, n_kinds * OUTCOMES)
    kind, outcome = np.divmod(rest, OUTCOMES)
    sums = np.asarray(np.bincount(inverse, weights, len(codes)), dtype=np.float64)
    return Block(unit, kind, outcome, sums)


def _of_votes(votes: PairwiseMatrix, drops_ties: bool) -> Sample:
    """Return the sample of votes, which have no units."""
    single = "comparison" if votes.unranked is None or votes.n_items <= 2 else None
    contests, dropped = _contests_of_votes(votes, drops_ties)
    is_weighted = bool((contests.squares != contests.results).any())
    return Sample(votes.items, contests, single, is_weighted, n_dropped=dropped, are_votes=True)


def _contests_of_votes(votes: PairwiseMatrix, drops_ties: bool) -> tuple[Contests, float]:
    """Return a kind of contest for each pair of items that met, and the excluded ties."""
    first, second = np.triu_indices(votes.n_items, k=1)
    wins, ties = votes.wins, np.zeros_like(votes.ties) if drops_ties else votes.ties
    results = np.stack([wins[first, second], ties[first, second], wins[second, first]])
    met = results.any(axis=0)
    results, none = results[:, met], np.zeros((int(met.sum()), 0))
    squares, counts = (np.triu(of, 1).sum() for of in (votes.squared_weights, votes.comparisons))
    mean = float(squares / counts) if counts else 1.0
    where = first[met], second[met]
    dropped = float(votes.ties.sum() / 2.0) if drops_ties else 0.0
    return Contests(votes.n_items, *where, none, np.zeros(0), results, mean * results), dropped


def _check_lost(plain: PairwiseMatrix, votes: PairwiseMatrix, weights: Floats) -> None:
    """Raise if rounding of the weights removes results of some pair."""
    pairs = ((plain.wins, votes.wins), (plain.ties, votes.ties))
    if any(((before > 0) & (after == 0)).any() for before, after in pairs):
        allowed = f"at least {votes.rounding:g}, the rounding error of the votes"
        remedy = "Leave out results with smaller weights."
        raise InvalidInputError("weights", allowed, float(weights.min()), remedy)
