"""Removals by brute force: every choice of what goes, and the rule on what is left."""

from itertools import product

import numpy as np

import rankagg as ra
from tests import oracles


class Judged:
    """Who is first, and who is above whom, by a rule; Kemeny's by all orders of the items."""

    def __init__(self, data, rule):
        if not isinstance(rule, ra.Kemeny):
            ranks = rule.aggregate(data).ranking.ranks
            ranked = ranks >= 0
            self.first = set(np.flatnonzero(ranks == 0).tolist())
            self.above = ranked[:, None] & ranked & (ranks[:, None] < ranks)
            return
        wins = ra.aggregation.Evidence(data).votes.scaled_wins.tolist()
        n = len(wins)
        best = oracles.kemeny(wins)[1]
        self.first = {order[0] for order in best}
        self.above = np.array(
            [[all(o.index(i) < o.index(j) for o in best) for j in range(n)] for i in range(n)]
        )


def single_ballots(profile):
    """Yield (how many go, what is left) for every choice of copies of rows."""
    for left in product(*(range(count + 1) for count in profile.counts.tolist())):
        kept = np.flatnonzero(left)
        if len(kept):
            counts = np.array(left)[kept]
            part = profile[kept]
            yield (
                int(profile.counts.sum() - counts.sum()),
                part._replace(ranks=part.ranks, counts=counts),
            )


def whole_tasks(data):
    """Yield (how many go, what is left) for every choice of tasks or groups."""
    table = isinstance(data, ra.ScoreTable)
    tasks = list(data.tasks) if table else list(dict.fromkeys(data.groups))
    for kept in product([True, False], repeat=len(tasks)):
        gone = [task for task, stays in zip(tasks, kept, strict=True) if not stays]
        if len(gone) == len(tasks):
            continue
        if table:
            yield len(gone), data.drop(tasks=gone)
        else:
            rows = [row for row, group in enumerate(data.groups) if group not in gone]
            yield len(gone), data[np.array(rows)]


def radii(data, rule, pair, choices):
    """Return the least numbers for level and overtaken; None where nothing does it.

    Where nobody is ranked any longer nobody else is first.
    """
    whole = Judged(data, rule)
    i, j = ra.aggregation.Evidence(data).items.indices(list(pair)) if pair else (0, 0)
    if whole.above[j, i]:
        i, j = j, i
    least = {}
    for gone, part in sorted(choices, key=lambda choice: choice[0]):
        if len(least) == 2:
            break
        left = Judged(part, rule)
        others = left.first - whole.first
        changes = {
            "level": not left.above[i, j] if pair else bool(others),
            "overtaken": left.above[j, i] if pair else others == left.first != set(),
        }
        if not pair and len(whole.first) > 1:
            changes["level"] = True
        for change, is_so in changes.items():
            if is_so:
                least.setdefault(change, gone)
    return least.get("level"), least.get("overtaken")
