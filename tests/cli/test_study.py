"""`rankagg study` prints the results of the library."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.cli.command import UNPROVED
from rankagg.cli.commands.models import STUDIES
from tests.conftest import slow_but

STUDY = "study approximation --culture mallows=0.8 --items 5 --repetitions 6 --rankings 4"
NAME = "superglue_human"
CORRUPTION = "study corruption --dataset superglue_human --corruption"
MISSING = f"study missing-scores --dataset {NAME}"
CONFIDENCE = "study confidence --dataset superglue_human"


def study_of(*rules, **changes):
    """Return the study that STUDY runs in the library."""
    settings = {"data": [ra.cultures.MallowsCulture(phi=0.8)], "n_items": [5], "n_rankings": [4]}
    settings |= {"n_repetitions": 6, "rng": 0} | changes
    return ra.studies.ApproximationStudy(rules=rules, **settings)


def test_a_study_prints_the_result_of_the_library(parsed):
    found = parsed(
        f"{STUDY} --culture gumbel=0.1 --rule borda --rule kwiksort --seed 3 --missing 0.2 "
        "--csv rows.csv"
    )
    gumbel = ra.studies.LatentModel(step=0.1, n_instances=None)
    models = [ra.cultures.MallowsCulture(phi=0.8), gumbel]
    rules = ra.Borda(), ra.KwikSort(pivot="best")
    study = study_of(*rules, data=models, missing=[0.2], rng=3)
    result = study.run()
    rows = result.to_dict()["results"]
    for mine, theirs in zip(found["results"], rows, strict=True):
        assert mine["hit_rate"] == theirs["hit_rate"]
        assert mine["mean_ratio"] == theirs["mean_ratio"]
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 1 + 2 * 6 * 2


def test_a_study_takes_files_of_profiles(parsed, refused):
    ra.io.write_ballots(ra.datasets.load("tennessee"), "tennessee.soc")
    found = parsed("study approximation tennessee.soc --rule borda")["results"]
    study = ra.studies.ApproximationStudy(
        rules=[ra.Borda()], data=ra.datasets.load("tennessee"), rng=0
    )
    rows = study.run().to_dict()["results"]
    assert [row["mean_ratio"] for row in found] == [row["mean_ratio"] for row in rows]
    assert "'absent.soc'. No such file" in refused("study approximation absent.soc")
    assert "Give FILE, or a model" in refused("study approximation")


def test_a_study_resumes_from_its_journal(output, refused):
    line = f"{STUDY} --journal j.jsonl"
    first, size = output(line), Path("j.jsonl").stat().st_size
    assert output(line) == first
    assert Path("j.jsonl").stat().st_size == size
    assert "same rules, seed" in refused(f"{line} --seed 9")


def test_a_study_without_a_proof_ends_with_its_own_code(run):
    run(
        "study approximation --culture mallows=1 --items 40 --rankings 7 --repetitions 2 "
        "--time-limit 0",
        code=UNPROVED,
    )


def test_cycles_are_those_of_the_study(output, parsed, run):
    line = "study cycles --items 4 --rankings 5 --rankings 6 --repetitions 8 --seed 3"
    study = ra.studies.CycleStudy(
        data=[ra.cultures.ImpartialCulture()], n_items=[4], n_rankings=[5, 6],
        n_repetitions=8, rng=3,
    )  # fmt: skip
    result = study.run()
    assert output(line) == f"{result.summary()}\n"
    assert parsed(line) == json.loads(json.dumps(result.to_dict()))
    run(f"{line} --csv rows.csv --html page.html")
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 17
    assert Path("page.html").read_text(encoding="utf-8") == result.to_html()
    assert "... and 1 more row" in output(f"{line} --rows 1")


OF_TABLES = [study for study in STUDIES if study not in ("approximation", "cycles")]


def observed():
    return [ra.studies.ObservedData(label=NAME, data=ra.datasets.load(NAME))]


FEW = {"rules": [ra.Borda()], "n_repetitions": 2, "rng": 3}
FEW_LINE = "--repetitions 2 --rule borda --seed 3"
EXPERIMENTS = {
    f"missing-scores {FEW_LINE}": lambda: ra.studies.MissingScoresStudy(
        data=observed(), **FEW
    ),
    f"task-subsets {FEW_LINE}": lambda: ra.studies.TaskSubsetStudy(
        data=ra.datasets.load(NAME), **FEW
    ),
    "corruption --corruption noisy=0.5 --corruption copied --corruption rescaled=10 "
    f"{FEW_LINE}": lambda: ra.studies.CorruptionStudy(
        data=observed(), **FEW, corruptions=[
            ra.studies.NoisyScores(proportion=0.5), ra.studies.CopiedScores(),
            ra.studies.RescaledScores(factor=10.0),
        ],
    ),
    "missing-scores --repetitions 2 --removal by-score=0.5 --removal blocks": (
        lambda: ra.studies.MissingScoresStudy(
            data=observed(), n_repetitions=2,
            removals=[ra.studies.RemovalByScore(strength=0.5), ra.studies.RemovalOfBlocks()], rng=0,
        )
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", slow_but([*EXPERIMENTS][2:], EXPERIMENTS))
def test_an_experiment_is_that_of_the_library(output, line):
    found = output(f"study {line} --dataset {NAME}")
    assert found.splitlines()[3:] == EXPERIMENTS[line]().run().summary(rows=20).splitlines()


@pytest.mark.parametrize(
    "study", [study if study == "agreement" else pytest.param(study, marks=pytest.mark.slow)
              for study in OF_TABLES]
)  # fmt: skip
def test_every_study_has_a_page_a_picture_and_a_table_for_papers(study, run):
    few = "" if study == "agreement" else "--repetitions 2"
    line = f"study {study} --dataset {NAME} {few} --html page.html --plot one.png"
    assert run(f"{line} --as latex").out.startswith(r"\begin{tabular}")
    assert Path("one.png").read_bytes().startswith(b"\x89PNG")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "data set superglue_human, scores of known direction: 6 systems" in page


RANKING = ["approximation", "missing-scores", "task-subsets", "corruption", "agreement"]
DRAWN = ["approximation", "cycles"]
OF_SOME = {
    "--rule borda": RANKING, "--removal by-age": ["missing-scores", "confidence"],
    "--time-limit 9": ["approximation", "cycles", *RANKING[1:]],
    "--proportion 0.3": ["missing-scores", "confidence"], "--corruption noisy": ["corruption"],
    "--tolerance 0.1": ["task-subsets", "agreement"],
    "--repetitions 100": [study for study in STUDIES if study != "agreement"],
    "--culture mallows=0.8": DRAWN, "--items 5": DRAWN, "--missing 0.2": ["approximation"],
    "--dataset glue_human": OF_TABLES,
}  # fmt: skip


def test_options_without_meaning_for_a_study_are_refused(refused):
    for (option, some), study in product(OF_SOME.items(), STUDIES):
        if study not in some:
            message = refused(f"study {study} {option}")
            name = option.split()[0]
            assert f"{name} has no meaning for {study}; it is for " in message
            assert re.split(", | and ", message.rstrip(".").split("it is for ")[1]) == some


REFUSED = {
    f"{CONFIDENCE} --removal by-age": "--removal needs --proportion for confidence",
    f"{CONFIDENCE} --proportion 1": "--proportion",
    f"{MISSING} --proportion 0.999": "--proportion must be one that leaves some",
    f"{CORRUPTION} rescaled=2 --corruption rescaled=2": "--corruption must be a list",
    f"study agreement --dataset {NAME} --rule borda": "--rule must be two or more",
    "study cycle": "Did you mean 'cycles'?",
    "study approximation --dataset tennessee": "--dataset has no meaning for approximation",
    "study cycles votes.soc": "reads no FILE",
    "study cycles --items 4 --items 4 --repetitions 1": "--items",
    f"{CONFIDENCE} --rule borda": "no meaning",
    "study missing-scores --dataset tennessee": "needs scores",
    f"{CORRUPTION} rescaled": "rescaled=NUMBER",
    f"{CORRUPTION} reversed=2": "takes no number",
    f"{CORRUPTION} revers": "Did you mean 'reversed'",
    f"{MISSING} --tolerance 0.1": "--tolerance has no meaning",
    f"{MISSING} --removal by-scor": "Did you mean 'by-score'?",
}


def test_unsuitable_input_is_refused(refused):
    for line, words in REFUSED.items():
        assert words in refused(line), line
