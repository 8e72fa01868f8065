"""Sums by groups of instances, against counting in plain Python."""

import copy
import json
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core import task_tally
from rankagg.core.task_tally import GroupedTally, TaskTally
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.json_files import read_summary
from tests.core.test_score_summary import _units, tables
from tests.io.scan.scan_files import write_summary

MASK = 2**64 - 1
NAN = float("nan")


def turned(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


def siphash(text, key=b"0123456789123456"):
    """Return SipHash-2-4 of a text, as its authors define it."""
    data = text.encode()
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [0x736F6D6570736575 ^ k0, 0x646F72616E646F6D ^ k1,
         0x6C7967656E657261 ^ k0, 0x7465646279746573 ^ k1]  # fmt: skip

    def rounds(times):
        for _ in range(times):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = turned(v[1], 13) ^ v[0]
            v[0] = turned(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = turned(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = turned(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = turned(v[1], 17) ^ v[2]
            v[2] = turned(v[2], 32)

    data += b"\0" * (7 - len(data) % 8) + bytes([len(text.encode()) % 256])
    for at in range(0, len(data), 8):
        word = int.from_bytes(data[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def mixed(x):
    """Return the finalizer of SplitMix64."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def group_of(label, n_groups):
    """Return the group of a label in plain Python."""
    try:
        number = int(label)
        is_number = str(number) == str(label) and len(str(abs(number))) <= 20
    except ValueError:
        is_number = False
    key = number if is_number else mixed(siphash(label))  # as pandas ends it
    return ((mixed((key + 0x9E3779B97F4A7C15) & MASK) >> 32) * n_groups) >> 32


LABELS = ["", "a", "i7", "id-000123456789", "é中", "007", "-0", "+1", "1.0", "1" * 21, " 7", 0,
          "0", 7, "7", -7, "-7", 10**18 - 1, 2**63, str(2**63), -(2**63), 10**20 - 1,
          10**21]  # fmt: skip


def as_text(label):
    return str(label) if isinstance(label, int) and len(str(abs(label))) > 20 else label


@example(labels=LABELS, n_groups=2)
@example(labels=LABELS, n_groups=200)
@example(labels=LABELS, n_groups=10**6)
@given(
    labels=st.lists(st.text(max_size=20) | st.integers(-(10**19), 10**19), max_size=9),
    n_groups=st.sampled_from([7, 1000]),
)
def test_groups_follow_from_labels_alone(labels, n_groups):
    found = task_tally.groups_of(task_tally.keys_of_labels(labels), n_groups)
    assert found.tolist() == [group_of(as_text(label), n_groups) for label in labels]


def plain_groups(table, n_groups):
    """Return for each task and group the units, and what they add up to."""
    units = {}
    for u, instance in enumerate(table.instances):
        task = table.tasks[int(table.unit_tasks[u])]
        units.setdefault(task, {}).setdefault(group_of(instance, n_groups), []).append(u)
    return units


def plain_sums(table, task, units):
    """Return wins, units with both, and exact sums, in plain Python."""
    n, better = table.n_systems, 1 if table.higher_is_better[task] else -1
    wins, both = ([[0] * n for _ in range(n)] for _ in range(2))
    sums = [Fraction(0)] * n
    for u in units:
        column = table.values[:, u].tolist()
        for i, one in enumerate(column):
            sums[i] += Fraction(one) if one == one else 0  # noqa: PLR0124
            for j, other in enumerate(column):
                both[i][j] += one == one and other == other  # noqa: PLR0124
                wins[i][j] += better * one > better * other
    return wins, both, sums


@given(table=tables(), n_groups=st.sampled_from([2, 3, 50]))
def test_counts_in_plain_python(table, n_groups):
    summary = ra.ScoreSummary.from_scores(table, n_groups=n_groups)
    expected = plain_groups(table, n_groups)
    assert set(summary.grouped) == set(expected)
    for task, groups in expected.items():
        assert list(summary.grouped[task].parts) == sorted(groups)
        for group, units in groups.items():
            tally = summary.grouped[task].parts[group]
            wins, both, sums = plain_sums(table, task, units)
            assert tally.wins.tolist() == wins
            assert tally.both.tolist() == both
            assert [Fraction(total, 2**1074) for total in tally.sums] == sums
            assert tally.n_units == len(units)
    plain = ra.ScoreSummary.from_scores(table)
    assert dict(summary.tallies) == dict(plain.tallies)
    assert summary.fingerprint == plain.fingerprint
    assert summary != plain


@given(table=tables(), cut=st.integers(0, 9), n_groups=st.sampled_from([None, 2, 5]))
def test_parts_add_up_and_come_back(table, cut, n_groups):
    whole = ra.ScoreSummary.from_scores(table, n_groups=n_groups)
    parts = [np.arange(table.n_units)[:cut], np.arange(table.n_units)[cut:]]
    pieces = [
        ra.ScoreSummary.from_scores(_units(table, part), n_groups=n_groups)
        for part in parts
        if len(part)
    ]
    total = sum(pieces[1:], start=pieces[0])
    assert total == whole
    assert hash(total) == hash(whole)
    assert total.fingerprint == whole.fingerprint
    again = ra.ScoreSummary.from_dict(json.loads(json.dumps(whole.to_dict())))
    assert again == whole
    assert again.to_dict() == whole.to_dict()
    assert copy.deepcopy(whole) == whole
    for kept in (whole.with_task_weights({}), *whole.by_task().values()):
        assert kept.n_groups == n_groups
    order = range(table.n_systems)[::-1]
    turned = ra.ScoreTable(
        table.values[::-1], systems=[table.systems[i] for i in order], instances=table.instances,
        tasks=[table.tasks[t] for t in table.unit_tasks], higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )  # fmt: skip
    assert whole + ra.ScoreSummary.from_scores(turned, n_groups=n_groups) == whole + whole


@given(table=tables(), data=st.data())
def test_groups_drawn_again(table, data):
    grouped = ra.ScoreSummary.from_scores(table, n_groups=3).grouped
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)))
    for task, tally in grouped.items():
        scored = [u for u in range(table.n_units) if table.tasks[int(table.unit_tasks[u])] == task]
        often = [u for u in scored for _ in range(times[group_of(table.instances[u], 3)])]
        found = tally.drawn(times)
        if not often:
            assert found is None
            continue
        better = table.higher_is_better[task]
        assert found == TaskTally.of(table.values[:, often], higher_is_better=better)


def test_many_systems_drawn_again():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 50, (101, 30)).astype(float)
    values[rng.random(values.shape) < rng.random(30)] = NAN
    values[0, np.isnan(values).all(axis=0)] = 1
    values[:, 7] = NAN
    groups = rng.integers(0, 4, 30)
    tally = GroupedTally.of(values, groups, 4, higher_is_better=True)
    assert tally.total.shares is None
    found = tally.drawn(np.array([2, 0, 1, 3]))
    often = np.concatenate([np.flatnonzero(groups == g) for g in (0, 0, 2, 3, 3, 3)])
    expected = TaskTally.of(values[:, often], higher_is_better=True)
    for name in ("wins", "both", "on_grid", "squares_on_grid", "sums", "n_units", "n_empty"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


def made(n_groups=4):
    table = ra.ScoreTable(
        np.arange(24.0).reshape(2, 12), systems="AB", tasks=["x", "y"] * 6, instances=range(12),
        higher_is_better=True,
    )  # fmt: skip
    return ra.ScoreSummary.from_scores(table, n_groups=n_groups)


def mixed_groups(other):
    held = {"x": made().grouped["x"], "y": made(other)._held["y"]}
    return ra.ScoreSummary(made().systems, held, higher_is_better=True)


BARE = ra.ScoreTable([[1, 2], [2, 1]], tasks="xy", higher_is_better=True)
REFUSED = [
    *((lambda x=x: made() + made(x), "`n_groups` must be 4, as in the other") for x in (None, 5)),
    *((lambda x=x: made(x) + made(), "groups") for x in (None, 5)),
    (lambda: made().grouped["x"] + made(5).grouped["x"], "groups"),
    *((lambda x=x: mixed_groups(x), "same number of groups") for x in (None, 5)),
    *((lambda x=x: made(x), "groups") for x in (0, 1, -3, 2.5, "many", True, 10**6 + 1)),
    (lambda: ra.ScoreSummary.from_scores(BARE, n_groups=2), "without instances"),
    (lambda: task_tally.check_room(2000, 100, 2, 3), "at most about 50 with 2 tasks of 3 sys"),
]  # fmt: skip


def test_what_is_refused(monkeypatch):
    for call, words in REFUSED:
        monkeypatch.setattr(task_tally, "MOST_BYTES", max(1000, 2**30 * ("50" not in words)))
        with pytest.raises(InvalidInputError, match=words):
            call()


def test_numbers_that_were_changed_are_refused():
    text = json.dumps(made().to_dict())
    places = [at for at, sign in enumerate(text) if sign.isdigit()]
    for at in places[::7]:
        plain = json.loads(text[:at] + str((int(text[at]) + 1) % 10 or 1) + text[at + 1 :])
        if plain != json.loads(text):
            with pytest.raises(DataFormatError, match=r"changed since|version"):
                ra.ScoreSummary.from_dict(plain)


def test_files(tmp_path):
    path = tmp_path / "sums.json"
    write_summary(made(), path)
    assert read_summary(path) == made()
    # Two groups exchanged add up to the same.
    plain = json.loads(path.read_text())
    parts = plain["tasks"][0]["tally"]["parts"]
    parts[0][1], parts[1][1] = parts[1][1], parts[0][1]
    path.write_text(json.dumps(plain))
    with pytest.raises(DataFormatError, match="changed since it was written"):
        read_summary(path)


# -- sums of one task -----------------------------------------------------------------------------


def summed(n=4, m=30, seed=0):
    """Return plain sums over scores with ties and gaps."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, size=(n, m)).astype(float)
    scores[rng.random(scores.shape) < 0.3] = np.nan
    return TaskTally.of(scores, higher_is_better=True).to_dict()


def test_what_scores_have_is_taken():
    for n in (1, 2, 4, 101):
        for seed in range(2):
            plain = summed(n, 12, seed)
            assert TaskTally.from_dict(json.loads(json.dumps(plain))).to_dict() == plain


def test_the_largest_and_the_longest_sums_of_scores_are_taken():
    for scores in ([2.0**1023, 1.0], [np.finfo(float).max, 5e-324], [-(2.0**1023)] * 2):
        tally = TaskTally.of(np.array([scores]), higher_is_better=True)
        assert TaskTally.from_dict(tally.to_dict()) == tally


def test_units_without_scores_are_counted_and_left_out():
    values = [[1.0, NAN, 2.0], [0.0, NAN, NAN]]
    tally = TaskTally.of(np.array(values), higher_is_better=True)
    assert (tally.n_units, tally.n_empty) == (2, 1)
    full = TaskTally.of(np.array(values)[:, [0, 2]], higher_is_better=True)
    assert (full.wins == tally.wins).all()
    assert (full.both == tally.both).all()
    assert (full.neither == tally.neither).all()
    lower = TaskTally.of(np.array([[1.0, 2.0], [3.0, 2.0]]), higher_is_better=False)
    assert (lower.wins.tolist(), lower.ties.tolist()) == ([[0, 1], [0, 0]], [[0, 1], [1, 0]])


@pytest.mark.parametrize("n", [6, 101])
@pytest.mark.parametrize("lacking", [0, 2, 100])
def test_units_that_lack_the_same_systems_add_up_like_single_ones(n, lacking):
    values = np.random.default_rng(n).normal(size=(n, 9))
    values[1 : 1 + lacking, 2:] = NAN
    tally = TaskTally.of(values, higher_is_better=True)
    ones = [TaskTally.of(values[:, [unit]], higher_is_better=True) for unit in range(9)]
    assert tally == reduce(add, ones)


def test_many_systems_take_no_memory_for_each_size():
    values = np.random.default_rng(0).normal(size=(400, 60))
    for unit in range(60):
        values[: 2 * unit, unit] = NAN
    tally = TaskTally.of(values, higher_is_better=True)
    assert len(tally.sizes) == 59
    assert tally.shares is None
    assert tally.squares is None
