"""The references of the rows, computed by another program than the package: slowly, by definition.

Of the package it takes data, random tables and random subsets, so that random results can be held
against it to the last digit. Ranks, means, votes, distances, optima and correlations are its own.
"""

from __future__ import annotations

import json
from itertools import combinations, permutations, product
from math import comb, factorial, isnan, lcm, log

import networkx as nx
import numpy as np
import pandas as pd
from scipy.optimize import LinearConstraint, milp
from scipy.stats import kendalltau, rankdata

import rankagg as ra
from rankagg.studies.confidence import PrintedRadius
from replication.p1 import INSTANCE_TABLES as NINE
from replication.p1 import figure_3, figure_7, name_of
from replication.p2 import IMPUTING
from replication.p2 import INSTANCES_OF as FIVE

BOARDS = ("GLUE", "SuperGLUE", "XTREME")
DIGITS = 10
#: SuperGLUE's diagnostics, and the tasks of XGLUE that are no understanding.
DIAGNOSTICS, GENERATION = ("AX-b", "AX-g"), ("OG", "NTG")
PAIRS = {
    "one level and two levels": ("one level", "two levels"),
    "mean and two levels": ("mean", "two levels"),
    "mean and one level": ("mean", "one level"),
}

# -- ranks, points and rules ----------------------------------------------------------------------


def higher(table):
    """Return scores with higher better, units in columns, and the task of each unit."""
    sign = np.array([1.0 if table.higher_is_better[t] else -1.0 for t in table.tasks])
    return table.values * sign[table.unit_tasks], np.asarray(table.unit_tasks)


def all_places(values):
    """Return mid-ranks from 0 for the best in each column; NaN where there is no score."""
    ranks = np.empty(values.shape)
    for at, row in enumerate(values):
        ranks[at] = (values > row).sum(axis=0) + ((values == row).sum(axis=0) - 1) / 2
    return np.where(np.isnan(values), np.nan, ranks)


def places(column):
    return all_places(column[:, None])[:, 0]


def expected_all(values):
    """Return expected ranks from 0 over all compatible permutations, column by column."""
    ranks, n = all_places(values), len(values)
    k = (~np.isnan(values)).sum(axis=0)
    return np.where(np.isnan(ranks), (n - 1) / 2, (ranks + 1) * (n + 1) / (k + 1) - 1)


def even(scores):
    """Return scores in which what differs by rounding alone is equal."""
    return np.round(scores, DIGITS)


def one_level(values, units):
    return even(-expected_all(values).sum(axis=1))


def two_levels(values, units):
    tasks = [one_level(values[:, units == task], None) for task in np.unique(units)]
    return even(-expected_all(np.column_stack(tasks)).sum(axis=1))


def mean(values, units):
    """Return means of the means of tasks; NaN where a system has no score."""
    with np.errstate(invalid="ignore"):
        there = ~np.isnan(values)
        tasks = []
        for task in np.unique(units):
            mine = units == task
            total = np.where(there, values, 0)[:, mine].sum(axis=1)
            tasks.append(
                total / np.where(there[:, mine].any(axis=1), there[:, mine].sum(axis=1), np.nan)
            )
        tasks = np.column_stack(tasks)
        counts = (~np.isnan(tasks)).sum(axis=1)
        return even(np.nansum(tasks, axis=1) / np.where(counts, counts, np.nan))


RULES = {"mean": mean, "one level": one_level, "two levels": two_levels}


def order_of(scores):
    """Return the order "A > B = C" as groups of positions."""
    return [
        list(np.flatnonzero(scores == value))
        for value in sorted(set(scores[~np.isnan(scores)]), reverse=True)
    ]


def order_text(groups, names):
    return " > ".join(" = ".join(str(names[at]) for at in group) for group in groups)


def tau_b(one, other):
    return kendalltau(one, other).statistic


def before(scores):
    """Return the chance of row before column over the permutations compatible with a ranking."""
    n, there = len(scores), ~np.isnan(scores)
    ranks, k = places(scores), there.sum()
    chance = (np.nan_to_num(ranks) + 1) / (k + 1)
    both = np.where(
        ranks[:, None] < ranks[None], 1.0, np.where(ranks[:, None] > ranks[None], 0.0, 0.5)
    )
    lone = np.where(there[:, None], 1 - chance[:, None], chance[None])
    out = np.where(
        there[:, None] & there[None], both, np.where(there[:, None] ^ there[None], lone, 0.5)
    )
    assert out.shape == (n, n)
    return out


def tau_open(one, other):
    """Return tau-b where systems without a score may have any place."""
    above = np.triu_indices(len(one), 1)
    parts, untied = [], []
    for scores in (one, other):
        parts.append(2 * before(scores)[above] - 1)
        sizes = np.unique(scores[~np.isnan(scores)], return_counts=True)[1]
        untied.append(len(above[0]) - sum(comb(int(size), 2) for size in sizes))
    if not all(untied):
        return np.nan
    return float(
        np.clip((parts[0] * parts[1]).sum() / np.sqrt(float(untied[0]) * untied[1]), -1, 1)
    )


def tops(scores, k):
    """Return every set that may be the first k, each as likely as the others."""
    sure, left = [], k
    for group in order_of(scores):
        if len(group) <= left:
            sure += group
            left -= len(group)
        else:
            return [frozenset([*sure, *some]) for some in combinations(group, left)]
    return [frozenset(sure)]


def same_top(one, other, k):
    a, b = tops(one, k), tops(other, k)
    return len(set(a) & set(b)) / (len(a) * len(b))


# -- P1: the authors' program ---------------------------------------------------------------------


def their_sort(v):
    """Return what numpy 1.19's aquicksort returns."""
    t, stack = list(range(len(v))), [(0, len(v) - 1)]
    while stack:
        pl, pr = stack.pop()
        while pr - pl > 15:
            pm = pl + ((pr - pl) >> 1)
            for a, b in ((pl, pm), (pm, pr), (pl, pm)):
                if v[t[b]] < v[t[a]]:
                    t[a], t[b] = t[b], t[a]
            vp, i, j = v[t[pm]], pl, pr - 1
            t[pm], t[j] = t[j], t[pm]
            while True:
                i += 1
                while v[t[i]] < vp:
                    i += 1
                j -= 1
                while vp < v[t[j]]:
                    j -= 1
                if i >= j:
                    break
                t[i], t[j] = t[j], t[i]
            t[i], t[pr - 1] = t[pr - 1], t[i]
            if i - pl < pr - i:
                stack.append((i + 1, pr))
                pr = i - 1
            else:
                stack.append((pl, i - 1))
                pl = i + 1
        for i in range(pl + 1, pr + 1):
            vi, j = t[i], i
            while j > pl and v[vi] < v[t[j - 1]]:
                t[j] = t[j - 1]
                j -= 1
            t[j] = vi
    return np.array(t)


def their_ranks(v):
    return their_sort(their_sort(v))


def their_sum(values):
    return sum(their_ranks(column) for column in values.T)


def crossings(one, other):
    a, b = (np.sign(x[:, None] - x[None]) for x in (one, other))
    return float((a * b < 0).sum() / 2)


def their_boards(data):
    for board in BOARDS:
        values = data[board].values
        if board == "XTREME":
            values = np.column_stack([data["XTREME Score"].values, values[:, :3]])
        names = [name_of(board, system) for system in data[board].systems]
        yield board, values, names


def p1_authors(data):
    found = {}
    for board, values, names in their_boards(data):
        by_mean = np.argsort(-values.mean(axis=1), kind="stable")
        rows = values[by_mean]
        sums, means = their_sum(rows), rows.mean(axis=1)
        best, best_mean = their_sort(sums)[::-1], their_sort(means)[::-1]
        for item in ["Table 6"] + ["Table 3"] * (board != "SuperGLUE"):
            for place, at in enumerate(best[:10], 1):
                found[item, f"Borda points, {board}, place {place}"] = float(sums[at])
                found[item, f"system, {board}, place {place}"] = names[by_mean[at]]
            for rank, at in enumerate(by_mean):
                found[item, f"rank by the mean from 0, {board}, {names[at]}"] = float(rank)
                found[item, f"mean, {board}, place {rank + 1} by the mean"] = float(means[rank])
        for k in (1, 3, 5, 10):
            top = len(set(best[:k]) & set(best_mean[:k])) / k
            found["Table 2", f"common share of the top {k}, {board}"] = top
            last = len(set(best[::-1][:k]) & set(best_mean[::-1][:k])) / k
            found["Table 2", f"common share of the last {k}, {board}"] = last
        if board != "XTREME":
            scored = data[f"{board} with Score"].values[by_mean]
            pair = [np.argsort(their_ranks(x)) for x in (their_sum(scored), scored.mean(axis=1))]
            found["Table 2", f"tau, {board}"] = tau_b(*pair)
        for rule, scores in (("Borda", their_sum(values)), ("mean", values.mean(axis=1))):
            consensus = np.argsort(their_ranks(scores))
            found["Table 7", f"{rule}, {board}"] = np.mean(
                [crossings(consensus, np.argsort(their_ranks(task))) for task in values.T]
            )
    printed = {"RSUM": "SEVAL", "SEVAL": "TAC08", "TAC08": "RSUM"}
    for name in NINE:
        table = data[NINE[printed.get(name, name)]]
        cube = [table.values[:, table.unit_tasks == task].T for task in range(table.n_tasks)]
        sums = [their_sum(task) for task in cube]
        scores = {
            "one": sum(sums),
            "two": their_sum(np.column_stack(sums)),
            "mean": sum(task.mean(axis=1) for task in cube) / len(cube),
        }
        inverse = {rule: np.argsort(their_ranks(score)) for rule, score in scores.items()}
        taus = [
            tau_b(inverse[a], inverse[b])
            for a, b in (("mean", "two"), ("one", "two"), ("mean", "one"))
        ]
        for pair, tau in zip(PAIRS, taus[::-1] if name == "PC" else taus, strict=True):
            found["Figure 6", f"tau of {pair}, {name}"] = tau
    return found


# -- P1: by the paper's words ---------------------------------------------------------------------


def p1_boards_by_words(data):
    found = {}
    for board in BOARDS:
        table = data[board]
        values, units = higher(table)
        means, points = mean(values, units), one_level(values, units)
        by_mean = np.argsort(-means, kind="stable")
        for item in ["Table 6"] + ["Table 3"] * (board != "SuperGLUE"):
            for rank, at in enumerate(by_mean):
                name = name_of(board, table.systems[int(at)])
                found[item, f"rank by the mean from 0, {board}, {name}"] = float(rank)
                found[item, f"mean, {board}, place {rank + 1} by the mean"] = values.mean(axis=1)[
                    at
                ]
        found["Table 2", f"tau, {board}"] = tau_b(means, points)
        if board == "XTREME":
            share = common_share(means, points, 3)
            found["Table 2", f"common share of the top 3, {board}, ties broken at random"] = share
        votes = wins(values)
        borda = cost_of(points, votes)
        least = {"GLUE": 7248, "SuperGLUE": 539, "XTREME": 41}[board]
        found["Section 3.2", f"cost of Borda over the least, {board}"] = borda / least
        found["Section 3.2", f"Borda costs at most 5 times the least, {board}"] = "yes"
        found["Table 7", f"the least total is proved, {board}"] = "yes"
        found["Beyond: exact consensus", f"cost of Borda over the least, {board}"] = borda / least
        found["Beyond: exact consensus", f"it is proved, {board}"] = "yes"
        found["Beyond: exact consensus", f"pairs of systems, {board}"] = float(comb(len(points), 2))
        n_tasks = values.shape[1]
        found["Figure 8", f"sizes of subsets, {board}"] = float(n_tasks - 1)
        total = sum(crossings(a, b) for a, b in product(-expected_all(values).T, repeat=2))
        average = total / n_tasks / (n_tasks - 1)
        found["Equation (3)", f"sum over ordered pairs of tasks, {board}"] = total
        found["Equation (3)", f"the same pair by pair, {board}"] = total
        found["Equation (3)", f"mean distance of two tasks, {board}"] = average
        found["Remark 2", f"least mean distance over that of two tasks, {board}"] = (
            least / n_tasks / average
        )
        found["Remark 2", f"it is from 1/2 to 1, {board}"] = "yes"
        found["Remark 2", f"the least total is at least, {board}"] = n_tasks * average / 2
        if board != "GLUE":
            _, first, _, relation, number = optima(votes)
            undecided = sum(
                not (relation[i, j] or relation[j, i])
                for i, j in combinations(range(len(points)), 2)
            )
            found |= {
                ("Beyond: exact consensus", f"{what}, {board}"): value
                for what, value in (
                    ("systems first in an optimum", float(first.sum())),
                    ("pairs on which optima differ", float(undecided)),
                    ("optima", float(number)),
                    ("it is the only optimum", "yes" if number == 1 else "no"),
                )
            }
    return found


def wins(values, policy="uniform"):
    """Return how many rankings have row before column, ties 0, what is missing by a policy."""
    total = np.zeros((len(values), len(values)))
    for column in values.T:
        there = ~np.isnan(column)
        both = there[:, None] & there[None]
        above = before(column)
        if policy != "uniform":
            above = np.where(both, above, there[:, None] & (policy == "last") & ~there[None])
        total += np.where(both & (column[:, None] == column[None]), 0, above)
    np.fill_diagonal(total, 0)
    return total


def cost_of(scores, votes):
    """Return the votes against a ranking; half of those on a pair that it ties."""
    total = 0.0
    for i, j in combinations(range(len(scores)), 2):
        if scores[i] == scores[j]:
            total += (votes[i, j] + votes[j, i]) / 2
        else:
            total += votes[j, i] if scores[i] > scores[j] else votes[i, j]
    return total


def optima(votes):
    """Return the cost, who may be first, worst ranks, pairs all optima order, their number."""
    n = len(votes)
    whole = (1 << n) - 1
    unit = np.rint(votes * SCALE).astype(np.int64)
    half = n // 2
    low = (np.arange(1 << half)[:, None] >> np.arange(half)) & 1
    high = (np.arange(1 << (n - half))[:, None] >> np.arange(n - half)) & 1
    # The votes against placing j right after those of a set: for j before one of them.
    ahead = [(low @ unit[j, :half], high @ unit[j, half:]) for j in range(n)]
    sets = np.arange(1 << n, dtype=np.int64)
    layer = np.zeros(1 << n, dtype=np.int8)
    for j in range(n):
        layer += ((sets >> j) & 1).astype(np.int8)
    by_layer = np.split(np.argsort(layer, kind="stable"), np.cumsum([comb(n, k) for k in range(n)]))
    big = np.iinfo(np.int64).max // 4

    def against(j, some):
        return ahead[j][0][some & ((1 << half) - 1)] + ahead[j][1][some >> half]

    forward, ways = np.full(1 << n, big), np.zeros(1 << n)
    forward[0], ways[0] = 0, 1
    for some in by_layer[1:]:
        steps = []
        for j in range(n):
            has = ((some >> j) & 1).astype(bool)
            rest = some & ~(1 << j)
            steps.append((np.where(has, forward[rest] + against(j, rest), big), has, rest))
        forward[some] = np.min([step[0] for step in steps], axis=0)
        ways[some] = sum(
            np.where(step[0] == forward[some], ways[step[2]] * step[1], 0) for step in steps
        )
    backward = np.full(1 << n, big)
    backward[whole] = 0
    possible = np.zeros((n, n), dtype=bool)
    first, worst = np.zeros(n, dtype=bool), np.ones(n, dtype=int)
    for some in by_layer[-2::-1]:
        for j in range(n):
            free = some[((some >> j) & 1) == 0]
            after = free | (1 << j)
            cost = against(j, free) + backward[after]
            backward[free] = np.minimum(backward[free], cost)
    for size, some in enumerate(by_layer[:-1], 1):
        good = some[forward[some] + backward[some] == forward[whole]]
        for j in range(n):
            free = good[((good >> j) & 1) == 0]
            hit = free[
                forward[free] + against(j, free) + backward[free | (1 << j)] == forward[whole]
            ]
            if len(hit):
                before_j = np.bitwise_or.reduce(hit)
                possible[:, j] |= ((before_j >> np.arange(n)) & 1).astype(bool)
                first[j] |= bool((hit == 0).any())
                worst[j] = size
    relation = possible & ~possible.T
    return forward[whole] / SCALE, first, worst, relation, int(ways[whole])


#: A multiple of all denominators of votes by compatible permutations of up to 15 items.
SCALE = 720720


def optimal_cost(votes, extra=(), at_least=None):
    """Return the least votes against an order with some before others, and it, by MILP."""
    n = len(votes)
    at = {pair: k for k, pair in enumerate(combinations(range(n), 2))}
    price = np.array([votes[j, i] - votes[i, j] for i, j in at])
    base = sum(votes[i, j] for i, j in at)
    rows, low, high = [], [], []

    def demand(signs, least, most):
        rows.append(np.zeros(len(at)))
        rows[-1][[at[tuple(sorted(pair))] for pair in signs]] = list(signs.values())
        low.append(least)
        high.append(most)

    for i, j, k in combinations(range(n), 3):
        demand({(i, j): 1, (j, k): 1, (i, k): -1}, 0, 1)
    for i, j in extra:
        demand({(i, j): 1}, float(i < j), float(i < j))
    if at_least is not None:
        item, number = at_least
        others = set(range(n)) - {item}
        demand({(item, other): 1 if other < item else -1 for other in others},
               number - (n - 1 - item), n)  # fmt: skip
    answer = milp(
        price,
        constraints=LinearConstraint(np.array(rows), low, high),
        integrality=np.ones(len(at)),
        bounds=(0, 1),
    )
    assert answer.success
    return base + answer.fun, {pair: round(answer.x[k]) for pair, k in at.items()}


def p1_instances(data):
    found = {}
    taus, curves = {}, {}
    together = {"winners": 0, "tops": 0}
    total = 0
    for name, file in NINE.items():
        table = data[file]
        values, units = higher(table)
        n, n_tasks = table.n_systems, table.n_tasks
        n_instances = len(units) // n_tasks
        total += values.size
        sizes = {
            "metrics": n_tasks,
            "systems": n,
            "instances": n_instances,
            "systems x instances": n * n_instances,
        }
        found |= {("Table 5", f"{what}, {name}"): float(size) for what, size in sizes.items()}
        scores = {rule: function(values, units) for rule, function in RULES.items()}
        shift = {"one level": len(units) * n, "two levels": n_tasks * n, "mean": 0}
        firsts, orders = [], set()
        for rule, score in scores.items():
            groups = order_of(score)
            order = order_text(groups[:3], table.systems)
            found["Section 5.3", f"first three, {rule}, {name}"] = order
            for place, one in enumerate(np.sort(score)[::-1][:3], 1):
                found["Section 5.3", f"score, {rule}, {name}, place {place}"] = one + shift[rule]
            firsts.append(set(groups[0]))
            orders.add(order)
        together["winners"] += not any(a & b for a, b in combinations(firsts, 2))
        together["tops"] += len(orders) == 1
        for pair, (one, other) in PAIRS.items():
            a, b = scores[one], scores[other]
            taus[pair, name] = found["Figure 6", f"tau of {pair}, {name}"] = tau_b(a, b)
            for k in range(1, n + 1):
                curves[pair, name, k] = common_share(a, b, k), tau_of_first(a, b, k), n
            where = f"common share of the first 3, {pair}, {name}"
            found["Figure 11", where] = curves[pair, name, 3][0]
            k = min(10, n)
            tau = curves[pair, name, k][1]
            found["Figure 10", f"tau of {pair} among the common of the first {k}, {name}"] = (
                "undefined" if isnan(tau) else tau
            )
    found["Table 5", "total of the sizes"] = float(total)
    found["Section 5.3", "data sets with three different winners"] = float(together["winners"])
    found["Section 5.3", "data sets with one order of the first three"] = float(together["tops"])
    means = {}
    for pair in PAIRS:
        rows = [row for _, row in means_by_k(curves, pair)]
        means[pair] = [average(numbers) for numbers in zip(*rows, strict=True)]
        whole = np.mean([tau for (which, _), tau in taus.items() if which == pair])
        found["Figure 4", f"common share of the first k, {pair}"] = means[pair][0]
        found["Figure 4", f"tau among common first systems, {pair}"] = means[pair][1]
        found["Figure 4", f"tau of all systems, {pair}"] = whole
    found["Figure 4", "pair with the most common first systems"] = max(
        means, key=lambda pair: means[pair][0]
    )
    closest = max(PAIRS, key=lambda pair: found["Figure 4", f"tau of all systems, {pair}"])
    found["Figure 4", "procedure that disagrees with the other two"] = next(
        rule for rule in RULES if rule not in PAIRS[closest]
    )
    return found


def common_share(one, other, k):
    """Return the expected share that the first k have in common, ties broken at random."""
    a, b = tops(one, k), tops(other, k)
    if len(a) * len(b) >= 5000:
        return np.nan
    return float(np.mean([len(x & y) for x in a for y in b])) / min(k, len(one))


def tau_of_first(one, other, k):
    """Return tau-b among the systems that both have at places 1 to k."""
    common = sorted(surely(one, k) & surely(other, k))
    return tau_b(one[common], other[common]) if len(common) > 1 else np.nan


def average(numbers):
    """Return the mean of the numbers that are defined; NaN where none is."""
    known = [number for number in numbers if not isnan(number)]
    return float(np.mean(known)) if known else np.nan


def means_by_k(curves, pair, of=average):
    """Return for each k what the data sets with more systems say together: share, and tau."""
    by_k = {}
    for (which, _, k), (share, tau, n) in curves.items():
        if which == pair and k < n:
            by_k.setdefault(k, []).append((share, tau))
    return [
        (k, [of(numbers) for numbers in zip(*pairs, strict=True)])
        for k, pairs in sorted(by_k.items())
        if len(pairs) > 1
    ]


def surely(scores, k):
    """Return the systems at places 1 to k, ties at the last of them included."""
    return set().union(
        *(group for group in order_of(scores) if (scores > scores[group[0]]).sum() < k)
    )


def on_subsets(table, rules, study):
    """Return by rule and size its scores of all tasks, with those of some tasks."""
    values, units = higher(table)
    whole = {rule: RULES[rule](values, units) for rule in rules}
    curves = {rule: {} for rule in rules}
    per_task = [values[:, units == task] for task in range(table.n_tasks)]
    parts = {
        "mean": np.column_stack([part.mean(axis=1) for part in per_task]),
        "one level": np.column_stack([expected_all(part).sum(axis=1) for part in per_task]),
    }
    parts["two levels"] = expected_all(-even(parts["one level"]))
    for cell in study.cells():
        tasks = cell.tasks(table.n_tasks, study.rng)
        for rule in rules:
            some = parts[rule][:, tasks]
            scores = even(some.mean(axis=1) if rule == "mean" else -some.sum(axis=1))
            curves[rule].setdefault(cell.size, []).append((whole[rule], scores))
    return curves


def subset_claims(table, rules, study):
    """Return by size how near rules on some tasks are to themselves on all: means and spreads."""
    curves = on_subsets(table, rules, study)
    tables = {
        rule: np.array([[tau_b(*pair) for pair in pairs] for pairs in by_size.values()])
        for rule, by_size in curves.items()
    }
    means = {rule: np.nanmean(taus, axis=1) for rule, taus in tables.items()}
    spreads = {rule: np.nanstd(taus, axis=1, ddof=1) for rule, taus in tables.items()}
    return means, spreads, list(curves["mean"])


def claim(lead, word):
    holds = int((lead > 1e-9).sum())
    return word if holds == len(lead) else f"{word} at {holds} of {len(lead)} sizes"


def p1_subsets(data, n_repetitions=100):
    found = {}
    for board in BOARDS:
        table = data[board]
        study = ra.studies.TaskSubsetStudy(data=table, n_repetitions=n_repetitions, rng=0)
        means, _, sizes = subset_claims(table, ("mean", "one level"), study)
        lead = means["one level"] - means["mean"]
        if board != "SuperGLUE":
            found["Figure 5", f"correlation of Borda against the mean's, {board}"] = claim(
                lead, "higher"
            )
            share = sizes[int(lead.argmax())] / table.n_tasks
            share_text = "25% to 75%" if 0.25 <= share <= 0.75 else f"{share:.0%}"
            found["Figure 5", f"where Borda leads most, {board}"] = f"{share_text} of tasks"
        ahead, behind = int((lead > 1e-9).sum()), int((lead < -1e-9).sum())
        nearer = "Borda" if ahead > behind else "mean" if behind > ahead else "neither"
        found["Figure 8", f"nearer to itself at more sizes, {board}"] = nearer
        found["Figure 8", f"sizes of subsets at which Borda is nearer, {board}"] = float(ahead)
    for name, file in NINE.items():
        table = data[file]
        study = ra.studies.TaskSubsetStudy(data=table, n_repetitions=n_repetitions, rng=0)
        means, spreads, _ = subset_claims(table, ("mean", "one level", "two levels"), study)
        for rule in ("one level", "two levels"):
            higher_mean = claim(means[rule] - means["mean"], "higher")
            found["Figure 9", f"correlation of {rule} against the mean's, {name}"] = higher_mean
            lower = claim(spreads["mean"] - spreads[rule], "lower")
            found["Figure 9", f"spread of {rule} against the mean's, {name}"] = lower
    return found


def p1_drawn(data=None, n_repetitions=100):
    """Return what follows from the random tables of sections 4.2 and 4.3."""
    found, curves = {}, {}
    study = figure_3(n_repetitions=n_repetitions)
    for cell in study.cells():
        for rule, error in cell_errors(study, cell).items():
            curve = curves.setdefault((cell.model.step, rule), {})
            curve.setdefault(cell.n_corrupted, []).append(error)
    means = {key: np.array([np.mean(one) for one in by.values()]) for key, by in curves.items()}
    for step in (0.05, 0.1, 0.3):
        inner = np.array([means[step, rule][1:-1] for rule in RULES])
        times = int((inner[-1] < inner.min(axis=0) + 1e-9).sum())
        always = "always" if times == inner.shape[1] else f"for {times} of {inner.shape[1]}"
        found["Figure 3", f"two levels err least, phi = {step:g}"] = always
        for rule in RULES:
            least = int(np.flatnonzero(means[step, rule] > 0.75)[0])
            where = f"corrupted tasks for an error above .75, {rule}, phi = {step:g}"
            found["Section 4.2", where] = float(least)
    where = "error of the mean with 2 corrupted tasks, phi = 0.1"
    found["Section 4.2", where] = means[0.1, "mean"][2]
    study = figure_7(n_repetitions=n_repetitions)
    curves = {}
    for cell in study.cells():
        errors = cell_errors(study, cell)
        for rule in ("mean", "one level"):
            turned = cell.corruption.after is not None
            key = turned, cell.model.step, cell.corruption.factor, rule
            curves.setdefault(key, []).append(errors[rule])
    means = {key: float(np.mean(errors)) for key, errors in curves.items()}
    largest = max(error for key, error in means.items() if not key[0] and key[-1] == "mean")
    found["Figure 7", "largest error of the mean, rescaled"] = largest
    same = {key[:2]: set() for key in means}
    for key, error in means.items():
        if key[-1] == "one level":
            same[key[:2]].add(error)
    depends = any(len(errors) > 1 for errors in same.values())
    found["Figure 7", "error of one level depends on the factor"] = "yes" if depends else "no"
    for step, factor in ((0.05, 2.0), (0.3, 6.0), (0.3, 7.0)):
        for turned, how in ((False, "rescaled"), (True, "rescaled and reversed")):
            where = f"phi = {step:g}, factor {factor:g}"
            error = means[turned, step, factor, "mean"]
            found["Figure 7", f"error of the mean, {how}, {where}"] = error
            if factor != 6:
                is_above = "yes" if error > 0.9 else "no"
                found["Section 4.3", f"error of the mean above .9, {how}, {where}"] = is_above
    return found


def corrupted(study, cell):
    """Return the scores of a corrupted table, their tasks, and the height of each true place."""
    table = cell.model.sample(rng=cell.shared(study.rng, "data"))
    values, units = table.values.copy(), table.unit_tasks
    order = cell.shared(study.rng, "systems").permutation(len(values))
    values, truth = values[order], np.array([table.systems[k] + 1 for k in order])
    tasks = cell.shared(study.rng, "tasks").permutation(table.n_tasks)[: cell.n_corrupted]
    noise = cell.shared(study.rng, "corruption")
    scaled = hasattr(cell.corruption, "factor")
    for task in tasks:
        scores = values[:, units == task]
        if not scaled or cell.corruption.after is not None:
            scores = noise.gumbel(size=scores.shape) - truth[:, None]
        values[:, units == task] = scores * (cell.corruption.factor if scaled else 1)
    return values, units, truth


def cell_scores(values, units):
    """Return what the paper's rules make of scores that are all different."""
    ranks = np.argsort(np.argsort(-values, axis=0), axis=0)  # no two scores are equal
    tasks = [ranks[:, units == task].sum(axis=1) for task in np.unique(units)]
    return {
        "mean": even(values.mean(axis=1)),
        "one level": -ranks.sum(axis=1),
        "two levels": -sum(rankdata(task) for task in tasks),
    }


def error_of(one, truth):
    """Return the normalized distance: 1 for a pair the wrong way round, a half for a tied one."""
    above = np.triu_indices(len(truth), 1)
    signs = (np.sign(s[:, None] - s[None])[above] for s in (one, truth))
    return float((1 - np.prod(list(signs), axis=0)).sum() / 2 / comb(len(truth), 2))


def cell_errors(study, cell):
    """Return the normalized distances to the true order of the paper's rules on a table."""
    values, units, truth = corrupted(study, cell)
    return {rule: error_of(one, truth) for rule, one in cell_scores(values, units).items()}


# -- P2 -------------------------------------------------------------------------------------------


def removed(study, cell):
    """Return what the study's cell draws: the full scores, and what is left of them."""
    table = cell.model.sample(rng=cell.generator(study.rng, "data"))
    left = cell.removal.remove(
        study._scaled(table, cell),
        cell.proportion,
        whole_tasks=study.whole_tasks,
        rng=cell.generator(study.rng, "missing"),
    )
    # The nearest whole number of what systems scored on tasks.
    there, kept = n_entries(table), n_entries(left)
    assert there - kept == int(cell.proportion * there + 0.5)
    return table, left


def n_entries(table):
    """Return on how many tasks systems have a score, all together."""
    there = ~np.isnan(table.values)
    return sum(
        int(there[:, table.unit_tasks == task].any(axis=1).sum()) for task in range(table.n_tasks)
    )


def missing_scores(study, rules):
    """Return a frame: a row for each table, its taus with the full data and between the rules."""
    full, rows = {}, []
    for cell in study.cells():
        table, left = removed(study, cell)
        if cell.model.identity not in full or not cell.model.is_fixed:
            full[cell.model.identity] = {rule: RULES[rule](*higher(table)) for rule in rules}
        found = {rule: RULES[rule](*higher(left)) for rule in rules}
        row = {"model": cell.model.name, "scale": cell.scale, "proportion": cell.proportion}
        for rule in rules:
            row[rule] = tau_open(full[cell.model.identity][rule], found[rule])
        for label in combinations(rules, 2):
            pair = [found[rule] for rule in label]
            row["tau", label] = tau_open(*pair)
            for k in (1, 3):
                sizes = {min(k, int((~np.isnan(scores)).sum())) for scores in pair}
                row[f"top{k}", label] = same_top(*pair, k) if len(sizes) == 1 else 0.0
            row["share3", label] = common_share(*pair, 3)
        rows.append(row)
    return pd.DataFrame(rows)


TABLES = ("GLUE", "SuperGLUE", "XTREME", "GEM BLEU")


def missing_of_tasks(data, n_repetitions):
    """Return the tables of figure 2 and tables 1 and 2, all systems."""
    study = ra.studies.MissingScoresStudy(
        data=[ra.studies.ObservedData(label=name, data=data[name]) for name in TABLES],
        proportions=tuple(level / 20 for level in range(20)),
        n_repetitions=n_repetitions,
        rng=0,
    )
    return missing_scores(study, ("mean", "one level"))


def p2_tasks(data, n_repetitions=100):
    pair = "mean", "one level"
    frame = missing_of_tasks(data, n_repetitions)
    found = {}
    for name in TABLES:
        mine = frame[frame["model"] == name]
        taus = mine[[("tau", pair)]].to_numpy(float)
        found |= {
            ("Table 1", f"tau of one level and the mean, {name}"): float(np.nanmean(taus)),
            ("Table 1", f"standard deviation of tau, {name}"): float(np.nanstd(taus, ddof=1)),
            ("Table 2", f"top 1, {name}"): float(mine[[("top1", pair)]].to_numpy(float).mean()),
            ("Table 2", f"top 3, {name}"): float(mine[[("top3", pair)]].to_numpy(float).mean()),
        }
        found["Table 2", f"top 1, {name}, that differ, as the text says"] = (
            1 - found["Table 2", f"top 1, {name}"]
        )
        medium = mine[mine["proportion"].between(0.05, 0.4)]
        means = {rule: float(np.nanmean(medium[[rule]].to_numpy(float))) for rule in pair}
        for rule in pair:
            found["Figure 2", f"tau with the full data, {rule}, {name}"] = means[rule]
        ahead = means["one level"] - means["mean"]
        text = "more than .10" if ahead > 0.1 else f"{ahead:.2f}"
        found["Figure 2", f"one level ahead of the mean, {name}"] = text
        nothing = mine[mine["proportion"] == 0][list(pair)].to_numpy(float).min()
        found["Figure 2", f"tau with the full data, nothing removed, {name}"] = nothing
    return found


def p2_again(data, n_repetitions=200):
    """Run the authors' experiment again with the random numbers of the package's run."""
    found = {}
    forms = {
        (True, "proportions"): "by proportions",
        (True, "counts"): "by counts",
        (False, "proportions"): "without Score",
    }
    for name, first in (("GLUE", 14), ("SuperGLUE", 10), ("XTREME", 10), ("GEM", 5)):
        for with_score in (True, False)[: 1 + (name != "GEM")]:
            values = data[name].values[:first]
            if with_score and name == "XTREME":
                values = np.column_stack([data["XTREME Score"].values[:first], values])
            elif with_score and name != "GEM":
                values = data[f"{name} with Score"].values[:first]
            sums = [what for score, what in forms if score == with_score]
            for what, numbers in one_run(values, sums, n_repetitions).items():
                label = f"{name}, run again {forms[with_score, what]}"
                keys = (
                    ("Table 1", "tau of one level and the mean"),
                    ("Table 1", "standard deviation of tau"),
                    ("Table 2", "top 1"),
                    ("Table 2", "top 3"),
                    ("Figure 2", "tau with the full data, one level"),
                    ("Figure 2", "tau with the full data, mean"),
                )
                found |= {
                    (item, f"{start}, {label}"): x
                    for (item, start), x in zip(keys, numbers, strict=True)
                }
    return found


def counted(values):
    """Return the order of sums of ranks, each ranking counted N!/k! times, in whole numbers."""
    n = len(values)
    ranks, k = all_places(values), (~np.isnan(values)).sum(axis=0)
    weights = np.array([factorial(n) // factorial(int(size)) for size in k], dtype=object)
    scale = 2 * lcm(*range(1, n + 2))
    twice = np.where(np.isnan(ranks), 0, 2 * ranks).astype(int).astype(object)
    shares = (
        (twice + 2)
        * (n + 1)
        * np.array([scale // 2 // (int(size) + 1) for size in k], dtype=object)
    )
    units = np.where(np.isnan(ranks), (n - 1) * (scale // 2), shares - scale)
    total = (units * weights).sum(axis=1)
    levels = sorted(set(total))
    return -np.array([levels.index(number) for number in total], dtype=float)


def one_run(values, sums, n_repetitions):
    rng = np.random.default_rng(0)
    n = len(values)
    units = np.arange(values.shape[1])
    how = {"proportions": lambda v: one_level(v, None), "counts": counted}
    full_mean = mean(values, units)
    full = {what: how[what](values) for what in sums}
    rows = {what: [] for what in sums}
    for level in [step / 19 for step in range(20)] * n_repetitions:
        left = np.where(rng.random(values.shape) < level, np.nan, values)
        left = left[:, ~np.isnan(left).all(axis=0)]
        if not left.shape[1]:
            order = [[int(at)] for at in rng.permutation(n)]
        else:
            means = mean(left, np.arange(left.shape[1]))
            order = order_of(means)
            absent = np.flatnonzero(np.isnan(means))
            order = coin(order, [[int(absent[at])] for at in rng.permutation(len(absent))], rng)
        by_mean = np.empty(n)
        for place, group in enumerate(order):
            by_mean[group] = -place
        for what in sums:
            one = how[what](left) if left.shape[1] else np.zeros(n)
            rows[what].append(
                (
                    level,
                    tau_b(one, by_mean),
                    alone(one, by_mean, 0),
                    alone(one, by_mean, 2),
                    tau_b(one, full[what]),
                    tau_b(by_mean, full_mean),
                )
            )
    out = {}
    for what, found in rows.items():
        levels, taus, *tops_same, one, by_mean = np.nan_to_num(np.array(found, dtype=float)).T
        medium = (levels >= 0.05) & (levels <= 0.4)
        means = [numbers.mean() for numbers in (*tops_same, one[medium], by_mean[medium])]
        out[what] = (taus.mean(), taus.std(), *means)
    return out


def coin(first, second, rng):
    a, b, merged = list(first), list(second), []
    while a and b:
        merged.append((a if rng.random() > 0.5 else b).pop(0))
    return merged + a + b


def alone(one, other, place):
    """Whether the same system has so many below it in both, and none level with it."""
    found = []
    for scores in (one, other):
        below = [int((scores < x).sum()) for x in scores]
        level = [int((scores == x).sum()) for x in scores]
        found.append([at for at in range(len(scores)) if below[at] == place and level[at] == 1])
    return bool(found[0]) and found[0] == found[1]


ALL_RULES = ("mean", "one level", "two levels")


def missing_and_scaled(n_repetitions, shares=(0.0, 0.2, 0.4, 0.6, 0.8), model=None):
    """Return the tables of figure 3, with some proportions of them removed."""
    study = ra.studies.MissingScoresStudy(
        data=[model or ra.studies.LatentModel(step=0.1)],
        rules=tuple(IMPUTING.values()),
        proportions=(0.0, 0.2, 0.4, 0.6, 0.8),
        scales=(1.0, 3.0, 10.0, 30.0),
        n_repetitions=n_repetitions,
        rng=0,
    )
    rows = [cell for cell in study.cells() if cell.proportion in shares]
    object.__setattr__(study, "cells", lambda: iter(rows))
    return missing_scores(study, ALL_RULES)


def missing_of_instances(data, n_repetitions):
    """Return the tables of figures 5 and 10 and tables 3 and 4."""
    study = ra.studies.MissingScoresStudy(
        data=[ra.studies.ObservedData(label=name, data=automatic(data[name])) for name in FIVE],
        rules=tuple(IMPUTING.values()),
        proportions=tuple(level / 10 for level in range(10)),
        n_repetitions=n_repetitions,
        rng=0,
    )
    return missing_scores(study, ALL_RULES)


def p2_drawn(data, n_repetitions=100):
    """Return figures 3, 5 and 10, tables 3 and 4."""
    rules = ALL_RULES
    found = {}
    frame = missing_and_scaled(n_repetitions, (0.0, 0.4))
    for (scale, share), part in frame.groupby(["scale", "proportion"]):
        for rule in rules:
            where = f"tau, {rule}, factor {scale:g}, {share:.0%} removed"
            found["Figure 3", where] = float(np.nanmean(part[[rule]].to_numpy(float)))
    frame = missing_of_instances(data, n_repetitions)
    some = frame[frame["proportion"] > 0]
    means = {
        (name, rule): float(np.nanmean(part[[rule]].to_numpy(float)))
        for name, part in some.groupby("model")
        for rule in rules
    }
    for (name, rule), value in means.items():
        figure = "Figure 10" if name.startswith("dialog") else "Figure 5"
        found[figure, f"tau with the full data, {rule}, {name}"] = value
    overall = {rule: np.mean([means[name, rule] for name in FIVE]) for rule in rules}
    for rule, value in overall.items():
        found["Section 4.3", f"tau with the full data, {rule}"] = value
    found["Section 4.3", "the most robust rule"] = max(overall, key=overall.get)
    for pair in combinations(rules, 2):
        label = " and ".join(pair)
        taus = frame[[("tau", pair)]].to_numpy(float)
        found["Table 3", f"tau, {label}"] = float(np.nanmean(taus))
        found["Table 3", f"standard deviation of tau, {label}"] = float(np.nanstd(taus))
        for k in (1, 3):
            tops_here = frame[[(f"top{k}", pair)]].to_numpy(float)
            found["Table 4", f"top {k}, {label}"] = float(tops_here.mean())
    return found


def automatic(table):
    return table.drop(tasks=[task for task in table.tasks if str(task).startswith("H:")])


def p2_decided(data, n_repetitions=100, n_tables=20):
    """Return the shares of decided pairs of figures 4, 6 and 11."""
    found = {}
    # By default its models are those of Figure 4, and equal systems.
    methods = (PrintedRadius(radius="equation 4"),)
    study = ra.studies.ConfidenceStudy(methods=methods, n_repetitions=n_repetitions, rng=0)
    shares = {}
    for cell in study.cells():
        table = cell.incomplete(cell.complete(study.rng), study.rng)
        m, step = table.n_units, cell.model.step
        above, pairs = decided_pairs(table)
        for label, level in (("its radius", 0.01 / (4 * 10 * m * m)), ("Eq. 4", 0.01)):
            hits = sum(abs(p - 0.5) > np.sqrt(log(1 / level) / (2 * z)) for p, z in above)
            shares.setdefault((label, m, step), []).append(hits / pairs)
    for (label, m, step), values in shares.items():
        where = f"share decided by {label}, m = {m}, phi = {step:g}"
        found["Figure 4", where] = float(np.mean(values))
        if step == 0:
            wrong = float(np.mean([value > 0 for value in values]))
            found["Figure 4", f"tables with a wrong decision, {label}, m = {m}, phi = 0"] = wrong
    study = ra.studies.ConfidenceStudy(
        data=[ra.studies.ObservedData(label=name, data=automatic(data[name])) for name in FIVE],
        methods=methods,
        alphas=(0.01,),
        proportions=(0.2,),
        n_repetitions=n_tables,
        rng=0,
    )
    shares = {}
    for cell in study.cells():
        above, pairs = decided_pairs(cell.incomplete(cell.complete(study.rng), study.rng))
        hits = sum(z > 0 and abs(p - 0.5) > np.sqrt(log(100) / (2 * z)) for p, z in above)
        shares.setdefault(cell.model.name, []).append(hits / pairs)
    for name, values in shares.items():
        item = "Figure 6" if name == "sum_eval" else "Figure 11"
        found[item, f"share of pairs decided by Eq. 4, {name}"] = float(np.mean(values))
    return found


def decided_pairs(table):
    """Return the imputed proportion of each pair and how often it was compared."""
    values, _ = higher(table)
    there = (~np.isnan(values)).astype(float)
    total, z = sum(before(column) for column in values.T), there @ there.T
    pairs = list(combinations(range(len(values)), 2))
    return [(total[i, j] / values.shape[1], z[i, j]) for i, j in pairs], len(pairs)


def p2_rest(data):
    """Return sizes, and sums by counts with sums of proportions."""
    found = {}
    for name in BOARDS:
        found["Appendix B.1", f"systems, {name}"] = float(data[name].n_systems)
    sizes = []
    total = 0
    for name in FIVE:
        table = automatic(data[name])
        n, instances = table.n_systems, len(set(table.instances))
        total += int((~np.isnan(table.values)).sum())
        sizes.append(n)
        found |= {
            ("Figure 7", f"systems, {name}"): float(n),
            ("Figure 8", f"sentences, {name}"): float(n * instances),
            ("Figure 9", f"sentences per system, {name}"): float(instances),
        }
    found |= {
        ("Figure 7", "fewest systems of a data set"): float(min(sizes)),
        ("Figure 7", "most systems of a data set"): float(max(sizes)),
        ("Section 4.1", "scores of instances that are here"): float(total),
    }
    values = data["XTREME with gaps"].values
    taus = tau_b(counted(values), one_level(values, None))
    found["Example: xtreme_missing", "tau of sums by counts and by proportions"] = taus
    return found


def p2_policies(data):
    found = {}
    tables = {"Table 5": ra.datasets.load("xtreme_gaps")}
    tables |= {name: data[name] for name in ("XTREME with gaps", "GEM BLEU", "dialogue with gaps")}
    tables["XTREME with gaps, without Score"] = tables["XTREME with gaps"].drop(tasks=["Score"])
    for name, table in tables.items():
        values, _ = higher(table)
        n = len(values)
        relations, signs = {}, {}
        for policy in ("uniform", "ignore", "last"):
            votes = wins(values, policy)
            facts = solve(votes) if n > 15 else optima(votes)
            least, first, worst, relations[policy], number = facts
            values_of = {
                "Kemeny cost": least,
                "proof": "optimal",
                "only optimum": "yes" if number == 1 else "no",
                "first in an optimal order": named(table, first),
                "among the first three of every optimal order": named(table, worst <= 3),
            }
            if policy != "uniform":
                turned = relations[policy] & relations["uniform"].T
                what = "pairs in another order than uniform, whatever the optimum"
                values_of[what] = float(turned.sum())
            found |= {
                ("Beyond: policies", f"{what}, {policy}, {name}"): x
                for what, x in values_of.items()
            }
            points = even((votes - votes.T).sum(axis=1))
            signs[policy] = np.sign(points[:, None] - points[None])
        above = np.triu_indices(n, 1)
        stacked = np.stack([signs[policy][above] for policy in signs])
        differ = (stacked != stacked[0]).any(axis=0).sum()
        there = ~np.isnan(values)
        met = (there[:, None] & there[None]).any(axis=2)
        found |= {
            ("Beyond: policies", f"pairs that depend on the policy, Borda, {name}"): float(differ),
            ("Beyond: policies", f"pairs never compared, {name}"): float((~met)[above].sum()),
            ("Beyond: policies", f"groups that no comparison connects, {name}"): float(
                nx.number_connected_components(nx.from_numpy_array(met))
            ),
        }
    return found


def named(table, some):
    return ", ".join(str(table.systems[int(at)]) for at in np.flatnonzero(some)) or "none"


def solve(votes):
    """Return the same by mixed integer programs; 2 where there are several optima."""
    n = len(votes)
    least, order = optimal_cost(votes)
    at = np.zeros((n, n), dtype=bool)
    for (i, j), before_j in order.items():
        at[i, j], at[j, i] = before_j, not before_j
    relation = at.copy()
    for i, j in zip(*np.nonzero(at), strict=True):
        if relation[i, j]:
            other, turned = optimal_cost(votes, [(int(j), int(i))])
            for (a, b), a_first in turned.items() if other <= least + 1e-6 else ():
                relation[a, b] &= bool(a_first)
                relation[b, a] &= not a_first
    first = np.array(
        [
            optimal_cost(votes, [(i, j) for j in range(n) if j != i])[0] <= least + 1e-6
            for i in range(n)
        ]
    )
    # Whether three or more can be before it.
    worst = np.array(
        [3 + (optimal_cost(votes, at_least=(i, 3))[0] <= least + 1e-6) for i in range(n)]
    )
    is_only = (relation | relation.T | np.eye(n, dtype=bool)).all()
    return least, first, worst, relation, 1 if is_only else 2


# -- P3 -------------------------------------------------------------------------------------------


def p3_leaderboards():
    superglue, xglue = ra.datasets.load("superglue_human"), ra.datasets.load("xglue")
    return {
        "GLUE, ten tasks": ra.datasets.load("glue_human"),
        "SuperGLUE, eight tasks": superglue.drop(tasks=DIAGNOSTICS),
        "SuperGLUE, ten columns": superglue,
        "XTREME, four groups": ra.datasets.load("xtreme_human"),
        "XGLUE, nine tasks": xglue.drop(tasks=GENERATION),
    }


def averaged(name):
    """Return systems and columns of a benchmark, several metrics of a task averaged."""
    table = ra.datasets.load(f"{name.lower()}_metrics")
    metrics = {}
    for task, scores in zip(table.tasks, table.values.T, strict=True):
        metrics.setdefault(str(task).split(" ")[0], []).append(scores)
    return table.systems, {task: sum(some) / len(some) for task, some in metrics.items()}


def p3_all(data=None):
    found, tables = {}, p3_leaderboards()
    item = "Beyond: exact consensus"
    for name, table in tables.items():
        values, units = higher(table)
        found |= {(item, f"{what}, {name}"): x for what, x in brute(table, wins(values)).items()}
        found[item, f"proof, {name}"] = "optimal"
        if "Human" in table.systems:
            by_rule = {f"the {kind} mean": x for kind, x in kinds_of_means(values).items()}
            for by, scores in (by_rule | {"Borda": one_level(values, units)}).items():
                found[item, f"place of humans by {by}, {name}"] = place_of_humans(table, scores)
    xtreme = tables["XTREME, four groups"]
    dropped = xtreme.drop(tasks=["Sentence Retrieval"])
    cases = {
        "imputed uniformly": (xtreme, "uniform"),
        "ignored": (xtreme, "ignore"),
        "counted as last": (xtreme, "last"),
        "avoided, the task dropped": (dropped, "uniform"),
    }
    for label, (table, policy) in cases.items():
        votes = wins(higher(table)[0], policy)
        points = even((votes - votes.T).sum(axis=1))
        facts = brute(table, votes)
        facts["order by Borda"] = order_text(order_of(points), table.systems)
        facts["place of humans by Borda"] = place_of_humans(table, points)
        found |= {(item, f"{what}, XTREME, missing score {label}"): x for what, x in facts.items()}
    return found


def kinds_of_means(values):
    """Return the means of rows, by their kind."""
    return {
        "arithmetic": np.nanmean(values, axis=1),
        "geometric": np.exp(np.nanmean(np.log(values), axis=1)),
        "harmonic": 1 / np.nanmean(1 / values, axis=1),
    }


def place_of_humans(table, scores):
    return 1.0 + float((even(scores) > even(scores)[table.systems.index("Human")]).sum())


def best_orders(votes):
    """Try every order; return the least cost and the orders that have it."""
    costs = {
        order: sum(votes[b, a] for a, b in combinations(order, 2))
        for order in permutations(range(len(votes)))
    }
    least = min(costs.values())
    return least, [order for order, cost in costs.items() if cost <= least + 1e-9]


def brute(table, votes):
    """Return the facts of all optimal orders."""
    n = len(votes)
    least, best = best_orders(votes)
    groups, block = [], set()
    for k in range(1, n + 1):
        heads = {frozenset(order[:k]) for order in best}
        if len(heads) == 1:
            (head,) = heads
            groups.append(sorted(head - block))
            block = set(head)
    found = {
        "Kemeny cost": float(least),
        "optimal orders": float(len(best)),
        "groups that all optimal orders keep": order_text(groups, table.systems),
    }
    if "Human" in table.systems:
        human = table.systems.index("Human")
        ranks = [order.index(human) + 1 for order in best]
        found["best place of humans in an optimal order"] = float(min(ranks))
        found["worst place of humans in an optimal order"] = float(max(ranks))
    return found


def p3_below(data=None):
    """Return by how much models are below humans, over the columns of the printed means."""
    found = {}
    models = {
        "GLUE": (11, "DeBERTa", "MacAlbert + DKM"),
        "SuperGLUE": (10, "DeBERTa", "T5 + Meena"),
    }
    for name, (n_columns, *systems) in models.items():
        known, columns = averaged(name)
        assert len(columns) == n_columns
        means = kinds_of_means(np.column_stack(list(columns.values())))
        for system in systems:
            at, human = (known.index(label) for label in (system, "Human"))
            for kind in ("geometric", "harmonic"):
                where = f"per cent below humans, {kind} mean, {name}, {system}"
                found["Sections 1 and 4", where] = 100 * (1 - means[kind][at] / means[kind][human])
    low, high = min(found.values()), max(found.values())
    found["Sections 1 and 4", "the best models are worse than humans by"] = (
        f"{low:.1f} to {high:.1f} %"
    )
    return found


def p3_ratios(data=None):
    """Return the means of the ratios to humans over GLUE's ten tasks."""
    table = ra.datasets.load("glue_human")
    human = table.values[table.systems.index("Human")]
    found = {}
    for system in ("DeBERTa", "MacAlbert + DKM", "T5"):
        ratios = table.values[table.systems.index(system)] / human
        for kind, (mean_ratio,) in kinds_of_means(ratios[None]).items():
            found["Table 6", f"{kind} mean of ratios, GLUE, {system}"] = float(mean_ratio)
    return found


def p2_shipped(data):
    """Return what the rankings have that the authors' run left behind."""
    found = {}
    files = {"GLUE": "glue", "SuperGLUE": "superglue", "XTREME": "xtrem", "GEM": "gem"}
    for name, file in files.items():
        content = data.content_of(f"authors/p2/task_level_correlations/{file}_filtered.json")
        noise = content["results"]["robustness"]["noise"]
        one, by_mean = (
            np.array([x["ranking"] for x in noise[rule]]) for rule in ("one_level", "mean")
        )
        near = [
            np.nan_to_num([x["correlation"] for x in noise[rule]]) for rule in ("one_level", "mean")
        ]
        levels = np.tile(content["etas"], content["samples"])
        medium = (levels >= 0.05) & (levels <= 0.4)
        taus = np.nan_to_num([tau_b(a, b) for a, b in zip(one, by_mean, strict=True)])
        lead = near[0][medium].mean() - near[1][medium].mean()
        found |= {
            ("Table 1", f"tau of one level and the mean, {name}"): float(taus.mean()),
            ("Table 1", f"standard deviation of tau, {name}"): float(taus.std()),
            ("Figure 2", f"tau with the full data, one level, {name}"): float(
                near[0][medium].mean()
            ),
            ("Figure 2", f"tau with the full data, mean, {name}"): float(near[1][medium].mean()),
            ("Figure 2", f"one level ahead of the mean, {name}"): "more than .10"
            if lead > 0.1
            else f"{lead:.2f}",
        }
        for k, place in ((1, 0), (3, 2)):
            same = [
                (a == place).sum() == (b == place).sum() == 1
                and int(np.argmax(a == place)) == int(np.argmax(b == place))
                for a, b in zip(one, by_mean, strict=True)
            ]
            found["Table 2", f"top {k}, {name}"] = float(np.mean(same))
    return found


def p2_run(data):
    """Return what the authors' run on instances has, table after table."""
    samples = {}
    for path in sorted(data._folder.rglob("instance_level_correlations/**/*.json"), key=str):
        samples.setdefault(str(path).rpartition("_")[0], []).append(path)
    taus = {pair: [] for pair in PAIRS}
    same = {(k, pair): [] for k in (1, 3) for pair in PAIRS}
    sizes = []
    for paths in samples.values():
        tables = []
        for path in paths:
            content = json.loads(path.read_text(encoding="utf-8"))
            by_rule = content["results"]["robustness"]["system-col"]
            tables += zip(
                *(by_rule[rule] for rule in ("mean", "one_level", "two_level")), strict=True
            )
        sizes += [len(found["ranking"]) for table in tables for found in table]
        for table in tables[:-1]:
            rankings = {rule: found["ranking"] for rule, found in zip(IMPUTING, table, strict=True)}
            for pair, (one, other) in PAIRS.items():
                tau = tau_b(rankings[one], rankings[other])
                taus[pair].append(0.0 if isnan(tau) else tau)
            for k, place in ((1, 0), (3, 2)):
                there = {
                    rule: {at for at, rank in enumerate(ranking) if rank == place}
                    for rule, ranking in rankings.items()
                }
                for pair, (one, other) in PAIRS.items():
                    same[k, pair].append(all(there.values()) and there[one] == there[other])
    found = {
        ("Figure 7", "fewest systems of a data set, all data sets"): min(sizes),
        ("Figure 7", "most systems of a data set, all data sets"): max(sizes),
    }
    for pair, some in taus.items():
        found["Table 3", f"tau, {pair}, 34 data sets"] = float(np.mean(some))
        found["Table 3", f"standard deviation of tau, {pair}, 34 data sets"] = float(np.std(some))
    for (k, pair), some in same.items():
        found["Table 4", f"top {k}, {pair}, 34 data sets"] = float(np.mean(some))
    return found
