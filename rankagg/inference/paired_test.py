"""Paired tests of two systems on the same units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from types import MappingProxyType
from typing import Any, ClassVar, get_args

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Label, Positions, RNGLike
from rankagg._validation import as_generator, check_alpha, check_choice, check_integer
from rankagg.core import (
    Result,
    ScoreTable,
    level_of,
    p_text,
    plain_rows,
    quantity,
    rounding_error,
    sentence,
)
from rankagg.distributions.fit_result import holm
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import by_sign_flips
from rankagg.inference.one_pair import (
    Figures,
    PairedMethod,
    PairedSample,
    checked_table,
    compare_pairs,
    paired_sample,
)
from rankagg.inference.ranks.sign_flips import VECTORS, asymmetry_note
from rankagg.inference.units import Unit

Notes = tuple[str, ...]

EFFECTS: dict[str, str] = {
    "mcnemar": "difference of proportions",
    "sign-flips": "mean difference",
    "wilcoxon": "Hodges-Lehmann difference",
    "sign": "share above, of those that differ",
}
#: The names of the tests in sentences and plots.
TESTS: dict[str, str] = {
    "mcnemar": "McNemar",
    "sign-flips": "sign-flip",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
}
COLUMNS = ("first", "second", "effect", "lower", "upper", "wins", "ties", "losses", "p_value")
FORMATS = MappingProxyType(dict.fromkeys(("p_value", "adjusted"), p_text))
# Tests of sums or ranks of score differences, which depend on the scales of tasks.
OF_SCORES = ("sign-flips", "wilcoxon")


def paired_test(
    data: ScoreTable,
    first: Label,
    second: Label,
    *,
    method: PairedMethod | None = None,
    unit: Unit = "ranking",
    alpha: float = 0.05,
    n_resamples: int = VECTORS,
    rng: RNGLike = None,
) -> PairedTest:
    """Test whether one of two systems is better, on the units that have both scores.

    Parameters
    ----------
    data : ScoreTable
        The scores.
    first, second : label
        The systems; the effect is above 0 if the first is better than the second.
    method : {"mcnemar", "sign-flips", "wilcoxon", "sign"}, optional
        "mcnemar", the default for scores of 0 and 1 with one column per unit, is the exact test on
        the units in which only one system is right. Its effect is the difference of proportions,
        with Tango's score interval. "sign-flips", the default otherwise, compares the weighted mean
        difference with those under other signs of the units. It is exact for at most 10,000 sign
        vectors, and its interval contains the differences that the test does not reject.
        "wilcoxon": signed-rank test with the Hodges-Lehmann difference. "sign": test of the share
        of units with the first above, with Clopper and Pearson's interval.
    unit : {"ranking", "instance", "task"}, default "ranking"
        The independent units: columns, instances or tasks. The columns of an instance or a task
        are averaged first. With "ranking" and "instance" the result is about other instances of
        these tasks, with "task" about other tasks of this kind.
    alpha : float, default 0.05
        Probability that the interval misses the effect, in (0, 1).
    n_resamples : int, default 10,000
        Number of random sign vectors, including the observed one, if there are more; at least 100.
    rng : int or numpy.random.Generator, optional
        For sign vectors.

    References
    ----------
    McNemar (1947), https://doi.org/10.1007/BF02295996; Fagerland, Lydersen and Laake (2013), "The
    McNemar test for binary matched-pairs data", https://doi.org/10.1186/1471-2288-13-91; Fisher
    (1935), The Design of Experiments.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable(
    ...     [[1] * 9 + [0] * 3, [1] * 2 + [0] * 9 + [1]], systems=["new", "old"],
    ...     tasks=["qa"] * 12, instances=range(12), higher_is_better=True)
    >>> test = ra.paired_test(table, "new", "old")
    >>> test.method, test.wins, test.losses, test.p_value
    ('mcnemar', 7, 1, 0.0703125)
    >>> round(test.effect, 2), round(test.lower, 2), round(test.upper, 2)
    (0.5, 0.04, 0.77)
    """
    (test,) = run_on_pairs(
        data,
        [(first, second)],
        method=method,
        unit=unit,
        alpha=alpha,
        n_resamples=n_resamples,
        rng=rng,
    )
    return test


def paired_tests(
    data: ScoreTable,
    reference: Label,
    systems: Sequence[Label] | None = None,
    *,
    method: PairedMethod | None = None,
    unit: Unit = "ranking",
    alpha: float = 0.05,
    n_resamples: int = VECTORS,
    rng: RNGLike = None,
) -> PairedTests:
    """Test systems against a reference, with one family-wise error rate by Holm's procedure.

    Parameters
    ----------
    data : ScoreTable
        The scores.
    reference : label
        The system to test all others against; it must not be chosen by its scores.
    systems : sequence of labels, optional
        The others; all by default.
    method, unit, alpha, n_resamples, rng
        As for `paired_test`; `alpha` is also the family-wise error rate.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> tests = ra.inference.paired_tests(table, "Human", method="wilcoxon")
    >>> tests.to_frame()[["effect", "p_value", "adjusted", "decision"]].round(3)
                effect  p_value  adjusted decision
    system
    DeBERTa     -1.350    0.375     0.826        -
    T5 + Meena  -1.500    0.322     0.826        -
    T5          -2.475    0.275     0.826        -
    PAI Albert  -2.950    0.014     0.068        -
    NEZHA Plus  -4.950    0.014     0.068        -
    """
    data = checked_table(data, "all systems")
    data.systems.index(reference)
    others = [s for s in data.systems if s != reference] if systems is None else list(systems)
    if not others or len(set(others)) < len(others):
        raise InvalidInputError("systems", "other systems than the reference, each once", others)
    pairs = [(other, reference) for other in others]
    found = run_on_pairs(
        data, pairs, method=method, unit=unit, alpha=alpha, n_resamples=n_resamples, rng=rng
    )
    return PairedTests(reference=reference, tests=tuple(found), alpha=found[0].alpha)


def run_on_pairs(
    data: ScoreTable,
    pairs: Sequence[tuple[Label, Label]],
    *,
    method: PairedMethod | None = None,
    unit: Unit = "ranking",
    alpha: float = 0.05,
    n_resamples: int = VECTORS,
    rng: RNGLike = None,
) -> list[PairedTest]:
    """Test all pairs as `paired_test` does, with the same sign vectors."""
    if method is not None:
        check_choice(method, get_args(PairedMethod), "method")
    level, times = check_alpha(alpha), check_integer(n_resamples, "n_resamples", low=100)
    sample = paired_sample(data, pairs, unit)
    chosen = method or ("mcnemar" if sample.is_answers else "sign-flips")
    found, notes = compare_pairs(sample, chosen, level, times, as_generator(rng))
    if chosen in OF_SCORES:
        remedy = f"`method='sign'` assumes none and tests who is above in more {sample.unit}s"
        asymmetry = asymmetry_note(sample.differences, sample.pairs, remedy)
        notes = (*sample.cautions, *notes, *asymmetry)
    return [_result(sample, p, (chosen, level), one, notes) for p, one in enumerate(found)]


def _result(
    sample: PairedSample, p: int, how: tuple[PairedMethod, float], figures: Figures, notes: Notes
) -> PairedTest:
    """Return the test of one pair by a method and alpha, with its notes."""
    method, alpha = how
    differences = sample.differences[:, p]
    n_units = int((~np.isnan(differences)).sum())
    missing = len(differences) - n_units
    wins, losses = sample.wins_and_losses(p)
    effect, lower, upper, p_value, is_exact, direction = figures
    # Ends of intervals of shares are not rounded by scores.
    is_of_scores = method in OF_SCORES
    largest = np.nanmax(sample.sizes[:, p], initial=0.0) if is_of_scores else 0.0
    units = quantity(n_units, "units of both", noun=sample.unit)
    if missing and n_units:
        gone = quantity(missing, "units left out", noun=sample.unit, of=len(differences))
        lack = "{} of {} lacks" if missing == 1 else "{} of {} lack"
        of = sentence(lack, gone, quantity(len(differences), "independent units"))
        notes += (sentence("{} the score of one and are left out", of),)
    if not n_units:
        notes += ("some pair was never compared: its interval is the full range",)
    elif np.isinf(lower) or np.isinf(upper):
        least = quantity(by_sign_flips(alpha), "units that are enough")
        text = "with {} no difference can be decided at {}; at least {} are needed"
        notes += (sentence(text, units, level_of(alpha), least),)
    elif upper - lower <= 2.0 * rounding_error(largest):
        agree = f"all {sample.unit}s agree on some pair"
        notes += (f"{agree}, so that its interval has no width and shows no uncertainty",)
    if level := int(sample.n_level[p]):
        many = quantity(level, "units equal up to rounding", noun=sample.unit)
        notes += (sentence("means that are equal up to rounding count as ties in {}", many),)
    if is_of_scores:
        effect, lower, upper = np.ldexp([effect, lower, upper], -sample.shift).tolist()
    first, second = sample.pairs[p]
    return PairedTest(
        first=first,
        second=second,
        method=method,
        unit=sample.unit,
        n_units=n_units,
        _n_missing=missing,
        wins=wins,
        ties=n_units - wins - losses,
        losses=losses,
        effect=effect,
        lower=lower,
        upper=upper,
        p_value=p_value,
        alpha=alpha,
        is_exact=is_exact,
        _direction=direction,
        notes=(*notes, *sample.notes),
    )


class PairedTest(Result):
    """A test of two systems, with the effect and its interval.

    Made by `paired_test`, and many at once by `paired_tests`; `plot` draws a
    `rankagg.plotting.effects_plot`.

    Attributes
    ----------
    first, second : label
        The systems.
    method : {"mcnemar", "sign-flips", "wilcoxon", "sign"}
        The test.
    unit : {"instance", "task", "cluster"}
        The independent unit; a column of a table of tasks is a task.
    n_units : int
        Units that have both scores; the others are left out, and a note counts them.
    wins, ties, losses : int
        Units in which the first is better, neither, or the second.
    effect, lower, upper : float
        The effect and its interval, for this pair alone: a difference of proportions (McNemar), the
        mean difference (sign flips) or the Hodges-Lehmann difference (Wilcoxon), above 0 if the
        first is better; or the share of units with the first above among those that differ (sign
        test). NaN without units. Infinite ends exclude nothing.
    p_value : float
        Two-sided.
    alpha : float
        Probability that the interval misses.
    is_exact : bool
        True if the p-value is from all outcomes, not from random signs or an approximation.
    notes : tuple of str
        Caveats.
    """

    first: Label
    second: Label
    method: PairedMethod
    unit: str
    n_units: int
    wins: int
    ties: int
    losses: int
    effect: float
    lower: float
    upper: float
    p_value: float
    alpha: float
    is_exact: bool
    notes: tuple[str, ...]
    # Units that lack the score of one.
    _n_missing: int
    # 1 if the test statistic favors the first, -1 if the second.
    _direction: int

    _schema = "rankagg.paired_test"
    _plot = "effects_plot"
    _formats = FORMATS
    _intervals: ClassVar = {"effect": ("lower", "upper")}
    _row = "pair"
    _named_rows = False

    @property
    def effect_name(self) -> str:
        """The name of the effect."""
        return EFFECTS[self.method]

    @property
    def assumes(self) -> str:
        """The assumptions of the p-value and the interval."""
        center = {"sign-flips": "a", "wilcoxon": "one"}.get(self.method)
        if center is None:
            return f"{self.unit}s are independent draws"
        about = f"their differences symmetric about {center} center"
        return f"{self.unit}s are independent, and {about}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row: the systems, the effect, its interval, counts, and the p-value."""
        return pd.DataFrame([self._row_of()])

    def _row_of(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in COLUMNS}

    def _content(self) -> dict[str, Any]:
        return {
            **plain_rows(self.to_frame())[0],
            "method": self.method,
            "effect_is": self.effect_name,
            **self._plain("unit", "n_units", "alpha", "is_exact", "assumes", "notes"),
        }

    def _facts(self) -> list[str]:
        kind = "exact" if self.is_exact else "approximate"
        if self.method == "sign-flips" and not self.is_exact:
            kind = "Monte Carlo"
        effect = f"effect: {self.effect_name}, {self.first} less {self.second}"
        if self.method == "sign":
            effect = f"effect: share of {self.unit}s with {self.first} above, of those that differ"
        units = quantity(self.n_units, "units of both", noun=self.unit)
        names, p_value = (self.first, self.second), quantity(self.p_value, "p-value", p_text)
        test = "{} and {} in {}: {} test, {}; p {}"
        return [
            sentence(test, *names, units, TESTS[self.method], kind, p_value),
            effect,
            sentence("interval: {}, for this pair alone", level_of(self.alpha)),
            f"assumed: {self.assumes}",
            *(sentence("note: {}", note) for note in self.notes),
        ]


def notes_of_tests(tests: Sequence[PairedTest], alpha: float) -> Notes:
    """Return the notes of tests with one error rate, each sentence once."""
    notes = dict.fromkeys(note for test in tests for note in test.notes)
    gaps = sum(test._n_missing > 0 for test in tests)
    too_few = _too_few(tests, alpha)
    # One pair alone needs fewer units than all together.
    covered = (" left out", *(" no difference can be decided" for _ in too_few))
    kept = [note for note in notes if not any(part in note for part in covered)]
    if gaps:
        pairs = quantity(gaps, "pairs that lack scores", noun="pair", of=len(tests))
        left = "{} {} scores in some {}s, which are left out there"
        kept.append(sentence(left, pairs, "lacks" if gaps == 1 else "lack", tests[0].unit))
    return (*too_few, *kept)


def _too_few(tests: Sequence[PairedTest], alpha: float) -> Notes:
    """Return a note if the units are too few to decide any pair."""
    most, word = max(test.n_units for test in tests), tests[0].unit
    least, pairs = 2.0 ** (1 - most), len(tests)
    if most == 0 or least * pairs <= alpha:
        return ()
    template = (
        "no p-value of {} is below {}, which Holm's procedure for {} never rejects; at least {} "
        "are needed, or {} with `rank_intervals`, which flips signs of all pairs at once"
    )
    units = quantity(most, "most units of a pair", noun=word)
    smallest = quantity(least, "smallest p-value", ".2g")
    enough = quantity(by_sign_flips(alpha / pairs), "units that decide", noun=word)
    at_once = quantity(by_sign_flips(alpha), "units that decide at once")
    return (
        sentence(template, units, smallest, quantity(pairs, "tests", noun="pair"), enough, at_once),
    )


class PairedTests(Result):
    """Tests of systems against a reference, with one family-wise error rate.

    Made by `paired_tests`; `plot` draws a `rankagg.plotting.effects_plot`.

    Attributes
    ----------
    reference : label
        The system that is tested against all others.
    tests : tuple of PairedTest
        One for each other system: an effect above 0 means that it is better than the reference.
    alpha : float
        The family-wise error rate of decisions, and the error probability of each single interval.
    """

    reference: Label
    tests: tuple[PairedTest, ...]
    alpha: float

    _schema = "rankagg.paired_tests"
    _plot = "effects_plot"
    _formats = FORMATS
    _intervals: ClassVar = {"effect": ("lower", "upper")}
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
        """Holm's p-values, shape (p,); at most alpha if a difference is decided."""
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
        """The systems that are not decided against the reference."""
        return tuple(compress(self.systems, self._sides() == 0))

    def _sides(self) -> Positions:
        directions = np.array([test._direction for test in self.tests])
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
        return {
            **self._plain("reference", "method"),
            "effect_is": self.tests[0].effect_name,
            **self.tests[0]._plain("unit", "alpha", "assumes"),
            **self._plain("notes"),
            "tests": plain_rows(self.to_frame().reset_index()),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all tests, each sentence once."""
        return notes_of_tests(self.tests, self.alpha)

    def _facts(self) -> Iterable[str]:
        one = self.tests[0]
        effect = f"{one.effect_name} to {self.reference}"
        if self.method == "sign":
            effect = f"share of {one.unit}s above {self.reference}, of those that differ"
        tests, most = len(self.tests), max(test.n_units for test in self.tests)
        kinds = {"better": self.better, "worse": self.worse, "undecided": self.undecided}
        decided = [quantity(len(who), f"systems {kind}", of=tests) for kind, who in kinds.items()]
        systems, rate = quantity(tests, "tests", noun="system"), quantity(self.alpha, "alpha", "g")
        units, name = quantity(most, "most units of a pair", noun=one.unit), TESTS[self.method]
        template = "{} against {} in {}: {} tests with Holm's procedure; family-wise error rate {}"
        return [
            sentence(template, systems, self.reference, units, name, rate),
            sentence(
                "effect: {}; intervals of {} for each pair alone", effect, level_of(self.alpha)
            ),
            f"assumed: {one.assumes}",
            sentence("{} better than {ref}, {} worse, {} undecided", *decided, ref=self.reference),
            *(sentence("note: {}", note) for note in self.notes),
        ]
