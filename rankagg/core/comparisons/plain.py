"""Comparisons as plain data: for JSON, as a table, and as the bytes of their fingerprint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.core.votes.fingerprint import label_lines
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

    from rankagg.core.comparisons.comparisons import Comparisons

__all__ = ["digest_of", "framed", "parsed", "plain"]

SCHEMA, VERSION = "rankagg.comparisons", 1
#: The arrays, and how each is hashed.
ARRAYS = {
    "first": "<i8", "second": "<i8", "outcomes": "i1", "weights": "<f8", "clusters": "<i8",
    "sides": "i1",
}  # fmt: skip
FIELDS = {"items", "cluster_labels", "covariates", *ARRAYS}


def plain(comparisons: Comparisons) -> dict[str, Any]:
    """Return plain data for JSON."""
    arrays = {name: getattr(comparisons, name) for name in ARRAYS}
    described = comparisons.covariates.items()
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "items": list(comparisons.items),
        **{name: None if array is None else array.tolist() for name, array in arrays.items()},
        "cluster_labels": list(comparisons.cluster_labels),
        "covariates": {name: values.tolist() for name, values in described},
    }


def parsed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of comparisons from plain data."""
    given = dict(data) if isinstance(data, Mapping) else {}
    found = given.pop("schema", None), given.pop("version", None)
    if found != (SCHEMA, VERSION):
        shown = Described(f"schema {found[0]!r}, version {found[1]!r}")
        allowed = f"plain data of schema {SCHEMA!r}, version {VERSION}"
        raise InvalidInputError("data", allowed, shown, "`Comparisons.to_dict` writes them.")
    if given.keys() != FIELDS:
        differing = ", ".join(sorted(map(str, given.keys() ^ FIELDS)))
        shown = Described(f"missing or unknown: {differing}")
        raise InvalidInputError("data", "all fields of comparisons and no others", shown)
    if given["clusters"] is None and given["cluster_labels"] == []:
        given["cluster_labels"] = None
    return given


def framed(comparisons: Comparisons) -> pd.DataFrame:
    """Return a table with a row for each comparison."""
    # Only who asks needs tables.
    import pandas as pd  # noqa: PLC0415

    labels = _cells(comparisons.items)
    columns: dict[str, Any] = {
        "first": labels[comparisons.first],
        "second": labels[comparisons.second],
        "outcome": _cells(("tie", "first", "second"))[comparisons.outcomes],
    }
    if comparisons.weights is not None:
        columns["weight"] = comparisons.weights
    if comparisons.clusters is not None:
        columns["cluster"] = _cells(comparisons.cluster_labels)[comparisons.clusters]
    if comparisons.sides is not None:
        columns["side"] = comparisons.sides
    return pd.DataFrame({**columns, **comparisons.covariates})


def digest_of(comparisons: Comparisons) -> str:
    """Return the fingerprint; see `Comparisons.fingerprint`."""
    digest = sha256(b"rankagg.comparisons 1\n")
    for labels in (comparisons.items, comparisons.cluster_labels):
        digest.update(b"%d\n" % len(labels))
        for text in label_lines(labels):
            digest.update(text)
    arrays = [(name, kind, getattr(comparisons, name)) for name, kind in ARRAYS.items()]
    arrays += [
        (f"covariate {name}", "<f8", values) for name, values in comparisons.covariates.items()
    ]
    for name, kind, array in arrays:
        if array is not None:
            digest.update(f"{name} {len(array)}\n".encode("utf-8", "surrogatepass"))
            digest.update(array.astype(kind).tobytes())
    return digest.hexdigest()


def _cells(labels: Iterable[Label]) -> NDArray[np.object_]:
    """Return labels as an array of objects."""
    known = tuple(labels)
    cells = np.empty(len(known), dtype=object)
    cells[:] = known
    return cells
