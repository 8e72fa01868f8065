"""Where compiled loops are kept: never in the package, which would outlive its uninstallation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankagg.kernels

numba = pytest.importorskip("numba", reason="the extra `fast` is not installed")
loops = pytest.importorskip("rankagg.kernels.loops")

SCRIPT = """
import numba, numpy as np
from rankagg.kernels import loops
assert loops.draw(np.array([1, 1])) == (40014 - 40692) % 2147483562
assert not numba.config.CACHE_DIR or numba.config.CACHE_DIR == {stated!r}
"""


def compiled_with(home: Path, stated: str = "") -> None:
    # Another home, and no writing beside the sources: they are those of the tests.
    environment = {**os.environ, "XDG_CACHE_HOME": str(home), "NUMBA_CACHE_DIR": stated}
    subprocess.run(
        [sys.executable, "-c", SCRIPT.format(stated=stated)], env=environment, check=True
    )


def kept(folder: Path) -> list[Path]:
    return list(folder.rglob("loops.draw*.nb?"))


def in_package() -> set[tuple[Path, float]]:
    (folder,) = rankagg.kernels.__path__
    return {(path, path.stat().st_mtime) for path in kept(Path(folder))}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["home", "stated", "no folder"])
def test_in_a_folder_of_the_user_where_numba_is_told_to_or_nowhere(tmp_path, kind) -> None:
    before, home, stated = in_package(), tmp_path / "home", tmp_path / "stated"
    if kind == "no folder":
        home.write_text("a file")
    compiled_with(home, str(stated) if kind == "stated" else "")
    assert bool(kept(home / "rankagg" / "loops")) == (kind == "home")
    assert bool(kept(stated)) == (kind == "stated")
    assert in_package() == before


@pytest.mark.parametrize("stated", ["", "stated"])
def test_a_loop_is_kept_in_it_unless_numba_is_told_another(tmp_path, monkeypatch, stated) -> None:
    monkeypatch.setattr(loops, "FOLDER", tmp_path / "home")
    monkeypatch.setattr(numba.config, "CACHE_DIR", stated and str(tmp_path / stated))
    compiled = loops.njit(kept)
    assert compiled._cache.cache_path.startswith(str(tmp_path / (stated or "home")))
    assert (stated and str(tmp_path / stated)) == numba.config.CACHE_DIR
    monkeypatch.setattr(loops, "FOLDER", None)
    assert loops.njit(kept)._cache.cache_path is None
