"""Sections become a page that needs nothing else: no network, no other file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rankagg import __version__
from rankagg.report.sections import Section

__all__ = ["render_page"]


def render_page(title: str, lead: Sequence[str], sections: Sequence[Section]) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    title : str
        Its heading.
    lead : sequence of str
        The first sentences.
    sections : sequence of Section
        What follows; a list of links leads to them.

    Returns
    -------
    str
    """
    script = _resource("report.js")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return _environment().get_template("report.html").render(
        title=title,
        lead=lead,
        sections=sections,
        css=Markup(_resource("report.css")),
        js=Markup(script),
        script_hash=digest,
        version=__version__,
    )  # fmt: skip


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
