"""What is missing, how far rankings lie apart, how far tasks agree."""

from itertools import combinations

import numpy as np
import scipy

import rankagg as ra
from tests.sentences import definitions as true
from tests.sentences import hostile
from tests.sentences.instrument import Instrument, by_votes

POLICIES = ("uniform", "ignore", "last")


MISSING = {
    "cells missing": lambda p: p.missing,
    "cells": lambda p: p.cells,
    "percent of cells missing": lambda p: (100 * p.missing[0] / p.cells, p.cells),
    "items": lambda p: p.n,
    "units": lambda p: len(p.ballots),
    "pairs not listed": lambda p: (p.never - 1, p.never),
}


def missing(seeds):
    held = Instrument(MISSING)
    for seed in seeds:
        plain = hostile.either(np.random.default_rng(seed), seed)
        report = ra.analysis.missing_report(plain.data)
        held.hold([*report._facts(), *report._comparison_lines(1)], plain)
        assert report._facts()[0] in str(report)
    held.require()


# -- dispersion -----------------------------------------------------------------------------------


def contradictions(plain, policy):
    """Yield for every two rankings their weight, expected discordance, and pairs judged by both."""
    for s, t in combinations(plain.ballots, 2):
        for i, j in plain.pairs:
            one, two = (true.sides(b.places, i, j, policy) for b in (s, t))
            yield (
                s.weight * t.weight,
                one[0] * two[1] + one[1] * two[0],
                bool(sum(one) and sum(two)),
            )


def spread(plain, policy):
    return 2 * sum(weight * apart for weight, apart, _ in contradictions(plain, policy))


def average_spread(plain, policy):
    pairs = sum(s.weight * t.weight for s, t in combinations(plain.ballots, 2))
    return spread(plain, policy) / (2 * pairs)


def percent_apart(plain, policy):
    judged = sum(weight * both for weight, _, both in contradictions(plain, policy))
    return 100 * spread(plain, policy) / (2 * judged)


def total_weight(plain):
    return sum(ballot.weight for ballot in plain.ballots)


def lower_by_spread(plain, policy):
    least = min(ballot.weight for ballot in plain.ballots)
    others = total_weight(plain) - least
    return spread(plain, policy) / (2 * others) if others else 0


def by_pairs(plain, policy, of_two):
    wins, _ = true.votes(plain, policy)
    return sum(of_two(wins[i][j], wins[j][i]) for i, j in plain.pairs)


def least_cost(plain, policy):
    return true.optima(plain, true.votes(plain, policy)[0])[0]


DISPERSION = {
    "items": lambda p, u: p.n,
    "total weight": lambda p, u: by_votes(total_weight(p), u),
    "lower bound by the spread": lambda p, u: by_votes(lower_by_spread(p, u), u),
    "upper bound by the spread": lambda p, u: by_votes(spread(p, u) / total_weight(p), u),
    "lower bound by pairs": lambda p, u: by_votes(by_pairs(p, u, min), u),
    "upper bound by pairs": lambda p, u: by_votes(by_pairs(p, u, lambda a, b: (a + b) / 2), u),
    "total of the exact consensus": lambda p, u: by_votes(least_cost(p, u), u),
    "pairs in which two differ": lambda p, u: by_votes(average_spread(p, u), u),
    "percent of pairs in which two differ": lambda p, u: by_votes(percent_apart(p, u), u),
}


def dispersions(seeds):
    held = Instrument(DISPERSION)
    for seed in seeds:
        plain = hostile.either(np.random.default_rng(seed), seed)
        policy = POLICIES[seed % 3]
        data = plain.data.with_unranked(policy)
        report = ra.inference.dispersion_report(data, [ra.Borda(), ra.Kemeny()])
        certificate = report.exact.certificate.summary()
        held.hold(report._facts(), plain, policy, skip=[certificate])
        of = {"uniform": "all pairs", "ignore": "both compare)", "last": "unranked items last)"}
        line = report._facts()[1]
        assert "no two rankings" in line or report._is_plain or of[policy] in line
    held.require()


# -- agreement of tasks ---------------------------------------------------------------------------


def mean_of_pairs(plain, correlation):
    """Return the mean over every two rankings that tell apart items that both have."""
    found = []
    for s, t in combinations(plain.ballots, 2):
        both = [k for k in range(plain.n) if None not in (s.places[k], t.places[k])]
        one, two = ([b.places[k] for k in both] for b in (s, t))
        if len(set(one)) > 1 and len(set(two)) > 1:
            found.append(correlation(one, two).statistic)
    return float(np.mean(found)) if found else np.nan


def concordance(plain):
    """Return Kendall's W by the textbook's formula, or from Spearman's rho where there are gaps."""
    m, n = len(plain.ballots), plain.n
    if not plain.missing[0]:
        ranks = [scipy.stats.rankdata(b.places) for b in plain.ballots]
        sums = np.sum(ranks, axis=0)
        ties = sum(c**3 - c for r in ranks for c in np.unique(r, return_counts=True)[1])
        under = m**2 * (n**3 - n) - m * ties
        return 12 * ((sums - sums.mean()) ** 2).sum() / under if under else np.nan
    rho = mean_of_pairs(plain, scipy.stats.spearmanr)
    return rho if np.isnan(rho) else max((1 + (m - 1) * rho) / m, 0.0)


AGREEMENT = {
    "tasks": lambda p: len(p.ballots),
    "items": lambda p: p.n,
    "Kendall's W": concordance,
    "mean tau": lambda p: mean_of_pairs(p, scipy.stats.kendalltau),
    "cells missing": lambda p: p.missing,
}


def agreements(seeds):
    held = Instrument(AGREEMENT)
    for seed in seeds:
        plain = hostile.table(np.random.default_rng(seed))
        if plain.n < 2 or len(plain.ballots) < 2:
            continue
        held.hold(ra.analysis.task_agreement(plain.data)._facts(), plain)
    held.require()


SENTENCES = {"missing": missing, "dispersion": dispersions, "agreement": agreements}
