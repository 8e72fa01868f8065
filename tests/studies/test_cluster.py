"""Studies find the same on a cluster of Dask, though a worker is lost."""

import os
import signal
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies.study import Study
from tests.io.scan.test_run_dask import client, pytestmark  # noqa: F401 - a fixture, and marks

TABLE = ra.datasets.load("superglue_human")
STUDIES = {
    "approximation": ra.studies.ApproximationStudy(
        aggregators=[ra.Borda(), ra.Copeland()],
        models=[ra.cultures.MallowsCulture(phi=0.8)],
        n_items=[5],
        n_rankings=[6],
        n_repetitions=40,
        seed=1,
    ),
    "confidence": ra.studies.ConfidenceStudy(
        models=[ra.studies.LatentModel(step=0.4, n_systems=5, n_tasks=1, n_instances=100)],
        methods=[ra.studies.IntervalMethod(holm=True)],
        alphas=[0.05],
        n_repetitions=20,
    ),
    "manipulation": ra.studies.ManipulationStudy(steps=[0.3], n_corrupted=[4, 8], n_repetitions=2),
    "missing scores": ra.studies.MissingScoresStudy(
        models=[ra.studies.Observed(label="SuperGLUE", data=TABLE)],
        proportions=[0, 0.2],
        n_repetitions=5,
    ),
    "scaling": ra.studies.ScalingStudy(
        steps=[0.05], factors=[1, 8], n_systems=4, n_tasks=3, n_instances=2, n_repetitions=2
    ),
    "task subsets": ra.studies.TaskSubsetStudy(data=TABLE, n_repetitions=10),
}


def test_all_studies_are_here():
    kinds = {type(study) for study in STUDIES.values()}
    public = {getattr(ra, name) for name in ra.__all__ if name.endswith("Study")}
    assert kinds == {kind for kind in public if issubclass(kind, Study)}


def rows_of(result):
    frame = result.to_frame()
    return frame.drop(columns=[name for name in frame if "runtime" in name])


@pytest.mark.parametrize("name", STUDIES)
def test_the_same_as_this_machine(name, client, tmp_path):  # noqa: F811
    study = STUDIES[name]
    expected = rows_of(study.run())
    found = rows_of(study.run(client=client, journal=tmp_path / "study.jsonl"))
    assert found.equals(expected)
    assert rows_of(study.run(journal=tmp_path / "study.jsonl")).equals(expected)


@dataclass(frozen=True)
class Killing:
    """A trial whose worker is lost on the first cell, once."""

    tried: object
    flag: str
    parent: int

    def __call__(self, cell, prepared):
        try:
            with open(self.flag, "x", encoding="utf-8") as file:
                file.write(str(os.getpid()))
            assert os.getpid() != self.parent, "no worker does the work"
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
        return self.tried(cell, prepared)


def test_a_worker_that_is_killed(client, tmp_path, monkeypatch):  # noqa: F811
    study = STUDIES["task subsets"]
    expected = rows_of(study.run())
    flag, me = tmp_path / "killed", os.getpid()
    workers = {str(process) for process in client.run(os.getpid).values()}
    light = study._without_grid()
    killing = Killing(light._try, str(flag), me)
    monkeypatch.setattr(type(study), "_without_grid", lambda self: SimpleNamespace(_try=killing))
    assert rows_of(study.run(client=client)).equals(expected)
    assert flag.read_text() in workers


def test_no_client():
    with pytest.raises(InvalidInputError, match="client"):
        STUDIES["task subsets"].run(client=3)
