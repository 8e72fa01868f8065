"""Paired tests: whether one of two systems is better on the same units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias, cast, get_args

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Label, Positions, RNGLike
from rankagg._validation import as_generator, check_alpha, check_choice, check_integer, table_remedy
from rankagg.aggregation import unlike_tasks
from rankagg.core import (
    Result,
    ScoreTable,
    are_level,
    level_of,
    p_text,
    plain_rows,
    rounding_error,
    said,
    scaled,
    stated,
)
from rankagg.distributions.fit_result import holm
from rankagg.exceptions import InvalidInputError
from rankagg.inference.decisions import by_sign_flips, unit_word
from rankagg.inference.one_pair import (
    binomial_p_value,
    difference_of_proportions,
    flip_tests,
    hodges_lehmann,
    share_interval,
    signed_rank_p_value,
)
from rankagg.inference.pair_values import PairValues
from rankagg.inference.ranks.sign_flips import VECTORS, asymmetry_note
from rankagg.inference.units import Unit, units_from

PairedMethod: TypeAlias = Literal["mcnemar", "sign-flips", "wilcoxon", "sign"]

EFFECTS: dict[str, str] = {
    "mcnemar": "difference of proportions",
    "sign-flips": "mean difference",
    "wilcoxon": "Hodges-Lehmann difference",
    "sign": "share above, of those that differ",
}
#: As sentences and plots write the tests.
TESTS: dict[str, str] = {
    "mcnemar": "McNemar",
    "sign-flips": "sign-flip",
    "wilcoxon": "Wilcoxon",
    "sign": "sign",
}
FORMATS = MappingProxyType(dict.fromkeys(("p_value", "adjusted"), p_text))
# Tests of sums or ranks of score differences, which depend on the scales of tasks.
OF_SCORES = ("sign-flips", "wilcoxon")


@dataclass(frozen=True, eq=False)
class _ScoreDifferences(PairValues):
    """Scores, higher is better, that tell how far one system is above another, or both sizes."""

    first: Positions
    second: Positions
    sign: float = -1.0

    @property
    def pairs(self) -> tuple[Positions, Positions]:
        """Positions of the two systems of each pair."""
        return self.first, self.second

    def values(self) -> Floats:
        """Return differences, or sums, themselves; NaN where one of the scores is missing."""
        scores: Floats = self.rows
        return scores[:, self.first] + self.sign * scores[:, self.second]


@dataclass(frozen=True, eq=False)
class PairedSample:
    """Differences of the two systems of p pairs in u independent units."""

    # The two systems of each pair.
    pairs: tuple[tuple[Label, Label], ...]
    # Shape (u, p). How far the first of a pair is above the second, averaged over the columns of
    # a unit, times 2**shift; NaN where no column has the scores of both, and 0 where several have
    # scores whose means are equal up to rounding.
    differences: Floats
    # Shape (u, p). Both scores without their signs, averaged in the same way.
    sizes: Floats
    # Shape (p,). Units whose differences were made 0.
    n_level: Positions
    # See `rankagg.core.exact_sum.scaled`.
    shift: int
    # Shape (u,). The weights of the units, on any scale.
    weights: Floats
    unit: Unit
    # The same for the reader.
    word: str
    # Every unit is one column, and all scores are 0 or 1.
    is_binary: bool
    # What the reader must know of the units.
    notes: tuple[str, ...]
    # What speaks against a mean of the differences.
    cautions: tuple[str, ...]

    @property
    def is_weighted(self) -> bool:
        """True where units differ in weight."""
        return not are_level(self.weights)

    @property
    def is_answers(self) -> bool:
        """True where McNemar's test counts right and wrong answers."""
        return self.is_binary and not self.is_weighted


def checked_table(data: object, of: str, remedy: str = "") -> ScoreTable:
    """Return a table; what has no scores of so many systems is refused."""
    if isinstance(data, ScoreTable):
        return data
    allowed = f"a ScoreTable, which has the scores of {of}"
    raise InvalidInputError("data", allowed, data, table_remedy(data) or remedy)


def paired_sample(
    data: object,
    pairs: Sequence[tuple[Label, Label]],
    unit: Unit,
) -> PairedSample:
    """Return how far systems are above others in every unit."""
    data = checked_table(
        data,
        "both systems",
        "Of rankings `PairwiseIntervals` says how often one is above the other.",
    )
    first, second = (
        np.array(data.systems.indices(labels), dtype=np.intp) for labels in zip(*pairs, strict=True)
    )
    for one, other in pairs:
        if one == other:
            raise InvalidInputError("second", "another system than the first", other)
    scores = (data.values * data.signs).T
    source = _ScoreDifferences(scores, first, second)
    with np.errstate(over="ignore"):
        too_far = bool(np.isinf(source.values()).any())
    if too_far:
        far, remedy = float(np.nanmax(np.abs(scores))), "Divide all scores by a common number."
        raise InvalidInputError("data", "scores whose differences are floats", far, remedy)
    asked = np.isin(np.arange(data.n_systems), [first, second])
    numbers, shift = scaled(np.where(asked, scores, np.nan))
    units = units_from(data.rankings(), source, unit, instances=data.instances)
    # A power of two changes no digit.
    weights = np.ldexp(units.weights, -np.frexp(units.weights.max())[1])
    units = replace(units, source=replace(source, rows=numbers), weights=weights)
    block = units.all_blocks()
    whole = replace(units, source=replace(source, rows=np.abs(numbers), sign=1.0)).all_blocks()
    # One column tells by two scores, which are compared as they are; several tell by means.
    columns = np.ones(len(scores)) if units.clusters is None else np.bincount(units.clusters)
    errors = rounding_error(whole.values, columns[:, None]) * (columns > 1)[:, None]
    level = (block.values != 0.0) & (np.abs(block.values) <= errors)
    answers = (np.isnan(scores) | (scores == 0.0) | (np.abs(scores) == 1.0)).all()
    word = unit_word(units.unit, is_task=not data.is_instance_level)
    return PairedSample(
        pairs=tuple(pairs),
        differences=np.where(level, 0.0, block.values),
        sizes=whole.values,
        n_level=level.sum(axis=0),
        shift=shift,
        weights=block.weights,
        unit=units.unit,
        # A column is a task, or an instance of one.
        word="instance" if word == "ranking" else word,
        is_binary=bool(answers) and bool((columns == 1).all()),
        notes=(*units.notes, *units.neighbor_notes(data)),
        cautions=tuple(unlike_tasks(data)),
    )


# Effect, lower, upper, p-value, whether that is exact, and the direction.
Found: TypeAlias = tuple[float, float, float, float, bool, int]
Notes: TypeAlias = tuple[str, ...]


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
    """Test whether one of two systems is better on the units that have the scores of both.

    Parameters
    ----------
    data : ScoreTable
        The scores.
    first, second : label
        The systems; effects are of the first against the second, above 0 where it is better.
    method : {"mcnemar", "sign-flips", "wilcoxon", "sign"}, optional
        "mcnemar" is for scores of 0 and 1, one column a unit, and is the default there: exact, by
        the units in which only one is right; the effect is the difference of proportions, with
        Tango's score interval. "sign-flips" is the default elsewhere: the weighted mean difference
        under other signs of whole units, exact where these are 10,000 at most, with the interval
        that holds what the test does not reject. "wilcoxon": signed ranks, with Hodges and
        Lehmann's difference. "sign": how many units have the first above, with Clopper and
        Pearson's interval for their share.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent: each column, or all columns of an instance, or of a task, which are
        averaged first, and signs turned together. "ranking" and "instance" speak of other
        instances of these tasks, "task" of other tasks of this kind.
    alpha : float, default 0.05
        Probability that the interval misses the effect, in (0, 1).
    n_resamples : int, default 10,000
        Sign vectors, the observed one among them, where there are more; at least 100.
    rng : int or numpy.random.Generator, optional
        For sign vectors.

    References
    ----------
    McNemar (1947), https://doi.org/10.1007/BF02295996; Fagerland, Lydersen and Laake (2013), "The
    McNemar test for binary matched-pairs data", https://doi.org/10.1186/1471-2288-13-91; Fisher
    (1935), The Design of Experiments; and those of `PairedTest.method` in the functions behind it.

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
    options = _Options.checked(method, alpha, n_resamples)
    sample = paired_sample(data, [(first, second)], unit)
    return options.tests(sample, as_generator(rng))[0]


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
    """Test other systems against one, with one family-wise error rate by Holm's procedure.

    Parameters
    ----------
    data : ScoreTable
        The scores.
    reference : label
        The system that all others are tested against; chosen without looking at the scores.
    systems : sequence of labels, optional
        The others; all by default.
    method, unit, alpha, n_resamples, rng
        Those of `paired_test`; `alpha` is the family-wise error rate too.

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
    options = _Options.checked(method, alpha, n_resamples)
    data = checked_table(data, "all systems")
    data.systems.index(reference)
    others = [s for s in data.systems if s != reference] if systems is None else list(systems)
    if not others or len(set(others)) < len(others):
        raise InvalidInputError("systems", "other systems than the reference, each once", others)
    pairs = [(other, reference) for other in others]
    sample = paired_sample(data, pairs, unit)
    found = options.tests(sample, as_generator(rng))
    return PairedTests(reference=reference, tests=tuple(found), alpha=options.alpha)


@dataclass(frozen=True)
class _Options:
    """How to test; the names are those of `paired_test`."""

    method: PairedMethod | None
    alpha: float
    n_resamples: int

    @classmethod
    def checked(cls, method: object, alpha: object, n_resamples: object) -> _Options:
        """Return options that make sense."""
        if method is not None:
            check_choice(method, get_args(PairedMethod), "method")
        times = check_integer(n_resamples, "n_resamples", low=100)
        return cls(cast("PairedMethod | None", method), check_alpha(alpha), times)

    def tests(self, sample: PairedSample, rng: Generator) -> list[PairedTest]:
        """Test all pairs."""
        method, d = self._chosen(sample), sample.differences
        notes: Notes = sample.cautions if method in OF_SCORES else ()
        if method == "sign-flips":
            how = (sample.weights, self.alpha, self.n_resamples, rng)
            flips = flip_tests(d, *how, sizes=sample.sizes)
            found = [flips.of(p) for p in range(len(sample.pairs))]
            level = self.alpha / len(sample.pairs)
            if not flips.is_exact and flips.n_vectors * level < 1:
                many = stated(flips.n_vectors, "sign vectors", noun="sign vector")
                each = stated(level, "alpha of each test", ".2g")
                notes += (said("only {} for a level of {}: raise `n_resamples`", many, each),)
        else:
            columns = zip(d.T, sample.sizes.T, ~np.isnan(d.T), strict=True)
            found = [self._of_pair(method, one[told], size[told]) for one, size, told in columns]
        return [self._result(sample, p, method, one, notes) for p, one in enumerate(found)]

    def _chosen(self, sample: PairedSample) -> PairedMethod:
        """Return the method, after checking that it goes with the scores."""
        method = self.method or ("mcnemar" if sample.is_answers else "sign-flips")
        if method == "mcnemar" and not sample.is_binary:
            only = "unless all scores are 0 or 1 and each column is a unit"
            remedy = "'sign-flips' turns averages of whole units round."
            raise InvalidInputError("method", f"another one than 'mcnemar' {only}", method, remedy)
        if method != "sign-flips" and sample.is_weighted:
            remedy = "Make the weights equal with `with_task_weights({})`."
            allowed = "'sign-flips' where units differ in weight"
            raise InvalidInputError("method", allowed, method, remedy)
        return method

    def _of_pair(self, method: PairedMethod, differences: Floats, sizes: Floats) -> Found:
        """Test one pair by the units that tell."""
        if method == "wilcoxon":
            ranks = signed_rank_p_value(differences, rounding_error(sizes))
            return *hodges_lehmann(differences, self.alpha), *ranks
        n, wins, losses = len(differences), *_wins_and_losses(differences)
        if method == "mcnemar":
            ends = difference_of_proportions(wins, losses, n, self.alpha)
            effect = (wins - losses) / n if n else np.nan
        else:
            ends = share_interval(wins, losses, self.alpha)
            effect = wins / (wins + losses) if wins + losses else np.nan
        p_value = binomial_p_value(wins, losses)
        return effect, *ends, p_value, True, int(np.sign(wins - losses))

    def _result(
        self, sample: PairedSample, p: int, method: PairedMethod, found: Found, notes: Notes
    ) -> PairedTest:
        differences = sample.differences[:, p]
        told = int((~np.isnan(differences)).sum())
        missing = len(differences) - told
        wins, losses = _wins_and_losses(differences)
        effect, lower, upper, p_value, is_exact, direction = found
        # Ends that are scores; those of shares are computed without them.
        is_of_scores = method in OF_SCORES
        largest = np.nanmax(sample.sizes[:, p], initial=0.0) if is_of_scores else 0.0
        units = stated(told, "units of both", noun=sample.word)
        if missing and told:
            gone = stated(missing, "units left out", noun=sample.word, of=len(differences))
            lack = "{} of {} lacks" if missing == 1 else "{} of {} lack"
            of = said(lack, gone, stated(len(differences), "independent units"))
            notes += (said("{} the score of one and are left out", of),)
        if not told:
            notes += ("some pair was never compared: the interval is all that is possible",)
        elif np.isinf(lower) or np.isinf(upper):
            least = stated(by_sign_flips(self.alpha), "units that are enough")
            text = "with {} no difference can be told from none at {}; at least {} are needed"
            notes += (said(text, units, level_of(self.alpha), least),)
        elif upper - lower <= 2.0 * rounding_error(largest):
            agree = f"all {sample.word}s agree on some pair"
            notes += (f"{agree}, so its interval has no width and tells no uncertainty",)
        if level := int(sample.n_level[p]):
            many = stated(level, "units equal up to rounding", noun=sample.word)
            notes += (said("means that are equal up to rounding count as ties in {}", many),)
        if is_of_scores:
            remedy = f"`method='sign'` assumes none and asks who is above in more {sample.word}s"
            notes += asymmetry_note(differences[:, None], [sample.pairs[p]], remedy)
            effect, lower, upper = np.ldexp([effect, lower, upper], -sample.shift).tolist()
        first, second = sample.pairs[p]
        return PairedTest(
            first=first,
            second=second,
            method=method,
            unit=sample.unit,
            word=sample.word,
            n_units=told,
            n_missing=missing,
            wins=wins,
            ties=told - wins - losses,
            losses=losses,
            effect=effect,
            lower=lower,
            upper=upper,
            p_value=p_value,
            alpha=self.alpha,
            is_exact=is_exact,
            direction=direction,
            notes=(*notes, *sample.notes),
        )


def _wins_and_losses(differences: Floats) -> tuple[int, int]:
    """Return how many units have the first above, and the second."""
    return int((differences > 0).sum()), int((differences < 0).sum())


class PairedTest(Result):
    """A test of whether one of two systems is better, with its effect and an interval for it.

    Made by `paired_test`, and many at once by `paired_tests`; `plot` draws a
    `rankagg.plotting.effects_plot`.

    Attributes
    ----------
    first, second : label
        The systems.
    method : {"mcnemar", "sign-flips", "wilcoxon", "sign"}
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
        center = {"sign-flips": "a", "wilcoxon": "one"}.get(self.method)
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
        if self.method == "sign-flips" and not self.is_exact:
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
