"""Stability of a consensus without single tasks or systems, and on subsets of every size."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import comb
from typing import Any, get_args

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from rankagg._typing import Bools, Generator, Label, Positions, Ranks, RNGLike, Tolerance
from rankagg._validation import as_generator, check_choice, check_integer, check_jobs
from rankagg.aggregation import Aggregator, Consensus, Deadline, as_data, check_rule, deadline_of
from rankagg.aggregation.kemeny import Kemeny, Optima
from rankagg.analysis.comparison.agreement import agreement_of
from rankagg.analysis.robustness.perturbation import Near, Part, Parts, in_groups
from rankagg.core import (
    ROWS,
    UNRANKED,
    PartialRanking,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    Value,
    array_key,
    counted,
    part_of,
    plain_rows,
    quantity,
    sentence,
)
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError

# Number of remaining cases, the units kept in this one, and whether all its optima are compared.
_Case = tuple[int, Positions, bool]
# A size, and the units that a subset of it keeps.
_Subset = tuple[int, Positions]


@dataclass(frozen=True, eq=False)
class _KnownConsensus(Value):
    """The consensus of some of the units, and its optima where they were computed."""

    # Shape (n,). The ranks of all systems; those left out are unranked.
    ranks: Ranks
    # False where an exact rule did not prove it in time.
    is_proved: bool
    # Shape (n, n). Whether row is above column in every optimum of an exact rule; None for other
    # rules, or if not requested or not computed in time.
    always: Bools | None = None
    # Positions of the systems that are first in some optimum, if `always` is known.
    leaders: tuple[int, ...] = ()

    def _key(self) -> tuple[Hashable, ...]:
        always = None if self.always is None else array_key(self.always)
        return array_key(self.ranks), self.is_proved, always, self.leaders

    @property
    def has_several_optima(self) -> bool:
        """Whether optima were computed, and there is more than one."""
        ranked = int((self.ranks != UNRANKED).sum())
        return self.always is not None and 2 * self.always.sum() < ranked * (ranked - 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Source(Parts):
    """Data that a rule can aggregate without some of their tasks or systems."""

    rule: Aggregator
    near: Near | None = None

    def consensus(self, kept: Positions, deadline: Deadline) -> Consensus:
        """Aggregate the kept units."""
        evidence = self.part(kept)
        if self.near is None:
            return self.rule.aggregate(evidence, deadline=deadline)
        inside = np.array(self.items.indices(list(evidence.items)))
        return self.near.consensus(evidence, deadline, inside)

    def each(
        self, cases: Sequence[_Case], deadline: Deadline, workers: int
    ) -> list[_KnownConsensus]:
        """Solve some cases in turn, each warm-started by those before it."""
        source = replace(self, near=None if self.near is None else self.near.fork())
        results = []
        for left, kept, optima in cases:
            # Shares are set when a case begins, so that later ones can use unused time.
            ends = deadline.share(max(left / workers, 1))
            results.append(source.known(source.consensus(kept, ends), ends, optima=optima))
        return results

    def known(self, consensus: Consensus, deadline: Deadline, *, optima: bool) -> _KnownConsensus:
        """Return the ranks of a consensus, with all optima if they are requested."""
        if consensus.interrupted:
            raise KeyboardInterrupt  # stop the complete analysis
        ranks = consensus.ranking.reindex(self.items).ranks
        if consensus.is_proved is False or not optima or not isinstance(consensus.optima, Optima):
            return _KnownConsensus(ranks, consensus.is_proved is not False)
        inside = np.array(self.items.indices(list(consensus.items)))
        every = consensus.optima.within(deadline.time_limit)
        always = np.zeros((len(ranks), len(ranks)), dtype=bool)
        try:
            always[np.ix_(inside, inside)] = every.relation()
            leaders = self.items.indices(list(every.winners()))
        except OutOfTimeError:
            return _KnownConsensus(ranks, is_proved=True)
        return _KnownConsensus(ranks, True, always, tuple(leaders))


class Stability(Result):
    """Consensuses without single units and on subsets, compared with that of all data.

    Made by `stability`; `plot` draws a `rankagg.plotting.robustness_plot`.

    Attributes
    ----------
    consensus : Consensus
        The consensus of all data.
    unit : {"task", "system"}
        The kind of unit left out.
    units : tuple
        The tasks or systems.
    noun : str
        Plural name of the units: "tasks" or "systems" of scores; "rankings", "groups" or "items"
        of a profile.
    on_subsets : tuple
        The consensus of each drawn subset.
    """

    consensus: Consensus
    unit: Part
    units: tuple[Label, ...]
    noun: str = field(compare=False)
    _known: _KnownConsensus
    _without: tuple[_KnownConsensus, ...]
    _sizes: tuple[int, ...]
    on_subsets: tuple[_KnownConsensus, ...]
    _optima: bool

    _schema = "rankagg.stability"
    _plot = "robustness_plot"

    @property
    def unproved(self) -> int:
        """Number of consensuses that an exact rule did not prove optimal."""
        return sum(not part.is_proved for part in (self._known, *self._without, *self.on_subsets))

    @property
    def undecided(self) -> int:
        """Number of units whose influence is not known."""
        return sum(not self._is_decided(part) for part in self._without)

    def _is_decided(self, part: _KnownConsensus) -> bool:
        if self._optima and (self._known.always is None or part.always is None):
            return False
        return self._known.is_proved and part.is_proved

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on proofs and on several optima."""
        cut = len(self._without)
        notes = list(self.consensus.notes)
        if self.unproved:
            total = 1 + cut + len(self.on_subsets)
            what, noun = "consensuses not proved", "consensus"
            part = part_of(self.unproved, what, total, "consensuses", noun)
            verb = "is" if self.unproved == 1 else "are"
            notes.append(sentence("{} {} not proved optimal", part, verb))
        if self.undecided:
            units = part_of(self.undecided, "units not decided", cut, "units left out one by one")
            text = "without {} {}, the changes are not decided within the limit"
            notes.append(sentence(text, units, self.noun))
        exact = self.consensus.is_proved is not None
        if exact and not self._optima:
            notes.append("one optimum of each is compared; others were not searched for")
        several = sum(part.has_several_optima for part in (self._known, *self._without))
        if several:
            what, noun = "consensuses with several optima", "exact consensus"
            part = part_of(several, what, 1 + cut, "exact consensuses", noun)
            text = (
                "{} {} several optima; a pair counts as changed only if all optima of all data "
                "have it one way and all without the unit the other"
            )
            notes.append(sentence(text, part, "has" if several == 1 else "have"))
        if exact and self.on_subsets:
            notes.append("one optimum of each subset is compared with one of all data")
        return tuple(notes)

    def _agreement(self, part: _KnownConsensus) -> dict[str, Any]:
        """Return the agreement of a consensus with that of all data, NaN where unknown."""
        if not self._is_decided(part):
            return dict.fromkeys(("distance", "tau", "top1"), np.nan)
        if part.always is not None and self._known.always is not None:
            return _agreement_of_optima(self._known, part)
        return self._agreement_of_ranks(part.ranks)

    def _agreement_of_ranks(self, ranks: Ranks) -> dict[str, float]:
        whole = self.consensus.ranking
        return agreement_of(whole, PartialRanking(ranks, whole.items))

    def _winner(self, part: _KnownConsensus) -> str | None:
        """Return the names of the first systems; None if they are not known."""
        if not self._is_decided(part):
            return None
        if part.always is not None:
            return " or ".join(str(self.consensus.items[i]) for i in part.leaders)
        first = np.flatnonzero(part.ranks == 0)
        return " = ".join(str(self.consensus.items[int(i)]) for i in first)

    def influence(self) -> pd.DataFrame:
        """Return the changes caused by leaving out each task or system.

        Returns
        -------
        pandas.DataFrame
            Index: the unit left out. distance: pairs of the remaining systems in another order than
            in the consensus of all data, half for a tie in one; tau: tau-b with it; top1: the
            probability that both have the same first system among those in both; winner: the first
            systems, joined by " = " if tied.

        Notes
        -----
        An exact rule may have several optima. Then distance counts the pairs that all optima of
        all data have one way and all optima without the unit the other way, and tau is computed
        from it. top1 is 0 only if no optimum of one has the same first system as an optimum of the
        other. winner names all systems that are first in some optimum, joined by " or ". All are
        missing if not decided within the time limit.
        """
        rows = [{**self._agreement(part), "winner": self._winner(part)} for part in self._without]
        return pd.DataFrame(rows, index=pd.Index(list(self.units), name="left_out"))

    def subsets(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> pd.DataFrame:
        """Return the agreement of the consensuses of subsets with that of all data.

        Parameters
        ----------
        quantiles : sequence of float, default (0.05, 0.5, 0.95)
            Quantiles of tau.

        Returns
        -------
        pandas.DataFrame
            Index: size. subsets: their number, without unproved ones of an exact rule; a column
            of tau for each quantile; top1: mean probability of the same winner.
        """
        levels = [float(q) for q in quantiles]
        if not all(0 <= q <= 1 for q in levels):
            raise InvalidInputError("quantiles", "numbers in [0, 1]", quantiles)
        rows = [
            self._agreement_of_ranks(part.ranks) if self._known.is_proved and part.is_proved else {}
            for part in self.on_subsets
        ]
        frame = pd.DataFrame(rows, columns=["distance", "tau", "top1"], dtype=np.float64)
        frame["proved"] = [bool(row) for row in rows]
        grouped = frame.groupby(pd.Index(self._sizes, name="size"))
        columns = {"subsets": grouped["proved"].sum()}
        columns |= {f"tau_{q:g}": grouped["tau"].quantile(q) for q in levels}
        columns["top1"] = grouped["top1"].mean()
        return pd.DataFrame(columns)

    def to_frame(self) -> pd.DataFrame:
        """Return the table of `influence`."""
        return self.influence()

    def _content(self) -> dict[str, Any]:
        return {
            "rule": self.consensus.rule.name,
            "unit": self.unit,
            "units": self.noun,
            **self._plain("unproved", "undecided", "notes"),
            "influence": plain_rows(self.influence().reset_index()),
            "subsets": plain_rows(self.subsets().reset_index()),
        }

    def _facts(self) -> list[str]:
        notes = (sentence("note: {}", note) for note in self.notes)
        return [sentence("{}: {}", self.consensus.rule.name, self.headline()), *notes]

    def _table(self) -> pd.DataFrame:
        return self.influence().sort_values("distance", ascending=False, kind="stable")

    def _left_out(self, number: int) -> str:
        return f"... and {counted(number, f'more {self.noun[:-1]}')}"

    def _below(self, rows: int | None = ROWS) -> list[str]:
        if not self.on_subsets:
            return []
        table = self.subsets().to_string(float_format="{:z.3f}".format, na_rep="-")
        return [f"subsets of {self.noun}: tau with the consensus of all", table]

    def headline(self) -> str:
        """Return a sentence on how often leaving out one unit changes the order of others."""
        changed = int((self.influence()["distance"] > 0).sum())
        units = quantity(len(self.units), "units left out one by one")
        change = sentence("leaving out one of {} {}", units, self.noun)
        if self.undecided == len(self.units):
            return sentence("the effect of {} is not decided within the limit", change)
        cases = quantity(changed, "units that change an order", noun="case", of=len(self.units))
        effect = sentence("{} changes the order of others in {}", change, cases)
        if not self.undecided:
            return effect
        left = quantity(self.undecided, "units not decided", of=len(self.units))
        return sentence("{}; {} are not decided within the limit", effect, left)

    def __repr__(self) -> str:
        return f"<Stability of {self.consensus.rule.name} over {len(self.units)} {self.noun}>"


def _agreement_of_optima(whole: _KnownConsensus, part: _KnownConsensus) -> dict[str, Any]:
    """Return the differences that hold for all optima of both."""
    assert whole.always is not None, "compared only if it is known"
    assert part.always is not None, "compared only if it is known"
    common = (part.ranks != UNRANKED) & (whole.ranks != UNRANKED)
    n = int(common.sum())
    distance = float((whole.always & part.always.T).sum())
    pairs = n * (n - 1) // 2
    leaders = set(whole.leaders)
    if n < len(common):
        # Systems that can lead among those in both: no other one is always above them.
        leaders = set(np.flatnonzero(common & ~whole.always[common].any(axis=0)).tolist())
    return {
        "distance": distance,
        "tau": 1.0 - 2.0 * distance / pairs if pairs else np.nan,
        "top1": float(bool(leaders & set(part.leaders))) if n else np.nan,
    }


def stability(
    data: ScoreTable | ScoreSummary | Profile,
    rule: Aggregator | None = None,
    *,
    unit: Part = "task",
    sizes: Iterable[int] | None = None,
    n_samples: int = 50,
    tolerance: Tolerance = 0.0,
    time_limit: float | None = None,
    rng: RNGLike = None,
    n_jobs: int | None = None,
) -> Stability:
    """Aggregate again without single tasks or systems, and on subsets of every size.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary or Profile
        Tasks are those of the table or summary, the groups of the profile, or, without groups, its
        rows with all their copies.
    rule : Aggregator, optional
        Any rule; the exact `Kemeny()` by default.
    unit : {"task", "system"}, default "task"
        The kind of unit left out.
    sizes : iterable of int, optional
        Sizes of the subsets; by default every number from 1 (2 for systems) to all but one. An
        empty list leaves out single units only.
    n_samples : int, default 50
        Number of subsets of each size, drawn at random without repetition; all if there are no
        more.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied.
    time_limit : float, optional
        Seconds in total. Results that an exact rule does not prove in time are missing in the
        tables.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    n_jobs : int, optional
        Number of processes that joblib starts; -1 for all cores.

    Returns
    -------
    Stability

    Raises
    ------
    InvalidInputError
        If there are fewer than two tasks, or three systems.
    InformationLostError
        If systems are to be left out of a summary.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> result = ra.stability(table, ra.Borda(), n_samples=20, rng=0)
    >>> result.influence().head(3).round(3)
              distance  tau  top1 winner
    left_out
    BoolQ          0.0  1.0   1.0  Human
    CB             0.0  1.0   1.0  Human
    COPA           0.0  1.0   1.0  Human
    """
    data = as_data(data)
    rule = Kemeny() if rule is None else check_rule(rule)
    kind = check_choice(unit, get_args(Part), "unit")
    times = check_integer(n_samples, "n_samples", low=1)
    jobs = check_jobs(n_jobs)
    parts = Parts(data=data, tolerance=tolerance, unit=kind)
    subsets = _subsets(parts, sizes, times, as_generator(rng))
    return leave_each_out(parts, rule, subsets, deadline=deadline_of(time_limit), n_jobs=jobs)


def leave_each_out(
    parts: Parts,
    rule: Aggregator,
    subsets: Sequence[_Subset] = (),
    *,
    optima: bool = True,
    deadline: Deadline,
    n_jobs: int | None = None,
    whole: Consensus | None = None,
) -> Stability:
    """Aggregate again without each unit, and on subsets, until the deadline.

    Unless `optima` is False all optima of all data are compared with all without the unit.
    """
    source = _Source(data=parts.data, tolerance=parts.tolerance, unit=parts.unit, rule=rule)
    total = len(source.units)
    if whole is None:
        whole = source.consensus(np.arange(total), deadline.share(2))
    known = source.known(whole, deadline.share(2), optima=optima)
    kept = [(np.delete(np.arange(total), unit), optima) for unit in range(total)]
    kept += [(units, False) for _, units in subsets]
    if known.is_proved:
        cases = [(len(kept) - number, *case) for number, case in enumerate(kept)]
        near = replace(source, near=Near.of(source.rule, whole, source.items))
        work = partial(near.each, deadline=deadline, workers=effective_n_jobs(n_jobs))
        results = in_groups(work, cases, 1, n_jobs)
    else:
        # Without a proved baseline nothing is compared.
        no_ranks = np.full(len(source.items), UNRANKED, dtype=np.int32)
        results = [_KnownConsensus(no_ranks, is_proved=False)] * len(kept)
    return Stability(
        consensus=whole,
        unit=source.unit,
        units=tuple(source.units),
        noun=source.noun,
        _known=known,
        _without=tuple(results[:total]),
        _sizes=tuple(size for size, _ in subsets),
        on_subsets=tuple(results[total:]),
        # Optima that may tie items are not compared.
        _optima=optima and whole.is_proved is not None and whole.rule.is_strict,
    )


def _subsets(
    parts: Parts, sizes: Iterable[int] | None, times: int, rng: Generator
) -> list[_Subset]:
    """Return sizes and kept units: all subsets if they are few, else different random ones."""
    total, noun = len(parts.units), parts.noun
    least = 1 if parts.unit == "task" else 2
    if total <= least:
        number = Described(counted(total, noun.removesuffix("s")))
        raise InvalidInputError("data", f"at least {least + 1} {noun}", number)
    subsets: list[_Subset] = []
    for size in range(least, total) if sizes is None else sizes:
        check_integer(size, f"sizes of subsets of {noun}", low=least, high=total - 1)
        if comb(total, size) <= times:
            subsets += [(size, np.array(kept)) for kept in combinations(range(total), size)]
            continue
        seen: set[tuple[int, ...]] = set()
        while len(seen) < times:
            seen.add(tuple(np.sort(rng.choice(total, size, replace=False)).tolist()))
        subsets += [(size, np.array(kept)) for kept in sorted(seen)]
    return subsets
