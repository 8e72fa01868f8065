"""What every study has: equal results by any workers, a journal to continue from, any source."""

import json

import joblib
import pytest
from pandas.testing import assert_frame_equal

import rankagg as ra
from rankagg.aggregation import Consensus
from rankagg.exceptions import InvalidInputError

TABLE = ra.ScoreTable(
    [[5, 1, 9, 2, 8], [4, 2, 7, 3, 9], [3, 3, 8, 1, 7], [2, 5, 6, 5, 1]],
    systems="ABCD", higher_is_better=True,
)  # fmt: skip
PROFILE = TABLE.rankings()
LATENT = ra.studies.LatentModel(step=0.4, n_systems=4, n_tasks=1, n_instances=20)
# Each with six cells or more.
STUDIES = {
    "approximation": lambda **changes: ra.studies.ApproximationStudy(**{
        "rules": [ra.Borda(), ra.KwikSort()], "n_items": [4], "n_rankings": [5],
        "data": [ra.cultures.MallowsCulture(phi=0.9), LATENT], "n_repetitions": 3, "rng": 0,
        **changes,
    }),
    "cycles": lambda **changes: ra.studies.CycleStudy(**{
        "data": [ra.cultures.ImpartialCulture()], "n_repetitions": 4, "rng": 0, **changes,
    }),
    "confidence": lambda **changes: ra.studies.ConfidenceStudy(**{
        "data": [LATENT], "proportions": [0, 0.2], "n_repetitions": 4,
        "methods": [ra.studies.IntervalMethod(method="percentile")], "rng": 0, **changes,
    }),
    "missing scores": lambda **changes: ra.studies.MissingScoresStudy(**{
        "data": [TABLE, LATENT], "proportions": [0.2], "n_repetitions": 3,
        "rules": [ra.Mean(), ra.Borda()], "rng": 0, **changes,
    }),
    "task subsets": lambda **changes: ra.studies.TaskSubsetStudy(**{
        "data": TABLE, "n_repetitions": 2, "rng": 0, **changes,
    }),
    "corruption": lambda **changes: ra.studies.CorruptionStudy(**{
        "data": [TABLE, LATENT],
        "corruptions": [ra.studies.ReversedScores(), ra.studies.NoisyScores()],
        "n_repetitions": 2, "rules": [ra.Mean(), ra.Borda()], "rng": 0, **changes,
    }),
}  # fmt: skip
EVERY = pytest.mark.parametrize("make", STUDIES.values(), ids=STUDIES)


def rows(result):
    return result.to_frame().drop(columns=["runtime", "exact_runtime"], errors="ignore")


@EVERY
def test_a_stopped_study_resumes_from_its_journal(make, tmp_path, monkeypatch):
    study, path = make(), tmp_path / "study.jsonl"
    whole, number = study.run(), len(list(study.cells()))
    tried, calls, later = type(study)._try, [], []

    def stopped(self, cell, prepared):
        if len(calls) == 5:
            raise KeyboardInterrupt
        calls.append(cell)
        return tried(self, cell, prepared)

    def noted(self, cell, prepared):
        later.append(cell)
        return tried(self, cell, prepared)

    with monkeypatch.context() as patch:
        patch.setattr(type(study), "_try", stopped)
        with pytest.raises(KeyboardInterrupt):
            study.run(journal=path)
    assert len(path.read_text().splitlines()) == 1 + 5
    monkeypatch.setattr(type(study), "_try", noted)
    assert_frame_equal(rows(study.run(journal=path)), rows(whole), check_exact=True)
    assert len(calls) + len(later) == number
    assert not set(calls) & set(later)
    assert study.run(journal=path) == whole
    larger = make(n_repetitions=study.n_repetitions + 1)
    larger.run(journal=path)
    assert len(calls) + len(later) == len(list(larger.cells()))


@EVERY
def test_the_journal_of_another_study_is_refused(make, tmp_path):
    path = tmp_path / "study.jsonl"
    make(n_repetitions=1).run(journal=path)
    before = path.read_text()
    others = [one for one in STUDIES.values() if one is not make]
    for other in (make(rng=8), others[0](), others[-1]()):
        with pytest.raises(InvalidInputError, match="same rules, seed and limits"):
            other.run(journal=path)
    assert path.read_text() == before


RULES = [ra.Mean(), ra.Copeland()]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("approximation", [{"rules": RULES[1:]}, {"time_limit": 5.0}]),
        ("task subsets", [{"data": TABLE.with_task_weights({1: 2})}, {"tolerance": {1: 0.1}}]),
        ("corruption", [{"rules": RULES}, {"time_limit": 5.0}]),
    ],
)  # fmt: skip
def test_a_journal_of_other_parameters_is_refused(name, changes, tmp_path):
    path, make = tmp_path / "study.jsonl", STUDIES[name]
    make(n_repetitions=1).run(journal=path)
    for change in changes:
        with pytest.raises(InvalidInputError, match="journal"):
            make(n_repetitions=1, **change).run(journal=path)


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        pytest.param("approximation", "loky", marks=pytest.mark.slow),
        pytest.param("confidence", "multiprocessing", marks=pytest.mark.slow),
        ("confidence", "threading"),
        ("missing scores", "threading"),
        ("task subsets", "threading"),
    ],
)
def test_results_do_not_depend_on_the_workers(name, backend):
    study = STUDIES[name]()
    with joblib.parallel_config(backend=backend):
        many = study.run(n_jobs=2)
    alone = study.run(n_jobs=1)
    assert_frame_equal(rows(many), rows(alone), check_exact=True)
    assert many == alone


@EVERY
def test_a_cell_has_the_same_rows_in_another_grid(make):
    frame, larger = rows(make(n_repetitions=1).run()), rows(make(n_repetitions=2).run())
    assert len(larger) >= len(frame)
    both = frame.merge(larger, how="left", indicator=True)
    assert (both["_merge"] == "both").all()
    assert not rows(make(rng=8, n_repetitions=1).run()).equals(frame)


def test_stopping_a_search_stops_every_study(monkeypatch):
    monkeypatch.setattr(
        Consensus, "__post_init__", lambda self: self.__dict__.update(interrupted=True)
    )
    for name, make in STUDIES.items():
        if name not in ("confidence", "cycles"):
            with pytest.raises(KeyboardInterrupt):
                make().run()


def test_the_bar_is_shown_on_request(capsys):
    STUDIES["task subsets"]().run(progress=True)
    assert "8/8" in capsys.readouterr().err
    STUDIES["task subsets"]().run()
    assert not capsys.readouterr().err


@EVERY
def test_every_cell_has_random_numbers_of_its_own(make):
    cells = list(make().cells())
    assert len({cell.generator(0, "x").integers(2**40) for cell in cells}) == len(cells)
    assert cells[0].generator(0, "x").integers(2**40) != cells[0].generator(0, "y").integers(2**40)


@EVERY
@pytest.mark.parametrize("changes", [{"rng": -1}, {"n_repetitions": 0}])
def test_bad_seeds_and_repetitions_are_named(make, changes):
    with pytest.raises(InvalidInputError, match=f"{next(iter(changes))} of .*Study"):
        make(**changes)


HOLM = [ra.studies.IntervalMethod(holm=True, method=name) for name in ("wilson", "clopper-pearson")]


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        *(("approximation", *case) for case in [
            ({"rules": [ra.Mean()]}, "rules without scores"),
            ({"n_items": [1]}, "at least 2"),
            ({"missing": [1.0]}, r"\[0, 1\)"),
            ({"missing": [0.6], "n_items": [3]}, "leaves two of 3 items"),
            ({"rules": []}, "rules of ApproximationStudy"),
            ({"rules": ra.Borda()}, "rules of ApproximationStudy"),
            ({"rules": ["borda"]}, "rule object"),
            ({"rules": [ra.Borda(), ra.Borda()]}, "different values"),
            ({"data": []}, "data of ApproximationStudy"),
            ({"data": [ra.Mallows]}, "cultures, distributions"),
            ({"data": ["votes.soc", "ABC"]}, "no text. Got 'votes.soc'. `read_preflib` reads"),
            ({"data": [LATENT] * 2}, r"different values\. Got .* 2 times\. `ObservedData\(label="),
            ({"rules": [len]}, "rule object .* A rule of your own is a subclass"),
            ({"n_items": 5}, "n_items of ApproximationStudy"),
            ({"missing": [0.1, 0.1]}, "different values"),
            ({"time_limit": -1}, "time_limit of ApproximationStudy"),
        ]),
        ("confidence", {"methods": []}, "methods of ConfidenceStudy"),
        ("confidence", {"methods": HOLM[0]}, "methods of ConfidenceStudy"),
        ("confidence", {"methods": ["hoeffding"]}, "objects such as `IntervalMethod"),
        ("confidence", {"methods": HOLM}, "different values"),
        ("confidence", {"alphas": [0]}, r"in \(0, 1\)"),
        ("confidence", {"alphas": 0.1}, "alphas of ConfidenceStudy"),
        ("confidence", {"proportions": [1]}, r"\[0, 1\)"),
        ("confidence", {"proportions": [0.999]}, "leaves some of 80 entries; 79 may go"),
        ("missing scores", {"rules": [ra.Borda(), ra.Borda()]}, "different values"),
        ("missing scores", {"proportions": [1.0]}, r"\[0, 1\)"),
        ("missing scores", {"proportions": [0.99]}, "leaves some of 20 entries; 19 may go"),
        ("missing scores", {"removals": ["by-score"]}, r"such as `RandomRemoval\(\)`"),
        ("missing scores", {"removals": [ra.studies.RandomRemoval()] * 2}, "different values"),
        ("missing scores", {"removals": ra.studies.RandomRemoval()}, "removals of Missing"),
        ("missing scores", {"removals": []}, "removals of MissingScoresStudy"),
        ("missing scores", {"scales": [0]}, "scales of MissingScoresStudy"),
        ("missing scores", {"whole_tasks": 1}, "whole_tasks"),
        ("task subsets", {"data": PROFILE}, "data of TaskSubsetStudy"),
        ("task subsets", {"data": TABLE.drop(tasks=[0, 1, 2, 3])}, "at least two tasks"),
        ("task subsets", {"sizes": [0]}, "sizes of TaskSubsetStudy"),
        ("task subsets", {"sizes": [6]}, "at most 5"),
        ("task subsets", {"tolerance": {"nowhere": 1.0}}, "tolerance"),
    ],
)  # fmt: skip
def test_bad_values_are_named(name, changes, message):
    with pytest.raises(InvalidInputError, match=message):
        STUDIES[name](**changes)


# -- sources of data ------------------------------------------------------------------------------


def test_profiles_tables_and_distributions_take_part_in_studies():
    models = [PROFILE, TABLE, ra.Mallows("ABCDE", theta=0.5), ra.Mallows("ABCDE", theta=1.0)]
    study = ra.studies.ApproximationStudy(
        rules=[ra.Borda(), ra.Copeland()], data=models, n_items=[3], n_repetitions=4, rng=0
    )
    frame = study.run().to_frame()
    drawn = frame.groupby("model", sort=False)[["n_items", "n_rankings", "repetition"]].max()
    assert drawn.to_numpy().tolist() == [[4, 5, 0], [4, 5, 0], [5, 10, 3], [5, 10, 3]]
    assert drawn.index[:2].tolist() == ["profile 1", "table 2"]
    votes = PROFILE.pairwise()
    for rule in (ra.Borda(), ra.Copeland()):
        cost = votes.cost(rule.aggregate(PROFILE).ranking)
        found = frame[(frame["method"] == rule.name) & (frame["n_items"] == 4)]["cost"]
        assert found.tolist() == [cost, cost]
    cycles = (
        ra.studies.CycleStudy(data=models, n_repetitions=3, n_rankings=[5], rng=0).run().to_frame()
    )
    assert cycles.groupby("model", sort=False).size().tolist() == [1, 1, 3, 3]
    missing = ra.studies.MissingScoresStudy(data=[TABLE], proportions=[0.2], n_repetitions=2, rng=0)
    named = ra.studies.ObservedData(label="table 1", data=TABLE)
    again = ra.studies.MissingScoresStudy(data=[named], proportions=[0.2], n_repetitions=2, rng=0)
    assert missing == again
    assert json.dumps(missing.run().to_dict()) == json.dumps(again.run().to_dict())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ra.studies.ObservedData(label="x", data=TABLE).sample(3), "n_items"),
        (lambda: ra.studies.ResampledData(label="x", data=TABLE).sample(5), "at most 4"),
        (lambda: ra.studies.ConfidenceStudy(data=[PROFILE], rng=0), "sources of scores"),
        (lambda: ra.studies.CycleStudy(data=TABLE.to_frame(), rng=0), "direction"),
        (ra.cultures.MallowsCulture, "one of `phi` and `norm_phi`"),
    ],
)  # fmt: skip
def test_bad_sources_are_named(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_all_studies_are_tested():
    kinds = {type(make()) for make in STUDIES.values()}
    public = {getattr(ra.studies, name) for name in ra.studies.__all__ if name.endswith("Study")}
    assert kinds == public - {ra.studies.AgreementStudy}


@EVERY
def test_by_method_sums_up_the_rows(make):
    result = make(n_repetitions=4).run()
    measures, frame = result.measures, result.study._measured(result.to_frame())
    table, how = result.by_method(quantiles=[0.25]), {"se": "sem"}
    index = table.index.names
    parts = {key: part for key, part in frame.groupby(index, sort=False)}
    assert list(parts) == table.index.tolist()
    for key, part in parts.items():
        row = table.loc[key]
        assert row["cells"] == len(part)
        for name in measures.statistics:
            kind, _, column = name.partition("_")
            known = kind in ("mean", "se", "std", "max", "median") and column in part
            expected = getattr(part[column], how.get(kind, kind))() if known else part[name].mean()
            assert table[name][key] == pytest.approx(float(expected), nan_ok=True), name
        for name, column in measures.shares.items():
            assert row[name] == part[column].mean()
            assert row[f"{column}_low"] <= row[name] + 1e-12 <= row[f"{column}_high"] + 2e-12
        if column := measures.quantiles:
            expected = part[column].quantile(0.25)
            assert row[f"{column}_0.25"] == pytest.approx(expected, nan_ok=True)
    with pytest.raises(InvalidInputError, match="quantiles"):
        result.by_method(quantiles=[1.5])
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["rng"] == 0
    assert len(content["results"]) == len(table)
