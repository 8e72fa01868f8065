"""The option that draws a picture, and writing it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from rankagg.cli.options.targets import FILE
from rankagg.io.output_files import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_option", "save_plot"]

KINDS = (".pdf", ".png", ".svg")


def plot_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --plot, which a command receives as `plot`: a path, or None."""
    return click.option(
        "--plot",
        type=FILE,
        callback=_check_kind,
        metavar="FILE",
        help=f"Draw {what} into a .svg, .pdf or .png file.",
    )


def _check_kind(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in KINDS:
        raise click.BadParameter(f"{path.name!r} must end in {', '.join(KINDS)}.")
    return path


def save_plot(draw: Callable[[], Axes], path: Path | None) -> None:
    """Draw into a file, where one is asked for, and say so on the standard error."""
    if path is None:
        return
    # matplotlib takes most of a second to load, and most calls draw nothing.
    import matplotlib as mpl  # noqa: PLC0415
    import matplotlib.pyplot as plt  # noqa: PLC0415

    from rankagg.plotting.style.theme import style  # noqa: PLC0415

    mpl.use("Agg")
    with style("paper"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        figure = cast("Figure", draw().figure)
        write_file(path, figure.savefig)
        plt.close("all")
    if any("missing from font" in str(warning.message) for warning in told):
        click.echo("warning: no font at hand has all letters of the names", err=True)
    click.echo(f"plot: {path}", err=True)
