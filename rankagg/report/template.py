"""Sections become a page that needs nothing else: no network, no other file."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rankagg import __version__
from rankagg.report.sections import Section

__all__ = ["json_text", "render_page"]

SCRIPTS = ("report.js",)


@dataclass(frozen=True)
class Script:
    """A script of the page, and the hash by which the page's policy allows it."""

    text: Markup
    digest: str

    @classmethod
    def of(cls, text: str) -> Script:
        """Return a script of this package; it may not hold the end of its own element."""
        return cls(Markup(text), _digest(text))


def render_page(
    title: str,
    lead: Sequence[str],
    sections: Sequence[Section],
    *,
    scripts: Sequence[str] = (),
    blocks: Mapping[str, str] | None = None,
) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    title : str
        Its heading.
    lead : sequence of str
        The first sentences.
    sections : sequence of Section
        What follows; a list of links leads to them.
    scripts : sequence of str
        Further scripts of this package.
    blocks : mapping from str to str, optional
        JSON texts that travel in the page, by the id of their element.

    Returns
    -------
    str
    """
    return _environment().get_template("report.html").render(
        title=title,
        lead=lead,
        sections=sections,
        css=Markup(_resource("report.css")),
        scripts=[Script.of(text) for text in (*map(_resource, SCRIPTS), *scripts)],
        blocks=[(name, json_text(text)) for name, text in (blocks or {}).items()],
        version=__version__,
    )  # fmt: skip


def json_text(text: str) -> Markup:
    """Return JSON that cannot end its element, whatever names it holds."""
    json.loads(text)
    return Markup(text.replace("<", "\\u003c"))


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return (files("rankagg.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    options: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True}
    return Environment(
        loader=PackageLoader("rankagg.report"),
        autoescape=True,
        undefined=StrictUndefined,
        **options,
    )
