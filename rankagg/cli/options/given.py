"""The options of data as commands take them, and what reads them when a command runs."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from rankagg.cli.options.command import Options
from rankagg.cli.options.data_options import DATA_OPTIONS, ESTIMATE_OPTIONS

if TYPE_CHECKING:
    from rankagg.cli.options.inputs import Input


def data(*, whole: bool = False, ballots: bool = False, taken: Sequence[str] = ()) -> Options:
    """Return the options of data as `given`: sums of scores too, unless they must be `whole`.

    What holds no `ballots` is refused where these are needed.
    """
    options = list(DATA_OPTIONS)
    for at, one in enumerate(options):
        if set(taken) & set(one.opts):
            # By its other names alone, where a command calls another option so.
            options[at] = copy(one)
            options[at].opts = [name for name in one.opts if name not in taken]
    files = click.Argument(["files"], metavar="[FILE]...", nargs=-1, type=click.Path())
    reader = read_whole if whole else read
    return Options("given", [files, *options], partial(reader, ballots=ballots))


def read_whole(**values: Any) -> Input:
    """Read what the options name, and refuse sums."""
    found = read(**values)
    found.refuse_sums()
    return found


def read(**values: Any) -> Input:
    """Read what the options name."""
    from rankagg.cli.options.inputs import read_input

    return read_input(**values)


def data_or_estimates() -> Options:
    """Return the options of data as `given`, or of estimates."""

    def read_either(**values: Any) -> Input:
        from rankagg.cli.options.estimates import read_estimates

        return read_estimates(**values)

    return Options("given", [*data().options, *ESTIMATE_OPTIONS], read_either)
