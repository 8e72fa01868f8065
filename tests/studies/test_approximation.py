"""Studies: every figure equals that of going through all orders, by any number of workers."""

from dataclasses import replace
from itertools import permutations
from math import comb
from pathlib import Path
from runpy import run_path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import rankagg as ra
from rankagg.core import places
from rankagg.studies.votes import _without_entries

RULES = (ra.Borda(), ra.KwikSort(), ra.InsertionSearch())
MODELS = (
    ra.cultures.MallowsCulture(phi=0.9),
    ra.cultures.PlackettLuceCulture(spread=0.5),
    ra.studies.LatentModel(step=0.1, n_instances=None),
)


def make(**changes):
    settings = {
        "rules": RULES, "data": MODELS, "n_items": [3, 5], "n_rankings": [4],
        "missing": [0.0, 0.3], "n_repetitions": 3, "rng": 7,
    }  # fmt: skip
    return ra.studies.ApproximationStudy(**(settings | changes))


def numbers(result):
    return result.to_frame().drop(columns=["runtime", "exact_runtime"])


def data_of(study, cell):
    """Draw a cell again, from its own random numbers."""
    drawn = cell.model.sample(cell.n_items, cell.n_rankings, rng=cell.generator(study.rng, "data"))
    return _without_entries(drawn, cell.missing, cell.generator(study.rng, "missing"))


def all_costs(votes):
    """Map every order of the items to its cost."""
    wins = votes.wins
    return {
        order: sum(wins[order[j], order[i]] for j in range(len(order)) for i in range(j))
        for order in permutations(range(votes.n_items))
    }


# -- the figures ----------------------------------------------------------------------------------


def test_rows_equal_brute_force_over_all_orders():
    study = make(n_repetitions=1)
    frame = numbers(study.run())
    rows = frame.set_index(["model", "n_items", "missing", "repetition", "method"])
    for cell in study.cells():
        data = data_of(study, cell)
        rankings = data.rankings() if isinstance(data, ra.ScoreTable) else data
        votes = rankings.pairwise()
        costs = all_costs(votes)
        # Of the votes on two items that a ranking leaves out, half are against every order.
        always = sum(
            comb(list(row).count(places.UNRANKED), 2) * count * weight / 2
            for row, count, weight in zip(
                rankings.ranks, rankings.counts, rankings.weights, strict=True
            )
        )
        least = min(costs.values())
        optima = [order for order, cost in costs.items() if cost <= least + 1e-9]
        for rule in RULES:
            row = rows.loc[
                (cell.model.name, cell.n_items, cell.missing, cell.repetition, rule.name)
            ]
            result = rule.aggregate(data, rng=cell.generator(study.rng, repr(rule)))
            assert row["proved"]
            assert row["optimum"] == pytest.approx(least)
            assert row["lower_bound"] == pytest.approx(least)
            assert row["cost"] == pytest.approx(votes.cost(result.ranking))
            assert row["ratio"] == pytest.approx(
                (row["cost"] - always) / (least - always) if least > always else 1.0
            )
            assert row["ratio_high"] == row["ratio"]
            assert row["hit"] == (abs(row["cost"] - least) < 1e-9)
            distances = [
                ra.kendall_distance(
                    result.ranking,
                    ra.Permutation.from_order([votes.items[k] for k in order], items=votes.items),
                    tie_cost=0.5,
                )
                for order in optima
            ]
            assert min(distances) <= row["distance"] <= max(distances)


# -- unknown values -------------------------------------------------------------------------------


def test_unproved_cells_are_counted_and_their_ratio_is_an_interval():
    limits = {
        "data": [ra.cultures.PlackettLuceCulture(spread=0.1)],
        "n_items": [30],
        "n_rankings": [7],
    }
    stopped = make(missing=[0], n_repetitions=4, time_limit=0.0, **limits).run()
    true = numbers(make(missing=[0], n_repetitions=4, **limits).run())
    frame = numbers(stopped)
    assert stopped.n_unproved == 4
    assert not frame["proved"].any()
    assert (frame["lower_bound"] <= true["optimum"]).all()
    assert (frame["optimum"] >= true["optimum"]).all()
    assert (frame["ratio"] <= true["ratio"] + 1e-12).all()
    assert (frame["ratio_high"] >= true["ratio"] - 1e-12).all()
    assert (frame["ratio_high"] > frame["ratio"]).all()
    beaten = frame["cost"] > frame["optimum"] + 1e-6
    assert (frame.loc[beaten, "hit"] == False).all()  # noqa: E712
    assert frame.loc[~beaten, "hit"].isna().all()
    assert "optimum proved in 0 of 4" in stopped.summary()
    assert (stopped.by_method()["unproved"] == 4).all()


# -- input ----------------------------------------------------------------------------------------


# -- the kept study -------------------------------------------------------------------------------

LONG = Path(__file__).parents[2] / "examples" / "long"


def kept_study():
    """Return the study of the example, and the rows that it is known to give."""
    names = run_path(str(LONG / "approximation.py"))
    return names["STUDY"], pd.read_csv(LONG / "approximation.csv")


def assert_reproduces(repetitions):
    study, kept = kept_study()
    part = numbers(replace(study, n_repetitions=repetitions).run())[list(kept.columns)]
    expected = kept[kept["repetition"] < repetitions].reset_index(drop=True)
    assert len(expected) == 3 * 3 * 5 * repetitions
    assert_frame_equal(part, expected, check_dtype=False, rtol=1e-12)


def test_the_kept_study_is_reproduced_in_part():
    assert_reproduces(repetitions=1)
