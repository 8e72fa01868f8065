"""Second opinions of the second paper: confidence, missing scores, what depends on policies."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from math import comb, log, pi, sqrt

import numpy as np

import rankagg as ra
from replication import p2
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
    split_name,
)

# -- confidence -----------------------------------------------------------------------------------


def holm(p_values, level):
    """Return what Holm's procedure rejects: p-values in turn, against ever fewer."""
    rejected = set()
    for at, pair in enumerate(sorted(p_values, key=p_values.get)):
        if p_values[pair] > level / (len(p_values) - at):
            break
        rejected.add(pair)
    return rejected


@cache
def at_least(hits, tosses):
    """Return the chance of so many heads or more of a fair coin."""
    return sum(comb(tosses, k) for k in range(int(hits), tosses + 1)) / 2**tosses


def p2_figure_4(_):
    """Section 2.3: "if 0.5 is not in this interval", one of two systems is the better.

    Radii: equation 4; that of figure 4; two-sided, for all pairs and all sample sizes. Holm's
    procedure is on exact sign tests. Of Gumbel scores the true proportions are logistic.
    """
    study = ra.studies.ConfidenceStudy(n_repetitions=TIMES, rng=0)
    radii = {
        "figure 4": lambda level, n, m: sqrt(log(4 * n * m * m / level) / (2 * m)),
        "equation 4": lambda level, n, m: sqrt(log(1 / level) / (2 * m)),
        "hoeffding, anytime, bonferroni": lambda level, n, m: sqrt(
            log(pi**2 * n * (n - 1) * m * m / (6 * level)) / (2 * m)
        ),
        "sign-test, holm": None,
    }
    for model in study.data:
        tables = []
        for cell in (cell for cell in study.cells() if cell.model is model):
            table = cell.incomplete(cell.complete(study.rng), study.rng)
            values, m = table.values, table.n_units
            hits = (values[:, None] > values[None]).sum(axis=2)
            apart = model.step * np.subtract.outer(list(table.systems), list(table.systems))
            tables.append((hits, m, 1 / (1 + np.exp(-apart))))
        for level in (0.01, 0.1):
            for name, radius in radii.items():
                found = [judged(*table, level, radius) for table in tables]
                row = {"m": m, "phi": model.step, "alpha": level, "method": name}
                columns = ("decided", "width", "any_wrong", "coverage", "covers_all")
                means = (mean(numbers) for numbers in zip(*found, strict=True))
                yield row | dict(zip(columns, means, strict=True))


def judged(hits, m, true, level, radius):
    """Return the shares of a table: decided, width, whether one is wrong, covered, whether all."""
    n = len(hits)
    pairs = list(combinations(range(n), 2))
    if radius is None:
        p_values = {(i, j): at_least(hits[i, j], m) for i in range(n) for j in range(n) if i != j}
        above = holm(p_values, level)
        wrong = any(true[pair] <= 0.5 + 1e-9 for pair in above)
        return len(above) / len(pairs), np.nan, wrong, np.nan, np.nan
    r = radius(level, n, m)
    above = {(i, j) for i in range(n) for j in range(n) if hits[i, j] / m - r > 0.5}
    ends = [(max(hits[pair] / m - r, 0), min(hits[pair] / m + r, 1)) for pair in pairs]
    covered = [low <= true[pair] <= high for pair, (low, high) in zip(pairs, ends, strict=True)]
    wrong = any(true[pair] <= 0.5 + 1e-9 for pair in above)
    width = mean([high - low for low, high in ends])
    return len(above) / len(pairs), width, wrong, mean(covered), all(covered)


def instances_left(data):
    """Return the study whose tables those are; draws do not depend on its methods."""
    models = [
        ra.studies.ObservedData(label=name, data=own.automatic(data[name])) for name in own.FIVE
    ]
    return ra.studies.ConfidenceStudy(data=models, proportions=(0.2,), n_repetitions=TIMES, rng=0)


def p2_figure_11(data):
    """Figures 6 and 11: a fifth of the scores removed; by equation 4, and by whole instances."""
    study = instances_left(data)
    level = 0.01
    for model in study.data:
        rows = {"equation 4": [], "hoeffding, holm, by instance": []}
        for cell in (cell for cell in study.cells() if cell.model is model):
            table = fifth_left(cell, study)
            pairs, _ = own.decided_pairs(table)
            radii = [sqrt(log(1 / level) / (2 * z)) if z else 1.0 for _, z in pairs]
            hits = [abs(p - 0.5) > r for (p, _), r in zip(pairs, radii, strict=True)]
            widths = [min(p + r, 1) - max(p - r, 0) for (p, _), r in zip(pairs, radii, strict=True)]
            rows["equation 4"].append((mean(hits), mean(widths), mean([z for _, z in pairs])))
            means, numbers = by_instance(table)
            p_values = {
                pair: np.exp(-2 * max(p - 0.5, 0) ** 2 * numbers[pair]) for pair, p in means.items()
            }
            share = len(holm(p_values, level)) / len(pairs)
            found = share, np.nan, mean(list(numbers.values()))
            rows["hoeffding, holm, by instance"].append(found)
        for method, found in rows.items():
            columns = zip(*found, strict=True)
            decided, width, comparisons = (mean(numbers) for numbers in columns)
            yield {
                "model": model.name, "alpha": level, "method": method, "decided": decided,
                "width": width, "comparisons": comparisons,
            }  # fmt: skip


def fifth_left(cell, study):
    """Return what is left of a table, of whose single scores a fifth is gone."""
    complete = cell.complete(study.rng)
    left = cell.incomplete(complete, study.rng)
    gone = np.isnan(left.values).sum() + (complete.n_units - left.n_units) * len(left.values)
    assert gone == int(complete.values.size / 5 + 0.5)
    return left


def by_instance(table):
    """Return for ordered pairs the mean over instances of the share of metrics, and how many."""
    values, _ = own.higher(table)
    means, numbers = {}, {}
    labels = np.array([str(label) for label in table.instances])
    for i, j in product(range(len(values)), repeat=2):
        if i == j:
            continue
        a, b = values[i], values[j]
        shares = []
        for label in dict.fromkeys(labels):
            mine = (labels == label) & ~np.isnan(a) & ~np.isnan(b)
            if mine.any():
                shares.append(np.mean((a > b)[mine] + 0.5 * (a == b)[mine]))
        means[i, j], numbers[i, j] = mean(shares) if shares else 0.5, len(shares)
    return means, numbers


# -- missing scores -------------------------------------------------------------------------------


@cache
def missing_of_tasks(data):
    """Section 4.2: "we randomly remove a proportion" of the scores of tasks."""
    return own.missing_of_tasks(data, TIMES)


@cache
def missing_of_instances(data):
    """Section 4.3: the same of all that a system scored on a metric."""
    return own.missing_of_instances(data, TIMES)


@cache
def missing_and_scaled():
    return own.missing_and_scaled(TIMES, model=p2.LatentModel(step=0.1))


def pairs_of_rules(frame, rules, name):
    """Tables 1 to 4: tau, and whether the first systems are the same, proportions together."""
    for pair in combinations(rules, 2):
        for model, part in frame.groupby("model", sort=False):
            taus = known(part[[("tau", pair)]].to_numpy(float)[:, 0])
            tops = {
                "mean_top1": part[[("top1", pair)]],
                "mean_top3": part[[("share3", pair)]],
                "mean_same_top3": part[[("top3", pair)]],
            }
            row = {name: model, "method": pair[0], "other": pair[1]}
            row |= {"tables": len(part), "defined": len(taus)}
            row |= {"mean_tau": mean(taus), "sd_tau": deviation(taus)}
            yield row | {key: float(x.to_numpy(float).mean()) for key, x in tops.items()}


def p2_all_systems(data):
    frame = missing_of_tasks(data)
    for row in pairs_of_rules(frame, ("mean", "one level"), "table"):
        yield {name: x for name, x in row.items() if name not in ("method", "other")}


def p2_table_3(data):
    return pairs_of_rules(missing_of_instances(data), own.ALL_RULES, "model")


def p2_tables_1_2(data):
    """Tables 1 and 2 as their authors ran them, once more."""
    found = own.p2_again(data, TIMES)
    columns = {
        "tau": "tau of one level and the mean", "spread": "standard deviation of tau",
        "last": "top 1", "third_last": "top 3", "one_level": "tau with the full data, one level",
        "mean": "tau with the full data, mean",
    }  # fmt: skip
    values = {quantity: x for (_, quantity), x in found.items()}
    names = [f"{name}, {form}" for name in ("GLUE", "SuperGLUE", "XTREME", "GEM") for form in FORMS]
    labels = [name for name in names if f"{columns['tau']}, {name}" in values]
    for label in labels:
        yield {"table": label} | {
            column: values[f"{quantity}, {label}"] for column, quantity in columns.items()
        }


FORMS = ("run again by proportions", "run again by counts", "run again without Score")


def p2_figure_3(_):
    """Figure 3: positive factors on one task; tau with the full and unscaled data."""
    frame = missing_and_scaled()
    for scale, part in frame.groupby("scale"):
        for rule in own.ALL_RULES:
            by = part.groupby("proportion")
            yield {"scale": scale, "method": rule} | {
                f"{share}": mean(known(some[[rule]].to_numpy(float)[:, 0])) for share, some in by
            }


def p2_sizes(data):
    for name in own.FIVE:
        table = own.automatic(data[name])
        instances = len(set(table.instances))
        yield {
            "data set": name, "systems": table.n_systems, "sentences": table.n_systems * instances,
            "sentences per system": instances, "metrics": table.n_tasks,
            "scores": int((~np.isnan(table.values)).sum()),
        }  # fmt: skip


def p2_policies(data):
    """Beyond the paper: what exact consensus and Borda say by policy; quantities below each other.

    A cell of several kinds is a text.
    """
    columns = {}
    for (_, quantity), value in own.p2_policies(data).items():
        what, name = split_name(quantity, POLICY_TABLES)
        columns.setdefault(what, {})[name] = value
    return [{"quantity": what} | cells for what, cells in columns.items()]


POLICY_TABLES = (
    "Table 5", "XTREME with gaps", "GEM BLEU", "dialogue with gaps",
    "XTREME with gaps, without Score",
)  # fmt: skip


#: What is to be in each sheet, by its name.
SHEETS = {
    "p2-figure-4": p2_figure_4,
    "p2-figure-11": p2_figure_11,
    "p2-tables-1-2": p2_tables_1_2,
    "p2-table-1-all-systems": p2_all_systems,
    "p2-figure-3": p2_figure_3,
    "p2-table-3": p2_table_3,
    "p2-table-5": lambda _: as_is(ra.datasets.load("xtreme_gaps")),
    "p2-sizes": p2_sizes,
    "p2-policies": p2_policies,
}

# -- figures --------------------------------------------------------------------------------------


def drawn_missing(frame, rules, by, title=str):
    """Return means of tau, and the middle half of the tables, by the proportion removed."""
    panels = {}
    for (case, share), part in frame.groupby([by, "proportion"], sort=False):
        for rule in rules:
            taus = known(part[[rule]].to_numpy(float)[:, 0])
            point = mean(taus), quantile(taus, 0.25), quantile(taus, 0.75)
            panels.setdefault(title(case), {}).setdefault(rule, {})[share] = point
    return panels


def some(panels, names):
    return {name: panels[name] for name in names}


def first_table(data, name):
    """Figures 6 and 11: of one table proportions, what equation 4 decides, and sums of points."""
    study = instances_left(data)
    (model,) = (model for model in study.data if model.name == name)
    cell = next(cell for cell in study.cells() if cell.model is model)
    table = fifth_left(cell, study)
    n = table.n_systems
    shares, decided = np.full((n, n), 0.5), set()
    for (i, j), (p, z) in zip(combinations(range(n), 2), own.decided_pairs(table)[0], strict=True):
        shares[i, j], shares[j, i] = p, 1 - p
        if z and abs(p - 0.5) > sqrt(log(1 / 0.01) / (2 * z)):
            decided.add((i, j) if p > 0.5 else (j, i))
    points = own.one_level(*own.higher(table))
    return list(table.systems), shares, decided, competition_ranks(points)


def bounds_by_units(data, name):
    """Beyond the paper: ranks and bounds; the metrics of an instance are one unit."""
    table = data[name]
    units = np.array([str(one) for one in table.instances]) if table.is_instance_level else None
    found = np.array(bounds_of(leads_of(own.higher(table)[0], units))).T
    return [tuple(found[at]) for at in np.argsort(found[:, 0], kind="stable")]


#: The curves of each figure: by title, curve and where, a mean with the ends of its band.
CURVES = {
    "p2-figure-2": lambda data: drawn_missing(
        missing_of_tasks(data), ("mean", "one level"), "model"
    ),
    "p2-figure-3": lambda _: drawn_missing(
        missing_and_scaled(), own.ALL_RULES, "scale", "scale {}".format
    ),
    "p2-figure-5": lambda data: some(drawn_instances(data), own.FIVE[2:]),
    "p2-figure-10": lambda data: some(drawn_instances(data), own.FIVE[:2]),
}
#: Those of figures whose panels share an axis: by panel and curve.
PANELS = {
    "p2-figure-4": lambda _: panels_of(
        [row for row in p2_figure_4(_) if row["alpha"] == 0.01], ["m"], "decided"
    )
}
#: The data sets of each figure of proportions.
CELLS = {
    "p2-figure-6": ["sum_eval"],
    "p2-figure-11": ["dialog_pc", "dialog_tc", "flickr"],
    "p2-figure-11-tac_08": ["tac_08"],
}
#: Ranks and their bounds, best first.
PLACES = {
    "p2-policies-gem": lambda data: bounds_by_units(data, "GEM BLEU"),
    "p2-policies-dialogue": lambda data: bounds_by_units(data, "dialogue with gaps"),
}


def drawn_instances(data):
    return drawn_missing(missing_of_instances(data), own.ALL_RULES, "model")
