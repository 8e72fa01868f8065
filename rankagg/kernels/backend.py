"""Which of the two runs: chosen once, and said by `rankagg --version`."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType

#: Set to "numpy", it keeps numba out.
VARIABLE = "RANKAGG_KERNELS"
#: Below so many elementary steps loading numba and what it compiled takes longer than NumPy.
WORTH_IT = 20_000_000
#: What is loaded is worth a call from this share of that on.
LOADED = 0.01


@cache
def _is_wanted() -> bool:
    return os.environ.get(VARIABLE, "numba") != "numpy" and find_spec("numba") is not None


@cache
def _load() -> ModuleType:
    return import_module("rankagg.kernels.loops")


def compiled(steps: int) -> ModuleType | None:
    """Return the compiled loops, where they are there and so many steps are worth it."""
    is_loaded = _load.cache_info().currsize > 0
    return _load() if steps >= WORTH_IT * (LOADED if is_loaded else 1) and _is_wanted() else None


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
