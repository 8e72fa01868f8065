"""`rankagg fit` and `sample`, as seen by users."""

import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import rankagg as ra
from tests.distributions.battles import battles

BALLOTS = "A,B,C,D,count\n1,2,3,4,9\n2,1,3,4,6\n1,3,2,4,4\n4,1,2,3,3\n2,3,4,1,2\n"
MATRIX = "3\n 0 5 1\n 2 0 4\n 3 2 0\n"
DATA = "ballots.csv --format ballots --count count"


@pytest.fixture(autouse=True)
def _files(called):
    Path("ballots.csv").write_text(BALLOTS, encoding="utf-8")
    Path("matrix.lop").write_text(MATRIX, encoding="utf-8")


@pytest.fixture
def profile():
    orders = ["ABCD", "BACD", "ACBD", "BCDA", "DABC"]
    return ra.Profile.from_orders(orders, items="ABCD", counts=[9, 6, 4, 3, 2])


def test_a_ridge_and_pseudo_rankings_reach_the_fit(parsed, profile):
    for option, name in (("--ridge", "ridge"), ("--pseudo-rankings", "pseudo_rankings")):
        printed = parsed(f"fit {DATA} {option} 2")
        law = ra.PlackettLuce.fit(profile, **{name: 2.0}).distribution
        assert ra.distributions.distribution_from_dict(printed["distribution"]) == law


def test_models_are_compared_as_by_the_package(parsed, output, profile):
    asked = "--model uniform --model mallows-kendall --resamples 9 --seed 5"
    printed = parsed(f"fit {DATA} {asked} --compare")
    names = ["uniform", "mallows-kendall"]
    found = ra.distributions.compare_models(profile, names, n_resamples=9, rng=5)
    facts = json.loads(json.dumps(found.to_dict()))
    assert {name: printed[name] for name in facts} == facts
    assert "needs rankings" in output("fit matrix.lop --compare", code=2)


FIT_REFUSED = {
    "matrix.lop --model mallows": "needs rankings",
    f"{DATA} --model mallows --ridge 1": "--ridge is for --model plackett-luce",
    f"{DATA} --model mallows --anchor A": "--anchor is for --model",
    f"{DATA} --alpha 1": "`--alpha` must be a number above 0 and below 1. Got '1'.",
    f"{DATA} --ridge -1": "`--ridge` must be",
    f"{DATA} --rows 3": "--rows needs --compare",
    f"{DATA} --model mallows --model plackett-luce": "needs --compare",
    f"{DATA} --compare --ridge 1": "--ridge has no meaning with --compare",
    f"{DATA} --model malows": "Did you mean 'mallows'?",
}


def test_bad_input_to_fit_is_one_sentence(output):
    for line, words in FIT_REFUSED.items():
        assert words in output(f"fit {line}", code=2), line


def test_samples_are_drawn_from_a_stored_fit(output):
    text = output(f"fit {DATA} --model mallows --json")
    Path("fit.json").write_text(text, encoding="utf-8")
    output("sample fit.json --size 500 --seed 3 --out drawn.csv")
    drawn = ra.read_ballots("drawn.csv", count="count", unranked="uniform")
    law = ra.distributions.distribution_from_dict(json.loads(text)["distribution"])
    assert drawn.n_rankings == 500
    assert drawn.compress() == law.sample(500, rng=3).compress()


def test_names_are_raw_in_pipes_and_escaped_on_terminals(output, monkeypatch):
    options = ("sample", "--items", "a\x1b[2J,b", "--size", "3")
    assert "a\x1b[2J" in output(*options)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = output(*options)
    assert "\x1b" not in shown
    assert "a\\x1b[2J" in shown


SAMPLE_REFUSED = {
    "": "Give either", "list.json --items A,B": "Give either",
    "list.json --culture walsh": "--culture needs --items",
    "ballots.csv": "is not JSON", "list.json": "A stored distribution is an object",
    "other.json": "no distribution of schema", "short.json": "short.json: `theta` is missing",
}  # fmt: skip


def test_bad_input_to_sample_is_one_sentence(output):
    Path("list.json").write_text("[1]", encoding="utf-8")
    Path("other.json").write_text('{"schema": "x"}', encoding="utf-8")
    short = {"schema": "rankagg.distribution", "version": 1, "model": "Mallows",
             "items": ["A", "B"], "center": ["A", "B"]}  # fmt: skip
    Path("short.json").write_text(json.dumps(short), encoding="utf-8")
    for line, words in SAMPLE_REFUSED.items():
        assert words in output(f"sample {line}", code=2), line


# -- comparisons ----------------------------------------------------------------------------------

MODEL = "--model bradley-terry"
FIT = (
    "fit battles.csv --format comparisons --first first --second second --outcome outcome "
    f"--cluster cluster --side side {MODEL}"
)


@pytest.fixture
def fought(called):
    """Write comparisons, and return them."""
    found = battles(120, 4, 2, clusters=[k % 20 for k in range(120)])
    found.to_frame().to_csv("battles.csv", index=False)
    return found


def test_the_fit_of_comparisons_as_json_is_that_of_the_package(parsed, fought):
    printed = parsed(f"{FIT} --covariate x --ties davidson --elo --anchor B=1000")
    fit = ra.BradleyTerry.fit(fought, ties="davidson", side=True, covariates=["x"])
    facts = json.loads(json.dumps(fit.to_dict()))
    found = [row["estimate"] for row in printed["parameters"]]
    assert found == pytest.approx([row["estimate"] for row in facts["parameters"]])
    assert printed["n_units"] == 20
    ratings = {row["item"]: row["elo"] for row in printed["elo"]}
    assert ratings == pytest.approx(fit.elo(anchor={"B": 1000})["elo"].to_dict())
    drawn = ra.distributions.distribution_from_dict(printed["distribution"])
    assert drawn.log_worths == pytest.approx(fit.log_worths)


def test_options_unsuitable_for_comparisons_are_refused(fought, refused):
    for line, words in {
        f"{FIT.removesuffix(MODEL)} --model mallows --ties davidson": "--ties is for",
        f"{FIT} --ties halve": "--ties",
        f"{FIT} --covariate y": "--covariate must be a column of",
        f"{FIT} --anchor Z": "--anchor",
        f"{FIT} --elo --anchor Z=1": "--anchor",
        f"{FIT} --elo --anchor A": "ITEM=RATING",
        f"{FIT} --category outcome": "No such option",
    }.items():
        assert words in refused(line)


def test_comparisons_are_fitted_by_bradley_terry_by_default(fought, parsed):
    assert parsed(FIT.removesuffix(MODEL)) == parsed(FIT)


def test_judges_are_named_by_option(fought, parsed, refused):
    line = FIT.replace(" --side side", "")
    rows = parsed(f"{line} --judges --ridge 0.5")["parameters"]
    plain = ra.Comparisons(fought.items, fought.first, fought.second, fought.outcomes,
                           clusters=fought.clusters)  # fmt: skip
    known = ra.BradleyTerry.fit(plain, judges=True, ridge=0.5)
    estimates = [row["estimate"] for row in rows if row["parameter"].startswith("reliability of")]
    assert sorted(estimates) == pytest.approx(sorted(known.reliabilities()["estimate"]))
    assert "--judges must be False with --side" in refused(f"{FIT} --judges")
    page = line.replace("fit", "report", 1).replace(MODEL, "")
    unnamed = page.replace("--cluster cluster", "")
    assert "--judges must be False unless" in refused(f"{unnamed} --judges")


def test_newcomers_do_not_change_the_ratings_of_others(output, parsed, refused, fought):
    frame = fought.to_frame()
    new = frame.head(6).assign(first="new", second=[*"ABCABC"], outcome="first", side=0)
    pd.concat([frame, new]).to_csv("battles.csv", index=False)
    line = f"{FIT} --covariate x --elo --anchor B=1000"
    printed = parsed(line)
    fit = ra.BradleyTerry.fit(fought, side=True, covariates=["x"])
    ratings = {row["item"]: row["elo"] for row in printed["elo"]}
    assert ratings == pytest.approx(dict(fit.elo(anchor={"B": 1000})["elo"]))
    (newcomer,) = printed["not_rated"]
    assert (newcomer["item"], newcomer["battles"], newcomer["wins"]) == ("new", 6, 6)
    assert "not rated yet, 6 battles left out:" in output(line)
    assert "one of the 4 items" in refused(line.replace("B=1000", "new=1000"))
    # With a prior everybody has a rating.
    assert len(parsed(f"{line} --pseudo-rankings 1")["elo"]) == 5


def test_scores_are_fitted_by_task_with_ratings(output, parsed, called):
    Path("scores.csv").write_text(
        "system,a,b,c,d,e,f\nX,3,4,5,3,1,2\nY,2,5,4,3,2,1\nZ,1,2,3,2,3,3\n", encoding="utf-8"
    )
    line = f"fit scores.csv --format scores {MODEL}"
    found = parsed(f"{line} --elo")
    assert (found["unit"], found["n_units"], len(found["elo"])) == ("task", 6, 3)
    assert "sandwich of 6 tasks" in " ".join(output(line).split())


def test_remedies_are_those_of_the_command(output, refused, called):
    """No option is named that nobody typed, and Python and its command line do not mix."""
    Path("ties.csv").write_text(
        "first,second,outcome\n" + "A,B,draw\nB,C,draw\n" * 4, encoding="utf-8"
    )
    Path("lost.csv").write_text(
        "first,second,outcome\n" + "A,B,win\nA,B,loss\nA,C,win\n" * 4, encoding="utf-8"
    )
    line = "fit {} --format comparisons --first first --second second --outcome outcome " + MODEL
    text = " ".join(output(line.format("ties.csv")).split())
    assert "Errors are unknown. All results that compare 'A' with 'B' are the same." in text
    assert "cov_type" not in text
    text = " ".join(refused(line.format("lost.csv")).split())
    assert "never won or tied: C. Leave such items out, or set --pseudo-rankings 0.5: half" in text
    assert "ra." not in text
    text = output(f"{line.format('lost.csv')} --pseudo-rankings 0.5 --elo")
    assert "With 0.5 pseudo-rankings per item" in text
    assert "elo  std_err" in text
