"""`rankagg intervals`, `dispersion` and `missing` as their user meets them."""

import json
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.cli import main

TABLE = "system,x,y,z\nA,3,2,1\nB,2,3,2\nC,1,1,\n"
FULL = "system,x,y,z\nA,3,2,1\nB,2,3,2\nC,1,1,0\n"
WIDE = "s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\n"
TIED = "system,x,y\nA,1,2\nB,1,1\n"
APART = "system,x,y\nA,1,\nB,2,\nC,,1\nD,,2\n"
MATRIX = "3\n 0 5 1\n 2 0 4\n 3 0 0\n"


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder that holds the small files."""
    monkeypatch.chdir(tmp_path)
    files = {
        "table.csv": TABLE, "full.csv": FULL, "wide.csv": WIDE, "tied.csv": TIED,
        "apart.csv": APART, "matrix.lop": MATRIX,
    }  # fmt: skip
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")

    def call(*args):
        with pytest.raises(SystemExit) as stop:
            main(list(args))
        captured = capsys.readouterr()
        return Result(stop.value.code, captured.out, captured.err)

    return call


@pytest.fixture
def parsed(run):
    """Run a command with --json and return what it printed."""

    def call(*args):
        result = run(*args, "--json")
        assert result.code == 0
        assert "NaN" not in result.out
        return json.loads(result.out)

    return call


def table(name="table.csv"):
    return ra.read_scores(name, higher_is_better=True)


def plain(told):
    return json.loads(json.dumps(told))


# -- intervals ------------------------------------------------------------------------------------


def test_intervals_decisions_and_places_are_told_in_this_order(run):
    result = run("intervals", "full.csv", "--delta", "0.1")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "scores: higher is better"
    assert lines[1].startswith("read: full.csv, ScoreTable of 3 systems x 3 tasks")
    assert "90 % intervals for each pair alone (hoeffding)" in lines[2]
    starts = ["P(above) among rankings", "decided      0 of 3 pairs", "places by majorities; 90 %"]
    positions = [result.out.index(start) for start in starts]
    assert positions == sorted(positions)


def test_intervals_as_json_are_those_of_the_package(parsed):
    told = parsed("intervals", "table.csv", "--simultaneous", "bonferroni", "--delta", "0.2")
    assert set(told) == {"intervals", "decisions", "places", "input"}
    intervals = ra.PairwiseIntervals.from_scores(table(), simultaneous="bonferroni", delta=0.2)
    assert told["intervals"] == plain(intervals.to_dict())
    assert told["decisions"] == plain(intervals.decisions("holm").to_dict())
    assert told["places"] == plain(ra.RankIntervals.from_intervals(intervals).to_dict())
    schemas = [told[part]["schema"] for part in ("intervals", "decisions", "places")]
    assert schemas == ["rankagg.intervals", "rankagg.decisions", "rankagg.rank_intervals"]
    assert told["input"][0] == "scores: higher is better"


def test_pairs_that_were_never_compared_have_no_estimate(parsed):
    told = parsed("intervals", "apart.csv")
    open_pairs = [pair for pair in told["intervals"]["pairs"] if pair["n_units"] == 0]
    assert len(open_pairs) == 4
    assert {pair["estimate"] for pair in open_pairs} == {None}


@pytest.mark.parametrize("of", ["borda", "mean"])
def test_places_by_points_or_scores(parsed, of):
    told = parsed("intervals", "full.csv", "--places", of, "--score-range", "0", "5")
    expected = ra.rank_intervals(table("full.csv"), of=of, score_range=(0, 5), method="hoeffding")
    assert told["places"] == plain(expected.to_dict())
    assert told["places"]["of"] == of


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_resampling_gives_places_by_the_largest_deviation(parsed, method):
    options = ("--places", "borda", "--resamples", "200", "--seed", "3")
    told = parsed("intervals", "full.csv", "--method", method, *options)
    expected = ra.rank_intervals(
        table("full.csv"), of="borda", method="max-t", n_resamples=200, rng=3
    )
    assert told["places"] == plain(expected.to_dict())
    assert told["intervals"]["method"] == method


def test_the_largest_deviation_decides_by_intervals(parsed):
    options = ("--method", "percentile", "--simultaneous", "max-t", "--resamples", "200")
    told = parsed("intervals", "--dataset", "tennessee", *options)
    intervals = ra.PairwiseIntervals.from_profile(
        ra.datasets.load("tennessee"), method="percentile", simultaneous="max-t", n_resamples=200,
        rng=0,
    )  # fmt: skip
    assert told["decisions"] == plain(intervals.decisions("intervals").to_dict())


def test_imputed_proportions_decide_nothing(parsed):
    told = parsed("intervals", "table.csv", "--estimand", "imputed")
    assert set(told) == {"intervals", "input"}
    assert told["intervals"]["estimand"] == "imputed"
    with_places = parsed("intervals", "table.csv", "--estimand", "imputed", "--places", "borda")
    assert set(with_places) == {"intervals", "places", "input"}


def test_units_and_fixed_tasks(parsed):
    wide = ("intervals", "wide.csv", "--instance", "k")
    by_instance = parsed(*wide, "--unit", "instance", "--places", "borda")
    assert by_instance["intervals"]["unit"] == by_instance["places"]["unit"] == "instance"
    fixed = parsed(*wide, "--fixed-tasks")
    assert fixed["intervals"]["fixed_tasks"] is True


def test_ties_may_be_left_out(run, parsed):
    assert run("intervals", "tied.csv", "--method", "wilson").code == 2
    told = parsed("intervals", "tied.csv", "--method", "wilson", "--exclude-ties")
    assert told["intervals"]["notes"][0] == "1 ties were left out"
    assert parsed("intervals", "tied.csv", "--tolerance", "5")["intervals"]["pairs"][0][
        "estimate"
    ] == pytest.approx(0.5)


def test_rows_of_intervals_are_limited_and_the_rest_is_counted(run):
    short = run("intervals", "--dataset", "xtreme_gaps", "--rows", "2").out
    assert "more pairs" in short
    assert "more items" in short
    everything = run("intervals", "--dataset", "xtreme_gaps", "--all").out
    assert "more pairs" not in everything
    assert "more items" not in everything


# -- dispersion -----------------------------------------------------------------------------------


def test_dispersion_tells_spread_bounds_and_methods(run):
    result = run("dispersion", "table.csv")
    assert result.code == 0
    report = ra.dispersion_report(table())
    assert result.out.splitlines()[:2] == [
        "scores: higher is better",
        "read: table.csv, ScoreTable of 3 systems x 3 tasks, 1 of 9 scores missing",
    ]
    assert result.out.endswith(report.summary() + "\n")


def test_dispersion_as_json_is_that_of_the_package(parsed):
    told = parsed("dispersion", "--dataset", "tennessee")
    lines = told.pop("input")
    assert lines[0] == "ballots: rank 1 is best"
    assert told == plain(ra.dispersion_report(ra.datasets.load("tennessee")).to_dict())
    assert (told["schema"], told["version"]) == ("rankagg.dispersion", 1)


def test_dispersion_under_a_policy_of_chosen_methods(parsed):
    options = ("--method", "kemeny", "--method", "borda", "--method", "kemeny")
    told = parsed("dispersion", "table.csv", *options, "--unranked", "last", "--tie-cost", "0.5")
    assert [row["method"] for row in told["methods"]] == ["Kemeny(tie_cost=0.5)", "Borda"]
    assert told["unranked_policy"] == "last"


def test_dispersion_without_a_proof_ends_with_code_three(run):
    result = run("dispersion", "--dataset", "three_cycle", "--time-limit", "0")
    assert result.code == 3
    assert "(gap" in result.out


def test_dispersion_where_the_exact_total_is_nothing_is_json(parsed):
    Path("gap.csv").write_text("system,x,y\nA,1,\nB,0.5,10\n")
    parsed("dispersion", "gap.csv", "--unranked", "ignore")


# -- missing --------------------------------------------------------------------------------------


def test_missing_tells_gaps_assumptions_and_flips(run):
    result = run("missing", "apart.csv", "--samples", "20")
    assert result.code == 0
    assert "4 of 8 cells missing (50 %): 4 items, 2 tasks" in result.out
    assert "no chain of comparisons connects: A, B | C, D" in result.out
    for policy in ("uniform", "ignore", "last"):
        assert f"{policy:<8}assumes: " in result.out
    assert "Borda under 3 policies and on 20 completions" in result.out


def test_missing_as_json_is_that_of_the_package(parsed):
    told = parsed("missing", "table.csv", "--samples", "30", "--seed", "4", "--method", "copeland")
    assert set(told) == {"missing", "sensitivity", "input"}
    assert told["missing"] == plain(ra.missing_report(table()).to_dict())
    expected = ra.sensitivity(table(), ra.Copeland(), n_samples=30, rng=4)
    assert told["sensitivity"] == plain(expected.to_dict())
    schemas = (told["missing"]["schema"], told["sensitivity"]["schema"])
    assert schemas == ("rankagg.missing", "rankagg.sensitivity")


def test_complete_data_have_no_sensitivity(run, parsed):
    assert set(parsed("missing", "full.csv")) == {"missing", "input"}
    text = run("missing", "full.csv").out
    assert text.endswith(
        "0 of 9 cells missing (0 %): 3 items, 3 tasks\nevery two items were compared somewhere\n"
    )


def test_rows_of_missing_are_limited_and_the_rest_is_counted(run):
    short = run("missing", "--dataset", "xtreme_gaps", "--rows", "1", "--samples", "5").out
    assert "more items" in short
    assert "more pairs" in short
    everything = run("missing", "--dataset", "xtreme_gaps", "--all", "--samples", "5").out
    assert "more items" not in everything


@pytest.mark.parametrize("method", ["kemeny", "majority", "two-level-borda"])
def test_missing_knows_every_method_with_a_policy(parsed, method):
    told = parsed("missing", "table.csv", "--method", method, "--samples", "3")
    assert told["sensitivity"]["n_samples"] == 3


# -- bad input ------------------------------------------------------------------------------------

BAD = [
    (["intervals", "full.csv", "--delta", "1.5"], ["--delta", "below 1", "1.5"]),
    (["intervals", "full.csv", "--delta", "0"], ["--delta"]),
    (["intervals", "full.csv", "--resamples", "5", "--method", "bca"], ["`n_resamples`", "5"]),
    (
        ["intervals", "full.csv", "--method", "wilson", "--places", "borda"],
        ["--method wilson", "places by borda", "hoeffding, bernstein, percentile"],
    ),
    (
        ["intervals", "full.csv", "--method", "clopper-pearson", "--places", "mean"],
        ["--method clopper-pearson", "places by mean"],
    ),
    (["intervals", "full.csv", "--places", "mean"], ["`score_range`"]),
    (
        ["intervals", "full.csv", "--places", "mean", "--score-range", "0", "1"],
        ["`score_range`", "0 to 3"],
    ),
    (["intervals", "table.csv", "--method", "bca", "--places", "mean"], ["1 of 9 scores missing"]),
    (["intervals", "--dataset", "tennessee", "--places", "mean"], ["`data`", "ScoreTable"]),
    (["intervals", "full.csv", "--simultaneous", "max-t"], ["`simultaneous`", "percentile"]),
    (["intervals", "full.csv", "--exclude-ties"], ["`ties`", "wilson"]),
    (["intervals", "tied.csv", "--method", "wilson"], ["`ties`", "1 ties"]),
    (["intervals", "full.csv", "--unit", "instance"], ["`unit`", "no instances"]),
    (["intervals", "--dataset", "tennessee", "--unit", "task"], ["`unit`", "no tasks"]),
    (["intervals", "--dataset", "tennessee", "--fixed-tasks"], ["`fixed_tasks`"]),
    (["intervals", "full.csv", "--unit", "task", "--fixed-tasks"], ["`fixed_tasks`"]),
    (["intervals", "matrix.lop"], ["Intervals need rankings or scores"]),
    (["intervals", "full.csv", "--method", "magic"], ["magic"]),
    (["intervals", "full.csv", "--rows", "0"], ["--rows"]),
    (["intervals", "nothing.csv"], ["`source`", "nothing.csv"]),
    (["intervals"], ["FILE", "--dataset"]),
    (["dispersion", "matrix.lop"], ["dispersion_report needs rankings"]),
    (["dispersion", "full.csv", "--tie-cost", "2"], ["--tie-cost", "2"]),
    (["dispersion", "full.csv", "--method", "borda", "--time-limit", "1"], ["--time-limit"]),
    (["dispersion", "--dataset", "tennessee", "--method", "mean"], ["Mean needs scores"]),
    (["dispersion", "full.csv", "--method", "magic"], ["magic"]),
    (["missing", "matrix.lop"], ["a matrix does not say what is missing"]),
    (["missing", "table.csv", "--method", "mean"], ["--method", "mean"]),
    (["missing", "table.csv", "--samples", "0"], ["--samples"]),
    (["missing", "table.csv", "--seed", "-1"], ["--seed", "-1"]),
    (["missing", "table.csv", "--tolerance", "-1"], ["--tolerance", "-1"]),
]


@pytest.mark.parametrize(("args", "words"), BAD, ids=" ".join)
def test_bad_input_is_one_sentence_and_code_two(run, args, words):
    result = run(*args)
    assert result.code == 2
    assert result.out == ""
    assert "Traceback" not in result.err
    told = [line for line in result.err.splitlines() if line.lower().startswith("error: ")]
    assert len(told) == 1
    for word in words:
        assert word in result.err


@pytest.mark.parametrize("command", ["intervals", "dispersion", "missing"])
def test_help_teaches_by_example(run, command):
    result = run(command, "--help")
    assert result.code == 0
    assert f"rankagg {command} scores.csv" in result.out
    assert command in run("--help").out
