"""Ballots as text, what rules make of them, cycles, and what one voter gains."""

from __future__ import annotations

import inspect
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from io import StringIO

import rankagg as ra
from page import counted
from pictures import Vertex, all_orders
from rankagg.exceptions import RankaggError

# Items that a picture holds.
MOST_ITEMS = 12
# What names in ABIF have in brackets alone, and what none has.
MARKS, NEVER = re.compile(r"[>=:,/\"]"), re.compile(r"[\[\]#\r\n]")
# What stands between items elsewhere.
OTHER_MARKS = re.compile(r"[;<|]")


def profile_of_text(text: str) -> ra.Profile:
    r"""Read ballots in ABIF, one a line: `42: Memphis > Nashville = Knoxville`; 42 may be left out.

    Examples
    --------
    >>> profile_of_text("2: A > B > C\nB = C > A")
    <Profile of 3 rankings (2 rows) of 3 items, complete, with ties>
    """
    lines = [(line, line.partition("#")[0].strip()) for line in text.splitlines()]
    source = StringIO("\n".join(f"1:{x}" if x and ":" not in x else line for line, x in lines))
    source.name = "The text"
    profile = ra.io.read_abif(source)
    n = profile.n_items
    if n < 2 or any(OTHER_MARKS.search(str(item)) for item in profile.items):
        raise ValueError("Only '>' and '=' part items, and two are needed; write A > B > C.")
    if n > MOST_ITEMS:
        raise ValueError(f"There are {counted(n, 'item')}; this page holds {MOST_ITEMS} at most.")
    return profile


def ballots_as_text(profile: ra.Profile) -> str:
    """Write a profile as lines that `profile_of_text` reads.

    Examples
    --------
    >>> import rankagg as ra
    >>> print(ballots_as_text(ra.datasets.load("borda_fails_condorcet")))
    3: A > B > C
    2: B > C > A
    """
    # Signs that labels show in another form stay as they are.
    names = [str.__str__(item) if isinstance(item, str) else str(item) for item in profile.items]
    for name in filter(NEVER.search, names):
        raise ValueError(f"{name!r} has one of [ ] #: rename the item to edit it here.")
    if (profile.ranks == ra.UNRANKED).any():
        raise ValueError("A ballot leaves items unranked: a line cannot say 'not observed'.")
    if (profile.weights != 1).any():
        raise ValueError("A ballot has another weight than 1: a line cannot say so.")
    names = [f"[{name}]" if MARKS.search(name) else name for name in names]
    lines = []
    for row, count in zip(profile.ranks, profile.counts, strict=True):
        ranks = sorted(set(row[row != ra.UNLISTED]))
        buckets = [" = ".join(names[k] for k in (row == rank).nonzero()[0]) for rank in ranks]
        lines.append(f"{count}: {' > '.join(buckets)}")
    return "\n".join(lines)


SECONDS = 5.0


@cache
def every_rule() -> tuple[ra.Aggregator, ...]:
    """Return every rule that needs nothing but ballots, Borda and Kemeny first.

    Examples
    --------
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
    """Return each resulting ranking, with its rules.

    Examples
    --------
    >>> import rankagg as ra
    >>> ranking, rules = outcomes(ra.datasets.load("tennessee"))[0]
    >>> ranking, rules.split(", ")[0]
    ('Nashville > Chattanooga > Memphis > Knoxville', 'Borda')
    """
    rules_of: dict[str, list[str]] = {}
    for rule in every_rule():
        try:
            deadline = ra.aggregation.Deadline.after(SECONDS)
            result = _arrows(rule.aggregate(profile, rng=0, deadline=deadline))
        except RankaggError as error:
            result = str(error)
        rules_of.setdefault(result, []).append(rule.name)
    return [(result, ", ".join(names)) for result, names in rules_of.items()]


def _arrows(consensus: ra.Consensus) -> str:
    return " > ".join(" = ".join(map(str, bucket)) for bucket in consensus.buckets)


def winners_of(consensus: ra.Consensus) -> tuple[Hashable, ...]:
    """Return who is first: those tied, or of an exact rule the first of any optimum.

    Examples
    --------
    >>> import rankagg as ra
    >>> winners_of(ra.Kemeny().aggregate(ra.datasets.load("three_cycle")))
    ('A', 'B', 'C')
    """
    if consensus.is_proved and consensus.optima is not None:
        return consensus.optima.winners()
    return tuple(consensus.buckets[0])


@dataclass(frozen=True)
class RulesApart:
    """Where Borda and Kemeny part."""

    # The order of Kemeny.
    kemeny: tuple[Hashable, ...]
    # Whether they agree, in a sentence.
    verdict: str
    # What each contradicts.
    votes: str
    # Of the first pair on which they differ: why Kemeny, and why Borda; empty where they agree.
    reasons: tuple[str, ...]


def disagreement(profile: ra.Profile) -> RulesApart:
    """Say where Borda and Kemeny part, and why.

    Examples
    --------
    >>> import rankagg as ra
    >>> print(disagreement(ra.datasets.load("borda_fails_condorcet")).verdict)
    Borda and Kemeny differ on 1 pair: Kemeny has A above B, Borda B above A.
    """
    compared = ra.compare(profile, [ra.Borda(), ra.Kemeny()], time_limit=SECONDS)
    borda, kemeny = compared["Borda"], compared["Kemeny"]
    rows = compared.disagreements("Kemeny", "Borda")
    proof = "proved to be the fewest" if kemeny.is_proved else "not proved to be the fewest"
    votes = f"Kemeny's ranking contradicts {counted(kemeny.cost, 'vote', 'g')}, {proof}"
    if rows.empty:
        return RulesApart(
            kemeny.order, f"Borda and Kemeny agree: {_arrows(kemeny)}.", f"{votes}.", ()
        )
    above, below, other = rows.iloc[0][["above", "below", "other"]]
    theirs = f"{below} above {above}" if other == "reversed" else f"{below} level with {above}"
    verdict = (
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
        votes += f". First in some optimal ranking: {', '.join(map(str, winners_of(kemeny)))}"
    return RulesApart(kemeny.order, verdict, f"{votes}.", reasons)


ORDERS = ("ABC", "BCA", "CAB")


@dataclass(frozen=True)
class Rotated:
    """What the majorities of such voters are."""

    # None where nobody votes.
    votes: ra.PairwiseMatrix | None
    order: tuple[Hashable, ...]
    # Whether there is a best candidate, and what the order of Kemeny costs.
    verdict: str
    cost: str


def rotated(first: int, second: int, third: int) -> Rotated:
    """Say what the majorities are among voters for ABC, BCA and CAB.

    Examples
    --------
    >>> print(rotated(1, 1, 1).verdict)
    A beats B, B beats C, and C beats A: whoever is chosen, a majority prefers somebody else.
    >>> print(rotated(2, 1, 1).verdict)
    Half of the voters are no majority: nobody beats A.
    >>> print(rotated(3, 1, 1).verdict)
    A beats everybody: 3 of 5 voters have A first, more than half.
    """
    sizes = (first, second, third)
    cast = [(order, size) for order, size in zip(ORDERS, sizes, strict=True) if size]
    total = sum(sizes)
    if not cast:
        return Rotated(None, (), "Nobody votes: move a slider.", "")
    profile = ra.Profile.from_orders(
        [order for order, _ in cast], items="ABC", counts=[size for _, size in cast]
    )
    votes = profile.pairwise()
    exact = ra.Kemeny().aggregate(profile)
    assert exact.optima is not None, "three items are proved"
    graph, n_optima = ra.TournamentGraph(votes), exact.optima.count()
    winner = graph.condorcet_winner
    if winner is not None:
        own = sizes["ABC".index(str(winner))]
        half = f"{own} of {counted(total, 'voter')} have {winner} first, more than half"
        verdict = f"{winner} beats everybody: {half}."
    elif graph.is_acyclic:
        unbeaten = votes.items.where((votes.margins >= 0).all(axis=1))
        names = ", ".join(map(str, unbeaten))
        verdict = f"Half of the voters are no majority: nobody beats {names}."
    else:
        verdict = (
            "A beats B, B beats C, and C beats A: whoever is chosen, a majority prefers "
            "somebody else."
        )
    price = (
        f"{' > '.join(map(str, exact.order))} contradicts {counted(exact.cost, 'vote', 'g')}; "
        "no ranking contradicts fewer"
    )
    more = f", and {counted(n_optima - 1, 'other ranking')} as few" if n_optima > 1 else ""
    return Rotated(votes, exact.order, verdict, f"Kemeny: {price}{more}.")


@dataclass(frozen=True)
class BallotResult:
    """What comes of one ballot."""

    winners: tuple[str, ...]
    # Where they stand in the true opinion, from 1; the average where several are first, as by
    # lot.
    place: Fraction
    # 1 where that is better than what the true opinion brings as a ballot, -1 where it is worse.
    gain: int


def electorate(number: int, n_voters: int = 8, items: str = "ABCD") -> ra.Profile:
    """Return voters without any common opinion: all rankings are equally probable.

    Examples
    --------
    >>> electorate(1)
    <Profile of 8 rankings of 4 items, complete, strict>
    """
    return ra.distributions.Uniform(items).sample(n_voters, rng=number)


def results_of_ballots(
    others: ra.Profile, honest: Sequence[str], rule: ra.Aggregator
) -> dict[tuple[str, ...], BallotResult]:
    """Try every strict ballot of one more voter.

    Examples
    --------
    >>> import rankagg as ra
    >>> others = ra.Profile.from_orders(["ABC", "BAC"], counts=[2, 2])
    >>> found = results_of_ballots(others, "ABC", ra.Borda())
    >>> found["B", "C", "A"].winners, found["B", "C", "A"].gain
    (('B',), -1)
    """
    place = {item: k for k, item in enumerate(honest, start=1)}
    firsts = {}
    for ballot in all_orders(honest):
        own = ra.Permutation.from_order(ballot, items=others.items)
        firsts[ballot] = winners_of(rule.aggregate(ra.Profile([*others, own]), rng=0))
    places = {
        ballot: Fraction(sum(place[str(one)] for one in first), len(first))
        for ballot, first in firsts.items()
    }
    truth = places[tuple(honest)]
    return {
        ballot: BallotResult(
            tuple(map(str, first)),
            places[ballot],
            (truth > places[ballot]) - (truth < places[ballot]),
        )
        for ballot, first in firsts.items()
    }


def outcome(
    results: dict[tuple[str, ...], BallotResult], chosen: tuple[str, ...], rule: str
) -> tuple[str, str]:
    """Say what a ballot does, and how many would help."""
    truth, result = next(iter(results.values())), results[chosen]
    won = f"Your honest ballot makes {', '.join(map(str, truth.winners))} first"
    if chosen == next(iter(results)):
        helps = any(one.gain > 0 for one in results.values())
        verdict = f"{won}. {'Is there a better one?' if helps else 'No ballot serves you better.'}"
    else:
        better = {1: "better for you", 0: "no better and no worse for you", -1: "worse for you"}
        verdict = f"{won}. {' > '.join(chosen)} makes {', '.join(map(str, result.winners))} first: "
        verdict += f"{better[result.gain]}."
    helping = sum(one.gain > 0 for one in results.values())
    hurting = sum(one.gain < 0 for one in results.values())
    return (
        verdict,
        f"{rule}: of {counted(len(results), 'ballot')} {helping} would serve you better, and "
        f"{hurting} worse.",
    )


def vertices(
    results: dict[tuple[str, ...], BallotResult], chosen: tuple[str, ...]
) -> dict[tuple[str, ...], Vertex]:
    """Return how each ballot is drawn."""
    share, look = {1: 1.0, 0: 0.45, -1: 0.2}, {1: "strong", 0: "faint", -1: "warm"}
    return {
        order: Vertex(
            share[one.gain],
            look[one.gain],
            f"{', '.join(map(str, one.winners))} first",
            order == chosen,
        )
        for order, one in results.items()
    }


def listed_ballots(profile: ra.Profile) -> list[tuple[str, str]]:
    """Return the ballots, equal ones together, the most frequent first."""
    together = profile.compress()
    rows = sorted(
        zip(together.counts, together, strict=True), key=lambda row: (-row[0], row[1].order)
    )
    return [(str(count), " > ".join(map(str, one.order))) for count, one in rows]
