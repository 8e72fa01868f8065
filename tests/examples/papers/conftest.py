"""The papers' tables and the authors' run on instances, where all of them are there."""

import sys

import pytest

from tests.conftest import CHECKOUT, DATA

sys.path.insert(0, str(CHECKOUT / "examples" / "papers"))

from replication.leaderboards import LEADERBOARDS, RUN, Leaderboards


@pytest.fixture(scope="session")
def leaderboards():
    found = Leaderboards(DATA if DATA.is_dir() else None)
    absent = [why for name in LEADERBOARDS if name != RUN and (why := found.why_not(name))]
    if absent:
        pytest.skip(absent[0])
    return found


@pytest.fixture(scope="session")
def run_on_instances():
    """Return a folder with the rankings of the second paper's run, for which no table is needed."""
    found = Leaderboards(DATA if DATA.is_dir() else None)
    if why := found.why_not(RUN):
        pytest.skip(why)
    return found


@pytest.fixture(scope="session")
def folder(leaderboards):
    """Return the folder of the data, where it is whole."""
    return DATA
