"""Which rule ranks two halves of the voters most alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation import Aggregator, Held, as_data, check_rule
from rankagg.core import (
    Direction,
    Profile,
    Result,
    ScoreTable,
    canonical_profile,
    counted,
    plain_rows,
)
from rankagg.distances import kendall_distance
from rankagg.exceptions import Described, InvalidInputError


class RuleChoice(Result):
    """How far apart rules rank two random halves of the voters, made by `choose_rule`.

    `plot` draws a `rankagg.plotting.rule_choice_plot`.

    Parameters
    ----------
    rules : tuple of str
        The names of the rules, in the order in which they were given.
    distances : ndarray of float, shape (n_rules, n_splits)
        The Kendall distance between the rankings of both halves, over the number of pairs.
    voters : str
        What was halved: "rankings" or "tasks".
    n_voters : int
        How many there are.
    """

    rules: tuple[str, ...]
    distances: Floats
    voters: str
    n_voters: int

    _schema: ClassVar[str] = "rankagg.rule_choice"
    _plot: ClassVar[str | None] = "rule_choice_plot"
    _row: ClassVar[str] = "rule"
    _best: ClassVar[Mapping[str, Direction]] = {"distance": "lowest", "least_in": "highest"}

    @property
    def best(self) -> str:
        """The rule with the least mean distance, the first of several."""
        return self.rules[int(np.argmin(self.distances.mean(axis=1)))]

    def _facts(self) -> Iterator[str]:
        splits = counted(self.distances.shape[1], "random split", ",")
        yield (
            f"{self.best} ranks two halves of {self.n_voters:,} {self.voters} most alike of "
            f"{counted(len(self.rules), 'rule')}, in {splits}"
        )
        yield "This is how stable a rule is on these data, not how true its ranking is."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule, the least distance first.

        Returns
        -------
        pandas.DataFrame
            Indexed by rule, with "distance", its mean over the splits, "std", its standard
            deviation, and "least_in", the share of splits in which no rule has a smaller one.
        """
        least = self.distances.min(axis=0)
        columns = {
            "distance": self.distances.mean(axis=1),
            "std": self.distances.std(axis=1),
            "least_in": (self.distances <= least).mean(axis=1),
        }
        frame = pd.DataFrame(columns, index=pd.Index(self.rules, name="rule"))
        return frame.sort_values("distance", kind="stable")

    def _content(self) -> Mapping[str, Any]:
        return {
            **self._plain("voters", "n_voters", "best"),
            "n_splits": self.distances.shape[1],
            "rules": plain_rows(self.to_frame().reset_index()),
        }


def choose_rule(
    data: Held, rules: Sequence[Aggregator], *, n_splits: int = 50, rng: RNGLike = None
) -> RuleChoice:
    """Compare rules by how alike they rank two random halves of the voters.

    Each split halves the voters at random; each rule ranks both halves, and the Kendall distance
    between its two rankings says how much of its ranking is due to who happened to vote.

    Parameters
    ----------
    data : Profile, ScoreTable, or orders
        Rankings, each counted as often as its count says, or scores, of which the tasks are halved.
        Of an odd number one is left out of each split, at random.
    rules : sequence of Aggregator
        At least two.
    n_splits : int, default 50
        How often the voters are halved; all rules rank the same halves.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.

    Returns
    -------
    RuleChoice
        A pair that one of the two rankings ties counts half.

    Raises
    ------
    InvalidInputError
        If there are fewer than two voters or rules, or the data hold no single voters.

    References
    ----------
    Berker et al. (2025), "Designing rules to pick a rule: aggregation by consistency",
    https://arxiv.org/abs/2508.17177.

    Examples
    --------
    >>> import rankagg as ra
    >>> ballots = ra.datasets.load("tennessee")
    >>> rules = [ra.Plurality(), ra.Borda(), ra.Kemeny()]
    >>> ra.analysis.choose_rule(ballots, rules, n_splits=20, rng=0).to_frame().round(3)
               distance    std  least_in
    rule
    Borda         0.092  0.098      0.65
    Kemeny        0.125  0.217      0.75
    Plurality     0.158  0.134      0.30
    """
    data = as_data(data)
    if not isinstance(data, Profile | ScoreTable):
        allowed = "a Profile, a ScoreTable, or orders, of which the voters can be halved"
        raise InvalidInputError("data", allowed, data)
    named = [check_rule(rule, "rules") for rule in rules]
    if len(named) < 2:
        raise InvalidInputError("rules", "at least two rules", rules)
    times, generator = check_integer(n_splits, "n_splits", low=1), as_generator(rng)
    distances = np.empty((len(named), times))
    for split in range(times):
        halves = list(_halves(data, generator))
        for row, rule in enumerate(named):
            first, second = (rule.aggregate(half, rng=generator).ranking for half in halves)
            distances[row, split] = kendall_distance(first, second, tie_cost=0.5, normalized=True)
    is_table = isinstance(data, ScoreTable)
    return RuleChoice(
        rules=tuple(rule.name for rule in named),
        distances=distances,
        voters="tasks" if is_table else "rankings",
        n_voters=data.n_tasks if isinstance(data, ScoreTable) else data.n_rankings,
    )


def _halves(data: Profile | ScoreTable, rng: Generator) -> Iterator[Profile | ScoreTable]:
    """Return two halves of the voters that have none in common."""
    number = data.n_tasks if isinstance(data, ScoreTable) else data.n_rankings
    if number < 2:
        noun = "task" if isinstance(data, ScoreTable) else "ranking"
        raise InvalidInputError("data", "at least two voters", Described(counted(number, noun)))
    if isinstance(data, ScoreTable):
        order = rng.permutation(number)
        for part in (order[: number // 2], order[number // 2 : number // 2 * 2]):
            kept = set(part.tolist())
            yield data.drop(tasks=[t for i, t in enumerate(data.tasks) if i not in kept])
        return
    drawn = rng.multivariate_hypergeometric(data.counts, number // 2)
    rest = rng.multivariate_hypergeometric(data.counts - drawn, number // 2)
    for counts in (drawn, rest):
        rows = np.flatnonzero(counts)
        yield canonical_profile(
            data.items,
            data.ranks[rows],
            counts=counts[rows],
            weights=data.weights[rows],
            groups=None if data.groups is None else [data.groups[i] for i in rows],
            unranked=data.unranked,
        )
