"""Display of the steps of rules."""

from __future__ import annotations

import re
from typing import Final

from rankagg._typing import Tolerance
from rankagg.aggregation import Aggregator, Evidence, WholeData, check_rule
from rankagg.analysis.rules import RULES
from rankagg.core import ScoreSummary, counted
from rankagg.exceptions import Described, InvalidInputError

# Importing these registers their steps.
from rankagg.teaching import ballot_steps, vote_steps  # noqa: F401
from rankagg.teaching.steps import Steps, work_out

#: More items do not fit into readable tables.
MOST_ITEMS: Final = 8

# A function as Python prints it, with its own name after the last point.
FUNCTION = re.compile(r"<function (?:\S*\.)?(\S+) at 0x[0-9a-f]+>")


def _has_steps(kind: type[Aggregator]) -> bool:
    """Return whether a rule has registered steps."""
    return work_out.dispatch(kind) is not work_out.dispatch(Aggregator)


def show_steps(rule: Aggregator, data: WholeData, *, tolerance: Tolerance = 0.0) -> Steps:
    """Show how a rule reaches its answer, in tables that can be followed by hand.

    The steps are computed from the definition of the rule, independently of its code, and compared
    with its result.

    Parameters
    ----------
    rule : Aggregator
        A rule with steps; the error for other rules names these.
    data : ScoreTable, Profile, PairwiseMatrix or Comparisons
        The data, with at most eight items.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied; see `ScoreTable.rankings`.

    Raises
    ------
    InvalidInputError
        If there are more items, or the rule has no steps.
    InformationLostError
        If the rule needs more than the data hold.
    VerificationError
        If the steps and the rule differ, which is a fault of one of the two.

    Examples
    --------
    >>> import rankagg as ra
    >>> cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    >>> steps = ra.teaching.show_steps(ra.RankedPairs(), cycle)
    >>> steps[3].to_frame()
      majority  margin   verdict          cycle
    0 B over C       5    locked
    1 A over B       3    locked
    2 C over A       1  left out  C > A > B > C
    >>> steps.answer
    'A > B > C'
    """
    if not _has_steps(type(check_rule(rule))):
        names = ", ".join(sorted(kind.__name__ for kind in RULES if _has_steps(kind)))
        raise InvalidInputError("rule", f"a rule with steps ({names})", Described(rule.name))
    if isinstance(data, ScoreSummary):
        raise InvalidInputError(
            "data", "scores, rankings or votes", data, "Read the scores with `read_scores`."
        )
    evidence = Evidence.of(data, tolerance)
    n_items = len(evidence.items)
    if n_items > MOST_ITEMS:
        raise InvalidInputError(
            "data",
            f"of at most {MOST_ITEMS} items",
            Described(counted(n_items, "item")),
            "`profile.restrict`, or `table.drop(systems=...)`, leaves some out.",
        )
    consensus = rule.aggregate(evidence)
    worked = work_out(rule, consensus, evidence.read_by(rule))
    worked.check(consensus)
    return Steps(
        title=f"{_name(rule)}, step by step",
        steps=worked.steps,
        answer=consensus.ranking.to_text(),
        consensus=consensus,
    )


def _name(rule: Aggregator) -> str:
    """Return the name of a rule, with functions by name instead of memory address."""
    return FUNCTION.sub(
        lambda found: "a function" if found[1] == "<lambda>" else found[1], rule.name
    )
