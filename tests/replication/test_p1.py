"""The replication of P1: every fact has its row, and a quick run reaches what is judged."""

import pytest

import rankagg as ra
from rankagg.replication.experiment import Bench
from rankagg.replication.p1 import BOARDS, INSTANCE_TABLES, name_of
from rankagg.replication.published import AS_RUN, BEYOND, MISSED, NO_VERDICT, NOT_JUDGED, published
from rankagg.replication.replication import EXPERIMENTS
from tests.replication import independent

#: Experiments that take little time.
SOON = (
    "p1-table-1", "p1-tables-4-5", "p1-table-2", "p1-tables-3-6",
    "p1-section-3.2", "p1-table-7",
)  # fmt: skip
ENTRIES = {(row.item, row.quantity): row for row in published("P1")}


@pytest.fixture(scope="module")
def quick(folder):
    """Return a run with all data of what takes little time: its rows by item and quantity."""
    result = ra.replication.replicate(*SOON, data=folder, quick=True, progress=False)
    return {(row.item, row.quantity): row for row in result.rows}


def test_a_quick_run_judges_all_and_has_no_fault(quick):
    assert len(quick) > 300
    for key, row in quick.items():
        assert row.verdict not in (MISSED, NOT_JUDGED), key
        assert (row.here and row.here != "nan") or row.verdict == NO_VERDICT, key
        assert (row.verdict == BEYOND) == bool(ENTRIES[key].beyond), key


def test_without_data_nothing_is_made_up():
    result = ra.replication.replicate(
        "p1-tables-3-6", "p1-table-7", "p1-section-5.3", progress=False
    )
    verdicts = {row.verdict for row in result.rows}
    assert verdicts == {NOT_JUDGED, NO_VERDICT}
    assert not any(row.here for row in result.rows if row.verdict == NOT_JUDGED)


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
def test_names_tell_systems_apart(board, leaderboards):
    table = leaderboards[board]
    names = [name_of(board, system) for system in table.systems]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_whole_paper(folder):
    """Run everything at the paper's repetitions: minutes."""
    result = ra.replication.replicate("p1", data=folder, n_jobs=2, progress=False)
    assert {(row.item, row.quantity) for row in result.rows} == set(ENTRIES)
    assert result.is_reached
    for row in result.rows:
        assert row.verdict != NOT_JUDGED, row
        assert (row.here and row.here != "nan") or row.verdict == NO_VERDICT, row


def small_tables(names, n_systems, n_instances=None):
    """Return a table of three tasks for each name."""
    return {
        name: ra.studies.LatentModel(
            step=0.2, n_systems=n_systems, n_tasks=3, n_instances=n_instances
        ).draw(rng=seed)
        for seed, name in enumerate(names)
    }


def run_on(tables, name):
    """Return what an experiment finds on some tables, with few repetitions."""
    (experiment,) = (one for one in EXPERIMENTS if one.name == name)
    return experiment.run(Bench(tables, quick=True))


def agree(run, expected):
    assert run.values
    for key, value in run.values.items():
        if isinstance(value, str):
            assert value == expected[key], key
        else:
            assert value == pytest.approx(expected[key], abs=1e-9, nan_ok=True), key


def test_instances_and_subsets_of_small_tables_are_as_by_definition():
    tables = small_tables(INSTANCE_TABLES.values(), 11, 3)
    tables |= small_tables(BOARDS, 6)
    run = run_on(tables, "p1-section-5.3")
    agree(run, independent.p1_instances(tables))
    assert len(run.pictures) == 3
    subsets = independent.p1_subsets(tables, 3)
    subsets |= {("Figure 8", f"sizes of subsets, {board}"): 2.0 for board in BOARDS}
    agree(run_on(tables, "p1-figure-8"), subsets)
    agree(run_on(tables, "p1-figure-9"), subsets)


def test_optima_of_small_tables_are_those_of_all_orders():
    tables = small_tables(BOARDS, 6)
    run = run_on(tables, "p1-exact")
    for board, table in tables.items():
        _, first, _, _, number = independent.optima(independent.wins(table.values))
        found = {key[1]: value for key, value in run.values.items()}
        assert found[f"optima, {board}"] == number
        assert found[f"systems first in an optimum, {board}"] == first.sum()
        assert found[f"it is the only optimum, {board}"] == ("yes" if number == 1 else "no")
    assert [sheet.name[:9] for sheet in run.sheets] == ["p1-exact-"] * 3
