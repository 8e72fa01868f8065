"""What a rule's hook returns, and rankings by scores, by points and by places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.core import (
    UNRANKED,
    ItemSet,
    PartialRanking,
    Permutation,
    as_ranking,
    listed,
    places,
    rounding_error,
)
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.certificate import Certificate, TiedCertificate
    from rankagg.aggregation.kemeny.optima import Optima
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima


@dataclass(frozen=True)
class Outcome:
    """What a rule's hook returns: scores to rank by, or a ranking, or both.

    Attributes
    ----------
    scores : ndarray of float, shape (n,), or None
        Higher is better; NaN leaves an item unranked.
    ranking : PartialRanking or None
        The consensus; None lets the base class rank by the scores.
    certificate : Certificate, TiedCertificate or None
        The proof of an exact rule.
    optima : Optima, TiedOptima or None
        The set of all optima of an exact rule.
    notes : tuple of str
        What a reader should know.
    interrupted : bool
        True where the user stopped the rule and got what was there.
    """

    scores: Floats | None = None
    ranking: PartialRanking | None = None
    certificate: Certificate | TiedCertificate | None = None
    optima: Optima | TiedOptima | None = None
    notes: tuple[str, ...] = ()
    interrupted: bool = False


def proved_outcome(
    certificate: Any,
    solved: Any,
    effort: Any,
    optima: Any = None,
    *,
    noun: str = "ranking",
) -> Outcome:
    """Return what an exact rule returns, and why its proof is not complete where it is not.

    Cost and bound were computed in integers from the order and the proofs; here the certificate is
    read as a checker reads it, so that its proofs are trees over disjoint parts.
    """
    type(certificate).from_dict(certificate.to_dict())
    is_open = certificate.status != "optimal"
    best = f"interrupted: the best {noun} so far, not proved optimal"
    why = best if solved.interrupted else effort.unproved
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        optima=optima,
        notes=(why,) if is_open else (),
        interrupted=solved.interrupted and is_open,
    )


def ranks_by_scores(scores: Floats, errors: Floats | None = None) -> Ranks:
    """Return the places that scores give, one ranking a row; see `rank_by_scores`."""
    if errors is None:
        largest = np.fmax.reduce(np.abs(scores), axis=1, initial=0.0, keepdims=True)
        return places.competition_ranks(-scores, 2.0 * rounding_error(largest))
    return places.competition_ranks(-scores, errors=errors)


def rank_by_scores(
    scores: Floats, items: ItemSet, errors: Floats | None = None
) -> tuple[PartialRanking, tuple[str, ...]]:
    """Rank items by scores, higher is better; NaN is unranked.

    Scores that are equal up to rounding are tied.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
        One score per item.
    items : ItemSet
        The items.
    errors : ndarray of float, shape (n,), optional
        How far rounding can have moved each score; by default 2**-48 of the largest one.

    Returns
    -------
    ranking : PartialRanking
        The ranking.
    notes : tuple of str
        Says which scores were tied although not equal to the last digit, and what is unranked.
    """
    ranks = ranks_by_scores(scores[None, :], None if errors is None else errors[None, :])[0]
    ranking = as_ranking(ranks, items)
    if isinstance(ranking, Permutation):
        return ranking, ()
    distinct = places.competition_ranks(-scores[None, :])[0]
    notes = []
    for place in np.unique(ranks[ranks != distinct]):
        names = " = ".join(str(items[int(i)]) for i in np.flatnonzero(ranks == place))
        notes.append(f"scores equal up to rounding are tied: {names}")
    if (ranks == UNRANKED).any():
        notes.append(f"without any score, so unranked: {listed(ranking.unranked)}")
    return ranking, tuple(notes)


def by_points(points: Sequence[Fraction], items: ItemSet, notes: tuple[str, ...] = ()) -> Outcome:
    """Rank items by points, higher is better; only equal points tie."""
    scores = np.array([float(number) for number in points])
    ranks = by_places([-number for number in points])
    return Outcome(scores=scores, ranking=as_ranking(ranks, items), notes=notes)


def by_places(values: Sequence[Fraction] | Sequence[int]) -> Ranks:
    """Return the ranks that exact numbers give, smaller is better."""
    ordered = sorted(values)
    return np.array([bisect_left(ordered, value) for value in values], dtype=np.int32)


def by_best(best: Sequence[int], items: ItemSet, ways: str) -> Outcome:
    """Rank items by the best place that each has in some outcome, and name who wins in some."""
    winners = [item for item, place in enumerate(best) if place == 0]
    notes = (f"each wins by some {ways}: {listed(items.at(winners))}",) if len(winners) > 1 else ()
    return Outcome(ranking=as_ranking(by_places(best), items), notes=notes)


def too_many(limit: int) -> InvalidInputError:
    """Return the error of a list of all outcomes that would be longer than `limit`."""
    return InvalidInputError(
        "limit", "at least the number of outcomes, which is larger", limit,
        "Raise it, or take tie_breaking='parallel' for the best rank of each.",
    )  # fmt: skip
