"""`rankagg teach`: things to click, on a page of this machine."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import webbrowser
from html import escape
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

import rankagg
from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.names import OneOf
from rankagg.cli.options.numbers import Whole
from rankagg.cli.options.targets import FOLDER
from rankagg.exceptions import OutputError

__all__ = ["APPS", "command"]

# The file of an app is apps/NAME.py.
APPS = {
    "laboratory": "Edit ballots, and see what every rule makes of them, Borda against Kemeny.",
    "cycle": "Three groups of voters, and majorities that form a cycle.",
    "manipulate": "One voter tries every ballot: which one pays?",
    "leaderboard": "Draw the tasks of a leaderboard again: which ranks stay?",
    "mallows": "Mallows and Plackett-Luce over all rankings, by one parameter.",
}
FOLDER_OF_APPS = Path(rankagg.__file__).parent / "apps"
HOST = "127.0.0.1"


@click.command("teach")
@click.argument("app", type=OneOf(list(APPS)), required=False, metavar="[APP]")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=0,
    help="The port on this machine; by default one that is free.",
)
@click.option("--no-browser", is_flag=True, help="Open no browser; the address is printed.")
@click.option(
    "--export",
    "folder",
    type=FOLDER,
    metavar="FOLDER",
    help="Write pages that need no server into this folder, and serve none.",
)
@click.option("--list", "listing", is_flag=True, help="List the apps and start none.")
def command(
    app: str | None, *, port: int, no_browser: bool, folder: Path | None, listing: bool
) -> int:
    """Serve apps for a lecture: change ballots, sizes or parameters, and see what follows.

    They run on this machine, nobody else can reach them, and Ctrl-C ends them. Without APP a page
    lists all. An exported page shows an app as it begins: its controls move nothing, for the
    computing is done by a server; and it loads the frame of marimo from cdn.jsdelivr.net. Needs
    marimo: pip install 'rankagg[teach]'.

    \b
        rankagg teach
        rankagg teach laboratory --port 2718
        rankagg teach --export course
    """
    if listing:
        for name, what in APPS.items():
            click.echo(f"{name:<11}  {what}")
        return DONE
    if find_spec("marimo") is None:
        raise click.ClickException(
            "the apps need marimo, which is not installed here: pip install 'rankagg[teach]'."
        )
    names = [app] if app else list(APPS)
    if folder is not None:
        _export(names, folder)
        return DONE
    _serve(app, port, not no_browser)
    return DONE


def _export(names: list[str], folder: Path) -> None:
    """Let marimo run each app once and write what comes out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        target = folder / f"{name}.html"
        options = ["--no-include-code", "--force", "--output", str(target.absolute())]
        # marimo leaves notes beside what it exports: they stay out of the package.
        with TemporaryDirectory() as place:
            shutil.copy(_file_of(name), place)
            done = subprocess.run(
                [sys.executable, "-m", "marimo", "export", "html", f"{name}.py", *options],
                cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            )  # fmt: skip
        if done.returncode or not target.exists():
            said = (done.stderr or done.stdout).strip().splitlines()
            raise OutputError(f"marimo could not write {target}: {said[-1] if said else 'silent'}")
        click.echo(f"wrote: {target}")
    click.echo("they show how each app begins; controls move nothing without a server")


def _file_of(name: str) -> Path:
    return FOLDER_OF_APPS / f"{name}.py"


def _serve(app: str | None, port: int, shows: bool) -> None:
    """Serve all apps on this machine until Ctrl-C, and show one of them or the list."""
    import uvicorn  # noqa: PLC0415 - comes with the extra

    with socket.socket() as listening:
        # So that the port of a server that has just ended can be taken again.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise click.BadParameter(
                f"{port} cannot be had: {error.strerror}. Leave --port out for a free one.",
                param_hint="'--port'",
            ) from error
        listening.listen()
        address = f"http://{HOST}:{listening.getsockname()[1]}/{f'{app}/' if app else ''}"
        config = uvicorn.Config(_pages(), log_level="warning", timeout_graceful_shutdown=1)
        click.echo(f"serving: {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if shows:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _pages() -> Any:
    """Return what answers requests: a list at the root, and every app below its name."""
    import marimo  # noqa: PLC0415 - the extra
    from starlette.applications import Starlette  # noqa: PLC0415 - comes with the extra
    from starlette.middleware import Middleware  # noqa: PLC0415
    from starlette.middleware.trustedhost import TrustedHostMiddleware  # noqa: PLC0415
    from starlette.responses import HTMLResponse  # noqa: PLC0415
    from starlette.routing import Mount, Route  # noqa: PLC0415

    builder = marimo.create_asgi_app(quiet=True)
    for name in APPS:
        builder = builder.with_app(path=f"/{name}", root=str(_file_of(name)))

    async def listing(_: Any) -> Any:
        return HTMLResponse(list_of_apps())

    # Other names of this machine would let a page from elsewhere in.
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])
    return Starlette(routes=[Route("/", listing), Mount("/", builder.build())], middleware=[hosts])


def list_of_apps() -> str:
    """Return a page that links to all apps."""
    rows = "".join(
        f'<li><a href="/{name}/">{name}</a><br>{escape(what)}</li>' for name, what in APPS.items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>rankagg teach</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>'
        ":root{color-scheme:light dark}body{font:1.4rem/1.5 system-ui,sans-serif;margin:2rem auto;"
        "max-width:42rem;padding:0 1rem}li{margin:.6em 0}ul{list-style:none;padding:0}"
        f"a{{font-weight:650}}</style><h1>rankagg teach</h1><ul>{rows}</ul></html>"
    )
