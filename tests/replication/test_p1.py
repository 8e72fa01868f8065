"""Experiments of P1 on small tables, whose answers are those of an independent program."""

import pytest

import rankagg as ra
from rankagg.replication.experiment import Bench
from rankagg.replication.p1 import BOARDS, INSTANCE_TABLES, name_of
from rankagg.replication.replication import EXPERIMENTS
from tests.replication import independent


@pytest.mark.parametrize("board", BOARDS)
def test_names_tell_systems_apart(board, leaderboards):
    table = leaderboards[board]
    names = [name_of(board, system) for system in table.systems]
    assert len(set(names)) == len(names)


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
