"""The replication of P1: every fact has its row, and a quick run reaches what is judged."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.replication.experiment import Bench
from rankagg.replication.leaderboards import CATALOGUE, Leaderboards
from rankagg.replication.p1_as_run import as_read, unstable_order
from rankagg.replication.p1_boards import BOARDS, DATA_SETS, name_of
from rankagg.replication.published import AS_RUN, BEYOND, MISSED, NONE, OPEN, published
from rankagg.replication.replication import EXPERIMENTS
from tests.conftest import DATA
from tests.known_answers import leaves
from tests.replication.independent import their_sort

#: The names of the leaderboards in the table of facts.
FACTS_OF = {
    "GLUE": "tasks/glue_full.csv without Score",
    "SuperGLUE": "tasks/superglue_full.csv without Score",
    "XTREME": "tasks/xtreme.csv",
}
#: Definitions among the facts that belong to P2.
OTHERS = {
    "xtreme_missing", "dialogue_pc_missing", "t1_from_scratch", "alg1_not_uniform", "hoeffding",
    "p_n_k_r", "t_n_k", "expected_rank",
}  # fmt: skip
#: Experiments that take little time.
SOON = (
    "p1-table-1", "p1-tables-4-5", "p1-table-2", "p1-tables-3-6",
    "p1-section-3.2", "p1-table-7",
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
    result = ra.replication.replicate(*SOON, data=folder, quick=True, progress=False)
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
    systems = {board: list(Leaderboards(folder)[board].systems) for board in BOARDS}
    found = []
    for case in facts("paper_values").values():
        if case["kind"] != "definition" or case["name"] in OTHERS:
            continue
        if case["data"] not in FACTS_OF.values() and case["data"].startswith("XTREME"):
            continue  # the shifted columns, which are the authors'
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
    assert len(cases) > 30
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
                assert entry.reference == value, quantity
            else:
                allowed = max(_tolerance(case, quantity), 1e-12)
                assert float(entry.reference) == pytest.approx(value, abs=allowed), quantity
                assert entry.tolerance <= _tolerance(case, quantity), quantity


def test_definitions_are_reached(cases, quick):
    for case, rows in cases:
        for item, quantity, value in rows:
            if (item, quantity) not in quick:
                continue
            here = quick[item, quantity].here
            if isinstance(value, str):
                assert here == value, quantity
            else:
                allowed = _tolerance(case, quantity) + 1e-9
                assert float(here) == pytest.approx(value, abs=allowed), quantity


# -- runs -----------------------------------------------------------------------------------------


def test_a_quick_run_judges_all_and_has_no_fault(quick):
    assert len(quick) > 300
    for key, row in quick.items():
        assert row.verdict not in (MISSED, OPEN), key
        assert (row.here and row.here != "nan") or row.verdict == NONE, key
        assert (row.verdict == BEYOND) == bool(ENTRIES[key].beyond), key


def test_without_data_nothing_is_made_up():
    result = ra.replication.replicate(
        "p1-tables-3-6", "p1-table-7", "p1-section-5.3", progress=False
    )
    verdicts = {row.verdict for row in result.rows}
    assert verdicts == {OPEN, NONE}
    assert not any(row.here for row in result.rows if row.verdict == OPEN)


def test_all_items_of_the_paper_have_rows():
    items = {item for one in EXPERIMENTS if one.paper == "P1" for item in one.items}
    assert {f"Table {n}" for n in range(1, 8)} | {f"Figure {n}" for n in range(1, 12)} <= items


# -- parts ----------------------------------------------------------------------------------------


def test_shifted_columns(folder):
    board = Leaderboards(folder)
    table, values = as_read(Bench(board))["XTREME"]
    assert table == board["XTREME"]
    assert (values[:, 1:] == table.values[:, :3]).all()
    assert (values[:, 0] == board["XTREME Score"].values[:, 0]).all()
    assert values.shape == (15, 4)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 40, 105, 400])
def test_the_unstable_sort(size):
    rng = np.random.default_rng(size)
    for _ in range(20):
        scores = rng.integers(0, 1 + size // 3, size).astype(float)
        order = unstable_order(scores)
        assert order.tolist() == their_sort(scores).tolist()
        assert (np.diff(scores[order]) >= 0).all()
        if size <= 16:
            assert order.tolist() == np.argsort(scores, kind="stable").tolist()


def test_what_their_program_gives_is_what_is_published(facts):
    published_of = facts("paper_values")
    tables = {
        "GLUE": "paper_table3_6_GLUE_borda",
        "SuperGLUE": "paper_table6_SGLUE_borda",
        "XTREME": "paper_table3_XTREME_borda",
    }
    for board, name in tables.items():
        for place, points in enumerate(published_of[name]["value"], 1):
            entry = ENTRIES["Table 6", f"Borda points, {board}, place {place}"]
            assert float(entry.authors) == points
    short = {"GLUE": "GLUE", "SGLUE": "SuperGLUE", "XTREME": "XTREME"}
    for name, distances in published_of["paper_table7"]["value"].items():
        for rule, distance in zip(("Borda", "mean"), distances, strict=True):
            entry = ENTRIES["Table 7", f"{rule}, {short[name]}"]
            assert float(entry.authors) == pytest.approx(distance, abs=1e-4)
    taus = published_of["paper_table2"]["value"]["tau_with_Score_col"]
    for board, tau in zip(("XTREME", "GLUE", "SuperGLUE"), taus, strict=True):
        assert float(ENTRIES["Table 2", f"tau, {board}"].authors) == pytest.approx(tau, abs=1e-5)


def test_what_is_reached_only_as_the_authors_ran_it(quick):
    """Both are computed: what the paper's words give, and what their program gives."""
    rows = [row for row in quick.values() if row.verdict == AS_RUN]
    assert len(rows) > 80
    for row in rows:
        assert row.definition == "" or row.definition != row.printed
        assert row.authors
        assert row.errata
    assert quick["Table 3", "system, XTREME, place 3"].verdict == AS_RUN
    assert quick["Table 3", "system, XTREME, place 3"].here == "VECO"


@pytest.mark.parametrize("board", BOARDS)
def test_names_tell_systems_apart(board, folder):
    table = Leaderboards(folder)[board]
    names = [name_of(board, system) for system in table.systems]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_whole_paper(folder):
    """Run everything at the paper's repetitions: minutes."""
    result = ra.replication.replicate("p1", data=folder, n_jobs=2, progress=False)
    assert {(row.item, row.quantity) for row in result.rows} == set(ENTRIES)
    assert result.is_reached
    for row in result.rows:
        assert row.verdict != OPEN, row
        assert (row.here and row.here != "nan") or row.verdict == NONE, row
