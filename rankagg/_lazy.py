"""Public names that are loaded when they are first used, and what was meant where there is none."""

from __future__ import annotations

from collections.abc import Callable

import lazy_loader

from rankagg.exceptions import nearest

__all__ = ["attach"]


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def find(name: str) -> object:
        if name in names or name.startswith("_"):
            return load(name)
        raise AttributeError(f"{package} has no {name!r}. {nearest(name, names)}".rstrip())

    return find, listed, names
