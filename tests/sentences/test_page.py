"""The text of the page except tables: sentences, captions, gates and the content of figures."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.report import chapters_result
from rankagg.report.chapters_data import certainty, missing_data, what_was_read, without_tasks
from rankagg.report.chapters_result import majorities, methods, neighbors, proof
from rankagg.report.findings import Findings
from rankagg.report.first_screen import first_screen
from rankagg.report.page import _read_gates, kind_of
from tests import oracles
from tests.analysis.removal.removal_oracle import radii, single_ballots, whole_tasks
from tests.sentences import definitions as true
from tests.sentences import hostile
from tests.sentences.consensus import POLICIES, Left, differing
from tests.sentences.figures import (
    TABLES,
    chart_of_ranks,
    closest_pair,
    is_per_cent,
    map_of_pairs,
    ranking,
    ratings,
    tables,
)
from tests.sentences.instrument import Instrument, by_votes

ALPHA = Fraction(1, 5)
# What a certificate says of itself, and what is no number of the data.
UNHELD = ("Certificate", "Seconds", "A tied vote costs", "A tied battle costs")


class Page:
    """What a page says of one data set."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.policy, kind = POLICIES[seed % 3], None
        if seed % 10 in (5, 7):
            self.plain, self.policy = hostile.lists(rng), "last"
            kind = "lists" if seed % 10 == 5 else "election"
        elif seed % 5 == 4:
            self.plain = hostile.comparisons(rng)
        elif seed % 10 == 6:
            self.plain = bare_votes(rng, self.policy)
        elif seed % 10 == 3:
            self.plain = unanimous(rng)
        elif seed % 50 == 1:
            self.plain = hostile.condorcet_winner_behind()
        else:
            self.plain = hostile.either(rng, seed)
        if not isinstance(self.plain.data, ra.Comparisons | ra.PairwiseMatrix):
            self.plain = hostile.by_policy(self.plain, self.policy)
        self.data = self.plain.data
        self.is_compared = isinstance(self.data, ra.Comparisons)
        self.findings = Findings.of(
            kind_of(self.data, kind), None, tolerance=0.0, unit=None,
            alpha=float(ALPHA), time_limit=None, optima=True, rng=0,
        )  # fmt: skip
        self.ranks = self.findings.ranks
        # Comparisons have no policy: nothing is assumed of items that did not meet.
        self.policy = self.findings.exact.pairwise.unranked
        self.wins, self.ties = true.votes(
            self.plain, "ignore" if self.is_compared else self.policy or "ignore"
        )
        self.least, self.orders = true.optima(self.plain, self.wins)
        self.pairs = len(self.plain.pairs)

    def lines(self):
        """Yield every sentence of the page, but for what certificates state about themselves."""
        screen = first_screen(self.findings)
        yield from (screen.result, screen.certainty, *screen.caption)
        yield from (number for number, _ in screen.numbers)
        sections = [proof, missing_data, methods]
        if self.plain.n > 1:
            sections += [neighbors, majorities, without_tasks]
            sections += [certainty] * self.findings.kind.infers
        found = [of(self.findings) for of in sections]
        found += self.findings.kind.opening(self.findings) if self.plain.n > 1 else []
        for section in (*found, what_was_read(self.findings, [])):
            yield section.finding
            for part in section.parts:
                yield from sentences(part)
        yield from (str(verdict) for verdict, _ in self.gates())

    def gates(self):
        """Return what each gate says, and whether it holds by the definitions."""
        names, lead = self.plain.items, self.findings.lead
        # Orders that the page may have: all optima, or the one by ratings or by the count.
        orders = self.orders if lead is self.findings.exact else [lead.ranking.ranks.tolist()]
        first = {i for order in orders for i, rank in enumerate(order) if rank == 0}
        above = {
            (i, j)
            for i, j in permutations(range(self.plain.n), 2)
            if all(order[i] < order[j] for order in orders)
        }
        truth = {"proved": True, "unique": len(self.orders) == 1}
        truth |= {f"first={names[i]}": first == {i} for i in range(self.plain.n)}
        for i, j in permutations(range(self.plain.n), 2):
            truth[f"above={names[i]},{names[j]}"] = (i, j) in above
            truth[f"decided={names[i]},{names[j]}"] = (
                self.ranks is not None and self.ranks.decisions.above[i, j]
            )
        may = () if self.ranks is None else self.ranks.first
        truth["first-decided"] = len(may) == 1 and first == {names.index(may[0])}
        gates = _read_gates(truth, self.findings.exact.items)
        return [(gate.judge(self.findings), truth[gate.condition]) for gate in gates]

    # -- definitions --------------------------------------------------------------------------

    def units(self):
        clusters = {b.task for b in self.plain.ballots} - {None}
        return len(clusters) if self.is_compared and clusters else len(self.plain.ballots)

    def decided(self):
        return int(self.ranks.decisions.above.sum())

    def aside(self, sign):
        def points(name):
            at = self.plain.items.index(name)
            return [
                true.points(b, at, self.plain.n, self.policy)
                if b.places[at] is not None or self.policy == "last"
                else None
                for b in self.plain.ballots
            ]

        return true.aside_of_mean(self.ranks, sign, points)

    def votes_on_pairs(self):
        """Return the votes of those rankings that have both items of a pair, over all pairs."""
        weights = (b.weight for b in self.plain.ballots for i, j in self.plain.pairs if b.has(i, j))
        return by_votes(sum(weights), None)

    def majority(self, turned):
        """Return the votes for, or against, each majority."""
        found = [(i, j) if self.lead(i, j) > 0 else (j, i) for i, j in self.plain.pairs]
        found = [(i, j) for i, j in found if self.lead(i, j) > 1e-9]
        return by_votes(
            {self.wins[j][i] if turned else self.wins[i][j] for i, j in found}, self.policy
        )

    def drawn(self):
        """Return the items of figures, in the order of the page."""
        return sorted(range(self.plain.n), key=lambda k: self.findings.lead.ranking.ranks[k])

    def place(self, k):
        """Return the place of an item: one more than there are above it."""
        ranks = self.findings.lead.ranking.ranks
        return 1 + sum(ranks[j] < ranks[k] for j in range(self.plain.n))

    def share(self, i, j):
        """Return the share of votes for the first of two items; None where nobody compared them."""
        if not any(b.has(i, j) for b in self.plain.ballots):
            return None
        wins, both = self.wins[i][j], self.wins[i][j] + self.wins[j][i] + self.ties[i][j]
        return (wins + self.ties[i][j] / 2) / both

    def majorities_against_the_order(self):
        order, ranks = self.drawn()[: chapters_result.MOST_IN_MAP], self.findings.lead.ranking.ranks
        return sum(self.lead(j, i) > 1e-9 for i in order for j in order if ranks[i] < ranks[j])

    def ranks_by_each(self, k):
        """Return the ranks of an item by each rule, from 0; unranked ones are last."""
        ranks = [int(c.ranking.ranks[k]) for c in self.findings.comparison.consensuses]
        return [self.plain.n if rank < 0 else rank for rank in ranks]

    def moves(self):
        """Return how many places the lines in color move as they are drawn."""
        each = [line.heights for line in chapters_result._flow_chart(self.findings).lines]
        rows = [(max(heights) - min(heights)) / chapters_result.ROW for heights in each]
        moved = sorted(map(round, rows), reverse=True)
        return [number for number in moved[: chapters_result.COLORED] if number]

    def otherwise(self):
        """Return for each other rule how many pairs it orders otherwise than the leading one."""
        lead, *others = (
            tuple(None if rank < 0 else int(rank) for rank in c.ranking.ranks)
            for c in (self.findings.lead, *self.findings.comparison.consensuses)
        )
        return [len(differing(lead, other, self.plain.n)) for other in others]

    def beaten(self):
        """Return how many pairs have a majority; without a ranking of both there is none."""
        return sum(abs(self.lead(i, j)) > 1e-9 for i, j in self.plain.pairs)

    def lead(self, i, j):
        is_compared = any(b.has(i, j) for b in self.plain.ballots)
        return (self.wins[i][j] - self.wins[j][i]) * is_compared

    def against(self):
        ranks = self.findings.lead.ranking.ranks
        return sum(self.lead(i, j) * int(ranks[i] - ranks[j]) > 1e-9 for i, j in self.plain.pairs)

    def apart(self):
        """Return on how many pairs optima differ."""
        return sum(
            len({order[i] < order[j] for order in self.orders}) > 1 for i, j in self.plain.pairs
        )

    def behind(self):
        """Return how many items are ranked behind one that they beat."""
        ranks = self.findings.lead.ranking.ranks
        return sum(
            self.wins[i][j] < self.wins[j][i] and ranks[i] < ranks[j]
            for i, j in pairwise(self.drawn())
        )

    def rounds(self):
        """Return the votes of each round, and those that count for nobody: all by hand."""
        left, found = set(range(self.plain.n)), []
        while left:
            votes, lost = dict.fromkeys(left, 0), 0
            for ballot in self.plain.ballots:
                named = [(ballot.places[k], k) for k in left if ballot.places[k] is not None]
                if named:
                    votes[min(named)[1]] += 1
                lost += not named
            found.append((votes, lost))
            left -= {max(k for k in left if votes[k] == min(votes.values()))}
        # The round of a single candidate decides nothing.
        return found[:-1] if len(found) > 1 and len(found[-1][0]) == 1 else found

    def winners(self):
        """Return whom some way of breaking ties elects."""
        found, waiting = set(), [frozenset(range(self.plain.n))]
        while waiting:
            left = waiting.pop()
            votes = dict.fromkeys(left, 0)
            for ballot in self.plain.ballots:
                named = [(ballot.places[k], k) for k in left if ballot.places[k] is not None]
                if named:
                    votes[min(named)[1]] += 1
            found |= left if len(left) == 1 else set()
            waiting += [
                left - {k} for k in left if len(left) > 1 and votes[k] == min(votes.values())
            ]
        return found

    def tied(self):
        every = [list(votes.values()) for votes, _ in self.rounds()]
        return {k for k, votes in enumerate(every, 1) if votes.count(min(votes)) > 1}

    def last_margin(self):
        votes = sorted(self.rounds()[-1][0].values())
        return votes[-1] - votes[-2] if len(votes) > 1 else None

    def closest(self):
        first, *others = self.drawn()
        return min(abs(self.lead(first, j)) for j in others)

    def named(self):
        """Return how many items each list names."""
        return [sum(p is not None for p in b.places) for b in self.plain.ballots]

    def lists_with(self, k):
        return sum(b.places[k] is not None for b in self.plain.ballots)

    def overturning(self):
        """Return how few complete rankings, added, make another order cheaper."""
        best = self.orders[0]
        costs = {o: oracles.cost_of_permutation(o, self.wins) for o in true.orders(self.plain)}
        found = []
        for order, cost in costs.items():
            turned = sum((order[i] < order[j]) != (best[i] < best[j]) for i, j in self.plain.pairs)
            if turned:
                found.append((cost - self.least) // turned + 1)
        return min(found)

    def removals(self):
        """Return what was found with the true least number, all units where nothing does it."""
        of = whole_tasks if isinstance(self.data, ra.ScoreTable) else single_ballots
        least = radii(self.data, self.findings.exact.rule, None, of(self.data))
        found = self.findings.removal.level, self.findings.removal.overtaken
        return [
            (one, len(self.plain.ballots) if number is None else number)
            for one, number in zip(found, least, strict=True)
        ]

    def removed(self):
        uppers = {one.upper for one, number in self.removals() if number <= (one.upper or 0)}
        return uppers | {number for one, number in self.removals() if one.is_proved}

    def needed(self):
        return {one.lower for one, number in self.removals() if one.lower <= number}

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
        """Return the numbers of others that may be first: by all places together, and by one."""
        ranks, leader = self.ranks, self.plain.items[self.drawn()[0]]
        together = sum(item != leader for item in ranks.top(1))
        led = [item for item, rank in zip(ranks.items, ranks.rank, strict=True) if rank == 1]
        return {together, len(set(ranks.first) - set(led))}


def sentences(part):
    """Yield what a part of a section says, the captions of what it draws included."""
    found = part.content
    if part.kind in ("flow", "pairs"):
        yield from (found.caption, found.alternative)
    elif part.kind == "table":
        yield found.caption
    elif part.kind == "folded":
        yield from (found[0], found[1].caption)
    elif part.kind == "list":
        yield from found
    elif part.kind == "facts":
        yield from (value for name, value in found if name not in UNHELD)
    else:
        yield found


def bare_votes(rng, policy):
    """Return the votes of rankings alone, counted under a policy or given as they are."""
    plain = hostile.profile(rng)
    counted = hostile.by_policy(plain, policy)
    votes, ballots = counted.data.pairwise(), counted.ballots
    if all(ballot.weight.denominator <= 10 for ballot in plain.ballots) and rng.random() < 0.5:
        votes = plain.data.with_unranked("ignore").pairwise()
        votes = ra.PairwiseMatrix.from_wins(votes.wins, ties=votes.ties, items=plain.items)
        ballots = plain.ballots
    return hostile.Plain(votes, plain.items, ballots)


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
    "units that are enough": lambda p: true.enough(p.ranks.method, p.plain.n, ALPHA),
    "share of cells missing": lambda p: (Fraction(*p.plain.missing), p.plain.cells),
    "cells missing": lambda p: p.plain.missing,
    "cells there": lambda p: (p.plain.cells - p.plain.missing[0], p.plain.cells),
    "cells": lambda p: p.plain.cells,
    "comparisons that may go": lambda p: len(p.plain.ballots),
    "comparisons removed": lambda p: (
        ra.analysis.removal_radius(p.data).n_removed, len(p.plain.ballots)
    ),
    "share of ties": lambda p: (
        Fraction(sum(b.places.count(0) == 2 for b in p.plain.ballots), len(p.plain.ballots)),
        len(p.plain.ballots),
    ),
    "pairs decided": lambda p: (p.decided(), p.pairs),
    "pairs": lambda p: p.pairs,
    "others that may be first": Page.may_be_first,
    "pairs with a majority": lambda p: (p.beaten(), p.pairs),
    "pairs without a majority": lambda p: p.pairs - p.beaten(),
    "majorities against the order of the page": Page.against,
    "cost": lambda p: by_votes(p.least, p.policy),
    "optima": lambda p: len(p.orders),
    "other optima": lambda p: len(p.orders) - 1,
    "pairs on which optima differ": lambda p: (p.apart(), p.pairs),
    "rankings that overturn": Page.overturning,
    "units that may go": lambda p: len(p.plain.ballots),
    "units removed": lambda p: (p.removed(), len(p.plain.ballots)),
    "units left out one by one": lambda p: len(p.left().rows),
    "units that change an order": lambda p: (p.left().changed(), len(p.left().rows)),
    "consensuses with several optima": lambda p: (p.left().several(), 1 + len(p.left().rows)),
    "exact consensuses": lambda p: 1 + len(p.left().rows),
    "units that change the first": Page.others_first,
    "different rankings": lambda p: len({b.places for b in p.plain.ballots}),
    "ties": lambda p: sum(b.places.count(0) == 2 for b in p.plain.ballots),
    "task weight": lambda p: {weight for weight in p.plain.weights if weight != 1},
    "votes on pairs": Page.votes_on_pairs,
    "share of pairs never compared": lambda p: (Fraction(p.plain.never, p.pairs), p.pairs),
    "votes for a majority": lambda p: p.majority(turned=False),
    "votes against a majority": lambda p: p.majority(turned=True),
    "majorities against the order drawn": Page.majorities_against_the_order,
    "items drawn": lambda p: (chapters_result.MOST_LINES, p.plain.n),
    "places moved": lambda p: p.moves()[0],
    "pairs ordered differently": lambda p: set(p.otherwise()),
    "pairs never compared": lambda p: (p.plain.never, p.pairs),
    "items that may be first": lambda p: (len(p.ranks.first), p.plain.n),
    "candidates": lambda p: p.plain.n,
    "neighbors against a majority": Page.behind,
    "rounds": lambda p: len(p.rounds()),
    "rounds with a tie": Page.tied,
    "rounds noted": Page.tied,
    "margin of the last round": Page.last_margin,
    "margin of a pair": Page.closest,
    "share of exhausted ballots": lambda p: (
        Fraction(p.rounds()[-1][1], len(p.plain.ballots)), len(p.plain.ballots),
    ),
    "ballots that name so many": lambda p: set(Counter(p.named()).values()),
    "lists": lambda p: len(p.plain.ballots),
    "items tested": lambda p: p.plain.n,
    "shortest list": lambda p: min(p.named()),
    "longest list": lambda p: max(p.named()),
    "lists that name the first": lambda p: (p.lists_with(p.drawn()[0]), len(p.plain.ballots)),
    "items that only one list names": lambda p: sum(
        p.lists_with(k) == 1 for k in range(p.plain.n)
    ),
    "items that all lists name": lambda p: sum(
        p.lists_with(k) == len(p.plain.ballots) for k in range(p.plain.n)
    ),
}  # fmt: skip
# What few tables bring about.
RARE = {
    "names not listed": lambda p: (1, 4),
    "tasks shared with the first": lambda p: {
        sum(b.has(p.drawn()[0], k) for b in p.plain.ballots) for k in range(p.plain.n)
    },
    "mean ranks left open": lambda p: (
        float(np.mean([w - b + 1 for b, w in zip(p.ranks.best, p.ranks.worst, strict=True)])),
        p.plain.n,
    ),
    "differences above their mean": lambda p: p.aside(1),
    "differences below it": lambda p: p.aside(-1),
    "removals that are proved to be needed": lambda p: (p.needed(), len(p.plain.ballots)),
    "effective units": lambda p: float(p.ranks.notes[-1].numbers[0].number),
}


CONSTANT = (
    "; 1 is best", "a mean of 1,500", "400 points mean odds",
    "Task weights other than 1", "as it is for 2 to 60 of them",
)  # fmt: skip


def pages(seeds, patch):
    held, captions = Instrument(PAGE | RARE), set()
    for seed in seeds:
        # Few items are many, so that there are some that are not drawn, and not in color.
        for name in ("MOST_LINES", "MOST_IN_MAP"):
            patch.setattr(chapters_result, name, (3, 30)[seed % 3 > 0])
        patch.setattr(chapters_result, "COLORED", (1, 2, 6)[seed % 3])
        case = Page(seed)
        # A fit's own notes are bare text: any other number is one without a value.
        ties = int((np.asarray(case.data.outcomes) == 0).sum()) if case.is_compared else 0
        fitted = (f"With {case.units()} clusters the variance", f"Ties ({ties})")
        held.hold(case.lines(), case, skip=(*CONSTANT, *fitted))
        for verdict, truth in case.gates():
            assert verdict.holds == truth, verdict
        map_of_pairs(case)
        ranking(case)
        ratings(case)
        chart_of_ranks(case)
        closest_pair(case)
        captions |= tables(case)
    held.require(but=RARE)
    assert captions == set(TABLES)


@pytest.mark.slow
def test_the_numbers_of_a_page_are_those_of_their_definitions(monkeypatch):
    # The last two bring about tables that the others do not.
    pages([*range(30), 31, 41], monkeypatch)


def test_shares_near_one_half_are_not_printed_as_50():
    for number in range(1001):
        share = Fraction(number, 1000)
        cell = chapters_result._cell(float(share), is_decided=False)
        assert is_per_cent(cell.text, share)


@pytest.mark.slow
def test_the_numbers_of_many_pages_are_those_of_their_definitions(monkeypatch):
    pages([*range(60), *range(1000, 1600)], monkeypatch)
