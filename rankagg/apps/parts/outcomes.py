"""What every rule makes of some ballots, and where Borda and Kemeny part, in words."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cache

import rankagg as ra
from rankagg._typing import Label
from rankagg.core.items import counted, listed
from rankagg.exceptions import RankaggError

__all__ = ["Disagreement", "disagreement", "every_rule", "outcomes", "winners_of"]

SECONDS = 5.0


@cache
def every_rule() -> tuple[ra.Aggregator, ...]:
    """Return every rule that needs nothing but ballots, Borda and Kemeny first.

    Examples
    --------
    >>> from rankagg.apps.parts.outcomes import every_rule
    >>> [rule.name for rule in every_rule()][:3]
    ['Borda', 'Kemeny', 'Approval(k=2)']
    """
    found: list[ra.Aggregator] = [ra.Approval(2)]
    for name in dir(ra):
        kind = getattr(ra, name)
        if not inspect.isclass(kind) or not issubclass(kind, ra.Aggregator):
            continue
        needed = inspect.signature(kind).parameters.values()
        if inspect.isabstract(kind) or any(one.default is one.empty for one in needed):
            continue
        rule = kind()
        if rule.needs != "scores":
            found.append(rule)
    first = {"Borda": 0, "Kemeny": 1}
    return tuple(sorted(found, key=lambda rule: (first.get(rule.name, 2), rule.name)))


def outcomes(profile: ra.Profile) -> list[tuple[str, str]]:
    """Return each ranking that comes out, with the rules that say so.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.outcomes import outcomes
    >>> outcomes(ra.datasets.load("tennessee"))[0]
    ('Nashville > Chattanooga > Memphis > Knoxville', 'Borda')
    """
    rules_of: dict[str, list[str]] = {}
    for rule in every_rule():
        try:
            deadline = ra.Deadline.after(SECONDS)
            result = _arrows(rule.aggregate(profile, rng=0, deadline=deadline))
        except RankaggError as error:
            result = str(error)
        rules_of.setdefault(result, []).append(rule.name)
    return [(result, ", ".join(names)) for result, names in rules_of.items()]


def _arrows(consensus: ra.Consensus) -> str:
    return " > ".join(" = ".join(map(str, bucket)) for bucket in consensus.buckets)


def winners_of(consensus: ra.Consensus) -> tuple[Label, ...]:
    """Return who is first: those tied, or of an exact rule the first of any optimum.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.outcomes import winners_of
    >>> winners_of(ra.Kemeny().aggregate(ra.datasets.load("three_cycle")))
    ('A', 'B', 'C')
    """
    if consensus.is_proved and consensus.optima is not None:
        return consensus.optima.winners()
    return tuple(consensus.buckets[0])


@dataclass(frozen=True)
class Disagreement:
    """Where Borda and Kemeny part.

    Attributes
    ----------
    kemeny : tuple of str or int
        The order of Kemeny.
    said : str
        Whether they agree, in a sentence.
    votes : str
        What each contradicts.
    reasons : tuple of str
        Of the first pair on which they differ: why Kemeny, and why Borda; empty where they agree.
    """

    kemeny: tuple[Label, ...]
    said: str
    votes: str
    reasons: tuple[str, ...]


def disagreement(profile: ra.Profile) -> Disagreement:
    """Say where Borda and Kemeny part, and why.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.outcomes import disagreement
    >>> print(disagreement(ra.datasets.load("borda_fails_condorcet")).said)
    Borda and Kemeny differ on 1 pair: Kemeny has A above B, Borda B above A.
    """
    compared = ra.compare(profile, [ra.Borda(), ra.Kemeny()], time_limit=SECONDS)
    borda, kemeny = compared["Borda"], compared["Kemeny"]
    rows = compared.disagreements("Kemeny", "Borda")
    proof = "proved to be the fewest" if kemeny.is_proved else "not proved to be the fewest"
    votes = f"Kemeny's ranking contradicts {counted(kemeny.cost, 'vote', 'g')}, {proof}"
    if rows.empty:
        return Disagreement(
            kemeny.order, f"Borda and Kemeny agree: {_arrows(kemeny)}.", f"{votes}.", ()
        )
    above, below, other = rows.iloc[0][["above", "below", "other"]]
    theirs = f"{below} above {above}" if other == "reversed" else f"{below} level with {above}"
    said = (
        f"Borda and Kemeny differ on {counted(len(rows), 'pair')}: "
        f"{'for one, ' if len(rows) > 1 else ''}Kemeny has {above} above {below}, Borda {theirs}."
    )
    reasons = tuple(
        ra.explain(one, above, below, time_limit=SECONDS).summary() for one in (kemeny, borda)
    )
    strict = len(borda.buckets) == len(profile.items)
    if strict:
        votes += f"; Borda's contradicts {counted(borda.cost, 'vote', 'g')}"
        if kemeny.is_proved and borda.cost == kemeny.cost:
            votes += ": it is optimal too"
    if len(winners_of(kemeny)) > 1:
        votes += f". First in some optimal ranking: {listed(winners_of(kemeny))}"
    return Disagreement(kemeny.order, said, f"{votes}.", reasons)
