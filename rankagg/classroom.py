"""Lectures and apps for `rankagg teach`: their list, a server for them, and their files."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from html import escape
from importlib import import_module
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rankagg
from rankagg.exceptions import OutputError
from rankagg.io.output_files import write_text

HEADS = {"lecture": "Lectures", "app": "Things to click"}

# In the order in which they are taught: the files lectures/NAME.py and apps/NAME.py.
LECTURES = ("paradoxes", "consensus", "computing", "borda", "models", "benchmarks")
APPS = ("laboratory", "cycle", "manipulate", "leaderboard", "mallows")
# The first line of such a file: its title, and what it is about.
TITLE = re.compile(r'^"""(.+?): (.+)"""$', re.MULTILINE)


STYLE_OF_LECTURES = 'css_file="code.css"'
# The layout of slides: every output is one.
SLIDES = '{"type": "slides", "data": {"deck": {"transition": "none"}}}\n'
# What else a lecture is: the words of its file that are others then, its style among them.
FORMS = {
    "slides": {
        STYLE_OF_LECTURES: 'css_file="slides.css", layout_file="slides.json"',
        # A cell that shows nothing would be an empty slide.
        "mo.Html(page.lecture_style())": "None",
    },
    "exercises": {STYLE_OF_LECTURES: 'css_file="sheet.css"', "mo.accordion(": "page.unsolved(mo, "},
    "solutions": {STYLE_OF_LECTURES: 'css_file="sheet.css"', "mo.accordion(": "page.solved(mo, "},
}


@dataclass(frozen=True)
class Notebook:
    """A lecture, a form of it, or an app: one marimo file."""

    # The stem of its file, and where it is served.
    name: str
    # Text with exercises, or one thing to click.
    kind: str
    title: str
    what: str
    # The file of the package that it is made of.
    path: Path
    form: str = ""

    def files(self) -> dict[str, str]:
        """Return the texts of its files, by their names."""
        text = self.path.read_text(encoding="utf-8")
        for word, other in FORMS.get(self.form, {}).items():
            text = text.replace(word, other)
        own, folder = re.findall('css_file="(.+?)"', text)[0], self.path.parent
        styles = [folder / "code.css"] if self.form else []
        if self.form == "slides":
            styles += [folder.parent / "apps" / "look.css", folder / "paper.css"]
        style = "".join(path.read_text(encoding="utf-8") for path in [*styles, folder / own])
        files = {f"{self.name}.py": text, own: style}
        return {**files, "slides.json": SLIDES} if self.form == "slides" else files


def notebooks() -> dict[str, Notebook]:
    """Return the lectures and then the apps, by name.

    Examples
    --------
    >>> from rankagg.classroom import notebooks
    >>> notebooks()["cycle"].title
    'The Condorcet cycle'
    """
    root = Path(rankagg.__file__).parent
    found = {}
    for kind, names in (("lecture", LECTURES), ("app", APPS)):
        for name in names:
            path = root / f"{kind}s" / f"{name}.py"
            title = TITLE.search(path.read_text(encoding="utf-8"))
            assert title is not None, "every file begins with its title"
            what = f"{title[2][0].upper()}{title[2][1:]}"
            found[name] = Notebook(name, kind, title[1], what, path)
    return found


def forms() -> dict[str, Notebook]:
    """Return the slides and sheets of lectures, by name, such as borda-slides."""
    return {
        f"{name}-{form}": replace(one, name=f"{name}-{form}", form=form)
        for name, one in notebooks().items()
        if one.kind == "lecture"
        for form in FORMS
    }


HOST = "127.0.0.1"
STYLE = """:root { color-scheme: light dark; }
body { font: 1.25rem/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem;
    padding: 0 1rem; color: light-dark(#15202b, #eef2f6); background: light-dark(#fff, #181c1a); }
h1, h2 { line-height: 1.2; margin: 1em 0 .4em; font-weight: 650; }
ol, ul { padding-left: 1.4em; margin: 0; }
ul { list-style: none; padding: 0; }
li { margin: .6em 0; }
a { font-weight: 650; color: light-dark(#0b5cad, #7ab8ff); }
a:focus-visible { outline: 3px solid currentColor; outline-offset: 3px; }"""


def serve(name: str, port: int, *, ready: Callable[[str], object]) -> None:
    """Serve all lectures and apps on this machine until Ctrl-C."""
    import uvicorn  # noqa: PLC0415 - comes with the extra

    with contextlib.ExitStack() as stack, socket.socket() as listening:
        # So that the port of a server that has just ended can be taken again.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
        except OSError as error:
            raise OutputError(f"port {port} cannot be had: {error.strerror}.") from error
        listening.listen()
        own = listening.getsockname()[1]
        place = stack.enter_context(TemporaryDirectory())
        pages = OwnOrigin(_pages(Path(place)), own)
        config = uvicorn.Config(pages, log_level="warning", timeout_graceful_shutdown=1)
        ready(f"http://{HOST}:{own}/{f'{name}/' if name else ''}")
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def _pages(place: Path) -> Any:
    """Return what answers requests: a list at the root, and each notebook below its name.

    Forms of lectures are written to a folder.
    """
    import marimo  # noqa: PLC0415 - the extra
    from starlette.applications import Starlette  # noqa: PLC0415 - comes with the extra
    from starlette.responses import HTMLResponse  # noqa: PLC0415
    from starlette.routing import Mount, Route  # noqa: PLC0415

    # Each open page has a thread, and marimo imports this in the first one while others go on.
    with contextlib.suppress(ImportError):
        import_module("marimo._output.mpl")
    builder = marimo.create_asgi_app(quiet=True)
    for one in notebooks().values():
        builder = builder.with_app(path=f"/{one.name}", root=str(one.path))
    for one in forms().values():
        file, *_ = copied([one], place / one.name)
        builder = builder.with_app(path=f"/{one.name}", root=str(file))

    async def listing(_: Any) -> Any:
        return HTMLResponse(front_page({**notebooks(), **forms()}))

    return Starlette(routes=[Route("/", listing), Mount("/", builder.build())])


class OwnOrigin:
    """Lets nobody in but the pages of this server: what they ask for names it, and comes from it.

    A page from elsewhere that is open in the same browser can send requests here and open
    WebSockets, under this address or under another name of this machine.
    """

    def __init__(self, pages: Any, port: int) -> None:
        self._pages = pages
        self._hosts = [f"{name}:{port}".removesuffix(":80") for name in (HOST, "localhost")]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, or refuse."""

        async def unshared(message: Any) -> None:
            # marimo lets every origin read what it answers.
            told = [
                pair
                for pair in message.get("headers", ())
                if not pair[0].lower().startswith(b"access-control-")
            ]
            await send({**message, "headers": told} if "headers" in message else message)

        if scope["type"] == "lifespan" or self._is_own(scope):
            await self._pages(scope, receive, send if scope["type"] == "lifespan" else unshared)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await send({"type": "http.response.start", "status": 403, "headers": []})
            await send(
                {"type": "http.response.body", "body": b"Only pages of this server ask here."}
            )

    def _is_own(self, scope: Any) -> bool:
        given = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in given if name == b"host"]
        origins = [value for name, value in given if name == b"origin"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return False
        # Browsers name the origin of whatever changes something, and of WebSockets.
        is_plain = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return origins == [f"http://{hosts[0]}"] or (is_plain and not origins)


def front_page(there: dict[str, Notebook], *, suffix: str = "/") -> str:
    """Return a page that links to lectures, which are numbered, their forms, and apps."""
    forms_of: dict[Path, list[Notebook]] = {}
    for one in there.values():
        forms_of.setdefault(one.path, []).append(one)
    parts = []
    for kind, group in groupby(forms_of.values(), key=lambda some: some[0].kind):
        rows = []
        for first, *others in group:
            links = [f'<a href="{one.name}{suffix}">{one.form}</a>' for one in others]
            title = f'<a href="{first.name}{suffix}">{escape(first.title)}</a>'
            more = f"<br>{', '.join(links)}" if links else ""
            rows.append(f"<li>{title}<br>{escape(first.what)}{more}</li>")
        list_of_kind = "ol" if kind == "lecture" else "ul"
        parts.append(f"<h2>{HEADS[kind]}</h2><{list_of_kind}>{''.join(rows)}</{list_of_kind}>")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>rankagg teach</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<style>{STYLE}</style><h1>rankagg teach</h1>{''.join(parts)}</html>"
    )


# Where marimo would load its frame from.
ELSEWHERE = re.compile(r"https://cdn\.jsdelivr\.net/npm/@marimo-team/frontend@[^/\"]+/dist/")


def copied(chosen: Iterable[Notebook], folder: Path) -> list[Path]:
    """Copy the files of lectures and apps, to be edited there."""
    files = {folder / name: text for one in chosen for name, text in one.files().items()}
    fresh = {target: text for target, text in files.items() if not target.exists()}
    for target in files.keys() - fresh.keys():
        if target.read_bytes() != files[target].encode():
            raise OutputError(
                f"{target} would be replaced, and may have been edited. Give another folder."
            )
    folder.mkdir(parents=True, exist_ok=True)
    done: list[Path] = []
    try:
        for target, text in fresh.items():
            write_text(target, text)
            done.append(target)
    except BaseException:  # an interruption too leaves nothing behind
        for target in done:
            target.unlink()
        raise
    return list(files)


def exported(notebook: Notebook, folder: Path) -> Path:
    """Let marimo run a lecture or an app once, and write the page that comes out.

    The page takes marimo's scripts and fonts from `folder / "marimo"`: see `framed`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{notebook.name}.html"
    # marimo leaves notes beside what it exports: they stay out of the package.
    with TemporaryDirectory() as place:
        copied([notebook], Path(place))
        page = Path(place) / target.name
        export = [sys.executable, "-m", "marimo", "export", "html", "--no-include-code"]
        done = subprocess.run(
            [*export, f"{notebook.name}.py", "--output", str(page)],
            cwd=place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
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
    there = dict(sorted(there.items(), key=lambda pair: pair[1].kind, reverse=True))
    write_text(folder / "index.html", front_page(there, suffix=".html"))
