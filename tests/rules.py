"""Every public rule, with parameters for those that need some."""

import rankagg as ra
from rankagg.analysis.rules import RULES


def falling(n):
    """Return the points of Borda's rule."""
    return range(n - 1, -1, -1)


NEEDING = {ra.Approval: {"k": 2}, ra.Positional: {"weights": falling}, ra.TopK: {"k": 2}}


def public_rules() -> list[ra.Aggregator]:
    """Return one rule of each public class, but for those that are made of others."""
    return [kind(**NEEDING.get(kind, {})) for kind in RULES if kind is not ra.TwoLevel]
