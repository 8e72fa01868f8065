"""Options of the exact method, its progress on the terminal, and what its proof means at exit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.progress import LOGGER
from rankagg.aggregation.result import Consensus
from rankagg.cli.exit_codes import DONE, INTERRUPTED, UNPROVED
from rankagg.cli.options.numbers import SECONDS, Number

if TYPE_CHECKING:
    from rankagg.analysis.comparison.alternatives import Alternatives
    from rankagg.analysis.explanation import Explanation

__all__ = [
    "exact_options",
    "exit_code",
    "show_progress",
    "time_limit_option",
    "with_exact_options",
]


def exact_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the exact method to a command."""
    tie_cost = click.option(
        "--tie-cost",
        type=Number(0, 1),
        metavar="NUMBER",
        help="What a vote that ties two items costs every ranking, 0 to 1; default 0.",
    )
    return tie_cost(time_limit_option("the whole command")(command))


def time_limit_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --time-limit, which a command receives as `deadline`; its clock runs from here on."""
    return click.option(
        "--time-limit",
        "deadline",
        type=SECONDS,
        metavar="SECONDS",
        callback=_begin,
        help=f"For {what}: when to stop with the best ranking so far and its bound. What else was "
        "not computed in time is said.",
    )


def _begin(context: click.Context, option: click.Parameter, seconds: float | None) -> Deadline:
    return Deadline.after(seconds)


def with_exact_options(
    rules: Iterable[Aggregator], *, tie_cost: float | None, deadline: Deadline
) -> list[Aggregator]:
    """Give the exact rule its options; refuse them where there is none."""
    rules = list(rules)
    given = [
        name
        for name, is_given in (
            ("--tie-cost", tie_cost is not None), ("--time-limit", deadline != Deadline())
        )
        if is_given
    ]  # fmt: skip
    if given and not any(isinstance(rule, Kemeny) for rule in rules):
        raise click.UsageError(f"{given[0]} belongs to the exact method: add --method kemeny.")
    show_progress()
    if tie_cost is None:
        return rules
    return [
        replace(rule, tie_cost=tie_cost) if isinstance(rule, Kemeny) else rule for rule in rules
    ]


class _Echo(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"solving: {record.getMessage()}", err=True)


def show_progress() -> None:
    """Let long solves tell their bounds on the standard error."""
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
    if not any(isinstance(handler, _Echo) for handler in LOGGER.handlers):
        LOGGER.addHandler(_Echo())


def exit_code(
    consensuses: Iterable[Consensus], rest: Alternatives | Explanation | None = None
) -> int:
    """Return 0 where all is proved and known, 130 if interrupted before, and else 3."""
    for consensus in consensuses:
        certificate = consensus.certificate
        if certificate is None or certificate.status == "optimal":
            continue
        return INTERRUPTED if consensus.interrupted else UNPROVED
    return DONE if rest is None or rest.is_complete else UNPROVED
