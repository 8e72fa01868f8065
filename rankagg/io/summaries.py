"""Sums of scores as a JSON file, as `ScoreSummary.to_dict` has them."""

from __future__ import annotations

import json
from os import PathLike
from typing import NoReturn

from rankagg.core.tallied_scores import SCHEMA, ScoreSummary
from rankagg.exceptions import DataFormatError
from rankagg.io.output_files import write_text
from rankagg.io.text import Source, read_text

__all__ = ["looks_like_summary", "read_summary", "write_summary"]

# The schema stands first in what is written.
START = 200


def looks_like_summary(text: str) -> bool:
    """Say whether a text seems to be JSON of sums of scores."""
    return text.lstrip().startswith("{") and f'"{SCHEMA}"' in text[:START]


def write_summary(summary: ScoreSummary, target: str | PathLike[str]) -> None:
    """Write sums of scores as JSON, which `read_summary` reads without any loss.

    Parameters
    ----------
    summary : ScoreSummary
        The sums.
    target : path
        The file to write.
    """
    text = json.dumps(summary.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    write_text(target, f"{text}\n")


def read_summary(source: Source) -> ScoreSummary:
    """Read sums of scores from JSON as `write_summary` writes it.

    Parameters
    ----------
    source : path or text stream
        The file.

    Returns
    -------
    ScoreSummary

    Raises
    ------
    DataFormatError
        If the file is anything else.
    """
    name, text = read_text(source)

    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON")

    try:
        return ScoreSummary.from_dict(json.loads(text, parse_constant=refuse))
    except (DataFormatError, ValueError, RecursionError) as error:
        raise DataFormatError(f"{name} does not hold sums of scores as JSON: {error}") from None
