"""`rankagg teach`: lectures, and things to click, on pages of this machine."""

from __future__ import annotations

import sys
import webbrowser
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

import click

from rankagg.classroom import HEADS, copied, exported, framed, notebooks, serve
from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.names import OneOf, Whole
from rankagg.cli.options.output import FOLDER
from rankagg.exceptions import OutputError

__all__ = ["command"]


@click.command("teach")
@click.argument("name", type=OneOf(list(notebooks())), required=False, metavar="[NAME]")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=0,
    help="The port on this machine; by default one that is free.",
)
@click.option("--no-browser", is_flag=True, help="Open no browser; the address is printed.")
@click.option(
    "--export",
    "pages",
    type=FOLDER,
    metavar="FOLDER",
    help="Write pages for any web server into this folder, and serve none.",
)
@click.option(
    "--copy",
    "copies",
    type=FOLDER,
    metavar="FOLDER",
    help="Write the files of lectures and apps into this folder, to edit them with marimo.",
)
@click.option("--list", "listing", is_flag=True, help="List lectures and apps, and serve none.")
def command(
    name: str | None,
    *,
    port: int,
    no_browser: bool,
    pages: Path | None,
    copies: Path | None,
    listing: bool,
) -> int:
    """Serve a course: lectures with exercises, and apps, which are things to click.

    They run on this machine, nobody else can reach them, and Ctrl-C ends them. Without NAME a page
    lists all. Exported pages show how each begins: controls move nothing, for the computing is done
    by a server of marimo. Any web server can give them out, and they load nothing from elsewhere.
    Copies are marimo notebooks: marimo edit FOLDER. All but --list and --copy need marimo: pip
    install 'rankagg[teach]'.

    \b
        rankagg teach
        rankagg teach laboratory --port 2718
        rankagg teach --copy course
        rankagg teach --export pages
    """
    chosen = notebooks() if name is None else {name: notebooks()[name]}
    if listing:
        for kind, group in groupby(chosen.values(), key=lambda one: one.kind):
            click.echo(f"{HEADS[kind]}:")
            for one in group:
                click.echo(f"  {one.name:<12} {one.title}\n{'':15}{one.what}")
        return DONE
    if copies is not None:
        for path in copied(chosen.values(), copies):
            click.echo(f"wrote: {path}")
        click.echo(f"edit them with: marimo edit {copies}")
        return DONE
    if find_spec("marimo") is None:
        raise click.ClickException(
            "lectures and apps need marimo, which is not installed here: "
            "pip install 'rankagg[teach]'."
        )
    if pages is not None:
        for one in chosen.values():
            click.echo(f"wrote: {exported(one, pages)}")
        framed(notebooks(), pages)
        click.echo("they show how each begins, from any web server; controls move nothing")
        return DONE

    def ready(address: str) -> None:
        click.echo(f"serving: {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not no_browser:
            webbrowser.open(address)

    try:
        serve(name or "", port, ready=ready)
    except OutputError as error:
        raise click.BadParameter(
            f"{error} Leave --port out for a free one.", param_hint="'--port'"
        ) from error
    return DONE
