"""Every public rule, with parameters for those that need some."""

import rankagg as ra
from rankagg.analysis.rules import RULES

NEEDING = {ra.Approval: {"k": 2}, ra.Positional: {"weights": "borda"}, ra.TopK: {"k": 2}}


def public_rules() -> list[ra.Aggregator]:
    """Return one rule of each public class, but for those that are made of others."""
    return [kind(**NEEDING.get(kind, {})) for kind in RULES if kind is not ra.TwoLevel]
