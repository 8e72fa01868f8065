"""`rankagg study`, `cycles` and `experiment`: what they print is what the library finds."""

import json
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.cli.exit_codes import UNPROVED

STUDY = "study --mallows 0.8 --items 5 --repetitions 6 --rankings 4"
CORRUPTION = "experiment --dataset superglue_human --study corruption --corruption"
CONFIDENCE = "experiment --dataset superglue_human --study confidence"


def test_a_study_prints_what_the_library_finds(parsed):
    found = parsed(
        f"{STUDY} --gumbel 0.1 --method borda --method kwiksort --seed 3 --missing 0.2 "
        "--unranked ignore --out rows.csv"
    )
    study = ra.studies.ApproximationStudy(
        aggregators=[ra.Borda(unranked="ignore"), ra.KwikSort(pivot="best", unranked="ignore")],
        models=[
            ra.cultures.MallowsCulture(phi=0.8),
            ra.studies.LatentModel(step=0.1, n_instances=None),
        ],
        n_items=[5],
        n_rankings=[4],
        missing=[0.2],
        n_repetitions=6,
        seed=3,
    )
    result = study.run()
    assert found["unranked_policy"] == "ignore"
    rows = result.to_dict()["results"]
    for mine, theirs in zip(found["results"], rows, strict=True):
        assert mine["hit_rate"] == theirs["hit_rate"]
        assert mine["mean_ratio"] == theirs["mean_ratio"]
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 1 + 2 * 6 * 2


def test_a_study_takes_files_of_profiles(parsed, refused):
    profile = ra.datasets.load("tennessee")
    ra.write_preflib(profile, "tennessee.soc")
    found = parsed("study tennessee.soc --method borda")["results"]
    study = ra.studies.ApproximationStudy(aggregators=[ra.Borda()], models=["tennessee.soc"])
    rows = study.run().to_dict()["results"]
    assert [row["mean_ratio"] for row in found] == [row["mean_ratio"] for row in rows]
    assert "'absent.soc'. No such file" in refused("study absent.soc")
    assert "Give files, or a model" in refused("study")


def test_a_study_gives_the_table_for_a_paper(run):
    study = ra.studies.ApproximationStudy(
        aggregators=[ra.Borda(), ra.Copeland()],
        models=[ra.cultures.MallowsCulture(phi=0.8)],
        n_items=[5],
        n_rankings=[4],
        n_repetitions=6,
    )
    text = run(f"{STUDY} --method borda --method copeland --as latex").out
    assert text == study.run().to_latex()
    assert text.count("Mallows") == 1  # of two rows
    assert r"& distance\_to\_one\_optimum" in text


def test_a_study_goes_on_from_its_journal(said, refused):
    line = f"{STUDY} --journal j.jsonl"
    first, size = said(line), Path("j.jsonl").stat().st_size
    assert said(line) == first
    assert Path("j.jsonl").stat().st_size == size
    assert "same rules, seed" in refused(f"{line} --seed 9")


def test_a_study_without_a_proof_says_so_in_its_exit_code(run):
    run("study --mallows 1 --items 40 --rankings 7 --repetitions 2 --time-limit 0", code=UNPROVED)


def test_cycles_are_those_of_the_study(said, parsed, run):
    line = "cycles --rankings 5 --rankings 6 --repetitions 8 --seed 3"
    study = ra.studies.CycleStudy(
        models=[ra.cultures.ImpartialCulture()], n_rankings=[5, 6], n_repetitions=8, seed=3
    )
    result = study.run()
    assert said(line) == f"{result.summary()}\n"
    assert parsed(line) == json.loads(json.dumps(result.to_dict()))
    run(f"{line} --out rows.csv --plot a.png --measure optimal")
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 17
    assert Path("a.png").stat().st_size > 5000
    assert "... and 1 more size" in said(f"{line} --rows 1")


@pytest.mark.parametrize(
    ("name", "study"),
    [
        (
            "missing-scores",
            lambda table: ra.studies.MissingScoresStudy(
                models=[ra.studies.Observed(label="superglue_human", data=table)],
                aggregators=[ra.Borda()], n_repetitions=2, seed=3,
            ),
        ),
        (
            "task-subsets",
            lambda table: ra.studies.TaskSubsetStudy(
                data=table, aggregators=[ra.Borda()], n_repetitions=2, seed=3
            ),
        ),
        (
            "corruption --corruption noisy=0.5 --corruption copied --corruption rescaled=10",
            lambda table: ra.studies.CorruptionStudy(
                models=[ra.studies.Observed(label="superglue_human", data=table)],
                corruptions=[ra.studies.Noisy(share=0.5), ra.studies.Copied(),
                             ra.studies.Rescaled(factor=10.0)],
                aggregators=[ra.Borda()], n_repetitions=2, seed=3,
            ),
        ),
    ],
)  # fmt: skip
def test_an_experiment_is_that_of_the_library(said, name, study):
    line = f"experiment --dataset superglue_human --study {name} --seed 3"
    found = said(f"{line} --repetitions 2 --method borda")
    result = study(ra.datasets.load("superglue_human")).run()
    assert found.splitlines()[2:] == result.summary(rows=20).splitlines()


def test_an_experiment_compares_mechanisms(said):
    name = "superglue_human"
    line = f"experiment --dataset {name} --repetitions 2 --removal by-score=0.5 --removal blocks"
    result = ra.studies.MissingScoresStudy(
        models=[ra.studies.Observed(label=name, data=ra.datasets.load(name))],
        removals=[ra.studies.ByScore(strength=0.5), ra.studies.Blocks()], n_repetitions=2,
    ).run()  # fmt: skip
    assert said(line).splitlines()[2:] == result.summary(rows=20).splitlines()
    assert {"low scores first, strength = 0.5", "in blocks"} == set(result.to_frame()["removal"])


def test_every_mechanism_can_be_named(said):
    for name in ("at-random", "by-system", "by-task", "by-score", "by-age", "blocks"):
        assert "Borda" in said(
            f"experiment --dataset superglue_human --removal {name} --repetitions 1"
        )


def test_an_experiment_on_confidence(run):
    run(f"{CONFIDENCE} --repetitions 2 --out rows.csv --json")
    assert "sign-test, holm" in Path("rows.csv").read_text()


REFUSED = {
    "study": "--mallows",
    "cycles --items 4 --items 4 --repetitions 1": "--items",
    f"{STUDY} --method mean": "rules without scores",
    f"{CONFIDENCE} --method borda": "no meaning",
    "experiment --dataset tennessee": "needs scores",
    "experiment --dataset superglue_human --corruption noisy": "--corruption has no meaning",
    f"{CORRUPTION} rescaled": "rescaled=NUMBER",
    f"{CORRUPTION} reversed=2": "takes no number",
    f"{CORRUPTION} revers": "Did you mean 'reversed'",
    "experiment --dataset superglue_human --tolerance 0.1": "--tolerance has no meaning",
    "experiment --dataset superglue_human --study task-subsets --removal by-age": "no meaning",
    "experiment --dataset superglue_human --removal by-scor": "Did you mean 'by-score'?",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_does_not_suit_is_refused(refused, line):
    assert REFUSED[line] in refused(line)
