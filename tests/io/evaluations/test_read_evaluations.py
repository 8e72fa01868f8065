"""Damaged files: one sentence, or the numbers that a slow and obvious look finds in them."""

import copy
import gzip
import json
import random

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, RankaggError
from tests.io.damage import damaged
from tests.io.evaluations import made
from tests.io.evaluations.made import (
    TIME,
    aggregate,
    archive,
    document,
    harness,
    line,
    log,
    put,
    result,  # fmt: skip
)

EVIL = [
    None, True, False, 0, -1, 2**63, 2**53 + 1, 10**400, 1e308, float("nan"), float("inf"), -0.0,
    "", "x", "\ud800", "C", "0.3.0", "0.2.0", "N/A", "\0", "a" * 5000, [], [1], {}, {"a": 1},
    {"id": 1, "epoch": 2, "input": 3},
]  # fmt: skip
RIGHT = {"C": 1, "I": 0, "P": 0.5, "N": 0}


def sets():
    """Return sets of files: names, and the objects in them."""
    detail = {"detailed_evaluation_results": {"format": "jsonl", "total_rows": 2}}
    scores = {
        "arc": {"acc,none": 0.5, "acc_stderr,none": 0.1, "f1,strict": 0.25},
        "mmlu": {"acc,none": 0.75},
        "physics": {"acc,none": 1},
    }
    samples = [(1, 1, {"m": "C", "j": 0.5}), (1, 2, {"m": "I"}), (2, 1, {"m": "P"})]
    return [
        {
            "a.json": [aggregate("org/A", result("x", 0.5, name="x.acc"),
                                 result("y", 2, lower=True, metric="nll"), **detail)],
            "a_samples.jsonl": [line("org/A", "x", str(n), n, name="x.acc", digest="aa")
                                for n in (0, 1)],
        },
        {
            f"results_{TIME}.json": [harness("org/B", scores, group_subtasks={"mmlu": ["physics"]},
                                             **{"n-samples": {"arc": {"effective": 2}}})],
            f"samples_arc_{TIME}.jsonl": [document(n, acc=float(n), bleu=["a"], digest="aa")
                                          for n in (0, 1)],
        },
        {"log.json": [log("org/C", "z", samples, scores=[made.accuracy(0.5, scorer="m")])]},
    ]  # fmt: skip


def places(value, path=()):
    if path:
        yield path
    members = value.items() if isinstance(value, dict) else ()
    for key, member in enumerate(value) if isinstance(value, list) else members:
        yield from places(member, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(content, rng):
    """Return a copy in which one member is gone, renamed, replaced, or another one."""
    content = copy.deepcopy(content)
    path = rng.choice(list(places(content)))
    above, key = at(content, path[:-1]), path[-1]
    how = rng.random()
    if how < 0.25:
        del above[key]
    elif how < 0.35 and isinstance(above, dict):
        above[rng.choice(["x", "score", "epoch", "acc,none", " ", "results"])] = above.pop(key)
    elif how < 0.45:
        above[key] = copy.deepcopy(at(content, rng.choice(list(places(content)))))
    else:
        above[key] = rng.choice(EVIL)
    return content


def obvious(contents):
    """Return every number that stands somewhere as a score may, letters as numbers."""
    found = set()

    def look(value):
        for member in value.values() if isinstance(value, dict) else value:
            if isinstance(member, dict | list):
                look(member)
            elif isinstance(member, str) and member in RIGHT:
                found.add(float(RIGHT[member]))
            elif isinstance(member, int | float) and abs(member) <= 1e308:
                found.add(float(member))

    look(contents)
    return found


def check(folder, contents):
    """Read a folder; return whether it was read. Every number must be one that stands there."""
    try:
        found = ra.read_evaluations(folder)
        scores = set(found.to_frame()["score"])
        if contents is not None:
            assert scores <= obvious(contents)
        str(found).encode()
        for options in ({}, {"runs": "mean", "higher_is_better": True},
                        {"by": "task", "runs": "each", "higher_is_better": False}):  # fmt: skip
            try:
                chosen = found.select(**options)
            except RankaggError as error:
                _check_sentence(error)
            else:
                str(chosen).encode()
    except RankaggError as error:
        _check_sentence(error)
        return False
    return True


def _check_sentence(error):
    text = str(error)
    text.encode()
    assert 10 < len(text) < 1500


def mutants(number, seed, folder):
    rng = random.Random(seed)
    read = 0
    for _ in range(number):
        files = rng.choice(sets())
        victim = rng.choice(list(files))
        in_bytes = rng.random() < 0.4
        for old in folder.iterdir():
            old.unlink()
        contents = []
        for name, objects in files.items():
            if name == victim and not in_bytes:
                chosen = rng.randrange(len(objects))
                objects[chosen] = changed(objects[chosen], rng)
            contents += objects
            data = "".join(json.dumps(one) + "\n" for one in objects).encode()
            if name == victim and in_bytes:
                data = damaged(data, rng)
            (folder / name).write_bytes(data)
        read += check(folder, None if in_bytes else contents)
    return read


@pytest.mark.parametrize(
    ("number", "seed", "low"), [(80, 1, 10), pytest.param(8000, 2, 1600, marks=pytest.mark.slow)]
)
def test_mutants_are_refused_in_a_sentence_or_read_right(number, seed, low, tmp_path) -> None:
    assert low < mutants(number, seed, tmp_path) < number - low


@pytest.mark.slow
def test_archives_with_changed_bytes_are_refused_or_read_right(tmp_path) -> None:
    samples = [(1, 1, {"m": "C"}), (2, 1, {"m": "P"})]
    data = archive(tmp_path / "x.eval", log("A", "z", samples)).read_bytes()
    rng = random.Random(3)
    for _ in range(3000):
        (tmp_path / "x.eval").write_bytes(damaged(data, rng))
        check(tmp_path, None)


def test_an_archive_that_is_cut_off_is_told(tmp_path) -> None:
    path = archive(tmp_path / "x.eval", log("A", "z", [(1, 1, {"m": "C"})]))
    data = path.read_bytes()
    for size in (4, 30, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(DataFormatError, match=r"x\.eval is no archive|cannot be unpacked"):
            ra.read_evaluations(path)


def first_set(folder):
    """Write the first of the sets of files."""
    for one, objects in sets()[0].items():
        put(folder / one, *objects)


@pytest.mark.parametrize("name", ["a.json", "a_samples.jsonl"])
def test_a_mark_and_gzip_change_nothing(tmp_path, name) -> None:
    def frame():
        return ra.read_evaluations(tmp_path).to_frame().drop(columns="source")

    first_set(tmp_path)
    plain = frame()
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert frame().equals(plain)
    (tmp_path / name).unlink()
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    assert frame().equals(plain)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data)[:-9])
    with pytest.raises(DataFormatError, match=r"\.gz"):
        ra.read_evaluations(tmp_path)


def test_a_file_without_an_ending_may_be_one_document_over_lines(tmp_path) -> None:
    content = json.dumps(aggregate("org/A", result("x", 0.5)), indent=1)
    for name in ("a.json", "a"):
        (tmp_path / name).write_text(content)
    whole, bare = (ra.read_evaluations(tmp_path / name).to_frame() for name in ("a.json", "a"))
    assert bare.drop(columns="source").equals(whole.drop(columns="source"))


@pytest.mark.parametrize("name", ["a.json", "a_samples.jsonl"])
@pytest.mark.parametrize("key", ["schema_version", "score", "evaluation_name"])
def test_a_key_twice_is_named(tmp_path, name, key) -> None:
    first_set(tmp_path)
    first, end, rest = (tmp_path / name).read_text().rpartition("\n{")
    last = rest.replace(f'"{key}"', f'"{key}": 7, "{key}"', 1)
    (tmp_path / name).write_text(first + end + last)
    with pytest.raises(DataFormatError, match=rf"{name}.* has the key '{key}' twice"):
        ra.read_evaluations(tmp_path)


def test_a_key_twice_in_other_letters_is_named(tmp_path) -> None:
    first, second = (json.dumps(line("A", "x", str(n), 0.5)) for n in (1, 2))
    second = second.replace('"score"', r'"\u0073core": 7, "score"')
    (tmp_path / "s.jsonl").write_text(f"{first}\n{second}\n")
    with pytest.raises(DataFormatError, match="has the key 'score' twice"):
        ra.read_evaluations(tmp_path)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"a":' * 100_000, "nested too deep|not JSON"),
        (b'{"schema_version": "0.3.0", "sample_id": ' + b"9" * 5000 + b"}", "thousands of digits"),
        (b'{"schema_version": "0.3.0", "samp', "not JSON"),
        (b'\xff\xfe{"a": 1}', "not UTF-8|UTF-16"),
    ],
)
def test_what_is_no_json_is_told(tmp_path, name, data, told) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataFormatError, match=told):
        ra.read_evaluations(tmp_path / name)
