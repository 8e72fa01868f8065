"""Cycles of majorities: closed forms against going through all profiles, rows against the rules."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import asin, comb, factorial, pi, prod

import pytest
from scipy import stats

import rankagg as ra
from rankagg import plotting
from rankagg.exceptions import InvalidInputError

RESTRICTED = (
    ra.cultures.SinglePeakedCulture(),
    ra.cultures.SinglePeakedCulture(variant="conitzer"),
    ra.cultures.SingleCrossingCulture(),
    ra.cultures.GroupSeparableCulture(),
    ra.cultures.GroupSeparableCulture(tree="caterpillar"),
    ra.cultures.EuclideanCulture(n_dimensions=1),
)


def majorities(rankings, n):
    """Return the pairs that a strict majority has so."""
    margin = {
        (i, j): sum((r[i] < r[j]) - (r[i] > r[j]) for r in rankings)
        for i, j in permutations(range(n), 2)
    }
    return {pair for pair, lead in margin.items() if lead > 0}


def has_winner(beats, n):
    return any(all((i, j) in beats for j in range(n) if j != i) for i in range(n))


def has_cycle(beats, n):
    """Look for an order that no majority is against."""
    return not any(
        all(order.index(i) < order.index(j) for i, j in beats) for order in permutations(range(n))
    )


def enumerated(n, m, anonymous, asked):
    """Sum over all voting situations."""
    kinds = list(permutations(range(n)))
    total = Fraction(0)
    for situation in combinations_with_replacement(kinds, m):
        ways = factorial(m) // prod(factorial(c) for c in Counter(situation).values())
        weight = (
            Fraction(1, comb(m + len(kinds) - 1, m))
            if anonymous
            else Fraction(ways, len(kinds) ** m)
        )
        if asked(majorities(situation, n), n):
            total += weight
    return total


@pytest.mark.parametrize(
    "culture", [ra.cultures.ImpartialCulture(), ra.cultures.AnonymousCulture()], ids=repr
)
@pytest.mark.parametrize(("n", "m"), [(3, m) for m in range(1, 7)] + [(2, 3), (4, 3)])
def test_known_probabilities_are_those_of_all_profiles(culture, n, m) -> None:
    anonymous = culture == ra.cultures.AnonymousCulture()
    if (n, anonymous) == (4, True):
        with pytest.raises(InvalidInputError, match="culture and sizes"):
            ra.studies.condorcet_winner_probability(culture, n, m)
        return
    winner = enumerated(n, m, anonymous, has_winner)
    assert ra.studies.condorcet_winner_probability(culture, n, m) == pytest.approx(
        float(winner), abs=1e-13
    )
    if n < 4 and m % 2:
        cycle = enumerated(n, m, anonymous, has_cycle)
        assert ra.studies.cycle_probability(culture, n, m) == pytest.approx(float(cycle), abs=1e-13)


def test_printed_probabilities() -> None:
    """Those of Gehrlein and Fishburn (1976) for few rankings, and of Guilbaud (1952)."""
    impartial, anonymous = ra.cultures.ImpartialCulture(), ra.cultures.AnonymousCulture()
    assert ra.studies.cycle_probability(impartial, 3, 3) == pytest.approx(1 / 18)
    found = [ra.studies.cycle_probability(impartial, 3, m) for m in (5, 7, 9, 11)]
    assert [round(p, 5) for p in found] == [0.06944, 0.07502, 0.07798, 0.07981]
    assert ra.studies.cycle_probability(impartial, 3) == pytest.approx(
        0.25 - 1.5 * asin(1 / 3) / pi
    )
    assert round(100 * ra.studies.cycle_probability(impartial, 3), 2) == 8.77
    assert ra.studies.cycle_probability(anonymous, 3) == 1 / 16
    assert ra.studies.cycle_probability(anonymous, 3, 9999) == pytest.approx(1 / 16, abs=1e-4)
    assert ra.studies.condorcet_winner_probability(impartial, 4) == pytest.approx(0.8245, abs=1e-4)
    assert ra.studies.cycle_probability(impartial, 3, 2001) == pytest.approx(0.08774, abs=1e-4)


@pytest.mark.parametrize(
    ("culture", "n", "m"),
    [
        (ra.cultures.ImpartialCulture(), 5, 3),
        (ra.cultures.ImpartialCulture(), 3, 10**4 + 1),
        (ra.cultures.UrnCulture(contagion=0.1), 3, 3),
        (ra.cultures.MallowsCulture(phi=0.5), 3, 3),
        (ra.cultures.EuclideanCulture(), 3, None),
    ],
)
def test_what_is_not_known_is_refused(culture, n, m) -> None:
    for ask in (ra.studies.cycle_probability, ra.studies.condorcet_winner_probability):
        with pytest.raises(InvalidInputError, match="A CycleStudy estimates it"):
            ask(culture, n, m)
    with pytest.raises(InvalidInputError, match="`culture`"):
        ra.studies.cycle_probability("impartial", 3)


def test_rows_are_what_the_rules_say() -> None:
    models = [
        ra.cultures.ImpartialCulture(),
        ra.studies.LatentModel(step=0.1, n_instances=None),
        *RESTRICTED[:3],
    ]
    study = ra.studies.CycleStudy(
        models=models, n_items=[3, 5], n_rankings=[4, 5], n_repetitions=2, seed=3
    )
    frame = study.run().to_frame()
    seen = Counter()
    for cell, row in zip(study.cells(), frame.to_dict("records"), strict=True):
        data = cell.model.draw(cell.n_items, cell.n_rankings, rng=cell.generator(3, "data"))
        profile = data.rankings() if isinstance(data, ra.ScoreTable) else data
        beats = majorities(profile.ranks.tolist(), cell.n_items)
        votes = profile.pairwise()
        graph, borda = ra.TournamentGraph(votes), ra.Borda().aggregate(profile).ranking
        assert row["winner"] == has_winner(beats, cell.n_items)
        assert row["cycle"] == has_cycle(beats, cell.n_items)
        assert row["tied"] == (len(beats) < comb(cell.n_items, 2))
        exact = ra.Kemeny().aggregate(profile)
        assert row["optimal"] == (votes.cost(borda) <= exact.cost + 1e-9)
        least = min(ra.kendall_distance(borda, one, p=0.5) for one in exact.optima)
        assert row["distance"] >= least
        if row["winner"]:
            front = [item for item in votes.items if borda.ranks[votes.items.index(item)] == 0]
            assert row["finds_winner"] == (front == [graph.condorcet_winner])
        seen.update(name for name in ("winner", "cycle", "tied", "optimal") if row[name])
    assert all(0 < seen[name] < len(frame) for name in ("winner", "cycle", "tied", "optimal"))


@pytest.mark.parametrize("n_rankings", [5, 6])
def test_restricted_domains_have_no_cycles(n_rankings) -> None:
    study = ra.studies.CycleStudy(
        models=RESTRICTED, n_items=[5], n_rankings=[n_rankings], n_repetitions=5
    )
    table = study.run().by_size()
    assert (table["cycle"] == 0).all()
    assert (table["cycle_exact"] == 0).all()
    if n_rankings % 2:
        assert (table["winner"] == 1).all()
        assert (table["winner_exact"] == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "culture", [ra.cultures.ImpartialCulture(), ra.cultures.AnonymousCulture()], ids=repr
)
def test_shares_are_near_what_is_known(culture) -> None:
    study = ra.studies.CycleStudy(models=[culture], n_rankings=[3, 4, 25], n_repetitions=4000)
    for row in study.run().by_size().to_dict("records"):
        hits = round(row["winner"] * 4000)
        assert stats.binomtest(hits, 4000, row["winner_exact"]).pvalue > 1e-3


def test_studies_go_on_from_a_journal_with_any_number_of_workers(tmp_path) -> None:
    small = ra.studies.CycleStudy(
        models=[ra.cultures.ImpartialCulture()], n_rankings=[5], n_repetitions=4
    )
    large = ra.studies.CycleStudy(
        models=[ra.cultures.ImpartialCulture()], n_rankings=[5, 6], n_repetitions=6
    )
    journal = tmp_path / "a.jsonl"
    small.run(journal=journal)
    first = journal.read_text(encoding="utf-8")
    assert large.run(journal=journal) == large.run()
    assert journal.read_text(encoding="utf-8").startswith(first)
    again = json.dumps(large.run(journal=journal).to_dict())
    assert again == json.dumps(large.run().to_dict())


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"models": []}, "models of CycleStudy"),
        ({"models": ["impartial"]}, "models"),
        ({"models": [ra.cultures.ImpartialCulture()] * 2}, "models of CycleStudy"),
        ({"n_items": [1]}, "n_items of CycleStudy"),
        ({"n_rankings": [0]}, "n_rankings of CycleStudy"),
        ({"n_repetitions": 0}, "n_repetitions of CycleStudy"),
        ({"seed": -1}, "seed of CycleStudy"),
    ],
)
def test_what_is_out_of_range_is_named(changes, named) -> None:
    with pytest.raises(InvalidInputError, match=named):
        ra.studies.CycleStudy(**({"models": [ra.cultures.ImpartialCulture()]} | changes))


@pytest.mark.parametrize("measure", ["winner", "cycle", "optimal"])
def test_the_plot_shows_the_shares_and_what_is_known(measure) -> None:
    models = [ra.cultures.ImpartialCulture(), ra.cultures.UrnCulture(contagion=0.2)]
    result = ra.studies.CycleStudy(models=models, n_rankings=[3, 5], n_repetitions=8).run()
    table = result.by_size()
    ax = plotting.cycle_plot(result, measure=measure)
    lines = {line.get_gid(): list(line.get_ydata()) for line in ax.get_lines()}
    assert lines["curve-0"] == table[measure].tolist()[:2]
    assert lines["curve-1"] == table[measure].tolist()[2:]
    exact = [name for name in lines if name and name.startswith("exact")]
    assert exact == ([] if measure == "optimal" else ["exact-0"])
    if exact:
        assert lines["exact-0"] == table[f"{measure}_exact"].tolist()[:2]
    limits = [values for name, values in lines.items() if name and name.startswith("limit")]
    limit = {"cycle": 0.0877, "winner": 0.9123}.get(measure)
    assert limits == ([] if limit is None else [pytest.approx([limit] * 2, abs=1e-4)])
    with pytest.raises(InvalidInputError, match=r"CycleStudy\.run"):
        plotting.cycle_plot(table)


def test_numbers_of_rankings_that_are_far_apart_are_spread() -> None:
    models = [ra.cultures.ImpartialCulture()]
    for numbers, scale in (([3, 5, 9], "linear"), ([3, 11, 101], "log"), ([3, 101], "linear")):
        result = ra.studies.CycleStudy(models=models, n_rankings=numbers, n_repetitions=2).run()
        ax = plotting.cycle_plot(result)
        assert ax.get_xscale() == scale
        assert [label.get_text() for label in ax.get_xticklabels()] == list(map(str, numbers))


def test_what_is_known_is_told_with_its_source() -> None:
    models = [ra.cultures.ImpartialCulture(), ra.cultures.UrnCulture(contagion=0.2), *RESTRICTED]
    study = ra.studies.CycleStudy(models=models, n_items=[2, 3], n_rankings=[3], n_repetitions=1)
    result = study.run()
    known = {row["model"]: row["source"] for row in result.to_dict()["known"]}
    assert set(known) == {model.name for model in models} - {models[1].name}
    assert all(known.values())
    told = str(result)
    assert (
        "exact for ImpartialCulture(), 3 items: Guilbaud (1952), Gehrlein and Fishburn (1976); "
        "with ever more rankings 8.77% are cyclic" in told
    )
    text = ra.studies.condorcet_winner_probability.__doc__ or ""
    for source in known.values():
        assert all(f"({part[-5:-1]})" in text for part in source.split(", ") if part[-1] == ")")
