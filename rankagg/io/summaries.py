"""Sums of scores as a JSON file, as `ScoreSummary.to_dict` has them."""

from __future__ import annotations

import json
from hashlib import sha256
from os import PathLike
from typing import NoReturn

from rankagg.core.score_summary import SCHEMA, ScoreSummary
from rankagg.exceptions import DataFormatError
from rankagg.io.output_files import write_text
from rankagg.io.strict_json import check_characters
from rankagg.io.tables.text import Source, read_text

__all__ = ["looks_like_summary", "read_summary", "write_summary"]

# The schema stands first in what is written.
START = 200


def looks_like_summary(text: str) -> bool:
    """Say whether a text seems to be JSON of sums of scores."""
    return text.lstrip().startswith("{") and f'"{SCHEMA}"' in text[:START]


def write_summary(summary: ScoreSummary, target: str | PathLike[str]) -> None:
    """Write sums of scores as JSON with a checksum; `read_summary` loses nothing of them."""
    content = {**summary.to_dict(), "check": _checksum(summary)}
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    write_text(target, f"{text}\n")


def read_summary(source: Source) -> ScoreSummary:
    """Read sums of scores from JSON as `write_summary` writes it."""
    name, text = read_text(source)

    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        content = json.loads(text, parse_constant=refuse)
        check_characters(text, content, "the file")
        summary = ScoreSummary.from_dict(content)
        # What `to_dict` gives has none.
        if "check" in content and content["check"] != _checksum(summary):
            raise ValueError("it was changed since it was written")
        return summary
    except (DataFormatError, ValueError, RecursionError) as error:
        # Python's own words for that name a function of its own.
        long = "integer string conversion" in str(error)
        why = "an integer is too long" if long else str(error).rstrip(".")
        raise DataFormatError(
            f"{name} does not hold sums of scores as JSON: {why}. `rankagg scan --out` writes them."
        ) from None


def _checksum(summary: ScoreSummary) -> str:
    return sha256(json.dumps(summary.to_dict()).encode()).hexdigest()[:16]
