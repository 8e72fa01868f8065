"""The steps of rules that add up: averages of scores, points of places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb, exp, fsum, log

import numpy as np

from rankagg._typing import Floats, Unranked
from rankagg.aggregation import (
    Borda,
    Bucklin,
    Consensus,
    Evidence,
    GeometricMean,
    HarmonicMean,
    Mean,
    Median,
    points,
)
from rankagg.aggregation.metasearch import ReciprocalRankFusion
from rankagg.aggregation.searches import PickAPerm
from rankagg.aggregation.voting.positional_rules import PlacePoints, PlaceWeights
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    ItemSet,
    ScoreTable,
    as_ranking,
    competition_ranks,
    exact,
)
from rankagg.teaching.steps import (
    Cell,
    Step,
    Worked,
    by_number,
    distinct_rankings,
    number,
    rankings_step,
    scored,
    told,
    verify,
    votes_step,
    work_out,
)
from rankagg.teaching.tables import Formula

Pairs = Sequence[tuple[float, Fraction]]
GAPS = {
    "uniform": "Unranked items may stand anywhere: every item has its mean over all such orders.",
    "ignore": "A ranking is one of the items that it ranks, and gives their points less the mean "
    "of these.",
    "last": "Unranked items share the places below all others.",
}


@work_out.register
def _mean_steps(rule: Mean, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up the scores of each system, and divide by how many there are."""

    def work(there: Pairs) -> tuple[float, list[Cell]]:
        total = sum((Fraction(x) * w for x, w in there), Fraction(0))
        over = _total(there)
        return float(total / over), [number(total), number(over)]

    text = "The sum of the scores that are there, each times the weight of its task, over the sum "
    step = ("The sums", f"{text}of these weights.", ("sum", "weights", "mean"), (0, 0))
    return _signed(evidence, step, work)


@work_out.register
def _median_steps(rule: Median, consensus: Consensus, evidence: Evidence) -> Worked:
    """Order the scores of each system, and go to the middle of the weights."""

    def work(there: Pairs) -> tuple[float, list[Cell]]:
        ordered = sorted((x, w.limit_denominator(10**9)) for x, w in there)
        return _middle(ordered), [", ".join(told(x) for x, _ in ordered)]

    text = "The scores in order. The median has half of the weight on either side; where two share "
    step = ("The middle", f"{text}the middle, it is their mean.", ("scores", "median"), ("none",))
    return _signed(evidence, step, work)


# A heading, a sentence, the columns beside the system, and the cells where no score is there.
Work = tuple[str, str, tuple[str, ...], tuple[Cell, ...]]


def _by_system(
    table: ScoreTable,
    values: Floats,
    weights: Sequence[Fraction],
    step: Work,
    work: Callable[[Pairs], tuple[float, list[Cell]]],
) -> tuple[Step, Floats]:
    """Return a step with a row for each system, and the means that it comes to."""
    (heading, text, columns, empty), rows, means = step, [], []
    for system, row in zip(table.systems, values.tolist(), strict=True):
        there = [(x, w) for x, w in zip(row, weights, strict=True) if not np.isnan(x)]
        mean, cells = work(there) if there else (np.nan, list(empty))
        means.append(mean)
        rows.append((str(system), *cells, number(mean) if there else "none"))
    return Step(heading, (text,), ("system", *columns), tuple(rows)), np.array(means)


def _signed(
    evidence: Evidence, step: Work, work: Callable[[Pairs], tuple[float, list[Cell]]]
) -> Worked:
    table = evidence.scores
    weights = [Fraction(float(weight)) for weight in table.weight_vector]
    values = table.task_scores(signed=True)
    done, means = _by_system(table, values, weights, step, work)
    lower = not all(table.higher_is_better.values())
    text = ["Where lower is better, scores are negated."] if lower else []
    return _shown_scores(table, values, done, means, order="The higher, the better.", text=text)


def _middle(ordered: list[tuple[float, Fraction]]) -> float:
    """Return the median of values with weights, in order."""
    half, running, low = sum(w for _, w in ordered) / Fraction(2), Fraction(0), None
    for value, weight in ordered:
        running += weight
        if low is None and running >= half:
            low = value
        if running > half:
            break
    assert low is not None, "the whole is more than its half"
    return (low + value) / 2


def _shown_scores(
    table: ScoreTable,
    values: Floats,
    step: Step,
    scores: Floats,
    *,
    order: str,
    text: Sequence[str] = (),
) -> Worked:
    """Return the steps, from the scores of the tasks to the ranking by what was found."""
    rows = [
        (str(task), *("missing" if np.isnan(x) else number(x) for x in column), number(weight))
        for task, column, weight in zip(table.tasks, values.T, table.weight_vector, strict=True)
    ]
    means = ["The score of a task is the mean over its instances."] * table.is_instance_level
    first = Step("The scores", (*means, *text), ("task", *table.systems, "weight"), tuple(rows))
    last = scored("The order", order, table.systems, scores)
    return Worked((first, step, last), scores)


@work_out.register
def _geometric_mean_steps(rule: GeometricMean, consensus: Consensus, evidence: Evidence) -> Worked:
    """Multiply the scores of each system, and take the root."""
    text = "Each score is raised to the weight of its task; the mean is the root of the product "
    text += "whose degree is the sum of these weights."
    return _positive(evidence, "The products", text, _geometric, _product)


@work_out.register
def _harmonic_mean_steps(rule: HarmonicMean, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up the inverse scores of each system, and divide the weights by the sum."""
    text = "The mean is the sum of the weights, divided by the sum of each weight over its score."
    return _positive(evidence, "The sums of inverses", text, _harmonic, _quotient)


def _total(there: Pairs) -> Fraction:
    return sum((weight for _, weight in there), Fraction(0))


def _geometric(there: Pairs) -> float:
    return exp(fsum(float(w) * log(x) for x, w in there) / float(_total(there)))


def _product(there: Pairs) -> str:
    whole = _total(there)
    factors = " * ".join(told(x) if w == 1 else f"{told(x)}^{told(w)}" for x, w in there)
    return factors if whole == 1 else f"({factors})^(1/{told(whole)})"


def _harmonic(there: Pairs) -> float:
    return float(_total(there) / sum(w / Fraction(x) for x, w in there))


def _quotient(there: Pairs) -> str:
    whole = _total(there)
    return f"{told(whole)}/({' + '.join(f'{told(w)}/{told(x)}' for x, w in there)})"


def _positive(
    evidence: Evidence,
    heading: str,
    text: str,
    mean_of: Callable[[Pairs], float],
    text_of: Callable[[Pairs], str],
) -> Worked:
    table = evidence.scores
    values = table.task_scores()
    weights = [exact.as_fraction(float(weight)) for weight in table.weight_vector]
    done, means = _by_system(
        table,
        values,
        weights,
        (heading, text, ("calculation", "mean"), ("none",)),
        lambda there: (mean_of(there), [Formula(text_of(there))]),
    )
    lower = not all(table.higher_is_better.values())
    order = "Lower is better, so means are negated." if lower else "The higher, the better."
    return _shown_scores(table, values, done, -means if lower else means, order=order)


@work_out.register
def borda_steps(rule: Borda, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count how often each item has each rank, or what each ranking gives it, and add up."""
    if not evidence.has_rankings:
        return _from_votes(evidence)
    # Wins less losses, where only pairs that a ranking compares count.
    step, n = 2 if evidence.unranked == "ignore" else 1, len(evidence.items)
    plain = f"First place is worth {n - 1}, each next one 1 less, the last 0."
    shared = "Points are for ranks; tied items share theirs, and the policy says what unranked "
    return _positional(
        evidence,
        lambda k: [Fraction(step * (k - 1 - place)) for place in range(k)],
        plain,
        [f"{shared}ones get."],
    )[0]


def _from_votes(evidence: Evidence) -> Worked:
    """From votes alone: wins less losses, or the points that they come to."""
    votes = evidence.votes
    won, lost = votes.wins.sum(axis=1), votes.wins.sum(axis=0)
    columns, scores = ["item", "won", "lost", "won less lost"], won - lost
    text = "The sum of a row is what its item won, that of its column what it lost."
    rows = [
        [str(item), *map(number, (won[i], lost[i], scores[i]))]
        for i, item in enumerate(votes.items)
    ]
    if votes.exact_weight is not None and evidence.unranked != "ignore":
        whole = (votes.n_items - 1) * float(votes.exact_weight)
        scores = np.asarray((whole + scores) / 2)
        columns.append(f"points = ({told(whole)} + it)/2")
        rows = [[*row, number(score)] for row, score in zip(rows, scores, strict=True)]
        text += " A win is a point, and a tie half of one."
    step = Step("Won and lost", (text,), tuple(columns), tuple(map(tuple, rows)))
    last = scored("The sums", "The more, the better.", votes.items, scores)
    return Worked((votes_step(votes), step, last), scores)


@work_out.register
def _bucklin_steps(rule: Bucklin, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count the rankings that have listed an item up to every depth."""
    items = evidence.items
    n = len(items)
    ranks, weights = distinct_rankings(evidence.profile)
    whole = sum(weights, Fraction(0))
    votes = [[Fraction(0)] * n for _ in items]
    for row, weight in zip(ranks.tolist(), weights, strict=True):
        for i in range(n):
            for depth in range(1, n + 1):
                votes[i][depth - 1] += weight * _share_of_bucket(row, i, depth)
    rows, scores = [], []
    for i, item in enumerate(items):
        reached = [depth for depth in range(1, n + 1) if 2 * votes[i][depth - 1] > whole]
        depth = reached[0] if reached else n
        there = bool((ranks[:, i] != UNRANKED).any())
        scores.append(float(n - depth + votes[i][depth - 1] / whole) if there else np.nan)
        share = f"{told(votes[i][depth - 1])}/{told(whole)}"
        sum_of = Formula(f"{n} - {depth} + {share}") if there else "none"
        rows.append((str(item), *map(number, votes[i]), reached[0] if reached else "none", sum_of))
    text = [
        f"At depth k an item has the votes of the rankings with it among their first k. A majority "
        f"is more than half of {told(whole)}.",
        "The score is the number of items, less the depth of the majority (the last where there is "
        "none), and the share of votes there.",
    ]
    if not evidence.is_complete_and_strict:
        text.append("Tied items share their places; a ranking has no vote for unranked items.")
    heads = [f"depth {depth}" for depth in range(1, n + 1)]
    step = Step("The depths", tuple(text), ("item", *heads, "majority at", "score"), tuple(rows))
    last = scored("The scores", "The higher, the better.", items, np.array(scores))
    return Worked((*rankings_step(evidence), step, last), np.array(scores))


def _share_of_bucket(row: Sequence[int], item: int, depth: int) -> Fraction:
    """Return which part of its bucket's places is among the first ones."""
    if row[item] == UNRANKED:
        return Fraction(0)
    size = sum(other == row[item] for other in row)
    listed = sum(other not in (UNLISTED, UNRANKED) for other in row)
    start = listed if row[item] == UNLISTED else row[item]
    return min(Fraction(1), max(Fraction(0), Fraction(depth - start, size)))


@work_out.register
def _place_steps(rule: PlacePoints, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count how often each item has each place, times what the place is worth."""
    policy = evidence.unranked
    assert policy is not None, "the rule has one"
    text = ["Tied items share the points of the places that they cover."]
    text += [GAPS[policy]] if (evidence.profile.ranks == UNRANKED).any() else []
    plain = "What a place is worth stands in parentheses."
    worked, sums = _positional(evidence, rule._weights, plain, text)
    return replace(worked, ranking=by_number(sums, evidence.items))


def _positional(
    evidence: Evidence, worth_of: PlaceWeights, plain: str, shared: Sequence[str]
) -> tuple[Worked, list[Fraction]]:
    """Return the steps of points for places, and the exact sums."""
    policy = evidence.unranked
    assert policy is not None, "the rule has one"
    ranks, weights = distinct_rankings(evidence.profile)
    rows, items = ranks.tolist(), evidence.items
    given = [_points_of(row, worth_of, policy) for row in rows]
    sums = _sums(weights, given)
    if evidence.is_complete_and_strict and policy != "ignore":
        step = _by_place(rows, weights, worth_of(len(items)), items, plain)
    else:
        step = _by_ranking(rows, weights, given, items, shared)
    scores = np.array([float(one) for one in sums])
    last = scored("The sums", "The more points, the better.", items, scores)
    return Worked((*rankings_step(evidence), step, last), scores), sums


def _sums(weights: Sequence[Fraction], given: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return what each item gets in all."""
    columns = zip(*given, strict=True)
    return [
        sum((w * one for w, one in zip(weights, column, strict=True)), Fraction(0))
        for column in columns
    ]


@work_out.register
def _fusion_steps(rule: ReciprocalRankFusion, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up one over a constant and the rank."""
    ranks, weights = distinct_rankings(evidence.profile)
    items, k = evidence.items, Fraction(rule.k)
    worth = [1 / (k + place) for place in range(1, len(items) + 1)]
    given = [_of_listed(row, worth) for row in ranks.tolist()]
    seen = (ranks != UNRANKED).any(axis=0)
    scores: Floats = np.where(seen, [float(one) for one in _sums(weights, given)], np.nan)
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
    plain: str,
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
            plain,
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
        (
            number(weight),
            as_ranking(np.array(row, dtype=np.int32), items).to_text(),
            *map(number, each),
        )
        for row, weight, each in zip(rows, weights, given, strict=True)
    )
    how = "A row holds what one ranking gives each item; it counts as often as the count says."
    return Step("The points", (*text, how), ("count", "ranking", *items), table)


def _points_of(row: Sequence[int], worth_of: PlaceWeights, unranked: Unranked) -> list[Fraction]:
    """Return what a ranking gives each item, from the chances of its places."""
    n = len(row)
    codes = [n if place == UNLISTED else place for place in row]
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
                (
                    Fraction(comb(p, j) * comb(n - 1 - p, k - 1 - j), comb(n, k)) * worth[p]
                    for p in range(n)
                ),
                Fraction(0),
            )
            for j in range(k)
        ]
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
        if place >= 0
        else Fraction(0)
        for place in row
    ]


@work_out.register
def _pick_a_perm_steps(rule: PickAPerm, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up what each of the given rankings contradicts."""
    votes = evidence.votes
    ranks, _ = distinct_rankings(evidence.profile)
    # Unranked items stand where they are expected.
    filled = competition_ranks(-points(ranks), 1e-9)
    costs = {}
    for row in filled:
        ranking = as_ranking(row, evidence.items)
        costs[ranking] = votes.exact_cost(ranking)
    least = min(costs.values())
    agrees = costs.get(consensus.ranking) == least
    verify(agrees, "The steps of PickAPerm come to something else than the rule")
    rows = [
        (number(cost), ranking.to_text(), "picked" if ranking == consensus.ranking else "")
        for ranking, cost in sorted(costs.items(), key=lambda one: one[1])
    ]
    text = ["A ranking costs the votes that it contradicts; the cheapest of the given is picked."]
    if not evidence.is_complete_and_strict:
        text.append("An item that a ranking leaves out stands where it is expected.")
    if list(costs.values()).count(least) > 1:
        text.append("Of several cheapest ones the one whose ranks come first is picked.")
    step = Step("The costs", tuple(text), ("cost", "ranking", "verdict"), tuple(rows))
    return Worked((*rankings_step(evidence), votes_step(votes), step), ranking=consensus.ranking)
