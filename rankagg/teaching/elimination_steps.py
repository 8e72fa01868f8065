"""The steps of rules that take items out round by round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from rankagg._typing import Ranks
from rankagg.aggregation import Consensus, Evidence
from rankagg.aggregation.voting.elimination_rules import (
    Baldwin,
    Coombs,
    Elimination,
    InstantRunoff,
    Nanson,
    TieBreaking,
)
from rankagg.core import UNLISTED, ItemSet, PartialRanking, counted
from rankagg.teaching.steps import (
    Cell,
    Step,
    Worked,
    best_ranks,
    by_number,
    distinct_rankings,
    full_opening,
    margins_of,
    number,
    rankings_step,
    work_out,
)

# More rankings than this are counted and not listed.
MOST_OUTCOMES = 24
BELOW = (
    "Items that a ballot does not rank are below all others, together: one that ranks none of "
    "those that remain is shared by all of them, where `count` calls it exhausted."
)


class _EndCount(NamedTuple):
    """What each remaining item has of the first or the last places."""

    got: dict[int, Fraction]
    # What the ballots that count have to give.
    whole: Fraction


def ends(
    ranks: Ranks, weights: Sequence[Fraction], inside: Sequence[int], *, last: bool = False
) -> _EndCount:
    """Go through the ballots and share each one's first or last place."""
    got = dict.fromkeys(inside, Fraction(0))
    for row, weight in zip(ranks.tolist(), weights, strict=True):
        # Unlisted items share the bucket below all listed ones.
        place = {i: len(row) if row[i] == UNLISTED else row[i] for i in inside}
        edge = (max if last else min)(place.values())
        at_end = [i for i in inside if place[i] == edge]
        for i in at_end:
            got[i] += weight / len(at_end)
    return _EndCount(got, sum(weights, Fraction(0)))


@dataclass(frozen=True)
class Decided:
    """What a round among some items counts, and comes to."""

    # What was counted, and what each item has of it.
    counts: Mapping[str, Mapping[int, Fraction]]
    # The items that tie for going out, ascending.
    tied: tuple[int, ...]
    # Whether the one item stands first among those that remain, instead.
    first: bool = False
    # How many of those that go out stand above each, where they are not tied.
    above: Mapping[int, int] = field(default_factory=dict)


Decide = Callable[[tuple[int, ...]], Decided]
# The items that remain, and how many stand above them.
State = tuple[tuple[int, ...], int]


def _worked_rounds(
    decide: Decide, items: ItemSet, tie_breaking: TieBreaking, sentence: str
) -> tuple[tuple[Step, ...], PartialRanking]:
    """Return the rounds as steps, and the ranking that they come to."""
    known = cache(decide)
    if tie_breaking == "parallel":
        return _every_way(known, items, sentence)
    return _one_way(known, items, tie_breaking, sentence)


def _one_way(
    decide: Decide, items: ItemSet, tie_breaking: TieBreaking, sentence: str
) -> tuple[tuple[Step, ...], PartialRanking]:
    inside, above = tuple(range(len(items))), 0
    places = [0] * len(items)
    rounds: list[Decided] = []
    text = [sentence]
    while inside:
        found = decide(inside)
        rounds.append(found)
        out = found.tied
        if len(out) > 1 and tie_breaking == "order":
            out = out[-1:]
        rest = tuple(item for item in inside if item not in out)
        gone = ", ".join(str(items[item]) for item in out)
        how = " together" if len(out) > 1 else ""
        if len(inside) == 1:
            said = f"{gone} remains"
        elif found.first:
            said = f"{gone} has more than half of the first places, and stands first of these"
        elif not rest:
            said = f"{gone} remain, and are tied"
        else:
            said = f"{gone} {'go' if len(out) > 1 else 'goes'} out{how}"
            if len(found.tied) > len(out):
                tied = ", ".join(str(items[item]) for item in found.tied)
                said += f", the last of the items among {tied}, which tie"
        text.append(f"Round {len(rounds)}: {said}.")
        for item in out:
            places[item] = above if found.first else above + len(rest) + found.above.get(item, 0)
        above += found.first
        inside = rest
    names = list(dict.fromkeys(name for one in rounds for name in one.counts))
    steps = []
    for name in names:
        rows = [
            (str(item), *(_count_of(one.counts.get(name, {}), i) for one in rounds))
            for i, item in enumerate(items)
        ]
        heads = [f"round {k}" for k in range(1, len(rounds) + 1)]
        heading = "The rounds" if len(names) == 1 else f"The rounds: {name}"
        sentences = tuple(text) if name == names[0] else ()
        steps.append(Step(heading, sentences, ("item", *heads), tuple(rows)))
    return tuple(steps), by_number([-place for place in places], items)


def _count_of(got: Mapping[int, Fraction], item: int) -> Cell:
    return number(got[item]) if item in got else ""


def _every_way(
    decide: Decide, items: ItemSet, sentence: str
) -> tuple[tuple[Step, ...], PartialRanking]:
    """Follow every way of breaking ties: one of the tied items goes out at a time."""
    start = (tuple(range(len(items))), 0)
    states = [start]
    best = [len(items)] * len(items)
    for state in states:
        for item, place, after in _branches(decide, state):
            best[item] = min(best[item], place)
            if after[0] and after not in states:
                states.append(after)
    states.sort(key=lambda state: (-len(state[0]), state))
    names = list(dict.fromkeys(name for state in states for name in decide(state[0]).counts))
    steps = []
    for name in names:
        heading = "The rounds, every way" if len(names) == 1 else f"The rounds, every way: {name}"
        rows = tuple(_row(decide, state, name, items) for state in states)
        columns = ("remain", *items, "what follows")
        steps.append(Step(heading, (), columns, rows))
    where = "Where items tie, each of them goes out in one of the ways to go on."
    steps[0] = replace(steps[0], sentences=(sentence, where))
    said = "An item has the best rank that some way gives it."
    last = _outcomes(decide, start, items), best_ranks(best, items, said)
    return (*steps, *last), by_number([-place for place in best], items)


def _branches(decide: Decide, state: State) -> list[tuple[int, int, State]]:
    """Return what can happen: an item, the place that it gets, and what remains."""
    inside, above = state
    found = decide(inside)
    place = above if found.first else above + len(inside) - 1
    return [
        (out, place, (tuple(item for item in inside if item != out), above + found.first))
        for out in found.tied
    ]


def _row(decide: Decide, state: State, name: str, items: ItemSet) -> tuple[Cell, ...]:
    inside, _ = state
    found = decide(inside)
    out = " or ".join(str(items[item]) for item in found.tied)
    what = "remains" if len(inside) == 1 else "first of these" if found.first else "out"
    got = found.counts.get(name, {})
    cells = (_count_of(got, item) for item in range(len(items)))
    return ", ".join(str(items[item]) for item in inside), *cells, f"{out} {what}"


def _outcomes(decide: Decide, start: State, items: ItemSet) -> Step:
    """List the rankings that the ways lead to; of very many, only how many they are."""

    @cache
    def ways(state: State) -> int:
        return sum(ways(after) for _, _, after in _branches(decide, state)) if state[0] else 1

    heading, number_of = "The outcomes", ways(start)
    if number_of > MOST_OUTCOMES:
        text = f"The ways lead to {counted(number_of, 'ranking')}, too many to list."
        return Step(heading, (text,))
    rows = []
    paths: list[tuple[State, dict[int, int]]] = [(start, {})]
    while paths:
        state, places = paths.pop()
        if not state[0]:
            order = sorted(places, key=lambda item: places[item])
            rows.append((" > ".join(str(items[item]) for item in order),))
            continue
        for item, place, after in reversed(_branches(decide, state)):
            paths.append((after, {**places, item: place}))
    text = f"The ways lead to {counted(number_of, 'ranking')}."
    return Step(heading, (text,), ("ranking",), tuple(rows))


def _fewest_of(counts: Mapping[int, Fraction], inside: Sequence[int]) -> tuple[int, ...]:
    """Return the items that have least."""
    least = min(counts.values())
    return tuple(item for item in inside if counts[item] == least)


@work_out.register
def _instant_runoff_steps(rule: InstantRunoff, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count first places among the items that remain."""
    ranks, weights = distinct_rankings(evidence.profile)

    def decide(inside: tuple[int, ...]) -> Decided:
        firsts = ends(ranks, weights, inside).got
        return Decided({"first places": firsts}, _fewest_of(firsts, inside))

    text = (
        "Each round counts first places among the items that remain; the item with fewest goes out."
    )
    return _worked(rule, evidence, decide, text, rankings_step(evidence))


@work_out.register
def _coombs_steps(rule: Coombs, consensus: Consensus, evidence: Evidence) -> Worked:
    """Count last places among the items that remain, and first ones for a majority."""
    ranks, weights = distinct_rankings(evidence.profile)

    def decide(inside: tuple[int, ...]) -> Decided:
        counts: dict[str, Mapping[int, Fraction]] = {}
        if rule.majority:
            firsts, whole = ends(ranks, weights, inside)
            counts["first places"] = firsts
            if len(inside) == 1:
                return Decided(counts, inside)
            most = [item for item in inside if 2 * firsts[item] > whole]
            if most:
                return Decided(counts, tuple(most), first=True)
        lasts = ends(ranks, weights, inside, last=True).got
        counts["last places"] = lasts
        return Decided(counts, _fewest_of({item: -lasts[item] for item in inside}, inside))

    text = "Each round counts last places among the items that remain; the item with most goes out"
    text += ", unless an item has more than half of the first places." if rule.majority else "."
    return _worked(rule, evidence, decide, text, rankings_step(evidence))


@work_out.register
def _baldwin_steps(rule: Baldwin, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up the margins over the items that remain."""
    margins = margins_of(evidence.votes)

    def decide(inside: tuple[int, ...]) -> Decided:
        sums = _sums_of_margins(margins, inside)
        return Decided({"sums of margins": sums}, _fewest_of(sums, inside))

    text = "Each round adds up an item's margins over the items that remain; the lowest goes out."
    return _worked(rule, evidence, decide, text, full_opening(evidence))


def _sums_of_margins(
    margins: Sequence[Sequence[Fraction]], inside: Sequence[int]
) -> dict[int, Fraction]:
    """Return the sum of each remaining item's margins over the others."""
    return {i: sum((margins[i][j] for j in inside), Fraction(0)) for i in inside}


def _worked(
    rule: Elimination, evidence: Evidence, decide: Decide, text: str, opening: tuple[Step, ...]
) -> Worked:
    if rule.needs == "rankings" and not evidence.is_complete_and_strict:
        text += f" Tied items share a place. {BELOW}"
    steps, ranking = _worked_rounds(decide, evidence.items, rule.tie_breaking, text)
    return Worked((*opening, *steps), ranking=ranking)


@work_out.register
def _nanson_steps(rule: Nanson, consensus: Consensus, evidence: Evidence) -> Worked:
    """Add up the margins over the items that remain; 0 is the average."""
    votes = evidence.votes
    margins, items = margins_of(votes), votes.items

    def decide(inside: tuple[int, ...]) -> Decided:
        sums = _sums_of_margins(margins, inside)
        out = tuple(item for item in inside if sums[item] <= 0)
        above = {item: sum(sums[i] > sums[item] for i in out) for item in out}
        return Decided({"sums of margins": sums}, out, above=above)

    text = (
        "Each round adds up an item's margins over the items that remain. The average is 0: what "
        "is not above it goes out, and stands below what stays, by its sum."
    )
    steps, ranking = _worked_rounds(decide, items, "together", text)
    return Worked((*full_opening(evidence), *steps), ranking=ranking)
