"""The rules by the names that the command line knows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import click

import rankagg as ra
from rankagg.cli.options.typed import OneOf, Option, several

#: What elections call instant runoff: ranked choice voting, and STV for one seat.
OTHER_NAMES = dict.fromkeys(["irv", "rcv", "stv"], "instant-runoff")


def make(name: str) -> ra.Aggregator:
    """Return the rule of that name."""
    from rankagg.analysis.rules import named_rules

    k = name.removeprefix("rrf-")
    return named_rules()[name] if k == name else ra.ReciprocalRankFusion(k=int(k))


def made(names: Iterable[str]) -> list[ra.Aggregator]:
    """Return the rules of these names, each once."""
    return [make(name) for name in dict.fromkeys(names)]


def names() -> list[str]:
    """Return the names of all rules."""
    from rankagg.analysis.rules import named_rules

    return list(named_rules())


def names_with_policy() -> list[str]:
    """Return the names of the rules that follow the policy for unranked items."""
    return [name for name in names() if make(name).reads_unranked == "by policy"]


def names_by_rounds() -> list[str]:
    """Return the names of the rules that count ballots round by round."""
    from rankagg.aggregation.voting.elimination_rules import RoundRule

    return [name for name in names() if isinstance(make(name), RoundRule)]


class RuleName(OneOf):
    """The name of a rule, or another one that it has."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the first of its names, or that of a fusion with its k."""
        if re.fullmatch("rrf-[0-9]{1,9}", value):
            return value
        if value == "rra":
            self.fail("rra is a test: `rankagg.inference.robust_rank_aggregation`.", param, ctx)
        return super().convert(OTHER_NAMES.get(value, value), param, ctx)


NAMED = RuleName(names)
RULE = Option("--rule", "name", metavar="RULE", type=NAMED, default="kemeny", help="The rule.")


def rules_to(purpose: str, default: str = "all that suit the data") -> Option:
    """Return --rule, which may be given several times, as `names`."""
    return several(
        "--rule",
        "RULE",
        f"A rule to {purpose}, as `rankagg list rules` names it. Default: {default}.",
        "names",
        type=NAMED,
    )
