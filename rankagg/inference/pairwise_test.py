"""Paired tests of all pairs of systems, with one family-wise error rate."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, RNGLike
from rankagg._validation import check_alpha
from rankagg.core import ItemSet, Result, ScoreTable, plain_rows, quantity, sentence
from rankagg.distributions.fit_result import holm
from rankagg.inference.one_pair import PairedMethod, checked_table
from rankagg.inference.paired_test import (
    COLUMNS,
    FORMATS,
    TESTS,
    PairedTest,
    notes_of_tests,
    run_on_pairs,
)
from rankagg.inference.rank_tests import neighbor_groups, skillings_mack
from rankagg.inference.ranks.sign_flips import VECTORS
from rankagg.inference.units import Unit


def pairwise_tests(
    data: ScoreTable,
    *,
    method: PairedMethod | None = None,
    unit: Unit = "ranking",
    alpha: float = 0.05,
    n_resamples: int = VECTORS,
    rng: RNGLike = None,
) -> PairwiseTests:
    """Test all pairs of systems, with one family-wise error rate by Holm's procedure.

    Parameters
    ----------
    data : ScoreTable
        The scores; a pair is tested on the units that have both.
    method, unit, alpha, n_resamples, rng
        As for `paired_test`; `alpha` is also the family-wise error rate.

    References
    ----------
    Benavoli, Corani and Mangili (2016), "Should we really use post-hoc tests based on
    mean-ranks?", Journal of Machine Learning Research 17, who advise tests that do not depend on
    the other systems; Holm (1979), "A simple sequentially rejective multiple test procedure",
    Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> import rankagg as ra
    >>> tests = ra.inference.pairwise_tests(ra.datasets.load("superglue_human"), method="sign")
    >>> len(tests.tests), tests.groups()
    (15, (('Human', 'DeBERTa', 'T5 + Meena', 'T5', 'PAI Albert'), ('PAI Albert', 'NEZHA Plus')))
    """
    data = checked_table(data, "all systems")
    # Only its average ranks are used, so few resamples are enough.
    averages = skillings_mack(data, unit=unit, n_resamples=100, rng=0).average_ranks
    pairs = list(combinations(data.systems.at(np.argsort(averages, kind="stable")), 2))
    tests = run_on_pairs(
        data, pairs, method=method, unit=unit, alpha=alpha, n_resamples=n_resamples, rng=rng
    )
    return PairwiseTests(
        items=data.systems, average_ranks=averages, tests=tuple(tests), alpha=tests[0].alpha
    )


class PairwiseTests(Result):
    """Tests of all pairs of systems, with one family-wise error rate by Holm's procedure.

    Made by `pairwise_tests`; `plot` draws a `rankagg.plotting.critical_difference_diagram`.

    Attributes
    ----------
    items : ItemSet
        The k systems.
    average_ranks : ndarray of float, shape (k,)
        Their average ranks, adjusted for missing scores as in `SkillingsMackTest`.
    tests : tuple of PairedTest
        One for each pair, the system with the lower average rank first.
    alpha : float
        The family-wise error rate of decisions, and the error probability of each single interval.
    """

    items: ItemSet
    average_ranks: Floats
    tests: tuple[PairedTest, ...]
    alpha: float

    _schema = "rankagg.pairwise_tests"
    _plot = "critical_difference_diagram"
    _formats = FORMATS
    _intervals: ClassVar = {"effect": ("lower", "upper")}
    _row = "pair"
    _named_rows = False

    @property
    def adjusted(self) -> Floats:
        """Holm's p-values, shape (k(k - 1)/2,); at most alpha if a difference is decided."""
        return holm(np.array([test.p_value for test in self.tests]))

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all tests, each sentence once."""
        return notes_of_tests(self.tests, self.alpha)

    def p_values(self) -> pd.DataFrame:
        """Return Holm's p-value of each pair: systems by systems."""
        labels = pd.Index(list(self.items), name="system")
        values = np.ones((len(labels), len(labels)))
        first = self.items.indices(test.first for test in self.tests)
        second = self.items.indices(test.second for test in self.tests)
        values[first, second] = values[second, first] = self.adjusted
        return pd.DataFrame(values, index=labels, columns=labels.rename(None))

    def groups(self, alpha: float | None = None) -> tuple[tuple[Label, ...], ...]:
        """Return the maximal sets of undecided systems that are adjacent by average rank.

        No pair in a set is decided. Two systems in no common set may be undecided too, if one
        between them is decided against one of them: see `p_values` for all pairs.

        Parameters
        ----------
        alpha : float, optional
            The family-wise error rate, in (0, 1); that of the tests by default.
        """
        level = self.alpha if alpha is None else check_alpha(alpha)
        apart = self.p_values().to_numpy() <= level
        return tuple(tuple(self.items.at(of)) for of in neighbor_groups(self.average_ranks, apart))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair, in the order of average ranks.

        Returns
        -------
        pandas.DataFrame
            first, second, effect, lower, upper, wins, ties, losses, p_value, adjusted, decided.
        """
        rows = [[getattr(test, name) for name in COLUMNS] for test in self.tests]
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        adjusted = self.adjusted
        return frame.assign(adjusted=adjusted, decided=adjusted <= self.alpha)

    def _content(self) -> dict[str, Any]:
        one = self.tests[0]._plain("method", "unit", "alpha", "assumes")
        systems = self._plain("items", "average_ranks", "notes")
        return {**systems, **one, "tests": plain_rows(self.to_frame())}

    def _facts(self) -> Iterable[str]:
        one, total = self.tests[0], len(self.tests)
        decided = quantity(int((self.adjusted <= self.alpha).sum()), "pairs decided", of=total)
        pairs, rate = quantity(total, "tests", noun="pair"), quantity(self.alpha, "alpha", "g")
        template = "{}: {} tests with Holm's procedure; family-wise error rate {}; {} decided"
        return [
            sentence(template, pairs, TESTS[one.method], rate, decided),
            f"effect: {one.effect_name}, first less second",
            f"assumed: {one.assumes}",
            *(sentence("note: {}", note) for note in self.notes),
        ]
