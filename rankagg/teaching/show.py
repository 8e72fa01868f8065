"""Show how a rule reaches its answer on a small data set."""

from __future__ import annotations

import re
from typing import Final

from rankagg._typing import Tolerance
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence, WholeData
from rankagg.core.items import counted
from rankagg.core.score_summary import ScoreSummary
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.registry import STEPS, WITHOUT
from rankagg.teaching.steps import Steps

__all__ = ["MOST_ITEMS", "show_steps"]

#: More do not fit into tables that one reads.
MOST_ITEMS: Final = 8

# A function as Python prints it; its own name stands behind the last point.
FUNCTION = re.compile(r"<function (?:\S*\.)?(\S+) at 0x[0-9a-f]+>")


def show_steps(aggregator: Aggregator, data: WholeData, *, tolerance: Tolerance = 0.0) -> Steps:
    """Show how a rule reaches its answer, in tables that one can follow by hand.

    The steps are computed from the definition of the rule, not by the code that finds its answer,
    and held against what it returns.

    Parameters
    ----------
    aggregator : Aggregator
        A rule: Approval, Baldwin, Black, Borda, Bucklin, Coombs, Copeland, Dodgson, Dowdall,
        GeometricMean, HarmonicMean, InstantRunoff, Kemeny, Mean, Median, Minimax, Nanson,
        PairwiseMajority, PickAPerm, Plurality, Positional, RankedPairs, ReciprocalRankFusion,
        Schulze, Slater, Veto or Young.
    data : ScoreTable, Profile, PairwiseMatrix or Comparisons
        The data, with at most eight items.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Returns
    -------
    Steps

    Raises
    ------
    InvalidInputError
        If there are more items, or the rule has no steps.
    InformationLostError
        If the rule needs more than the data hold.
    VerificationError
        If the steps come to something else than the rule; that is a fault of one of the two.

    Examples
    --------
    >>> import rankagg as ra
    >>> cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> steps = ra.show_steps(ra.RankedPairs(), cycle)
    >>> steps[3].to_frame()
      majority  margin   verdict          cycle
    0 B over C       5    locked
    1 A over B       3    locked
    2 C over A       1  left out  C > A > B > C
    >>> steps.answer
    'A > B > C'
    """
    if not isinstance(aggregator, Aggregator):
        raise InvalidInputError("aggregator", "a rule, such as `Borda()`", aggregator)
    work = STEPS.get(type(aggregator))
    if work is None:
        names = ", ".join(rule.__name__ for rule in STEPS)
        why = WITHOUT.get(type(aggregator))
        raise InvalidInputError(
            "aggregator", f"a rule with steps ({names})", Described(aggregator.name),
            "" if why is None else f"{type(aggregator).__name__} rests on {why}.",
        )  # fmt: skip
    if isinstance(data, ScoreSummary):
        raise InvalidInputError(
            "data", "scores, rankings or votes", data, "Read the scores with `read_scores`."
        )
    evidence = Evidence.of(data, tolerance)
    n_items = len(evidence.items)
    if n_items > MOST_ITEMS:
        raise InvalidInputError(
            "data", f"of at most {MOST_ITEMS} items", Described(counted(n_items, "item")),
            "`profile.restrict`, or `table.drop(systems=...)`, leaves some out.",
        )  # fmt: skip
    consensus = aggregator.aggregate(evidence)
    worked = work(consensus)
    worked.check(consensus)
    return Steps(
        title=f"{_name(aggregator)}, step by step",
        steps=worked.steps,
        answer=consensus.ranking._arrows(),
        consensus=consensus,
    )


def _name(aggregator: Aggregator) -> str:
    """Return the name of a rule, with its functions by theirs and without their place in memory."""
    return FUNCTION.sub(
        lambda found: "a function" if found[1] == "<lambda>" else found[1], aggregator.name
    )
