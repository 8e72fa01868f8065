"""The experiments of the paper, in its order."""

from __future__ import annotations

from types import ModuleType

__all__ = ["MODULES"]

MODULES: tuple[ModuleType, ...] = ()
