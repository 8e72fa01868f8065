"""Questions on small random profiles, with a unique answer and its solution."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import combinations, permutations

import numpy as np
from numpy.random import Generator

import rankagg as ra
from rankagg.teaching import Step, Steps, show_steps

ANSWERS_ALLOWED = {
    "item": 'one of the items, or "none"',
    "order": "all of the items, best first",
    "cycle": "three of the items, each before the one that it beats",
    "number": "a whole number",
}


def quiz(topic: str, rng: int | Generator | None = None) -> Quiz:
    """Ask a question on a small random profile; its answer is unique.

    Rankings are drawn until there is one right answer, which no order that half of the voters have
    gives away, nor, by minimax, ranked pairs and Schulze, a Condorcet winner. It does not depend
    on what the question leaves open: what a draw is worth, in which order ranked pairs takes equal
    majorities, or whether minimax tells equal worst defeats apart by the next ones.

    Parameters
    ----------
    topic : str
        One of `TOPICS`.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator; the same seed asks the same question.

    Examples
    --------
    >>> asked = quiz("kendall distance", rng=1)
    >>> print(asked)
    What is the Kendall distance of the two rankings?
     1 x E > A > C > B > D
     1 x C > E > D > A > B
    >>> asked.check("3"), asked.check("4")
    (False, True)
    """
    generator = np.random.default_rng(rng)
    while (asked := TOPICS[topic](generator)) is None:
        pass
    # The answer to the question, not all that the rule finds; a cycle ends where it begins.
    turn = asked.answer[:1] if asked.kind == "cycle" else ()
    answer = " > ".join(map(str, (*asked.answer, *turn))) or "none"
    return replace(asked, solution=replace(asked.solution, answer=answer))


@dataclass(frozen=True)
class Quiz:
    """A question, its answer and its solution; a notebook folds the solution."""

    question: str
    profile: ra.Profile
    # What an answer is: "item", "order", "cycle" or "number".
    kind: str
    # The items, or one number; empty where no item is the answer.
    answer: tuple[object, ...]
    # How the answer is found.
    solution: Steps

    def check(self, answer: str) -> bool:
        """Say whether an answer is right; ValueError where it is none, right or wrong.

        Text may stand in any case and part items by spaces, commas or ">". A cycle may begin
        anywhere.
        """
        text = answer.strip().casefold()
        if self.kind == "number":
            if not re.fullmatch(r"[0-9]{1,9}", text):
                raise self._refused(answer)
            return int(text) == self.answer[0]
        if self.kind == "item" and text == "none":
            return not self.answer
        # Items are single letters.
        given = tuple(re.sub(r"[\s,>]+", "", text).upper())
        items = self.profile.items
        wanted = {"item": 1, "cycle": 3, "order": len(items)}[self.kind]
        if not len(given) == len(set(given)) == wanted or not set(given) <= set(items):
            raise self._refused(answer)
        if self.kind == "cycle":
            return self.answer in [(*given[k:], *given[:k]) for k in range(len(given))]
        return given == self.answer

    def _refused(self, answer: str) -> ValueError:
        names = ", ".join(map(str, self.profile.items))
        which = "" if self.kind == "number" else f" ({names})"
        return ValueError(f"An answer is {ANSWERS_ALLOWED[self.kind]}{which}, not {answer!r}.")

    @property
    def rankings(self) -> list[str]:
        """The rankings, each with the number of voters who have it."""
        pairs = zip(self.profile.counts, self.profile, strict=True)
        return [f"{count} x {' > '.join(map(str, one.order))}" for count, one in pairs]

    def __str__(self) -> str:
        return "\n ".join([self.question, *self.rankings])

    def _repr_html_(self) -> str:
        rankings = "<br>".join(map(escape, self.rankings))
        return (
            f"<p>{escape(self.question)}</p><p>{rankings}</p><details><summary>Solution</summary>"
            f"{self.solution._repr_html_()}</details>"
        )


# Of each two items, by how many the first leads.
Lead = Mapping[tuple[str, str], int]


def _drawn_profile(
    rng: Generator, items: str, wanted: Callable[[Lead], bool] = lambda lead: True
) -> ra.Profile:
    """Draw three distinct orders, each equally likely, and how many voters have each.

    No order has half of the voters, who would decide alone. So each pair has a majority, and what
    a draw is worth plays no part.
    """
    while True:
        orders = ["".join(items[i] for i in rng.permutation(len(items))) for _ in range(3)]
        counts = rng.integers(1, 7, 3).tolist()
        if len(set(orders)) < len(orders) or 2 * max(counts) >= sum(counts):
            continue
        lead = {
            (a, b): sum(
                count if order.index(a) < order.index(b) else -count
                for order, count in zip(orders, counts, strict=True)
            )
            for a, b in permutations(items, 2)
        }
        if wanted(lead):
            return ra.Profile.from_orders(orders, items=items, counts=counts)


def _some_items(rng: Generator) -> str:
    return "ABC" if rng.random() < 0.5 else "ABCD"


def _has_winner(lead: Lead) -> bool:
    """Say whether an item beats all others."""
    return any(all(lead[pair] > 0 for pair in lead if pair[0] == item) for item, _ in lead)


def _has_none(lead: Lead) -> bool:
    return not _has_winner(lead)


def _has_one_least_defeat(lead: Lead) -> bool:
    """Say whether, without a Condorcet winner, the worst defeat of one item is the smallest.

    Where several are level the textbooks have several winners, and the rule here looks further.
    """
    items = {item for item, _ in lead}
    worst = sorted(max(lead[other, item] for other in items - {item}) for item in items)
    return _has_none(lead) and worst[0] < worst[1]


def _locks_in_any_order(lead: Lead) -> bool:
    """Say whether, without a Condorcet winner, equal majorities never close a cycle together.

    Then it is all one in which order they are locked in, as the textbooks do, or whether together,
    as the rule here does. One item is to be left above which nothing is locked.
    """
    above: set[tuple[str, str]] = set()
    for margin in sorted({margin for margin in lead.values() if margin > 0}, reverse=True):
        equal = {(a, b) for (a, b), by in lead.items() if by == margin and (b, a) not in above}
        above = _closed(above | equal)
        if any(a == b for a, b in above):
            return False
    return _has_none(lead) and len({a for a, _ in lead} - {b for _, b in above}) == 1


def _closed(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return all pairs that paths of some pairs join."""
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs = pairs | more
    return pairs


def _winner(
    rule: ra.Aggregator,
    name: str,
    rng: Generator,
    wanted: Callable[[Lead], bool] = lambda lead: True,
) -> Quiz | None:
    profile = _drawn_profile(rng, _some_items(rng), wanted)
    consensus = rule.aggregate(profile)
    first = consensus.buckets[0]
    # Some rules have winners beside the first bucket, and ties may be broken: notes say so.
    if len(first) > 1 or consensus.notes:
        return None
    solution = show_steps(rule, profile)
    return Quiz(f"Which item is first by {name}?", profile, "item", first, solution)


def _instant_runoff(rng: Generator) -> Quiz | None:
    asked = _winner(ra.InstantRunoff(), "instant runoff", rng)
    # One in which those that go out decide.
    if asked is None or asked.answer == ra.Plurality().aggregate(asked.profile).buckets[0]:
        return None
    return asked


def _condorcet_winner(rng: Generator) -> Quiz:
    wanted = _has_winner if rng.random() < 0.5 else _has_none
    profile = _drawn_profile(rng, _some_items(rng), wanted)
    winner = ra.TournamentGraph(profile).condorcet_winner
    answer = () if winner is None else (winner,)
    question = 'Which item is the Condorcet winner? Answer "none" where there is none.'
    return Quiz(question, profile, "item", answer, show_steps(ra.PairwiseMajority(), profile))


def _kemeny(rng: Generator) -> Quiz | None:
    profile = _drawn_profile(rng, "ABC")
    consensus = ra.Kemeny().aggregate(profile)
    optima = consensus.optima
    assert optima is not None, "the rule is exact"
    # One where counting points is not enough.
    if ra.Borda().aggregate(profile).ranking == consensus.ranking or optima.count() > 1:
        return None
    question = "Which order has the least Kemeny cost, best item first?"
    return Quiz(question, profile, "order", consensus.order, show_steps(ra.Kemeny(), profile))


def _cycle(rng: Generator) -> Quiz | None:
    profile = _drawn_profile(rng, "ABCD")
    cycles = ra.TournamentGraph(profile).cycles()
    if len(cycles) != 1:
        return None
    question = "Three items form a Condorcet cycle. Which, each before the one that it beats?"
    return Quiz(
        question, profile, "cycle", tuple(cycles[0]), show_steps(ra.PairwiseMajority(), profile)
    )


def _kendall_distance(rng: Generator) -> Quiz | None:
    items = "ABCD" if rng.random() < 0.5 else "ABCDE"
    first, second = ("".join(items[i] for i in rng.permutation(len(items))) for _ in range(2))
    if first == second:
        return None
    rows: list[tuple[str, str, str, int]] = []
    for a, b in combinations(items, 2):
        ahead = [a if order.index(a) < order.index(b) else b for order in (first, second)]
        rows.append((f"{a}, {b}", ahead[0], ahead[1], int(ahead[0] != ahead[1])))
    distance = sum(row[-1] for row in rows)
    rankings = [ra.Permutation.from_order(order, items=items) for order in (first, second)]
    if ra.kendall_distance(*rankings) != distance:
        raise AssertionError("the steps come to another distance")
    shown = [" > ".join(order) for order in (first, second)]
    step = Step(
        "The pairs",
        ("Each pair on which the two rankings differ counts 1.",),
        ("pair", f"first of {shown[0]}", f"first of {shown[1]}", "differs"),
        tuple(rows),
    )
    title, profile = "The Kendall distance, step by step", ra.Profile(rankings)
    solution = Steps(title=title, steps=(step,), answer=str(distance))
    question = "What is the Kendall distance of the two rankings?"
    return Quiz(question, profile, "number", (distance,), solution)


TOPICS: dict[str, Callable[[Generator], Quiz | None]] = {
    "borda": partial(_winner, ra.Borda(), "Borda"),
    "condorcet winner": _condorcet_winner,
    "copeland": partial(_winner, ra.Copeland(), "Copeland"),
    "cycle": _cycle,
    "instant runoff": _instant_runoff,
    "kemeny": _kemeny,
    "kendall distance": _kendall_distance,
    # An item that beats all others would be first by any of these rules.
    "minimax": partial(_winner, ra.Minimax(), "Minimax", wanted=_has_one_least_defeat),
    "ranked pairs": partial(_winner, ra.RankedPairs(), "ranked pairs", wanted=_locks_in_any_order),
    "schulze": partial(_winner, ra.Schulze(), "Schulze", wanted=_has_none),
}
