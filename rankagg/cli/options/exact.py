"""Options of the exact method, its progress on the terminal, and what its proof means at exit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import wraps
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
    "Ties",
    "exact_options",
    "exit_code",
    "limited",
    "show_progress",
    "time_limit_option",
    "with_exact_options",
]

NOT_LIMITED = "--time-limit is for methods that search, such as kemeny."
# What a pair costs that is tied in one of two rankings.
KEMENY_SNELL = 0.5


def exact_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the exact method to a command, which receives `ties` and `deadline`."""

    @wraps(command)
    def with_ties(
        *args: Any,
        tie_cost: float | None,
        consensus_ties: bool,
        consensus_tie_cost: float | None,
        **options: Any,
    ) -> Any:
        if consensus_tie_cost is not None and not consensus_ties:
            raise click.UsageError("--consensus-tie-cost needs --consensus-ties.")
        ties = Ties(tie_cost, consensus_ties, consensus_tie_cost)
        return command(*args, ties=ties, **options)

    options = (
        click.option(
            "--tie-cost",
            type=Number(0, 1),
            metavar="NUMBER",
            help="What a vote that ties two items costs every ranking that does not, 0 to 1; "
            "default 0, with --consensus-ties 0.5.",
        ),
        click.option(
            "--consensus-ties",
            is_flag=True,
            help="Let the exact consensus tie items: the optimum among all weak orders.",
        ),
        click.option(
            "--consensus-tie-cost",
            type=Number(0, 1),
            metavar="NUMBER",
            help="What a vote that orders two items costs where the consensus ties them, 0 to 1; "
            "default that of --tie-cost.",
        ),
        time_limit_option("the whole command"),
    )
    for option in reversed(options):
        with_ties = option(with_ties)
    return with_ties


@dataclass(frozen=True)
class Ties:
    """What ties cost by the options, and whether the consensus may have some."""

    tie_cost: float | None
    consensus_ties: bool
    consensus_tie_cost: float | None

    @property
    def given(self) -> tuple[str, ...]:
        """The names of the options that were given."""
        tie_cost = ("--tie-cost",) if self.tie_cost is not None else ()
        return (*tie_cost, "--consensus-ties") if self.consensus_ties else tie_cost

    def of(self, rule: Kemeny) -> Kemeny:
        """Return the rule with these costs."""
        usual = KEMENY_SNELL if self.consensus_ties else rule.tie_cost
        return replace(
            rule,
            tie_cost=usual if self.tie_cost is None else self.tie_cost,
            consensus_ties=self.consensus_ties,
            consensus_tie_cost=self.consensus_tie_cost,
        )


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
    rules: Iterable[Aggregator], *, ties: Ties, deadline: Deadline
) -> list[Aggregator]:
    """Give the exact rule its options; refuse them where there is none."""
    rules = list(rules)
    if ties.given and not any(isinstance(rule, Kemeny) for rule in rules):
        raise click.UsageError(f"{ties.given[0]} belongs to the exact method: add --method kemeny.")
    if deadline != Deadline() and not any(rule.searches for rule in rules):
        raise click.UsageError(NOT_LIMITED)
    show_progress()
    return [ties.of(rule) if isinstance(rule, Kemeny) else rule for rule in rules]


def limited(rules: Iterable[Aggregator], deadline: Deadline) -> list[Aggregator]:
    """Give rules that search what is left as their own limit; refuse it where there are none."""
    rules = list(rules)
    if deadline == Deadline():
        return rules
    if not any(hasattr(rule, "time_limit") for rule in rules):
        raise click.UsageError(NOT_LIMITED)
    left = {"time_limit": deadline.time_limit}
    return [replace(r, **left) if hasattr(r, "time_limit") else r for r in rules]


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
