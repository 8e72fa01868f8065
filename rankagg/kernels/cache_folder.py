"""The folder of compiled loops."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """Return where compiled loops are kept: a folder of the user, or None where none can be made.

    Never in the package, where they would outlive its uninstallation as a package of their own.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        folder = (Path(home) if home else Path.home() / ".cache") / "rankagg" / "loops"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # no room, no right, no home
        return None
    return folder if os.access(folder, os.W_OK) else None
