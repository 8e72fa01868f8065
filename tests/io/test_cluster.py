"""What is said where a cluster is asked for and there is none."""

import sys

import pytest

from rankagg.exceptions import InvalidInputError
from rankagg.io import cluster
from tests.io.scan.scan_files import drawn, scan, wide, write


def test_dask_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    table = drawn(0)
    made = scan(write(wide(table), tmp_path / "a.parquet"), table)
    with pytest.raises(InvalidInputError, match=r"pip install 'rankagg\[big\]'"):
        made.summarize(engine="dask")
    there = cluster.connected("tcp://127.0.0.1:8786")
    with pytest.raises(InvalidInputError, match=r"rankagg\[big\]"), there:
        pass


def test_a_client_needs_the_engine(tmp_path):
    table = drawn(0)
    made = scan(write(wide(table), tmp_path / "a.parquet"), table)
    with pytest.raises(InvalidInputError, match='`engine="dask"`'):
        made.summarize(client=object())
    with pytest.raises(InvalidInputError, match="Did you mean 'dask'"):
        made.summarize(engine="desk")
    with pytest.raises(InvalidInputError, match="workers of its own"):
        made.summarize(engine="dask", n_jobs=2)


def test_paths_are_whole_and_files_as_they_were(tmp_path, monkeypatch):
    table = drawn(0)
    path = write(wide(table), tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)
    (file,) = scan("a.parquet", table)._files
    found = file.absolute()
    assert (found.path, found.kind, found.identity[1:]) == (path, file.kind, file.identity[1:])
    monkeypatch.chdir(tmp_path.parent)
    found.require_unchanged()
