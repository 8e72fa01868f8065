"""What a comparison of rules says, why one item is above another, and what a removal changes."""

from fractions import Fraction
from itertools import permutations

import numpy as np

import rankagg as ra
from tests import oracles
from tests.analysis.removal.removal_oracle import radii, single_ballots, whole_tasks
from tests.sentences import definitions as true
from tests.sentences import hostile
from tests.sentences.instrument import Instrument, by_votes, hold_facts

POLICIES = ("uniform", "ignore", "last")


def drawn(seed):
    return hostile.either(np.random.default_rng(seed), seed)


def places(ranking):
    return tuple(None if rank < 0 else int(rank) for rank in ranking.ranks)


def differing(one, other, n):
    """Return the pairs (above, below) of one ranking that another orders otherwise, or ties."""
    found = []
    for i, j in permutations(range(n), 2):
        if None in (one[i], one[j], other[i], other[j]):
            continue
        if (one[i] < one[j] and other[i] >= other[j]) or (one[i] == one[j] and other[i] < other[j]):
            found.append((i, j))
    return found


# -- compare and sentences ------------------------------------------------------------------------


class Compared:
    """Borda (or a mean) compared with Kemeny's rule, and what is decided."""

    def __init__(self, seed):
        self.plain, self.policy = drawn(seed), POLICIES[seed % 3]
        if seed % 50 == 8:
            self.plain = hostile.condorcet_against_borda()
        is_table = isinstance(self.plain.data, ra.ScoreTable)
        other = ra.Mean() if is_table and seed % 4 == 1 else ra.Borda()
        self.found = ra.compare(self.plain.data.with_unranked(self.policy), [other, ra.Kemeny()])
        self.decisions = ra.rank_intervals(
            self.plain.data, of="pairwise", alpha=0.9, rng=0
        ).decisions
        self.wins, self.ties = true.votes(self.plain, self.policy)
        self.exact, self.other = (places(c.ranking) for c in reversed(self.found.consensuses))
        self.apart = differing(self.exact, self.other, self.plain.n)

    def lead(self, pair):
        i, j = pair
        return abs(self.wins[i][j] - self.wins[j][i])

    def closest(self, turned):
        least = min(map(self.lead, self.apart))
        near = [p for p in self.apart if float(self.lead(p) - least) < 1e-9]
        return {self.wins[j][i] if turned else self.wins[i][j] for i, j in near}

    def decided(self):
        return int(self.decisions.above.sum())

    def is_decided(self, pair):
        i, j = pair
        return self.decisions.above[i, j] or self.decisions.above[j, i]

    def votes(self, of):
        """Return the votes of all pairs on which the two differ, in the order of the exact one."""
        return by_votes({of(*pair) for pair in self.apart}, self.policy)


def excess(c):
    two = (oracles.cost(ranks, c.wins) for ranks in (c.other, c.exact))
    return by_votes(abs(next(two) - next(two)), c.policy)


COMPARED = {
    "rules": lambda c: 2,
    "items": lambda c: c.plain.n,
    "tasks": lambda c: len(c.plain.tasks),
    "rankings": lambda c: len(c.plain.ballots),
    "cells missing": lambda c: c.plain.missing,
    "cells": lambda c: c.plain.cells,
    "cost": lambda c: by_votes(true.optima(c.plain, c.wins)[0], c.policy),
    "other optima": lambda c: len(true.optima(c.plain, c.wins)[1]) - 1,
    "excess of a rule": excess,
    "pairs ordered differently": lambda c: len(c.apart),
    "pairs ordered differently and decided": lambda c: (
        sum(map(c.is_decided, c.apart)),
        len(c.apart),
    ),
    "votes for the closest pair": lambda c: by_votes(c.closest(turned=False), c.policy),
    "votes against the closest pair": lambda c: by_votes(c.closest(turned=True), c.policy),
    "pairs decided": lambda c: (c.decided(), len(c.plain.pairs)),
    "pairs": lambda c: len(c.plain.pairs),
    "independent units": lambda c: len(c.plain.ballots),
    "units that are enough": lambda c: true.enough(c.decisions.basis.method, c.plain.n, 0.9),
    "names not listed": lambda c: (1, 4),
    "level": lambda c: 10,
    "alpha": lambda c: 0.9,
    # In the list of pairs, one line each.
    "votes for a pair": lambda c: c.votes(lambda i, j: c.wins[i][j]),
    "votes against a pair": lambda c: c.votes(lambda i, j: c.wins[j][i]),
    "votes that tie a pair": lambda c: c.votes(lambda i, j: c.ties[i][j]),
    "pairs not listed": lambda c: len(c.apart) - 1,
}


def comparisons(seeds):
    held = Instrument(COMPARED)
    for seed in seeds:
        case = Compared(seed)
        sentences = case.found.sentences(decisions=case.decisions)
        head = case.found._facts(None, case.decisions)
        lines = [line for line in head if not line.startswith("certificate")]
        held.hold(sentences, case)
        held.hold(lines, case, skip=["a tied vote costs 0"])
        held.hold(case.found._below(1, case.decisions)[1:], case)
    held.require()


# -- explain --------------------------------------------------------------------------------------


class Explained:
    """Two items of a consensus."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.plain, self.policy = drawn(seed), POLICIES[seed % 3]
        self.plain = hostile.by_policy(self.plain, self.policy)
        rules = [ra.Kemeny(), ra.Borda(), ra.Copeland()]
        if isinstance(self.plain.data, ra.ScoreTable):
            rules.append(ra.Mean())
        self.rule = rules[rng.integers(len(rules))]
        data = self.plain.data
        self.is_bare = seed % 5 == 0 and not isinstance(self.rule, ra.Mean)
        consensus = self.rule.aggregate(votes_of(data) if self.is_bare else data)
        ranked = [k for k, rank in enumerate(consensus.ranking.ranks) if rank >= 0]
        self.found = None
        if len(ranked) > 1:
            i, j = rng.choice(ranked, 2, replace=False)
            self.found = ra.explain(consensus, self.plain.items[i], self.plain.items[j])
            self.i, self.j = (
                self.plain.items.index(x) for x in (self.found.above, self.found.below)
            )
        self.wins, self.ties = true.votes(self.plain, self.policy)

    def swap(self):
        """Return what the cheapest order with the pair turned round costs beyond the cheapest."""
        i, j = self.i, self.j
        costs = {o: oracles.cost_of_permutation(o, self.wins) for o in true.orders(self.plain)}
        turned = min(cost for order, cost in costs.items() if order[j] < order[i])
        return by_votes(turned - min(costs.values()), self.policy)

    def score(self, k):
        """Return the score of an item: points, majorities, or a mean."""
        n, wins = self.plain.n, self.wins
        if isinstance(self.rule, ra.Mean):
            return true.mean(self.plain, k)
        if isinstance(self.rule, ra.Copeland):
            # Without a ranking of both, two items are a draw to this rule.
            met = [any(b.has(j, k) for b in self.plain.ballots) for j in range(n)]
            lead = [(wins[k][j] - wins[j][k]) * met[j] for j in range(n) if j != k]
            return sum((x > 1e-9) + Fraction(abs(x) <= 1e-9) / 2 for x in lead)
        return sum(true.points(b, k, n, self.policy) * b.weight for b in self.plain.ballots)


def votes_of(data):
    return (data if isinstance(data, ra.Profile) else data.rankings()).pairwise()


EXPLAINED = {
    "votes for a pair": lambda e: by_votes(e.wins[e.i][e.j], e.policy),
    "votes against a pair": lambda e: by_votes(e.wins[e.j][e.i], e.policy),
    "votes that tie a pair": lambda e: by_votes(e.ties[e.i][e.j], e.policy),
    "votes that a swap costs": Explained.swap,
    "score of the upper": lambda e: e.score(e.i),
    "score of the lower": lambda e: e.score(e.j),
    "difference of scores": lambda e: e.score(e.i) - e.score(e.j),
    "rankings that turn a majority": lambda e: by_votes(
        true.least_to_turn(e.plain, e.i, e.j, e.policy), e.policy
    ),
    "half of a majority": lambda e: by_votes(
        abs(e.wins[e.i][e.j] - e.wins[e.j][e.i]) / 2, e.policy
    ),
}


# -- removals -------------------------------------------------------------------------------------


class Removed:
    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.plain = drawn(seed)
        data, is_table = self.plain.data, isinstance(self.plain.data, ra.ScoreTable)
        rules = [ra.Borda(), ra.Kemeny(), ra.Copeland()]
        means = [ra.Mean()] * 4 if is_table and not data.n_missing else []
        chosen = rng.integers(3 + len(means))
        rule, data = (rules + means)[chosen], data.with_unranked(POLICIES[chosen % 3])
        pair = None
        ranked = np.flatnonzero(rule.aggregate(data).ranking.ranks >= 0)
        if len(ranked) > 1 and rng.random() < 0.4:
            pair = tuple(self.plain.items[k] for k in rng.choice(ranked, 2, replace=False))
        self.found = ra.analysis.removal_radius(data, rule, pair=pair)
        choices = whole_tasks(data) if is_table else single_ballots(data)
        self.radii = radii(data, rule, pair, choices)

    @property
    def total(self):
        return len(self.plain.ballots)

    def both(self):
        """Yield what was found with the true least number, all units where nothing does it."""
        for found, true_number in zip(
            (self.found.level, self.found.overtaken), self.radii, strict=True
        ):
            yield found, self.total if true_number is None else true_number

    def removed(self):
        return {number if found.is_proved else found.upper for found, number in self.both()}

    def needed(self):
        return {found.lower for found, number in self.both() if found.lower <= number}


REMOVED = {
    "units that may go": lambda r: r.total,
    "units removed": lambda r: (r.removed(), r.total),
    "removals that are proved to be needed": lambda r: (r.needed(), r.total),
}


def removals(seeds):
    held, unproved = Instrument(REMOVED), 0
    for seed in seeds:
        case = Removed(seed)
        held.hold(case.found._facts(), case)
        for found, number in case.both():
            assert found.lower <= number
            assert found.upper is None or found.upper >= number
            assert not found.is_proved or found.number in (number, None)
            assert found.is_impossible <= (number == case.total)
        headline = case.found.headline()
        for one in getattr(headline, "numbers", ()):
            assert one.what != "units removed" or one.number == case.found.overtaken.upper
        is_all = case.found.pair is None and len(case.found.first) == case.plain.n
        if case.found.overtaken.is_impossible and not is_all:
            assert "no removal would" in headline
        unproved += not case.found.is_proved
    # Weights that are no simple fractions are too near to a tie for the solver now and then.
    assert unproved <= len(seeds) / 20
    held.require(but=["removals that are proved to be needed"])


# -- stability ------------------------------------------------------------------------------------


class Left:
    """Consensuses by Kemeny's rule or Borda's, without one task or ranking each."""

    def __init__(self, seed):
        self.plain, self.policy = drawn(seed), "uniform"
        self.is_exact = seed % 4 < 2
        rule = ra.Kemeny() if self.is_exact else ra.Borda()
        self.rows = self.units()
        self.found = ra.stability(self.plain.data, rule) if len(self.rows) > 1 else None

    def units(self):
        """Return what is left out together: a task, or all copies of a row of the profile."""
        if self.plain.tasks != [None]:
            return [true.copy_without(self.plain, task) for task in self.plain.tasks]
        counts, starts = self.plain.data.counts, np.cumsum([0, *self.plain.data.counts])
        return [
            [*self.plain.ballots[: starts[k]], *self.plain.ballots[starts[k + 1] :]]
            for k in range(len(counts))
        ]

    def best(self, ballots):
        """Return all optima of some ballots."""
        plain = hostile.Plain(None, self.plain.items, tuple(ballots))
        return true.optima(plain, true.votes(plain, self.policy)[0])[1]

    def above(self, ballots):
        """Return the pairs (above, below) in all optima, or by Borda's points."""
        n = self.plain.n
        if self.is_exact:
            best = self.best(ballots)
            return {(i, j) for i, j in permutations(range(n), 2) if all(o[i] < o[j] for o in best)}
        score = [
            sum(true.points(b, k, n, self.policy) * b.weight for b in ballots) for k in range(n)
        ]
        return {(i, j) for i, j in permutations(range(n), 2) if score[i] - score[j] > 1e-9}

    def changed(self):
        whole = self.above(self.plain.ballots)
        return sum(self.differs(whole, self.above(rows)) for rows in self.rows)

    def differs(self, whole, part):
        if self.is_exact:
            return any((j, i) in whole for i, j in part)
        return whole != part

    def leaders(self, ballots):
        return {order.index(0) for order in self.best(ballots)}

    def several(self):
        """Return how many of all consensuses have several optima."""
        return sum(len(self.best(rows)) > 1 for rows in (self.plain.ballots, *self.rows))


LEFT = {
    "units left out one by one": lambda s: len(s.rows),
    "units that change an order": lambda s: (s.changed(), len(s.rows)),
    "consensuses with several optima": lambda s: (s.several(), 1 + len(s.rows)),
    "exact consensuses": lambda s: 1 + len(s.rows),
}


SENTENCES = {
    "compare": comparisons,
    "explain": lambda seeds: hold_facts(EXPLAINED, map(Explained, seeds)),
    "removals": removals,
    "stability": lambda seeds: hold_facts(LEFT, map(Left, seeds)),
}
