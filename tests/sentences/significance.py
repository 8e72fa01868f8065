"""What tests of whether items rank alike say: Friedman's, Skillings and Mack's, their notes."""

import re
from fractions import Fraction
from itertools import combinations, permutations
from math import inf, prod, sqrt

import numpy as np
import pytest
from scipy.stats import chi2, f, studentized_range

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.sentences import hostile
from tests.sentences.instrument import Instrument

ALPHAS = (Fraction("0.05"), Fraction("0.2"), Fraction("0.9"))
DRAWS = 400


def mid_ranks(values):
    """Return mid-ranks from 1 of numbers, the lowest is best; None where there is none."""
    there = [v for v in values if v is not None]
    return [
        None if v is None else sum(w < v for w in there) + Fraction(there.count(v) + 1, 2)
        for v in values
    ]


class Alike:
    """Some rankings, and what is independent of them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.alpha, self.unit = ALPHAS[seed % 3], "ranking"
        if seed % 4 == 0:
            self.plain = hostile.instances(self.rng)
            self.unit = ("ranking", "instance", "task")[seed // 4 % 3]
        elif seed % 4 == 1:
            self.plain = hostile.profile(self.rng)
        else:
            # Most tables are such as the tests take.
            gaps, weights = seed % 4 == 3, seed % 16 == 2
            self.plain = hostile.table(self.rng, gaps=gaps, weights=weights)

    def units(self):
        """Return the ballots of each unit."""
        units = {}
        for at, ballot in enumerate(self.plain.ballots):
            name = {"ranking": at, "instance": ballot.instance, "task": ballot.task}[self.unit]
            units.setdefault(name, []).append(ballot.places)
        return units.values()

    @property
    def rows(self):
        """Return the mid-ranks of each unit; of several rankings those of average ranks."""
        return [
            mid_ranks(
                [
                    None if None in column else sum(column) / len(column)
                    for column in zip(*map(mid_ranks, unit), strict=True)
                ]
            )
            for unit in self.units()
        ]

    def is_uneven(self):
        """Say whether an item is in some rankings of a unit only."""
        kinds = [{tuple(p is None for p in places) for places in unit} for unit in self.units()]
        return any(len(kind) > 1 for kind in kinds)

    def incomplete(self):
        return sum(None in ballot.places for ballot in self.plain.ballots)

    def is_weighted(self):
        return len({ballot.weight for ballot in self.plain.ballots}) > 1

    def telling(self):
        return [row for row in self.rows if len(set(row) - {None}) > 1]

    def is_pooled(self):
        """Return whether several units of a task count as independent among other tasks."""
        tasks = self.plain.tasks
        if self.unit == "task" or len(tasks) < 2 or len(self.rows) <= len(tasks):
            return False
        of_one = {(ballot.instance, ballot.task) for ballot in self.plain.ballots}
        return self.unit == "ranking" or len(of_one) == len(self.rows)

    def notes_hold(self, notes):
        assert sum("assumed independent" in note for note in notes) == self.is_pooled()


# -- Friedman -------------------------------------------------------------------------------------


class Friedman(Alike):
    def __init__(self, seed):
        super().__init__(seed)
        self.found, self.refusal = None, ""
        try:
            self.found = ra.inference.friedman(self.plain.data, unit=self.unit)
        except InvalidInputError as error:
            self.refusal = str(error)

    def refused(self):
        """Return what a refusal says, None where there is none."""
        if self.plain.n < 2:
            return "two items or more"
        if self.is_weighted():
            weights = [float(ballot.weight) for ballot in self.plain.ballots]
            return f"weights from {min(weights):g} to {max(weights):g}"
        if len(self.rows) < 2:
            return f"Got 1 {self.unit}."
        if self.incomplete():
            return f"Got {self.incomplete()} incomplete ones of {len(self.plain.ballots)}."
        return None if self.telling() else "tie of all"

    def average_ranks(self):
        return [sum(column) / len(column) for column in zip(*self.rows, strict=True)]

    def kendall_w(self):
        m, n = len(self.rows), self.plain.n
        between = 12 * m**2 * sum((r - Fraction(n + 1, 2)) ** 2 for r in self.average_ranks())
        groups = [row.count(r) for row in self.rows for r in set(row)]
        return Fraction(between) / (m**2 * (n**3 - n) - m * sum(t**3 - t for t in groups))

    def chi_square(self, w):
        return len(self.rows) * (self.plain.n - 1) * w

    def f(self, w):
        return (len(self.rows) - 1) * w / (1 - w) if w < 1 else inf

    def rest(self):
        return (self.plain.n - 1) * (len(self.rows) - 1)

    def critical(self):
        n = self.plain.n
        quantile = studentized_range.isf(float(self.alpha), n, inf)
        return quantile * sqrt(n * (n + 1) / (12 * len(self.rows)))

    def groups(self):
        """Return the largest sets of two items or more that do not differ by more."""
        ranks, critical = self.average_ranks(), self.critical()
        near = [
            set(some)
            for size in range(2, self.plain.n + 1)
            for some in combinations(range(self.plain.n), size)
            if max(ranks[i] for i in some) - min(ranks[i] for i in some) <= critical
        ]
        return [some for some in near if not any(some < other for other in near)]


FRIEDMAN = {
    "items": lambda case, w: case.plain.n,
    "rankings": lambda case, w: len(case.rows),
    "tasks": lambda case, w: len(case.plain.tasks),
    "chi-square": lambda case, w: case.chi_square(w),
    "freedom": lambda case, w: case.plain.n - 1,
    "p-value": lambda case, w: chi2.sf(float(case.chi_square(w)), case.plain.n - 1),
    "F": lambda case, w: case.f(w),
    "freedom of the rest": lambda case, w: case.rest(),
    "p of F": lambda case, w: f.sf(float(case.f(w)), case.plain.n - 1, case.rest()),
    "Kendall's W": lambda case, w: w,
    "critical difference": lambda case, w: case.critical(),
    "alpha": lambda case, w: case.alpha,
}


def friedman(seeds):
    held, refusals = Instrument(FRIEDMAN), set()
    for seed in seeds:
        case = Friedman(seed)
        expected = case.refused()
        assert (expected or "") in case.refusal
        assert (expected is None) == (case.found is not None)
        if case.found is None:
            refusals.add(re.sub(r"[\d.]+", "", expected))
            continue
        assert case.found.average_ranks == pytest.approx([float(r) for r in case.average_ranks()])
        lines = case.found._facts(float(case.alpha))
        held.hold(lines, case, case.kendall_w())
        case.notes_hold(case.found.notes)
        groups = [line.split()[2:] for line in lines if line.startswith("not separated")]
        known = [{case.plain.items[i] for i in group} for group in case.groups()]
        assert sorted("".join(sorted(names)).replace(",", "") for names in groups) == sorted(
            "".join(sorted(names)) for names in known
        )
    held.require()
    assert len(refusals) >= 5


# -- Skillings and Mack ---------------------------------------------------------------------------


class Lacking(Alike):
    def __init__(self, seed):
        super().__init__(seed)
        self.found, self.refusal = None, ""
        self.draws = None if seed % 10 == 0 else DRAWS
        try:
            self.found = ra.inference.skillings_mack(
                self.plain.data, unit=self.unit, n_resamples=self.draws, rng=seed
            )
        except InvalidInputError as error:
            self.refusal = str(error)

    def refused(self):
        if self.plain.n < 2:
            return "two items or more"
        if self.is_weighted():
            return "equal weight"
        if len(self.rows) < 2:
            return f"Got 1 {self.unit}."
        if self.is_uneven():
            return "the same items within every unit"
        return None if self.telling() else "order two items"

    @staticmethod
    def points(row):
        k = sum(r is not None for r in row)
        return [0 if r is None else sqrt(12 / (k + 1)) * float(r - Fraction(k + 1, 2)) for r in row]

    def orders(self, row):
        """Return the points of a unit in all orders of those that it has."""
        there = [i for i, r in enumerate(row) if r is not None]
        found = []
        for order in permutations([row[i] for i in there]):
            new = [None] * self.plain.n
            for i, r in zip(there, order, strict=True):
                new[i] = r
            found.append(self.points(new))
        return np.array(found)

    def inverse(self):
        orders = [self.orders(row) for row in self.rows]
        covariance = sum(each.T @ each / len(each) for each in orders)
        return np.linalg.pinv(covariance, rcond=1e-10)

    def statistic(self):
        sums = np.sum([self.points(row) for row in self.rows], axis=0)
        return float(sums @ self.inverse() @ sums)

    def parts(self):
        """Return the sizes of sets of items that chains of units link."""
        parts = [{i} for i in range(self.plain.n)]
        for row in self.telling():
            some = {i for i, r in enumerate(row) if r is not None}
            joined = set().union(*(part for part in parts if part & some))
            parts = [part for part in parts if not part & some] + [joined]
        return [len(part) for part in parts]

    def df(self):
        return self.plain.n - len(self.parts())

    def simulated(self):
        """Return the share of all orders that reach the statistic, or what was drawn near it."""
        drawn, times = self.found.p_value, self.found.n_resamples
        assert drawn * times == pytest.approx(round(drawn * times))
        orders = [self.orders(row) for row in self.rows]
        if prod(map(len, orders)) > 1500:
            return drawn
        inverse, least = self.inverse(), self.statistic() * (1 - 1e-9) - 1e-12
        sums = np.zeros((1, self.plain.n))
        for each in orders:
            sums = (sums[:, None] + each).reshape(-1, self.plain.n)
        share = np.mean(((sums @ inverse) * sums).sum(axis=1) >= least)
        near = abs(drawn - share) <= 5 * sqrt(share * (1 - share) / times) + 1 / times
        return drawn if near else share

    def several(self):
        return sum(size > 1 for size in self.parts())

    def alone(self):
        return sum(size == 1 for size in self.parts()), self.plain.n


LACKING = {
    "items": lambda case: case.plain.n,
    "rankings": lambda case: len(case.rows),
    "tasks": lambda case: len(case.plain.tasks),
    "Skillings-Mack": Lacking.statistic,
    "freedom": Lacking.df,
    "simulated p-value": Lacking.simulated,
    "draws": lambda case: case.draws or 10_000,
    "parts that nothing links": Lacking.several,
    "items compared with no other": Lacking.alone,
}


def parted(seed):
    """Return rankings of two pairs of items, and perhaps of a fifth alone."""
    rng = np.random.default_rng(seed)
    orders = [str(rng.choice(["AB", "BA", "CD", "DC"])) for _ in range(4)] + ["AB", "DC"]
    items = "ABCDE"[: 4 + seed % 2]
    places = [tuple(o.index(x) if x in o else None for x in items) for o in orders]
    ballots = tuple(hostile.Ballot(each, Fraction(1)) for each in places)
    return hostile.Plain(ra.Profile.from_orders(orders, items=items), items, ballots)


def skillings_mack(seeds):
    held, refusals = Instrument(LACKING), set()
    for seed in seeds:
        case = Lacking(seed)
        if seed % 10 == 7:
            case.plain, case.unit, case.draws, case.refusal = parted(seed // 10), "ranking", 100, ""
            case.found = ra.inference.skillings_mack(case.plain.data, n_resamples=100, rng=seed)
        expected = case.refused()
        assert (expected or "") in case.refusal
        assert (expected is None) == (case.found is not None)
        if case.found is None:
            refusals.add(re.sub(r"\d+", "", expected))
            continue
        held.hold(case.found._facts(), case)
        case.notes_hold(case.found.notes)
        starts = [" ".join(note.split()[:2]) for note in case.found.notes]
        assert ("no chain" in starts) == (case.several() > 1)
        assert any("compared with no other" in n for n in case.found.notes) == (case.alone()[0] > 0)
    held.require()
    assert len(refusals) >= 4


SENTENCES = {"friedman": friedman, "skillings-mack": skillings_mack}
