"""Rounds in which items go out one after the other: with ties broken as stated, or every way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from rankagg.aggregation.voting.eliminations import TieBreaking
from rankagg.core.items import ItemSet, counted
from rankagg.core.rankings.partial import PartialRanking
from rankagg.teaching.rules.opening import by_number
from rankagg.teaching.step import Cell, Step, number

__all__ = ["Decide", "Decided", "lowest", "worked_rounds"]

# More rankings than this are counted and not listed.
MOST_OUTCOMES = 24


@dataclass(frozen=True)
class Decided:
    """What a round among some items counts, and comes to.

    Attributes
    ----------
    counts : mapping from str to mapping from int to Fraction
        What was counted, and what each item has of it.
    tied : tuple of int
        The items that tie for going out, ascending.
    first : bool
        Whether the one item stands first among those that remain, instead.
    """

    counts: Mapping[str, Mapping[int, Fraction]]
    tied: tuple[int, ...]
    first: bool = False


Decide = Callable[[tuple[int, ...]], Decided]
# The items that remain, and how many stand above them.
State = tuple[tuple[int, ...], int]


def worked_rounds(
    decide: Decide, items: ItemSet, tie_breaking: TieBreaking, sentence: str
) -> tuple[tuple[Step, ...], PartialRanking]:
    """Return the rounds as steps, and the ranking that they come to.

    Parameters
    ----------
    decide : callable
        What a round among some items decides.
    items : ItemSet
        All items.
    tie_breaking : {"together", "parallel", "order", "refuse"}
        As for `InstantRunoff`.
    sentence : str
        What a round counts and does.
    """
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
            places[item] = above if found.first else above + len(rest)
        above += found.first
        inside = rest
    names = list(dict.fromkeys(name for one in rounds for name in one.counts))
    steps = []
    for name in names:
        rows = [
            (str(item), *(_cell(one.counts.get(name, {}), i) for one in rounds))
            for i, item in enumerate(items)
        ]
        heads = [f"round {k}" for k in range(1, len(rounds) + 1)]
        heading = "The rounds" if len(names) == 1 else f"The rounds: {name}"
        sentences = tuple(text) if name == names[0] else ()
        steps.append(Step(heading, sentences, ("item", *heads), tuple(rows)))
    return tuple(steps), by_number([-place for place in places], items)


def _cell(got: Mapping[int, Fraction], item: int) -> Cell:
    return number(got[item]) if item in got else ""


def _every_way(
    decide: Decide, items: ItemSet, sentence: str
) -> tuple[tuple[Step, ...], PartialRanking]:
    """Follow every way of breaking ties: one of the tied items goes out at a time."""
    start: State = (tuple(range(len(items))), 0)
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
    ranked = sorted(range(len(items)), key=lambda item: best[item])
    rows = tuple((str(items[item]), best[item] + 1) for item in ranked)
    said = "An item has the best rank that some way gives it."
    return (
        *steps,
        _outcomes(decide, start, items),
        Step("The best ranks", (said,), ("item", "best rank"), rows),
    ), by_number([-place for place in best], items)


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
    cells = (_cell(got, item) for item in range(len(items)))
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


def lowest(counts: Mapping[int, Fraction], inside: Sequence[int]) -> tuple[int, ...]:
    """Return the items that have least."""
    least = min(counts.values())
    return tuple(item for item in inside if counts[item] == least)
