"""The papers' tables, where all of them are there."""

import pytest

from rankagg.replication.leaderboards import LEADERBOARDS, Leaderboards
from tests.conftest import DATA


@pytest.fixture(scope="session")
def leaderboards():
    found = Leaderboards(DATA if DATA.is_dir() else None)
    absent = [why for name in LEADERBOARDS if (why := found.why_not(name))]
    if absent:
        pytest.skip(absent[0])
    return found


@pytest.fixture(scope="session")
def folder(leaderboards):
    """Return the folder of the data, where it is whole."""
    return DATA
