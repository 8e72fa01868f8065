"""The replication of P1: every fact has its row, and a quick run reaches what is judged."""

import pytest

import rankagg as ra
from rankagg.replication.experiment import Bench
from rankagg.replication.leaderboards import CATALOGUE, Leaderboards
from rankagg.replication.p1.best_ten import name_of
from rankagg.replication.p1.boards import BOARDS, FILED, as_read
from rankagg.replication.p1.contents import MODULES
from rankagg.replication.p1.instances import exchanged
from rankagg.replication.p1.sizes import DATA_SETS
from rankagg.replication.published import published
from rankagg.replication.verdicts import BEYOND, LOST, MISSED, OPEN
from tests.conftest import DATA
from tests.known_answers import leaves

SHIFTED = (
    "XTREME with the columns shifted as the authors parsed it: tasks = Score, Classification, "
    "Structured Prediction, QA; Sentence Retrieval lost"
)
#: The names of the leaderboards in the table of facts.
FACTS_OF = {
    "GLUE": "tasks/glue_full.csv without Score",
    "SuperGLUE": "tasks/superglue_full.csv without Score",
    "XTREME": SHIFTED,
    FILED: "tasks/xtreme.csv",
}
#: Definitions among the facts that belong to P2.
OTHERS = {
    "xtreme_missing", "dialogue_pc_missing", "t1_from_scratch", "alg1_not_uniform", "hoeffding",
    "p_n_k_r", "t_n_k", "expected_rank",
}  # fmt: skip
#: Experiments that take little time.
SOON = (
    "p1-table-1", "p1-figures-1-2", "p1-tables-4-5", "p1-table-2", "p1-tables-3-6",
    "p1-section-5.3", "p1-section-3.2", "p1-table-7",
)  # fmt: skip
ENTRIES = {(row.item, row.quantity): row for row in published("P1")}


@pytest.fixture(scope="module")
def folder():
    """Return the folder of the data, where it is whole."""
    board = Leaderboards(DATA if DATA.is_dir() else None)
    absent = [why for name in CATALOGUE if (why := board.why_not(name))]
    if absent:
        pytest.skip(absent[0])
    return DATA


@pytest.fixture(scope="module")
def quick(folder):
    """Return a run with all data of what takes little time: its rows by item and quantity."""
    result = ra.replicate(*SOON, data=folder, quick=True, progress=False)
    return {(row.item, row.quantity): row for row in result.rows}


# -- facts ----------------------------------------------------------------------------------------


def _places(values):
    return enumerate(values, 1)


def _of_board(name, board, value, systems):
    """Yield item, quantity and value of a row of facts about a leaderboard."""
    tables = ["Table 6"] + ["Table 3"] * (board in ("GLUE", "XTREME"))
    # The rows about GLUE part its mean's tie by rounding errors, which is the order of its file.
    parted = ", its tie in the order of the file" if board == "GLUE" else ""
    single = {
        "dispersion_per_task_borda": f"Borda, {board}",
        "dispersion_per_task_mean": f"mean{parted}, {board}",
        "random_dispersion_exact": f"random ranking, ties of tasks cost nothing, {board}",
        "kemeny_optimum_total": f"least total of all rankings, {board}",
    }
    if name in single:
        yield "Table 7", single[name], value
    elif name == "tau_b_mean_vs_borda":
        parted = ", the mean's tie in the order of the file" if board == "GLUE" else ""
        yield "Table 2", f"tau, {board}{parted}", value
    elif name == "top_k_overlap":
        for end, shares in value.items():
            for k, share in shares.items():
                yield "Table 2", f"common share of the {end} {k}, {board}", share
    for table in tables:
        if name == "borda_mid_top10":
            for place, points in _places(value):
                yield table, f"Borda points, {board}, place {place}", points
        elif name == "mean_top10":
            for place, mean in _places(value):
                yield table, f"mean, {board}, place {place} by the mean", mean
        elif name == "borda_order_rows_top10":
            for place, row in _places(value):
                yield table, f"system, {board}, place {place}", name_of(board, systems[row])


def _of_instances(name, value):
    """Yield item, quantity and value of a row of facts about a table of instances."""
    said = {"n": "systems", "u": "instances", "m": "metrics"}
    for key, what in said.items():
        yield "Table 5", f"{what}, {name}", value[key]
    taus = {
        "tau_l_2l": "one level and two levels",
        "tau_mean_2l": "mean and two levels",
        "tau_mean_l": "mean and one level",
    }
    for key, pair in taus.items():
        yield "Figure 6", f"tau of {pair}, {name}", value[key]
    rules = {
        "one level": ("top_l", "borda_one_top3"),
        "two levels": ("top_2l", "borda_two_top3"),
        "mean": ("top_mean", "mean_top3"),
    }
    for rule, (order, scores) in rules.items():
        yield "Section 5.3", f"first three, {rule}, {name}", " > ".join(value[order])
        for place, score in _places(value[scores]):
            yield "Section 5.3", f"score, {rule}, {name}, place {place}", score


def _of_toy(name, value):
    """Yield item, quantity and value of a row of facts about the toy table."""
    if "order" in value:
        rule = {"toy_mean_lower_better": "the mean", "toy_borda": "Borda", "toy_kemeny": "Kemeny"}
        yield "Table 1", f"order by {rule[name]}", value["order"].replace(">", " > ")
    for key, what in (("sums", "sum of scores"), ("rank_sums", "sum of ranks")):
        for system, number in value.get(key, {}).items():
            yield "Table 1", f"{what}, {system}", number
    if "cost" in value:
        yield "Table 1", "Kemeny cost", value["cost"]
    pairs = {"B_beats_A": "B before A", "C_beats_B": "C before B", "A_C": "A before C"}
    for key, pair in pairs.items():
        if key in value:
            yield "Table 1", f"tasks with {pair}", value[key][0]
            # The toy table has six tasks without ties.
            assert sum(value[key]) == 6


def _mapped(case, boards):
    """Return item, quantity and value for every leaf of a row of facts; None for other papers'."""
    name, data, value = case["name"], case["data"], case["value"]
    if name.startswith("toy_"):
        return list(_of_toy(name, value))
    if name == "instance_level":
        files = {f"instances/{file}.csv": ours for ours, file in DATA_SETS.items()}
        return list(_of_instances(files[data], value))
    board = next((board for board, text in FACTS_OF.items() if text == data), None)
    if board is not None:
        return list(_of_board(name, board, value, boards[board]))
    return None


@pytest.fixture(scope="module")
def cases(facts, folder):
    """Return the definitions among the facts that are this paper's, with where they stand."""
    tables = as_read(Bench(Leaderboards(folder)))
    systems = {board: list(table.systems) for board, table in tables.items()}
    systems[FILED] = systems["XTREME"]
    found = []
    for case in facts("paper_values").values():
        if case["kind"] != "definition" or case["name"] in OTHERS:
            continue
        rows = _mapped(case, systems)
        assert rows, f"a fact without a row: {case['name']}, {case['data']}"
        found.append((case, rows))
    return found


def _tolerance(case, quantity):
    tolerance = case["tolerance"]
    if isinstance(tolerance, dict):
        return tolerance["tau"] if quantity.startswith("tau") else tolerance["sums"]
    return tolerance


def test_every_leaf_of_the_facts_has_a_row(cases):
    assert len(cases) > 40
    for case, rows in cases:
        if case["name"] != "instance_level" and not case["name"].startswith("toy_"):
            value = case["value"]
            number = len(value if isinstance(value, list) else list(leaves(value, "")))
            repeated = len({item for item, _, _ in rows})
            assert len(rows) == number * repeated, case["name"]


def test_definitions_are_those_of_the_facts(cases):
    for case, rows in cases:
        for item, quantity, value in rows:
            entry = ENTRIES[item, quantity]
            if isinstance(value, str):
                assert entry.definition == value, quantity
            else:
                assert float(entry.definition) == pytest.approx(value, abs=1e-12), quantity
                assert entry.tolerance <= _tolerance(case, quantity), quantity


def test_definitions_are_reached(cases, quick):
    for case, rows in cases:
        for item, quantity, value in rows:
            here = quick[item, quantity].here
            if isinstance(value, str):
                assert here == value, quantity
            else:
                allowed = _tolerance(case, quantity) + 1e-9
                assert float(here) == pytest.approx(value, abs=allowed), quantity


# -- runs -----------------------------------------------------------------------------------------


def test_a_quick_run_judges_all_and_has_no_fault(quick):
    assert len(quick) > 500
    for key, row in quick.items():
        assert row.verdict not in (MISSED, OPEN), key
        assert (row.here and row.here != "nan") or row.verdict == LOST, key
        if ENTRIES[key].printed or ENTRIES[key].definition:
            assert row.verdict != BEYOND, key


def test_without_data_nothing_is_made_up():
    result = ra.replicate("p1-tables-3-6", "p1-table-7", "p1-section-5.3", progress=False)
    verdicts = {row.verdict for row in result.rows}
    assert verdicts == {OPEN, LOST}
    assert not any(row.here for row in result.rows)


def test_all_items_of_the_paper_have_rows():
    items = {item for module in MODULES for one in module.EXPERIMENTS for item in one.items}
    assert {f"Table {n}" for n in range(1, 8)} | {f"Figure {n}" for n in range(1, 12)} <= items


# -- parts ----------------------------------------------------------------------------------------


def test_exchanging_axes_twice_changes_nothing():
    table = ra.LatentScores([0, 1, 2], systems="ABC").sample(2, 4, rng=1)
    turned = exchanged(table)
    assert (turned.n_systems, turned.n_units) == (4, 6)
    # The second instance of the second task, of the third system.
    assert turned.values[1, 3 + 2] == table.values[2, 4 + 1]
    assert exchanged(turned) == table


def test_shifted_columns(folder):
    table = as_read(Bench(Leaderboards(folder)))["XTREME"]
    file = Leaderboards(folder)["XTREME"]
    assert (table.values[:, 1:] == file.values[:, :3]).all()
    assert table.n_tasks == file.n_tasks == 4
    assert (table.values[:, 0] == Leaderboards(folder)["XTREME Score"].values[:, 0]).all()


@pytest.mark.parametrize("board", BOARDS)
def test_names_tell_systems_apart(board, folder):
    table = Leaderboards(folder)[board]
    names = [name_of(board, system) for system in table.systems]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_whole_paper(folder):
    """Run everything at the paper's repetitions: minutes."""
    result = ra.replicate("p1", data=folder, n_jobs=2, progress=False)
    assert {(row.item, row.quantity) for row in result.rows} == set(ENTRIES)
    assert result.is_reached
    for row in result.rows:
        assert row.verdict != OPEN, row
        assert (row.here and row.here != "nan") or row.verdict == LOST, row
