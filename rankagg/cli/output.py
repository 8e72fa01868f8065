"""Printing JSON and writing result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pandas as pd

__all__ = ["echo_json", "write_frame", "write_json"]


def echo_json(data: dict[str, Any]) -> None:
    """Print plain data as JSON; there is no NaN in it."""
    click.echo(_dumps(data))


def write_json(data: dict[str, Any], path: Path) -> None:
    """Write plain data as a JSON file."""
    path.write_text(_dumps(data) + "\n", encoding="utf-8")


def write_frame(frame: pd.DataFrame, path: Path, *, index: bool = False) -> None:
    """Write a table as a CSV file."""
    frame.to_csv(path, index=index)


def _dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
