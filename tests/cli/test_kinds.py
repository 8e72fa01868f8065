"""Files of cast votes, comparisons and lists: recognised, chosen from, and reported."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from tests.io.made_evaluations import log, put
from tests.report.test_page import Page


def test_logs_of_evaluations_are_chosen_from_in_python(tmp_path, refused) -> None:
    for name in ("one", "two"):
        put(tmp_path / f"{name}.json", log("A", "x", [(1, 1, {"m": "C"})]))
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    for files in (tmp_path, one, f"{one} {two}"):
        message = refused(f"rank {files}")
        assert "holds evaluations, whose scores must be chosen in Python" in message
        assert "read them with rankagg.read_evaluations" in message.replace("`", "")
    assert "Got 'evaluations'." in refused(f"rank --format evaluations {tmp_path}")


# -- cast votes -----------------------------------------------------------------------------------

WIDE = "first,second,third,n\nAnn,undervote,Bob,5\novervote,Bob,UWI,2\nAnn,Ann,Bob,1\n,,,3\n"
LONG = "id,rank,name\n1,1,Ann\n1,2,Bob\n2,1,Ann\n2,1,Cid\n2,2,Bob\n"
COMPARISONS = (
    "a,b,won,judge,w\nx,y,model_a,j1,1\ny,z,tie,j1,2\nz,x,model_b,j2,1\nw,v,model_a,j2,1\n"
)


@pytest.fixture
def files(called):
    """Write files of cast votes and of comparisons."""
    for name, text in (("wide.csv", WIDE), ("long.csv", LONG), ("battles.csv", COMPARISONS)):
        Path(name).write_text(text, encoding="utf-8")


def test_the_description_of_the_data_is_printed_and_on_the_page(files, output):
    line = "wide.csv --format cast-votes --count n --overvotes skip --write-ins drop"
    lines = [
        "read: wide.csv, cast votes: 8 rankings (2 rows) of 2 items, top-k lists, strict",
        "counts: n",
        "choices in order of preference: 'first', 'second', 'third'",
        "11 ballots cast: 8 read (0 as cast, 8 changed), 3 blank, 0 spoilt (no valid choice left)",
        "33 choices: 14 ranked",
        "undervote: 8 ballots, 14 choices",
        "skipped choice: 5 ballots, 5 choices, close",
        "overvote: 2 ballots, 2 choices, skip",
        "write-in: 2 ballots, 2 choices, drop",
        "repeated item: 1 ballot, 1 choice",
        "read as no names: empty 9, 'undervote' 5, 'UWI' 2, 'overvote' 2",
    ]
    assert output(f"rank {line} --rule borda").splitlines()[: len(lines)] == lines
    output(f"report {line} -o page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "skipped choice: 5 ballots, 5 choices, close" in page


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("cast-votes", "1st,2nd\nAnn,Bob\nBob,\nCid,\n"),
        ("abif", "2:Ann>Bob\n1:Cid\n"),
        ("lists", "x,y,z\nAnn,Bob,Cid\nBob,Ann,\n"),
        ("ballots", "Ann,Bob,Cid\n1,2,\n,,1\n"),
    ],
)
def test_unlisted_items_of_ballots_are_last(form, text, output):
    Path("votes").write_text(text, encoding="utf-8")
    line = f"compare votes --format {form} "
    assert "unranked items: last;" in output(line)
    assert "unranked items: ignore;" in output(f"{line} --unranked ignore")


def test_the_kind_of_outcome_keeps_the_recognized_columns(output, refused):
    Path("w.csv").write_text("model_a,model_b,winner\nA,B,A\nB,A,A\nB,C,B\nC,A,A\n")
    assert "Set --outcome-is side or --outcome-is winner" in refused("rank w.csv")
    assert "outcomes: names of winners" in output("rank w.csv --outcome-is winner")
    assert "'A' wins of the first" in output("rank w.csv --outcome-is side")


def test_unused_columns_and_doubtful_directions_are_reported(called, output, refused):
    text = "a,b,winner,judge,style\nx,y,x,1,s\ny,x,tie,2,t\n"
    Path("b.csv").write_text(text, encoding="utf-8")
    line = "rank b.csv --format comparisons --first a --second b --outcome winner"
    assert "left out: judge and style, not named by an option such as --cluster\n" in output(line)
    assert "left out: style, " in output(f"{line} --cluster judge")
    Path("s.csv").write_text("model,acc,wikitext_ppl\nA,.5,9\nB,.25,7\n", encoding="utf-8")
    asked = "lower better on wikitext_ppl? Then type rankagg rank s.csv --lower wikitext_ppl;"
    assert asked in refused("rank s.csv")
    doubt = "note: higher counts as better on wikitext_ppl; --lower TASK reverses this"
    assert doubt not in output("rank s.csv --higher-is-better")
    Path("t.csv").write_text("model,x,y ↓\nA,.5,9\nB,.25,7\n", encoding="utf-8")
    assert "lower better on y ↓" in refused("rank t.csv")
    Path("u.csv").write_text("model,qa,WER ↓,params\nA,.5,9,7\nB,.25,7,8\n", encoding="utf-8")
    proposed = "rank u.csv --format scores --only qa --only 'WER ↓'"
    assert f"rankagg {proposed}; --only '*' takes all columns" in refused("rank u.csv")
    assert "--lower 'WER ↓'" in refused(proposed.replace("'WER ↓'", "W*"))
    Path("v.csv").write_text("model,TimeQA,ErrorDetection,SEED-Bench\nA,.5,9,2\nB,.2,7,3\n")
    assert "scores: higher is better\n" in output("rank v.csv")
    named_higher = ["WER ↑", "neg_rmse", "1-WER", "-RMSE"]
    for name in ("WER (x)", "x (PPL)", "Word Error Rate", "LPIPS", *named_higher):
        Path("w.csv").write_text(f"model,qa,{name}\nA,.5,9\nB,.25,7\n", encoding="utf-8")
        assert ("is lower better" in called("rank", "w.csv")[2]) == (name not in named_higher)
    Path("l.csv").write_text("model,task,WER\nA,x,9\nA,y,8\nB,x,7\nB,y,7\n", encoding="utf-8")
    line = "rank l.csv --system model --task task --score WER"
    assert f"is lower better on WER? Then type rankagg {line} --lower-is-better;" in refused(line)
    assert "scores: higher is better\n" in output(f"{line} --higher-is-better")
    text = output("compare s.csv --lower wikitext_ppl")
    assert doubt not in text
    assert (
        "Mean: higher is better on some tasks, and lower on others: the mean is hard to interpret"
        in text
    )


# -- comparisons ----------------------------------------------------------------------------------

COLUMNS = "--format comparisons --first a --second b --outcome won"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rank", "rank item\n   1    w"),
        ("solve --above-all x", "   1    x"),
         ("explain --pair x y", "x"),
        ("fit --model bradley-terry --pseudo-rankings 0.5", "BradleyTerry"),
    ],
)  # fmt: skip
def test_commands_take_comparisons(files, output, line, expected):
    text = output(f"{line} battles.csv {COLUMNS} --cluster judge")
    assert "ties: counted as ties, not as half a win for each side\n" in text
    assert "a table of comparisons: 4 comparisons of 5 items, 1 tie, 2 clusters" in text
    assert expected in text


@pytest.mark.parametrize(
    ("rows", "options", "expected"),
    [
        (
            "a,b,g\nx,y,A>>B\ny,z,B>A\nz,x,error\nx,z,A=B\n",
            "--outcome g --drop-outcome error",
            "outcomes: 'A>>B' wins of the first, 'B>A' wins of the second, 'A=B' ties|"
            "note: b.csv: 1 of 4 rows left out, with the outcome 'error' (1).",
        ),
        (
            "a,b,h,o\nx,y,2,1\ny,z,0,0\n",
            "--outcome h --outcome o --outcome-is points",
            "1 tie|outcomes: the higher of h and o wins, equal ones are ties",
        ),
        (
            "a,b,h,o,t\nx,y,1,0,0\ny,z,0,0,1\n",
            "--outcome h --outcome o --outcome t",
            "1 tie|a 1 in h is a win of the first, in o of the second, in t a tie",
        ),
    ],
)
def test_the_reading_of_outcomes_is_stated(called, output, rows, options, expected):
    Path("b.csv").write_text(rows, encoding="utf-8")
    line = f"rank b.csv --rule borda --format comparisons --first a --second b {options}"
    text = " ".join(output(line).split())
    assert all(words in text for words in expected.split("|"))


def test_columns_in_doubt_are_named_without_a_format(called, output):
    Path("b.csv").write_text("model_a,model_b,winner\nx,y,1\ny,z,0\nz,x,1\n", encoding="utf-8")
    text = output("rank b.csv", code=2)
    assert "may hold comparisons whose columns --first, --second and --outcome must name." in text
    text = output("rank b.csv --first model_a --second model_b --outcome winner --rule borda")
    assert "outcomes: '1' wins of the first, '0' wins of the second\n" in text
    text = output("rank b.csv --first model_a --outcome winner", code=2)
    assert "add --second." in text


REFUSED = {
    "rank wide.csv --format ballots --choice first": "--choice has no meaning for a table of ball",
    "rank wide.csv --format cast-votes --task x": "--task has no meaning for cast votes",
    "rank wide.csv --format cast-vote": "Did you mean 'cast-votes'?",
    "rank wide.csv --format cast-votes --overvotes ends": "Did you mean 'end'?",
    "rank battles.csv --format comparisons": "add --first, --second and --outcome",
    f"rank battles.csv {COLUMNS} --first aa": "Did you mean 'a'",
    f"rank battles.csv {COLUMNS} --weight judge": "must be a finite number",
    f"rank battles.csv {COLUMNS} --system a": "--system has no meaning for a table of comparisons",
    f"rank battles.csv {COLUMNS.replace('won', 'judge')}": "column 'judge' must say 'left'",
    f"rank battles.csv {COLUMNS} --drop-outcome lft": "must be an outcome in won. Got",
    f"missing battles.csv {COLUMNS}": "comparisons do not hold them",
    f"fit battles.csv {COLUMNS} --model mallows": "--model mallows needs rankings; comparisons do",
    f"intervals battles.csv {COLUMNS} --unit cluster": "without clusters",
}


def test_unsuitable_options_are_refused(files, refused):
    for line, words in REFUSED.items():
        assert words in refused(line), line


def test_intervals_of_ranks_of_comparisons(output, parsed):
    rows = [("x", "y", "left"), ("y", "z", "tie"), ("z", "x", "right"), ("x", "y", "right")] * 30
    lines = [f"{a},{b},{won},{at % 24}" for at, (a, b, won) in enumerate(rows)]
    Path("battles.csv").write_text("\n".join(["a,b,won,judge", *lines]))
    text = output(f"intervals battles.csv {COLUMNS} --cluster judge")
    assert "ranks by mean win rates over all opponents" in text
    assert "independent: 24 clusters" in text
    found = parsed(f"intervals battles.csv {COLUMNS} --ranks pairwise")
    assert found["ranks"]["unit"] == "comparison"
    assert found["intervals"] is None


def test_categories_stay_with_their_rows(called, output, refused):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame([(a, b) for a in "xyz" for b in "xyz" if a != b] * 4, columns=["a", "b"])
    frame[["u", "v"]] = rng.integers(0, 9, (24, 2))
    frame["lang"] = ["en", "de", "en", "en"] * 6
    frame.to_csv("counts.csv", index=False)
    line = "counts.csv --format comparisons --first a --second b --outcome u --outcome v"
    line = f"{line} --outcome-is wins --category lang --anchor y=1000"
    text = output(f"report {line} -o page.html")
    assert "left out: 'lang'" not in text
    page = Page(Path("page.html").read_text(encoding="utf-8"))
    rows = {row["Item"]: row for row in page.table("Ratings by category")}
    for name, part in frame.groupby("lang"):
        signs = [(a, b, one) for a, b, u, v, _ in part.itertuples(index=False)
                 for one in [1] * u + [-1] * v]  # fmt: skip
        alone = ra.Comparisons.from_arrays(*zip(*signs, strict=True))
        assert f"{name}: {len(alone)} battles, 3 items rated" in page.sections["categories"]
        elo = ra.BradleyTerry.fit(alone).elo(anchor={"y": 1000})["elo"]
        for item, rating in elo.items():
            printed = rows[item][name].split()[0].replace(",", "")
            assert float(printed) == pytest.approx(rating, abs=0.51)
    no_rating = line.replace("y=1000", "y")
    assert "--anchor must be ITEM=RATING. Got 'y'" in refused(f"report {no_rating}")
    assert "--category is for comparisons" in refused("report --dataset tennessee --category lang")
