"""`rankagg datasets`: what is bundled."""

from __future__ import annotations

import click

from rankagg import datasets
from rankagg.cli.options.wording import options_named

__all__ = ["command"]


@click.command("datasets")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the bundled data sets, or tell all about one.

    \b
        rankagg datasets
        rankagg datasets tennessee
    """
    if name is not None:
        with options_named({"name": "NAME"}):
            click.echo(str(datasets.info(name)))
        return
    width = max(len(known) for known in datasets.names())
    for known in datasets.names():
        entry = datasets.info(known)
        click.echo(f"{known:<{width}}  {entry.kind:<7}  {entry.title}")
