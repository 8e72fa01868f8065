"""What commands that repeat an experiment share: sizes, repetitions, where it goes on, its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click
import pandas as pd

from rankagg.cli.options.names import Whole, jobs_option, seed_option
from rankagg.cli.options.output import FILE, Described, echo_result, write_frame
from rankagg.studies.study import Study

__all__ = ["NAMES", "StudyRun", "sizes_options", "study_options"]

#: From parameters of a study to the options here.
NAMES = {
    "journal": "--journal",
    "n_items": "--items",
    "n_rankings": "--rankings",
    "n_repetitions": "--repetitions",
    "aggregators": "--method",
}


class StudyResult(Described, Protocol):
    """What every study ends with."""

    def to_frame(self) -> pd.DataFrame:
        """Return the rows of all cells."""


AnyResult = TypeVar("AnyResult", bound=StudyResult)


@dataclass(frozen=True)
class StudyRun:
    """How often an experiment is repeated, by whom, and where its rows go."""

    repetitions: int
    seed: int
    jobs: int
    journal: Path | None
    out: Path | None

    def of(self, study: Study[Any, AnyResult], *, time_limit: float | None = None) -> AnyResult:
        """Run a study and return its result."""
        return study.run(n_jobs=self.jobs, journal=self.journal, time_limit=time_limit)

    def show(
        self,
        result: StudyResult,
        lines: Sequence[str] | None = None,
        *,
        as_json: bool,
        **limit: Any,
    ) -> None:
        """Write the rows where they are asked for, and print the result."""
        if self.out is not None:
            write_frame(result.to_frame(), self.out)
        echo_result(result, lines, as_json=as_json, **limit)


def study_options(
    unit: str, each: str, repetitions: int = 100
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options of a run to a command, which receives it as `run`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def wrapped(
            *args: Any,
            repetitions: int,
            seed: int,
            jobs: int,
            journal: Path | None,
            out: Path | None,
            **values: Any,
        ) -> Any:
            return command(*args, run=StudyRun(repetitions, seed, jobs, journal, out), **values)

        options = (
            click.option(
                "--repetitions",
                type=Whole(1, 10**6),
                default=repetitions,
                show_default=True,
                help=f"{unit.capitalize()} for each {each}.",
            ),
            seed_option(),
            jobs_option(),
            click.option(
                "--journal",
                type=FILE,
                metavar="FILE",
                help=f"Note finished {unit} here, and go on from it.",
            ),
            click.option("--out", type=FILE, metavar="FILE", help="Write all rows here as CSV."),
        )
        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return add


def sizes_options(
    items: Sequence[int], rankings: Sequence[int], *, most_items: int
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the sizes of what is drawn to a command: `items` and `rankings`, each several."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        n_items = click.option(
            "--items",
            multiple=True,
            type=Whole(2, most_items),
            default=items,
            show_default=True,
            help="Numbers of items.",
        )
        n_rankings = click.option(
            "--rankings",
            multiple=True,
            type=Whole(1, 10**6),
            default=rankings,
            show_default=True,
            help="Numbers of rankings.",
        )
        return n_items(n_rankings(command))

    return add
