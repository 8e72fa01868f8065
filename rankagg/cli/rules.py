"""Rules by name, the options of the exact rule, and time limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli.command import DONE, INTERRUPTED, UNPROVED, Options, options_named, show_progress
from rankagg.cli.options import TIME, Number, OneOf, Option, flag, names_in, refuse, several

if TYPE_CHECKING:
    from rankagg.aggregation import Deadline
    from rankagg.analysis import Explanation
    from rankagg.analysis.comparison.agreement import Alternatives
    from rankagg.cli.data import Input

# Other names of instant runoff in elections.
_OTHER_NAMES = dict.fromkeys(["irv", "rcv", "stv"], "instant-runoff")
# With more items a proof or the other optima may take hours; with more ranks of different ballots
# the smallest removals may. Then the usual limit applies, in seconds.
ITEMS_UNLIMITED, RANKS_UNLIMITED, USUAL_LIMIT = 200, 10**5, 60.0
#: Counts that transfer surpluses.
SURPLUSES = ("scottish", "meek")
_NOT_LIMITED = "--time-limit is for rules that search, such as kemeny: leave it out."

# -- rules ----------------------------------------------------------------------------------------


def _named_rules() -> dict[str, ra.Aggregator]:
    """Return all rules by name."""
    from rankagg.analysis.rules import named_rules

    return named_rules()


def made(names: Iterable[str]) -> list[ra.Aggregator]:
    """Return the rules with these names, each once."""
    return [_named_rules()[name] for name in dict.fromkeys(names)]


def _with_policy() -> list[str]:
    """Return the names of rules that follow the policy for unranked items."""
    return [name for name, rule in _named_rules().items() if rule.reads_unranked == "by policy"]


class _RuleName(OneOf):
    """The name of a rule, or a synonym."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the main name."""
        name = _OTHER_NAMES.get(value, value)
        if name in _named_rules() and name not in self.choices:
            refuse(param, f"a rule that follows --unranked ({', '.join(self.choices)})", value)
        return super().convert(name, param, ctx)


NAMED = _RuleName(_named_rules)
NAMED_WITH_POLICY = _RuleName(_with_policy)
RULE = Option(
    "--rule", "name", metavar="RULE", type=NAMED, default="kemeny", help="Rule to rank by."
)


def rules_to(purpose: str, default: str = "all that suit the data") -> Option:
    """Return --rule as `names`; it may be repeated."""
    about = f"Rule to {purpose} (`rankagg list rules`). Default: {default}."
    return several("--rule", "RULE", about, "names", type=NAMED)


# -- the exact rule, and rules that search --------------------------------------------------------


def time_limit(what: str, then: str = "take the best found", *, usual: bool = False) -> Option:
    """Return --time-limit as `deadline`; time runs from parsing on."""
    about = f"Time for {what}; then {then}, and end with code 3."
    if usual:
        about += f" Default: {USUAL_LIMIT:g} above {ITEMS_UNLIMITED} items, else none."
    return Option("--time-limit", "deadline", type=TIME, callback=_begun, help=about)


def _begun(context: click.Context, option: click.Parameter, seconds: float | None) -> Deadline:
    # Loading the package takes none of the time.
    from rankagg.aggregation import Deadline

    import_module("rankagg.aggregation.kemeny.aggregator")
    return Deadline.after(seconds)


@dataclass(frozen=True)
class ExactOptions:
    """Options of the exact rule: the cost of ties, ties in the consensus, and the time limit."""

    tie_cost: float | None
    consensus_ties: bool
    deadline: Deadline

    def chosen(self, names: Sequence[str], given: Input) -> list[ra.Aggregator]:
        """Return the rules with these names; by default all that suit the data."""
        from rankagg.aggregation.two_level import default_rules

        return self.rules(made(names) or default_rules(given.data))

    def until(self, given: Input, rules: Iterable[ra.Aggregator]) -> Deadline:
        """Return the deadline of these rules; see `usually_limited`."""
        searches = any(rule.searches for rule in rules)
        return usually_limited(self.deadline, given) if searches else self.deadline

    def rules(self, rules: Sequence[ra.Aggregator]) -> list[ra.Aggregator]:
        """Give the exact rule its options; refuse them without such a rule."""
        from rankagg.aggregation import Deadline

        has_ties = self.consensus_ties or self.tie_cost is not None
        if has_ties and not any(isinstance(rule, ra.Kemeny) for rule in rules):
            option = "--consensus-ties" if self.tie_cost is None else "--tie-cost"
            raise click.UsageError(f"{option} is for the exact rule: add --rule kemeny.")
        if self.deadline != Deadline() and not any(rule.searches for rule in rules):
            raise click.UsageError(_NOT_LIMITED)
        show_progress()
        # Kemeny and Snell's cost of a pair tied in one of two rankings.
        cost = 0.5 if self.consensus_ties and self.tie_cost is None else self.tie_cost
        asked: dict[str, Any] = {"consensus_ties": self.consensus_ties}
        asked |= {} if cost is None else {"tie_cost": cost}
        with options_named():
            return [replace(x, **asked) if isinstance(x, ra.Kemeny) else x for x in rules]


EXACTLY = Options(
    "exact",
    [
        time_limit("the command", usual=True),
        Option(
            "--tie-cost",
            group="Kemeny",
            type=Number(0, 1),
            help="Cost, from 0 to 1, of a vote that ties two items which the ranking does not "
            "tie; default 0, or 0.5 with --consensus-ties.",
        ),
        flag(
            "--consensus-ties",
            group="Kemeny",
            help="Let the exact consensus tie items: optimize over all weak orders.",
        ),
    ],
    ExactOptions,
)


def usually_limited(deadline: Deadline, given: Input, *, by_ballots: bool = False) -> Deadline:
    """Return the deadline; without one, the usual limit for large data.

    If single ballots are removed, the number of different ballots counts too.
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
    """Give a time limit to rules that search; refuse it without such a rule."""
    rules = list(rules)
    if seconds is None:
        return rules
    if not any(hasattr(rule, "time_limit") for rule in rules):
        raise click.UsageError(_NOT_LIMITED)
    limit = {"time_limit": seconds}
    return [replace(r, **limit) if hasattr(r, "time_limit") else r for r in rules]


def exit_code(
    consensuses: Iterable[ra.Consensus], rest: Alternatives | Explanation | None = None
) -> int:
    """Return 0 if all is proved and complete, 130 if interrupted before, else 3."""
    for consensus in consensuses:
        certificate = consensus.certificate
        if certificate is None or certificate.status == "optimal":
            continue
        return INTERRUPTED if consensus.interrupted else UNPROVED
    return DONE if rest is None or rest.is_complete else UNPROVED


# -- elections ------------------------------------------------------------------------------------


def election_rule(
    given: Input,
    seats: int | None = None,
    counting: Any = None,
    tie_order: str | None = None,
    **options: str | None,
) -> Any:
    """Return the counting rule of an election; seats default to those of the file."""
    stated: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if tie_order is not None:
        if stated.get("tie_breaking", "order") != "order":
            raise click.UsageError("--tie-order decides all ties: leave --tie-breaking out.")
        stated["tie_order"] = names_in("--tie-order", tie_order, given.evidence.items, "candidate")
    number = seats or given.seats or 1
    counting = counting or ("irv" if number == 1 else "scottish")
    if counting in SURPLUSES:
        with options_named():
            return ra.STV(number, counting=counting, **stated)
    if number > 1:
        why = "" if seats else f", and {given.name} states {number}: give --seats 1"
        raise click.UsageError(f"--counting {counting} fills one seat{why}.")
    if "quota" in stated:
        raise click.UsageError("--quota is for STV: add --seats, or --counting scottish or meek.")
    (rule,) = made(["instant-runoff" if counting == "irv" else counting])
    if hasattr(rule, "tie_breaking"):
        return replace(rule, **{"tie_breaking": "order", **stated})
    if stated:
        raise click.UsageError(
            f"--counting {counting} breaks no ties: leave --tie-breaking and --tie-order out."
        )
    return rule
