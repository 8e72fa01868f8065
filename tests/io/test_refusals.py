"""What readers and writers refuse: each sentence whole, with its file, line, field and remedy."""

from io import StringIO

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.preflib import parse_preflib
from rankagg.io.tables.sources import check_not_binary, check_plain_table, check_size, read_table

ONE = ra.Profile.from_orders(["AB"])
WEIGHTED = ra.Profile(list(ONE), weights=[2.0])
UNLISTED = ra.Profile([ra.PartialRanking.from_top_k("A", items="AB")])
BOTH = ra.Profile([*UNLISTED, ra.PartialRanking.from_order("A", items="AB")])
NEW = "# NUMBER ALTERNATIVES: 2\n"
OLD = "2\n1,A\n2,B\n"


def scores(text, **names):
    return ra.read_scores(StringIO(text), higher_is_better=True, **names)


def ballots(text, **names):
    return ra.read_ballots(StringIO(text), **names)


def preflib(text):
    return ra.read_preflib(StringIO(text))


def sentence_of(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: scores("s,t\nA,1\n", task="t"),
         "`task and score` must be given together (long form) or not at all. Got 'task'."),
        (lambda: scores("s,t\nA,1\n", score="t"),
         "`task and score` must be given together (long form) or not at all. Got 'score'."),
        (lambda: scores("s,t\nA,1\n", instance="s"),
         "`system and instance` must be different columns. Got 's'."),
        (lambda: scores("s,t,v\nA,x,1\n", task="t", score="v", instance="t"),
         "`system, task, instance and score` must be different columns. "
         "Got ['s', 't', 't', 'v']."),
        *((lambda part=part: scores(
              "s,t,k,v\nA,x,1,1\n",
              **{"system": "s", "task": "t", "instance": "k", "score": "v", part: "n"},
          ),
          f"`{part}` must be a column of the stream (s, t, k, v). Got 'n'.")
          for part in ("system", "task", "instance", "score")),
        (lambda: scores("s,x,y\nA,1,2\n", drop="z"),
         "`drop` must be tasks of the table (x, y). Got 'z'."),
        (lambda: scores("s,t,v\nA,x,1\n", task="t", score="v", drop=[["x"]]),
         "`drop` must be tasks of the table (x). Got ['x']."),
        (lambda: scores("s,k,x,y\nA,1,,2\nB,1,,3\n", instance="k"),
         "`source` must be a table in which every task has a score. Got 'x'. All cells of this "
         "task are missing: leave it out with `drop`."),
        (lambda: ballots("A,n\n1,1\n", count="n", weight="n", drop="A"),
         "`count, weight, group and drop` must be different columns. Got ['n', 'n', 'A']."),
        *((lambda part=part: ballots("A,B\n1,2\n", **{part: "n"}),
           f"`{part}` must be a column of the stream (A, B). Got 'n'.")
          for part in ("count", "weight", "group", "drop")),
        (lambda: ballots("A\n1\n", left_out="last"),
         "`left_out` must be 'unranked' or 'unlisted'. Got 'last'."),
        (lambda: ra.write_ballots(UNLISTED, "unwritten"),
         f"`profile` must be free of unlisted items. Got {UNLISTED!r}."),
        (lambda: ra.write_ballots(ra.Profile.from_orders([["A", "b "]]), "unwritten"),
         "`items and groups` must be labels without blanks around them and without line breaks. "
         "Got 'b '."),
        (lambda: ra.write_ballots(ra.Profile.from_orders([["A", "count"]]), "unwritten"),
         "`items` must be free of the column name 'count'. Got 'count'."),
        (lambda: ra.write_preflib(WEIGHTED, "unwritten"),
         f"`profile` must be free of weights and groups. Got {WEIGHTED!r}. PrefLib's formats hold "
         "counts only."),
        (lambda: ra.write_preflib(BOTH, "unwritten"),
         f"`profile` must be free of unranked or of unlisted items. Got {BOTH!r}."),
        *((lambda title=title: ra.write_preflib(ONE, "unwritten", title=title),
           f"`title and items` must be without blanks around them and without line breaks. "
           f"Got {title!r}.")
          for title in (" a", "a\nb", "a\rb")),
        (lambda: ra.write_preflib(ra.Profile([ra.PartialRanking([-1, -1], "AB")]), "unwritten"),
         "`profile` must be free of empty ballots. Got <PartialRanking unranked: A, B>."),
        (lambda: ra.read_preflib(StringIO(NEW), left_out="last"),
         "`left_out` must be 'unranked' or 'unlisted'. Got 'last'."),
    ],
)  # fmt: skip
def test_what_is_asked_in_vain(call, sentence, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert sentence_of(InvalidInputError, call) == sentence
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: scores("s\nA\n"), "the stream has no task columns besides 's'."),
        (lambda: scores("s,t,v\nA,x,1\n", task="t", score="v", drop="x"),
         "the stream has no tasks left."),
        (lambda: scores("s,k,x\nA,1,1\nA,1,2\n", instance="k"),
         "the stream has two scores for system 'A', instance '1', task 'x'; each may occur once."),
        (lambda: scores("s,x,y\nB,1,1\nA,1,2\nA,3,4\n"),
         "the stream has two scores for system 'A', task 'x'; each may occur once. `instance=` "
         "names the column that tells them apart."),
        (lambda: ballots("n\n1\n", count="n"), "the stream has no item columns."),
        (lambda: ballots("A,B\n1,2\n\n,na\n"),
         "the stream, row 4 ranks nothing; leave such ballots out."),
        (lambda: ballots("A,n\n1,2\n1,0.5\n", count="n"),
         "the stream, row 3, column 'n' must be a positive whole number below 2**53. Got '0.5'."),
        (lambda: ballots("A,g\n1,x\n2,\n", group="g"),
         "the stream, row 3, column 'g' is empty; it must hold a label."),
        (lambda: read_table(pd.DataFrame({"m": ["A", b"x"]})).labels("m", "system"),
         "the DataFrame, row 2, column 'm' must hold a label. Got b'x'."),
        (lambda: ballots("A;B\n1;2,5\n"),
         "the stream, row 2, column 'B' must be a finite number or empty for missing. Got '2,5'. "
         "`decimal` and `missing` say how numbers are written; `drop` leaves the column out."),
        (lambda: ballots("A;B\n1;-inf\n"),
         "the stream, row 2, column 'B' must be a finite number or empty for missing. Got '-inf'."),
        (lambda: ballots(f"A,B\n1,2\n1,{2**53 + 1}\n"),
         "the stream, row 3, column 'B' is 9007199254740993, which no 64-bit float holds: subtract "
         "a common number from the column."),
        (lambda: ballots("\n \n"),
         "the stream is empty; it must hold a header and at least one row."),
        (lambda: ballots("A,B\n"),
         "the stream has a header and no rows; it must hold at least one row."),
        (lambda: ra.read_ballots(pd.DataFrame(index=[0, 1])),
         "the DataFrame has no columns; it must hold at least one column."),
        (lambda: ballots("A,B,A\n1,2,3\n"),
         "the stream has two columns 'A'; names must be distinct."),
        (lambda: ballots("A,B\n1,2\n\n1,2,3\n"),
         "the stream, row 4 has 3 cells where the header has 2; every row must have one cell per "
         "column."),
        (lambda: ballots('A,B\n1,2\n1,"2\n'),
         "the stream, line 3: unexpected end of data. The file may be cut off."),
        (lambda: check_plain_table("a.csv", "<table><tr>"),
         "a.csv is HTML or XML, no plain table: read it with pandas.read_html and give the "
         "DataFrame, or save it as CSV (UTF-8)."),
        (lambda: check_plain_table("a.csv", ' {"A": 1}'),
         "a.csv is JSON, no plain table: read it with pandas.read_json and give the DataFrame, or "
         "save it as CSV (UTF-8)."),
        (lambda: check_not_binary("a.csv", b"\x1f\x8b"),
         "a.csv is compressed by gzip, not UTF-8 text: unpack it first, or read it with "
         "pandas.read_csv and give the DataFrame."),
        (lambda: check_not_binary("a.csv", b"PK\x03\x04 a.txt"),
         "a.csv is a zip archive, not UTF-8 text: unpack it first, or read it with "
         "pandas.read_csv and give the DataFrame."),
        (lambda: ra.read_matrix(StringIO("3\n1 2\n")),
         "the stream is no linear ordering matrix: it must hold a number n and n x n numbers."),
        (lambda: check_size("a.csv", (2**15, "rows"), (2**14, "columns"), 2**25 - 1),
         "a.csv has 32768 rows and 16384 columns, which make 536870912 cells, 33554431 of them "
         "filled; more than 268435456 cells must be filled to one in 16 at least. Split the file, "
         "or leave out what is hardly ever filled."),
    ],
)  # fmt: skip
def test_what_is_no_table(call, sentence):
    assert sentence_of(DataFormatError, call) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("A,B\n1,2\n",
         "the stream is not in a PrefLib format: it must begin with header lines '# KEY: value', "
         "or, from before 2022, with the number of alternatives and a line '1,name'."),
        ("# TITLE: a\n1: 1\n", "the stream does not state NUMBER ALTERNATIVES."),
        (NEW, "the stream has a header and no ballots; the file may be cut off."),
        ("# NUMBER ALTERNATIVES: 10001\n1: 1\n",
         "the stream states 10001 alternatives and names none; at most 10000 may go without a line "
         "'# ALTERNATIVE NAME 1: name'."),
        (NEW + "# ALTERNATIVE NAME 3: A\n# ALTERNATIVE NAME 1: B\n1: 1\n",
         "the stream states 2 alternatives and names 2: 1, 3."),
        (NEW + "# ALTERNATIVE NAME 2: A\n# ALTERNATIVE NAME 1: A\n1: 1\n",
         "the stream names two alternatives 'A'; names must be distinct."),
        (NEW + "# ALTERNATIVE NAME 2: A\n# ALTERNATIVE NAME 2: B\n1: 1\n",
         "the stream, line 3: alternative 2 is named twice."),
        (NEW + "\n# ALTERNATIVE NAME: A\n1: 1\n",
         "the stream, line 3: 'ALTERNATIVE NAME' must end with a number."),
        (NEW + "# TITLE: a\n# TITLE: b\n1: 1\n", "the stream, line 3: TITLE is stated twice."),
        (NEW + "# NUMBER VOTERS: 0\n1: 1\n",
         "the stream: NUMBER VOTERS must be a positive whole number below 2**53. Got '0'."),
        (NEW + "# NUMBER VOTERS: 3\n1: 1\n1: 2\n",
         "the stream states NUMBER VOTERS 3, its ballots make 2; the file may be cut off."),
        (NEW + "# NUMBER UNIQUE ORDERS: 2\n3: 1\n",
         "the stream states NUMBER UNIQUE ORDERS 2, its ballots make 1; the file may be cut off."),
        (NEW + "# DATA TYPE: TOC\n1: 2\n",
         "the stream states DATA TYPE toc, complete, and leaves items out."),
        (NEW + "# DATA TYPE: SOI\n1: {1,2}\n",
         "the stream states DATA TYPE soi, strict, and has ties."),
        (NEW + "# DATA TYPE: WMG\n1: 1\n",
         "the stream: DATA TYPE must be one of soc, soi, toc, toi. Got 'wmg'. wmg holds votes "
         "between pairs and no ballots: give them to PairwiseMatrix.from_wins."),
        (NEW + "# DATA TYPE: x\n1: 1\n",
         "the stream: DATA TYPE must be one of soc, soi, toc, toi. Got 'x'."),
        (NEW + "# comment\n x: {1,2}\n",
         "the stream, line 3: a ballot must read 'count: 1,2,{3,4}', its count a positive whole "
         "number below 2**53. Got 'x: {1,2}'."),
        (NEW + "1: 1,{2,\n",
         "the stream, line 2: alternatives must be numbers, ties in braces. Got '{2,'; the line "
         "may be cut off."),
        (NEW + "1: 1,\n", "the stream, line 2 ends in the middle of a ballot."),
        (NEW + "1: 1\n\n1: 2,{1,3}\n",
         "the stream, line 4: alternative 3 is not among the 2 of the header."),
        (NEW + "1: 1\n1: {0,1}\n",
         "the stream, line 3: alternative 0 is not among the 2 of the header."),
        (NEW + "1: 1\n\n1: 2,{1,2}\n", "the stream, line 4: alternative 2 occurs twice."),
        ("\n0\n1,A\n",
         "the stream, line 2: the number of alternatives must be a positive whole number. "
         "Got '0'."),
        ("2\n1,A\n\n 3,B\n1,1,1\n1,1\n",
         "the stream, line 4: alternative 2 of 2 must stand here as '2,name'. Got '3,B'."),
        ("2\n1,A\n", "the stream states 2 alternatives and ends after 1 of them; the file may be "
         "cut off."),
        (OLD + "\n 1,1 \n",
         "the stream, line 5 must hold the number of voters, the sum of the counts and the number "
         "of distinct ballots, after the names. Got '1,1'."),
        (OLD + "2,3,1\n1,1\n",
         "the stream, line 4 states 2 voters and counts that sum to 3: what was derived from "
         "ballots is no ballot. PairwiseMatrix.from_wins takes votes between pairs."),
        (OLD + "1,1,1\n1 1\n",
         "the stream, line 5: a ballot must read 'count, 1,2,{3,4}', its count a positive whole "
         "number below 2**53. Got '1 1'."),
    ],
)  # fmt: skip
def test_what_is_no_file_of_preflib(text, sentence):
    assert sentence_of(DataFormatError, lambda: preflib(text)) == sentence


def test_an_old_file_of_another_type_is_told_by_its_extension():
    sentence = (
        "a.CAT: DATA TYPE must be one of soc, soi, toc, toi. Got 'cat'. cat holds categories and "
        "no ballots: make a CSV table of ranks for read_ballots."
    )
    assert sentence_of(DataFormatError, lambda: parse_preflib("a.CAT", OLD)) == sentence


@pytest.mark.parametrize(
    ("rows", "columns", "filled", "is_made"),
    [
        (2**14, 2**14, 0, True), (2**14, 2**14 + 1, 0, False), (2**15, 2**14, 2**25, True),
        (2**15, 2**14, 2**25 - 1, False), (10**9, 1, 10**9, True), (0, 10**9, 0, True),
    ],
)  # fmt: skip
def test_a_table_may_be_large_or_sparse_and_not_both(rows, columns, filled, is_made):
    if is_made:
        check_size("a.csv", (rows, "rows"), (columns, "columns"), filled)
        return
    with pytest.raises(DataFormatError, match="Split the file"):
        check_size("a.csv", (rows, "rows"), (columns, "columns"), filled)
