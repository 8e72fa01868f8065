"""Ranked pairs: the clearest majorities first, without those that would close a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from rankagg._typing import Bools, Generator, Integers, Positions
from rankagg._validation import check_choice, check_integer
from rankagg.aggregation.base import Needs, SearchingRule, Statements
from rankagg.aggregation.condorcet import wins_less_losses
from rankagg.aggregation.deadline import NEVER, Deadline
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.outcome import Outcome, by_best, too_many
from rankagg.core import Permutation, permutation_of
from rankagg.core.graphs import strong_parts
from rankagg.exceptions import InvalidInputError

# How often a search tries a majority in or out: some seconds.
MOST_STEPS = 50_000
#: Pairs of items, one a row: the one above, and the one below.
Arcs = Positions
TieBreaking: TypeAlias = Literal["together", "parallel"]


class _TooManyWaysError(Exception):
    """Equal majorities can be ordered in more ways than are followed."""


def locked_paths(margins: Integers, ends: Deadline = NEVER) -> Bools:
    """Say of row and column whether locked majorities lead from row to column.

    Majorities of equal margin that close a cycle with each other are left out together.
    """
    above = np.zeros(margins.shape, dtype=bool)
    for arcs in _by_margin(margins):
        _lock_what_is_clear(above, arcs, ends)
    return above


def _locked_in_every_way(margins: Integers, ends: Deadline = NEVER) -> Iterator[Bools]:
    """Yield what is locked for every order in which equal majorities can be taken, each once.

    Of majorities of one size, what an order locks is a largest set of them that closes no cycle
    with what is locked before.
    """
    sizes, steps = _by_margin(margins), iter(range(MOST_STEPS))
    ways = [(np.zeros(margins.shape, dtype=bool), 0)]
    while ways:
        above, size = ways.pop()
        cyclic: Arcs = np.zeros((0, 2), dtype=np.intp)
        while size < len(sizes) and not len(cyclic):
            cyclic = _lock_what_is_clear(above, sizes[size], ends)
            size += 1
        if not len(cyclic):
            yield above
            continue
        for kept in _largest_acyclic(above, cyclic, steps, ends):
            after = above.copy()
            _lock(after, cyclic[kept], ends)
            ways.append((after, size))


def _largest_acyclic(
    locked: Bools, cyclic: Arcs, steps: Iterator[int], ends: Deadline
) -> Iterator[list[int]]:
    """Yield the largest sets of majorities on cycles that close none with what is locked.

    Each is tried in, and then out; out it stays only if the others lead back past it in the end.
    Rows of items are the bits of integers.
    """
    items, inner = np.unique(cyclic, return_inverse=True)
    arcs: list[tuple[int, int]] = [(i, j) for i, j in inner.reshape(-1, 2).tolist()]
    rows = [sum(1 << int(k) for k in np.flatnonzero(row)) for row in locked[np.ix_(items, items)]]
    ways = [(rows, arcs, arcs[:0])]
    while ways:
        above, still, left_out = ways.pop()
        ends.seconds_left()
        if next(steps, None) is None:
            raise _TooManyWaysError
        still = [(i, j) for i, j in still if not (above[i] >> j | above[j] >> i) & 1]
        reach = _closed_by(above, still)
        clear = [(i, j) for i, j in still if not reach[j] >> i & 1]
        above = _closed_by(above, clear)
        left_out = [(i, j) for i, j in left_out if not above[j] >> i & 1]
        if any(above[i] >> j & 1 or not reach[j] >> i & 1 for i, j in left_out):
            continue
        if len(clear) == len(still):
            yield [number for number, (i, j) in enumerate(arcs) if above[i] >> j & 1]
            continue
        still = [arc for arc in still if arc not in clear]
        ways.append((above, still[1:], [*left_out, still[0]]))
        ways.append((_closed_by(above, still[:1]), still[1:], left_out))


def _closed_by(above: list[int], arcs: list[tuple[int, int]]) -> list[int]:
    """Return what is above what once there are these arcs too."""
    reach = above.copy()
    for i, j in arcs:
        reach[i] |= 1 << j
    for k in range(len(reach)):
        for i, row in enumerate(reach):
            if row >> k & 1:
                reach[i] = row | reach[k]
    return reach


def _by_margin(margins: Integers) -> list[Arcs]:
    """Return the majorities, those of equal margin together, the clearest first."""
    rows, columns = np.nonzero(margins > 0)
    found = margins[rows, columns]
    ordered = np.argsort(-found, kind="stable")
    arcs, found = np.stack([rows, columns], axis=1)[ordered], found[ordered]
    if not len(arcs):
        return []
    return np.split(arcs, np.flatnonzero(found[1:] != found[:-1]) + 1)


def _lock_what_is_clear(above: Bools, arcs: Arcs, ends: Deadline) -> Arcs:
    """Lock equal majorities in place, but for those on cycles with each other: return these."""
    i, j = arcs.T
    fresh = arcs[~(above[i, j] | above[j, i])]
    part = _parts(above, fresh)
    cyclic = part[fresh[:, 0]] == part[fresh[:, 1]]
    _lock(above, fresh[~cyclic], ends)
    left: Arcs = fresh[cyclic]
    return left


def _parts(above: Bools, arcs: Arcs) -> Positions:
    """Return the number of each item's part: equal for two where paths lead both ways."""
    part = np.arange(len(above), dtype=np.intp)
    if len(arcs) > 1:
        # What is locked is transitive, so items without a fresh majority need not be looked at.
        ends, number = np.unique(arcs, return_inverse=True)
        i, j = number.reshape(arcs.shape).T
        graph = above[np.ix_(ends, ends)]
        graph[i, j] = True
        part[ends] = len(above) + strong_parts(graph)
    return part


def _lock(above: Bools, arcs: Arcs, ends: Deadline) -> None:
    """Lock majorities in place, which close no cycle, with all paths through them."""
    for i, j in arcs.tolist():
        if above[i, j]:
            continue  # through one of the others
        ends.seconds_left()
        before = ~above[:, j] & above[:, i]
        before[i] = True
        after = above[j].copy()
        after[j] = True
        above[before] |= after


@dataclass(frozen=True, kw_only=True)
class RankedPairs(SearchingRule):
    """Lock majorities in, the clearest first, leaving out those that would close a cycle.

    Majorities of equal margin are taken together by default, and those of them that close a cycle
    with each other are all left out, so that no item has an advantage. The score of an item is how
    many locked paths lead from it less how many lead to it. The winners are the items to which none
    leads; a note names those of them that are not in the first bucket. Who wins is independent of
    clones, but not monotonic where margins are equal. Time grows as n^2 log n for sorting,
    and n for each pair of items that a lock puts in order: n^3 at most.

    Tideman's rule takes them one after the other instead, in every order that their margins leave
    open, and pairs without a majority last, either way round: ``tie_breaking="parallel"``. It is
    monotonic, and independent of clones but for rare such ties. Who wins is NP-hard to say (Brill
    and Fischer 2012), and too many ways are refused.

    Parameters
    ----------
    tie_breaking : {"together", "parallel"}, default "together"
        Majorities of equal margin on a cycle are left out together, or taken in every order, and
        an item has the best rank that some order gives it; there are no scores then.

    References
    ----------
    Tideman (1987), https://doi.org/10.1007/BF00433944; Zavist and Tideman (1989),
    https://doi.org/10.1007/BF00303170; Brill and Fischer (2012), AAAI 26, 1299-1305.

    Examples
    --------
    >>> from rankagg import Profile, RankedPairs
    >>> RankedPairs().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2]))
    <Consensus by RankedPairs: A > B > C>
    >>> cycle = Profile.from_orders(["ABC", "BCA", "CAB"])
    >>> [ranking.order for ranking in RankedPairs().outcomes(cycle)]
    [('A', 'B', 'C'), ('B', 'C', 'A'), ('C', 'A', 'B')]
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"ranked-pairs": {}}
    counterexamples: ClassVar = {
        # In every order: A > D > E > B > F can lock with both clones; with one of them
        # A > D > E > A is a cycle.
        "clone independence": "4 EGCABFD, 3 ABDGFCE, 2 DFCGEAB, 2 ECABGDF, 2 FDECGAB, 1 ABGCFDE, "
        "1 ABGDFCE, 1 CGFABDE, 1 DECFABG, 1 DFCEABG, 1 DFECABG, 1 EGABFCD, 1 GCABFDE",
        # Together; in every order none breaks it.
        "monotonicity": "2 ACBD, 3 BADC, 1 CBAD, 3 DCBA",
        "participation": "3 ADCB, 2 BCAD, 2 DBAC, 1 CBDA, 1 DCBA",
    }
    tie_breaking: TieBreaking = "together"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.tie_breaking, get_args(TieBreaking), "tie_breaking of RankedPairs")

    @property
    def keeps(self) -> Statements:
        """Axioms that are kept by both ways of breaking ties, and those by the one that it has."""
        both = {
            "smith": "no majority leads back into the Smith set, so that those out of it lock",
            "majority": "it keeps condorcet winner",
            "pareto": "what all agree on has no cycle, and is locked first",
        }
        if self.tie_breaking == "together":
            return both | {
                "clone independence": "a path through clones is one through any of them, so that "
                "outside of them the same majorities lock however many there are",
                "reversal symmetry": "all arrows turn round, and what alone none leads to has one "
                "that leaves it",
            }
        return both | {
            "monotonicity": "who comes out first still does, as its majorities grow and no path "
            "between others passes it; Tideman (1987)",
            "reversal symmetry": "an order that comes out does in reverse of the reverse ballots, "
            "and who is first in all is last in none",
        }

    @property
    def breaks(self) -> Statements:
        """Clones matter where equal majorities are taken in every order."""
        matter = self.tie_breaking == "parallel"
        return {"clone independence": "Zavist and Tideman (1989)"} if matter else {}

    def outcomes(self, data: Data | Evidence, *, limit: int = 1000) -> tuple[Permutation, ...]:
        """Return every ranking that some order of equal majorities leads to.

        The parameter `tie_breaking` plays no part. Items that nothing locked orders come either
        way round.

        Parameters
        ----------
        data : ScoreTable, Profile, PairwiseMatrix or Evidence
            As for `aggregate`.
        limit : int, default 1000
            More of them raise.

        Returns
        -------
        tuple of Permutation
            Each once, in the order of the positions of the items from the first one on.
        """
        most = check_integer(limit, "limit", low=1)
        evidence = Evidence.of(data)
        found: list[tuple[int, ...]] = []
        for above in self._ways(evidence, Deadline()):
            for order in _orders_left_open(above):
                if len(found) == most:
                    raise too_many(most)
                found.append(order)
        return tuple(
            permutation_of(np.argsort(order).astype(np.int32), evidence.items)
            for order in sorted(found)
        )

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        if self.tie_breaking == "together":
            votes = evidence.votes
            above = locked_paths(votes.scaled_wins - votes.scaled_wins.T, deadline)
            return wins_less_losses(above, evidence.items, "no locked path leads to them")
        # Any item can be ranked right after those above it.
        best = np.min([above.sum(axis=0) for above in self._ways(evidence, deadline)], axis=0)
        return by_best(best.tolist(), evidence.items, "order of equal majorities")

    def _ways(self, evidence: Evidence, deadline: Deadline) -> Iterator[Bools]:
        votes = evidence.votes
        try:
            yield from _locked_in_every_way(votes.scaled_wins - votes.scaled_wins.T, deadline)
        except _TooManyWaysError:
            raise InvalidInputError(
                "tie_breaking of RankedPairs",
                "another one where equal majorities close so many cycles",
                "parallel",
                "'together' leaves all of them out at once.",
            ) from None


def _orders_left_open(above: Bools) -> Iterator[tuple[int, ...]]:
    """Yield the strict orders that contradict nothing that is locked."""
    stack: list[tuple[int, ...]] = [()]
    while stack:
        order = stack.pop()
        if len(order) == len(above):
            yield order
            continue
        left = np.ones(len(above), dtype=bool)
        left[list(order)] = False
        free = left & ~above[left].any(axis=0)
        stack += [(*order, item) for item in np.flatnonzero(free)[::-1].tolist()]
