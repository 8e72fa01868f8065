"""Second opinions of the first paper: random tables, leaderboards, subsets, instances.

Where an exact consensus is one of several, a row is a list of all that it may be.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from math import comb, sqrt

import numpy as np

import rankagg as ra
from replication import p1
from tests.examples.papers import independent as own
from tests.examples.papers.opinions import (
    TIMES,
    as_is,
    bounds_of,
    competition_ranks,
    deviation,
    known,
    leads_of,
    mean,
    panels_of,
    quantile,
)

# -- sections 4.2 and 4.3 -------------------------------------------------------------------------


def orders_of(votes):
    """Return the scores of all optimal orders."""
    return [-np.argsort(order) for order in own.best_orders(votes)[1]]


def every_answer(study, cell, rules):
    """Return by rule what it may answer: distance to the true order, and the chance of its first.

    Section 4.2: "the normalized Kendall distance between the ground-truth ranking" and that of a
    rule. The exact rules of section 3.2 rank all instances, and the Borda rankings of tasks.
    """
    values, units, truth = own.corrupted(study, cell)
    scores = {rule: [one] for rule, one in own.cell_scores(values, units).items()}
    if "exact" in rules:
        tasks = [own.one_level(values[:, units == task], None) for task in np.unique(units)]
        scores["exact"] = orders_of(own.wins(values))
        scores["exact of tasks"] = orders_of(own.wins(np.column_stack(tasks)))
    return {
        rule: {(own.error_of(one, truth), own.common_share(one, truth, 1)) for one in scores[rule]}
        for rule in rules
    }


def corrupted_tables(study, rules):
    """Return rows of the model, the corruption, the number of corrupted tasks and the rule."""
    cases = {}
    for cell in study.cells():
        answers = every_answer(study, cell, rules)
        for rule in rules:
            case = cell.model.name, cell.corruption.name, cell.n_corrupted, rule
            cases.setdefault(case, []).append(answers[rule])
    names = "model", "corruption", "n_corrupted", "method"
    return [
        [dict(zip(names, case, strict=True)) | summary(chosen) for chosen in product(*every)]
        for case, every in cases.items()
    ]


def summary(answers):
    distances = [distance for distance, _ in answers]
    return {
        "cells": len(answers),
        "unproved": 0,
        "mean_distance": mean(distances),
        "se_distance": deviation(distances) / sqrt(len(distances)),
        **{f"distance_{q:g}": quantile(distances, q) for q in (0.05, 0.5, 0.95)},
        "top1": mean([share for _, share in answers]),
    }


@cache
def p1_figure_3(_):
    """Section 4.2: scores of a task are drawn from a "Gumbel distribution centered at -n"."""
    rules = [*own.RULES, "exact", "exact of tasks"]
    return corrupted_tables(p1.figure_3(n_repetitions=TIMES), rules)


@cache
def p1_figure_7(_):
    """Section 4.3: the scores of one task multiplied, as they are and corrupted before."""
    return corrupted_tables(p1.figure_7(n_repetitions=TIMES), list(own.RULES))


# -- leaderboards ---------------------------------------------------------------------------------


def both(table):
    """Return the scores by the mean, and by sums of ranks."""
    values, units = own.higher(table)
    return own.mean(values, units), own.one_level(values, units)


def p1_table_2(data):
    """Section 5.2: tau, and "the proportion of common top-ranked systems", and of last ones."""
    for board in own.BOARDS:
        one, other = both(data[board])
        depths = [k for k in (1, 3, 5, 10) if k <= len(one)]
        row = {"leaderboard": board, "tau": own.tau_b(one, other)}
        row |= {f"top{k}": own.common_share(one, other, k) for k in depths}
        yield row | {f"last{k}": own.common_share(-one, -other, k) for k in depths}


def p1_table_6(data, board):
    """Section 5.2: sums of ranks, here of the systems that are worse, with the mean."""
    table = data[board]
    means, points = both(table)
    by_mean = np.argsort(np.argsort(-means, kind="stable"), kind="stable")
    most = table.n_tasks * (table.n_systems - 1)
    for rank, at in enumerate(np.argsort(-points, kind="stable")[:10]):
        yield {
            "rank": rank, "system": str(table.systems[int(at)]), "points": points[at] + most,
            "rank by the mean": by_mean[at], "mean": own.higher(table)[0].mean(axis=1)[at],
        }  # fmt: skip


def p1_table_7(data):
    """Appendix C: distances to the tasks of Borda, of the mean, and the least of all rankings."""
    for board in own.BOARDS:
        table = data[board]
        means, points = both(table)
        votes = own.wins(own.higher(table)[0])
        least, judged = own.optima(votes)[0], table.n_tasks * comb(len(votes), 2)
        for rule, scores in (("one level", points), ("mean", means), ("exact", None)):
            total, against = least, least
            if scores is not None:
                total = own.cost_of(scores, votes)
                pairs = combinations(range(len(scores)), 2)
                pairs = [(i, j) if scores[i] > scores[j] else (j, i) for i, j in pairs]
                against = sum(votes[j, i] for i, j in pairs if scores[i] != scores[j])
            yield {
                "leaderboard": board, "rule": rule, "total": total,
                "average": total / table.n_tasks, "normalized": total / judged,
                "discordant": against / table.n_tasks, "ratio": total / least,
            }  # fmt: skip


def ranks_in_optima(votes):
    """Return the best and the worst rank of each system in an order with the least cost."""
    backward = own.optima(votes.T)[2]
    return len(votes) + 1 - backward, own.optima(votes)[2]


def p1_exact(data, board):
    """Beyond the paper: ranks in all optima, and bounds of ranks by sign flips."""
    table = data[board]
    values, _ = own.higher(table)
    ranks = competition_ranks(both(table)[1])
    best, worst = ranks_in_optima(own.wins(values))
    _, lower, upper = bounds_of(leads_of(values))
    for at in np.argsort(ranks, kind="stable"):
        yield {
            "system": str(table.systems[int(at)]), "rank by Borda": ranks[at],
            "best rank in an optimum": best[at], "worst rank in an optimum": worst[at],
            "lower bound": lower[at], "upper bound": upper[at],
        }  # fmt: skip


# -- subsets of tasks, and instances --------------------------------------------------------------


def subsets(tables, rules):
    """Section 5.2: "we randomly sample t tasks", and correlate with the ranking of all of them."""
    for name, table in tables.items():
        study = ra.studies.TaskSubsetStudy(data=table, n_repetitions=TIMES, rng=0)
        curves = own.on_subsets(table, rules, study)
        for size in curves["mean"]:
            for rule in rules:
                pairs = curves[rule][size]
                taus = known([own.tau_b(*pair) for pair in pairs])
                yield {
                    "data": name, "size": size, "method": rule, "subsets": len(pairs),
                    "defined": len(taus), "mean": mean(taus), "std": deviation(taus),
                    **{f"tau_{q:g}": quantile(taus, q) for q in (0.05, 0.5, 0.95)},
                    "top1": mean([own.common_share(*pair, 1) for pair in pairs]),
                }  # fmt: skip


def p1_figure_8(data):
    return subsets({board: data[board] for board in own.BOARDS}, ("mean", "one level"))


def p1_figure_9(data):
    return subsets({name: data[file] for name, file in own.NINE.items()}, tuple(own.RULES))


def p1_figure_6(data):
    """Section 5.3: tau of each two procedures on all instances."""
    found = own.p1_instances(data)
    for pair in own.PAIRS:
        taus = {name: found["Figure 6", f"tau of {pair}, {name}"] for name in own.NINE}
        yield {"pair": pair} | taus


@cache
def agreement_on_instances(data):
    """Return by pair, data set and k: common share of the first, of the last, and tau."""
    found = {}
    for name, file in own.NINE.items():
        values, units = own.higher(data[file])
        scores = {rule: function(values, units) for rule, function in own.RULES.items()}
        # In the order of the rules.
        for pair in ("mean and one level", "mean and two levels", "one level and two levels"):
            a, b = (scores[rule] for rule in own.PAIRS[pair])
            for k in range(1, len(values) + 1):
                last = own.common_share(-a, -b, k)
                found[pair, name, k] = own.common_share(a, b, k), last, own.tau_of_first(a, b, k)
    return found


def p1_figure_10(data):
    """Section 5.3, figures 4, 10 and 11: agreement on the first and last k systems."""
    for (pair, name, k), numbers in agreement_on_instances(data).items():
        columns = dict(zip(("top", "last", "top_tau"), numbers, strict=True))
        yield {"data": name, "pair": pair, "k": k} | columns


#: What is to be in each sheet, by its name.
SHEETS = {
    "p1-table-1": lambda _: as_is(ra.datasets.load("toy_tasks")),
    "p1-figure-3": p1_figure_3,
    "p1-figure-7": p1_figure_7,
    "p1-table-2": p1_table_2,
    "p1-table-6-glue": lambda data: p1_table_6(data, "GLUE"),
    "p1-table-6-superglue": lambda data: p1_table_6(data, "SuperGLUE"),
    "p1-table-6-xtreme": lambda data: p1_table_6(data, "XTREME"),
    "p1-figure-8": p1_figure_8,
    "p1-figure-9": p1_figure_9,
    "p1-figure-6": p1_figure_6,
    "p1-figure-10": p1_figure_10,
    "p1-table-7": p1_table_7,
    "p1-exact-glue": lambda data: p1_exact(data, "GLUE"),
    "p1-exact-superglue": lambda data: p1_exact(data, "SuperGLUE"),
    "p1-exact-xtreme": lambda data: p1_exact(data, "XTREME"),
}

# -- figures --------------------------------------------------------------------------------------


def band(middle, spread, least):
    """Return a mean, and one standard deviation either way as far as that can be."""
    ends = (np.clip(middle + sign * spread, least, 1.0) for sign in (-1, 1))
    return middle, *ends


def drawn_means(data):
    """Section 5.3, figure 4: means and deviations over the data sets with more than k systems."""
    curves = {
        (pair, name, k): (top, tau, data[own.NINE[name]].n_systems)
        for (pair, name, k), (top, _, tau) in agreement_on_instances(data).items()
    }
    titles = {"(a) common share of the first k": 0.0, "(b) tau among the common": -1.0}
    panels = {title: {pair: {} for pair in own.PAIRS} for title in titles}
    for pair in own.PAIRS:
        means = own.means_by_k(curves, pair)
        spreads = own.means_by_k(curves, pair, lambda numbers: deviation(known(numbers)))
        for (k, row), (_, spread) in zip(means, spreads, strict=True):
            for at, (title, least) in enumerate(titles.items()):
                panels[title][pair][k] = band(row[at], spread[at], least)
    return panels


def drawn_agreement(data, at):
    """Section 5.3, figures 10 and 11: one data set each; there is no band."""
    panels = {name: {} for name in own.NINE}
    for (pair, name, k), numbers in agreement_on_instances(data).items():
        panels[name].setdefault(pair, {})[k] = numbers[at], np.nan, np.nan
    return panels


def drawn_subsets(rows):
    panels = {}
    for row in rows:
        curve = panels.setdefault(row["data"], {}).setdefault(row["method"], {})
        curve[row["size"]] = band(row["mean"], row["std"], -1.0)
    return panels


#: The curves of each figure: by title, curve and where, a mean with the ends of its band.
CURVES = {
    "p1-figure-4": drawn_means,
    "p1-figure-8": lambda data: drawn_subsets(p1_figure_8(data)),
    "p1-figure-9": lambda data: drawn_subsets(p1_figure_9(data)),
    "p1-figure-10": lambda data: drawn_agreement(data, 2),
    "p1-figure-11": lambda data: drawn_agreement(data, 0),
}
#: Those of figures whose panels share an axis: by panel and curve.
PANELS = {
    "p1-figure-3": lambda data: panels_of(p1_figure_3(data), ["model"], "mean_distance"),
    "p1-figure-7": lambda data: panels_of(
        by_turn(p1_figure_7(data)), ["model", "turned"], "mean_distance"
    ),
}
#: Ranks and their bounds, best first.
PLACES = {
    "p1-exact-superglue": lambda data: [
        (row["rank by Borda"], row["lower bound"], row["upper bound"])
        for row in p1_exact(data, "SuperGLUE")
    ]
}


def by_turn(rows):
    """Say of each row whether the task was reversed before."""
    return [row | {"turned": "after" in row["corruption"]} for (row,) in rows]
