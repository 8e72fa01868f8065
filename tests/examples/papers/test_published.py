"""The typed rows: each names its place in the paper and what explains it."""

import csv

import pytest

from replication.leaderboards import LEADERBOARDS
from replication.published import (
    AS_RUN,
    BEYOND,
    EXPLAINED,
    MISSED,
    NO_VERDICT,
    NOT_JUDGED,
    PAPERS,
    REACHED,
    TABLES,
    errata,
    half_unit,
    judge,
    published,
)
from replication.run import EXPERIMENTS
from tests.examples.papers import independent


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_are_complete(paper):
    rows = published(paper)
    assert len({(row.item, row.quantity) for row in rows}) == len(rows)
    for row in rows:
        assert set(row.needs) <= set(LEADERBOARDS)
        where = f"{row.item}, {row.quantity}"
        # Open entries say why; all others have a reference.
        assert row.explanation if row.is_open else row.reference, where
        # A number beyond the paper is not in it.
        assert not row.beyond or not (row.printed or row.definition or row.authors), where
        if row.definition and row.printed and row.printed != row.definition:
            near = 0.0 if row.is_exact else half_unit(row.printed) + row.slack + row.tolerance
            texts = not half_unit(row.printed) or not half_unit(row.definition)
            apart = texts or abs(float(row.printed) - float(row.definition)) > near
            assert row.explanation or not apart, where


@pytest.mark.parametrize("paper", PAPERS)
def test_no_tolerance_is_wide(paper):
    for row in published(paper):
        if row.is_open or half_unit(row.reference) == 0:
            continue
        size = abs(float(row.reference))
        assert row.tolerance <= 0.035 * size or row.tolerance <= 1e-6, row
        if half_unit(row.printed):
            assert row.slack <= 0.04 * abs(float(row.printed)), row


@pytest.mark.parametrize("paper", PAPERS)
def test_files_have_no_stray_cells(paper):
    text = (TABLES / f"{paper.lower()}.csv").read_text()
    lines = list(csv.reader(text.splitlines(), strict=True))
    assert {len(line) for line in lines} == {12}
    assert all(cell == cell.strip() for line in lines for cell in line)


def test_every_explanation_is_used():
    rows = [row for paper in PAPERS for row in published(paper)]
    assert set(errata()) == {erratum.name for row in rows for erratum in row.errata}


def test_every_item_belongs_to_one_experiment():
    items = [(one.paper, item) for one in EXPERIMENTS for item in one.items]
    assert len(set(items)) == len(items)
    rows = {(row.paper, row.item) for paper in PAPERS for row in published(paper)}
    assert set(items) == rows
    assert len({one.name for one in EXPERIMENTS}) == len(EXPERIMENTS)
    for paper, n_tables, n_figures in (("P1", 7, 11), ("P2", 5, 11), ("P3", 8, 0)):
        assert {(paper, f"Table {n}") for n in range(1, n_tables + 1)} <= rows
        assert {(paper, f"Figure {n}") for n in range(1, n_figures + 1)} <= rows


def _entry(**changes):
    row = next(row for row in published("P1") if row.quantity == "Kemeny cost")
    return type(row)(**{**vars(row), "definition": "", **changes})


@pytest.mark.parametrize(
    ("changes", "here", "verdict"),
    [
        # By the paper's words, and as printed.
        ({"printed": ".67", "definition": "0.6749"}, 0.6749, REACHED),
        ({"printed": ".67", "definition": "0.6749"}, 0.6751, MISSED),
        ({"printed": ".67", "definition": "0.7"}, 0.7, MISSED),
        ({"printed": ".67", "definition": "0.7", "erratum": "direction"}, 0.7, EXPLAINED),
        ({"printed": ".67", "definition": "0.7", "erratum": "direction"}, 0.67, MISSED),
        ({"definition": "2", "tolerance": 0.1}, 2.09, REACHED),
        ({"definition": "2", "tolerance": 0.1, "erratum": "direction"}, 2.2, MISSED),
        ({"printed": "A > B", "definition": "A > B"}, "A > B", REACHED),
        ({"printed": "A > B", "definition": "A > B"}, "B > A", MISSED),
        ({"printed": "A > B", "definition": "A > B"}, 1.0, MISSED),
        ({"printed": "1", "definition": ".7", "erratum": "direction"}, 0.7, REACHED),
        ({"printed": "1", "definition": ".7", "is_exact": True}, 0.7, MISSED),
        # As the authors ran it, where the paper's words determine nothing.
        ({"printed": ".67", "authors": "0.671"}, 0.671, AS_RUN),
        ({"printed": ".67", "authors": "0.671"}, 0.68, MISSED),
        ({"authors": "0.671"}, 0.671, AS_RUN),
        ({"printed": ".5", "authors": "0.671", "erratum": "direction"}, 0.671, EXPLAINED),
        # Beyond the paper.
        ({"beyond": "3"}, 3.0, BEYOND),
        ({"beyond": "3"}, 3.1, MISSED),
        # Nothing to hold it against.
        ({}, 3.0, NO_VERDICT),
        ({"printed": "3", "erratum": "direction"}, 3.0, NO_VERDICT),
        ({"printed": "3", "is_open": True, "erratum": "direction"}, None, NO_VERDICT),
        ({"printed": "2", "definition": "2"}, None, NOT_JUDGED),
    ],
)
def test_values_get_the_expected_verdict(changes, here, verdict):
    row = judge(_entry(**changes), here)
    assert row.verdict == verdict
    assert row.reason
    assert row.is_fault == (verdict == MISSED)
    assert judge(_entry(**changes), here, open_because="no data").verdict in (
        NOT_JUDGED,
        NO_VERDICT,
    )


@pytest.mark.parametrize(
    ("printed", "as_run", "verdict"),
    [
        ("55", 55.0, AS_RUN),
        ("55", 54.0, MISSED),
        ("50", 55.0, EXPLAINED),
        ("53.5", 55.0, REACHED),
        ("55", None, EXPLAINED),
    ],
)
def test_the_run_of_the_authors_excuses_no_deviation(printed, as_run, verdict):
    entry = _entry(printed=printed, definition="53.5", authors="55", erratum="direction")
    assert judge(entry, 53.5, as_run).verdict == verdict
    # That their run gives what is printed is no excuse for giving something else here.
    assert judge(entry, 55.0, as_run).verdict == MISSED


#: Which references a part of the program gives, and the column where they are typed; None for the
#: one that the results are compared with.
#: The parts of the independent program, and whether they take minutes.
PARTS = {
    "p3_all": False, "p3_below": False, "p3_ratios": False, "p2_rest": False, "p1_authors": False,
    "p1_boards_by_words": True, "p1_instances": True, "p1_subsets": True, "p1_drawn": True,
    "p2_shipped": True, "p2_tasks": True, "p2_again": True, "p2_drawn": True, "p2_decided": True,
    "p2_policies": True, "p2_run": True,
}  # fmt: skip
#: Where their references are typed, if not in the one that the results are compared with.
COLUMNS = {
    "p3_ratios": "definition", "p1_authors": "authors", "p2_shipped": "authors",
    "p2_again": "authors", "p2_run": "authors",
}  # fmt: skip


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.slow] * long) for part, long in PARTS.items()]
)
def test_typed_references_equal_the_independent_program(part, request):
    # The run on instances needs no table, and may be in a folder without them.
    leaderboards = request.getfixturevalue(
        "run_on_instances" if part == "p2_run" else "leaderboards"
    )
    rows = {(row.item, row.quantity): row for row in published(part[:2].upper())}
    held = 0
    for key, value in getattr(independent, part)(leaderboards).items():
        row = rows.get(key)
        typed = "" if row is None else getattr(row, COLUMNS.get(part, "reference"))
        if not typed:
            continue  # a number that no row is about
        held += 1
        if isinstance(value, str):
            assert typed == value, key
        else:
            # Sums of thousands are typed with twelve digits.
            near = pytest.approx(value, rel=1e-12, abs=max(row.tolerance, 1e-9))
            assert float(typed) == near, key
    assert held > 5
