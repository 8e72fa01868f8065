"""The rules by the names that the command line knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import click

import rankagg as ra
from rankagg.cli.options.typed import OneOf, option

# The class of a rule, or what makes one with parameters.
RULES_BY_NAME: dict[str, str | Callable[[], ra.Aggregator]] = {
    "mean": "Mean",
    "geometric-mean": "GeometricMean",
    "harmonic-mean": "HarmonicMean",
    "median": "Median",
    "borda": "Borda",
    "bucklin": "Bucklin",
    "rrf": "ReciprocalRankFusion",
    "combsum": "CombSUM",
    "combmnz": "CombMNZ",
    "plurality": "Plurality",
    "veto": "Veto",
    "dowdall": "Dowdall",
    "approval-2": lambda: ra.Approval(2),
    "approval-3": lambda: ra.Approval(3),
    "instant-runoff": "InstantRunoff",
    "coombs": "Coombs",
    "baldwin": "Baldwin",
    "nanson": "Nanson",
    "black": "Black",
    "two-level-borda": lambda: ra.TwoLevel(ra.Borda(), ra.Borda()),
    "copeland": "Copeland",
    "majority": "PairwiseMajority",
    "minimax": "Minimax",
    "schulze": "Schulze",
    "ranked-pairs": "RankedPairs",
    "mc4": "MC4",
    "rank-centrality": "RankCentrality",
    "pick-a-perm": "PickAPerm",
    "footrule": "FootruleOptimal",
    "kwiksort": lambda: ra.KwikSort(pivot="best"),
    "borda-kemenized": lambda: ra.InsertionSearch(start=ra.Borda()),
    "plackett-luce": "PlackettLuceRanking",
    "mallows": "MallowsRanking",
    "young": "Young",
    "dodgson": "Dodgson",
    "slater": "Slater",
    "kemeny": "Kemeny",
}

#: What elections call instant runoff: ranked choice voting, and STV for one seat.
OTHER_NAMES = dict.fromkeys(["irv", "rcv", "stv"], "instant-runoff")

# Those that count ballots round by round.
ROUNDS = ("instant-runoff", "coombs", "baldwin", "nanson")

# These rank alike by every policy for unranked items.
WITHOUT_POLICY = (
    *ROUNDS,
    *("mean", "geometric-mean", "harmonic-mean", "median", "bucklin", "rrf", "combsum", "combmnz"),
    *("plackett-luce", "mallows"),
)


def make(name: str) -> ra.Aggregator:
    """Return the rule of that name."""
    k = name.removeprefix("rrf-")
    if k != name:
        return ra.ReciprocalRankFusion(k=int(k))
    made_by = RULES_BY_NAME[name]
    rule: ra.Aggregator = getattr(ra, made_by)() if isinstance(made_by, str) else made_by()
    return rule


def made(names: Iterable[str]) -> list[ra.Aggregator]:
    """Return the rules of these names, each once."""
    return [make(name) for name in dict.fromkeys(names)]


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
RULE = option("--rule", "name", type=NAMED, default="kemeny", help="The rule.")


def rules_to(purpose: str, default: str = "all that suit the data") -> click.Option:
    """Return --rule, which may be given several times, as `names`."""
    return option(
        "--rule",
        "names",
        multiple=True,
        type=NAMED,
        help=f"A rule to {purpose}; may be repeated. Default: {default}.",
    )
