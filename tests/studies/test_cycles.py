"""Cycles of majorities: closed forms against going through all profiles, rows against the rules."""

from collections import Counter
from math import comb

import rankagg as ra
from tests.studies.test_closed_forms import RESTRICTED, has_cycle, has_winner, majorities


def test_rows_follow_from_the_majorities():
    models = [
        ra.cultures.ImpartialCulture(),
        ra.studies.LatentModel(step=0.1, n_instances=None),
        *RESTRICTED[:3],
    ]
    study = ra.studies.CycleStudy(
        data=models, n_items=[3, 5], n_rankings=[4, 5], n_repetitions=2, rng=3
    )
    frame = study.run().to_frame()
    seen = Counter()
    for cell, row in zip(study.cells(), frame.to_dict("records"), strict=True):
        data = cell.model.sample(cell.n_items, cell.n_rankings, rng=cell.generator(3, "data"))
        profile = data.rankings() if isinstance(data, ra.ScoreTable) else data
        beats = majorities(profile.ranks.tolist(), cell.n_items)
        votes = profile.pairwise()
        graph, borda = ra.TournamentGraph(votes), ra.Borda().aggregate(profile).ranking
        assert row["winner"] == has_winner(beats, cell.n_items)
        assert row["cycle"] == has_cycle(beats, cell.n_items)
        assert row["tied"] == (len(beats) < comb(cell.n_items, 2))
        exact = ra.Kemeny().aggregate(profile)
        assert row["optimal"] == (votes.cost(borda) <= exact.cost + 1e-9)
        least = min(ra.kendall_distance(borda, one, tie_cost=0.5) for one in exact.optima)
        assert row["distance"] >= least
        if row["winner"]:
            front = [item for item in votes.items if borda.ranks[votes.items.index(item)] == 0]
            assert row["finds_winner"] == (front == [graph.condorcet_winner])
        seen.update(name for name in ("winner", "cycle", "tied", "optimal") if row[name])
    assert all(0 < seen[name] < len(frame) for name in ("winner", "cycle", "tied", "optimal"))
