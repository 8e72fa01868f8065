"""Lectures and apps as files: to edit, or as pages that need no server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from rankagg.classroom.catalog import Notebook
from rankagg.exceptions import OutputError

__all__ = ["copied", "exported"]


def copied(chosen: Iterable[Notebook], folder: Path) -> list[Path]:
    """Copy the files of lectures and apps, to be edited there.

    Parameters
    ----------
    chosen : iterable of Notebook
        What to copy.
    folder : Path
        Made where it is missing.

    Returns
    -------
    list of Path
        The copies.

    Raises
    ------
    OutputError
        If a file of such a name is there, which may have been edited; nothing is copied then.
    """
    files = {folder / path.name: path for one in chosen for path in _needed(one)}
    for target in files:
        if target.exists():
            raise OutputError(
                f"{target} would be replaced, and may have been edited. Give another folder."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for target, source in files.items():
        shutil.copyfile(source, target)
    return list(files)


def _needed(notebook: Notebook) -> list[Path]:
    """Return the file of a lecture or an app, and the styles beside it."""
    return [notebook.path, *sorted(notebook.path.parent.glob("*.css"))]


def exported(notebook: Notebook, folder: Path, *, options: Iterable[str] = ()) -> Path:
    """Let marimo run a lecture or an app once, and write the page that comes out.

    Parameters
    ----------
    notebook : Notebook
        What to run.
    folder : Path
        Made where it is missing.
    options : iterable of str, optional
        Further options of `marimo export html`.

    Returns
    -------
    Path
        The page; a former one is replaced.

    Raises
    ------
    OutputError
        If marimo could not write it; the last that it said is told.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{notebook.name}.html"
    # marimo leaves notes beside what it exports: they stay out of the package.
    with TemporaryDirectory() as place:
        for path in _needed(notebook):
            shutil.copy(path, place)
        page = Path(place) / target.name
        done = subprocess.run(
            [sys.executable, "-m", "marimo", "export", "html", notebook.path.name,
             "--no-include-code", *options, "--output", str(page)],
            cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        # A page in which a cell failed is written too; it is no page to put online.
        if done.returncode or not page.exists():
            said = (done.stderr or done.stdout).strip().splitlines()
            raise OutputError(
                f"marimo could not write {target}: {said[-1] if said else 'it said nothing'}"
            )
        shutil.copyfile(page, target)
    return target
