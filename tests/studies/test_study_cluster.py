"""Studies give the same results on a Dask cluster, even if a worker is lost."""

import os
import signal
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from joblib import parallel_config

from tests.io.scan.test_count_dask import client, pytestmark  # noqa: F401 - a fixture, and marks
from tests.studies.test_study import STUDIES, rows


@pytest.mark.parametrize("name", STUDIES)
def test_a_cluster_gives_the_result_of_this_machine(name, client, tmp_path):  # noqa: F811
    study = STUDIES[name]()
    expected = rows(study.run())
    with parallel_config("dask", n_jobs=-1, client=client):
        found = rows(study.run(journal=tmp_path / "study.jsonl"))
    assert found.equals(expected)
    assert rows(study.run(journal=tmp_path / "study.jsonl")).equals(expected)


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


def test_a_killed_worker_changes_no_result(client, tmp_path, monkeypatch):  # noqa: F811
    study = STUDIES["task subsets"]()
    expected = rows(study.run())
    flag, me = tmp_path / "killed", os.getpid()
    workers = {str(process) for process in client.run(os.getpid).values()}
    light = study._without_grid()
    killing = Killing(light._try, str(flag), me)
    monkeypatch.setattr(type(study), "_without_grid", lambda self: SimpleNamespace(_try=killing))
    with parallel_config("dask", n_jobs=-1, client=client, retries=3):
        assert rows(study.run()).equals(expected)
    assert flag.read_text() in workers
