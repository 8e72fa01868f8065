"""Cast votes on the command line: the options, and what is said of the ballots."""

import json
from pathlib import Path

import pytest

WIDE = "first,second,third,n\nAnn,undervote,Bob,5\novervote,Bob,UWI,2\nAnn,Ann,Bob,1\n,,,3\n"
LONG = "id,rank,name\n1,1,Ann\n1,2,Bob\n2,1,Ann\n2,1,Cid\n2,2,Bob\n"


@pytest.fixture
def run(called):
    """Run the command line on two files; return the exit code, the output and the errors."""
    Path("wide.csv").write_text(WIDE, encoding="utf-8")
    Path("long.csv").write_text(LONG, encoding="utf-8")
    return lambda line: called(*line.split())


def test_what_was_read_is_in_the_output_and_on_the_page(run):
    line = "wide.csv --format cast-votes --count n --overvotes skip --write-ins drop"
    code, out, _ = run(f"rank {line} --method borda")
    assert code == 0
    said = [
        "ballots: rank 1 is best",
        "read: wide.csv, Profile of 8 rankings (2 rows) of 2 items, top-k lists, strict",
        "11 cast ballots: 0 as they were cast, 8 changed, 3 blank, 0 with nothing left",
        "33 choices: 14 ranked",
        "undervote: 8 ballots, 14 choices",
        "skipped choice: 5 ballots, 5 choices, close",
        "overvote: 2 ballots, 2 choices, skip",
        "write-in: 2 ballots, 2 choices, drop",
        "repeated item: 1 ballot, 1 choice",
        "read as no names: empty 9, 'undervote' 5, 'UWI' 2, 'overvote' 2",
    ]
    assert out.splitlines()[: len(said)] == said
    code, out, _ = run(f"rank {line} --method borda --json")
    assert json.loads(out)["input"] == said
    code, _, _ = run(f"report {line} -o page.html")
    assert code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "skipped choice: 5 ballots, 5 choices, close" in page


def test_the_long_form_and_spellings(run):
    line = "rank long.csv --format cast-votes --ballot id --rank rank --item name --method borda"
    _, out, _ = run(line)
    assert "2 cast ballots: 1 as they were cast, 0 changed, 0 blank, 1 with nothing left" in out
    _, out, _ = run(f"{line} --overvotes skip --spelling undervote=ANN --left-out unranked")
    assert "with unranked items" in out
    assert "'Ann' 2" in out
    _, out, _ = run(f"{line} --spelling overvote= --spelling undervote=")
    assert "Profile of 1 ranking" in out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("wide.csv --overvotes skip", "--overvotes has no meaning for a table of scores"),
        ("wide.csv --format ballots --choice first", "--choice has no meaning for a table of ball"),
        ("wide.csv --format cast-votes --task x", "--task has no meaning for cast votes"),
        ("wide.csv --format cast-votes --choice frst", "`--choice` must be a column of wide.csv"),
        ("wide.csv --format cast-votes --choice frst", "Did you mean 'first'?"),
        ("wide.csv --format cast-vote", "Did you mean 'cast-votes'?"),
        ("wide.csv --format cast-votes --overvotes ends", "Did you mean 'end'?"),
        ("wide.csv --format cast-votes --skiped end", "--skipped"),
        ("long.csv --format cast-votes --ballot id", "`--ballot, --rank and --item` must be given"),
        ("long.csv --format cast-votes --spelling x", "`--spelling` must be KIND=TEXT"),
        ("long.csv --format cast-votes --spelling x=y", "`--spelling` must be a mapping"),
    ],
)
def test_what_was_typed_wrong_is_named(run, line, words):
    code, _, err = run(f"rank {line} --method borda")
    assert code == 2
    assert words in " ".join(err.split())
