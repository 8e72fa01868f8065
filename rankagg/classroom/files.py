"""Lectures and apps as files: to edit, or as pages that need no server."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from rankagg.classroom.catalog import Notebook
from rankagg.classroom.serving import front_page
from rankagg.exceptions import OutputError
from rankagg.io.output_files import write_text

__all__ = ["copied", "exported", "framed"]

# Where marimo would load its frame from.
ELSEWHERE = re.compile(r"https://cdn\.jsdelivr\.net/npm/@marimo-team/frontend@[^/\"]+/dist/")


def copied(chosen: Iterable[Notebook], folder: Path) -> list[Path]:
    """Copy the files of lectures and apps, to be edited there."""
    files = {folder / path.name: path for one in chosen for path in _needed(one)}
    fresh = {target: source for target, source in files.items() if not target.exists()}
    for target in files.keys() - fresh.keys():
        if target.read_bytes() != files[target].read_bytes():
            raise OutputError(
                f"{target} would be replaced, and may have been edited. Give another folder."
            )
    folder.mkdir(parents=True, exist_ok=True)
    done: list[Path] = []
    try:
        for target, source in fresh.items():
            write_text(target, source.read_text(encoding="utf-8"))
            done.append(target)
    except BaseException:  # an interruption too leaves nothing behind
        for target in done:
            target.unlink()
        raise
    return list(files)


def _needed(notebook: Notebook) -> list[Path]:
    """Return the file of a lecture or an app, and the styles beside it."""
    return [notebook.path, *sorted(notebook.path.parent.glob("*.css"))]


def exported(notebook: Notebook, folder: Path) -> Path:
    """Let marimo run a lecture or an app once, and write the page that comes out.

    The page takes marimo's scripts and fonts from `folder / "marimo"`: see `framed`.
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
             "--no-include-code", "--output", str(page)],
            cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        # Where a cell failed, a page is written all the same: not one to put online.
        if done.returncode or not page.exists():
            said = (done.stderr or done.stdout).strip().splitlines()
            raise OutputError(
                f"marimo could not write {target}: {said[-1] if said else 'it said nothing'}"
            )
        text, n_found = ELSEWHERE.subn("marimo/", page.read_text(encoding="utf-8"))
    if not n_found:
        raise OutputError(f"{target} is not written: this marimo is too new to be known here.")
    write_text(target, text)
    return target


def framed(chosen: dict[str, Notebook], folder: Path) -> None:
    """Write what exported pages share: a page that lists them, and marimo's scripts and fonts."""
    import marimo  # noqa: PLC0415 - the extra

    assert marimo.__file__ is not None, "a package"
    frame = Path(marimo.__file__).parent / "_static"
    shutil.copytree(frame, folder / "marimo", dirs_exist_ok=True)
    there = {name: one for name, one in chosen.items() if (folder / f"{name}.html").exists()}
    write_text(folder / "index.html", front_page(there, suffix=".html"))
