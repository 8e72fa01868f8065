"""Tests of two systems as results: one pair, and many pairs with one of them in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Positions
from rankagg.core import Result, level_of, p_text, plain_rows, said, stated
from rankagg.distributions.fit_result import holm
from rankagg.inference.decisions import by_sign_flips
from rankagg.inference.units import Unit

PairedMethod: TypeAlias = Literal["mcnemar", "sign-flip", "wilcoxon", "sign"]

EFFECTS: dict[str, str] = {
    "mcnemar": "difference of proportions",
    "sign-flip": "mean difference",
    "wilcoxon": "Hodges-Lehmann difference",
    "sign": "share above, of those that differ",
}
#: As sentences and plots write the tests.
TESTS: dict[str, str] = {
    "mcnemar": "McNemar",
    "sign-flip": "sign-flip",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
}
FORMATS = MappingProxyType(dict.fromkeys(("p_value", "adjusted"), p_text))


class PairedTest(Result):
    """A test of whether one of two systems is better, with its effect and an interval for it.

    Made by `paired_test`, and many at once by `paired_tests`; `plot` draws a
    `rankagg.plotting.effects_plot`.

    Attributes
    ----------
    first, second : label
        The systems.
    method : {"mcnemar", "sign-flip", "wilcoxon", "sign"}
        The test.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    word : str
        The same for the reader: a column of a table of tasks is a task.
    n_units : int
        Units that have the scores of both.
    n_missing : int
        Units that lack one of them and are left out.
    wins, ties, losses : int
        Units in which the first is better, neither, or the second.
    effect, lower, upper : float
        How far the first is better, and the interval, for this pair alone: a difference of
        proportions (McNemar), the mean difference (sign flips) or that of Hodges and Lehmann
        (Wilcoxon), above 0 where the first is better; or the share of units with the first above
        among those that differ (sign test). NaN where no unit tells. Infinite ends exclude
        nothing.
    p_value : float
        Two-sided.
    alpha : float
        Probability that the interval misses.
    is_exact : bool
        The p-value is that of all outcomes, and not of drawn signs or an approximation.
    direction : int
        1 where what is tested (counts, sum or ranks) is in favor of the first, -1 where it is in
        favor of the second.
    notes : tuple of str
        What the reader must know.
    """

    first: Label
    second: Label
    method: PairedMethod
    unit: Unit
    word: str
    n_units: int
    n_missing: int
    wins: int
    ties: int
    losses: int
    effect: float
    lower: float
    upper: float
    p_value: float
    alpha: float
    is_exact: bool
    direction: int
    notes: tuple[str, ...]

    _schema = "rankagg.paired_test"
    _plot = "effects_plot"
    _formats = FORMATS
    _intervals: ClassVar[Mapping[str, tuple[str, str]]] = {"effect": ("lower", "upper")}
    _row = "pair"
    _named_rows = False

    @property
    def effect_name(self) -> str:
        """What the effect is."""
        return EFFECTS[self.method]

    @property
    def assumes(self) -> str:
        """What must be true for the p-value and the interval to hold."""
        center = {"sign-flip": "a", "wilcoxon": "one"}.get(self.method)
        if center is None:
            return f"{self.word}s are independent draws"
        about = f"their differences symmetric about {center} center"
        return f"{self.word}s are independent, and {about}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the systems, the effect, its interval, counts, and the p-value."""
        return pd.DataFrame([self._row_of()])

    def _row_of(self) -> dict[str, Any]:
        names = ("first", "second", "effect", "lower", "upper", "wins", "ties", "losses", "p_value")
        return {name: getattr(self, name) for name in names}

    def _content(self) -> dict[str, Any]:
        size = {"effect_is": self.effect_name, **self._plain("unit", "n_units", "n_missing")}
        rest = self._plain("alpha", "is_exact", "direction", "assumes", "notes")
        return {**plain_rows(self.to_frame())[0], "method": self.method, **size, **rest}

    def _facts(self) -> list[str]:
        kind = "exact" if self.is_exact else "approximate"
        if self.method == "sign-flip" and not self.is_exact:
            kind = "Monte Carlo"
        effect = f"effect: {self.effect_name}, {self.first} less {self.second}"
        if self.method == "sign":
            effect = f"effect: share of {self.word}s with {self.first} above, of those that differ"
        units = stated(self.n_units, "units of both", noun=self.word)
        names, p_value = (self.first, self.second), stated(self.p_value, "p-value", p_text)
        test = "{} and {} in {}: {} test, {}; p {}"
        return [
            said(test, *names, units, TESTS[self.method], kind, p_value),
            effect,
            said("interval: {}, for this pair alone", level_of(self.alpha)),
            f"assumed: {self.assumes}",
            *(said("note: {}", note) for note in self.notes),
        ]


class PairedTests(Result):
    """Tests of one system against others, with one family-wise error rate by Holm's procedure.

    Made by `paired_tests`; `plot` draws a `rankagg.plotting.effects_plot`.

    Attributes
    ----------
    reference : label
        The system that is tested against all others.
    tests : tuple of PairedTest
        One for each other system, which is the first of the two: an effect above 0 says that it is
        better than the reference.
    alpha : float
        The family-wise error rate of decisions, and the probability that each interval misses
        alone.
    """

    reference: Label
    tests: tuple[PairedTest, ...]
    alpha: float

    _schema = "rankagg.paired_tests"
    _plot = "effects_plot"
    _formats = FORMATS
    _intervals: ClassVar[Mapping[str, tuple[str, str]]] = {"effect": ("lower", "upper")}
    _row = "system"

    @property
    def systems(self) -> tuple[Label, ...]:
        """The systems that are tested against the reference."""
        return tuple(test.first for test in self.tests)

    @property
    def method(self) -> PairedMethod:
        """The test."""
        return self.tests[0].method

    @property
    def adjusted(self) -> Floats:
        """Holm's p-values, shape (p,): at most alpha where a difference is decided."""
        return holm(np.array([test.p_value for test in self.tests]))

    @property
    def better(self) -> tuple[Label, ...]:
        """The systems that are decided to be better than the reference."""
        return tuple(compress(self.systems, self._sides() == 1))

    @property
    def worse(self) -> tuple[Label, ...]:
        """The systems that are decided to be worse than the reference."""
        return tuple(compress(self.systems, self._sides() == -1))

    @property
    def undecided(self) -> tuple[Label, ...]:
        """The systems that are not told from the reference."""
        return tuple(compress(self.systems, self._sides() == 0))

    def _sides(self) -> Positions:
        directions = np.array([test.direction for test in self.tests])
        return np.where(self.adjusted <= self.alpha, directions, 0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system, the best effect first.

        Returns
        -------
        pandas.DataFrame
            effect, lower, upper, wins, ties, losses, p_value, adjusted, decision ("better",
            "worse" or "-").
        """
        rows = [test._row_of() for test in self.tests]
        index = pd.Index(list(self.systems), name="system")
        frame = pd.DataFrame(rows, index=index).drop(columns=["first", "second"])
        words = np.array(["worse", "-", "better"])
        frame["adjusted"] = self.adjusted
        frame["decision"] = words[self._sides() + 1]
        return frame.sort_values("effect", ascending=False, kind="stable")

    def _content(self) -> dict[str, Any]:
        one = self.tests[0]._plain("unit", "alpha", "assumes")
        tests = plain_rows(self.to_frame().reset_index())
        what = {**self._plain("reference", "method"), "effect_is": self.tests[0].effect_name}
        return {**what, **one, **self._plain("notes"), "tests": tests}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader must know, each sentence once."""
        told = [note for test in self.tests for note in test.notes]
        gaps = sum(test.n_missing > 0 for test in self.tests)
        too_few = self._too_few()
        # One pair alone needs fewer units than all together.
        covered = (" left out", *(" can be told from none" for _ in too_few))
        kept = [n for n in dict.fromkeys(told) if not any(part in n for part in covered)]
        if gaps:
            pairs = stated(gaps, "pairs that lack scores", noun="pair", of=len(self.tests))
            lack = "lacks" if gaps == 1 else "lack"
            left = "{} {} scores in some {}s, which are left out there"
            kept.append(said(left, pairs, lack, self.tests[0].word))
        return (*too_few, *kept)

    def _too_few(self) -> tuple[str, ...]:
        """Return a note where so few units cannot decide one of so many pairs."""
        most, word = max(test.n_units for test in self.tests), self.tests[0].word
        least, pairs = 2.0 ** (1 - most), len(self.tests)
        if most == 0 or least * pairs <= self.alpha:
            return ()
        told = (
            "no p-value of {} is below {}, which Holm's procedure for {} never rejects; {} can "
            "decide something, or with `rank_intervals`, which flips signs of all pairs at once, {}"
        )
        units = stated(most, "most units of a pair", noun=word)
        smallest = stated(least, "smallest p-value", ".2g")
        enough = stated(by_sign_flips(self.alpha / pairs), "units that decide", noun=word)
        at_once = stated(by_sign_flips(self.alpha), "units that decide at once")
        return (said(told, units, smallest, stated(pairs, "tests", noun="pair"), enough, at_once),)

    def _facts(self) -> Iterable[str]:
        one = self.tests[0]
        effect = f"{one.effect_name} to {self.reference}"
        if self.method == "sign":
            effect = f"share of {one.word}s above {self.reference}, of those that differ"
        tests, most = len(self.tests), max(test.n_units for test in self.tests)
        kinds = {"better": self.better, "worse": self.worse, "not told apart": self.undecided}
        decided = [stated(len(who), f"systems {kind}", of=tests) for kind, who in kinds.items()]
        systems, rate = stated(tests, "tests", noun="system"), stated(self.alpha, "alpha", "g")
        units, name = stated(most, "most units of a pair", noun=one.word), TESTS[self.method]
        told = "{} against {} in {}: {} tests with Holm's procedure; family-wise error rate {}"
        return [
            said(told, systems, self.reference, units, name, rate),
            said("effect: {}; intervals of {} for each pair alone", effect, level_of(self.alpha)),
            f"assumed: {one.assumes}",
            said("{} better, {} worse, {} not told from {}", *decided, self.reference),
            *(said("note: {}", note) for note in self.notes),
        ]
