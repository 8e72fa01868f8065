"""Second opinions of the third paper: three means, ratios, columns, and exact consensus."""

from __future__ import annotations

import numpy as np

import rankagg as ra
from tests.examples.papers import independent as own
from tests.examples.papers.independent import DIAGNOSTICS, GENERATION, averaged, p3_leaderboards
from tests.examples.papers.opinions import (
    as_is,
    bounds_of,
    competition_ranks,
    deviation,
    leads_of,
    split_name,
)

# -- tables ---------------------------------------------------------------------------------------


def plain(name):
    """Return systems and columns of a bundled table."""
    table = ra.datasets.load(name)
    return table.systems, dict(zip(map(str, table.tasks), table.values.T, strict=True))


def without(columns, left_out):
    return {task: scores for task, scores in columns.items() if task not in left_out}


def weighted(columns, weights):
    """Return means over the columns with a score, by weights."""
    values = np.column_stack([columns[task] for task in weights])
    w = np.where(np.isnan(values), 0.0, list(weights.values()))
    return (np.nan_to_num(values) * w).sum(axis=1) / w.sum(axis=1)


GROUPS = {
    "Sentence-pair Classification": 2, "Structured Prediction": 2, "Question Answering": 3,
    "Sentence Retrieval": 2,
}  # fmt: skip


def leaderboard_average(name, columns):
    """Return each leaderboard's own average: MNLI once, no diagnostics, groups by their size."""
    if name == "XTREME":
        return weighted(columns, GROUPS)
    left_out = {"GLUE": ("AX", "MNLI-m", "MNLI-mm"), "SuperGLUE": DIAGNOSTICS}.get(name, ())
    tasks = without(columns, left_out)
    if name == "GLUE":
        tasks["MNLI"] = (columns["MNLI-m"] + columns["MNLI-mm"]) / 2
    return np.mean(list(tasks.values()), axis=0)


def three_means(name, systems, columns):
    """Tables 1 to 4: three means over all known scores, and the leaderboard's "average"."""
    means = own.kinds_of_means(np.column_stack(list(columns.values())))
    average = leaderboard_average(name, columns)
    for at, system in enumerate(systems):
        row = {"system": system} | {f"{kind} mean": x[at] for kind, x in means.items()}
        row |= {"leaderboard average": average[at]}
        yield row | {task: scores[at] for task, scores in columns.items()}


def p3_table_1(_):
    return three_means("GLUE", *averaged("glue"))


def p3_table_2(_):
    return three_means("SuperGLUE", *averaged("superglue"))


def p3_table_3(_):
    return three_means("XTREME", *plain("xtreme_human"))


def p3_table_4(_):
    systems, columns = plain("xglue")
    yield from three_means("XGLUE", systems, without(columns, GENERATION))
    there = [at for at, system in enumerate(systems) if system != "FILTER"]
    two = {task: columns[task][there] for task in GENERATION}
    yield from three_means("XGLUE", [systems[at] for at in there], two)


def p3_table_5(_):
    """Table 5: sum, variance and standard deviation in addition to the means, three systems."""
    systems, columns = plain("superglue_human")
    for system, scores in zip(systems, np.column_stack(list(columns.values())), strict=True):
        if system in ("Human", "DeBERTa", "T5 + Meena"):
            means = {f"{kind} mean": x[0] for kind, x in own.kinds_of_means(scores[None]).items()}
            spread = deviation(list(scores))
            row = {"system": system} | means | {"sum": sum(scores), "variance": spread**2}
            yield row | {"standard deviation": spread}


def p3_table_6(_, name):
    """Table 6: scores divided by the humans', and means of these ratios."""
    systems, columns = averaged(name.lower())
    columns = without(columns, ("AX",))
    shown = {"SuperGLUE": "T5 + Meena", "GLUE": "MacAlbert + DKM"}[name]
    for system in ("Human", "DeBERTa", shown, "T5"):
        at, human = systems.index(system), systems.index("Human")
        ratios = {task: scores[at] / scores[human] for task, scores in columns.items()}
        means = own.kinds_of_means(np.array([list(ratios.values())])).items()
        row = {"benchmark": name, "system": system}
        row |= {f"{kind} mean of ratios": x[0] for kind, x in means}
        yield row | {f"ratio on {task}": ratio for task, ratio in ratios.items()}


def choices_of_columns():
    """Yield benchmark, columns, systems, and their three means over these columns."""
    systems, glue = averaged("glue")
    superglue, xtreme = averaged("superglue")[1], plain("xtreme_human")[1]
    borrowed = np.array(glue["AX"])
    at = averaged("superglue")[0].index("Human")
    borrowed[systems.index("Human")] = superglue["AX-b"][at]
    three = without(xtreme, ("Sentence Retrieval",))
    printed, same = "as in print", "the columns of the printed geometric mean"
    choices = {
        ("GLUE", printed): glue, ("GLUE", same): glue,
        ("GLUE", "the same ten tasks"): without(glue, ("AX",)),
        ("GLUE", "the ten tasks and AX, humans' from SuperGLUE"): glue | {"AX": borrowed},
        ("SuperGLUE", printed): superglue,
        ("SuperGLUE", "the same eight tasks"): without(superglue, DIAGNOSTICS),
        ("SuperGLUE", "the eight tasks and two diagnostics"): superglue,
        ("XTREME", printed): xtreme, ("XTREME", same): xtreme,
        ("XTREME", "the same three groups of tasks"): three,
    }  # fmt: skip
    names = {"GLUE": systems, "SuperGLUE": averaged("superglue")[0]}
    names["XTREME"] = plain("xtreme_human")[0]
    for (name, label), columns in choices.items():
        means = own.kinds_of_means(np.column_stack(list(columns.values())))
        if label == printed:
            means["arithmetic"] = leaderboard_average(name, columns)
        yield name, label, names[name], means


def p3_columns(_):
    """Section 4: the place of humans by three means, over several choices of columns."""
    for name, label, systems, means in choices_of_columns():
        human = systems.index("Human")
        for kind, scores in means.items():
            yield {
                "benchmark": name, "columns": label, "mean": kind,
                "place of humans": competition_ranks(own.even(scores))[human],
                "humans": scores[human], "best model": np.delete(scores, human).max(),
                "order": own.order_text(own.order_of(own.even(scores)), systems),
            }  # fmt: skip


MISSING = "XTREME, missing score "


def p3_consensus(_):
    """Beyond the paper: all orders tried, on each leaderboard; a fact below the other."""
    rows = {}
    for (_, quantity), value in own.p3_all().items():
        if MISSING not in quantity:
            what, name = split_name(quantity, p3_leaderboards())
            rows.setdefault(what, dict.fromkeys(p3_leaderboards(), ""))[name] = value
    return [{"quantity": what} | cells for what, cells in rows.items()]


def p3_xtreme_policies(_):
    rows = {}
    for (_, quantity), value in own.p3_all().items():
        if MISSING in quantity:
            what, _, how = quantity.partition(f", {MISSING}")
            rows.setdefault(how, {"missing score": how})[what] = value
    return list(rows.values())


def p3_rank_intervals(_):
    """Beyond the paper: bounds of all ranks at once, by sign flips of Borda points."""
    for name, table in p3_leaderboards().items():
        found = np.array(bounds_of(leads_of(own.higher(table)[0]))).T
        for at in np.argsort(found[:, 0], kind="stable"):
            row = {"leaderboard": name, "item": table.systems[int(at)]}
            yield row | dict(zip(("rank", "best", "worst"), found[at], strict=True))


def scores_of_rules():
    """Beyond the paper: GLUE's systems by three means and Borda, and in all optimal orders."""
    values, units = own.higher(ra.datasets.load("glue_human"))
    rules = [[own.even(scores)] for scores in own.kinds_of_means(values).values()]
    rules.append([own.one_level(values, units)])
    return [*rules, [-np.argsort(order) for order in own.best_orders(own.wins(values))[1]]]


#: What is to be in each sheet, by its name.
SHEETS = {
    "p3-table-1": p3_table_1,
    "p3-table-2": p3_table_2,
    "p3-table-3": p3_table_3,
    "p3-table-4": p3_table_4,
    "p3-table-5": p3_table_5,
    "p3-table-6-superglue": lambda _: p3_table_6(_, "SuperGLUE"),
    "p3-table-6-glue": lambda _: p3_table_6(_, "GLUE"),
    "p3-table-7": lambda _: as_is(ra.datasets.load("glue_metrics")),
    "p3-table-8": lambda _: as_is(ra.datasets.load("superglue_metrics")),
    "p3-columns": p3_columns,
    "p3-consensus": p3_consensus,
    "p3-xtreme-policies": p3_xtreme_policies,
    "p3-rank-intervals": p3_rank_intervals,
}
#: Ranks and their bounds, best first.
PLACES = {
    "p3-rank-intervals": lambda _: [
        (row["rank"], row["best"], row["worst"])
        for row in p3_rank_intervals(_)
        if row["leaderboard"] == "SuperGLUE, ten columns"
    ]
}
#: By title the scores of systems in each column of a figure, or several where any will do.
COLUMNS = {
    "p3-rules": lambda: {"": scores_of_rules()},
    "p3-columns": lambda: {
        f"{name}, {label}": [[own.even(scores)] for scores in means.values()]
        for name, label, _, means in choices_of_columns()
    },
}
