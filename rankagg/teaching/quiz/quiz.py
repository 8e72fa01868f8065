"""A question on a small random profile, its answer and its solution."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Label, RNGLike
from rankagg._validation import as_generator, check_choice
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import Ranking, as_ranking
from rankagg.core.results import Result
from rankagg.exceptions import InvalidInputError
from rankagg.teaching.quiz.topics import TOPICS
from rankagg.teaching.step import number
from rankagg.teaching.steps import Steps

__all__ = ["Quiz", "quiz"]

ALLOWED = {
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
        "kendall distance", "minimax", "ranked pairs" or "schulze".
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator (SPEC 7); the same seed asks the same question.

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
    >>> asked = ra.quiz("kendall distance", rng=1)
    >>> print(asked)
    What is the Kendall distance of the two rankings?
     count           ranking
         1 E > A > C > B > D
         1 C > E > D > A > B
    >>> asked.check(3), asked.check(4)
    (False, True)
    """
    draw = TOPICS[check_choice(topic, tuple(TOPICS), "topic")]
    generator = as_generator(rng)
    while (asked := draw(generator)) is None:
        pass
    return Quiz(
        topic=topic,
        question=asked.question,
        profile=asked.profile,
        kind=asked.kind,
        answer=asked.answer,
        solution=asked.solution,
    )


class Quiz(Result):
    """A question, its answer and its solution.

    Made by `quiz`. The text shows the question alone, a notebook the solution once it is asked
    for; it has no plot.

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
        return InvalidInputError("answer", ALLOWED[self.kind] + which, answer)

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
