"""The rows in the documentation are those that a run gives."""

import csv
import re
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.replication.published import PAPERS, published
from rankagg.replication.registry import EXPERIMENTS
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


def test_what_is_not_random_gives_the_same_rows(kept):
    folder = DATA if DATA.is_dir() else None
    random = {(paper, row.item) for paper in PAPERS for row in published(paper) if row.repetitions}
    names = [
        one.name for one in EXPERIMENTS if not {(one.paper, item) for item in one.items} & random
    ]
    rows = ra.replicate(*names, data=folder, progress=False).to_frame().to_dict("records")
    judged = [row for row in rows if row["verdict"] != "not judged"]
    assert judged
    for row in judged:
        assert row == kept[_place(row)]


@pytest.mark.slow
def test_a_whole_run_gives_the_same_rows(kept, data):
    folder = data("tasks/xtreme.csv").parents[1]
    rows = ra.replicate(data=folder, n_jobs=2, progress=False).to_frame().to_dict("records")
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
