"""Runs of the study of missing scores: workers, journals, what fails, and bad input."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import rankagg as ra
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.result import Consensus
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.studies.test_missing_scores import BORDAS, LATENT, LEADERBOARD, SCORES, SMALL, make

# -- the same whoever computes it ------------------------------------------------------------------


def test_a_cell_stays_what_it_is_in_another_grid() -> None:
    small = make(proportions=[0.3], n_repetitions=2).run()._frame
    large = make(proportions=[0.8, 0.3], scales=[2, 1], n_repetitions=3).run()._frame
    both = small.merge(large, how="left", on=list(small.columns), indicator=True)
    assert (both["_merge"] == "both").all()
    assert (make(seed=6).run()._frame["tau"] != make().run()._frame["tau"]).mean() > 0.3


def test_tables_of_one_label_do_not_share_a_journal(tmp_path) -> None:
    path = tmp_path / "study.jsonl"
    tables = [SMALL, SMALL.drop(tasks=["z"])]
    studies = [
        make(models=[ra.studies.Observed(label="mine", data=table)], proportions=[0.3])
        for table in tables
    ]
    studies[0].run(journal=path)
    assert_frame_equal(studies[1].run(journal=path)._frame, studies[1].run()._frame)


# -- what is not known -----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Stubborn(Aggregator):
    """Ranks nothing in which a score is missing."""

    needs: ClassVar[Needs] = "scores"

    def _aggregate(self, evidence, rng):
        if evidence.scores.n_missing:
            raise NotIdentifiedError("a score is missing")
        return Outcome(scores=np.arange(len(evidence.items), dtype=float))


def test_a_method_that_fails_is_counted_and_the_study_goes_on() -> None:
    result = make(models=[LATENT], aggregators=[Stubborn(), ra.Borda()]).run()
    frame = result.to_frame()
    failed = (frame["method"] == "Stubborn") & (frame["proportion"] > 0)
    assert (frame.loc[failed, "error"] == "a score is missing").all()
    assert frame.loc[failed, ["tau", "top1", "tau_ranked", "unranked"]].isna().all(axis=None)
    assert frame.loc[~failed, "error"].isna().all()
    assert frame.loc[~failed & (frame["proportion"] < 0.8), "tau"].notna().all()
    table = result.by_method()
    assert table["failed"].groupby("method").sum().to_dict() == {"Borda, uniform": 0, "Stubborn": 6}
    assert table["undefined"].sum() == frame["tau"].isna().sum() - 6
    assert "methods could not rank the table 6 times" in result.summary()


@dataclass(frozen=True, kw_only=True)
class Contrary(Stubborn):
    """Ranks nothing but what has missing scores."""

    def _aggregate(self, evidence, rng):
        if not evidence.scores.n_missing:
            raise NotIdentifiedError("no score is missing")
        return Outcome(scores=np.arange(len(evidence.items), dtype=float))


@pytest.mark.parametrize("model", [LATENT, LEADERBOARD])
def test_a_method_that_cannot_rank_the_full_data_says_so(model) -> None:
    study = make(models=[model], aggregators=[Contrary(), ra.Borda()], proportions=[0.3])
    frame = study.run().to_frame()
    part = frame[frame["method"] == "Contrary"]
    assert (part["error"] == "full data: no score is missing").all()
    assert part["tau"].isna().all()
    assert (part["unranked"] == 0).all()
    assert part["tau_true"].notna().all() == (model is LATENT)


def test_systems_without_scores_from_the_start_are_not_lost() -> None:
    table = ra.ScoreTable(
        [[1, 5, 3], [2, 2, 4], [3, 1, 5], [np.nan] * 3], systems="ABCD", higher_is_better=True
    )
    frame = (
        make(models=[ra.studies.Observed(label="gap", data=table)], proportions=[0])
        .run()
        .to_frame()
    )
    assert (frame["lost_systems"] == 0).all()
    assert (frame.loc[frame["method"] == "Mean", "unranked"] == 1).all()


def test_exact_rankings_that_are_not_proved_are_counted() -> None:
    model = ra.studies.LatentModel(step=0.01, n_systems=40, n_tasks=7, n_instances=None)
    grid = {"models": [model], "proportions": [0.1], "n_repetitions": 2}
    result = make(aggregators=[ra.Kemeny(time_limit=0.0), ra.Borda()], **grid).run()
    assert not result.to_frame()["proved"].dropna().any()
    assert "exact rankings are not proved optimal 2 times" in result.summary()


def test_stopping_an_exact_search_stops_the_study(monkeypatch) -> None:
    monkeypatch.setattr(
        Consensus, "__post_init__", lambda self: self.__dict__.update(interrupted=True)
    )
    with pytest.raises(KeyboardInterrupt):
        make(n_repetitions=1).run()


# -- input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": []}, "models of MissingScoresStudy"),
        ({"models": [SCORES]}, "profiles or tables"),
        ({"models": [LATENT, LATENT]}, "different values"),
        ({"models": LATENT}, "different values"),
        ({"aggregators": []}, "aggregators of MissingScoresStudy"),
        ({"aggregators": ra.Borda()}, "aggregators of MissingScoresStudy"),
        ({"aggregators": 3}, "aggregators of MissingScoresStudy"),
        ({"aggregators": ["borda"]}, "aggregator objects"),
        ({"aggregators": [ra.Borda(), BORDAS[0]]}, "different values"),
        ({"proportions": [1.0]}, r"\[0, 1\)"),
        ({"proportions": [-0.1]}, r"\[0, 1\)"),
        ({"proportions": ["much"]}, "proportions of MissingScoresStudy"),
        ({"proportions": [0.1, 0.1]}, "different values"),
        ({"proportions": [0.97]}, r"leave something of 11 entries. Got 0.97 for small"),
        ({"scales": [0]}, "scales of MissingScoresStudy"),
        ({"scales": [1, 1.0]}, "different values"),
        ({"whole_tasks": 1}, "whole_tasks"),
        ({"n_repetitions": 0}, "n_repetitions"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_input_is_named(changes, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("model", "changes", "message"),
    [
        (ra.studies.Observed, {"label": 3, "data": SMALL}, "label of Observed"),
        (ra.studies.Observed, {"label": "x", "data": SCORES}, "data of Observed"),
        (ra.studies.LatentModel, {"step": -1}, "step of LatentModel"),
        (ra.studies.LatentModel, {"step": 1, "n_systems": 1}, "n_systems of LatentModel"),
        (ra.studies.LatentModel, {"step": 1, "n_tasks": 0}, "n_tasks of LatentModel"),
        (ra.studies.LatentModel, {"step": 1, "n_instances": 0}, "n_instances of LatentModel"),
    ],
)
def test_bad_models_are_named(model, changes, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        model(**changes)


def test_equal_locations_have_no_true_ranking() -> None:
    assert ra.studies.LatentModel(step=0).true_ranking is None
    frame = make(models=[ra.studies.LatentModel(step=0, n_systems=4, n_tasks=3)]).run().to_frame()
    assert frame["tau_true"].isna().all()
