"""What the page says: first screen, majorities, uncertainty, robustness, proof, missing data."""

from fractions import Fraction

import numpy as np
import pytest

import rankagg as ra
from rankagg.report.chapters_data import certainty, missing_data, what_was_read, without_tasks
from rankagg.report.chapters_result import majorities, proof
from rankagg.report.findings import Findings
from rankagg.report.first_screen import first_screen
from tests.analysis.removal_oracle import radii, single_ballots, whole_tasks
from tests.sentences import definitions as true
from tests.sentences import hostile
from tests.sentences.instrument import Instrument, by_votes
from tests.sentences.test_consensus import POLICIES, Left
from tests.sentences.test_inference import met

ALPHA = Fraction(1, 5)


class Page:
    """What a page says of one data set."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.policy = POLICIES[seed % 3]
        if seed % 5 == 4:
            self.plain = hostile.comparisons(rng)
        elif seed % 10 == 3:
            self.plain = unanimous(rng)
        else:
            self.plain = hostile.table(rng) if seed % 2 else hostile.profile(rng)
        data = self.plain.data
        self.is_compared = isinstance(data, ra.Comparisons)
        self.findings = Findings.of(
            data, None, unranked=self.policy, tolerance=0.0, unit=None, alpha=float(ALPHA),
            time_limit=None, optima=True, rng=0,
        )  # fmt: skip
        self.ranks = self.findings.ranks
        # Comparisons have no policy: nothing is assumed of items that did not meet.
        self.policy = self.findings.exact.pairwise.unranked
        self.wins, self.ties = true.votes(self.plain, "ignore" if self.is_compared else self.policy)
        self.least, self.orders = true.optima(self.plain, self.wins)
        self.pairs = len(self.plain.pairs)

    def lines(self):
        """Return everything that is said, and what is not held: proofs, seconds, assumptions."""
        screen = first_screen(self.findings)
        yield from (screen.result, screen.certainty, *(number for number, _ in screen.numbers))
        sections = [proof, missing_data]
        if self.plain.n > 1:
            sections += [majorities, certainty, without_tasks]
        parts = [(s.finding, s.parts) for s in (section(self.findings) for section in sections)]
        parts.append(("", what_was_read(self.findings, []).parts))
        for finding, found in parts:
            yield finding
            for part in found:
                if part.kind in ("text", "unknown"):
                    yield part.content
                elif part.kind == "list":
                    yield from (one for one in part.content if getattr(one, "numbers", ()))
                elif part.kind == "facts":
                    yield from (value for _, value in part.content if getattr(value, "numbers", ()))

    # -- definitions --------------------------------------------------------------------------

    def gaps(self):
        return sum(p is None for b in self.plain.ballots for p in b.places)

    def cells(self):
        return len(self.plain.ballots) * self.plain.n

    def units(self):
        clusters = {b.task for b in self.plain.ballots} - {None}
        return len(clusters) if self.is_compared and clusters else len(self.plain.ballots)

    def decided(self):
        return int(self.ranks.decisions.above.sum())

    def never(self):
        return sum(
            not any(met(b, i, j) for b in self.plain.ballots) for i, j in self.plain.pairs
        ), self.pairs

    def enough(self):
        n, alpha = self.plain.n, float(ALPHA)
        decides = {
            "sign-flips": lambda t: 2.0 ** (1 - t) <= alpha,
            "sign-test": lambda t: 0.5**t <= alpha / (n * (n - 1)),
            "max-t": lambda t: t >= 20,
        }[self.ranks.method]
        return next(t for t in range(1, 99) if decides(t))

    def beaten(self):
        """Return how many pairs have a majority; without a ranking of both there is none."""
        return sum(abs(self.lead(i, j)) > 1e-9 for i, j in self.plain.pairs)

    def lead(self, i, j):
        told = any(met(b, i, j) for b in self.plain.ballots)
        return (self.wins[i][j] - self.wins[j][i]) * told

    def against(self):
        ranks = self.findings.exact.ranking.ranks
        return sum(self.lead(i, j) * int(ranks[i] - ranks[j]) > 1e-9 for i, j in self.plain.pairs)

    def apart(self):
        """Return on how many pairs optima differ."""
        return sum(
            len({order[i] < order[j] for order in self.orders}) > 1 for i, j in self.plain.pairs
        )

    def overturning(self):
        """Return how few complete rankings, added, make another order cheaper."""
        best = self.orders[0]
        costs = {o: true.cost(self.plain, o, self.wins) for o in true.orders(self.plain)}
        found = []
        for order, cost in costs.items():
            turned = sum((order[i] < order[j]) != (best[i] < best[j]) for i, j in self.plain.pairs)
            if turned:
                found.append((cost - self.least) // turned + 1)
        return min(found)

    def removed(self):
        data = self.plain.data
        choices = whole_tasks(data) if isinstance(data, ra.ScoreTable) else single_ballots(data)
        return set(radii(data, self.findings.exact.aggregator, None, choices)) - {None}

    def left(self):
        """Return what leaving out each unit changes."""
        case = object.__new__(Left)
        case.plain, case.is_exact, case.policy = self.plain, True, self.policy
        case.rows = case.units()
        return case

    def others_first(self):
        case = self.left()
        whole = {order.index(0) for order in self.orders}
        return sum(not whole & case.leaders(rows) for rows in case.rows), len(case.rows)

    def may_be_first(self):
        """Return how many others may be first: beside who leads, all places at once or alone."""
        ranks, leader = self.ranks, self.findings.exact.order[0]
        together = sum(item != leader for item in ranks.top(1))
        led = [item for item, rank in zip(ranks.items, ranks.rank, strict=True) if rank == 1]
        return {together, len(set(ranks.first) - set(led))}


def unanimous(rng):
    """Return rankings that nearly agree, so that most is decided."""
    n, m = int(rng.integers(3, 5)), int(rng.integers(8, 13))
    items = "ABCDEF"[:n]
    ballots = [hostile.Ballot(tuple(range(n)), Fraction(1))] * m
    last = tuple(int(k) for k in rng.permutation(n))
    order = [items[last.index(k)] for k in range(n)]
    data = ra.Profile.from_orders([items, "".join(order)], counts=[m, 1], items=items)
    return hostile.Plain(data, items, (*ballots, hostile.Ballot(last, Fraction(1))))


PAGE = {
    "level": lambda p: 100 * (1 - ALPHA),
    "alpha": lambda p: ALPHA,
    "items": lambda p: p.plain.n,
    "systems": lambda p: p.plain.n,
    "tasks": lambda p: len(p.plain.ballots),
    "rankings": lambda p: len(p.plain.ballots),
    "comparisons": lambda p: len(p.plain.ballots),
    "clusters": Page.units,
    "units": lambda p: len(p.plain.ballots),
    "independent units": Page.units,
    "units that are enough": Page.enough,
    "share of cells missing": lambda p: (Fraction(p.gaps(), p.cells()), p.cells()),
    "cells missing": lambda p: (p.gaps(), p.cells()),
    "cells there": lambda p: (p.cells() - p.gaps(), p.cells()),
    "cells": Page.cells,
    "share of ties": lambda p: (
        Fraction(sum(b.places.count(0) == 2 for b in p.plain.ballots), len(p.plain.ballots)),
        len(p.plain.ballots),
    ),
    "pairs decided": lambda p: (p.decided(), p.pairs),
    "pairs": lambda p: p.pairs,
    "ranks determined": lambda p: (
        sum(b == w for b, w in zip(p.ranks.best, p.ranks.worst, strict=True)),
        p.plain.n,
    ),
    "others that may be first": Page.may_be_first,
    "pairs with a majority": lambda p: (p.beaten(), p.pairs),
    "pairs without a majority": lambda p: p.pairs - p.beaten(),
    "majorities against the consensus": Page.against,
    "cost": lambda p: by_votes(p.least, p.policy),
    "optima": lambda p: len(p.orders),
    "other optima": lambda p: len(p.orders) - 1,
    "pairs on which optima differ": lambda p: (p.apart(), p.pairs),
    "rankings that overturn": Page.overturning,
    "units that may go": lambda p: len(p.plain.ballots),
    "units removed": lambda p: (p.removed(), len(p.plain.ballots)),
    "units left out one by one": lambda p: len(p.left().rows),
    "units that change an order": lambda p: (p.left().changed(), len(p.left().rows)),
    "units that change the first": Page.others_first,
    "consensuses with several optima": lambda p: (p.left().several(), 1 + len(p.left().rows)),
    "exact consensuses": lambda p: 1 + len(p.left().rows),
}
# What few tables bring about.
RARE = {
    "names not listed": lambda p: (1, 4),
    "mean ranks left open": lambda p: (
        float(np.mean([w - b + 1 for b, w in zip(p.ranks.best, p.ranks.worst, strict=True)])),
        p.plain.n,
    ),
    "pairs never compared": Page.never,
    "effective units": lambda p: float(p.ranks.notes[-1].numbers[0].number),
}


def pages(seeds):
    held = Instrument(PAGE | RARE)
    for seed in seeds:
        case = Page(seed)
        held.hold([line for line in case.lines() if getattr(line, "numbers", ())], case)
    held.require(but=RARE)


def test_the_numbers_of_a_page_are_those_of_their_definitions():
    pages(range(40))


@pytest.mark.slow
def test_the_numbers_of_many_pages_are_those_of_their_definitions():
    pages(range(1000, 1600))
