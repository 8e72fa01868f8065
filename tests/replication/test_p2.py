"""The second paper: its facts have their rows, and are reached with the data."""

from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.replication import p2_as_run as as_run
from rankagg.replication.leaderboards import CATALOGUE, Leaderboards
from rankagg.replication.p2_as_run import chance_of, counted_profile, run_again, shuffle
from rankagg.replication.published import (
    AS_RUN,
    BEYOND,
    EXPLAINED,
    MISSED,
    NONE,
    OPEN,
    REACHED,
    published,
)
from rankagg.replication.replication import EXPERIMENTS
from tests.conftest import DATA

FORMULAS = {
    "(r+1)/(k+1)": [("Equation 6", f"chance before rank {r} of {k}, n = 5", (r + 1) / (k + 1))
                    for k in (1, 2, 3) for r in range(k)],
    "n!/k!": [("Theorem 1", "permutations compatible with 2 of 5", 60),
              ("Theorem 1", "permutations compatible with 4 of 10", 151200),
              ("Theorem 1", "permutations compatible with 12 of 15", 2730)],
    "(r1)(n+1)/(k+1) with 1-based r1": [
        ("Equation 6", f"expected rank of place {r1} of 3, n = 5", r1 * 6 / 4) for r1 in (1, 2, 3)],
    "(n+1)/2": [("Equation 6", "expected rank of an unranked system, n = 5", 3)],
}  # fmt: skip
XTREME, DIALOGUE = "Example: xtreme_missing", "Example: DIALOGUE_pc_missing"
SUMS = {
    "colsums_ratio": "sum of ranks",
    "colsums_ratio_without_Score": "sum of ranks without Score",
    "mean": "mean",
    "colsums_weighted(CLI up to tie bias)": "sum of ranks by counts",
}
FORMS = {
    "ratios (paper def), Score col incl.": "by proportions",
    "weights n!/k! (their code), Score col incl.": "by counts",
    "ratios, Score col dropped": "without Score",
}
BOARDS = {"glue": "GLUE", "superglue": "SuperGLUE", "xtrem": "XTREME", "gem": "GEM"}
MEASURES = (
    ("Table 1", "tau of one level and the mean"), ("Table 1", "standard deviation of tau"),
    ("Table 2", "top 1"), ("Table 2", "top 3"), ("Figure 2", "tau with the full data, one level"),
    ("Figure 2", "tau with the full data, mean"),
)  # fmt: skip
RADII = {"c(delta=.01,z=100)": "radius", "two_sided(delta=.01,z=100)": "radius on both sides"}
#: Experiments that take little time with all data.
SOON = ("p2-equation-6", "p2-table-5", "p2-figure-7", "p2-policies")
LEVELS = {"one_level": "one level", "two_level": "two levels"}
# Names, and what is printed in place of the definition.
NO_NUMBERS = ("systems", "CLI_prints")
PROGRAM = {"one": "one level", "two": "two levels"}


def rows_of(name, leaf, value, case):
    """Return the item, the quantity and the number of a leaf of the facts; several for lists."""
    if isinstance(value, str):
        return FORMULAS[value]
    if name == "alg1_not_uniform":
        return [("Algorithm 1", f"chance of {leaf} by the coin", value)]
    if name == "xtreme_missing":
        return [(XTREME, f"{SUMS[leaf]}, row {at}", number) for at, number in enumerate(value)]
    if leaf in LEVELS:
        return [
            (DIALOGUE, f"sum of ranks, {LEVELS[leaf]}, {system}", number)
            for system, number in zip(case["systems"], value, strict=True)
        ]
    if name == "hoeffding":
        return [("Equation 4", f"{RADII[leaf]}, delta = .01, z = 100", value)]
    raise AssertionError(name)


@pytest.fixture(scope="module")
def definitions(facts):
    """Return (item, quantity) to the number of the facts and its tolerance."""
    names = (
        "p_n_k_r", "t_n_k", "expected_rank", "alg1_not_uniform", "xtreme_missing",
        "dialogue_pc_missing", "hoeffding",
    )  # fmt: skip
    expected = {}
    for name in names:
        case = facts("paper_values")[name]
        assert case["kind"] == "definition"
        tree = case["value"] if isinstance(case["value"], dict) else {name: case["value"]}
        for leaf, value in tree.items():
            if leaf not in NO_NUMBERS:
                for item, quantity, number in rows_of(name, leaf, value, tree):
                    expected[item, quantity] = (number, case["tolerance"])
    return expected


def test_the_facts_have_their_rows(definitions):
    rows = {(row.item, row.quantity): row for row in published("P2")}
    for key, (number, tolerance) in definitions.items():
        assert float(rows[key].reference) == pytest.approx(number, rel=1e-9), key
        assert rows[key].tolerance <= max(tolerance, 1e-6), key


def test_the_run_of_the_authors_is_that_of_the_facts(facts):
    """Ours has other random numbers than the run that the facts were computed with, and theirs."""
    rows = {(row.item, row.quantity): row for row in published("P2")}
    for leaf, numbers in facts("paper_values")["t1_from_scratch"]["value"].items():
        board, form = leaf.split("|")
        for (item, what), number in zip(MEASURES, numbers, strict=True):
            row = rows.get((item, f"{what}, {BOARDS[board]}, run again {FORMS[form]}"))
            if row is None:
                assert leaf == "gem|ratios, Score col dropped"
                continue
            assert row.definition == ""
            assert float(row.authors) == pytest.approx(number, abs=0.045), (item, what, leaf)
    names = {"GLUE": "GLUE", "SGLUE": "SuperGLUE", "XTREM": "XTREME", "GEM": "GEM"}
    for name, (tau, spread) in facts("paper_values")["003_table1"]["value"].items():
        shipped = rows["Table 1", f"tau of one level and the mean, {names[name]}"]
        assert float(shipped.authors) == pytest.approx(tau, abs=2e-4)
        shipped = rows["Table 1", f"standard deviation of tau, {names[name]}"]
        assert float(shipped.authors) == pytest.approx(spread, abs=2e-4)
    for top, values in facts("paper_values")["003_table2"]["value"].items():
        for name, share in values.items():
            row = rows["Table 2", f"top {top[3:]}, {names[name]}"]
            assert float(row.authors) == pytest.approx(share, abs=5e-4)
    for size, values in facts("paper_values")["fig4_interval"]["value"].items():
        m = size.split()[0].partition("=")[2]
        steps = ("0.01", "0.142", "0.273", "0.405", "0.537", "0.668", "0.8")
        for step, share in zip(steps, values, strict=True):
            row = rows["Figure 4", f"share decided by its radius, m = {m}, phi = {step}"]
            assert float(row.authors) == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize(
    ("board", "tau", "lead"),
    [("GLUE", 0.642, "0.08"), ("SuperGLUE", 0.666, "0.06"), ("XTREME", 0.492, "more than .10")],
)
def test_what_the_papers_words_give(board, tau, lead):
    rows = {(row.item, row.quantity): row for row in published("P2")}
    row = rows["Table 1", f"tau of one level and the mean, {board}"]
    assert float(row.definition) == pytest.approx(tau, abs=0.005)
    assert rows["Figure 2", f"one level ahead of the mean, {board}"].definition == lead


def test_what_the_program_prints_is_beside_the_definition(facts):
    case = facts("paper_values")["dialogue_pc_missing"]["value"]
    rows = {(row.item, row.quantity): row for row in published("P2")}
    for key, what in PROGRAM.items():
        for system, number in zip(case["systems"], case["CLI_prints"][key], strict=True):
            row = rows[DIALOGUE, f"sum of ranks, {what}, {system}"]
            assert float(row.authors) == number
            assert row.erratum == "program-ties"


@pytest.fixture(scope="module")
def folder():
    """Return the folder of the data, where it is whole."""
    board = Leaderboards(DATA if DATA.is_dir() else None)
    absent = [why for name in CATALOGUE if (why := board.why_not(name))]
    if absent:
        pytest.skip(absent[0])
    return DATA


@pytest.fixture(scope="module")
def bundled():
    """Return what a quick run on bundled data finds."""
    return ra.replication.replicate("p2", quick=True, progress=False)


@pytest.fixture(scope="module")
def soon(folder):
    """Return a run with all data of what takes little time."""
    return ra.replication.replicate(*SOON, data=folder, quick=True, progress=False)


def test_nothing_bundled_is_missed(bundled):
    assert [row for row in bundled.rows if row.verdict == MISSED] == []
    for row in bundled.rows:
        # What is bundled and not random is judged.
        if row.verdict == OPEN:
            told = ("not bundled", "repetitions", "not computed")
            assert any(words in row.reason for words in told), row


def test_all_experiments_are_run(bundled):
    names = [one.name for one in EXPERIMENTS if one.paper == "P2"]
    assert [outcome.experiment.name for outcome in bundled.outcomes] == names


def test_every_table_and_figure_has_a_row():
    items = {row.item for row in published("P2")}
    assert {f"Table {number}" for number in range(1, 6)} <= items
    assert {f"Figure {number}" for number in range(1, 12)} <= items


def test_all_that_takes_little_time_is_judged(soon, definitions):
    assert {row.verdict for row in soon.rows} <= {REACHED, AS_RUN, EXPLAINED, NONE, BEYOND}
    here = {(row.item, row.quantity): row.here for row in soon.rows}
    agree_with(here, {key: value for key, value in definitions.items() if key in here})
    assert len(definitions.keys() & here.keys()) == 84


def agree_with(here, definitions):
    for key, (number, tolerance) in definitions.items():
        assert float(here[key]) == pytest.approx(number, abs=max(tolerance, 1e-9)), key


def test_the_run_of_the_paper(folder):
    table = Leaderboards(folder)["XTREME"]
    one, again = (run_again(table, 1, seed=seed) for seed in (5, 5))
    assert one == again
    assert one != run_again(table, 1, seed=6)
    # What is summed decides nothing about the mean, nor whether it takes part.
    assert run_again(table, 1, sums=("proportions",), seed=5)["proportions"] == one["proportions"]
    assert one["counts"].mean == one["proportions"].mean
    assert one["counts"].one_level < one["proportions"].one_level


@pytest.mark.parametrize(("place", "system"), [(0, "D"), (1, None), (2, None), (3, "A")])
def test_a_tied_place_is_nobodys(place, system):
    ranking = ra.PartialRanking.from_buckets(["A", "BC", "D"], items="ABCD")
    assert as_run._alone_in(ranking, place) == system
    assert as_run._same(ranking, ranking, place) == (system is not None)


def test_scores_are_removed_one_by_one():
    table = ra.ScoreTable(np.ones((30, 40)), higher_is_better=True)
    rng = np.random.default_rng(0)
    shares = np.array([as_run._remove(table, 0.3, rng).n_missing / 1200 for _ in range(50)])
    assert shares.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 1200 / 50))
    assert shares.std() == pytest.approx(np.sqrt(0.21 / 1200), rel=0.5)
    assert as_run._remove(table, 0.0, rng).n_missing == 0
    assert as_run._remove(table, 1.0, rng) is None


def test_counts_are_those_of_compatible_permutations():
    rankings = ra.datasets.load("xtreme_gaps").rankings()
    counted = counted_profile(rankings)
    assert counted.counts.tolist() == [r.n_compatible_permutations for r in rankings]


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2, 2), (3, 1), (0, 2)])
def test_the_coin(a, b):
    words = {"".join(word) for word in permutations("A" * a + "B" * b)}
    law = {word: float(chance_of(word)) for word in words}
    assert sum(law.values()) == 1
    rng = np.random.default_rng(0)
    size = 4000
    drawn = ["".join(shuffle("A" * a, "B" * b, rng)) for _ in range(size)]
    for word in words:
        error = np.sqrt(law[word] * (1 - law[word]) / size)
        assert abs(drawn.count(word) / size - law[word]) <= 5 * error
    # The lists keep their order.
    assert [x for x in shuffle(range(3), range(10, 13), rng) if x < 10] == [0, 1, 2]
