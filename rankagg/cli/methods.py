"""The rules by the names that the command line knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.condorcet import Copeland, PairwiseMajority
from rankagg.aggregation.footrule import FootruleOptimal
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.margins import Minimax, RankedPairs, Schulze
from rankagg.aggregation.markov import MC4
from rankagg.aggregation.means import GeometricMean, HarmonicMean, Mean, Median
from rankagg.aggregation.positional import Borda, Bucklin
from rankagg.aggregation.searches import InsertionSearch, KwikSort, PickAPerm
from rankagg.aggregation.two_level import TwoLevel
from rankagg.distributions.ranking_rules import MallowsRanking, PlackettLuceRanking

__all__ = ["METHODS", "make", "method_option", "methods_option"]

METHODS: dict[str, Callable[[Unranked], Aggregator]] = {
    "mean": lambda unranked: Mean(),
    "geometric-mean": lambda unranked: GeometricMean(),
    "harmonic-mean": lambda unranked: HarmonicMean(),
    "median": lambda unranked: Median(),
    "borda": lambda unranked: Borda(unranked=unranked),
    "bucklin": lambda unranked: Bucklin(),
    "two-level-borda": lambda unranked: TwoLevel(
        Borda(unranked=unranked), Borda(unranked=unranked)
    ),
    "copeland": lambda unranked: Copeland(unranked=unranked),
    "majority": lambda unranked: PairwiseMajority(unranked=unranked),
    "minimax": lambda unranked: Minimax(unranked=unranked),
    "schulze": lambda unranked: Schulze(unranked=unranked),
    "ranked-pairs": lambda unranked: RankedPairs(unranked=unranked),
    "mc4": lambda unranked: MC4(unranked=unranked),
    "pick-a-perm": lambda unranked: PickAPerm(unranked=unranked),
    "footrule": lambda unranked: FootruleOptimal(unranked=unranked),
    "kwiksort": lambda unranked: KwikSort(pivot="best", unranked=unranked),
    "borda-kemenized": lambda unranked: InsertionSearch(start=Borda(unranked=unranked)),
    "plackett-luce": lambda unranked: PlackettLuceRanking(),
    "mallows": lambda unranked: MallowsRanking(),
    "kemeny": lambda unranked: Kemeny(unranked=unranked),
}


def make(name: str, unranked: Unranked) -> Aggregator:
    """Return the rule of that name under a policy for unranked items."""
    return METHODS[name](unranked)


method_option = click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="kemeny",
    show_default=True,
    help="The method.",
)


def methods_option(purpose: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --method, which may be given several times, to a command as `methods`."""
    return click.option(
        "--method",
        "methods",
        multiple=True,
        type=click.Choice(list(METHODS)),
        help=f"A method to {purpose}; several times for several. Default: all that suit the data.",
    )
