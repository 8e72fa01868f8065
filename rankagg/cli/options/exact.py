"""Options of the exact rule: constraints, limits, and what it returns."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, INTERRUPTED, UNPROVED
from rankagg.cli.options.command import Options, tell_progress
from rankagg.cli.options.rules import made
from rankagg.cli.options.typed import TIME, Number, Option, flag, grouped, labels_of, several
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.aggregation import Deadline
    from rankagg.analysis import Explanation
    from rankagg.analysis.comparison.agreement import Alternatives
    from rankagg.cli.options.inputs import Input
    from rankagg.core import ItemSet

# With more items than these a proof, or the other optima, may take hours, and with so many ranks
# of different ballots the fewest that have to go: so many seconds, unless others are asked for.
ITEMS_UNLIMITED, RANKS_UNLIMITED, USUAL_LIMIT = 200, 10**5, 60.0

NOT_LIMITED = "--time-limit is for rules that search, such as kemeny."


def time_limit(what: str, *, usual: bool = False) -> Option:
    """Return --time-limit, which a command receives as `deadline`; its clock runs from here on."""
    about = f"For {what}; then the best so far is printed with its bound."
    if usual:
        about += f" Default: {USUAL_LIMIT:g} for more than {ITEMS_UNLIMITED} items, else none."
    return Option("--time-limit", "deadline", type=TIME, callback=_begun, help=about)


def _begun(context: click.Context, option: click.Parameter, seconds: float | None) -> Deadline:
    # What is loaded first takes none of the time.
    from rankagg.aggregation import Deadline

    import_module("rankagg.aggregation.kemeny.aggregator")
    return Deadline.after(seconds)


@dataclass(frozen=True)
class ExactOptions:
    """What ties cost, whether the consensus may have some, and when to stop."""

    tie_cost: float | None
    consensus_ties: bool
    deadline: Deadline

    def chosen(self, names: Sequence[str], given: Input) -> list[ra.Aggregator]:
        """Return the rules of these names, by default all that suit the data."""
        from rankagg.aggregation.two_level import default_rules

        known = made(names) or default_rules(given.data)
        return self.rules(known)

    def until(self, given: Input, rules: Iterable[ra.Aggregator]) -> Deadline:
        """Return when these rules have to end; see `usually_limited`."""
        searches = any(rule.searches for rule in rules)
        return usually_limited(self.deadline, given) if searches else self.deadline

    def rules(self, rules: Sequence[ra.Aggregator]) -> list[ra.Aggregator]:
        """Give the exact rule its options; refuse them where there is none."""
        from rankagg.aggregation import Deadline

        ties = "--consensus-ties" if self.tie_cost is None else "--tie-cost"
        has_ties = self.consensus_ties or self.tie_cost is not None
        if has_ties and not any(isinstance(rule, ra.Kemeny) for rule in rules):
            raise click.UsageError(f"{ties} belongs to the exact rule: add --rule kemeny.")
        if self.deadline != Deadline() and not any(rule.searches for rule in rules):
            raise click.UsageError(NOT_LIMITED)
        show_progress()
        return [self._of(rule) if isinstance(rule, ra.Kemeny) else rule for rule in rules]

    def _of(self, rule: ra.Kemeny) -> ra.Kemeny:
        # What a pair costs that is tied in one of two rankings, as Kemeny and Snell have it.
        usual = 0.5 if self.consensus_ties else rule.tie_cost
        return replace(
            rule,
            tie_cost=usual if self.tie_cost is None else self.tie_cost,
            consensus_ties=self.consensus_ties,
        )


EXACTLY = Options(
    "exact",
    [
        time_limit("the whole command", usual=True),
        Option(
            "--tie-cost",
            group="Kemeny",
            metavar="NUMBER",
            type=Number(0, 1),
            help="What a vote that ties two items costs every ranking that does not, 0 to 1; "
            "default 0, with --consensus-ties 0.5.",
        ),
        flag(
            "--consensus-ties",
            group="Kemeny",
            help="Let the exact consensus tie items: the optimum among all weak orders.",
        ),
    ],
    ExactOptions,
)


def usually_limited(deadline: Deadline, given: Input, *, by_ballots: bool = False) -> Deadline:
    """Return the deadline; where none was asked for and much is to be searched, one that is told.

    Where single ballots are to go they matter too, by how many different ones there are.
    """
    from rankagg.aggregation import Deadline
    from rankagg.core import counted

    if deadline != Deadline():
        return deadline
    evidence = given.evidence
    n = len(evidence.items)
    size, is_large = counted(n, "item", ","), n > ITEMS_UNLIMITED
    if by_ballots:
        ballots = len(evidence.profile.compress().counts)
        size += f" and {counted(ballots, 'different ranking', ',')}"
        is_large |= n * ballots > RANKS_UNLIMITED
    if not is_large:
        return deadline
    most = f"{USUAL_LIMIT:g} seconds at most"
    click.echo(f"note: {size}, so {most}; --time-limit SECONDS sets another limit.", err=True)
    return Deadline.after(USUAL_LIMIT)


def limited(rules: Iterable[ra.Aggregator], seconds: float | None) -> list[ra.Aggregator]:
    """Give rules that search this time limit; refuse it where there are none."""
    rules = list(rules)
    if seconds is None:
        return rules
    if not any(hasattr(rule, "time_limit") for rule in rules):
        raise click.UsageError(NOT_LIMITED)
    limit = {"time_limit": seconds}
    return [replace(r, **limit) if hasattr(r, "time_limit") else r for r in rules]


def show_progress() -> None:
    """Let long solves tell their bounds on the standard error."""
    tell_progress(logging.getLogger("rankagg.kemeny"), "solving")


def exit_code(
    consensuses: Iterable[ra.Consensus], rest: Alternatives | Explanation | None = None
) -> int:
    """Return 0 where all is proved and known, 130 if interrupted before, and else 3."""
    for consensus in consensuses:
        certificate = consensus.certificate
        if certificate is None or certificate.status == "optimal":
            continue
        return INTERRUPTED if consensus.interrupted else UNPROVED
    return DONE if rest is None or rest.is_complete else UNPROVED


@dataclass(frozen=True)
class Wishes:
    """Constraints as they were typed."""

    above: tuple[str, ...]
    leaders: str | None
    last: str | None
    top: str | None
    quotas: tuple[str, ...]

    def of(self, items: ItemSet) -> ra.Constraints | None:
        """Return them as constraints on some items; None where there are none."""
        if not (self.above or self.leaders or self.last or self.top or self.quotas):
            return None

        def labels(option: str, text: str | None) -> list[Label]:
            # Quotation marks hold together a name that has a comma.
            names = [
                name for row in csv.reader([text or ""], skipinitialspace=True) for name in row
            ]
            return labels_of(option, [name.strip() for name in names], items, "item")

        above = [(text, labels("--above", text)) for text in self.above]
        for text, pair in above:
            if len(pair) != 2:
                raise InvalidInputError("--above", "ITEM,ITEM", text)
        top = self.top and _counted("--top", self.top, "ITEM,ITEM:PLACES")
        quotas = [_counted("--quota", text, "ITEM,ITEM:PLACES:NUMBER") for text in self.quotas]
        return ra.Constraints(
            above=[(first, second) for _, (first, second) in above],
            first=labels("--first", self.leaders),
            last=labels("--last", self.last),
            top=(labels("--top", top[0]), top[1]) if top else None,
            quotas=[ra.Quota(labels("--quota", quota[0]), *quota[1:]) for quota in quotas],
        )


def _counted(option: str, text: str, form: str) -> tuple[Any, ...]:
    """Return what stands before the last colons, and the whole numbers behind them."""
    count = form.count(":")
    names, *numbers = text.rsplit(":", count)
    if len(numbers) != count or not all(re.fullmatch(" *[0-9]{1,9} *", n) for n in numbers):
        raise InvalidInputError(option, form, text)
    return names, *(int(number) for number in numbers)


CONSTRAINTS = Options(
    "wishes",
    grouped(
        "Constraints",
        several("--above", "ITEM,ITEM", "The first item must stand above the second."),
        Option(
            "--first",
            "leaders",
            metavar="ITEM,...",
            help="These items must stand above all others.",
        ),
        Option("--last", metavar="ITEM,...", help="These items must stand below all others."),
        Option(
            "--top",
            metavar="ITEM,...:PLACES",
            help="Each of these items must stand within the first so many places.",
        ),
        several(
            "--quota",
            "ITEM,...:PLACES:NUMBER",
            "At least NUMBER of these items must stand within the first so many places.",
            "quotas",
        ),
    ),
    Wishes,
)
