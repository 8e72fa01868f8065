"""The study of missing scores: against slow loops by the paper's definitions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import rankagg as ra
from tests import oracles
from tests.studies.rules import Stubborn

POLICIES = ("uniform", "ignore", "last")
SCORES = [[3, 9, 1], [5, 2, 1], [4, 4, 0], [0, 7, None]]
SMALL = ra.ScoreTable(
    [[np.nan if score is None else score for score in row] for row in SCORES],
    systems="ABCD", tasks="xyz", higher_is_better={"x": True, "y": False, "z": True},
    task_weights={"y": 2},
)  # fmt: skip
LATENT = ra.studies.LatentModel(step=0.3, n_systems=5, n_tasks=4, n_instances=3)


def make(**changes):
    settings = {
        "data": [ra.studies.ObservedData(label="small", data=SMALL), LATENT],
        "rules": [ra.Mean(), ra.Median(), ra.Borda()], "policies": POLICIES,
        "proportions": [0, 0.3, 0.8], "n_repetitions": 3, "rng": 5,
    }  # fmt: skip
    return ra.studies.MissingScoresStudy(**(settings | changes))


# -- the figures against a slow loop ---------------------------------------------------------------


def places(scores):
    """Return places from 0, ties sharing one, None where there is no score."""
    known = [score for score in scores if score is not None]
    return [None if s is None else sum(other > s for other in known) for s in scores]


def mean_ranking(rows, weights):
    means = []
    for row in rows:
        known = [(Fraction(s), w) for s, w in zip(row, weights, strict=True) if s is not None]
        means.append(sum(s * w for s, w in known) / sum(w for _, w in known) if known else None)
    return places(means)


def borda_ranking(rows, weights, unranked):
    # A task without any score has nothing to say.
    columns = [
        (places(column), weight)
        for column, weight in zip(zip(*rows, strict=True), weights, strict=True)
        if any(score is not None for score in column)
    ]
    return places(
        oracles.borda([column for column, _ in columns], unranked, [w for _, w in columns])
    )


def completed_tau(first, second):
    """Average the concordant less discordant pairs over all completions; tau-b's denominator."""
    total, count = 0, 0
    for one in oracles.compatible_permutations(first):
        for other in oracles.compatible_permutations(second):
            count += 1
            total += sum(
                1 if (one[i] < one[j]) == (other[i] < other[j]) else -1
                for i, j in oracles.pairs(len(one))
            )
    untied = [
        sum(oracles.judgment(places, i, j) != oracles.TIED for i, j in oracles.pairs(len(places)))
        for places in (first, second)
    ]
    if 0 in untied:
        return None
    return Fraction(total, count) / np.sqrt(untied[0] * untied[1])


def top_shares(ranking, k):
    """Return in what share of the ways to break ties each observed item is among the first k."""
    seen = [i for i, place in enumerate(ranking) if place is not None]
    ways = oracles.compatible_permutations([ranking[i] for i in seen])
    return [frozenset(seen[i] for i, place in enumerate(way) if place < k) for way in ways]


def overlap(first, second, k):
    mine, theirs = top_shares(first, k), top_shares(second, k)
    return np.mean([len(one & other) / k for one in mine for other in theirs])


def same(first, second, k):
    mine, theirs = top_shares(first, k), top_shares(second, k)
    return np.mean([one == other for one in mine for other in theirs])


def test_rows_agree_with_a_loop_over_the_scores():
    study = make(
        data=[ra.studies.ObservedData(label="small", data=SMALL)],
        rules=[ra.Mean(), ra.Borda()],
        proportions=[0, 0.3, 0.6, 0.8],
        n_repetitions=8,
    )
    result = study.run()
    frame = result._frame.set_index(["proportion", "repetition", "method"])
    signed = [[None if s is None else -s if t == 1 else s for t, s in enumerate(row)]
              for row in SCORES]  # fmt: skip
    weights = (1, 2, 1)

    def rank(rows):
        found = {"Mean": mean_ranking(rows, weights)}
        for policy in POLICIES:
            found[f"Borda, {policy}"] = borda_ranking(rows, weights, policy)
        return found

    full, unranked, undefined = rank(signed), 0, 0
    for cell in study.cells():
        rng = cell.generator(study.rng, "missing")
        # 11 of the 12 entries are there: 0, 3.3, 6.6 or 8.8 of them go.
        number = {0: 0, 0.3: 3, 0.6: 7, 0.8: 9}[cell.proportion]
        gone = set(rng.choice(range(11), number, replace=False).tolist()) if number else set()
        rows = [
            [None if 3 * i + j in gone else s for j, s in enumerate(r)]
            for i, r in enumerate(signed)
        ]
        found = rank(rows)
        for method, ranking in found.items():
            row = frame.loc[(cell.proportion, cell.repetition, method)]
            tau = completed_tau(full[method], ranking)
            undefined += tau is None
            assert (
                row["tau"] == pytest.approx(float(tau)) if tau is not None else np.isnan(row["tau"])
            )
            assert row["unranked"] == ranking.count(None)
            unranked += ranking.count(None) > 0
            assert row["lost_systems"] == sum(all(s is None for s in r) for r in rows)
            assert row["lost_tasks"] == sum(
                all(s is None for s in c) for c in zip(*rows, strict=True)
            )
            alone = oracles.kendall_tau_b(*oracles.common(full[method], ranking))
            assert row["tau_ranked"] == pytest.approx(alone, nan_ok=True)
            for k in (1, 3):
                assert row[f"top{k}"] == pytest.approx(overlap(full[method], ranking, k))
            assert row["same_top3"] == pytest.approx(same(full[method], ranking, 3))
            for other, its in found.items():
                tau = completed_tau(ranking, its)
                expected = np.nan if tau is None else float(tau)
                assert row[f"tau with {other}"] == pytest.approx(expected, nan_ok=True)
                assert row[f"top3 with {other}"] == pytest.approx(overlap(ranking, its, 3))
                assert row[f"same_top3 with {other}"] == pytest.approx(same(ranking, its, 3))
    assert unranked
    assert undefined
    assert f"methods left systems unranked {unranked} times" in result.summary()
    assert f"tau is not defined {undefined} times" in result.summary()
    tables = result.to_frame().drop_duplicates(["model", "scale", "proportion", "repetition"])
    lost = (tables["lost_systems"] > 0).sum()
    sentence = f"a system lost all its scores in {lost} of {len(tables)} tables"
    assert sentence in result.summary()


# -- properties ------------------------------------------------------------------------------------


# -- tables ----------------------------------------------------------------------------------------


# -- the papers' data ------------------------------------------------------------------------------


# -- unknown values --------------------------------------------------------------------------------


def test_two_levels_and_latent_scores_agree_with_the_calls_of_a_user():
    rules = [ra.Mean(), ra.Borda(), ra.TwoLevel(ra.Borda(), ra.Borda())]
    study = make(data=[LATENT], rules=rules, proportions=[0.2], scales=[1, 50])
    methods = [(rules[0], "last"), *product(rules[1:], POLICIES)]
    frame = study.run().to_frame().set_index(["scale", "repetition", "method"])
    for cell in study.cells():
        table = LATENT.sample(rng=cell.generator(study.rng, "data"))
        rng = cell.generator(study.rng, "missing")
        # 4 of the 20 pairs of a system and a task.
        pairs = rng.choice(20, 4, replace=False)
        values = table.values.copy()
        if cell.scale != 1:
            task = cell.generator(study.rng, "task").integers(4)
            values[:, table.unit_tasks == task] *= 50
        for pair in pairs:
            values[pair // 4, table.unit_tasks == pair % 4] = np.nan
        left = ra.ScoreTable(
            values, systems=table.systems, higher_is_better=True, instances=table.instances,
            tasks=[table.tasks[t] for t in table.unit_tasks],
        )  # fmt: skip
        truth = ra.Permutation.from_order([4, 3, 2, 1, 0]).reindex(table.systems)
        for (rule, policy), name in zip(methods, study.methods, strict=True):
            row = frame.loc[(cell.scale, cell.repetition, name)]
            ranking = rule.aggregate(left.with_unranked(policy)).ranking
            full = rule.aggregate(table).ranking
            assert row["tau"] == pytest.approx(ra.kendall_tau(ranking, full))
            assert row["tau_true"] == pytest.approx(ra.kendall_tau(ranking, truth))
            assert row["top3"] == pytest.approx(ra.distances.top_k_agreement(ranking, full, 3))


def test_a_method_that_fails_is_counted_and_the_study_continues():
    result = make(data=[LATENT], rules=[Stubborn(), ra.Borda()], policies=None).run()
    frame = result.to_frame()
    failed = (frame["method"] == "Stubborn") & (frame["proportion"] > 0)
    assert (frame.loc[failed, "error"] == "gaps").all()
    assert frame.loc[failed, ["tau", "top1", "tau_ranked", "unranked"]].isna().all(axis=None)
    assert frame.loc[~failed, "error"].isna().all()
    assert frame.loc[~failed & (frame["proportion"] < 0.8), "tau"].notna().all()
    table = result.by_method()
    assert table["failed"].groupby("method").sum().to_dict() == {"Borda": 0, "Stubborn": 6}
    assert "methods failed 6 times" in result.summary()


# -- input -----------------------------------------------------------------------------------------
