"""What ranks, intervals, tests and powers say: how many units, of how many, what they decide."""

from fractions import Fraction
from itertools import product
from math import sqrt

import numpy as np

import rankagg as ra
from tests.sentences import definitions as true
from tests.sentences import hostile
from tests.sentences.instrument import Instrument, hold_facts

ALPHAS = (Fraction("0.05"), Fraction("0.2"), Fraction("0.9"))
ENOUGH = 20  # units from which on studentized maxima of comparisons are taken


def ties(plain):
    """Return in how many units a pair is tied, over all pairs."""
    return sum(
        b.has(i, j) and b.places[i] == b.places[j] for b in plain.ballots for i, j in plain.pairs
    )


# -- ranks by majorities, Borda points and means --------------------------------------------------


class Ranked:
    """Rank intervals of some data, and what decides."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.alpha = ALPHAS[seed // 7 % 3]
        self.plain = hostile.either(rng, seed)
        self.of = ("pairwise", "borda")[seed // 2 % 2]
        if seed % 2 and seed % 3 == 0:
            self.of = "mean"
        data = self.plain.data
        self.found = ra.rank_intervals(data, of=self.of, alpha=float(self.alpha), rng=0)
        self.units = self.plain.ballots

    def won(self, i, j):
        return sum(b.has(i, j) and b.places[i] < b.places[j] for b in self.units)

    def decided_by_flips(self):
        """Return how many pairs are decided by the largest sum under all signs of all units.

        What is decided goes, and the others are asked again.
        """
        rows = [self.differences(k) for k in range(len(self.units))]
        if not self.plain.pairs:
            return 0
        values = np.array([[float(x) for x in row] for row in rows])
        sums = values.sum(axis=0)
        flips = np.array(list(product([1, -1], repeat=len(rows)))) @ values
        near = 1e-9 * np.abs(values).sum()
        left = [k for k, s in enumerate(sums) if abs(s) > near]
        while left:
            largest = np.abs(flips[:, left]).max(axis=1)
            p = {k: (largest >= abs(sums[k]) - near).mean() for k in left}
            kept = [k for k in left if p[k] > float(self.alpha)]
            if kept == left:
                break
            left = kept
        return int((np.abs(sums) > near).sum()) - len(left)

    def differences(self, k):
        """Return how far the first of each pair is ahead in one unit, by points or scores."""
        ballot, n = self.units[k], self.plain.n
        weight = ballot.weight

        def value(i):
            if self.of == "mean":
                score = self.plain.scores[i][k]
                return None if score is None else score / Fraction(self.scale())
            is_ranked = ballot.places[i] is not None
            return true.points(ballot, i, n, "uniform") if is_ranked else None

        values = [(value(i), value(j)) for i, j in self.plain.pairs]
        return [0 if None in (a, b) else weight * (a - b) for a, b in values]

    def aside(self, sign):
        def values(name):
            at, n = self.plain.items.index(name), self.plain.n
            if self.of == "mean":
                return self.plain.scores[at]
            ranked = [b.places[at] is not None for b in self.units]
            points = [true.points(b, at, n, "uniform") for b in self.units]
            return [p if is_ranked else None for p, is_ranked in zip(points, ranked, strict=True)]

        return true.aside_of_mean(self.found, sign, values)

    def scale(self):
        return max([abs(v) for row in self.plain.scores for v in row if v is not None]) or 1

    def never_compared(self):
        if self.found.method == "sign-test":
            return sum(not self.won(i, j) + self.won(j, i) for i, j in self.plain.pairs)
        return self.plain.never

    def decided(self):
        return int(self.found.decisions.above.sum())


RANKED = {
    "level": lambda r: 100 * (1 - r.alpha),
    "alpha": lambda r: r.alpha,
    "independent units": lambda r: len(r.units),
    "units that are enough": lambda r: true.enough(r.found.method, r.plain.n, r.alpha),
    "cells missing": lambda r: r.plain.missing,
    "cells": lambda r: r.plain.cells,
    "pairs never compared": lambda r: (r.plain.never, len(r.plain.pairs)),
    "pairs that no unit compares": lambda r: (r.never_compared(), len(r.plain.pairs)),
    "pairs decided": lambda r: (r.decided(), len(r.plain.pairs)),
    "pairs": lambda r: len(r.plain.pairs),
    "ties left out": lambda r: ties(r.plain),
}
FEW = {
    "differences above their mean": lambda r: r.aside(1),
    "differences below it": lambda r: r.aside(-1),
    "rank correlation of gaps": lambda r: true.correlation_of_gaps(
        np.array(r.plain.scores, dtype=float).T
    ),
}


def ranks(seeds):
    held = Instrument(RANKED | FEW)
    for seed in seeds:
        case = Ranked(seed)
        held.hold([*case.found._facts(), *case.found.decisions._facts()], case)
        if case.found.method == "sign-test":
            assert case.decided() == true.decided_by_signs(case.plain.n, case.won, case.alpha)
        elif case.of == "mean" and not case.plain.missing[0]:
            assert case.decided() == case.decided_by_flips()
        if case.found.decisions.warning is not None:
            assert not case.decided()
        elif case.decided() and case.found.method != "sign-test":
            assert len(case.units) >= true.enough(case.found.method, case.plain.n, case.alpha)
    # Ties are reported by the binomial intervals, which decisions follow from.
    held.require(but=FEW)


# -- ranks of comparisons -------------------------------------------------------------------------


class Fought:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.alpha, self.plain = ALPHAS[seed % 3], hostile.comparisons(rng)
        self.clusters = {}
        for at, ballot in enumerate(self.plain.ballots):
            name = at if ballot.task is None else ballot.task
            self.clusters.setdefault(name, []).append(ballot)
        n_pairs = min(sum(b.has(i, j) for b in self.plain.ballots) for i, j in self.plain.pairs)
        can = len(self.clusters) >= ENOUGH and n_pairs >= 2
        self.of = "borda" if can and seed % 2 else "pairwise"
        self.found = ra.inference.comparison_rank_intervals(
            self.plain.data, of=self.of, alpha=float(self.alpha), rng=0
        )

    def lead(self, ballots, i, j):
        return sum(
            (b.places[i] < b.places[j]) - (b.places[j] < b.places[i])
            for b in ballots
            if b.has(i, j)
        )

    def won(self, i, j):
        return sum(self.lead(ballots, i, j) > 0 for ballots in self.clusters.values())

    def decided(self):
        if self.of == "pairwise":
            return true.decided_by_signs(self.plain.n, self.won, self.alpha)
        return int(self.found.decisions.above.sum())

    def enough(self):
        method = "max-t" if self.of == "borda" else "sign-test"
        return true.enough(method, self.plain.n, self.alpha)

    def effective(self):
        """Return how many units of one size tell as much of the item that fewest tell of."""
        n, least = self.plain.n, np.inf
        for k in range(n):
            pulls = []
            for ballots in self.clusters.values():
                pull = 0.0
                for b in ballots:
                    other = [j for j in range(n) if j != k and b.places[j] is not None]
                    if b.places[k] is None:
                        continue
                    met_often = sum(c.has(k, other[0]) for c in self.plain.ballots)
                    pull += sqrt(met_often / (met_often - 1)) / (n - 1) / met_often
                pulls.append(pull)
            squares = np.square(pulls)
            least = min(least, squares.sum() ** 2 / (squares**2).sum())
        return least


FOUGHT = {
    "level": lambda f: 100 * (1 - f.alpha),
    "alpha": lambda f: f.alpha,
    "independent units": lambda f: len(f.clusters),
    "units that are enough": Fought.enough,
    "pairs decided": lambda f: (f.decided(), len(f.plain.pairs)),
    "pairs": lambda f: len(f.plain.pairs),
    "effective units": Fought.effective,
}


def fights(seeds):
    held = Instrument(FOUGHT)
    for seed in seeds:
        case = Fought(seed)
        lines = case.found._facts()
        gaps = {f"note: {note}" for note in case.plain.data.connectivity().gaps}
        held.hold([line for line in lines if line not in gaps], case)
        held.hold(case.found.decisions._facts(), case)
        if case.found.decisions.warning is not None:
            assert not case.decided()
    held.require()


# -- intervals of pairs ---------------------------------------------------------------------------


class Intervals:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.alpha = ALPHAS[seed // 7 % 3]
        self.plain = hostile.either(rng, seed)
        self.method = ("hoeffding", "clopper-pearson", "wilson", "percentile")[seed // 2 % 4]
        units = self.plain.ballots
        is_plain = len({b.weight for b in units}) == 1
        if not is_plain and self.method != "percentile":
            self.method = "hoeffding"
        self.found = ra.PairwiseIntervals.from_data(
            self.plain.data, method=self.method, alpha=float(self.alpha),
            n_resamples=100, rng=0,
        )  # fmt: skip

    def judgments(self, i, j):
        """Return what each unit that has both says of a pair."""
        values = [(b.places[j] > b.places[i]) - (b.places[i] > b.places[j])
                  for b in self.plain.ballots if b.has(i, j)]  # fmt: skip
        return [v for v in values if v] if self.method in ("clopper-pearson", "wilson") else values

    def fewest(self):
        judged = [self.judgments(i, j) for i, j in self.plain.pairs]
        if self.method == "percentile":
            judged = [v for v in judged if len(set(v)) > 1]
        return min(len(v) for v in judged if v)

    def silent(self):
        return sum(not self.judgments(i, j) for i, j in self.plain.pairs), len(self.plain.pairs)

    def agreed(self):
        return sum(len(set(self.judgments(i, j))) == 1 for i, j in self.plain.pairs)


INTERVALS = {
    "level": lambda c: 100 * (1 - c.alpha),
    "pairs that no unit compares": Intervals.silent,
    "ties left out": lambda c: ties(c.plain),
    "fewest units of a pair": Intervals.fewest,
    "units measured to be enough": lambda c: {"percentile": 500, "wilson": 100}[c.method],
    "resamples beyond a bound": lambda c: 100 * c.alpha / 2,
    "pairs on which all agree": Intervals.agreed,
}


# -- tests of two systems -------------------------------------------------------------------------


class Versus:
    """One system against the others."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.alpha = ALPHAS[seed % 3]
        self.plain = hostile.table(rng, weights=seed % 2 == 0, binary=seed % 5 == 0)
        self.found = None
        if self.plain.n > 1:
            self.found = ra.inference.paired_tests(
                self.plain.data, "A", alpha=float(self.alpha), rng=0
            )

    def differences(self, k):
        """Return weights and differences of one system to the reference."""
        rows = zip(self.plain.weights, self.plain.scores[k], self.plain.scores[0], strict=True)
        return [(w, a - b) for w, a, b in rows if None not in (a, b)]

    def p_value(self, k):
        differences, units = self.differences(k), len(self.differences(k))
        if self.found.method == "mcnemar":
            won, lost = (sum(s * d > 0 for _, d in differences) for s in (1, -1))
            return min(Fraction(1), 2 * true.sign_test(max(won, lost), min(won, lost)))
        sums = [sum(s * w * d for s, (w, d) in zip(signs, differences, strict=True))
                for signs in product([1, -1], repeat=units)]  # fmt: skip
        size = sum(abs(w * d) for w, d in differences)
        return Fraction(sum(abs(x) >= abs(sums[0]) - size / 10**9 for x in sums), len(sums))

    def sides(self):
        """Return who is better, worse, and undecided, by Holm's procedure."""
        p = {k: self.p_value(k) for k in range(1, self.plain.n)}
        decided, left = set(), len(p)
        for k in sorted(p, key=p.get):
            if p[k] * left > self.alpha:
                break
            decided.add(k)
            left -= 1
        sign = {k: sum(w * d for w, d in self.differences(k)) for k in p}
        if self.found.method == "mcnemar":
            sign = {k: sum((d > 0) - (d < 0) for _, d in self.differences(k)) for k in p}
        better = sum(sign[k] > 0 for k in decided)
        return better, len(decided) - better, len(p) - len(decided)

    def most(self):
        return max(len(self.differences(k)) for k in range(1, self.plain.n))


def side(at):
    return lambda t: (t.sides()[at], t.plain.n - 1)


def least_to_decide(level):
    """Return the least number of units such that some vector of signs has a p-value of a level."""
    return next(n for n in range(1, 99) if Fraction(2, 2**n) <= level)


VERSUS = {
    "tests": lambda t: t.plain.n - 1,
    "most units of a pair": Versus.most,
    "alpha": lambda t: t.alpha,
    "level": lambda t: 100 * (1 - t.alpha),
    "systems better": side(0),
    "systems worse": side(1),
    "systems undecided": side(2),
    "smallest p-value": lambda t: Fraction(2, 2 ** t.most()),
    "pairs that lack scores": lambda t: (
        sum(len(t.differences(k)) < len(t.plain.ballots) for k in range(1, t.plain.n)),
        t.plain.n - 1,
    ),
    "units of both": lambda t: {len(t.differences(k)) for k in range(1, t.plain.n)},
    "units that are enough": lambda t: least_to_decide(t.alpha),
    "units that decide": lambda t: least_to_decide(t.alpha / (t.plain.n - 1)),
    "units that decide at once": lambda t: least_to_decide(t.alpha),
}
ONE = {
    "units of both": lambda t, k: len(t.differences(k)),
    "p-value": lambda t, k: t.p_value(k),
    "level": lambda t, k: 100 * (1 - t.alpha),
    "units left out": lambda t, k: (
        len(t.plain.ballots) - len(t.differences(k)),
        len(t.plain.ballots),
    ),
    "independent units": lambda t, k: len(t.plain.ballots),
    "units that are enough": lambda t, k: least_to_decide(t.alpha),
}


def versus(seeds):
    held, one = Instrument(VERSUS), Instrument(ONE)
    for seed in seeds:
        case = Versus(seed)
        if case.found is None:
            continue
        held.hold(case.found._facts(), case)
        for k, test in enumerate(case.found.tests, start=1):
            one.hold(test._facts(), case, k)
    # A pair with fewer units than the others is rare.
    held.require(but=("units of both", "units that are enough"))
    one.require()


# -- power ----------------------------------------------------------------------------------------


class Separated:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.alpha = ALPHAS[seed % 2]
        self.plain = hostile.table(rng, weights=False)
        # A power this high is requested for levels below it only.
        self.found = None
        if self.plain.n > 1:
            self.found = ra.inference.separation(self.plain.data, alpha=float(self.alpha))

    def neighbors(self):
        for one, two in zip(self.found.order, self.found.order[1:], strict=False):
            rows = zip(
                *(self.plain.scores[self.plain.items.index(x)] for x in (one, two)), strict=True
            )
            yield [a - b for a, b in rows if None not in (a, b)]

    def with_enough(self):
        """Return how many neighbors have as many units as the power needs."""
        found = 0
        for deltas in self.neighbors():
            if len(deltas) < 2 or not sum(deltas) or len(set(deltas)) == 1:
                continue
            size = max(map(abs, deltas))
            near_one = [float(d / size) for d in deltas]
            options = {"alpha": float(self.alpha), "n_tests": self.plain.n - 1}
            if self.found.method == "mcnemar":
                options["differing"] = float(np.mean(np.abs(near_one)))
            else:
                options["spread"] = float(np.std(near_one, ddof=1))
            found += ra.inference.units_needed(float(np.mean(near_one)), **options) <= len(deltas)
        return found

    def agreed(self):
        if self.found.method == "mcnemar":
            return 0
        return sum(len(deltas) > 1 and len(set(deltas)) == 1 for deltas in self.neighbors())


SEPARATED = {
    "items": lambda s: s.plain.n,
    "power": lambda s: 80,
    "tests": lambda s: s.plain.n - 1,
    "alpha": lambda s: s.alpha,
    "pairs with as many units": lambda s: (s.with_enough(), s.plain.n - 1),
    "neighbors": lambda s: s.plain.n - 1,
    "pairs on which all agree": Separated.agreed,
    "pairs turned": lambda s: (sum(sum(deltas) < 0 for deltas in s.neighbors()), s.plain.n - 1),
}


SENTENCES = {
    "ranks": ranks,
    "comparisons": fights,
    "intervals": lambda seeds: hold_facts(INTERVALS, map(Intervals, seeds)),
    "test": versus,
    "power": lambda seeds: hold_facts(SEPARATED, map(Separated, seeds)),
}
