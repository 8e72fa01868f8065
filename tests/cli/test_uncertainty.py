"""Commands on uncertainty, as seen by users: they print the results of functions."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.analysis.removal import removal_units
from rankagg.cli import rules

FILES = {
    "table.csv": "system,x,y,z\nA,3.25,2.25,1.25\nB,2.25,3.25,2.25\nC,1.25,1.25,\n",
    "full.csv": "system,x,y,z\nA,3.25,2.25,1.25\nB,2.25,3.25,2.25\nC,1.25,1.25,.25\n",
    "wide.csv": "s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\n",
    "tied.csv": "system,x,y\nA,1.25,2.25\nB,1.25,1.25\n",
    "apart.csv": "system,x,y\nA,1.25,\nB,2.25,\nC,,1.25\nD,,2.25\n",
    "matrix.lop": "3\n 0 5 1\n 2 0 4\n 3 0 0\n",
    "gaps.csv": "system,x,y,z,w\nA,3.25,2.5,1,5\nB,2.25,3,2,\nC,1.25,1,,3\nD,.25,,0,1\n",
    "many.csv": "s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\nC,0,0,0\nC,1,0,1\n",
    "votes.csv": "A,B,C\n1,2,3\n1,3,2\n2,3,1\n2,1,3\n3,2,1\n",
}
human = partial(ra.datasets.load, "superglue_human")


@pytest.fixture(autouse=True)
def _files(called):
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


def table(name="table.csv"):
    return ra.read_scores(name, higher_is_better=True)


def plain(value):
    return json.loads(json.dumps(value))


# -- intervals ------------------------------------------------------------------------------------


def test_places_decisions_and_proportions_are_printed_in_this_order(output):
    out = output("intervals full.csv --alpha 0.1")
    lines = out.splitlines()
    assert lines[0].startswith("read: full.csv, a table of scores: 3 systems x 3 tasks")
    assert lines[2] == "scores: higher is better"
    starts = [
        "ranks by mean Borda points; simultaneous 90 %", "assumed: tasks are independent",
        "may be first: ", "decided      0 of 3 pairs", "P(above) among rankings",
    ]  # fmt: skip
    positions = [out.index(start) for start in starts]
    assert positions == sorted(positions)
    assert "marginal 90 % confidence intervals (hoeffding)" in out


def test_intervals_as_json_are_those_of_the_package(parsed):
    result = parsed("intervals table.csv --alpha 0.2")
    assert set(result) == {"schema", "version", "ranks", "decisions", "intervals", "input"}
    intervals = ra.PairwiseIntervals.from_data(table(), alpha=0.2)
    ranks = ra.rank_intervals(table(), alpha=0.2)
    assert result["intervals"] == plain(intervals.to_dict())
    assert result["decisions"] == plain(ranks.decisions.to_dict())
    assert result["ranks"] == plain(ranks.to_dict())
    assert result["ranks"]["method"] == "sign-flips"
    schemas = [result[part]["schema"] for part in ("intervals", "decisions", "ranks")]
    assert schemas == ["rankagg.intervals", "rankagg.decisions", "rankagg.rank_intervals"]
    assert result["input"][2] == "scores: higher is better"


DRAWN = {"n_resamples": 200, "rng": 3}


def places(data, **options):
    return lambda: ra.rank_intervals(data(), **options)


def pairs(data, **options):
    return lambda: ra.PairwiseIntervals.from_data(data(), **options)


full, tied = partial(table, "full.csv"), partial(table, "tied.csv")
PLACES = {
    "--dataset superglue_human --ranks pairwise": places(human, of="pairwise", method="sign-test"),
    "--dataset superglue_human --ranks mean": places(human, of="mean", method="sign-flips"),
    "table.csv --unranked last": places(lambda: table().with_unranked("last")),
} | {
    f"full.csv --ranks {of} --method {method} --resamples 200 --seed 3": places(
        full, of=of, method=method, **DRAWN
    )
    for of, method in (("borda", "hoeffding"), ("pairwise", "hoeffding"), ("mean", "max-t"))
}
PAIRS = {
    "--dataset condorcet_1785": pairs(partial(ra.datasets.load, "condorcet_1785")),
    "tied.csv --tolerance 5": pairs(lambda: tied().rankings(5)),
}


@pytest.mark.parametrize("options", PLACES)
def test_places_are_those_of_the_package(parsed, options):
    assert parsed(f"intervals {options}")["ranks"] == plain(PLACES[options]().to_dict())


@pytest.mark.parametrize("options", PAIRS)
def test_proportions_are_those_of_the_package(parsed, options):
    assert parsed(f"intervals {options}")["intervals"] == plain(PAIRS[options]().to_dict())


def test_the_candidates_for_the_first_k_are_printed(output, parsed):
    ranks = ra.rank_intervals(human())
    for k in (1, 3):
        result = parsed("intervals --dataset superglue_human --top", str(k))
        assert result["top"] == {"k": k, "items": list(ranks.top(k))}
    out = output("intervals --dataset superglue_human --top 3")
    assert f"may be among the first 3: {', '.join(ranks.top(3))}" in out


# -- dispersion -----------------------------------------------------------------------------------


def test_dispersion_is_that_of_the_package(output, parsed, run):
    out = output("dispersion table.csv")
    assert out.splitlines()[:3] == [
        "read: table.csv, a table of scores: 3 systems x 3 tasks, 1 of 9 scores missing",
        "tasks: x, y and z",
        "scores: higher is better",
    ]
    assert out.endswith(ra.inference.dispersion_report(table()).summary() + "\n")
    result = parsed("dispersion --dataset tennessee")
    assert result.pop("input")[1] == "ranks: 1 is the best"
    assert result == plain(ra.inference.dispersion_report(ra.datasets.load("tennessee")).to_dict())
    assert (result["schema"], result["version"]) == ("rankagg.dispersion", 1)
    # Without a proof, and where the exact total is nothing.
    assert "(gap" in run("dispersion --dataset three_cycle --time-limit 0", code=3).out
    Path("gap.csv").write_text("system,x,y\nA,1,\nB,0.5,10\n")
    parsed("dispersion gap.csv --unranked ignore")


# -- missing --------------------------------------------------------------------------------------


def test_missing_prints_gaps_assumptions_and_flips(output):
    out = output("missing apart.csv --samples 20")
    assert "4 of 8 cells missing (50 %): 4 items, 2 tasks" in out
    assert "no chain of comparisons connects: A, B | C, D" in out
    for policy in ("uniform", "ignore", "last"):
        assert f"{policy:<8}assumes: " in out
    assert "Borda under 3 policies and on 20 completions" in out
    Path("lists.abif").write_text("2:A>B\n1:C>A>B\n", encoding="utf-8")
    assert "below all its items; see also --unranked uniform" in output("missing lists.abif")
    assert "Borda under 3 policies" in output("missing lists.abif --unranked uniform --samples 2")


def test_missing_as_json_is_that_of_the_package(parsed):
    result = parsed("missing table.csv --samples 30 --seed 4 --rule copeland")
    assert set(result) == {"schema", "version", "missing", "sensitivity", "input"}
    assert result["missing"] == plain(ra.analysis.missing_report(table()).to_dict())
    expected = ra.analysis.sensitivity(table(), ra.Copeland(), n_samples=30, rng=4)
    assert result["sensitivity"] == plain(expected.to_dict())
    two_levels = parsed("missing table.csv --rule two-level-borda --samples 3")
    assert two_levels["sensitivity"]["n_samples"] == 3
    schemas = (result["missing"]["schema"], result["sensitivity"]["schema"])
    assert schemas == ("rankagg.missing", "rankagg.sensitivity")


# -- agreement, stability and removals ------------------------------------------------------------


def test_agreement_equals_that_of_the_functions(output, parsed):
    data = table("gaps.csv")
    found = parsed("dispersion gaps.csv --seed 3 --agreement")
    test = ra.inference.skillings_mack(data, rng=3)
    assert found.pop("test") == test.to_dict()
    del found["input"]
    assert found == ra.analysis.task_agreement(data).to_dict()
    text = output("dispersion gaps.csv --seed 3 --agreement")
    assert f"Skillings, Mack  {test.statistic:.4g}" in text
    assert "Kendall's W" in text


def test_stability_is_that_of_the_library(output, parsed):
    line = "stability --dataset superglue_human --rule borda --samples 5"
    found = parsed(line)
    expected = plain(ra.stability(human(), ra.Borda(), n_samples=5, rng=0).to_dict())
    assert found["influence"] == expected["influence"]
    assert found["subsets"] == expected["subsets"]
    assert "... and 7 more tasks" in output(f"{line} --rows 3")
    assert "systems" in output(f"{line} --unit system --all")


VOTES = "votes.csv --format ballots"


def test_removals_are_those_of_the_library(output, parsed, run):
    found = parsed(f"stability {VOTES} --pair B A --removals")
    expected = ra.analysis.removal_radius(ra.read_ballots("votes.csv"), pair=("A", "B"))
    assert found["pair"] == ["A", "B"]
    assert (found["level"]["number"], found["overtaken"]["number"]) == (
        expected.level.number, expected.overtaken.number,
    )  # fmt: skip
    assert found["removed"] == expected.to_dict()["removed"]
    assert "more unit" in output(f"stability {VOTES} --pair B A --rows 1 --removals")
    text = output("stability --dataset superglue_human --rule borda --unit task --removals")
    assert "removing 2 of 10 tasks (CB and WiC) would put DeBERTa first in place of Human" in text
    run("stability --dataset tennessee --time-limit 0 --removals", code=3)


def test_many_ballots_have_a_time_limit_and_progress_lines(run, monkeypatch):
    monkeypatch.setattr(rules, "RANKS_UNLIMITED", 8)
    monkeypatch.setattr(removal_units, "SECONDS_BETWEEN_LINES", 0.0)
    lines = run(f"stability {VOTES} --removals").err.splitlines()
    assert lines[0].startswith("note: 3 items and 5 different rankings, so 60 seconds at most;")
    progress = "solving: between [0-9]+ and [0-9]+ of 5 units must be removed"
    assert any(re.fullmatch(progress, line) for line in lines)


# -- bad input ------------------------------------------------------------------------------------

REMOVALS = "stability --dataset tennessee --removals"
# Words that a refusal says, by what was typed; several parts are split by " ... ".
BAD = {
    "intervals full.csv --resamples 5": "--resamples ... 5",
    "intervals full.csv --top 4": "--top ... at most 3 ... 4",
    "intervals full.csv --method sign-test": "--method for --ranks borda ... 'hoeffding'",
    "intervals table.csv --method max-t --ranks mean": "1 of 9 scores missing ... --ranks borda "
    "... --method sign-flips",
    "intervals full.csv --unit instance": "--unit ... no instances",
    "intervals matrix.lop": "Intervals need rankings, scores or comparisons",
    "dispersion matrix.lop": "Dispersion needs rankings",
    "dispersion --dataset tennessee --rule mean": "Mean needs scores",
    "test full.csv": "Give either --reference SYSTEM ... --power",
    "test full.csv --power 0.8 --against B": "--against has no meaning with --power",
    "dispersion full.csv --seed 3": "--seed needs --agreement",
    "dispersion full.csv --agreement --rule borda": "--rule has no meaning with --agreement",
    "stability full.csv --pair A B": "--pair needs --removals",
    "missing matrix.lop": "a matrix does not hold them",
    "missing table.csv --rule mean": "--rule ... mean",
    "dispersion gaps.csv --drop y --drop z --drop w --agreement": "two tasks",
    "stability matrix.lop --removals": "matrix.lop does not hold them",
    f"{REMOVALS} --pair Memphis Memphis": "--pair must be two different items",
    f"{REMOVALS} --rule minimax": "--rule ... must be Borda, Copeland, Kemeny or Mean",
}


def test_bad_input_is_one_sentence_and_code_two(refused):
    for line, words in BAD.items():
        message = refused(line)
        assert [part for part in words.split(" ... ") if part not in message] == [], line
