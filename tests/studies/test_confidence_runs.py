"""Runs of the study of confidence: tables, workers, journals, what fails, and bad input."""

from dataclasses import dataclass

import joblib
import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies.pair_methods import Judged
from tests.studies.test_confidence import EQUATION, EXACT, HOEFFDING, HOLM, flat, latent, make

LEADERBOARD = ra.datasets.load("superglue_human")
BY_INSTANCE = ra.studies.IntervalMethod(unit="instance")


def metrics(n_instances=8, n_metrics=5, copies=True):
    """Return a table whose metrics say the same of an instance, or do not."""
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(4, n_instances, 1 if copies else n_metrics)).cumsum(axis=0) / 2
    values = np.broadcast_to(scores, (4, n_instances, n_metrics))
    return ra.ScoreTable(
        values.transpose(0, 2, 1).reshape(4, -1), systems="ABCD",
        tasks=np.repeat(range(n_metrics), n_instances).tolist(),
        instances=list(range(n_instances)) * n_metrics, higher_is_better=True,
    )  # fmt: skip


# -- instances of a table drawn anew ---------------------------------------------------------------


def test_instances_are_drawn_whole_and_alike() -> None:
    table = metrics(copies=False)
    model = ra.studies.Resampled(label="m", data=table, n_rankings=300)
    drawn = model.draw(rng=1)
    assert drawn.n_tasks == 5
    assert len(set(drawn.instances)) == 300
    columns = {
        instance: table.values[:, [i == instance for i in table.instances]]
        for instance in set(table.instances)
    }
    seen = []
    for number in range(300):
        part = drawn.values[:, [i == number for i in drawn.instances]]
        seen += [k for k, values in columns.items() if np.array_equal(values, part)]
    assert len(seen) == 300
    counts = np.bincount(seen, minlength=8)
    assert (counts > 15).all()
    assert (counts < 65).all()
    assert model.draw(rng=1) == drawn
    assert ra.studies.Resampled(label="m", data=table).draw(rng=1).n_units == table.n_units


def test_tasks_are_drawn_where_there_is_no_instance() -> None:
    table = ra.ScoreTable(
        [[1, 5, 3], [2, 2, np.nan]], systems="AB", higher_is_better={0: True, 1: False, 2: True},
        task_weights={0: 1, 1: 2, 2: 3},
    )  # fmt: skip
    drawn = ra.studies.Resampled(label="t", data=table, n_rankings=60).draw(rng=0)
    assert drawn.n_tasks == 60
    columns = {(1.0, 2.0): 1, (-5.0, -2.0): 2, (3.0, None): 3}
    seen = set()
    for number, column in enumerate(drawn.values.T.tolist()):
        key = tuple(None if np.isnan(value) else value for value in column)
        assert drawn.task_weights[number] == columns[key]
        seen.add(key)
    assert seen == set(columns)


@pytest.mark.parametrize("unit", ["ranking", "instance"])
def test_true_proportions_are_those_of_the_table(unit) -> None:
    table = ra.ScoreTable(
        [[1, 5, 3, 2, 2, 4], [2, 5, 3, 1, 2, 1], [0, 6, 1, 1, 1, 1]], systems="ABC",
        tasks=["x", "y"] * 3, instances=[0, 0, 1, 1, 2, 2], higher_is_better=True,
    )  # fmt: skip
    model = ra.studies.Resampled(label="small", data=table)
    half = model.true_proportions(unit=unit)
    for a, b in (("A", "B"), ("B", "C"), ("A", "C")):
        i, j = "ABC".index(a), "ABC".index(b)
        gap = np.sign(table.values[i] - table.values[j])
        assert half.loc[a, b] == pytest.approx(((gap + 1) / 2).mean())
        assert half.loc[b, a] == pytest.approx(1 - half.loc[a, b])
        if unit == "ranking":
            untied = gap[gap != 0]
            assert model.true_proportions(ties="exclude").loc[a, b] == (untied > 0).mean()


def test_metrics_of_an_instance_are_not_independent() -> None:
    model = ra.studies.Resampled(label="m", data=metrics(n_metrics=12), n_rankings=40)
    methods = [EQUATION, HOEFFDING, HOLM, BY_INSTANCE]
    study = make(models=[model], methods=methods, proportions=[0], n_repetitions=60)
    table = flat(study.run()).set_index("method")
    assert table.loc["hoeffding", "coverage"] < 0.75
    assert table.loc["hoeffding, by instance", "coverage"] > 0.95
    assert table.loc["hoeffding", "comparisons"] == 480
    assert table.loc["hoeffding, by instance", "comparisons"] == 40


def test_of_a_table_as_it_is_no_truth_is_known() -> None:
    model = ra.studies.Observed(label="SuperGLUE", data=LEADERBOARD)
    result = make(models=[model], methods=None, proportions=[0.2]).run()
    frame = result.to_frame()
    assert frame["decided"].notna().all()
    assert frame[["wrong", "covered", "covered_imputed"]].isna().all(axis=None)
    assert "true proportions are not known" in result.summary()
    assert "wrong decisions" not in result.summary()
    with pytest.raises(InvalidInputError, match="what the study knows"):
        result.plot(measure="any_wrong")


def test_methods_fit_the_tables() -> None:
    several = make(models=[ra.studies.Observed(label="m", data=metrics())], methods=None)
    assert {way.unit for way in several.ways} == {"ranking", "instance"}
    plain = make(methods=None)
    assert {way.unit for way in plain.ways} == {"ranking"}
    assert len({way.name for way in plain.ways}) == len(plain.ways) == 10


# -- the same whoever computes it ------------------------------------------------------------------


def test_results_do_not_depend_on_the_workers_nor_on_the_grid() -> None:
    study = make(methods=[*make().ways, ra.studies.IntervalMethod(method="percentile")])
    one = study.run(n_jobs=1)
    with joblib.parallel_config(backend="multiprocessing"):
        assert one == study.run(n_jobs=2)
    larger = make(
        models=[latent(0.1, 20), latent(0.4, 30, 4)], methods=[EXACT, *reversed(study.ways)],
        alphas=[0.3, 0.05], proportions=[0.5, 0.3, 0], n_repetitions=4,
    )  # fmt: skip
    frame = one.to_frame()
    both = frame.merge(larger.run().to_frame(), how="left", indicator=True)
    assert (both["_merge"] == "both").all()
    assert len(both) == len(frame)
    assert make(seed=5).run() != make().run()


def test_a_table_and_draws_from_it_do_not_share_a_journal(tmp_path) -> None:
    path = tmp_path / "study.jsonl"
    kinds = ra.studies.Observed, ra.studies.Resampled
    for kind in kinds:
        study = make(models=[kind(label="mine", data=LEADERBOARD)], methods=[HOLM])
        assert study.run(journal=path) == study.run()


# -- methods ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Majority(ra.studies.PairMethod):
    """Decides what most rankings say."""

    @property
    def name(self):
        return "majority"

    def _judge(self, ranked, alpha, rng):
        votes = ranked.profile.pairwise()
        return Judged(votes.items, votes.proportion, votes.proportion > 0.5)


def test_a_method_of_ones_own_takes_part() -> None:
    frame = make(models=[latent(0.4, 31, 4)], methods=[Majority()], proportions=[0]).run()
    frame = frame.to_frame()
    assert (frame["decided"] == 6).all()
    assert frame["width"].isna().all()


def test_a_method_that_cannot_judge_a_table_is_counted() -> None:
    table = ra.ScoreTable(
        [[1, 5, 3], [2, 2, 1], [3, 4, 2]], systems="ABC", higher_is_better=True,
        task_weights={0: 1, 1: 2, 2: 3},
    )  # fmt: skip
    weighted = ra.studies.Observed(label="weighted", data=table)
    result = make(models=[weighted], methods=[EXACT, HOEFFDING, BY_INSTANCE]).run()
    table = flat(result).set_index("method")
    assert (table.loc["clopper-pearson", "failed"] == 3).all()
    assert (table.loc["hoeffding, by instance", "failed"] == 3).all()
    assert (table.loc["hoeffding", "failed"] == 0).all()
    errors = result.to_frame().dropna(subset="error").groupby("method")["error"].unique()
    assert "equal weight" in errors["clopper-pearson"][0]
    assert "no instances" in errors["hoeffding, by instance"][0]
    assert "could not judge the table 12 times" in result.summary()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "hoeffding"),
        ({"anytime": True, "simultaneous": "bonferroni"}, "hoeffding, anytime, bonferroni"),
        ({"holm": True, "unit": "task"}, "hoeffding, holm, by task"),
        ({"holm": True, "method": "wilson"}, "sign-test, holm"),
        ({"method": "percentile", "simultaneous": "max-t"}, "percentile, max-t"),
        ({"estimand": "imputed", "unit": "instance"}, "hoeffding, imputed, by instance"),
    ],
)
def test_methods_are_named_by_what_they_do(options, name) -> None:
    assert ra.studies.IntervalMethod(**options).name == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "gauss"}, "`method`"),
        ({"simultaneous": "max-t"}, "max-t"),
        ({"anytime": True, "method": "wilson"}, "`anytime`"),
        ({"estimand": "both"}, "estimand of IntervalMethod"),
        ({"unit": "metric"}, "unit of IntervalMethod"),
        ({"method": "wilson", "unit": "instance"}, "method of IntervalMethod"),
        ({"method": "wilson", "estimand": "imputed"}, "method of IntervalMethod"),
        ({"holm": 1}, "holm of IntervalMethod"),
        ({"holm": True, "anytime": True}, "holm of IntervalMethod"),
        ({"holm": True, "simultaneous": "bonferroni"}, "holm of IntervalMethod"),
        ({"holm": True, "method": "bernstein"}, "holm of IntervalMethod"),
        ({"holm": True, "estimand": "imputed"}, "holm of IntervalMethod"),
    ],
)
def test_methods_that_do_not_go_together_are_refused(options, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.studies.IntervalMethod(**options)


# -- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": []}, "models of ConfidenceStudy"),
        ({"models": [[[1.0]]]}, "profiles or tables"),
        ({"models": [latent(0.1, 5)] * 2}, "different values"),
        ({"methods": []}, "methods of ConfidenceStudy"),
        ({"methods": ["hoeffding"]}, "objects such as IntervalMethod"),
        (
            {
                "methods": [
                    ra.studies.IntervalMethod(holm=True, method="wilson"),
                    ra.studies.IntervalMethod(holm=True, method="clopper-pearson"),
                ]
            },
            "different values",
        ),
        ({"methods": HOEFFDING}, "methods of ConfidenceStudy"),
        ({"alphas": [0]}, r"in \(0, 1\)"),
        ({"alphas": [1]}, "alphas of ConfidenceStudy"),
        ({"alphas": 0.1}, "alphas of ConfidenceStudy"),
        ({"proportions": [1]}, r"\[0, 1\)"),
        ({"proportions": [0.999]}, "leave something of 120 scores"),
        ({"n_repetitions": 0}, "n_repetitions"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_input_is_named(changes, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": 3}, "label of Resampled"),
        ({"data": [[1.0]]}, "data of Resampled"),
        ({"n_rankings": 0}, "n_rankings of Resampled"),
    ],
)
def test_bad_models_are_named(options, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.studies.Resampled(**({"label": "x", "data": LEADERBOARD} | options))


def test_one_system_has_no_pairs() -> None:
    table = ra.ScoreTable([[1.0, 2.0]], systems="A", higher_is_better=True)
    with pytest.raises(InvalidInputError, match="two or more systems"):
        make(models=[ra.studies.Observed(label="one", data=table)])
    with pytest.raises(InvalidInputError, match="radius of PrintedRadius"):
        ra.studies.PrintedRadius(radius="equation 5")
