"""`rankagg intervals`, `dispersion` and `missing` as their user meets them."""

import json
from pathlib import Path

import pytest

import rankagg as ra

TABLE = "system,x,y,z\nA,3,2,1\nB,2,3,2\nC,1,1,\n"
FULL = "system,x,y,z\nA,3,2,1\nB,2,3,2\nC,1,1,0\n"
WIDE = "s,k,t,u\nA,0,2,1\nA,1,2,1\nB,0,1,2\nB,1,1,3\n"
TIED = "system,x,y\nA,1,2\nB,1,1\n"
APART = "system,x,y\nA,1,\nB,2,\nC,,1\nD,,2\n"
MATRIX = "3\n 0 5 1\n 2 0 4\n 3 0 0\n"


@pytest.fixture
def run(called):
    """Return `called`, with small files in its folder."""
    files = {
        "table.csv": TABLE, "full.csv": FULL, "wide.csv": WIDE, "tied.csv": TIED,
        "apart.csv": APART, "matrix.lop": MATRIX,
    }  # fmt: skip
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    return called


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


def test_places_decisions_and_proportions_are_told_in_this_order(run):
    result = run("intervals", "full.csv", "--alpha", "0.1")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "scores: higher is better"
    assert lines[1].startswith("read: full.csv, ScoreTable of 3 systems x 3 tasks")
    starts = [
        "ranks by mean Borda points; simultaneous 90 %", "assumed: tasks are independent",
        "may be first: ", "decided      0 of 3 pairs", "P(above) among rankings",
    ]  # fmt: skip
    positions = [result.out.index(start) for start in starts]
    assert positions == sorted(positions)
    assert "marginal 90 % confidence intervals (hoeffding)" in result.out


def test_too_few_units_are_said_to_be_too_few_once(run):
    out = run("intervals", "full.csv").out
    sentence = "with 3 tasks no pair can be decided at 95 %; at least 6 are needed"
    assert out.count(sentence) == 1
    assert out.count("tasks are independent") == 1
    enough = run("intervals", "--dataset", "superglue_human").out
    assert "at least" not in enough
    assert "independent: 10 tasks (decisions are possible from 6 on)" in enough


def test_normal_intervals_are_for_proportions(run, parsed):
    told = parsed("intervals", "--dataset", "condorcet_1785", "--pairs", "normal")
    expected = ra.PairwiseIntervals.from_data(ra.datasets.load("condorcet_1785"), method="normal")
    assert told["intervals"] == plain(expected.to_dict())
    assert "for a normal interval" in " ".join(told["intervals"]["notes"])
    result = run("intervals", "--dataset", "condorcet_1785", "--method", "normal")
    assert result.code == 2
    assert "for proportions of pairs say --pairs normal" in result.err


def test_intervals_as_json_are_those_of_the_package(parsed):
    told = parsed("intervals", "table.csv", "--simultaneous", "bonferroni", "--alpha", "0.2")
    assert set(told) == {"schema", "version", "ranks", "decisions", "intervals", "input"}
    intervals = ra.PairwiseIntervals.from_data(table(), simultaneous="bonferroni", alpha=0.2)
    ranks = ra.rank_intervals(table(), alpha=0.2)
    assert told["intervals"] == plain(intervals.to_dict())
    assert told["decisions"] == plain(ranks.decisions.to_dict())
    assert told["ranks"] == plain(ranks.to_dict())
    assert told["ranks"]["method"] == "sign-flips"
    schemas = [told[part]["schema"] for part in ("intervals", "decisions", "ranks")]
    assert schemas == ["rankagg.intervals", "rankagg.decisions", "rankagg.rank_intervals"]
    assert told["input"][0] == "scores: higher is better"


def test_pairs_that_were_never_compared_have_no_estimate(parsed):
    told = parsed("intervals", "apart.csv")
    open_pairs = [pair for pair in told["intervals"]["pairs"] if pair["n_units"] == 0]
    assert len(open_pairs) == 4
    assert {pair["estimate"] for pair in open_pairs} == {None}


@pytest.mark.parametrize("of", ["pairwise", "borda", "mean"])
def test_places_have_their_own_default_method(parsed, of):
    told = parsed("intervals", "--dataset", "superglue_human", "--ranks", of)
    expected = ra.rank_intervals(ra.datasets.load("superglue_human"), of=of, rng=0)
    assert told["ranks"] == plain(expected.to_dict())
    assert told["ranks"]["method"] == ("sign-test" if of == "pairwise" else "sign-flips")


@pytest.mark.parametrize(
    ("of", "method"),
    [("borda", "bernstein"), ("mean", "hoeffding"), ("pairwise", "hoeffding"), ("mean", "max-t")],
)
def test_places_by_a_method_that_was_asked_for(parsed, of, method):
    more = ("--score-range", "0", "5", "--resamples", "200", "--seed", "3")
    told = parsed("intervals", "full.csv", "--ranks", of, "--method", method, *more)
    expected = ra.rank_intervals(
        table("full.csv"), of=of, method=method, score_range=(0, 5), n_resamples=200, rng=3
    )
    assert told["ranks"] == plain(expected.to_dict())


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_proportions_by_resampling(parsed, method):
    told = parsed("intervals", "full.csv", "--pairs", method, "--resamples", "200", "--seed", "3")
    expected = ra.PairwiseIntervals.from_data(
        table("full.csv"), method=method, n_resamples=200, rng=3
    )
    assert told["intervals"] == plain(expected.to_dict())


def test_places_follow_the_policy_for_what_is_missing(parsed):
    for unranked in ("uniform", "last"):
        told = parsed("intervals", "table.csv", "--unranked", unranked)
        expected = ra.rank_intervals(table(), unranked=unranked)
        assert (len(expected.notes) > 1) == (unranked == "uniform")
        assert told["ranks"] == plain(expected.to_dict())


def test_the_first_k_and_places_of_items_alone(run, parsed):
    data = ra.datasets.load("superglue_human")
    ranks = ra.rank_intervals(data)
    for k in (1, 3):
        told = parsed("intervals", "--dataset", "superglue_human", "--top", str(k))
        assert told["top"] == {"k": k, "items": list(ranks.top(k))}
    out = run("intervals", "--dataset", "superglue_human", "--top", "3", "--marginal").out
    assert f"may be among the first 3: {', '.join(ranks.top(3))}" in out
    alone = out.split("ranks of each item alone; 95 %")[1]
    best, worst = ranks.to_frame(simultaneous=False).loc["T5 + Meena", ["best", "worst"]]
    row = next(line for line in alone.splitlines() if line.startswith("T5 + Meena"))
    assert row.split()[-2:] == [str(best), str(worst)]


def test_imputed_proportions_stand_beside_places(parsed):
    told = parsed("intervals", "table.csv", "--estimand", "imputed")
    assert told["intervals"]["estimand"] == "imputed"
    assert told["ranks"] == plain(ra.rank_intervals(table()).to_dict())


def test_units_and_fixed_tasks(parsed):
    wide = ("intervals", "wide.csv", "--instance", "k")
    by_instance = parsed(*wide, "--unit", "instance")
    assert by_instance["intervals"]["unit"] == by_instance["ranks"]["unit"] == "instance"
    fixed = parsed(*wide, "--fixed-tasks")
    assert fixed["intervals"]["fixed_tasks"] is True
    assert "tasks are fixed" in " ".join(fixed["ranks"]["notes"])


def test_ties_may_be_left_out(run, parsed):
    assert run("intervals", "tied.csv", "--pairs", "wilson").code == 2
    told = parsed("intervals", "tied.csv", "--pairs", "wilson", "--ties", "exclude")
    assert "left out" in told["intervals"]["notes"][0]
    exact = ("--ranks", "pairwise", "--method", "clopper-pearson")
    assert run("intervals", "tied.csv", *exact).code == 2
    told = parsed("intervals", "tied.csv", *exact, "--ties", "exclude")
    expected = ra.rank_intervals(
        table("tied.csv"), of="pairwise", method="clopper-pearson", ties="exclude"
    )
    assert told["ranks"] == plain(expected.to_dict())
    assert parsed("intervals", "tied.csv", "--tolerance", "5")["intervals"]["pairs"][0][
        "estimate"
    ] == pytest.approx(0.5)


def test_rows_of_intervals_are_limited_and_the_rest_is_counted(run):
    short = run("intervals", "--dataset", "xtreme_gaps", "--rows", "2", "--marginal").out
    assert "more pairs" in short
    assert short.count("more items") == 2
    everything = run("intervals", "--dataset", "xtreme_gaps", "--all", "--marginal").out
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
    assert set(told) == {"schema", "version", "missing", "sensitivity", "input"}
    assert told["missing"] == plain(ra.missing_report(table()).to_dict())
    expected = ra.sensitivity(table(), ra.Copeland(), n_samples=30, rng=4)
    assert told["sensitivity"] == plain(expected.to_dict())
    schemas = (told["missing"]["schema"], told["sensitivity"]["schema"])
    assert schemas == ("rankagg.missing", "rankagg.sensitivity")


def test_complete_data_have_no_sensitivity(run, parsed):
    assert set(parsed("missing", "full.csv")) == {"schema", "version", "missing", "input"}
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
    (["intervals", "full.csv", "--alpha", "1.5"], ["--alpha", "below 1", "1.5"]),
    (["intervals", "full.csv", "--alpha", "0"], ["--alpha"]),
    (["intervals", "full.csv", "--resamples", "5", "--pairs", "bca"], ["`--resamples`", "5"]),
    (["intervals", "full.csv", "--top", "4"], ["`--top`", "at most 3", "4"]),
    (
        ["intervals", "full.csv", "--method", "wilson"],
        ["--method wilson", "ranks by borda", "sign-flips, hoeffding", "--pairs wilson"],
    ),
    (
        ["intervals", "full.csv", "--method", "clopper-pearson", "--ranks", "mean"],
        ["--method clopper-pearson", "ranks by mean", "--ranks pairwise"],
    ),
    (
        ["intervals", "full.csv", "--ranks", "mean", "--method", "hoeffding"],
        ["`--score-range`", "--method sign-flips"],
    ),
    (
        ["intervals", "full.csv", "--ranks", "mean", "--score-range", "0", "1"],
        ["`--score-range`", "0 to 3"],
    ),
    (
        ["intervals", "table.csv", "--method", "max-t", "--ranks", "mean"],
        ["1 of 9 scores missing", "--ranks borda", "--method sign-flips"],
    ),
    (["intervals", "--dataset", "tennessee", "--ranks", "mean"], ["ScoreTable"]),
    (["intervals", "full.csv", "--simultaneous", "max-t"], ["`--simultaneous`", "percentile"]),
    (["intervals", "full.csv", "--ties", "exclude"], ["--ties", "--ranks pairwise", "--pairs"]),
    (["intervals", "tied.csv", "--pairs", "wilson"], ["`--ties`", "1 tie in 1 pair"]),
    (["intervals", "full.csv", "--unit", "instance"], ["`--unit`", "no instances"]),
    (["intervals", "--dataset", "tennessee", "--unit", "task"], ["`--unit`", "no tasks"]),
    (["intervals", "--dataset", "tennessee", "--fixed-tasks"], ["`--fixed-tasks`"]),
    (["intervals", "full.csv", "--unit", "task", "--fixed-tasks"], ["`--fixed-tasks`"]),
    (["intervals", "matrix.lop"], ["Intervals need rankings, scores or comparisons"]),
    (["intervals", "full.csv", "--rows", "0"], ["--rows"]),
    (["intervals"], ["FILE", "--dataset"]),
    (["dispersion", "matrix.lop"], ["Dispersion needs rankings"]),
    (["dispersion", "full.csv", "--tie-cost", "2"], ["--tie-cost", "2"]),
    (["dispersion", "full.csv", "--method", "borda", "--time-limit", "1"], ["--time-limit"]),
    (["dispersion", "--dataset", "tennessee", "--method", "mean"], ["Mean needs scores"]),
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
