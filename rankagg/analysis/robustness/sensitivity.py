"""Sensitivity of conclusions to assumptions about missing items.

The same rule is applied under every policy, and to completions of the data in which each ranking
is one of its compatible permutations, drawn uniformly. Conclusions on which all agree do not depend
on the assumption; pairs that flip do. The draws ignore how good an item is, so this is no multiple
imputation, and the shares are no probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Generator, Ranks, RNGLike, Tolerance, Unranked
from rankagg._validation import as_generator, check_integer, check_jobs
from rankagg.aggregation import (
    Aggregator,
    Borda,
    Consensus,
    Deadline,
    Evidence,
    as_data,
    check_rule,
)
from rankagg.aggregation.kemeny import Certificate, Optima
from rankagg.analysis.robustness.perturbation import Near, in_groups
from rankagg.core import (
    UNRANKED,
    ItemSet,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    counted,
    permutation_of,
    places,
    shortened,
)
from rankagg.distributions.base import RankingDistribution, Uniform
from rankagg.exceptions import InformationLostError, InvalidInputError, OutOfTimeError
from rankagg.inference.units import rankings_of

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.relaxation import Live


def _in_random_order(profile: Profile, rng: Generator) -> Profile:
    """Return the same rankings with the items numbered in a random order.

    A rule that returns one of several rankings may choose it by the numbers of the items; this
    makes the choice random.
    """
    numbers = rng.permutation(profile.n_items)
    ranks = np.ascontiguousarray(profile.ranks[:, numbers])
    return profile._replace(ranks=ranks, items=ItemSet(profile.items.at(numbers)))


def _drawn_ranks(
    consensus: Consensus,
    items: ItemSet,
    rng: Generator,
    deadline: Deadline,
    *,
    always: Bools | None = None,
    live: Live | None = None,
) -> tuple[Ranks, bool]:
    """Return the ranks in one of all optimal consensuses, see `draw_optimum`."""
    found = consensus.ranking.reindex(items).ranks
    proof = consensus.certificate
    if proof is None:
        return found, True
    if proof.status != "optimal":
        return found, False
    every = consensus.optima
    if type(every) is not Optima or not isinstance(proof, Certificate):
        return found, True  # ties have a price, or there are constraints
    # The solver is loaded when something is solved.
    from rankagg.aggregation.kemeny.optimal_relation import (  # noqa: PLC0415
        draw_optimum,
        shown_in_all,
    )

    problem, first = every._problem, np.array(proof.order, dtype=np.intp)
    try:
        if always is None:
            always = shown_in_all(problem, proof, deadline, live)
        order = draw_optimum(problem, first, always, rng, deadline)
    except OutOfTimeError:
        return found, False
    return permutation_of(np.argsort(order), every.items).reindex(items).ranks, True


def _complete_and_rank(
    profile: Profile,
    rule: Aggregator,
    distribution: RankingDistribution,
    near: Near | None,
    seeds: Sequence[Generator],
) -> list[tuple[Ranks, bool]]:
    """Return the ranks in the consensuses of some completions, and whether each was settled.

    Each search starts from the last completion.
    """
    gaps = (profile.ranks == UNRANKED).any(axis=1)
    incomplete = profile[np.flatnonzero(gaps)]
    own = None if near is None else near.fork()
    live = None if own is None else own.warm.live
    found = []
    for rng in seeds:
        ranks = profile.ranks.copy()
        ranks[gaps] = distribution.complete(incomplete, rng=rng).ranks
        completed = profile._replace(ranks=ranks)
        if own is None:
            consensus = rule.aggregate(_in_random_order(completed, rng), rng=rng)
        else:
            consensus = own.consensus(Evidence(completed), Deadline())
        if consensus.interrupted:
            raise KeyboardInterrupt  # stop the complete analysis
        found.append(_drawn_ranks(consensus, profile.items, rng, _time_of(consensus), live=live))
    return found


def _rank_again(
    consensus: Consensus, items: ItemSet, always: Bools | None, seeds: Sequence[Generator]
) -> list[tuple[Ranks, bool]]:
    """Return the result of `_complete_and_rank` for data without gaps."""
    if always is None or 2 * always.sum() == len(always) * (len(always) - 1):
        return [(consensus.ranking.ranks, consensus.is_proved is not False)] * len(seeds)
    return [
        _drawn_ranks(consensus, items, rng, _time_of(consensus), always=always) for rng in seeds
    ]


def _time_of(consensus: Consensus) -> Deadline:
    """Return the deadline for drawing an optimum: it may take as long as the rule."""
    return Deadline().sooner(getattr(consensus.rule, "time_limit", None))


def sensitivity(
    data: ScoreTable | ScoreSummary | Profile,
    rule: Aggregator | None = None,
    *,
    n_samples: int = 200,
    model: RankingDistribution | None = None,
    tolerance: Tolerance = 0.0,
    rng: RNGLike = None,
    n_jobs: int | None = None,
) -> Sensitivity:
    """Apply a rule under every policy for missing items, and to sampled completions.

    The first policy is that of the data, with which the others are compared.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary or Profile
        The data. A summary has no rankings to complete, so only the policies are compared.
    rule : Aggregator, optional
        A rule that the policy changes; `Borda()` by default.
    n_samples : int, default 200
        Number of completions: every ranking with missing items becomes one of its compatible
        permutations (its ties are broken at random too); other rankings stay.
    model : RankingDistribution, optional
        Draw completions from this distribution, given each ranking, and not uniformly: imputation
        from a model, such as `ra.PlackettLuce.fit(profile).distribution`. Its parameters are
        assumed to be known, so the completions vary too little.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    n_jobs : int, optional
        Number of processes that joblib starts; -1 for all cores.

    Returns
    -------
    Sensitivity

    Raises
    ------
    InvalidInputError
        If no policy changes the rule, such as the mean of the scores that are present.
    InformationLostError
        If the data are a summary and the rule, or a model, needs the rankings.

    Notes
    -----
    If a completion has several exact consensuses (`Kemeny`, `Slater`), a random one counts, drawn
    from all of them: the pairs are taken in random order, and each is ordered as in a random
    ranking if some exact consensus agrees with it and all earlier pairs. The draw does not depend
    on the solver, so equal items are above as often as below. Other rules, and `Kemeny` with
    `constraints` or `consensus_ties`, get the items of each completion in a random order.
    `n_unsettled` counts the completions without a proof or a draw within the rule's time limit.

    Under a policy, a pair is "either" if its exact consensuses differ on it.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "AB", "CA"], items="ABC")
    >>> result = ra.analysis.sensitivity(profile, rng=0)
    >>> result.to_frame()
      above below uniform ignore   last   share
    0     C     B   above   tied   tied  0.5200
    1     A     C   above  above  above  0.7675
    2     A     B   above  above  above  0.8875
    """
    data = as_data(data)
    rule = Borda() if rule is None else check_rule(rule)
    if model is not None and not isinstance(model, RankingDistribution):
        raise InvalidInputError("model", "a distribution over rankings", model)
    times = check_integer(n_samples, "n_samples", low=1)
    jobs = check_jobs(n_jobs)
    if rule.reads_unranked != "by policy" or rule.needs == "scores":
        allowed = "a rule that the policy for unranked items changes"
        raise InvalidInputError("rule", allowed, rule, "Other rules ignore the policy.")
    is_summary = isinstance(data, ScoreSummary)
    if is_summary and model is not None:
        raise InformationLostError(
            "A model completes rankings; a ScoreSummary does not hold them. Read the scores "
            "with `read_scores`."
        )
    policies = tuple(sorted(get_args(Unranked), key=lambda p: p != Evidence(data).unranked))
    if isinstance(data, ScoreTable):
        # A table keeps its absent scores, so every policy can be applied.
        data = data.with_unranked("uniform")
    given = data if is_summary else rankings_of(data, tolerance, None)[0]
    evidence = Evidence(given, tolerance if is_summary else 0.0)
    under = [evidence.with_unranked(policy) for policy in policies]
    consensuses = tuple(map(rule.aggregate, under))
    known = tuple(map(_above_in_all, consensuses))
    has_gaps = not is_summary and evidence.profile.has_unranked
    results: list[tuple[Ranks, bool]]
    seeds = [] if is_summary else as_generator(rng).spawn(times)
    if has_gaps:
        profile = evidence.profile
        copies = np.where((profile.ranks == UNRANKED).any(axis=1), profile.counts, 1)
        rows = profile[np.repeat(np.arange(len(profile)), copies)]
        # A row of its own for each copy of an incomplete ranking.
        each = rows._replace(ranks=rows.ranks, counts=np.repeat(profile.counts // copies, copies))
        distribution = Uniform(profile.items) if model is None else model
        near = Near.of(rule, consensuses[0], profile.items)
        work = partial(_complete_and_rank, each, rule, distribution, near)
        results = in_groups(work, seeds, 8, jobs)
    else:
        results = _rank_again(consensuses[0], evidence.items, known[0], seeds)
    samples = np.array([ranks for ranks, _ in results], dtype=np.int32)
    return Sensitivity(
        items=evidence.items,
        rule=rule,
        policies=policies,
        consensuses=consensuses,
        samples=samples.reshape(-1, len(evidence.items)),
        n_unsettled=sum(not settled for _, settled in results),
        _has_gaps=has_gaps,
        _always=known,
    )


def _above_in_all(consensus: Consensus) -> Bools | None:
    """Return whether row is above column in all optima; None if they are not known."""
    if not consensus.is_proved or not isinstance(consensus.optima, Optima):
        return None
    try:
        return consensus.optima.within(_time_of(consensus).time_limit).relation()
    except OutOfTimeError:
        return None


class Sensitivity(Result):
    """Consensuses of one rule under several assumptions about missing items.

    Made by `sensitivity`; it has no plot.

    Attributes
    ----------
    items : ItemSet
        The items.
    rule : Aggregator
        The rule, as given.
    policies : tuple of {"uniform", "ignore", "last"}
        The policies, that of the data first.
    consensuses : tuple of Consensus
        One per policy.
    samples : ndarray of int32, shape (B, n)
        Ranks in the consensuses of sampled completions; B = 0 if the data were a summary.
    n_unsettled : int
        Number of completions whose consensus an exact rule did not prove, or draw from all optima,
        in time; the one that was found counts.
    """

    items: ItemSet
    rule: Aggregator
    policies: tuple[Unranked, ...]
    consensuses: tuple[Consensus, ...]
    samples: Ranks
    n_unsettled: int
    _has_gaps: bool
    _always: tuple[Bools | None, ...] = field(compare=False)

    _schema = "rankagg.sensitivity"
    _row = "pair"
    _named_rows = False

    @property
    def share_above(self) -> Floats:
        """Share of completions with row above column, ties half, shape (n, n); NaN without any."""
        above = self._strictly_above
        return above + 0.5 * (1.0 - above - above.T)

    @cached_property
    def _strictly_above(self) -> Floats:
        n, samples = len(self.items), self.samples
        if not len(samples):
            return np.full((n, n), np.nan)
        return np.stack([(samples[:, [item]] < samples).mean(axis=0) for item in range(n)])

    def to_frame(self, *, everything: bool = False) -> pd.DataFrame:
        """Return the pairs that flip: not every policy and completion orders them alike.

        Parameters
        ----------
        everything : bool, default False
            Return all pairs.

        Returns
        -------
        pandas.DataFrame
            above and below, in the order of the first policy; a column per policy: "above",
            "below", "tied", "either" (its exact consensuses differ) or "open" (one has no rank);
            share: of completions with the first above, ties half. The most even pairs come first.
            Without completions there is no share.
        """
        first = self.consensuses[0].ranking.ranks
        order = np.lexsort((np.arange(len(first)), np.where(first == UNRANKED, len(first), first)))
        share = self.share_above
        rows = []
        for i, j in combinations(order.tolist(), 2):
            verdicts = self._verdicts(i, j)
            if everything or len(set(verdicts)) > 1 or self._flips(verdicts[0], i, j):
                rows.append((self.items[i], self.items[j], *verdicts, share[i, j]))
        frame = pd.DataFrame(rows, columns=["above", "below", *self.policies, "share"])
        if not len(self.samples):
            return frame.drop(columns="share")
        closeness = (frame["share"] - 0.5).abs().to_numpy()
        return frame.iloc[np.argsort(closeness, kind="stable")].reset_index(drop=True)

    def _verdicts(self, i: int, j: int) -> list[str]:
        """Return the order of a pair under each policy."""
        return [
            "either"
            if always is not None and not (always[i, j] or always[j, i])
            else _pair_in(consensus.ranking.ranks, i, j)
            for consensus, always in zip(self.consensuses, self._always, strict=True)
        ]

    def _flips(self, verdict: str, i: int, j: int) -> bool:
        """Return whether some completion orders a pair unlike the policies."""
        if not self._has_gaps:
            return False  # no assumption matters, even if optima differ
        expected = {"above": (1.0, 0.0), "below": (0.0, 1.0)}.get(verdict, (0.0, 0.0))
        return (self._strictly_above[i, j], self._strictly_above[j, i]) != expected

    def top(self, k: int = 3) -> pd.DataFrame:
        """Return the items that are among the first k, under each policy and in completions.

        Parameters
        ----------
        k : int, default 3
            From 1 to the number of items.

        Returns
        -------
        pandas.DataFrame
            Index: items that are ever among them. A column per policy: the probability, with ties
            broken at random; share: the mean probability over completions, if any.
        """
        depth = check_integer(k, "k", low=1, high=len(self.items))
        columns: dict[str, Floats] = {
            policy: places.top_k_shares(consensus.ranking.ranks[None, :], depth)[0]
            for policy, consensus in zip(self.policies, self.consensuses, strict=True)
        }
        if len(self.samples):
            columns["share"] = places.top_k_shares(self.samples, depth).mean(axis=0)
        frame = pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))
        ever = frame[(frame > 0).any(axis=1)]
        by = [name for name in (self.policies[0], "share") if name in ever]
        return ever.sort_values(by, ascending=False, kind="stable")

    def _content(self) -> dict[str, Any]:
        named = zip(self.policies, self.consensuses, strict=True)
        return {
            "rule": self.rule.name,
            "policies": list(self.policies),
            "n_samples": len(self.samples),
            "n_unsettled": self.n_unsettled,
            "consensuses": {policy: list(map(list, c.buckets)) for policy, c in named},
            "flips": self.to_frame().to_dict("records"),
        }

    def _facts(self) -> list[str]:
        n, flips = len(self.items), len(self.to_frame())
        first = self.top(min(3, n)).rename(index=shortened).rename_axis(None)
        drawn = counted(len(self.samples), "completion")
        completed = f" and on {drawn}" if len(self.samples) else ""
        verb = "is" if self.n_unsettled == 1 else "are"
        unsettled = (
            f"note: {self.n_unsettled} of {drawn} {verb} not settled in time: the consensus that "
            "was found counts"
        )
        return [
            f"{self.rule.name} under {counted(len(self.policies), 'policy')}{completed}: "
            f"{flips} of "
            f"{counted(n * (n - 1) // 2, 'pair')} {'flips' if flips == 1 else 'flip'}",
            *[unsettled] * bool(self.n_unsettled),
            *(
                f"{policy:<8}{consensus.ranking.to_text()}"
                for policy, consensus in zip(self.policies, self.consensuses, strict=True)
            ),
            f"among the first {min(3, n)}:",
            first.to_string(float_format="{:z.3f}".format),
        ]

    def _printed(self, table: pd.DataFrame) -> str:
        pairs = {side: table[side].map(shortened) for side in ("above", "below")}
        return "pairs that flip:\n" + super()._printed(table.assign(**pairs))

    def __repr__(self) -> str:
        n = len(self.to_frame())
        verb = "flips" if n == 1 else "flip"
        return f"<Sensitivity of {self.rule.name}: {counted(n, 'pair')} {verb}>"


def _pair_in(ranks: NDArray[np.int32], i: int, j: int) -> str:
    mine, theirs = places.comparable(ranks[None, :])[0][[i, j]].tolist()
    if ranks[i] == UNRANKED or ranks[j] == UNRANKED:
        return "open"
    if mine == theirs:
        return "tied"
    return "above" if mine < theirs else "below"
