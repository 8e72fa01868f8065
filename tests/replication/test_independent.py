"""The references of the rows are what another program gives, and here comes the same."""

from collections.abc import Mapping

import pytest

from rankagg.replication.leaderboards import CATALOGUE, Leaderboards
from rankagg.replication.published import published
from tests.conftest import DATA
from tests.replication import independent

#: Which references a part of the program gives, and the column where they are typed; None for the
#: one that what comes out is held against.
SOON: Mapping[str, tuple[str, str | None]] = {
    "p3_all": ("P3", None),
    "p3_below": ("P3", None),
    "p3_ratios": ("P3", "definition"),
    "p2_rest": ("P2", None),
    "p1_authors": ("P1", "authors"),
}
LATER: Mapping[str, tuple[str, str | None]] = {
    "p1_boards_by_words": ("P1", None),
    "p1_instances": ("P1", None),
    "p1_subsets": ("P1", None),
    "p1_drawn": ("P1", None),
    "p2_shipped": ("P2", "authors"),
    "p2_tasks": ("P2", None),
    "p2_again": ("P2", "authors"),
    "p2_drawn": ("P2", None),
    "p2_decided": ("P2", None),
    "p2_policies": ("P2", None),
}


@pytest.fixture(scope="module")
def leaderboards():
    """Return the tables, where all are there."""
    found = Leaderboards(DATA if DATA.is_dir() else None)
    absent = [why for name in CATALOGUE if (why := found.why_not(name))]
    if absent:
        pytest.skip(absent[0])
    return found


def _check(part, paper, words, leaderboards):
    rows = {(row.item, row.quantity): row for row in published(paper)}
    held = 0
    for key, value in getattr(independent, part)(leaderboards).items():
        row = rows.get(key)
        typed = "" if row is None else getattr(row, words or "reference")
        if not typed:
            continue  # a number that no row is about
        held += 1
        if isinstance(value, str):
            assert typed == value, key
        else:
            assert float(typed) == pytest.approx(value, abs=max(row.tolerance, 1e-9)), key
    assert held > 5


@pytest.mark.parametrize("part", SOON)
def test_references(part, leaderboards):
    _check(part, *SOON[part], leaderboards)


@pytest.mark.slow
@pytest.mark.parametrize("part", LATER)
def test_references_that_take_minutes(part, leaderboards):
    _check(part, *LATER[part], leaderboards)
