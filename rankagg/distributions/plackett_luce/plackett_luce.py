"""The Plackett-Luce distribution, with ties as in the Davidson-Luce model, and its fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, expit, logsumexp, softmax

from rankagg._typing import Bools, Floats, Generator, Label, Positions, Ranks
from rankagg._validation import as_numbers, check_integer, check_number
from rankagg.aggregation import Evidence, Held, as_data
from rankagg.core import (
    UNLISTED,
    UNRANKED,
    ItemSet,
    PartialRanking,
    Profile,
    array_key,
    as_ranking,
    axis_labels,
    canonical_profile,
    counted,
    frozen_array,
    html_table,
    permutation_of,
    places,
)
from rankagg.distributions.base import RankingDistribution, check_observed, effective_weights
from rankagg.distributions.fit_result import WorthsFit
from rankagg.distributions.maximum import Penalties
from rankagg.distributions.plackett_luce.choices import MARKS_AT_ONCE
from rankagg.distributions.plackett_luce.cluster_errors import errors_of
from rankagg.distributions.plackett_luce.likelihood import (
    log_bucket_weights,
    maximize_choices,
    score_at_equal_worths,
)
from rankagg.exceptions import Described, InvalidInputError

# Most items whose subsets are enumerated.
MOST_SUBSET_ITEMS = 16
# Sums of so large log worths do not overflow.
LARGEST_LOG_WORTH = 1e100


def _stage_masks(ranks: Ranks) -> Iterator[tuple[Positions, Bools, Bools]]:
    """Yield the choices of rankings: rows, alternatives and chosen items."""
    m, n = ranks.shape
    size = max(1, MARKS_AT_ONCE // n)
    for start in range(0, m, size):
        part = ranks[start : start + size]
        place = places.comparable(part)
        observed = part != UNRANKED
        for item in range(n):
            here = place[:, [item]]
            # The first item represents its bucket.
            rows = np.flatnonzero((part[:, item] >= 0) & ~(place[:, :item] == here).any(axis=1))
            alternatives = observed[rows] & (place[rows] >= here[rows])
            several = alternatives.sum(axis=1) > 1
            rows, alternatives = rows[several], alternatives[several]
            if len(rows):
                yield start + rows, alternatives, place[rows] == here[rows]


class PlackettLuce(RankingDistribution):
    """Rankings by repeated choice of the next best item, in proportion to worth.

    From a set A the item i is chosen with probability exp(l_i)/sum_A exp(l_j). With `log_ties`
    several items may be chosen together: a bucket S of d items has the weight
    delta_d prod_S exp(l_i/d).

    The probability of a ranking is the product over its choices, each from the observed items that
    are not yet ranked. So unranked items have no effect, and unlisted ones are never chosen.
    `complete` draws the ranks of both, exactly.

    Parameters
    ----------
    log_worths : array_like of float, shape (n,), or mapping from label to float
        Only differences matter; they are centered to sum 0.
    items : iterable of str or int, optional
        The items; 0, ..., n - 1 or the sorted keys of the mapping by default.
    log_ties : mapping from int to float, optional
        log delta_d for the possible bucket sizes d > 1; none by default.

    References
    ----------
    Plackett (1975), https://doi.org/10.2307/2346567; Luce (1959), "Individual choice behavior";
    ties: Turner et al. (2020), https://doi.org/10.1007/s00180-020-00959-3.

    Examples
    --------
    >>> from rankagg import Permutation, PlackettLuce
    >>> strengths = PlackettLuce({"A": 1.0, "B": 0.0, "C": -1.0})
    >>> round(strengths.prob(Permutation.from_order("ABC")), 3)
    0.486
    >>> strengths.sample(5, rng=0)
    <Profile of 5 rankings of 3 items, complete, strict>
    """

    log_worths: Floats
    _ties: tuple[tuple[int, float], ...]

    def __init__(
        self,
        log_worths: ArrayLike | Mapping[Label, float],
        *,
        items: Iterable[Label] | None = None,
        log_ties: Mapping[int, float] | None = None,
    ) -> None:
        if isinstance(log_worths, Mapping):
            items = ItemSet.coerce(items, log_worths)
            if set(items) != set(log_worths):
                raise InvalidInputError("log_worths", "one number for each item", log_worths)
            log_worths = [log_worths[label] for label in items]
        labels, values = _labelled_worths(log_worths, items)
        self._set(
            items=labels,
            log_worths=frozen_array(_centered(values)),
            _ties=_check_ties(log_ties, len(values)),
        )

    def _key(self) -> tuple[Hashable, ...]:
        return self.items, array_key(self.log_worths), self._ties

    def _parameters(self) -> dict[str, Any]:
        ties = {str(size): value for size, value in self.log_ties.items()}
        return {"log_worths": self.log_worths.tolist(), "log_ties": ties}

    @property
    def log_ties(self) -> dict[int, float]:
        """Log delta_d for the possible bucket sizes above 1, ascending."""
        return dict(self._ties)

    @property
    def worths(self) -> Floats:
        """exp(log_worths), with sum 1."""
        raw = np.exp(self.log_worths - self.log_worths.max())
        return np.asarray(raw / raw.sum())

    # -- probabilities ------------------------------------------------------------------------

    def _log_probs(self, ranks: Ranks) -> Floats:
        result = np.zeros(len(ranks))
        weights = {1: 0.0, **self.log_ties}
        for rows, alternatives, chosen in _stage_masks(ranks):
            logs = np.where(alternatives, self.log_worths, -np.inf)
            total = logsumexp(log_bucket_weights(logs, self.log_ties), axis=0)
            size = chosen.sum(axis=1)
            bonus = np.array([weights.get(d, -np.inf) for d in size.tolist()])
            picked = (np.where(chosen, self.log_worths, 0.0)).sum(axis=1) / size
            np.add.at(result, rows, bonus + picked - total)
        return result

    # -- samples ------------------------------------------------------------------------------

    def _sample(self, size: int, rng: Generator) -> Ranks:
        if not self.log_ties:
            # Exponential clocks whose rates are the worths ring in Plackett-Luce order. Their logs
            # are sorted, since worths that are far apart overflow.
            rings = np.log(rng.standard_exponential((size, self.n_items)))
            rings -= self.log_worths
            return np.argsort(np.argsort(rings, axis=1), axis=1).astype(np.int32)
        return self._sample_buckets(size, rng)

    def _sample_buckets(self, size: int, rng: Generator) -> Ranks:
        ranks = np.full((size, self.n_items), UNRANKED, dtype=np.int32)
        sizes = np.array([1, *self.log_ties])
        while True:
            rows = np.flatnonzero((ranks == UNRANKED).any(axis=1))
            if not len(rows):
                return ranks
            left = ranks[rows] == UNRANKED
            logs = np.where(left, self.log_worths, -np.inf)
            shares = np.cumsum(softmax(log_bucket_weights(logs, self.log_ties), axis=0), axis=0)
            number = sizes[(rng.random(len(rows)) >= shares[:-1]).sum(axis=0)]
            place = (~left).sum(axis=1)
            for d in np.unique(number):
                picked = rows[number == d]
                chosen = _sample_bucket(logs[number == d] / d, int(d), rng)
                part = ranks[picked]
                part[chosen] = np.repeat(place[number == d], d)
                ranks[picked] = part

    def _complete(self, ranks: Ranks, rng: Generator) -> Ranks:
        """Draw the clocks of all items, given the order in which some of them rang.

        Clocks have no memory: the next ring is after an exponential time, at the total rate of the
        remaining items.
        """
        listed = ranks >= 0
        placed = np.sort(np.where(listed, ranks, -1), axis=1)
        if self.log_ties or ((np.diff(placed, axis=1) == 0) & (placed[:, 1:] >= 0)).any():
            allowed = "free of ties, for a distribution without ties"
            raise InvalidInputError("data", allowed, Described("ties"), "Break the ties first.")
        # Logs of times, since worths that are far apart overflow.
        order = np.argsort(places.comparable(ranks), axis=1)
        logs = np.where(ranks == UNRANKED, -np.inf, self.log_worths)
        logs = np.take_along_axis(logs, order, axis=1)
        left = np.logaddexp.accumulate(logs[:, ::-1], axis=1)[:, ::-1]
        rung = np.arange(self.n_items) < listed.sum(axis=1, keepdims=True)
        waits = np.log(rng.standard_exponential(ranks.shape)) - np.where(rung, left, 0.0)
        times = np.logaddexp.accumulate(np.where(rung, waits, -np.inf), axis=1)
        clocks = np.empty_like(times)
        np.put_along_axis(clocks, order, times, axis=1)
        own = np.log(rng.standard_exponential(ranks.shape)) - self.log_worths
        clocks = np.where(ranks == UNRANKED, own, clocks)
        clocks = np.where(ranks == UNLISTED, np.logaddexp(times[:, -1:], own), clocks)
        return np.argsort(np.argsort(clocks, axis=1), axis=1).astype(np.int32)

    # -- summaries ----------------------------------------------------------------------------

    @property
    def mode(self) -> PartialRanking:
        """The most probable ranking: by worth; with ties by dynamic programming over subsets."""
        if not self.log_ties:
            order = np.argsort(-self.log_worths, kind="stable")
            return permutation_of(np.argsort(order), self.items)
        return as_ranking(self._table.mode(), self.items)

    def pairwise_probabilities(self) -> Floats:
        """Return P(row before column), shape (n, n): w_i/(w_i + w_j) without ties.

        With ties the probabilities of both orders and of a tie sum to 1. They are sums over all
        subsets of at most 16 items.
        """
        if self.log_ties:
            return self._table.before()
        before = expit(self.log_worths[:, None] - self.log_worths)
        np.fill_diagonal(before, 0.0)
        return before

    def rank_probabilities(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k; ties share the best rank.

        By a sum over all subsets of at most 16 items.
        """
        return self._table.places()

    def entropy(self) -> float:
        """Return the entropy in nats, by a sum over all subsets of at most 16 items."""
        return self._table.entropy()

    @cached_property
    def _table(self) -> _BucketTable:
        return _BucketTable(self.log_worths, self.log_ties)

    # -- inference ----------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        data: Held,
        *,
        pseudo_rankings: float = 0.0,
        ridge: float = 0.0,
        tie_ridge: float = 0.0,
        tol: float = 1e-9,
    ) -> PlackettLuceFit:
        """Estimate log worths, and tie weights if there are ties, by maximum likelihood.

        Parameters
        ----------
        data : Profile
            Rankings, complete or partial. Unranked items are no alternatives, and unlisted ones
            are never chosen. Counts and weights multiply the log likelihood. Errors are by the
            model, or by the clusters of the profile.
        pseudo_rankings : float, default 0
            Number of wins and of losses of every item against a ghost item. They make worths
            finite and shrink them; the R package PlackettLuce uses 1/2.
        ridge : float, default 0
            Subtract ridge/2 times the sum of the squared log worths: a normal prior with variance
            1/ridge.
        tie_ridge : float, default 0
            The same for the log tie weights.
        tol : float, default 1e-9
            A fit has converged if no parameter would move by more in a Newton step. It has also
            converged if the gradient is only rounding error and the step at most 1e-6.

        Raises
        ------
        NotIdentifiedError
            If the likelihood has no finite maximum: a group of items never loses to the others, or
            only ties were observed.
        InvalidInputError
            If options are out of range.

        References
        ----------
        Hunter (2004), "MM algorithms for generalized Bradley-Terry models",
        https://doi.org/10.1214/aos/1079120141; Turner et al. (2020),
        https://doi.org/10.1007/s00180-020-00959-3.

        Examples
        --------
        >>> import rankagg as ra
        >>> profile = ra.Profile.from_orders(["ABCD", "ABDC", "BACD", "DABC"], counts=[4, 3, 2, 1])
        >>> ra.PlackettLuce.fit(profile, pseudo_rankings=0.5).log_worths.round(3)
        array([ 2.015,  1.01 , -1.336, -1.688])
        """
        rankings = as_data(data)
        penalties = Penalties(pseudo_rankings=pseudo_rankings, ridge=ridge, tie_ridge=tie_ridge)
        check_number(tol, "tol", low=0, open_low=True)
        if not isinstance(rankings, Profile) or rankings.n_items < 2:
            remedy = (
                "`table.rankings()` makes rankings of scores; `BradleyTerry.fit` takes scores, "
                "comparisons and votes."
            )
            raise InvalidInputError("data", "a Profile of two or more items", data, remedy)
        check_observed(rankings)
        # So that the unit of the weights changes nothing, with penalties either.
        seen = rankings[(rankings.ranks != UNRANKED).any(axis=1)]
        seen = canonical_profile(
            seen.items,
            seen.ranks,
            counts=seen.counts,
            weights=effective_weights(seen),
            clusters=seen.clusters,
        )
        best = maximize_choices(seen, penalties, tol)
        errors, n = errors_of(best), rankings.n_items
        has_test = not errors.n_clusters and (penalties.is_plain or not best.sizes)
        ties = dict(zip(best.sizes, best.parameters[n:].tolist(), strict=True))
        notes = ["Log worths sum to 0; standard errors are for that contrast.", *errors.notes]
        if ties:
            notes.append(f"Buckets of up to {counted(max(ties), 'item')} are modeled.")
        notes += penalties.notes()
        if (rankings.weights != 1).any():
            notes.append("Weighted rankings: the number of observations is the effective one.")
        return PlackettLuceFit(
            distribution=PlackettLuce(best.parameters[:n], items=rankings.items, log_ties=ties),
            names=(*map(str, rankings.items), *(f"log tie {d}" for d in ties)),
            estimates=best.parameters,
            covariance=errors.covariance,
            log_likelihood=best.value,
            n_parameters=n - 1 + len(ties),
            n_observations=seen.total_weight,
            converged=best.climb.converged,
            n_iterations=best.climb.n_iterations,
            notes=(*notes, *best.climb.notes(), *Evidence(rankings).gaps(by_policy=False)),
            unit="cluster" if errors.n_clusters else "ranking",
            n_units=errors.n_clusters,
            _degrees_of_freedom=errors.degrees_of_freedom,
            _score=score_at_equal_worths(seen, best.data) if has_test else np.nan,
        )

    def __repr__(self) -> str:
        best = self._by_worth()
        ties = f", buckets up to {max(self.log_ties)}" if self.log_ties else ""
        return f"<PlackettLuce distribution on {counted(self.n_items, 'item')}: {best}{ties}>"

    def _repr_html_(self) -> str:
        order = np.argsort(-self.log_worths, kind="stable")
        rows = [(self.items[int(i)], f"{self.log_worths[i]:z.3f}") for i in order]
        return super()._repr_html_() + html_table(["item", "log worth"], rows, named=True)

    def _by_worth(self) -> str:
        order = np.argsort(-self.log_worths, kind="stable")
        shown = [f"{self.items[int(i)]} {self.log_worths[i]:+.3g}" for i in order[:4]]
        return ", ".join([*shown, "..."] if len(order) > 4 else shown)


def _labelled_worths(values: ArrayLike, items: Iterable[Label] | None) -> tuple[ItemSet, Floats]:
    """Return items, numbered by default, and a finite number for each."""
    labels = axis_labels(values, 0, items, "items")
    numbers = as_numbers(values, "log_worths")
    names = ItemSet.coerce(range(len(numbers)) if labels is None else labels, ())
    if len(numbers) != len(names) or not (np.abs(numbers) <= LARGEST_LOG_WORTH).all():
        allowed = (
            f"one number up to {LARGEST_LOG_WORTH:g} in size for each item ({len(names)} of them)"
        )
        raise InvalidInputError("log_worths", allowed, numbers)
    return names, numbers


def _centered(values: Floats) -> Floats:
    """Return values minus their mean, unchanged if the mean is only rounding error."""
    mean = values.mean()
    return values + 0.0 if abs(mean) <= 1e-14 * np.abs(values).max() else values - mean


def _check_ties(log_ties: Mapping[int, float] | None, n: int) -> tuple[tuple[int, float], ...]:
    if log_ties is not None and not isinstance(log_ties, Mapping):
        raise InvalidInputError("log_ties", "a mapping from bucket sizes to numbers", log_ties)
    given = {} if log_ties is None else dict(log_ties)
    for d, value in given.items():
        check_integer(d, "log_ties", low=2, high=max(n, 2))
        check_number(value, f"log_ties[{d}]", low=-LARGEST_LOG_WORTH, high=LARGEST_LOG_WORTH)
    return tuple((int(d), float(given[d])) for d in sorted(given))


def _sample_bucket(logs: Floats, d: int, rng: Generator) -> Bools:
    """Draw d items of every row, each subset in proportion to exp of its sum of logs."""
    s, n = logs.shape
    # rest[k, :, j]: the log of e_k, the elementary symmetric polynomial, of the entries from j on.
    rest = np.full((d + 1, s, n + 1), -np.inf)
    rest[0] = 0.0
    for j in range(n - 1, -1, -1):
        rest[1:, :, j] = np.logaddexp(rest[1:, :, j + 1], logs[:, j] + rest[:-1, :, j + 1])
    chosen = np.zeros((s, n), dtype=bool)
    needed = np.full(s, d)
    rows = np.arange(s)
    for j in range(n):
        fewer = np.maximum(needed - 1, 0)
        chance = np.exp(logs[:, j] + rest[fewer, rows, j + 1] - rest[needed, rows, j])
        chosen[:, j] = (needed > 0) & (rng.random(s) < chance)
        needed -= chosen[:, j]
    return chosen


class _BucketTable:
    """The sets of remaining items in the course of a ranking, and their probabilities."""

    def __init__(self, log_worths: Floats, log_ties: dict[int, float]) -> None:
        n = len(log_worths)
        if n > MOST_SUBSET_ITEMS:
            allowed = f"at most {MOST_SUBSET_ITEMS} for this sum over all subsets"
            remedy = (
                "Estimate it from a sample, `.sample(10_000, rng=0)`; for a ranking by the worths "
                "use `PlackettLuceRanking()`."
            )
            raise InvalidInputError("items", allowed, Described(counted(n, "item")), remedy)
        self.n = n
        buckets = [bucket for d in (1, *log_ties) if d <= n for bucket in combinations(range(n), d)]
        self.buckets = np.array([sum(1 << i for i in bucket) for bucket in buckets])
        self.logs = np.array(
            [log_ties.get(len(bucket), 0.0) + log_worths[list(bucket)].mean() for bucket in buckets]
        )
        self.left = ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).sum(axis=1)

    @cached_property
    def _choices(self) -> list[tuple[int, Positions, Floats]]:
        """Each bucket, the sets that contain it, and its log probability in each."""
        masks = np.arange(1 << self.n)
        holding = [masks[(masks & bucket) == bucket] for bucket in self.buckets]
        totals = np.full(len(masks), -np.inf)
        for sets, log in zip(holding, self.logs, strict=True):
            totals[sets] = np.logaddexp(totals[sets], log)
        each = zip(self.buckets.tolist(), holding, self.logs, strict=True)
        return [(bucket, sets, log - totals[sets]) for bucket, sets, log in each]

    @cached_property
    def reached(self) -> Floats:
        """The probability that every set is the set of remaining items at some stage."""
        chance = np.zeros(1 << self.n)
        chance[-1] = 1.0
        for number in range(self.n, 0, -1):
            for bucket, sets, logs in self._choices:
                now = self.left[sets] == number
                chance[sets[now] ^ bucket] += chance[sets[now]] * np.exp(logs[now])
        return chance

    def places(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k; ties share the best rank."""
        table = np.zeros((self.n, self.n))
        for bucket, sets, logs in self._choices:
            flow = self.reached[sets] * np.exp(logs)
            by_place = np.bincount(self.n - self.left[sets], weights=flow, minlength=self.n)
            for item in range(self.n):
                if bucket >> item & 1:
                    table[item] += by_place[: self.n]
        return table

    def before(self) -> Floats:
        """Return P(row before column), shape (n, n)."""
        table = np.zeros((self.n, self.n))
        for bucket, sets, logs in self._choices:
            flow = self.reached[sets] * np.exp(logs)
            inside = [i for i in range(self.n) if bucket >> i & 1]
            for other in range(self.n):
                if other not in inside:
                    table[inside, other] += flow[(sets >> other & 1) == 1].sum()
        return table

    def entropy(self) -> float:
        """Return the entropy in nats."""
        total = 0.0
        for _, sets, logs in self._choices:
            total -= float((self.reached[sets] * np.exp(logs) * logs).sum())
        return total

    def mode(self) -> Ranks:
        """Return the places of a most probable ranking."""
        best = np.full(1 << self.n, -np.inf)
        best[0] = 0.0
        choice = np.zeros(1 << self.n, dtype=np.int64)
        for number in range(1, self.n + 1):
            for bucket, sets, logs in self._choices:
                now = self.left[sets] == number
                here, value = sets[now], logs[now]
                value = value + best[here ^ bucket]
                better = value > best[here]
                best[here[better]] = value[better]
                choice[here[better]] = bucket
        places = np.zeros(self.n, dtype=np.int32)
        left = (1 << self.n) - 1
        while left:
            for item in range(self.n):
                if choice[left] >> item & 1:
                    places[item] = self.n - self.left[left]
            left ^= int(choice[left])
        return places


class _ScoreTest(NamedTuple):
    """Result of a score test: by chi-squared with `df` degrees of freedom."""

    statistic: float
    pvalue: float
    df: int


class PlackettLuceFit(WorthsFit):
    """A fitted Plackett-Luce distribution.

    Made by `PlackettLuce.fit`. The parameters are the log worths, with sum 0, and the logs of the
    tie weights. `plot` draws a `rankagg.plotting.worths_plot`.

    Attributes
    ----------
    unit : str
        Independent unit of the errors: "ranking", or "cluster" for a profile with clusters.
    n_units : int
        Number of clusters; 0 for other errors.
    """

    distribution: PlackettLuce
    _score: float = field(compare=False)

    def test_equal_worths(self) -> _ScoreTest:
        """Test whether all items have the same worth, by the score test (Rao 1948).

        For strict rankings the covariance of the score is exact under the null hypothesis, so that
        the level holds with few rankings too.

        References
        ----------
        Rao (1948), https://doi.org/10.1017/S0305004100023987; for complete rankings the scores of
        places are those of Savage (1956), https://doi.org/10.1214/aoms/1177728170.
        """
        if self.n_units:
            got = Described("one of clusters of rankings")
            remedy = "`relative_to` tests pairs, with errors by cluster."
            raise InvalidInputError("fit", "one of independent rankings", got, remedy)
        if np.isnan(self._score):
            got = Described("one of tied rankings with pseudo-rankings or a ridge")
            raise InvalidInputError("fit", "one that maximizes the likelihood of the data", got)
        return _ScoreTest(self._score, float(chdtrc(self._n - 1, self._score)), self._n - 1)
