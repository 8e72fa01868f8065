"""Choice of the rule that ranks two halves of the voters most alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Positions, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation import Aggregator, Held, as_data, check_rule
from rankagg.core import (
    Profile,
    Result,
    ScoreTable,
    canonical_profile,
    counted,
    family_numbers,
    label_numbers,
    plain_rows,
)
from rankagg.distances import kendall_distance
from rankagg.exceptions import Described, InvalidInputError

# NumPy draws halves of fewer than this many rankings without a list of all of them.
MOST_VOTERS = 10**9


class RuleChoice(Result):
    """Distances between the rankings of random halves of the voters, for each rule.

    Made by `choose_rule`; `plot` draws a `rankagg.plotting.rule_choice_plot`.

    Parameters
    ----------
    rules : tuple of str
        Names of the rules, in the order given.
    distances : ndarray of float, shape (n_rules, n_splits)
        Kendall distance between the rankings of both halves, divided by the number of pairs.
    unit : {"ranking", "task", "cluster"}
        The voters that were halved; families of tasks are clusters.
    n_units : int
        Number of voters.
    """

    rules: tuple[str, ...]
    distances: Floats
    unit: str
    n_units: int

    _schema = "rankagg.rule_choice"
    _plot = "rule_choice_plot"
    _row = "rule"
    _best: ClassVar = {"distance": "lowest", "least_in": "highest"}

    @property
    def best(self) -> str:
        """The rule with the least mean distance, the first of several."""
        return self.rules[int(np.argmin(self.distances.mean(axis=1)))]

    def _facts(self) -> Iterator[str]:
        splits = counted(self.distances.shape[1], "random split", ",")
        yield (
            f"{self.best} ranks two halves of {self.n_units:,} {self.unit}s most alike of "
            f"{counted(len(self.rules), 'rule')}, in {splits}"
        )
        yield "This measures the stability of a rule on these data, not whether it is right."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule, the least distance first.

        Returns
        -------
        pandas.DataFrame
            Indexed by rule, with "distance", its mean over the splits, "std", its standard
            deviation, and "least_in", the share of splits in which no rule has a smaller one.
        """
        columns = {
            "distance": self.distances.mean(axis=1),
            "std": self.distances.std(axis=1),
            "least_in": (self.distances <= self.distances.min(axis=0)).mean(axis=1),
        }
        frame = pd.DataFrame(columns, index=pd.Index(self.rules, name="rule"))
        return frame.sort_values("distance", kind="stable")

    def _content(self) -> Mapping[str, Any]:
        return {
            **self._plain("unit", "n_units", "best"),
            "n_splits": self.distances.shape[1],
            "rules": plain_rows(self.to_frame().reset_index()),
        }


def choose_rule(
    data: Held, rules: Sequence[Aggregator], *, n_splits: int = 50, rng: RNGLike = None
) -> RuleChoice:
    """Compare rules by the agreement of their rankings of two random halves of the voters.

    Each split halves the voters at random, and each rule ranks both halves. The Kendall distance
    between its two rankings measures how much they depend on the sample of voters.

    Parameters
    ----------
    data : Profile, ScoreTable, or orders
        Rankings with their counts, or scores, whose tasks are the voters. Those of one cluster, or
        one family of tasks, stay together as one voter. Of an odd number, each split leaves out a
        random one.
    rules : sequence of Aggregator
        At least two.
    n_splits : int, default 50
        Number of splits; all rules rank the same halves.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.

    Returns
    -------
    RuleChoice
        Pairs tied in one of the two rankings count half.

    Raises
    ------
    InvalidInputError
        If there are fewer than two voters or rules, too many voters, or the voters are not known
        one by one.

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
        allowed = "a Profile, a ScoreTable, or orders, whose voters can be halved"
        raise InvalidInputError("data", allowed, data)
    chosen = [check_rule(rule, "rules") for rule in rules]
    if len(chosen) < 2:
        raise InvalidInputError("rules", "at least two rules", rules)
    if isinstance(data, Profile) and data.clusters is None:
        number, unit = data.n_rankings, "ranking"
    else:
        number = int(_voters(data).max()) + 1
        unit = "task" if isinstance(data, ScoreTable) and not data.task_families else "cluster"
    if not 2 <= number < MOST_VOTERS:
        allowed = f"at least two voters, and fewer than {MOST_VOTERS:,}"
        raise InvalidInputError("data", allowed, Described(counted(number, unit, ",")))
    times, generator = check_integer(n_splits, "n_splits", low=1), as_generator(rng)
    distances = np.empty((len(chosen), times))
    for split in range(times):
        halves = list(_halves(data, number // 2, generator))
        for row, rule in enumerate(chosen):
            first, second = (rule.aggregate(half, rng=generator).ranking for half in halves)
            distances[row, split] = kendall_distance(first, second, tie_cost=0.5, normalized=True)
    return RuleChoice(
        rules=tuple(rule.name for rule in chosen),
        distances=distances,
        unit=unit,
        n_units=number,
    )


def _voters(data: Profile | ScoreTable) -> Positions:
    """Return the voter of each task of a table, or of each row of a profile with clusters."""
    return (
        family_numbers(data) if isinstance(data, ScoreTable) else label_numbers(data.clusters or ())
    )


def _halves(
    data: Profile | ScoreTable, size: int, rng: Generator
) -> Iterator[Profile | ScoreTable]:
    """Yield two disjoint sets of voters of a size."""
    if isinstance(data, ScoreTable) or data.clusters is not None:
        voters = _voters(data)
        order = rng.permutation(voters.max() + 1)
        for part in (order[:size], order[size : 2 * size]):
            out = np.isin(voters, part, invert=True)
            yield (
                data[~out] if isinstance(data, Profile) else data.drop(tasks=data.tasks.where(out))
            )
        return
    drawn = rng.multivariate_hypergeometric(data.counts, size)
    for counts in (drawn, rng.multivariate_hypergeometric(data.counts - drawn, size)):
        kept = data[np.flatnonzero(counts)]
        yield canonical_profile(
            kept.items,
            kept.ranks,
            counts=counts[counts > 0],
            weights=kept.weights,
            groups=kept.groups,
            unranked=kept.unranked,
        )
