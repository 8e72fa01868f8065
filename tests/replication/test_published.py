"""The typed rows: each says where it stands and what explains it."""

import csv
from importlib.resources import files

import pytest

from rankagg.replication.leaderboards import CATALOGUE
from rankagg.replication.published import PAPERS, errata, published
from rankagg.replication.registry import EXPERIMENTS
from rankagg.replication.verdicts import EXPLAINED, LOST, MISSED, OPEN, REACHED, half_unit, judge

FIGURES = {"P1": 11, "P2": 11, "P3": 0}
TABLES = {"P1": 7, "P2": 5, "P3": 8}


@pytest.mark.parametrize("paper", PAPERS)
def test_rows_are_whole(paper):
    rows = published(paper)
    assert len({(row.item, row.quantity) for row in rows}) == len(rows)
    for row in rows:
        assert set(row.needs) <= set(CATALOGUE)
        assert not row.erratum or row.erratum in errata()
        assert row.reason or not row.is_lost
        # Nothing can be held against a row without either.
        if row.definition and row.printed and row.printed != row.definition:
            near = 0.0 if row.is_exact else half_unit(row.printed) + row.slack + row.tolerance
            texts = half_unit(row.printed) == half_unit(row.definition) == 0
            apart = texts or abs(float(row.printed) - float(row.definition)) > near
            assert row.reason or not apart, f"{row.item}, {row.quantity}"


@pytest.mark.parametrize("paper", PAPERS)
def test_files_have_no_stray_cells(paper):
    text = (files("rankagg.replication") / "published" / f"{paper.lower()}.csv").read_text()
    lines = list(csv.reader(text.splitlines(), strict=True))
    assert {len(line) for line in lines} == {10}
    assert all(cell == cell.strip() for line in lines for cell in line)


def test_every_explanation_is_used():
    used = {row.erratum for paper in PAPERS for row in published(paper)}
    assert set(errata()) == used - {""}


def test_every_item_belongs_to_one_experiment():
    items = [(one.paper, item) for one in EXPERIMENTS for item in one.items]
    assert len(set(items)) == len(items)
    rows = {(row.paper, row.item) for paper in PAPERS for row in published(paper)}
    assert set(items) == rows
    assert len({one.name for one in EXPERIMENTS}) == len(EXPERIMENTS)


def _entry(**changes):
    row = next(row for row in published("P1") if row.quantity == "Kemeny cost")
    return type(row)(**{**vars(row), **changes})


@pytest.mark.parametrize(
    ("changes", "here", "verdict"),
    [
        ({"printed": ".67", "definition": ""}, 0.6749, REACHED),
        ({"printed": ".67", "definition": ""}, 0.6751, MISSED),
        ({"printed": ".67", "definition": "", "erratum": "direction"}, 0.7, EXPLAINED),
        ({"printed": ".67", "erratum": "direction", "is_lost": True}, 7.0, LOST),
        ({"printed": "", "definition": "2", "tolerance": 0.1}, 2.09, REACHED),
        ({"printed": "", "definition": "2", "tolerance": 0.1, "erratum": "direction"}, 2.2, MISSED),
        ({"printed": "2", "definition": "3", "erratum": "direction"}, 3.0, EXPLAINED),
        ({"printed": "2", "definition": "3", "erratum": "direction"}, 2.0, MISSED),
        ({"printed": "A > B", "definition": "A > B"}, "A > B", REACHED),
        ({"printed": "A > B", "definition": ""}, "B > A", MISSED),
        ({"printed": "1", "definition": "", "erratum": "direction"}, 0.7, REACHED),
        (
            {"printed": "1", "definition": "", "is_exact": True, "erratum": "direction"},
            0.7,
            EXPLAINED,
        ),
        ({"printed": "1", "definition": "", "is_exact": True}, 1.0, REACHED),
        ({"printed": "1", "definition": "", "is_exact": True}, 0.7, MISSED),
        ({"printed": "2", "definition": "2"}, None, OPEN),
        ({"printed": "2", "definition": "", "is_lost": True, "erratum": "direction"}, None, LOST),
    ],
)
def test_verdicts(changes, here, verdict):
    row = judge(_entry(**changes), here)
    assert row.verdict == verdict
    assert row.reason
    assert row.is_fault == (verdict == MISSED)
    assert judge(_entry(**changes), here, open_because="no data").verdict in (OPEN, LOST)
