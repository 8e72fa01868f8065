"""Every public rule, with parameters for those that need some."""

import rankagg as ra

NEEDING = {
    "Approval": {"k": 2},
    "Positional": {"weights": "borda"},
    "TopK": {"k": 2},
}


def public_rules() -> list[ra.Aggregator]:
    """Return one rule of each public class, but for those that are made of others."""
    kinds = [
        kind
        for name in ra.__all__
        if isinstance(kind := getattr(ra, name), type) and issubclass(kind, ra.Aggregator)
    ]
    return [
        kind(**NEEDING.get(kind.__name__, {}))
        for kind in kinds
        if kind not in (ra.Aggregator, ra.TwoLevel)
    ]
