"""Steps of rules on scores and rankings: sums of scores, points for places, rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

import numpy as np

from rankagg._typing import Unranked
from rankagg.aggregation import Borda, Consensus, Evidence, Mean
from rankagg.aggregation.voting.elimination import RoundRule
from rankagg.aggregation.voting.elimination_rules import Coombs, InstantRunoff
from rankagg.aggregation.voting.positional_rules import PlacePoints, PlaceWeights
from rankagg.aggregation.voting.rounds import by_favor
from rankagg.core import UNLISTED, UNRANKED, ItemSet, PartialRanking, as_ranking
from rankagg.exceptions import InvalidInputError
from rankagg.teaching.steps import (
    Cell,
    Step,
    Worked,
    as_text,
    distinct_rankings,
    number,
    rankings_step,
    scores_step,
    votes_step,
    work_out,
)

GAPS = {
    "uniform": "Unranked items may be anywhere: every item has its mean over all such orders.",
    "ignore": "A ranking counts only the items that it ranks, with their points minus the mean "
    "of these.",
    "last": "Unranked items share the places below all others.",
}
BELOW = (
    "Items that a ballot does not rank are tied below all others. A ballot that ranks no remaining "
    "item is shared among all of them; `count` calls it exhausted."
)


def _by_number(numbers: Sequence[Fraction | int | None], items: ItemSet) -> PartialRanking:
    """Rank items by exact numbers, higher is better; None is unranked."""
    places = [
        UNRANKED if mine is None else sum(other is not None and other > mine for other in numbers)
        for mine in numbers
    ]
    return as_ranking(np.array(places, dtype=np.int32), items)


def _total(parts: Sequence[Fraction]) -> Fraction:
    return sum(parts, Fraction(0))


@work_out.register
def _mean_steps(rule: Mean, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up the weighted scores of each system, and divide by the sum of their weights."""
    table = evidence.scores
    values = table.task_scores(signed=True)
    tasks = [
        (str(task), *("missing" if np.isnan(x) else number(x) for x in column), number(weight))
        for task, column, weight in zip(table.tasks, values.T, table.weight_vector, strict=True)
    ]
    text = ["The score of a task is the mean over its instances."] * table.is_instance_level
    if not all(table.higher_is_better.values()):
        text.append("If lower is better, scores are negated.")
    first = Step("The scores", tuple(text), ("task", *table.systems, "weight"), tuple(tasks))
    rows: list[tuple[Cell, ...]] = []
    means = []
    for system, row in zip(table.systems, values.tolist(), strict=True):
        pairs = zip(row, table.weight_vector.tolist(), strict=True)
        there = [(Fraction(x), Fraction(weight)) for x, weight in pairs if not np.isnan(x)]
        total = _total([x * weight for x, weight in there])
        over = _total([weight for _, weight in there])
        means.append(float(total / over) if there else np.nan)
        mean = number(means[-1]) if there else "none"
        rows.append((str(system), number(total), number(over), mean))
    how = "The sum of the scores, each times the weight of its task, over the sum of these weights."
    columns = ("system", "sum", "weights", "mean")
    sums = Step("The sums", (how,), columns, tuple(rows))
    scores = np.array(means)
    last = scores_step("The order", "The higher, the better.", table.systems, scores)
    return Worked((first, sums, last), scores)


@work_out.register
def _borda_steps(rule: Borda, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count how often each item has each rank, or its points in each ranking, and add up."""
    if not evidence.has_rankings:
        return _wins_and_losses(evidence)
    # Wins minus losses if only pairs that a ranking compares count.
    step, n = 2 if evidence.unranked == "ignore" else 1, len(evidence.items)
    plain = f"First place is worth {n - 1}, each next one 1 less, the last 0."
    shared = "Points are for ranks; tied items share theirs, and the policy says what unranked "
    worked, _ = _positional(
        evidence,
        lambda k: [Fraction(step * (k - 1 - place)) for place in range(k)],
        plain,
        [f"{shared}ones get."],
    )
    return worked


def _wins_and_losses(evidence: Evidence) -> Worked:
    """Return the steps from votes alone: wins minus losses, or the corresponding points."""
    votes = evidence.votes
    won, lost = votes.wins.sum(axis=1), votes.wins.sum(axis=0)
    columns, scores = ["item", "won", "lost", "won minus lost"], won - lost
    text = "The sum of a row is the votes its item won, that of its column the votes it lost."
    rows = [
        [str(item), *map(number, (won[i], lost[i], scores[i]))]
        for i, item in enumerate(votes.items)
    ]
    if votes.exact_weight is not None and evidence.unranked != "ignore":
        total = (votes.n_items - 1) * float(votes.exact_weight)
        scores = np.asarray((total + scores) / 2)
        columns.append(f"points = ({as_text(total)} + it)/2")
        rows = [[*row, number(score)] for row, score in zip(rows, scores, strict=True)]
        text += " A win is a point, and a tie half of one."
    step = Step("Won and lost", (text,), tuple(columns), tuple(map(tuple, rows)))
    last = scores_step("The sums", "The more, the better.", votes.items, scores)
    return Worked((votes_step(votes), step, last), scores)


@work_out.register
def _place_steps(rule: PlacePoints, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count how often each item has each place, times the points of the place."""
    text = ["Tied items share the points of the places that they cover."]
    if (evidence.profile.ranks == UNRANKED).any():
        text.append(GAPS[evidence.profile.unranked])
    plain = "The points of a place are in parentheses."
    worked, sums = _positional(evidence, rule.place_weights, plain, text)
    return replace(worked, ranking=_by_number(sums, evidence.items))


def _positional(
    evidence: Evidence, place_points: PlaceWeights, plain: str, shared: Sequence[str]
) -> tuple[Worked, list[Fraction]]:
    """Return the steps of points for places, and the exact sums."""
    policy = evidence.profile.unranked
    ranks, weights = distinct_rankings(evidence.profile)
    rows, items = ranks.tolist(), evidence.items
    given = [_ranking_points(row, place_points, policy) for row in rows]
    sums = [
        _total([weight * one for weight, one in zip(weights, column, strict=True)])
        for column in zip(*given, strict=True)
    ]
    if evidence.is_complete_and_strict and policy != "ignore":
        step = _by_place(rows, weights, place_points(len(items)), items, plain)
    else:
        how = "A row holds the points of one ranking, which the count multiplies."
        table = tuple(
            (number(weight), as_ranking(row, items).to_text(), *map(number, each))
            for row, weight, each in zip(ranks, weights, given, strict=True)
        )
        step = Step("The points", (*shared, how), ("count", "ranking", *items), table)
    scores = np.array([float(one) for one in sums])
    last = scores_step("The sums", "The more points, the better.", items, scores)
    return Worked((*rankings_step(evidence), step, last), scores), sums


def _by_place(
    rows: Sequence[Sequence[int]],
    weights: Sequence[Fraction],
    worth: Sequence[Fraction],
    items: ItemSet,
    plain: str,
) -> Step:
    table = []
    for i, item in enumerate(items):
        often = [
            _total([w for w, row in zip(weights, rows, strict=True) if row[i] == place])
            for place in range(len(worth))
        ]
        parts = [(count, points) for count, points in zip(often, worth, strict=True) if count]
        total = _total([count * points for count, points in parts])
        product = " + ".join(f"{as_text(count)}*{_factor(points)}" for count, points in parts)
        table.append((str(item), *map(number, often), f"{product} = {as_text(total)}"))
    heads = [f"rank {place} ({as_text(one)})" for place, one in enumerate(worth, start=1)]
    how = "A row holds how often its item has each rank, and its points."
    return Step("The points", (plain, how), ("item", *heads, "points"), tuple(table))


def _factor(points: Fraction) -> str:
    """Return a number as text for the right factor of a product."""
    text = as_text(points)
    return f"({text})" if "/" in text or points < 0 else text


def _ranking_points(
    row: Sequence[int], place_points: PlaceWeights, unranked: Unranked
) -> list[Fraction]:
    """Return the points of a ranking for each item, from the probabilities of its places."""
    n = len(row)
    codes = [n if place == UNLISTED else place for place in row]
    known = [code for code in codes if code != UNRANKED]
    k = len(known)
    if unranked == "ignore":
        own = list(place_points(k)) if k else []
        absent = Fraction(0)
        less = _total(own) / k if k else Fraction(0)
        at = [one - less for one in own]
    else:
        worth = list(place_points(n))
        absent = _total(worth) / n
        # The item at place j of k is at place p of n if j of the p items before it are ranked.
        at = [
            _total(
                [
                    Fraction(comb(p, j) * comb(n - 1 - p, k - 1 - j), comb(n, k)) * worth[p]
                    for p in range(n)
                ]
            )
            for j in range(k)
        ]
    points = []
    for code in codes:
        if code == UNRANKED:
            points.append(absent)
            continue
        start, size = sum(other < code for other in known), known.count(code)
        points.append(_total(at[start : start + size]) / size)
    return points


# -- rounds -----------------------------------------------------------------------------------

Got = dict[int, Fraction]


@dataclass(frozen=True)
class _Decided:
    """The counts and the decision of a round."""

    # The counts of each item, by the name of the count.
    counts: Mapping[str, Got]
    # The items that tie for elimination, ascending.
    tied: tuple[int, ...]
    # Whether the item is ranked first among the remaining ones instead.
    first: bool = False


Decide = Callable[[tuple[int, ...]], _Decided]


def _end_places(evidence: Evidence, inside: Sequence[int], *, last: bool = False) -> Got:
    """Count the first or last places on the ballots, shared among tied items."""
    ranks, weights = distinct_rankings(evidence.profile)
    got = dict.fromkeys(inside, Fraction(0))
    for row, weight in zip(ranks.tolist(), weights, strict=True):
        # Unlisted items share the bucket below all listed ones.
        place = {i: len(row) if row[i] == UNLISTED else row[i] for i in inside}
        edge = (max if last else min)(place.values())
        at_end = [i for i in inside if place[i] == edge]
        for i in at_end:
            got[i] += weight / len(at_end)
    return got


def _fewest(counts: Got) -> tuple[int, ...]:
    """Return the items with the least count."""
    least = min(counts.values())
    return tuple(item for item, got in counts.items() if got == least)


def _rounds(rule: RoundRule, evidence: Evidence, decide: Decide, sentence: str) -> Worked:
    """Return the rounds as steps, with the resulting ranking."""
    items, tie_breaking = evidence.items, getattr(rule, "tie_breaking", "together")
    if tie_breaking in ("parallel", "lot"):
        allowed = "'together' or 'order', to be worked out in steps"
        parameter, remedy = f"tie_breaking of {type(rule).__name__}", "`outcomes` lists all."
        raise InvalidInputError(parameter, allowed, tie_breaking, remedy)
    given = getattr(rule, "tie_order", ())
    opening = rankings_step(evidence)
    if not evidence.is_complete_and_strict:
        sentence += f" Tied items share a place. {BELOW}"
    inside, above = tuple(range(len(items))), 0
    places = [0] * len(items)
    rounds: list[_Decided] = []
    text = [sentence]
    while inside:
        found = decide(inside)
        rounds.append(found)
        out = found.tied
        if tie_breaking == "order":
            out = (by_favor(out, items, given, type(rule).__name__)[-1],)
        rest = tuple(item for item in inside if item not in out)
        gone = ", ".join(str(items[item]) for item in out)
        if len(inside) == 1:
            outcome = f"{gone} remains"
        elif found.first:
            outcome = f"{gone} has more than half of the first places, and is first of these"
        elif not rest:
            outcome = f"{gone} remain, and are tied"
        else:
            outcome = f"{gone} go out together" if len(out) > 1 else f"{gone} goes out"
            if len(found.tied) > len(out):
                tied = ", ".join(str(items[item]) for item in found.tied)
                order = "given order" if given else "items"
                outcome += f", the last of the {order} among {tied}, which tie"
        text.append(f"Round {len(rounds)}: {outcome}.")
        for item in out:
            places[item] = above if found.first else above + len(rest)
        above += found.first
        inside = rest
    names = list(dict.fromkeys(name for one in rounds for name in one.counts))
    steps = []
    for name in names:
        counts = [one.counts.get(name, {}) for one in rounds]
        rows = [
            (str(item), *(number(got[i]) if i in got else "" for got in counts))
            for i, item in enumerate(items)
        ]
        heads = [f"round {k}" for k in range(1, len(rounds) + 1)]
        heading = "The rounds" if len(names) == 1 else f"The rounds: {name}"
        sentences = tuple(text) if name == names[0] else ()
        steps.append(Step(heading, sentences, ("item", *heads), tuple(rows)))
    return Worked((*opening, *steps), ranking=_by_number([-place for place in places], items))


@work_out.register
def _instant_runoff_steps(rule: InstantRunoff, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count first places among the remaining items."""

    def decide(inside: tuple[int, ...]) -> _Decided:
        firsts = _end_places(evidence, inside)
        return _Decided({"first places": firsts}, _fewest(firsts))

    text = (
        "Each round counts first places among the remaining items; the item with fewest goes out."
    )
    return _rounds(rule, evidence, decide, text)


@work_out.register
def _coombs_steps(rule: Coombs, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count last places among the remaining items, and first ones for a majority."""

    def decide(inside: tuple[int, ...]) -> _Decided:
        firsts = _end_places(evidence, inside)
        counts: dict[str, Got] = {"first places": firsts}
        half = _total(list(firsts.values())) / 2
        most = tuple(item for item in inside if firsts[item] > half)
        if len(inside) == 1 or most:
            return _Decided(counts, inside if len(inside) == 1 else most, len(inside) > 1)
        counts["last places"] = lasts = _end_places(evidence, inside, last=True)
        return _Decided(counts, _fewest({item: -lasts[item] for item in inside}))

    text = (
        "Each round counts last places among the remaining items; the item with the most goes out, "
        "unless an item has more than half of the first places."
    )
    return _rounds(rule, evidence, decide, text)
