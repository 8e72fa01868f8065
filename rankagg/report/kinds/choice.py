"""Which kind some data are, and what the user says of them besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import pandas as pd

from rankagg._frames import as_frame
from rankagg._validation import check_choice
from rankagg.aggregation import Data
from rankagg.aggregation.voting.transfers import STV
from rankagg.core import ItemSet, Profile
from rankagg.exceptions import Described, InvalidInputError
from rankagg.io.cast_votes import CastVotes
from rankagg.report.kinds.ballots import ElectionKind, ListsKind, VotesKind
from rankagg.report.kinds.base import Kind, Told
from rankagg.report.kinds.battles import BattlesKind
from rankagg.report.kinds.scores import ScoresKind

#: The kinds of pages by their names.
KINDS: Final[dict[str, type[Kind]]] = {
    kind.name: kind for kind in (ScoresKind, BattlesKind, Kind, ListsKind, ElectionKind, VotesKind)
}


def kind_of(
    data: Data | CastVotes, name: str | STV | None = None, told: Told | None = None
) -> Kind:
    """Return data with what a page says of their kind, which their type tells unless it is named.

    Rankings are lists where some leave items unlisted, and there are no more of them than items.
    """
    if isinstance(data, CastVotes):
        data, name = data.profile, name or "election"
    fitting = [one for one, kind in KINDS.items() if isinstance(data, kind.holds)]
    if not fitting:
        allowed = "a ScoreTable, ScoreSummary, Profile, CastVotes, PairwiseMatrix or Comparisons"
        raise InvalidInputError("data", allowed, data)
    if isinstance(name, STV) and isinstance(data, Profile):
        return ElectionKind(data, told or Told(), name)
    if name is None:
        name = fitting[0]
        if isinstance(data, Profile) and data.has_unlisted and data.n_rankings <= data.n_items:
            name = "lists"
    if isinstance(name, STV) or check_choice(name, tuple(KINDS), "kind") not in fitting:
        allowed = f"one of {', '.join(fitting)} for a {type(data).__name__}"
        raise InvalidInputError("kind", allowed, name)
    return KINDS[name](data, told or Told())


def told_of(about: Mapping[str, Any] | None, items: pd.DataFrame | None, of: ItemSet) -> Told:
    """Return what the user says of the data and of their items, checked."""
    facts = dict(about or {})
    if not all(isinstance(name, str) for name in facts):
        raise InvalidInputError("about", "a mapping from texts", about)
    cluster, categories = facts.pop("cluster", "cluster"), facts.pop("categories", {})
    if "link" in facts:
        _check_link(facts["link"], "about")
    notes: dict[Any, str] = {}
    links: dict[Any, str] = {}
    table = None if items is None else as_frame(items)
    if table is not None and not isinstance(table, pd.DataFrame):
        raise InvalidInputError("about_items", "a DataFrame whose index has the items", items)
    for item, row in () if table is None else table.astype(object).iterrows():
        if item not in of:
            allowed = "a DataFrame whose index has items of the data"
            remedy = "Make their labels the index (`.set_index`), and leave out other rows."
            raise InvalidInputError("about_items", allowed, item, remedy)
        if item in notes:
            raise InvalidInputError("about_items", "a row for each item", item)
        known = {str(name): str(value) for name, value in row.dropna().items()}
        if "link" in known:
            links[item] = _check_link(known.pop("link"), "about_items")
        notes[item] = ", ".join(known.values())
    texts = {name: str(value) for name, value in facts.items()}
    return Told(texts, str(cluster), dict(categories), links, notes)


def _check_link(link: object, parameter: str) -> str:
    """Return a link; raise where it is no address of the web: others could run as scripts."""
    if urlsplit(str(link)).scheme not in ("http", "https"):
        raise InvalidInputError(
            parameter, "links that begin with http:// or https://", Described(repr(link))
        )
    return str(link)
