"""The rows in the documentation are those that a run gives."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.replication import replication as module
from rankagg.replication.published import MISSED, NONE, OPEN, PAPERS, judge, published
from rankagg.replication.replication import EXPERIMENTS
from tests.conftest import DATA

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def kept():
    """Return the rows in the documentation, by where they stand."""
    with (DOCS / "replication" / "replication.csv").open(encoding="utf-8", newline="") as file:
        return {_place(row): row for row in csv.DictReader(file)}


def _place(row):
    return row["paper"], row["item"], row["quantity"]


def test_every_published_quantity_has_a_row(kept):
    assert kept.keys() == {
        (paper, row.item, row.quantity) for paper in PAPERS for row in published(paper)
    }


def test_all_rows_are_judged_and_none_is_a_fault(kept):
    for row in kept.values():
        assert row["verdict"] not in ("not judged", "not reached"), row
        assert row["reason"], row


# -- every verdict can fail ----------------------------------------------------------------------


def changed(value):
    """Return other values: a number 5 % off either way or none at all, another text."""
    if isinstance(value, str):
        return [f"{value} or so", "", 1.0]
    return [value * 1.05 or 0.05, value * 0.95 or -0.05, "another"]


def typed(text):
    """Return a value of a file as it was before it was written."""
    try:
        return float(text)
    except ValueError:
        return text


def test_a_changed_value_is_a_fault_in_every_judged_row(kept):
    judged = 0
    for paper in PAPERS:
        for entry in published(paper):
            row = kept[paper, entry.item, entry.quantity]
            if row["verdict"] == NONE:
                assert entry.is_open
                continue
            judged += 1
            here = typed(row["here"])
            assert not judge(entry, here).is_fault, row
            for other in changed(here):
                assert judge(entry, other).is_fault, (row, other)
            if entry.authors:
                for other in changed(typed(entry.authors)):
                    assert judge(entry, here, other).is_fault, (row, other)
    assert judged > 1500


def _changed_run(experiment):
    """Return an experiment whose numbers are 5 % off, or 0.05 where they are 0."""

    def run(bench):
        found = experiment.run(bench)
        return replace(found, values={key: changed(x)[0] for key, x in found.values.items()})

    return replace(experiment, run=run)


@pytest.mark.parametrize(
    "names",
    [
        ("p1-table-1", "p1-tables-4-5", "p1-table-2", "p1-tables-3-6", "p1-table-7"),
        ("p2-equation-6", "p2-table-5", "p2-figure-7", "p3"),
        pytest.param(("p1-section-5.3", "p1-figure-8", "p2-policies"), marks=pytest.mark.slow),
    ],
)
def test_experiments_that_find_something_else_fail(names, monkeypatch):
    """The same through the program: no judged row stays as it is."""
    broken = tuple(map(_changed_run, EXPERIMENTS))
    monkeypatch.setattr(module, "EXPERIMENTS", broken)
    result = ra.replication.replicate(*names, data=DATA if DATA.is_dir() else None, progress=False)
    assert not result.is_reached
    assert {row.verdict for row in result.rows} <= {MISSED, OPEN, NONE}


def test_what_is_not_random_gives_the_same_rows(kept):
    folder = DATA if DATA.is_dir() else None
    random = {(paper, row.item) for paper in PAPERS for row in published(paper) if row.repetitions}
    names = [
        one.name for one in EXPERIMENTS if not {(one.paper, item) for item in one.items} & random
    ]
    rows = (
        ra.replication.replicate(*names, data=folder, progress=False).to_frame().to_dict("records")
    )
    judged = [row for row in rows if row["verdict"] != "not judged"]
    assert judged
    for row in judged:
        assert row == kept[_place(row)]


@pytest.mark.slow
def test_a_whole_run_gives_the_same_rows(kept, data):
    folder = data("tasks/xtreme.csv").parents[1]
    rows = (
        ra.replication.replicate(data=folder, n_jobs=2, progress=False)
        .to_frame()
        .to_dict("records")
    )
    assert rows == list(kept.values())


def test_the_papers_page_links_to_items_that_exist():
    text = (DOCS / "explanation" / "papers.rst").read_text(encoding="utf-8")
    links = set(re.findall(r":ref:`[^`<]*<(p\d-[^>]*)>`", text))
    items = {
        re.sub(r"[^a-z0-9]+", "-", f"{paper} {row.item}".lower()).strip("-")
        for paper in PAPERS
        for row in published(paper)
    }
    assert links <= items
    assert len(links) > 20
