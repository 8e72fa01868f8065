"""Public names that are loaded when they are first used, and what was meant where there is none."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import lazy_loader

from rankagg._keywords import answer_public
from rankagg.exceptions import nearest

#: Set, it has all names loaded at once (SPEC 1).
EAGER = "EAGER_IMPORT"


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    # What is loaded at once may ask for other names, and is loaded below, where they are found.
    at_once = os.environ.pop(EAGER, None)
    load, listed, names = lazy_loader.attach_stub(package, file)

    def find(name: str) -> object:
        if name in names or name.startswith("_"):
            value = answer_public(load(name))
            # Found there from now on.
            setattr(sys.modules[package], name, value)
            return value
        raise AttributeError(f"{package} has no {name!r}. {nearest(name, names)}".rstrip())

    if at_once is not None:
        os.environ[EAGER] = at_once
        vars(sys.modules[package])["__getattr__"] = find
        for name in names if at_once not in ("", "0") else ():
            find(name)
    return find, listed, names
