"""The rules by the names that the command line knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import click

import rankagg as ra
from rankagg._typing import Unranked
from rankagg.cli.options.inputs import Input
from rankagg.cli.options.typed import OneOf, option

# A rule is loaded when it is made.
RULES_BY_NAME: dict[str, Callable[[Unranked], ra.Aggregator]] = {
    "mean": lambda unranked: ra.Mean(),
    "geometric-mean": lambda unranked: ra.GeometricMean(),
    "harmonic-mean": lambda unranked: ra.HarmonicMean(),
    "median": lambda unranked: ra.Median(),
    "borda": lambda unranked: ra.Borda(unranked=unranked),
    "bucklin": lambda unranked: ra.Bucklin(),
    "rrf": lambda unranked: ra.ReciprocalRankFusion(),
    "combsum": lambda unranked: ra.CombSUM(),
    "combmnz": lambda unranked: ra.CombMNZ(),
    "plurality": lambda unranked: ra.Plurality(unranked=unranked),
    "veto": lambda unranked: ra.Veto(unranked=unranked),
    "dowdall": lambda unranked: ra.Dowdall(unranked=unranked),
    "approval-2": lambda unranked: ra.Approval(2, unranked=unranked),
    "approval-3": lambda unranked: ra.Approval(3, unranked=unranked),
    "instant-runoff": lambda unranked: ra.InstantRunoff(unranked=unranked),
    "coombs": lambda unranked: ra.Coombs(unranked=unranked),
    "baldwin": lambda unranked: ra.Baldwin(unranked=unranked),
    "nanson": lambda unranked: ra.Nanson(unranked=unranked),
    "black": lambda unranked: ra.Black(unranked=unranked),
    "two-level-borda": lambda unranked: ra.TwoLevel(
        ra.Borda(unranked=unranked), ra.Borda(unranked=unranked)
    ),
    "copeland": lambda unranked: ra.Copeland(unranked=unranked),
    "majority": lambda unranked: ra.PairwiseMajority(unranked=unranked),
    "minimax": lambda unranked: ra.Minimax(unranked=unranked),
    "schulze": lambda unranked: ra.Schulze(unranked=unranked),
    "ranked-pairs": lambda unranked: ra.RankedPairs(unranked=unranked),
    "mc4": lambda unranked: ra.MC4(unranked=unranked),
    "rank-centrality": lambda unranked: ra.RankCentrality(unranked=unranked),
    "pick-a-perm": lambda unranked: ra.PickAPerm(unranked=unranked),
    "footrule": lambda unranked: ra.FootruleOptimal(unranked=unranked),
    "kwiksort": lambda unranked: ra.KwikSort(pivot="best", unranked=unranked),
    "borda-kemenized": lambda unranked: ra.InsertionSearch(start=ra.Borda(unranked=unranked)),
    "plackett-luce": lambda unranked: ra.PlackettLuceRanking(),
    "mallows": lambda unranked: ra.MallowsRanking(),
    "young": lambda unranked: ra.Young(unranked=unranked),
    "dodgson": lambda unranked: ra.Dodgson(unranked=unranked),
    "slater": lambda unranked: ra.Slater(unranked=unranked),
    "kemeny": lambda unranked: ra.Kemeny(unranked=unranked),
}

#: What elections call instant runoff: ranked choice voting, and STV for one seat.
OTHER_NAMES = dict.fromkeys(["irv", "rcv", "stv"], "instant-runoff")

# Those that count ballots round by round.
ROUNDS = ("instant-runoff", "coombs", "baldwin", "nanson")

# What is present counts for these, whatever the policy for the rest.
WITHOUT_POLICY = (
    *("mean", "geometric-mean", "harmonic-mean", "median", "bucklin", "rrf", "combsum", "combmnz"),
    *("plackett-luce", "mallows"),
)


def make(name: str, unranked: Unranked) -> ra.Aggregator:
    """Return the rule of that name under a policy for unranked items."""
    k = name.removeprefix("rrf-")
    return RULES_BY_NAME[name](unranked) if k == name else ra.ReciprocalRankFusion(k=int(k))


def ranking_rule(name: str, given: Input) -> ra.Aggregator:
    """Return the rule that ranks alone: what ballots leave out is last where `count` has it so."""
    is_ballots = isinstance(given.data, ra.Profile) and name in ROUNDS
    rule = make(name, "last" if is_ballots and given.is_usual else given.unranked)
    if rule.policy is None and not given.is_usual:
        raise click.UsageError(
            f"--unranked has no meaning for --method {name}, which counts what is present."
        )
    return rule


def made(names: Iterable[str], unranked: Unranked) -> list[ra.Aggregator]:
    """Return the rules of these names, each once."""
    return [make(name, unranked) for name in dict.fromkeys(names)]


class RuleName(OneOf):
    """The name of a rule, or another one that it has."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the first of its names, or that of a fusion with its k."""
        if re.fullmatch("rrf-[0-9]{1,9}", value):
            return value
        if value == "rra":
            self.fail("rra is a test: `rankagg.inference.robust_rank_aggregation`.", param, ctx)
        return super().convert(OTHER_NAMES.get(value, value), param, ctx)


NAMED = RuleName(list(RULES_BY_NAME))
WITH_POLICY = RuleName([name for name in RULES_BY_NAME if name not in WITHOUT_POLICY])
METHOD = option("--method", type=NAMED, default="kemeny", help="The method.")


def rules_to(purpose: str, default: str = "all that suit the data") -> click.Option:
    """Return --method, which may be given several times, as `methods`."""
    return option(
        "--method",
        "methods",
        multiple=True,
        type=NAMED,
        help=f"A method to {purpose}; may be repeated. Default: {default}.",
    )
