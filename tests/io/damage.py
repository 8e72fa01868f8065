"""Damaged files: small valid ones, and bytes of theirs changed in the ways files get damaged."""

import gzip
import json
import random
import re
import tracemalloc
import warnings
from contextlib import contextmanager
from io import BytesIO

import pandas as pd

import rankagg as ra
from rankagg.exceptions import DataWarning, RankaggError
from rankagg.io.json_files import votes_to_dict
from tests.io.made_evaluations import harness, log, run, task
from tests.io.tables.workbooks import HEADER, parts_of, workbook, zipped

NEW = (
    b"# FILE NAME: a.toi\n# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 5\n"
    b"# NUMBER UNIQUE ORDERS: 2\n# ALTERNATIVE NAME 1: A\n# ALTERNATIVE NAME 2: B\n"
    b"# ALTERNATIVE NAME 3: C\n3: 1,{2,3}\n2: 3,1\n"
)
UNNAMED = b"# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 2\n1: 1,2\n"
VOTES = ra.PairwiseMatrix.from_wins([[0, 5], [2, 0]], items="AB")
LONG = pd.DataFrame({"s": ["A", "B"] * 2, "t": ["x", "x", "y", "y"], "v": [0.5, 0.3, None, -3.0]})
SHEET = "xl/worksheets/one.xml"
ROWS = (
    '<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c><c r="B2"><v>0.5</v></c></row>'
    '<row r="4"><c r="A4" t="str"><v>C</v></c><c r="B4" s="1"><v>3</v></c></row>'
)


def scores(path, **names):
    return ra.read_scores(path, higher_is_better=True, **names)


def long_scores(suffix):
    """Return a function that reads scores from the bytes of a file of a kind."""
    return lambda path: scores(path.rename(path.with_suffix(suffix)), task="t", score="v")


def sheet_of(path):
    """Read a workbook, or one whose sheet is the file."""
    data = path.read_bytes()
    if b"<row" in data:
        data = zipped(parts_of("") | {SHEET: data})
    path.with_suffix(".xlsx").write_bytes(data)
    return scores(path.with_suffix(".xlsx"))


def evaluations(path):
    """Read a log; every score must be a number in the file, or a letter."""
    frame = ra.read_evaluations(path.rename(path.with_suffix(".json")))
    text = path.with_suffix(".json").read_text(encoding="utf-8")
    found = {float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text) if "_" not in x}
    assert set(frame["score"]) <= {*found, 0.0, 0.5, 1.0}
    frame.to_string().encode()


def as_parquet(**options):
    target = BytesIO()
    LONG.to_parquet(target, index=False, **options)
    return target.getvalue()


def as_json(content, **options):
    return json.dumps(content, **options).encode()


READERS = {
    "wide": (
        scores,
        [
            b"system,x,y\nA,1,0.5\nB,,1e-3\n",
            b"\xef\xbb\xbfm\ttask one\tz\r\n=a\t-1\tNA\r\n'b\t9007199254740992\t0\r\n",
            b'"sys;tem";"x"\n"A ""q""";1\n\nB;2\n',
        ],
    ),
    "instances": (
        lambda path: scores(path, instance="k"),
        [b"system,k,x,y\nA,1,1,2\nA,2,3,4\nB,1,5,6\nB,2,7,\n"],
    ),
    "long": (
        lambda path: scores(path, task="t", score="v", instance="k"),
        [b"s,t,k,v\nA,x,1,1.5\nB,x,1,2\nA,y,1,0.12345678901234567\nB,y,1,0.1\n"],
    ),
    "ballots": (
        lambda path: ra.read_ballots(path, count="n", weight="w", group="g", drop="voter"),
        [b"voter,A,B,n,w,g\nv1,1,2,3,0.5,x\nv2,2,1,1,2,y\n", b"voter\tA\tn\tw\tg\nv\t1\t1\t1\t1\n"],
    ),
    "comparisons": (
        lambda path: ra.read_comparisons(
            path, first="a", second="b", outcome="won", weight="w", cluster="c", side="s",
            covariates="z",
        ),
        [
            b"a,b,won,w,c,s,z\nx,y,a,1,p,1,0.5\ny,z,model_b,2,q,-1,1e-3\nx,z,bothbad,1,p,0,7\n",
            b"a;b;won;w;c;s;z\r\n1;2;1;1;0;first;1\r\n2;3;0;1;1;neutral;2\r\n1;3;0.5;1;1;1;3\r\n",
            b'"a"\tb\twon\tw\tc\ts\tz\n"x,1"\ty\ty\t1\tp\t1\t1\n\ny\t"x,1"\ty\t1\tp\t1\t1\n',
        ],
    ),
    "numbers in text": (
        lambda path: scores(path, decimal=",", percent=True, missing=["-", "n.a."], errors="drop"),
        [
            "system;x;y\nA;1,5;86,1%\nB;-;85 %\nC;2,5 ± 0,3;-,5% (1)\n".encode(),
            b"s\tx\r\nA\t1,2 +- 0,3\r\nB\tn.a.\r\nC\t-1e3\r\n",
        ],
    ),
    "cast votes": (
        lambda path: ra.read_cast_votes(path, count="n", weight="w", overvotes="skip"),
        [
            b"first,second,n,w\nAnn,Bob,3,0.5\novervote,UWI,1,1\nundervote,,2,1\n,Ann,1,2\n",
            b"\xef\xbb\xbf1\t2\tn\tw\r\n=Ann\tAnn\t1\t1\r\n\tWrite-in: Jo\t2\t1\r\n",
        ],
    ),
    "matrix": (
        ra.io.read_matrix,
        [b"title\n3\n0 1 2\n3 0 5\n6 7 0\n", b"2\n0 9007199254740993\n0.1 0\n", b"1\n0\n"],
    ),
    "preflib": (ra.read_preflib, [NEW, UNNAMED, NEW.replace(b"\n", b"\r\n")]),
    "votes": (ra.io.read_votes, [as_json(votes_to_dict(VOTES), indent=16)]),
    "evaluations": (
        evaluations,
        [
            as_json(run("A", task("x", 0.5), task("y", 2, lower=True, metric="nll"))),
            as_json(harness("B", {"arc": {"acc,none": 0.5, "acc_stderr,none": 0.1}})),
            as_json(log("C", "z", [(1, 1, {"m": "C", "j": 0.5}), (2, 1, {"m": "I"})])),
        ],
    ),
    "parquet": (long_scores(".parquet"), [as_parquet(row_group_size=2), as_parquet()]),
    "gzip": (long_scores(".csv.gz"), [gzip.compress(LONG.to_csv(index=False).encode())]),
    "JSON Lines": (long_scores(".jsonl"), [LONG.to_json(orient="records", lines=True).encode()]),
    "workbook": (sheet_of, [parts_of(HEADER + ROWS)[SHEET].encode(), workbook(HEADER + ROWS)]),
}  # fmt: skip

# What breaks readers: signs of the formats, numbers at the limits, bytes of other encodings.
SCRAPS = [
    b"", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b'"', b'""', b"'", b"=", b"{", b"}", b"#", b":",
    b" ", b"-", b"+", b".", b"e", b"_", b"0", b"1", b"2", b"99", b"nan", b"inf", b"1e300", b"1e999",
    b"1e-400", b"1000000000", b"9" * 16, b"9" * 25, b"7" * 5000, b"0" * 5000, b"1e" + b"9" * 30,
    b"9007199254740993", b"0.30000000000000004", b"\x00", b"\xff", b"\xff\xfe", b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf", "é".encode(), "٣".encode(), "²".encode(), "\u2028".encode(), "\x85".encode(),
    b"%", "±".encode(), b"+-", b"(1)", b"undervote",
    b"PK\x03\x04", b"\x1f\x8b", b"<html>", b"[" * 3000, b"{}", b"null", b"true", b'"\\ud800"',
    b"<c/>", b"</row>", b"<v/>", b"<f>1</f>", b' t="s"', b' t="e"', b' s="99999"', b"&b;",
    b" " * 3000, b"# NUMBER VOTERS: 1",
]  # fmt: skip


def damaged(whole, rng):
    """Return bytes with one to four pieces cut, doubled, moved, replaced or flipped."""
    data = bytearray(whole)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        end = min(end, start + rng.choice((0, 1, 2, 5, 20, 1000)))
        way = rng.randrange(6)
        if way == 0:
            data[start:end] = rng.choice(SCRAPS)
        elif way == 1:
            data[start:start] = data[start:end]
        elif way == 2:
            del data[start:end]
        elif way == 3:
            del data[start:]
        elif way == 4 and data:
            data[start % len(data)] = rng.randrange(256)
        else:  # another number, or another text: a count, a size, a score, a label
            tokens = list(re.finditer(rb'"[^"]*"|[0-9]+', data))
            if tokens:
                data[slice(*rng.choice(tokens).span())] = rng.choice(SCRAPS)
    return bytes(data)


def survives(reader, data, path):
    """Read bytes from a file; return "read", or the name of the package's own error."""
    path.write_bytes(data)
    return outcome_of(reader, path)


def outcome_of(reader, source):
    """Read a source; return "read", or the name of the package's own error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            reader(source)
        except RankaggError as error:
            message = str(error)
            assert message, "an error without words"
            assert len(message) < 2000, f"an error of {len(message)} characters"
            return type(error).__name__
    return "read"


def outcomes(reader, wholes, number, path, seed=0):
    """Read many damaged files; return how often each outcome occurred."""
    rng = random.Random(seed)
    counts: dict[str, int] = {}
    for _ in range(number):
        data = damaged(rng.choice(wholes), rng)
        try:
            outcome = survives(reader, data, path)
        except Exception as error:
            error.add_note(f"from the {len(data)} bytes {data[:2000]!r}")
            raise
        counts[outcome] = counts.get(outcome, 0) + 1
    return counts


@contextmanager
def little_memory():
    """Let what is done take five megabytes at most."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()
