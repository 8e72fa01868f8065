"""Questions on small random profiles, with a unique answer and its solution."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import Generator, Label, RNGLike
from rankagg._validation import as_generator, check_choice
from rankagg.aggregation import Aggregator, Borda, Copeland, Minimax, PairwiseMajority, Schulze
from rankagg.aggregation.kemeny import Kemeny
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.elimination_rules import InstantRunoff
from rankagg.aggregation.voting.positional_rules import Plurality
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import Permutation, Profile, Ranking, Result, as_ranking
from rankagg.distances import kendall_distance
from rankagg.exceptions import InvalidInputError, VerificationError
from rankagg.teaching.show import show_steps
from rankagg.teaching.steps import Step, Steps, number

ANSWERS_ALLOWED = {
    "item": 'one of the items, or "none"',
    "order": "all of the items, best first",
    "cycle": "three of the items, each before the one that it beats",
    "number": "a whole number",
}


def quiz(topic: str, *, rng: RNGLike = None) -> Quiz:
    """Ask a question on a small random profile; its answer is unique.

    Rankings are drawn until there is one right answer, which no order that half of the voters have
    gives away, nor, by minimax, ranked pairs and Schulze, a Condorcet winner. It does not depend
    on what the question leaves open: what a draw is worth, in which order ranked pairs takes equal
    majorities, or whether minimax tells equal worst defeats apart by the next ones.

    Parameters
    ----------
    topic : str
        "borda", "condorcet winner", "copeland", "cycle", "instant runoff", "kemeny",
        "kendall distance", "minimax", "ranked pairs" or "schulze"; a space may be a hyphen.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator; the same seed asks the same question.

    Returns
    -------
    Quiz

    Raises
    ------
    InvalidInputError
        If there is no such topic.

    Examples
    --------
    >>> import rankagg as ra
    >>> asked = ra.teaching.quiz("kendall distance", rng=1)
    >>> print(asked)
    What is the Kendall distance of the two rankings?
     count           ranking
         1 E > A > C > B > D
         1 C > E > D > A > B
    >>> asked.check(3), asked.check(4)
    (False, True)
    """
    spaced = topic.replace("-", " ") if isinstance(topic, str) else topic
    name, generator = check_choice(spaced, tuple(TOPICS), "topic"), as_generator(rng)
    while (asked := TOPICS[name](generator)) is None:
        pass
    # What was asked, not all that the rule finds; a cycle ends where it begins.
    turn = asked.answer[:1] if asked.kind == "cycle" else ()
    told = " > ".join(map(str, (*asked.answer, *turn))) or "none"
    return Quiz(topic=name, **vars(asked) | {"solution": replace(asked.solution, answer=told)})


class Quiz(Result):
    """A question, its answer and its solution.

    Made by `quiz`. The text shows the question alone, a notebook the solution once it is asked
    for; tables for papers have the question as their caption. It has no plot.

    Attributes
    ----------
    topic : str
        What it is about.
    question : str
        One sentence.
    profile : Profile
        The rankings.
    kind : str
        What an answer is: "item", "order", "cycle" or "number".
    answer : tuple
        The items, or one number; empty where no item is the answer.
    solution : Steps
        How the answer is found.
    """

    topic: str
    question: str
    profile: Profile = field(compare=False)
    kind: str
    answer: tuple[Label, ...]
    solution: Steps

    _schema = "rankagg.quiz"
    _row = "ranking"
    _named_rows = False

    def check(self, answer: object) -> bool:
        """Say whether an answer is right.

        Parameters
        ----------
        answer : str, int, Ranking or iterable of items
            Text may stand in any case and part items by spaces, commas or ">". A cycle may begin
            anywhere.

        Returns
        -------
        bool

        Raises
        ------
        InvalidInputError
            If it is no answer to such a question, right or wrong.
        """
        if self.kind == "number":
            return self._whole(answer) == self.answer[0]
        given = self._items_in(answer)
        if self.kind == "cycle":
            turned = [(*given[k:], *given[:k]) for k in range(len(given))]
            return self.answer in turned
        return given == self.answer

    def _whole(self, answer: object) -> int:
        if isinstance(answer, int | np.integer) and not isinstance(answer, bool):
            return int(answer)
        if isinstance(answer, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", answer):
            return int(answer)
        raise self._refused(answer)

    def _items_in(self, answer: object) -> tuple[Label, ...]:
        if isinstance(answer, str) and self.kind == "item" and answer.strip().casefold() == "none":
            return ()
        parts: Iterable[object]
        if isinstance(answer, Ranking):
            if not (answer.is_strict and answer.is_complete):
                raise self._refused(answer)
            parts = answer.order
        elif isinstance(answer, str):
            # Items are single letters.
            parts = re.sub(r"[\s,>]+", "", answer)
        elif isinstance(answer, Iterable):
            parts = answer
        else:
            raise self._refused(answer)
        found = tuple(str(part).strip().upper() for part in parts)
        items = self.profile.items
        wanted = {"item": 1, "cycle": 3, "order": len(items)}[self.kind]
        fits = len(found) == len(set(found)) == wanted and set(found) <= set(items)
        if not fits:
            raise self._refused(answer)
        return found

    def _refused(self, answer: object) -> InvalidInputError:
        names = ", ".join(map(str, self.profile.items))
        which = "" if self.kind == "number" else f" ({names})"
        return InvalidInputError("answer", ANSWERS_ALLOWED[self.kind] + which, answer)

    def to_frame(self) -> pd.DataFrame:
        """Return the rankings.

        Returns
        -------
        pandas.DataFrame
            Columns count, ranking.
        """
        items = self.profile.items
        rows = [
            (number(count), as_ranking(ranks, items)._arrows())
            for count, ranks in zip(self.profile.counts, self.profile.ranks, strict=True)
        ]
        return pd.DataFrame(rows, columns=["count", "ranking"])

    @property
    def _caption(self) -> str:
        return self.question

    def _facts(self) -> list[str]:
        return [self.question]

    def _content(self) -> dict[str, Any]:
        return {
            "topic": self.topic,
            "question": self.question,
            "rankings": self.to_frame().to_dict("records"),
            "kind": self.kind,
            "answer": list(self.answer),
            "solution": self.solution.to_dict(),
        }

    def _repr_html_(self) -> str:
        solution = self.solution._repr_html_()
        return f"{super()._repr_html_()}<details><summary>Solution</summary>{solution}</details>"


Kind = Literal["item", "order", "number", "cycle"]
# Of each two items, by how many the first leads.
Lead: TypeAlias = Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class QuizDraw:
    """A question whose answer is unique."""

    question: str
    profile: Profile
    kind: Kind
    # Items, or one number; no item means that there is none.
    answer: tuple[Label, ...]
    solution: Steps


def _drawn_profile(
    rng: Generator, items: str, wanted: Callable[[Lead], bool] = lambda lead: True
) -> Profile:
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
            return Profile.from_orders(orders, items=items, counts=counts)


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
    rule: Aggregator,
    name: str,
    rng: Generator,
    wanted: Callable[[Lead], bool] = lambda lead: True,
) -> QuizDraw | None:
    profile = _drawn_profile(rng, _some_items(rng), wanted)
    consensus = rule.aggregate(profile)
    first = consensus.buckets[0]
    # Some rules have winners beside the first bucket, and ties may be broken: notes say so.
    if len(first) > 1 or consensus.notes:
        return None
    solution = show_steps(rule, profile)
    return QuizDraw(f"Which item is first by {name}?", profile, "item", first, solution)


def _instant_runoff(rng: Generator) -> QuizDraw | None:
    asked = _winner(InstantRunoff(), "instant runoff", rng)
    # One in which those that go out decide.
    if asked is None or asked.answer == Plurality().aggregate(asked.profile).buckets[0]:
        return None
    return asked


def _condorcet_winner(rng: Generator) -> QuizDraw:
    wanted = _has_winner if rng.random() < 0.5 else _has_none
    profile = _drawn_profile(rng, _some_items(rng), wanted)
    winner = TournamentGraph.from_data(profile).condorcet_winner
    answer = () if winner is None else (winner,)
    question = 'Which item is the Condorcet winner? Answer "none" where there is none.'
    return QuizDraw(question, profile, "item", answer, show_steps(PairwiseMajority(), profile))


def _kemeny(rng: Generator) -> QuizDraw | None:
    profile = _drawn_profile(rng, "ABC")
    consensus = Kemeny().aggregate(profile)
    optima = consensus.optima
    assert optima is not None, "the rule is exact"
    # One where counting points is not enough.
    if Borda().aggregate(profile).ranking == consensus.ranking or optima.count() > 1:
        return None
    question = "Which order has the least Kemeny cost, best item first?"
    return QuizDraw(question, profile, "order", consensus.order, show_steps(Kemeny(), profile))


def _cycle(rng: Generator) -> QuizDraw | None:
    profile = _drawn_profile(rng, "ABCD")
    cycles = TournamentGraph.from_data(profile).cycles()
    if len(cycles) != 1:
        return None
    question = "Three items form a Condorcet cycle. Which, each before the one that it beats?"
    return QuizDraw(
        question, profile, "cycle", tuple(cycles[0]), show_steps(PairwiseMajority(), profile)
    )


def _kendall_distance(rng: Generator) -> QuizDraw | None:
    items = "ABCD" if rng.random() < 0.5 else "ABCDE"
    first, second = ("".join(items[i] for i in rng.permutation(len(items))) for _ in range(2))
    if first == second:
        return None
    rows: list[tuple[str, str, str, int]] = []
    for a, b in combinations(items, 2):
        ahead = [a if order.index(a) < order.index(b) else b for order in (first, second)]
        rows.append((f"{a}, {b}", ahead[0], ahead[1], int(ahead[0] != ahead[1])))
    distance = sum(row[-1] for row in rows)
    rankings = [Permutation.from_order(order, items=items) for order in (first, second)]
    if kendall_distance(*rankings) != distance:
        raise VerificationError("The steps come to another distance; please report the seed.")
    shown = [" > ".join(order) for order in (first, second)]
    step = Step(
        "The pairs",
        ("Each pair on which the two rankings differ counts 1.",),
        ("pair", f"first of {shown[0]}", f"first of {shown[1]}", "differs"),
        tuple(rows),
    )
    title, profile = "The Kendall distance, step by step", Profile(rankings)
    solution = Steps(title=title, steps=(step,), answer=str(distance))
    question = "What is the Kendall distance of the two rankings?"
    return QuizDraw(question, profile, "number", (distance,), solution)


TOPICS: Final[Mapping[str, Callable[[Generator], QuizDraw | None]]] = MappingProxyType(
    {
        "borda": partial(_winner, Borda(), "Borda"),
        "condorcet winner": _condorcet_winner,
        "copeland": partial(_winner, Copeland(), "Copeland"),
        "cycle": _cycle,
        "instant runoff": _instant_runoff,
        "kemeny": _kemeny,
        "kendall distance": _kendall_distance,
        # An item that beats all others would be first by any of these rules.
        "minimax": partial(_winner, Minimax(), "Minimax", wanted=_has_one_least_defeat),
        "ranked pairs": partial(_winner, RankedPairs(), "ranked pairs", wanted=_locks_in_any_order),
        "schulze": partial(_winner, Schulze(), "Schulze", wanted=_has_none),
    }
)
