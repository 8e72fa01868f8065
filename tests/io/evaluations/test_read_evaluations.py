"""Damaged files: one sentence, or the numbers that a slow and obvious look finds in them."""

import copy
import gzip
import json
import random

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError, RankaggError
from tests.io.damage import damaged
from tests.io.evaluations import made
from tests.io.evaluations.made import (
    TIME,
    aggregate,
    archive,
    cells,
    document,
    harness,
    log,
    put,
    read,
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
    about = {"standard_error": {"value": 0.0625}, "num_samples": 64}
    sure = result("x", 0.5)
    sure["score_details"]["uncertainty"] = about
    scores = {
        "arc": {"acc,none": 0.5, "acc_stderr,none": 0.1, "f1,strict": 0.25},
        "mmlu": {"acc,none": 0.75},
        "physics": {"acc,none": 1},
    }
    samples = [(1, 1, {"m": "C", "j": 0.5}), (1, 2, {"m": "I"}), (2, 1, {"m": "P"})]
    return [
        {
            "a.json": [aggregate("org/A", sure, result("y", 2, lower=True, metric="nll"))],
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
        frame, told = read(folder)
        if contents is not None:
            assert set(frame["score"]) <= obvious(contents)
            assert set(frame["error"].dropna()) <= obvious(contents)
        frame.to_string().encode()
        "".join(told).encode()
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
    ("number", "seed", "low"), [(40, 1, 5), pytest.param(8000, 2, 1600, marks=pytest.mark.slow)]
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


RESULTS, SAMPLES = f"results_{TIME}.json", f"samples_arc_{TIME}.jsonl"


def run_of_the_harness(folder):
    """Write results and samples."""
    for one, objects in sets()[1].items():
        put(folder / one, *objects)


@pytest.mark.parametrize("name", [RESULTS, SAMPLES])
def test_a_mark_and_gzip_change_nothing(tmp_path, name) -> None:
    def frame():
        return read(tmp_path)[0].drop(columns="source")

    run_of_the_harness(tmp_path)
    plain = frame()
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert frame().equals(plain)
    (tmp_path / name).unlink()
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    assert frame().equals(plain)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data)[:-9])
    with pytest.raises(DataFormatError, match=r"\.gz"):
        read(tmp_path)


def test_a_file_without_an_ending_may_be_one_document_over_lines(tmp_path) -> None:
    content = json.dumps(aggregate("org/A", result("x", 0.5)), indent=1)
    for name in ("a.json", "a"):
        (tmp_path / name).write_text(content)
    whole, bare = (ra.read_evaluations(tmp_path / name) for name in ("a.json", "a"))
    assert bare.drop(columns="source").equals(whole.drop(columns="source"))


@pytest.mark.parametrize(
    ("name", "key"), [(RESULTS, "model_name"), (SAMPLES, "doc_id"), (SAMPLES, "acc")]
)
def test_a_key_twice_is_named(tmp_path, name, key) -> None:
    run_of_the_harness(tmp_path)
    first, end, rest = (tmp_path / name).read_text().rpartition("\n{")
    last = rest.replace(f'"{key}":', f'"{key}": 7, "{key}":', 1)
    (tmp_path / name).write_text(first + end + last)
    with pytest.raises(DataFormatError, match=rf"{name}.* has the key '{key}' twice"):
        read(tmp_path)


def test_a_key_twice_in_other_letters_is_named(tmp_path) -> None:
    run_of_the_harness(tmp_path)
    text = (tmp_path / SAMPLES).read_text()
    (tmp_path / SAMPLES).write_text(text.replace('"acc":', r'"\u0061cc": 7, "acc":'))
    with pytest.raises(DataFormatError, match="has the key 'acc' twice"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"a":' * 100_000, "nested too deep|not JSON"),
        (b'{"schema_version": "0.3.0", "sample_id": ' + b"9" * 5000 + b"}", "thousands of digits"),
        (b'{"schema_version": "0.3.0", "samp', "not JSON"),
        (b'\xff\xfe{"a": 1}', "UTF-8|UTF-16"),
    ],
)
def test_what_is_no_json_is_told(tmp_path, name, data, told) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataFormatError, match=told):
        ra.read_evaluations(tmp_path / name)


# -- formats and paths -----------------------------------------------------------------------------


def test_formats_go_together(tmp_path) -> None:
    put(tmp_path / "e" / "a.json", aggregate("A", result("x", 0.5)))
    put(tmp_path / "h" / RESULTS, harness("A", {"arc": {"acc,none": 0.25}}))
    put(tmp_path / "h" / SAMPLES, document(0, acc=1))
    put(tmp_path / "i" / "log.json", log("B", "z", [(1, 1, {"m": "C"})]))
    put(tmp_path / "other.json", {"a": 1})
    (tmp_path / "README.md").write_text("")
    (tmp_path / ".hidden.json").write_text("[")
    frame, told = read(tmp_path)
    assert list(frame.columns) == [
        *("system", "task", "metric", "score", "error", "n", "higher_is_better"),
        *("instance", "epoch", "settings", "source"),
    ]
    assert cells(frame) == {
        ("A", "x", "accuracy", None): 0.5, ("A", "arc", "acc", None): 0.25,
        ("B", "z", "m", 1): 1, ("A", "arc", "acc", 0): 1,
    }  # fmt: skip
    assert [one.partition(" (")[0] for one in told] == ["left out: 1 file"] * 2
    again = ra.read_evaluations([tmp_path / "e", str(tmp_path / "h" / "*"), tmp_path / "i"])
    assert again.equals(frame)


@pytest.mark.parametrize("source", [[], 3, [3], b"x", [b"x"], None])
def test_paths_are_paths(source) -> None:
    with pytest.raises(InvalidInputError, match=r"`source` must be"):
        ra.read_evaluations(source)


@pytest.mark.parametrize("path", ["nowhere", "nowhere/*.json", "a\0b", "\ud800", "x" * 5000])
def test_what_is_not_there_is_told(path) -> None:
    with pytest.raises(InvalidInputError):
        ra.read_evaluations(path)


def test_a_file_that_is_named_must_be_one_of_these(tmp_path) -> None:
    file = put(tmp_path / "x.json", {"a": 1})
    with pytest.raises(DataFormatError, match="none of the formats"):
        ra.read_evaluations(file)
    with pytest.raises(InvalidInputError, match="files with scores"):
        ra.read_evaluations(tmp_path)


def test_what_would_take_too_much_memory_is_refused_before_it_is_held(tmp_path) -> None:
    def refused(folder, limit):
        with pytest.raises(DataFormatError, match=r"takes about [0-9,]+ bytes") as told:
            ra.read_evaluations(folder, max_bytes=limit)
        return str(told.value)

    sample = log("A", "x", [(1, 1, {"m": "C"})])
    sample["samples"][0]["events"] = [[]] * 50_000
    for name in ("packed", "line", "rows"):
        (tmp_path / name).mkdir()
    path = archive(tmp_path / "packed" / "a.eval", sample)
    assert "samples/1_epoch_1.json takes" in refused(tmp_path / "packed", 2**21)
    assert len(ra.read_evaluations(path)) == 1
    run_of_the_harness(tmp_path / "line")
    (tmp_path / "line" / SAMPLES).unlink()
    line = json.dumps(document(0, acc=1.0) | {"doc": "x" * 2**22}).encode()
    (tmp_path / "line" / f"{SAMPLES}.gz").write_bytes(gzip.compress(line))
    assert "line 1 takes" in refused(tmp_path / "line", 2**21)
    run_of_the_harness(tmp_path / "rows")
    put(tmp_path / "rows" / SAMPLES, *(document(n, acc=1.0) for n in range(3000)))
    assert f"{SAMPLES} takes" in refused(tmp_path / "rows", 2**21)
    with pytest.warns(ra.exceptions.DataWarning):
        assert len(ra.read_evaluations(tmp_path / "rows", max_bytes=2**23)) > 3000
