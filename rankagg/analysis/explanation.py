"""Explanations of the order of two items: votes, cycles, scores, and the cost of a swap."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation import Borda, Consensus, Deadline, Evidence, deadline_of
from rankagg.aggregation.base import votes_text
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.removal.removal_units import RemovalClasses, fewest
from rankagg.analysis.tournament import TournamentGraph
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    PairwiseMatrix,
    PartialRanking,
    Result,
    exact,
    listed,
    plural,
    quantity,
    sentence,
    shortened,
)
from rankagg.exceptions import InvalidInputError


def explain(
    consensus: Consensus, first: Label, second: Label, *, time_limit: float | None = None
) -> Explanation:
    """Explain why one item is above another in a consensus.

    Parameters
    ----------
    consensus : Consensus
        The result of any rule.
    first, second : str or int
        Two of its items, in any order.
    time_limit : float, optional
        Seconds for the search of the cheapest ranking with the pair reversed.

    Examples
    --------
    >>> import rankagg as ra
    >>> exact = ra.Kemeny().aggregate(ra.datasets.load("condorcet_1785"))
    >>> print(ra.explain(exact, "A", "B"))
    Kemeny has B above A
    votes       27 for B above A, 33 for the reverse: a majority for A
    cycle       A beats B beats C beats A
    swap        A above B costs 4 votes more: A > B > C
    flip        another majority, if 4 rankings turned the pair round
    """
    deadline = deadline_of(time_limit)
    if not isinstance(consensus, Consensus):
        raise InvalidInputError("consensus", "a Consensus", consensus)
    i, j = consensus.items.indices([first, second])
    ranks = consensus.ranking.ranks
    if i == j:
        raise InvalidInputError("second", "another item than the first", second)
    for parameter, label, at in (("first", first, i), ("second", second, j)):
        if ranks[at] in (UNRANKED, UNLISTED):
            raise InvalidInputError(parameter, "an item that the consensus ranks", label)
    if (ranks[j], j) < (ranks[i], i):
        i, j = j, i
    swap, is_held = _swap(consensus, i, j, deadline)
    above, below = consensus.items[i], consensus.items[j]
    return Explanation(consensus=consensus, above=above, below=below, swap=swap, is_held=is_held)


class Explanation(Result):
    """Why one item is above another, or tied with it.

    Made by `explain`; it has no plot.

    Attributes
    ----------
    consensus : Consensus
        The explained consensus.
    above, below : str or int
        The items; tied ones in the order of the item set.
    is_held : bool
        True if constraints forbid the reverse order of the pair.
    swap : PartialRanking or None
        The cheapest ranking with the pair reversed, for an exact rule with a proof; None for other
        rules, or where the time limit was reached.
    """

    consensus: Consensus
    above: Label
    below: Label
    is_held: bool = field(default=False, compare=False)
    swap: PartialRanking | None = field(compare=False)

    _schema = "rankagg.explanation"
    _prints_table = False

    @cached_property
    def _pair(self) -> tuple[int, int]:
        """The positions of the two items."""
        i, j = self.consensus.items.indices([self.above, self.below])
        return i, j

    @cached_property
    def votes_for(self) -> float:
        """Votes for the order of the consensus, by the policy of the data."""
        return float(self.consensus.pairwise.wins[self._pair])

    @cached_property
    def votes_against(self) -> float:
        """Votes for the reverse."""
        return float(self.consensus.pairwise.wins[self._pair[::-1]])

    @cached_property
    def ties(self) -> float:
        """Votes that tie the two."""
        return float(self.consensus.pairwise.ties[self._pair])

    @property
    def is_tied(self) -> bool:
        """Whether the consensus ties them."""
        upper, lower = self.consensus.ranking.ranks[list(self._pair)]
        return bool(upper == lower)

    @cached_property
    def cycle(self) -> tuple[Label, ...]:
        """`TournamentGraph.shortest_cycle` of the two."""
        return TournamentGraph(self.consensus.pairwise).shortest_cycle(self.above, self.below)

    @cached_property
    def extra_cost(self) -> float | None:
        """Cost of `swap` in excess of the optimum, in votes: 0 if it is optimal too."""
        if self.swap is None:
            return None
        consensus = self.consensus
        cost = partial(
            consensus.pairwise.exact_cost,
            tie_cost=consensus.tie_cost,
            consensus_tie_cost=consensus.consensus_tie_cost,
        )
        return float(cost(self.swap) - cost(consensus.ranking))

    @property
    def margin(self) -> float:
        """Votes for the order of the consensus minus those against it."""
        return self.votes_for - self.votes_against

    @property
    def are_joined(self) -> bool:
        """Whether a chain of comparisons connects the two; otherwise no data order them."""
        upper, lower = self.consensus.evidence.parts[list(self._pair)]
        return bool(upper == lower)

    @property
    def score_difference(self) -> float | None:
        """Score of the upper item minus that of the lower; None for rules without scores."""
        if self.consensus.scores is None:
            return None
        i, j = self._pair
        return float(self.consensus.scores[i] - self.consensus.scores[j])

    @property
    def is_complete(self) -> bool:
        """Whether the swap was computed in time, where there is one."""
        return self.swap is not None or self.is_held or not _can_swap(self.consensus)

    @property
    def rankings_to_flip(self) -> int | None:
        """Smallest number of rankings that must swap the two items to reverse the majority.

        None where there is no majority, or where the data are votes without rankings.
        """
        evidence = self.consensus.evidence
        if not self.margin or not evidence.has_rankings:
            return None
        units = RemovalClasses(data=evidence.profile, rule=Borda(), tolerance=0.0, unit="ranking")
        i, j = self._pair
        leads = units.leads(i, np.array([j])) * int(np.sign(self.margin))
        margin = exact.integer_product(units.counts, leads)
        # Each ranking also adds its votes to the other side.
        return int(fewest(margin + 1, exact.multiply(leads, 2), units.counts)[0])

    def rankings(self) -> pd.DataFrame:
        """Return the weight of rankings for each order of the pair, by task if there are tasks.

        Returns
        -------
        pandas.DataFrame
            Weights "for" the order of the consensus, "against" it, "tied", and "open" (not both
            observed); one row per task or ranking. Empty where the data are votes.
        """
        evidence = self.consensus.evidence
        if not evidence.has_rankings:
            return pd.DataFrame(columns=["for", "against", "tied", "open"], dtype=float)
        profile = evidence.profile
        i, j = self._pair
        place = np.where(profile.ranks == UNLISTED, profile.n_items, profile.ranks)
        seen = (profile.ranks[:, [i, j]] != UNRANKED).all(axis=1)
        seen &= ~(profile.ranks[:, [i, j]] == UNLISTED).all(axis=1)
        weight = profile.counts * profile.weights
        masks = {
            "for": seen & (place[:, i] < place[:, j]),
            "against": seen & (place[:, i] > place[:, j]),
            "tied": seen & (place[:, i] == place[:, j]),
            "open": ~seen,
        }
        labels = list(range(len(profile))) if profile.groups is None else list(profile.groups)
        name = "ranking" if profile.groups is None else "task"
        frame = pd.DataFrame({kind: np.where(mask, weight, 0.0) for kind, mask in masks.items()})
        return frame.groupby(pd.Index(labels, name=name), sort=False).sum()

    def to_frame(self) -> pd.DataFrame:
        """Return the table of `rankings`."""
        return self.rankings()

    def _content(self) -> dict[str, Any]:
        swap = None
        if self.swap is not None:
            ranking = [list(bucket) for bucket in self.swap.buckets]
            swap = {"extra_cost": self.extra_cost, "ranking": ranking}
        pair = self._plain("above", "below", "is_tied", "votes_for", "votes_against", "ties")
        more = self._plain("cycle", "score_difference", "rankings_to_flip", "is_held", "are_joined")
        return {"rule": self.consensus.rule.name, **pair, **more, "swap": swap}

    # -- text ---------------------------------------------------------------------------------

    def _facts(self) -> list[str]:
        a, b = shortened(self.above), shortened(self.below)
        verb = "ties" if self.is_tied else "has"
        joint = "and" if self.is_tied else "above"
        lines = [f"{self.consensus.rule.name} {verb} {a} {joint} {b}", self._votes_line()]
        if not self.are_joined:
            unit = self.consensus.evidence.unit
            lines.append(f"groups      no chain of {plural(unit)} joins {a} and {b}")
        if self.score_difference is not None:
            lines.append(self._score_line())
        if self.cycle:
            path = " beats ".join(map(shortened, (*self.cycle, self.cycle[0])))
            lines.append(f"cycle       {path}")
        if self.swap is not None:
            lines.append(self._swap_line())
        elif self.is_held:
            lines.append("swap        none: the constraints require this order of the pair")
        elif not self.is_complete:
            lines.append("swap        not computed in time")
        elif self.consensus.is_proved is False:
            lines.append(f"proof       none: {listed(self.consensus.notes)}")
        if self.margin:
            lines.append(self._flip_line())
        return lines

    def _flip_line(self) -> str:
        number = self.rankings_to_flip
        head = "flip        another majority, if"
        if number is None:
            half = votes_text(self.consensus, abs(self.margin) / 2, "half of a majority")
            return sentence("{} more than {} turned round", head, half)
        data = self.consensus.evidence.data
        noun = "ranking" if getattr(data, "is_instance_level", True) else "task"
        rankings = votes_text(self.consensus, number, "rankings that turn a majority", "", noun)
        return sentence("{} {} turned the pair round", head, rankings)

    def _votes_line(self) -> str:
        a, b = shortened(self.above), shortened(self.below)
        votes = partial(votes_text, self.consensus)
        head = f"{self.consensus.evidence.words.vote}s".ljust(12)
        if not self.votes_for + self.votes_against + self.ties:
            return f"{head}none: {a} and {b} were never compared"
        verdict = {1: f"a majority for {a}", -1: f"a majority for {b}", 0: "no majority"}
        mine = votes(self.votes_for, "votes for a pair", noun="")
        against = votes(self.votes_against, "votes against a pair", noun="")
        tied = sentence(", {} tie them", votes(self.ties, "votes that tie a pair", noun=""))
        ties, end = tied if self.ties else "", verdict[int(np.sign(self.margin))]
        text = head + "{} for {} above {}, {} for the reverse{}: {}"
        return sentence(text, mine, a, b, against, ties, end)

    def _score_line(self) -> str:
        assert self.consensus.scores is not None, "only rules with scores have this line"
        upper, lower = self.consensus.scores[list(self._pair)].tolist()
        numbers = (
            quantity(upper, "score of the upper", ".6g"),
            quantity(lower, "score of the lower", ".6g"),
            quantity(upper - lower, "difference of scores", "z.6g"),
        )
        find = getattr(self.consensus.rule, "interval", lambda *pair: ())
        ends = [quantity(end, "end of an interval", ".3g") for end in find(self.above, self.below)]
        interval = sentence(" (95 % interval: {} to {})", *ends) if ends else ""
        return sentence("scores      {} against {}, a difference of {}{}", *numbers, interval)

    def _swap_line(self) -> str:
        assert self.swap is not None, "only exact rules have a swap"
        assert self.extra_cost is not None, "a swap has a price"
        a, b = shortened(self.above), shortened(self.below)
        extra = votes_text(self.consensus, self.extra_cost, "votes that a swap costs")
        costs = sentence("{} more", extra) if self.extra_cost else "the same"
        return sentence("swap        {} above {} costs {}: {}", b, a, costs, self.swap.to_text())

    def __repr__(self) -> str:
        return f"<Explanation of {listed([self.above, self.below])}>"


def _can_swap(consensus: Consensus) -> bool:
    """Return whether the optimum is proved, and ties are not free."""
    is_exact = isinstance(consensus.rule, Kemeny)
    return is_exact and bool(consensus.is_proved) and consensus.consensus_tie_cost != 0


def _swap(
    consensus: Consensus, i: int, j: int, deadline: Deadline
) -> tuple[PartialRanking | None, bool]:
    """Return the consensus after a vote that reverses the pair and outweighs all others.

    Also return whether constraints forbid the reverse order.
    """
    if not _can_swap(consensus):
        return None, False
    rule, votes = consensus.rule, consensus.pairwise
    wins, price = votes.wins.copy(), consensus.consensus_tie_cost
    wins[j, i] += (votes.wins.sum() + votes.ties.sum() + 1.0) / (price or 1.0)
    # Ties of votes matter only where those of the consensus have a price.
    ties = None if price is None else votes.ties
    evidence = Evidence(PairwiseMatrix.from_wins(wins, items=votes.items, ties=ties))
    forced = rule.aggregate(evidence, deadline=deadline)
    if forced.interrupted:
        raise KeyboardInterrupt
    if not forced.is_proved:
        return None, False
    ranks = consensus.ranking.ranks, forced.ranking.ranks
    if all(one[i] < one[j] for one in ranks) and getattr(rule, "constraints", None) is not None:
        return None, True
    return forced.ranking, False
