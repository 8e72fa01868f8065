"""Compatible rankings and gaps of the second paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import factorial

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core.items import ItemSet
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.scores import ScoreTable
from rankagg.distances import kendall_tau
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet, as_order, scores_of
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p2_as_run import by_counts, chance_of, counted_profile
from rankagg.replication.published import Value

MATRIX, SUMS, FORMULA, THEOREM = "Section 2.2.1", "Equation 5", "Equation 6", "Theorem 1"
COIN, UNIFORM, REMARKS = "Algorithm 1", "Algorithm 2", ("Remark 1", "Remark 2", "Remark 3")
ITEMS = (MATRIX, SUMS, FORMULA, THEOREM, COIN, UNIFORM, *REMARKS)
DRAWS = 60_000
# Shares that are off by more standard errors than this are others.
ERRORS = 4.5
# Every partial ranking of so many items is enumerated.
LARGEST = 6


def run_compatible(bench: Bench) -> Found:
    """Hold closed forms against all compatible permutations, and draw some of them."""
    values = {**_matrix(), **_formula(), **_counts(), **_draws(), **_column_sums()}
    return Found(values)


def _ranking(n: int, k: int) -> PartialRanking:
    """Rank the first k of n items, and leave the others unranked."""
    return PartialRanking([*range(k), *[UNRANKED] * (n - k)], ItemSet(range(n)))


def _sizes(largest: int) -> Iterator[tuple[int, int]]:
    return ((n, k) for n in range(1, largest + 1) for k in range(n))


def _matrix() -> dict[tuple[str, str], Value]:
    """Return entries of M: two ranked items, two unranked ones, and one of each."""
    chances = _ranking(4, 2).pairwise_probabilities()
    return {
        (MATRIX, "M of i before j, both ranked"): float(chances[0, 1]),
        (MATRIX, "M of i before j, neither ranked"): float(chances[2, 3]),
        (MATRIX, "permutations compatible with two ranked of three"): float(
            _ranking(3, 2).n_compatible_permutations
        ),
    }


def _formula() -> dict[tuple[str, str], Value]:
    values: dict[tuple[str, str], Value] = {}
    for k in (1, 2, 3):
        chances = _ranking(5, k).pairwise_probabilities()
        for r in range(k):
            values[FORMULA, f"chance before rank {r} of {k}, n = 5"] = float(chances[4, r])
    expected = _ranking(5, 3).expected_ranks() + 1
    for place in (1, 2, 3):
        values[FORMULA, f"expected rank of place {place} of 3, n = 5"] = float(expected[place - 1])
    values[FORMULA, "expected rank of an unranked system, n = 5"] = float(expected[4])
    return values


def _counts() -> dict[tuple[str, str], Value]:
    """Count all compatible permutations of small rankings, and compare."""
    apart, miscounted, moved = 0.0, 0.0, 0.0
    for n, k in _sizes(LARGEST):
        ranking = _ranking(n, k)
        every = np.array([other.ranks for other in ranking.compatible_permutations()])
        before = (every[:, :, None] < every[:, None, :]).mean(axis=0)
        chances = ranking.pairwise_probabilities()
        np.fill_diagonal(before, 0)
        np.fill_diagonal(chances := chances.copy(), 0)
        apart = max(apart, _apart(before, chances))
        total = ranking.n_compatible_permutations
        miscounted = max(miscounted, abs(total - len(every)))
        # What does not depend on n needs no table of it.
        smallest = _ranking(k + 1, k).pairwise_probabilities()[k, :k]
        moved = max([moved, *np.abs(chances[n - 1, :k] - smallest).tolist()])
    return {
        (FORMULA, "largest difference from enumeration, n to 6"): apart,
        (THEOREM, "largest error of the number of permutations, n to 6"): float(miscounted),
        **{
            (THEOREM, f"permutations compatible with {k} of {n}"): float(
                _ranking(n, k).n_compatible_permutations
            )
            for n, k in ((5, 2), (10, 4), (15, 12))
        },
        (REMARKS[2], "largest change of p(n, k, r) with n, to 6"): moved,
    }


def _draws() -> dict[tuple[str, str], Value]:
    """Return the distribution of a fair coin, and shares of uniform draws."""
    one_of_three = PartialRanking.from_order("BC", items="ABC")
    places = _sampled(one_of_three)[:, 0]
    shares = np.bincount(places, minlength=3) / DRAWS
    two_of_five = _sampled(_ranking(5, 2))
    kinds = np.unique(two_of_five, axis=0, return_counts=True)[1]
    uniform = 1 / (factorial(5) // factorial(2))
    error = (uniform * (1 - uniform) / DRAWS) ** 0.5
    alike = (
        kinds.size * uniform > 1 - error and (abs(kinds / DRAWS - uniform) < ERRORS * error).all()
    )
    return {
        **{
            (COIN, f"chance of {word} by the coin"): float(chance_of(word))
            for word in ("ABB", "BAB", "BBA")
        },
        **{
            (COIN, f"share of {word}, drawn uniformly"): float(share)
            for word, share in zip(("ABB", "BAB", "BBA"), shares, strict=True)
        },
        (UNIFORM, "60 permutations are drawn as often, 2 of 5 ranked"): "yes" if alike else "no",
    }


def _sampled(ranking: PartialRanking) -> Ranks:
    profile = Profile.from_ranks(
        np.tile(np.where(ranking.ranks == UNRANKED, np.nan, ranking.ranks), (DRAWS, 1)),
        items=ranking.items,
    )
    return profile.sample_compatible(rng=0).ranks


def _column_sums() -> dict[tuple[str, str], Value]:
    """Sum the columns of M, and hold them against the sums of expected ranks."""
    gaps, complete = load_table("xtreme_gaps"), load_table("toy_tasks")
    order = np.argsort(_compatible_sums(gaps), kind="stable")
    ranking = PartialRanking.from_order(
        [gaps.systems[at] for at in order.tolist()], items=gaps.systems
    )
    ranks: Floats = complete.rankings().ranks.sum(axis=0).astype(float)
    return {
        (SUMS, "order by the column sums, Table 5"): as_order(ranking),
        (SUMS, "largest difference from sums of expected ranks, Table 5"): _apart(
            _compatible_sums(gaps), _borda_sums(gaps)
        ),
        (REMARKS[0], "largest difference from sums of ranks, nothing missing"): _apart(
            _compatible_sums(complete), ranks
        ),
        (REMARKS[1], "order by the sums of ranks, nothing missing"): as_order(
            Borda().aggregate(complete).ranking
        ),
    }


def _compatible_sums(table: ScoreTable) -> Floats:
    """Sum over the columns how often the others are before a system: its rank, from 0."""
    sums: Floats = table.rankings().pairwise("uniform").wins.sum(axis=0)
    return sums


def _borda_sums(table: ScoreTable) -> Floats:
    sums: Floats = table.n_tasks * (table.n_systems - 1) - scores_of(Borda().aggregate(table))
    return sums


def _apart(one: Floats, other: Floats) -> float:
    # Less than the twelfth decimal is rounding.
    return round(float(np.abs(one - other).max()), 12)


COMPATIBLE_EXPERIMENTS = (
    Experiment("p2-equation-6", "compatible permutations", ITEMS, run_compatible),
)


TABLE, APPENDIX = "Table 5", "Appendix C.1"
TASKS, INSTANCES = "Example: xtreme_missing", "Example: DIALOGUE_pc_missing"
Values = dict[tuple[str, str], Value]


def run_gap(bench: Bench) -> Found:
    """Rank tables with gaps by sums of proportions, by sums of counts and by means."""
    gaps = load_table("xtreme_gaps")
    values = _of_table_5(gaps)
    for table in bench.tables("XTREME with gaps").values():
        values |= _of_xtreme(table)
    for table in bench.tables("dialogue with gaps").values():
        values |= _of_dialogue(table)
    frame = gaps.to_frame().rename_axis("system").reset_index()
    caption = "XTREME with 10 systems, 18 of 40 scores missing; higher is better."
    return Found(values, sheets=(Sheet("p2-table-5", caption, frame),))


def _of_table_5(table: ScoreTable) -> Values:
    rankings = table.rankings()
    mean = Mean().aggregate(table).ranking
    return {
        (TABLE, "systems"): float(table.n_systems),
        (TABLE, "missing scores"): float(table.n_missing),
        (TABLE, "proportion of missing scores"): table.n_missing / table.values.size,
        (APPENDIX, "order by one level"): as_order(Borda().aggregate(table).ranking),
        (APPENDIX, "order by the mean"): as_order(mean),
        (APPENDIX, "systems without a mean"): ", ".join(map(str, mean.unranked)),
        (APPENDIX, "order by sums of counts"): as_order(by_counts(rankings)),
        **_numbered(APPENDIX, "sum of ranks", table.systems, _gap_sums(table)),
    }


def _of_xtreme(table: ScoreTable) -> Values:
    rankings = table.rankings()
    counted = counted_profile(rankings)
    total = counted.n_rankings * (table.n_systems - 1)
    by_count = Borda().aggregate(counted)
    without = table.drop(tasks=["Score"])
    rows = [f"row {row}" for row in range(table.n_systems)]
    return {
        **_numbered(TASKS, "sum of ranks", rows, _gap_sums(table)),
        **_numbered(TASKS, "sum of ranks without Score", rows, _gap_sums(without)),
        **_numbered(TASKS, "mean", rows, scores_of(Mean().aggregate(table))),
        **_numbered(TASKS, "sum of ranks by counts", rows, total - scores_of(by_count)),
        (TASKS, "tau of sums by counts and by proportions"): kendall_tau(
            by_count.ranking, Borda().aggregate(table).ranking
        ),
    }


def _of_dialogue(table: ScoreTable) -> Values:
    two = {
        absent: table.n_tasks * (table.n_systems - 1)
        - scores_of(TwoLevel(Borda(), Borda(), absent=absent).aggregate(table))
        for absent in ("ranked", "unranked")
    }
    ties = sum(not ranking.is_strict for ranking in table.rankings())
    return {
        (INSTANCES, "rankings"): float(table.n_units),
        (INSTANCES, "rankings with ties"): float(ties),
        **_numbered(INSTANCES, "sum of ranks, one level", table.systems, _gap_sums(table)),
        **_numbered(INSTANCES, "sum of ranks, two levels", table.systems, two["ranked"]),
        **_numbered(
            INSTANCES, "sum of ranks, two levels, absent systems unranked", table.systems,
            two["unranked"],
        ),
    }  # fmt: skip


def _gap_sums(table: ScoreTable) -> Floats:
    """Sum expected ranks from 0, as the columns of M do."""
    sums: Floats = table.n_units * (table.n_systems - 1) - scores_of(Borda().aggregate(table))
    return sums


def _numbered(item: str, what: str, names: Iterable[object], numbers: Floats) -> Values:
    pairs = zip(names, np.asarray(numbers).tolist(), strict=True)
    return {(item, f"{what}, {name}"): number for name, number in pairs}


GAP_EXPERIMENTS = (
    Experiment("p2-table-5", "tables with gaps", (TABLE, APPENDIX, TASKS, INSTANCES), run_gap),
)
