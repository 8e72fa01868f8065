"""What one voter gains by each ballot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import rankagg as ra
from rankagg.apps.parts.outcomes import winners_of
from rankagg.apps.parts.permutohedron import Vertex, all_orders
from rankagg.core.items import counted, listed

__all__ = ["Result", "electorate", "listed_ballots", "results_of_ballots", "told", "vertices"]

CAPTION = (
    "Ballots in rows, by the number of swaps from the honest one. Large: better for you; small: "
    "worse; the ring: your ballot. Where several are first, a lot decides."
)


@dataclass(frozen=True)
class Result:
    """What comes of one ballot."""

    winners: tuple[str, ...]
    # Where they stand in the true opinion, from 1; the average where several are first, as by
    # lot.
    place: Fraction
    # 1 where that is better than what the true opinion brings as a ballot, -1 where it is worse.
    gain: int


def electorate(number: int, n_voters: int = 8, items: str = "ABCD") -> ra.Profile:
    """Return voters without any common opinion: all rankings are equally probable.

    Examples
    --------
    >>> from rankagg.apps.parts.manipulation import electorate
    >>> electorate(1)
    <Profile of 8 rankings of 4 items, complete, strict>
    """
    return ra.Uniform(items).sample(n_voters, rng=number)


def results_of_ballots(
    others: ra.Profile, honest: Sequence[str], rule: ra.Aggregator
) -> dict[tuple[str, ...], Result]:
    """Try every strict ballot of one more voter.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.manipulation import results_of_ballots
    >>> others = ra.Profile.from_orders(["ABC", "BAC"], counts=[2, 2])
    >>> found = results_of_ballots(others, "ABC", ra.Borda())
    >>> found["B", "C", "A"].winners, found["B", "C", "A"].gain
    (('B',), -1)
    """
    place = {item: k for k, item in enumerate(honest, start=1)}
    firsts = {}
    for ballot in all_orders(honest):
        own = ra.Permutation.from_order(ballot, items=others.items)
        firsts[ballot] = winners_of(rule.aggregate(ra.Profile([*others, own]), rng=0))
    places = {
        ballot: Fraction(sum(place[str(one)] for one in first), len(first))
        for ballot, first in firsts.items()
    }
    truth = places[tuple(honest)]
    return {
        ballot: Result(tuple(map(str, first)), places[ballot], _sign(truth - places[ballot]))
        for ballot, first in firsts.items()
    }


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def told(
    results: dict[tuple[str, ...], Result], chosen: tuple[str, ...], rule: str
) -> tuple[str, str]:
    """Say what a ballot does, and how many would help."""
    truth, result = next(iter(results.values())), results[chosen]
    won = f"Your honest ballot makes {listed(truth.winners)} first"
    if chosen == next(iter(results)):
        helps = any(one.gain > 0 for one in results.values())
        said = f"{won}. {'Is there a better one?' if helps else 'No ballot serves you better.'}"
    else:
        better = {1: "better for you", 0: "no better and no worse for you", -1: "worse for you"}
        said = f"{won}. {' > '.join(chosen)} makes {listed(result.winners)} first: "
        said += f"{better[result.gain]}."
    helping = sum(one.gain > 0 for one in results.values())
    hurting = sum(one.gain < 0 for one in results.values())
    return (
        said,
        f"{rule}: of {counted(len(results), 'ballot')} {helping} would serve you better, and "
        f"{hurting} worse.",
    )


def vertices(
    results: dict[tuple[str, ...], Result], chosen: tuple[str, ...]
) -> dict[tuple[str, ...], Vertex]:
    """Return how each ballot is drawn."""
    share, look = {1: 1.0, 0: 0.45, -1: 0.2}, {1: "strong", 0: "faint", -1: "warm"}
    return {
        order: Vertex(
            share[one.gain], look[one.gain], f"{listed(one.winners)} first", order == chosen
        )
        for order, one in results.items()
    }


def listed_ballots(profile: ra.Profile) -> list[tuple[str, str]]:
    """Return the ballots, equal ones together, the most frequent first."""
    together = profile.compress()
    rows = sorted(
        zip(together.counts, together, strict=True), key=lambda row: (-row[0], row[1].order)
    )
    return [(str(count), " > ".join(map(str, one.order))) for count, one in rows]
