"""The command line, as seen by users: output, files, sentences and exit codes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.aggregation.kemeny import relaxation
from rankagg.cli import rules

TABLE = "system,x,y,z\nA,3.25,2.25,1.25\nB,2.25,3.25,2.25\nC,1.25,1.25,\n"
BALLOTS = "A,B,C,count\n1,2,3,3\n3,1,2,2\n"
PREFLIB = (
    "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: A\n"
    "# ALTERNATIVE NAME 2: B\n# ALTERNATIVE NAME 3: C\n3: 1,2\n2: 2,3\n"
)
FILES = {
    "table.csv": TABLE,
    "ballots.csv": BALLOTS,
    "votes.txt": PREFLIB,
    "wide.csv": "s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\n",
    "long.csv": "s,task,k,v\nA,t,0,2\nA,t,1,2\nB,t,0,1\nB,t,1,1\n",
    "bad.csv": "system,x\nA,many\n",
    "m.lop": "2\n 0 5\n 1 0\n",
    "e.abif": "{title: 'x'}\n40:A>B>C\n12:A>B\n10:B>A\n20:C>D\n18:D>C>B\n",
}


@pytest.fixture(autouse=True)
def _files(called):
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    ra.io.write_votes(ra.datasets.load("condorcet_1785").pairwise(), "votes.json")


def test_compare_states_direction_data_policy_proof_and_disagreements(output) -> None:
    out = output("compare table.csv")
    lines = out.splitlines()
    assert "a table of scores: 3 systems x 3 tasks, 1 of 9 scores missing" in lines[0]
    assert lines[1:3] == ["tasks: x, y and z", "scores: higher is better"]
    assert "unranked items: uniform" in lines[3]
    assert lines[4].startswith("certificate  optimal")
    for method in ("Mean", "Borda", "Copeland", "Kemeny"):
        assert any(line.strip().startswith(method) for line in lines)
    assert "disagrees with Kemeny" in out or "as Kemeny does" in out


# What is printed, by what was typed; several parts are split by " ... ".
PRINTED = {
    "compare table.csv --lower y --weight x=2 --drop z": "left out: z (--drop)\n ... scores: "
    "higher is better, but lower is better on y\n ... task weights other than 1: x 2",
    "compare table.csv --lower-is-better": "scores: lower is better",
    "compare table.csv --only x --only y": "tasks not named by --only\ntasks: x and y",
    "compare table.csv --group w=x,y": "averaged: w=x,y (--group)\ntasks: w and z",
    "rank votes.json": "read: votes.json, votes as JSON: 3 items\n",
    "compare wide.csv --instance k": "TwoLevel(Borda, Borda)",
    "compare long.csv --task task --instance k --score v": "1 task, 2 instances",
    "compare votes.txt --unranked ignore": "with unranked items ... unranked items: ignore",
    "compare votes.txt": "top-k lists ... unranked items: last",
    "compare --dataset xtreme_gaps --rows 5": "and 5 more items",
    "list datasets tennessee": "known   kemeny_cost: 207",
    "rank votes.txt --rule irv --unranked uniform": "unranked     last ... items: uniform; ",
    "rank votes.txt --rule rrf": "contradicted (unranked items: last; a tied vote costs 0)",
    "solve --dataset three_cycle": "3 rankings, which differ on 3 of 3 pairs, in one block",
    "solve votes.json --format votes": "no ranking costs less than 76",
    "tournament --dataset tennessee --rows 2": "\n... and 4 more majorities\n",
}
NOT_PRINTED = {
    "compare --dataset xtreme_gaps --all": "more items",
    "solve --dataset three_cycle --one": "optima  ",
    "solve --dataset tennessee": "more items",
    "tournament --dataset tennessee --all": "more",
}


def test_the_output_has_the_expected_words(output) -> None:
    for line, words in PRINTED.items():
        out = output(line)
        assert [part for part in words.split(" ... ") if part not in out] == [], line
    for line, words in NOT_PRINTED.items():
        assert words not in output(line), line


# Words that a refusal says, by what was typed; several parts are split by " ... ".
BAD = {
    "compare table.csv --drop w": "--drop ... 'w' ... x, y, z",
    "compare table.csv --weight x=-1": "--weight ... -1",
    "compare table.csv --weight x": "--weight ... TASK=NUMBER",
    "compare table.csv --instance x --score y": "--task and --score",
    "compare": "FILE ... --dataset",
    "compare --dataset tennessee --lower-is-better": "no meaning for ballots",
    "compare votes.txt --rule mean": "Mean needs scores",
    "compare table.csv --count x": "--count ... --format",
    "rank bad.csv": "bad.csv is of no known kind: state its kind by --format",
    "rank table.csv --rule mean --time-limit 2": "--time-limit",
    "solve m.lop --drop 0": "--drop",
    "explain --dataset tennessee": "--pair",
    "list datasets none": "NAME",
    "verify nothing.json --dataset tennessee": "nothing.json",
} | {
    f"count e.abif --format abif {line}": words
    for line, words in {
        "--seats 2 --counting irv": "--counting irv fills one seat",
        "--seats 9": "--seats must be at most",
        "--tie-breaking lot --tie-order Ann": "--tie-order decides all ties: leave",
        "--tie-order Ann,Zoe": "--tie-order must be one of",
        "--quota hare": "--quota is for STV: add --seats",
        "--counting coombs --quota droop": "--quota is for STV",
        "--counting nanson --tie-breaking order": "--counting nanson breaks no ties",
    }.items()
}


BLT = '3 2\n5 1 2 0\n3 2 1 0\n2 3 0\n0\n"Ann"\n"Bob"\n"Cid"\n"Board"\n'


@pytest.mark.filterwarnings("ignore::rankagg.exceptions.DataWarning")
def test_count_elects_the_seats_of_the_file(called) -> None:
    Path("board.blt").write_text(BLT, encoding="utf-8")
    found = called("count board.blt").out
    assert "seats: 2 stated in board.blt, all filled" in found
    assert "elects Ann, Bob in" in found
    assert "Cid" not in called("count board.blt --seats 1 --drop Cid").out.partition("margin")[2]
    found = called("count board.blt --seats 1").out
    assert "seats: 2 stated in board.blt; --seats fills 1" in found
    assert "elects Ann in" in found
    refused = called("count board.blt --counting coombs")
    assert refused.code == 2
    assert "--counting coombs fills one seat, and board.blt states 2: give --seats 1" in refused.err


TIED = "first,second,third\nAnn,Bob,Cid\nBob,Ann,Cid\nAnn,Cid,\nBob,Cid,\nCid,Ann,\nCid,Bob,\n"


@pytest.mark.parametrize("counting", ["irv", "scottish", "meek", "baldwin"])
def test_a_tie_is_reported_first_and_broken_by_lot_or_order(output, refused, counting) -> None:
    Path("tied.csv").write_text(TIED, encoding="utf-8")
    line = f"count tied.csv --format cast-votes --counting {counting}"
    assert " leaves Ann, Bob, Cid tied after " in output(line)
    assert "; by the order of the data it elects Ann" in output(line)
    found = output(f"{line} --tie-order Cid,Bob,Ann")
    assert re.search(
        r"elects Cid in \d rounds?, by the given order: Ann, Bob, Cid were tied", found
    )
    assert "by the given order Bob is eliminated" in found
    lots = {
        re.search(r"elects (\w+) in", output(f"{line} --tie-breaking lot --seed {k}"))[1]
        for k in range(12)
    }
    assert lots == {"Ann", "Bob", "Cid"}
    assert "lots: drawn by --seed 0" in output(f"{line} --tie-breaking lot")
    message = refused(f"{line} --tie-order Cid,Bob")
    assert "--tie-order must be an order of all who tie (Ann, Bob, Cid). Got" in message


def test_the_page_names_tied_candidates_and_accepts_a_lot(output, refused) -> None:
    Path("tied.csv").write_text(TIED, encoding="utf-8")
    line = "report tied.csv --format cast-votes -o page.html"

    def result() -> str:
        return re.search(r'class="result">(.*?)<', Path("page.html").read_text("utf-8"))[1]

    output(line)
    assert result() == "Ann, Bob and Cid are tied after 2 rounds of instant runoff."
    output(f"{line} --tie-order Bob,Cid,Ann")
    reason = ", by the given order: Ann, Bob and Cid were tied."
    assert result() == f"Bob wins the instant runoff after 2 rounds{reason}"
    output(f"{line} --tie-breaking lot --seed 3 --seats 1")
    assert re.match(r"(Ann|Bob|Cid) wins the instant runoff after 2 rounds, by lot: Ann", result())
    message = refused("report --dataset tennessee --tie-breaking lot")
    assert "--tie-breaking is for elections: give --kind election" in message


def test_the_ballots_as_read_can_be_written(output, refused) -> None:
    Path("tied.csv").write_text(TIED + ",,\n", encoding="utf-8")
    line = "count tied.csv --format cast-votes --ballots"
    found = output(f"{line} read.blt --seats 2")
    assert "7 ballots cast: 6 read (6 as cast, 0 changed), 1 blank, 0 spoilt" in found
    votes = ra.io.read_blt("read.blt")
    back = votes.profile
    assert votes.seats == 2
    assert back == ra.read_cast_votes("tied.csv").profile
    output(f"{line} read.soi")
    assert ra.read_preflib("read.soi") == back.compress()
    assert "--ballots must be a name that ends in .soi, as some ballots have gaps" in refused(
        f"{line} read.soc"
    )


def test_bad_input_is_one_sentence_and_code_two(refused) -> None:
    for line, words in BAD.items():
        message = refused(line)
        assert [part for part in words.split(" ... ") if part not in message] == [], line


def test_solver_failure_is_one_sentence_and_code_one(called, monkeypatch) -> None:
    monkeypatch.setattr(relaxation, "highspy", None)
    result = called("compare --dataset three_cycle")
    assert result.code == 1
    assert result.err.startswith("error: HiGHS cannot be used")


# -- tournament and explain -----------------------------------------------------------------------


def test_the_tolerance_is_used(parsed):
    Path("t.csv").write_text("system,x,y\nA,1.0,2.0\nB,1.1,2.1\n", encoding="utf-8")
    assert parsed("tournament t.csv")["condorcet_winner"] == "B"
    tied = parsed("tournament t.csv --tolerance 0.5")
    assert tied["condorcet_winner"] is None
    assert tied["draws"] == [["A", "B"]]


# -- verify, and the stand-alone checker ----------------------------------------------------------


def solved(run, args: str) -> None:
    run(f"solve {args} --certificate proof.json --votes votes.json", code=(0, 3))


def alone(*files: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-I", "-S", check_certificate.__file__, *files],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "name", [name if name in ("condorcet_1785", "xtreme_gaps")
             else pytest.param(name, marks=pytest.mark.slow) for name in ra.datasets.names()]
)  # fmt: skip
def test_certificates_of_all_bundled_data_hold(run, name: str) -> None:
    assert "certificate  optimal" in run("compare --dataset", name).out
    solved(run, f"--dataset {name}")
    result = run("verify proof.json --dataset", name)
    assert result.out.startswith("The proof holds: the ranking ")
    assert " costs less.\n" in result.out
    assert result.out.count("\n") == 1
    assert run("verify proof.json votes.json") == result


def test_numbers_in_a_certificate_are_the_text_of_a_file(run) -> None:
    drawn = ra.Profile.from_orders([[2, 0, 1], [0, 1, 2], [1, 2, 0], [0, 2, 1]])
    ra.io.write_ballots(drawn, "drawn.soc")
    proof = ra.Kemeny().aggregate(drawn).certificate.to_dict()
    assert proof["items"] != [str(item) for item in proof["items"]]
    Path("proof.json").write_text(json.dumps(proof), encoding="utf-8")
    assert run("verify proof.json drawn.soc").out.startswith("The proof holds: ")
    _, _, err = run("verify proof.json --dataset tennessee", code=1)
    assert "must have the same items in the same order: only the votes have" in err
    assert "reindex" not in err


def test_many_items_have_a_limit(called, monkeypatch) -> None:
    monkeypatch.setattr(rules, "ITEMS_UNLIMITED", 3)
    note = "note: 4 items, so 60 seconds at most; --time-limit SECONDS sets another"
    for line in ("compare", "rank", "solve", "explain --pair Memphis Nashville"):
        assert called(f"{line} --dataset tennessee").err.startswith(note)
    assert "note" not in called("rank --dataset tennessee --rule borda").err


def test_an_exceeded_budget_gives_no_verdict(called, run) -> None:
    solved(run, "--dataset glue_human")
    code, out, err = called("verify proof.json votes.json --time-limit 0")
    assert (code, out) == (3, "")
    assert err.startswith("error: Not checked within the budget: it takes more than ")
    for limit in (["--time-limit", "0"], ["--memory-limit", "100"]):
        program = alone("proof.json", "votes.json", *limit)
        assert (program.returncode, program.stdout) == (3, "")
        assert program.stderr.startswith("Not checked within the budget: it takes more than ")
    assert called("verify proof.json votes.json --time-limit -1")[0] == 2


def test_the_stand_alone_checker_runs_as_a_program(run) -> None:
    solved(run, "--dataset xtreme_gaps --tie-cost 0.1")
    held = alone("proof.json", "votes.json")
    assert held.returncode == 0, held.stderr
    order = "M0 > M1 > M3 > M7 > M2 > M5 > ... > M9"
    text = f"The proof holds: the ranking {order} costs 2102/35 (a tied vote costs 1/10), and none "
    assert held.stdout == f"{text}less than 2102/35.\n"
    plain = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    Path("forged.json").write_text(json.dumps({**plain, "cost": "60"}), encoding="utf-8")
    forged = alone("forged.json", "votes.json")
    assert forged.returncode == 1
    assert forged.stderr.startswith("The proof does not hold: ")
    assert forged.stderr.count("\n") == 1
    assert alone("proof.json").stderr.startswith("usage: ")


def test_other_votes_and_forgeries_are_noticed(run) -> None:
    solved(run, "--dataset xtreme_gaps")
    for other, words in (
        ("tennessee", "must have the same items"),
        ("xtreme_gaps --unranked ignore", "for other votes"),
        ("xtreme_gaps --weight Classification=2", "for other votes"),
    ):
        _, out, err = run(f"verify proof.json --dataset {other}", code=1)
        assert out == ""
        assert err.startswith("error: proof.json is no valid proof for these votes. ")
        assert words in err
    solved(run, "--dataset condorcet_1785")
    plain = json.loads(Path("proof.json").read_text(encoding="utf-8"))
    for change, words in (
        ({"scaled_cost": float("nan")}, "has the number NaN"),
        ({"proofs": []}, "show the bound 70, not 76"),
    ):
        Path("proof.json").write_text(json.dumps({**plain, **change}), encoding="utf-8")
        _, out, err = run("verify proof.json votes.json", code=1)
        assert (out, err.count("\n")) == ("", 1)
        assert words in err


# -- elections ------------------------------------------------------------------------------------


def test_rounds_of_counts_are_written_to_a_file(output, parsed) -> None:
    assert "elects A in 3 rounds" in output("count e.abif --format abif --csv rounds.csv")
    rounds = pd.read_csv("rounds.csv")
    assert [*rounds] == ["round", "candidate", "votes", "transfer", "status"]
    assert set(rounds.groupby("round")["votes"].sum()) == {100}
    assert [*rounds[rounds["candidate"] == "exhausted"]["transfer"]] == [0, 0, 0]
    assert parsed("count e.abif --format abif --counting scottish")["elected"] == ["A"]
    scottish = parsed("count e.abif --format abif --seats 2")
    assert (scottish["elected"], scottish["quota"]) == (["A", "C"], 34)
    assert parsed("count e.abif --format abif --seats 2 --quota hare")["quota"] == 50
    meek = parsed("count e.abif --format abif --seats 2 --counting meek")
    assert "counting='meek'" in meek["rule"]
    assert meek["rounds"][0] == {
        "round": 1, "candidate": "A", "votes": 52, "transfer": 0, "status": "elected",
    }  # fmt: skip


def test_a_long_table_of_rounds_is_the_same_on_screen_and_pasted(called) -> None:
    lines = [f"{k + 1}:{'>'.join(f'c{j}' for j in range(k, -1, -1))}" for k in range(12)]
    Path("e.abif").write_text("{}\n" + "\n".join(lines) + "\n5:c0\n", encoding="utf-8")
    screen, pasted = (called(f"count e.abif --rows 3{extra}").out for extra in ("", " --as latex"))
    for text in (screen, pasted):
        rows = [line for line in text.splitlines() if line.startswith(("c11", "exhausted"))]
        assert [row[:3] for row in rows] == ["c11", "exh"]
        assert text.index(rows[1]) < text.index("... and 9")
        head = next(line for line in text.splitlines() if "outcome" in line)
        assert re.findall(r"round ([0-9]+)", head) == ["1", *map(str, range(5, 12))]
    assert "rounds 2 to 4 are not shown" in screen
    assert "--all, --csv FILE and --json" in screen
    for extra in ("", " --as markdown"):
        whole = called(f"count e.abif --all{extra}").out
        assert all(f"round {k}" in whole for k in range(1, 12))
        assert "not shown" not in whole


@pytest.mark.parametrize("policy", ["last", "uniform"])
def test_an_election_with_short_ballots_has_one_winner(parsed, output, policy) -> None:
    """By hand: D goes out first, then B, which goes to C: 55 to 45, though A has 40 to 20 first."""
    Path("s.abif").write_text("40:A\n25:B>C\n20:C>B\n10:D>C\n5:D>A>B\n", encoding="utf-8")
    line = f"s.abif --unranked {policy}"
    assert parsed(f"count {line}")["elected"] == ["C"]
    ranked = parsed(f"rank {line} --rule irv")
    assert ranked["buckets"] == [["C"], ["A"], ["B"], ["D"]]
    assert parsed(f"compare {line} --rule irv")["rules"][0]["cost"] == ranked["cost"]
    # Against C > A > B > D: 45 A > C, 30 B > C, 15 D > C, 45 B > A, 15 D > A, 15 D > B; of those
    # who rank both 0, 25, 10, 0, 5, 5; in shares of a ballot 3, 23/6, 13/6, 25/6 and 7/2.
    cost = {"last": 165, "ignore": 45, "uniform": 40 * 3 + (25 * 23 + 20 * 13 + 250) / 6 + 17.5}
    assert ranked["cost"] == pytest.approx(cost[policy], abs=1e-9)
    output(f"report {line} --kind election -o page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "below all that a ballot lists" in page
    assert re.search("<tr data-position.*?<bdi>([^<]*)", page).group(1) == "C"


@pytest.mark.parametrize("name", ["rcv"])
def test_instant_runoff_has_the_names_that_elections_give_it(parsed, name) -> None:
    ranked = parsed(f"rank votes.txt --rule {name}")
    assert ranked["ranks"] == parsed("rank votes.txt --rule instant-runoff")["ranks"]
    assert "InstantRunoff" in str(parsed(f"compare votes.txt --rule {name}"))


def test_a_file_that_the_program_cannot_read_is_one_sentence(run) -> None:
    solved(run, "--dataset tennessee")
    Path("latin.json").write_bytes(b'{"a": "\xe9"}')
    for name in ("nothing.json", "latin.json"):
        refused = alone(name, "votes.json")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "error: a file cannot be read: " in refused.stderr
        assert "Traceback" not in refused.stderr
