"""Compiled loops run where they pay alone, and which run is said."""

import numpy as np
import pytest

from rankagg.kernels import backend


@pytest.fixture
def afresh():
    """Forget, before and after a test, what is found out once."""
    cached = backend._is_wanted, backend._loading_seconds
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.usefixtures("afresh")
def test_what_runs_is_said(monkeypatch):
    monkeypatch.setenv(backend.VARIABLE, "numpy")
    assert backend.described() == f"NumPy {np.__version__}"
    assert backend.compiled(1e9) is None
    backend._is_wanted.cache_clear()
    monkeypatch.delenv(backend.VARIABLE)
    if backend._is_wanted():
        assert backend.described().startswith("numba ")


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize("stated", [False, True])
def test_loops_that_are_to_be_compiled_first_take_longer(tmp_path, monkeypatch, stated):
    name = "NUMBA_CACHE_DIR" if stated else "XDG_CACHE_HOME"
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv(name, str(tmp_path))
    assert backend._loading_seconds() == backend.LOADING + backend.COMPILING
    folder = tmp_path / "any" if stated else tmp_path / "rankagg" / "loops" / "any"
    folder.mkdir(parents=True)
    (folder / "loops.search_steps-7.py311.1.nbc").touch()
    backend._loading_seconds.cache_clear()
    assert backend._loading_seconds() == backend.LOADING


def test_they_are_loaded_where_numpy_takes_longer_than_that(monkeypatch):
    loaded = []
    monkeypatch.setattr(backend, "_is_wanted", lambda: True)
    monkeypatch.setattr(backend, "_loading_seconds", lambda: 2.0)
    monkeypatch.setattr(backend, "_load", Once(loaded))
    assert backend.compiled(1.9) is None
    assert backend.compiled(2.1) == "loops"
    assert backend.compiled(0.0) == "loops"  # they are there


class Once:
    """Stands for a cached function."""

    def __init__(self, loaded: list[str]) -> None:
        self._loaded = loaded

    def __call__(self) -> str:
        self._loaded[:] = ["loops"]
        return "loops"

    def cache_info(self):
        return type("Info", (), {"currsize": len(self._loaded)})


def test_the_folder_is_that_of_the_user(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert backend.cache_folder() == tmp_path / "home" / "rankagg" / "loops"
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert backend.cache_folder() is None
