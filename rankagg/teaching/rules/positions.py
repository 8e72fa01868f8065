"""The steps of rules that give points for places."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np

from rankagg._typing import Floats, Unranked
from rankagg.aggregation.reciprocal import ReciprocalRankFusion
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.voting.place_points import PlacePoints, PlaceWeights
from rankagg.core.items import ItemSet
from rankagg.core.rankings.partial import as_ranking
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.teaching.rules.opening import by_number, distinct_rankings, rankings_step, scored
from rankagg.teaching.step import Formula, Step, number, told
from rankagg.teaching.worked import Worked

__all__ = ["fusion_steps", "place_steps"]

GAPS = {
    "uniform": "Unranked items may stand anywhere: every item has its mean over all such orders.",
    "ignore": "A ranking is one of the items that it ranks, and gives their points less the mean "
    "of these.",
    "last": "Unranked items share the places below all others.",
}


def place_steps(consensus: Consensus) -> Worked:
    """Count how often each item has each place, times what the place is worth."""
    rule, evidence, policy = consensus.aggregator, consensus._evidence, consensus.unranked
    assert isinstance(rule, PlacePoints), "the registry says so"
    assert policy is not None, "the rule has one"
    ranks, weights = distinct_rankings(evidence.profile)
    items = evidence.items
    given = [_points(row, rule._weights, policy) for row in ranks.tolist()]
    sums = [
        sum((w * row[i] for w, row in zip(weights, given, strict=True)), Fraction(0))
        for i in range(len(items))
    ]
    if evidence.is_complete_and_strict and policy != "ignore":
        step = _by_place(ranks.tolist(), weights, rule._weights(len(items)), items)
    else:
        text = ["Tied items share the points of the places that they cover."]
        text += [GAPS[policy]] if (ranks == UNRANKED).any() else []
        step = _by_ranking(ranks.tolist(), weights, given, items, text)
    scores = np.array([float(one) for one in sums])
    last = scored("The sums", "The more points, the better.", items, scores)
    return Worked((*rankings_step(evidence), step, last), scores, ranking=by_number(sums, items))


def fusion_steps(consensus: Consensus) -> Worked:
    """Add up one over a constant and the rank."""
    rule, evidence = consensus.aggregator, consensus._evidence
    assert isinstance(rule, ReciprocalRankFusion), "the registry says so"
    ranks, weights = distinct_rankings(evidence.profile)
    items, k = evidence.items, Fraction(rule.k)
    n = len(items)
    worth = [1 / (k + place) for place in range(1, n + 1)]
    given = [_of_listed(row, worth) for row in ranks.tolist()]
    sums = [
        sum((w * row[i] for w, row in zip(weights, given, strict=True)), Fraction(0))
        for i in range(n)
    ]
    seen = (ranks != UNRANKED).any(axis=0)
    scores: Floats = np.where(seen, [float(one) for one in sums], np.nan)
    text = [f"Rank r is worth 1/({told(k)} + r), and no rank 0."]
    if not evidence.is_complete_and_strict:
        text.append("Tied items share what their places are worth.")
    step = _by_ranking(ranks.tolist(), weights, given, items, text)
    last = scored("The sums", "The more, the better.", items, scores)
    return Worked((*rankings_step(evidence), step, last), scores)


def _by_place(
    rows: Sequence[Sequence[int]],
    weights: Sequence[Fraction],
    worth: Sequence[Fraction],
    items: ItemSet,
) -> Step:
    table = []
    for i, item in enumerate(items):
        often = [
            sum((w for w, row in zip(weights, rows, strict=True) if row[i] == place), Fraction(0))
            for place in range(len(worth))
        ]
        parts = [(count, points) for count, points in zip(often, worth, strict=True) if count]
        total = sum((count * points for count, points in parts), Fraction(0))
        product = " + ".join(f"{told(count)}*{_factor(points)}" for count, points in parts)
        formula = Formula(f"{product} = {told(total)}")
        table.append((str(item), *map(number, often), formula))
    heads = [f"rank {place} ({told(one)})" for place, one in enumerate(worth, start=1)]
    return Step(
        "The points",
        (
            "What a place is worth stands in parentheses.",
            "A row holds how often its item has each rank, and its points.",
        ),
        ("item", *heads, "points"),
        tuple(table),
    )


def _factor(points: Fraction) -> str:
    """Return a number that stands behind a sign of multiplication."""
    text = told(points)
    return f"({text})" if "/" in text or points < 0 else text


def _by_ranking(
    rows: Sequence[Sequence[int]],
    weights: Sequence[Fraction],
    given: Sequence[Sequence[Fraction]],
    items: ItemSet,
    text: Sequence[str],
) -> Step:
    table = tuple(
        (number(weight), as_ranking(np.array(row, dtype=np.int32), items)._arrows(),
         *map(number, each))
        for row, weight, each in zip(rows, weights, given, strict=True)
    )  # fmt: skip
    how = "A row holds what one ranking gives each item; it counts as often as the count says."
    return Step("The points", (*text, how), ("count", "ranking", *items), table)


def _points(row: Sequence[int], worth_of: PlaceWeights, unranked: Unranked) -> list[Fraction]:
    """Return what a ranking gives each item, from the chances of its places."""
    n = len(row)
    off = (UNLISTED, UNRANKED) if unranked == "last" else (UNLISTED,)
    codes = [n if place in off else place for place in row]
    known = [code for code in codes if code != UNRANKED]
    k = len(known)
    if unranked == "ignore":
        own = list(worth_of(k)) if k else []
        absent = Fraction(0)
        less = sum(own, Fraction(0)) / k if k else Fraction(0)
        at = [one - less for one in own]
    else:
        worth = list(worth_of(n))
        absent = sum(worth, Fraction(0)) / n
        # The item at place j of k is at place p of n if j of the p before it are ranked ones.
        at = [
            sum(
                (Fraction(comb(p, j) * comb(n - 1 - p, k - 1 - j), comb(n, k)) * worth[p]
                 for p in range(n)),
                Fraction(0),
            )
            for j in range(k)
        ]  # fmt: skip
    points = []
    for code in codes:
        if code == UNRANKED:
            points.append(absent)
            continue
        start, size = sum(other < code for other in known), known.count(code)
        points.append(sum(at[start : start + size], Fraction(0)) / size)
    return points


def _of_listed(row: Sequence[int], worth: Sequence[Fraction]) -> list[Fraction]:
    """Return what a ranking gives the items on its list, and nothing to the others."""
    sizes = {place: list(row).count(place) for place in row}
    return [
        sum(worth[place : place + sizes[place]], Fraction(0)) / sizes[place]
        if place >= 0 else Fraction(0)
        for place in row
    ]  # fmt: skip
