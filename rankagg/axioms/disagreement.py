"""The smallest profile on which two rules part."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd

from rankagg._typing import Label
from rankagg._validation import check_choice, check_integer
from rankagg.aggregation import Aggregator, Deadline, check_rule, time_limit_of
from rankagg.axioms.ballots import Ballots, ballots_of, profile_of, written
from rankagg.axioms.outcomes import (
    Buckets,
    NotNeutralError,
    Outcomes,
    Rankings,
    Winners,
    unsteady,
)
from rankagg.axioms.search import (
    MOST_ITEMS_SEARCHED,
    Pace,
    check_size,
    labels_for,
    number_to_see,
    profiles,
    sizes,
)
from rankagg.core import Profile, Result, listed, plain_rows, shortened


class Disagreement(Result):
    """A profile on which two rules do not have the same outcome.

    Made by `smallest_disagreement`; it has no plot.

    Attributes
    ----------
    rules : tuple of Aggregator
        The two rules.
    profile : Profile
        The ballots.
    winners : tuple of tuple of str or int
        Who wins under each.
    rankings : tuple of tuple of str
        The rankings of each, several where a rule is exact and has several optima.
    """

    rules: tuple[Aggregator, Aggregator]
    profile: Profile
    winners: tuple[tuple[Label, ...], ...]
    rankings: tuple[tuple[str, ...], ...]

    _schema = "rankagg.disagreement"
    _prints_table = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule.

        Returns
        -------
        pandas.DataFrame
            rule: its name; winners: the labels; ranking: the rankings.
        """
        return pd.DataFrame(
            {
                "rule": [rule.name for rule in self.rules],
                "winners": [", ".join(map(str, labels)) for labels in self.winners],
                "ranking": ["; ".join(rankings) for rankings in self.rankings],
            }
        )

    def _content(self) -> dict[str, Any]:
        labels = self.profile.items
        ballots = [
            {"count": count, "order": [labels[item] for item in order]}
            for order, count in ballots_of(self.profile)
        ]
        return {"ballots": ballots, "outcomes": plain_rows(self.to_frame())}

    def _facts(self) -> list[str]:
        first, second = (rule.name for rule in self.rules)
        labels = self.profile.items
        lines = [
            f"{first} and {second} disagree",
            f"ballots    {written(ballots_of(self.profile), labels)}",
        ]
        for rule, winners, rankings in zip(self.rules, self.winners, self.rankings, strict=True):
            won = "wins" if len(winners) == 1 else "win"
            lines.append(f"{rule.name}: {listed(winners)} {won}; {'; '.join(rankings)}")
        return lines


def smallest_disagreement(
    first: Aggregator,
    second: Aggregator,
    *,
    n_items: int = 4,
    n_rankings: int = 4,
    on: Literal["winners", "rankings"] = "winners",
    time_limit: float | None = None,
) -> Disagreement | None:
    """Find the smallest profile on which two rules differ.

    Parameters
    ----------
    first, second : Aggregator
        The rules; see `find_counterexample` for how their outcomes are read.
    n_items : int, default 4
        The most items.
    n_rankings : int, default 4
        The most ballots.
    on : {"winners", "rankings"}, default "winners"
        In what they are to differ: in who wins, tied winners counted, or in the ranking, all
        optima of an exact rule counted.
    time_limit : float, optional
        Seconds after which `OutOfTimeError` says how many profiles have been looked at.

    Returns
    -------
    Disagreement or None
        With the fewest items, and then the fewest ballots; None where no profile of complete
        strict rankings up to that size tells the rules apart.

    Raises
    ------
    InvalidInputError
        If there are more than 3,000,000 profiles to look at.
    OutOfTimeError
        If the time limit passes before they are told apart.

    Examples
    --------
    >>> import rankagg as ra
    >>> print(ra.axioms.smallest_disagreement(ra.Borda(), ra.Kemeny()))
    Borda and Kemeny disagree
    ballots    1 x A > B > C, 1 x B > C > A
    Borda: B wins; B > A > C
    Kemeny: A, B win; A > B > C; B > A > C; B > C > A
    """
    rules = (check_rule(first, "first"), check_rule(second, "second"))
    most_items = check_integer(n_items, "n_items", low=1, high=MOST_ITEMS_SEARCHED)
    most_rankings = check_integer(n_rankings, "n_rankings", low=1)
    check_choice(on, ("winners", "rankings"), "on")
    labels = labels_for(most_items)
    deadline = Deadline.after(time_limit_of(time_limit))
    try:
        found = _search(rules, most_items, most_rankings, on, deadline, neutral=True)
    except NotNeutralError:
        found = _search(rules, most_items, most_rankings, on, deadline, neutral=False)
    if found is None:
        return None
    asked = [Outcomes(rule, labels) for rule in rules]
    return Disagreement(
        rules=rules,
        profile=profile_of(found, labels),
        winners=tuple(tuple(labels[item] for item in sorted(one.winners(found))) for one in asked),
        rankings=tuple(
            tuple(sorted(_ranking_of(ranking, labels) for ranking in one.rankings(found)))
            for one in asked
        ),
    )


def _search(
    rules: tuple[Aggregator, Aggregator],
    n_items: int,
    n_rankings: int,
    on: str,
    deadline: Deadline,
    *,
    neutral: bool,
) -> Ballots | None:
    check_size(n_items, n_rankings, neutral=neutral)
    labels = labels_for(n_items)
    total = number_to_see(n_items, n_rankings, neutral=neutral)
    pace = Pace(" and ".join(rule.name for rule in rules), total, deadline)
    one, other = (
        Outcomes(rule, labels, neutral=neutral, before_asking=pace.check) for rule in rules
    )
    for items, rankings in sizes(2, n_items, n_rankings):
        for ballots in profiles(items, rankings, neutral=neutral):
            pace.step()
            if _outcome(one, ballots, on) != _outcome(other, ballots, on):
                for asked in (one, other):
                    again = Outcomes(asked.rule, labels)
                    if _outcome(again, ballots, on) != _outcome(asked, ballots, on):
                        raise NotNeutralError if neutral else unsteady(asked.rule)
                return ballots
    return None


def _outcome(outcomes: Outcomes, ballots: Ballots, on: str) -> Winners | Rankings:
    return outcomes.winners(ballots) if on == "winners" else outcomes.rankings(ballots)


def _ranking_of(ranking: Buckets, labels: tuple[str, ...]) -> str:
    return " > ".join(" = ".join(shortened(labels[item]) for item in bucket) for bucket in ranking)
