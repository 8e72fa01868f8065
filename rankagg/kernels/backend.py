"""Whether numba runs the loops that it makes faster, or NumPy does the same."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from rankagg.kernels.cache_folder import cache_folder

#: Set to "numpy", it keeps numba out.
VARIABLE = "RANKAGG_KERNELS"
#: Processor seconds to load numba and its loops, and to compile them where no run has before.
LOADING, COMPILING = 2.0, 4.0


@cache
def _is_wanted() -> bool:
    """Say whether numba is installed and not kept out."""
    return os.environ.get(VARIABLE, "numba") != "numpy" and find_spec("numba") is not None


@cache
def _loading_seconds() -> float:
    """Return about how many seconds it takes until compiled loops run."""
    stated = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(stated) if stated else cache_folder()
    is_kept = folder is not None and any(folder.rglob("loops.search_steps*.nbc"))
    return LOADING if is_kept else LOADING + COMPILING


@cache
def _load() -> ModuleType:
    return import_module("rankagg.kernels.loops")


def compiled(seconds: float) -> ModuleType | None:
    """Return the compiled loops, where they are there and NumPy takes longer than their loading."""
    if not _is_wanted():
        return None
    is_loaded = _load.cache_info().currsize > 0
    return _load() if is_loaded or seconds > _loading_seconds() else None


def described() -> str:
    """Return what the inner loops run on, for people.

    Examples
    --------
    >>> described().split()[0] in ("numba", "NumPy")
    True
    """
    try:
        name, found = ("numba", version("numba")) if _is_wanted() else ("NumPy", version("numpy"))
    except PackageNotFoundError:  # found, but not installed as a distribution
        return "numba"
    return f"{name} {found}"
