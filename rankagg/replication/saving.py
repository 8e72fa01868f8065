"""A folder with the page, the rows, tables in three forms and figures in two."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from rankagg.exceptions import OutputError
from rankagg.io.output_files import guard_frame, write_file, write_text
from rankagg.plotting.theme import style
from rankagg.replication.experiment import Found, Picture, Sheet

__all__ = ["folder_for", "save"]

# What LaTeX reads as a command.
SPECIAL = re.compile(r"([&%$#_{}])")
# What would differ between two runs.
UNDATED = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}


def folder_for(target: str | PathLike[str]) -> Path:
    """Make a folder where it is missing, and return it."""
    folder = Path(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder {folder} cannot be made: {error.strerror or error}. Give another path."
        ) from error
    return folder


def save(folder: Path, page: str, rows: pd.DataFrame, found: Iterable[Found]) -> None:
    """Write everything; see `Replication.save`."""
    tables, figures = folder_for(folder / "tables"), folder_for(folder / "figures")
    for one in found:
        for sheet in one.sheets:
            _save_sheet(tables, sheet)
        for picture in one.pictures:
            _save_picture(figures, picture)
    write_text(folder / "replication.csv", _csv(rows))
    write_text(folder / "index.html", page)


def _csv(frame: pd.DataFrame) -> str:
    return guard_frame(frame).to_csv(index=False, lineterminator="\n")


def _save_sheet(folder: Path, sheet: Sheet) -> None:
    frame = sheet.frame
    write_text(folder / f"{sheet.name}.csv", _csv(frame))
    write_text(folder / f"{sheet.name}.md", frame.to_markdown(index=False) + "\n")
    latex = frame.to_latex(
        index=False, escape=True, na_rep="--", float_format="%.4g",
        caption=SPECIAL.sub(r"\\\1", sheet.caption),
        label=f"tab:{sheet.name}",
    )  # fmt: skip
    write_text(folder / f"{sheet.name}.tex", latex)


def _save_picture(folder: Path, picture: Picture) -> None:
    with style("paper"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        with mpl.rc_context({"svg.hashsalt": picture.name}):
            figure = cast(Figure, picture.draw().figure)
            try:
                for kind, metadata in UNDATED.items():
                    write_file(
                        folder / f"{picture.name}.{kind}",
                        lambda path, kind=kind, metadata=metadata: figure.savefig(  # type: ignore[misc]
                            path, format=kind, metadata=metadata
                        ),
                    )
            finally:
                plt.close(figure)
