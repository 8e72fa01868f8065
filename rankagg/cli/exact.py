"""Options of the exact method, its progress on the terminal, and what its proof means at exit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import click

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.progress import LOGGER
from rankagg.aggregation.result import Consensus
from rankagg.cli.app import DONE, INTERRUPTED, UNPROVED

__all__ = ["exact_options", "exit_code", "show_progress", "with_exact_options"]


def exact_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the exact method to a command."""
    tie_cost = click.option(
        "--tie-cost",
        type=float,
        help="What a vote that ties two items costs every ranking, 0 to 1; default 0.",
    )
    time_limit = click.option(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="When to stop with the best ranking so far and its bound.",
    )
    return tie_cost(time_limit(command))


def with_exact_options(
    rules: Iterable[Aggregator], *, tie_cost: float | None, time_limit: float | None
) -> list[Aggregator]:
    """Give the exact rule its options; refuse them where there is none."""
    rules = list(rules)
    options = {"tie_cost": tie_cost, "time_limit": time_limit}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if given and not any(isinstance(rule, Kemeny) for rule in rules):
        option = next(iter(given)).replace("_", "-")
        raise click.UsageError(f"--{option} belongs to the exact method: add --method kemeny.")
    show_progress()
    return [replace(rule, **given) if isinstance(rule, Kemeny) else rule for rule in rules]


class _Echo(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"solving: {record.getMessage()}", err=True)


def show_progress() -> None:
    """Let long solves tell their bounds on the standard error."""
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
    if not any(isinstance(handler, _Echo) for handler in LOGGER.handlers):
        LOGGER.addHandler(_Echo())


def exit_code(consensuses: Iterable[Consensus]) -> int:
    """Return 0 where every exact consensus is proved, else 130 if interrupted, else 3."""
    for consensus in consensuses:
        certificate = consensus.certificate
        if certificate is None or certificate.status == "optimal":
            continue
        return INTERRUPTED if consensus.interrupted else UNPROVED
    return DONE
