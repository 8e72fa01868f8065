"""The second paper: its facts have their rows, and are reached with the data."""

import pytest

import rankagg as ra
from rankagg.replication.leaderboards import RUN
from rankagg.replication.published import (
    AS_RUN,
    BEYOND,
    EXPLAINED,
    MISSED,
    NO_VERDICT,
    NOT_JUDGED,
    REACHED,
)

#: Experiments that take little time with all data.
SOON = ("p2-equation-6", "p2-table-5", "p2-figure-7", "p2-policies")


@pytest.fixture(scope="module")
def bundled():
    """Return what a quick run on bundled data finds."""
    return ra.replication.replicate("p2", quick=True, progress=False)


@pytest.fixture(scope="module")
def soon(folder):
    """Return a run with all data of what takes little time."""
    return ra.replication.replicate(*SOON, data=folder, quick=True, progress=False)


def test_nothing_bundled_is_missed(bundled):
    assert [row for row in bundled.rows if row.verdict == MISSED] == []
    for row in bundled.rows:
        # What is bundled and not random is judged.
        if row.verdict == NOT_JUDGED:
            told = ("not bundled", "repetitions", "not computed")
            assert any(words in row.reason for words in told), row


def test_all_that_takes_little_time_is_judged(soon):
    # The run on instances may be elsewhere.
    verdicts = {row.verdict for row in soon.rows if not row.reason.startswith(RUN)}
    assert verdicts <= {REACHED, AS_RUN, EXPLAINED, NO_VERDICT, BEYOND}
