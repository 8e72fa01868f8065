"""Sources of a study's data: drawn scores, and real data, unchanged or resampled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from typing import Any, Literal

import numpy as np
import pandas as pd

from rankagg._typing import Generator, Positions
from rankagg._validation import check_integer, check_number, is_frame
from rankagg.aggregation import as_data
from rankagg.core import PartialRanking, Permutation, Profile, ScoreTable, canonical_profile
from rankagg.cultures import DataSource, checked
from rankagg.distributions import LatentScores
from rankagg.distributions.base import RankingDistribution
from rankagg.exceptions import InvalidInputError
from rankagg.inference.pair_bounds import Method
from rankagg.inference.pairwise import PairwiseIntervals
from rankagg.inference.units import Unit

#: Single data sets; everything else is a list of them.
ONE_DATA_SET = (
    *(DataSource, RankingDistribution, Profile, ScoreTable),
    *(str, PathLike, Mapping, np.ndarray),
)


@dataclass(frozen=True, kw_only=True)
class LatentModel(DataSource):
    """Scores with Gumbel noise around equally spaced locations.

    Systems are shuffled in every draw, so that no rule gains from their order.
    The default sizes are those of the papers.

    Parameters
    ----------
    step : float
        The distance of neighboring locations, at least 0, in units of the noise's scale.
    n_systems : int, default 20
        Number of systems, at least 2. They are numbered from 0, and the last is the best.
    n_tasks : int, default 20
        Number of tasks.
    n_instances : int or None, default 20
        Instances of each task; None for one score per task and no instances.

    References
    ----------
    Himmi et al. (2023), section 3.1, whose phi is the step; Colombo et al. (2022), section 4.2,
    https://doi.org/10.48550/arXiv.2202.03799.

    Examples
    --------
    >>> from rankagg.studies import LatentModel
    >>> model = LatentModel(step=0.5, n_systems=3, n_tasks=2, n_instances=None)
    >>> model.sample(rng=0)
    <ScoreTable of 3 systems x 2 tasks, 0 of 6 scores missing>
    >>> model.true_ranking
    <Permutation 2 > 1 > 0>
    """

    gives = "scores"
    _kind = "Gumbel scores"
    step: float = checked(check_number, low=0)
    n_systems: int = checked(check_integer, default=20, low=2)
    n_tasks: int = checked(check_integer, default=20, low=1)
    n_instances: int | None = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_instances is not None:
            check_integer(self.n_instances, "n_instances of LatentModel", low=1)

    def _sample(self, n_items: int | None, n_rankings: int | None, rng: Generator) -> ScoreTable:
        systems = rng.permutation(n_items or self.n_systems)
        scores = LatentScores(self.step * systems, systems=systems.tolist())
        return scores.sample(n_rankings or self.n_tasks, self.n_instances, rng=rng)

    @property
    def identity_of_sizes(self) -> str:
        """Identifier in journals of studies that state the sizes."""
        instances = "" if self.n_instances is None else f", n_instances={self.n_instances!r}"
        return f"GumbelModel(step={self.step!r}{instances})"

    @property
    def true_ranking(self) -> PartialRanking | None:
        """The order of the locations; None if all are equal."""
        return Permutation.from_order(range(self.n_systems - 1, -1, -1)) if self.step else None

    def true_proportions(
        self, *, unit: Unit = "ranking", ties: Literal["half", "exclude"] = "half"
    ) -> pd.DataFrame | None:
        """Return the probability that row scores higher than column.

        Parameters
        ----------
        unit, ties : str
            Not used: the probability is the same for each unit, and no two scores tie.

        Returns
        -------
        DataFrame
        """
        systems = np.arange(self.n_systems)
        shares = LatentScores(self.step * systems).ranking_distribution().pairwise_probabilities()
        np.fill_diagonal(shares, 0.5)
        return pd.DataFrame(shares, index=systems, columns=systems)


def _table_digest(table: ScoreTable) -> str:
    """Return a machine-independent SHA-256 of labels, directions, weights and scores."""
    labels = (
        tuple(table.systems),
        table.tasks.at(table.unit_tasks),
        table.instances,
        [(task, table.higher_is_better[task], table.task_weights[task]) for task in table.tasks],
    )
    digest = sha256(f"rankagg.score_table 1\n{labels!r}\n".encode("utf-8", "backslashreplace"))
    # All missing scores get the same bits.
    digest.update(np.where(table.missing, np.nan, table.values).astype("<f8").tobytes())
    return digest.hexdigest()


def _profile_digest(profile: Profile) -> str:
    parts = (profile.ranks, profile.counts, profile.weights)
    content = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
    return sha256(repr(tuple(profile.items)).encode() + content).hexdigest()[:8]


@dataclass(frozen=True, kw_only=True)
class ObservedData(DataSource):
    """A profile or a table of real scores, such as a leaderboard; every draw is the data.

    Studies convert every profile and table among their data, numbered from 1.

    Parameters
    ----------
    label : str
        Name in tables.
    data : Profile or ScoreTable
        The data; some may be missing from the start.
    """

    label: str
    data: Profile | ScoreTable = field(repr=False)
    _digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = f"of {type(self).__name__}"
        if not isinstance(self.label, str):
            raise InvalidInputError(f"label {owner}", "a text", self.label)
        data: object = self.data
        if isinstance(data, ScoreTable):
            digest = _table_digest(data)
        elif isinstance(data, Profile):
            digest = _profile_digest(data)
        else:
            allowed = "a Profile or a ScoreTable"
            raise InvalidInputError(f"data {owner}", allowed, data, "`read_scores` makes one.")
        object.__setattr__(self, "_digest", digest)

    @property
    def gives(self) -> Literal["scores", "rankings"]:  # type: ignore[override]
        """The kind of data of a draw."""
        return "scores" if isinstance(self.data, ScoreTable) else "rankings"

    @property
    def name(self) -> str:
        """The label."""
        return self.label

    def name_without(self, parameter: str = "") -> str:
        """Return the label; data have no parameters.

        Parameters
        ----------
        parameter : str, optional
            Not used.

        Returns
        -------
        str
        """
        return self.name

    @property
    def identity(self) -> str:
        """The label and the digest."""
        return f"{self.label} {self._digest}"

    @property
    def own_sizes(self) -> tuple[int | None, int | None]:
        """The sizes of the data."""
        if isinstance(self.data, ScoreTable):
            return self.data.n_systems, self.data.n_tasks
        return self.data.n_items, self.data.n_rankings

    def _sample(
        self, n_items: int | None, n_rankings: int | None, rng: Generator
    ) -> ScoreTable | Profile:
        return self.data


@dataclass(frozen=True, kw_only=True)
class ResampledData(ObservedData):
    """Real data resampled with replacement: rankings, or instances with all of their scores.

    Rankings are drawn in proportion to counts times weights. A table is treated as the population,
    so that the true proportions are known; without instances, tasks are drawn. If fewer items are
    requested than there are, they are drawn too, without replacement.

    Parameters
    ----------
    label : str
        Name in tables.
    data : Profile or ScoreTable
        The data. The same instance of several tasks, such as metrics, is drawn as one.
    n_rankings : int or None, optional
        The number of rankings or instances to draw; by default that of the data.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> ra.studies.ResampledData(label="SuperGLUE", data=table, n_rankings=50).sample(rng=0)
    <ScoreTable of 6 systems x 50 tasks, 0 of 300 scores missing>
    """

    n_rankings: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_rankings is not None:
            check_integer(self.n_rankings, "n_rankings of ResampledData", low=1)

    @property
    def name(self) -> str:
        """The label, with the number to draw if it is given."""
        noun = "rankings"
        if isinstance(self.data, ScoreTable):
            noun = "tasks" if self.data.instances is None else "instances"
        return self.label + (f", {self.n_rankings} {noun}" if self.n_rankings else "")

    @property
    def identity(self) -> str:
        """Identifier in journals."""
        if isinstance(self.data, Profile):
            return f"ResampleModel(label={self.name!r}, digest={self._digest!r})"
        return f"{self.name}, drawn from {self._digest}"

    @property
    def own_sizes(self) -> tuple[int | None, int | None]:
        """None, as any number can be drawn."""
        return None, None

    @property
    def most_items(self) -> int:
        """The number of items of the data."""
        return len(self.data.systems if isinstance(self.data, ScoreTable) else self.data.items)

    def _sample(
        self, n_items: int | None, n_rankings: int | None, rng: Generator
    ) -> ScoreTable | Profile:
        number = n_rankings or self.n_rankings
        if isinstance(self.data, ScoreTable):
            table = _resampled(self.data, number, rng)
            if n_items in (None, self.most_items):
                return table
            return table.drop(systems=table.systems.at(rng.permutation(self.most_items)[n_items:]))
        shares = self.data.counts * self.data.weights
        rows = rng.choice(len(shares), number or self.data.n_rankings, p=shares / shares.sum())
        rankings = canonical_profile(
            self.data.items, self.data.ranks[rows], unranked=self.data.unranked
        )
        if n_items is None:
            return rankings
        return rankings.restrict(self.data.items.at(rng.choice(self.most_items, n_items, False)))

    def true_proportions(
        self, *, unit: Unit = "ranking", ties: Literal["half", "exclude"] = "half"
    ) -> pd.DataFrame | None:
        """Return the proportions in the data; 1/2 for pairs without comparisons.

        Parameters
        ----------
        unit : {"ranking", "instance", "task"}, default "ranking"
            The unit of proportions, as for `PairwiseIntervals.from_data`.
        ties : {"half", "exclude"}, default "half"
            The treatment of ties.

        Returns
        -------
        DataFrame
        """
        method: Method = "wilson" if ties == "exclude" else "hoeffding"
        intervals = PairwiseIntervals.from_data(self.data, unit=unit, method=method)
        shares = np.where(np.isnan(intervals.estimate), 0.5, intervals.estimate)
        labels = list(intervals.items)
        return pd.DataFrame(shares, index=labels, columns=labels)


@dataclass(frozen=True, kw_only=True)
class _Distributed(DataSource):
    """Rankings drawn independently from a distribution."""

    distribution: RankingDistribution

    def name_without(self, parameter: str = "") -> str:
        return repr(self.distribution).strip("<>")

    @property
    def identity(self) -> str:
        text = json.dumps(self.distribution.to_dict(), sort_keys=True)
        return f"{self.name} {sha256(text.encode()).hexdigest()[:8]}"

    @property
    def own_sizes(self) -> tuple[int | None, int | None]:
        return self.distribution.n_items, None

    def _sample(self, n_items: int | None, n_rankings: int | None, rng: Generator) -> Profile:
        return self.distribution.sample(n_rankings or 1, rng=rng)


def as_sources(data: Any, parameter: str) -> tuple[DataSource, ...]:
    """Return sources of one data set, or of a list of them.

    Distributions, profiles, tables and orders are converted.
    """
    is_one = isinstance(data, ONE_DATA_SET) or is_frame(data) or not isinstance(data, Iterable)
    sources: list[DataSource] = []
    for number, given in enumerate([data] if is_one else data, start=1):
        if isinstance(given, str | PathLike):
            allowed = "data that were read, and no text"
            remedy = "`read_preflib` reads a file of rankings, and `read_scores` one of scores."
            raise InvalidInputError(parameter, allowed, given, remedy)
        one = given if isinstance(given, DataSource) else as_data(given, parameter)
        if isinstance(one, DataSource):
            sources.append(one)
        elif isinstance(one, RankingDistribution):
            sources.append(_Distributed(distribution=one))
        elif isinstance(one, Profile | ScoreTable):
            noun = "table" if isinstance(one, ScoreTable) else "profile"
            sources.append(ObservedData(label=f"{noun} {number}", data=one))
        else:
            allowed = "cultures, distributions, sources of scores, profiles or tables"
            raise InvalidInputError(parameter, allowed, one)
    return tuple(sources)


def _resampled(table: ScoreTable, number: int | None, rng: Generator) -> ScoreTable:
    """Draw instances of a table, or its tasks if there are none."""
    groups = _instances_of(table)
    drawn = [groups[k] for k in rng.integers(len(groups), size=number or len(groups)).tolist()]
    columns = np.concatenate(drawn)
    numbers = np.repeat(np.arange(len(drawn)), [len(group) for group in drawn]).tolist()
    tasks = table.tasks.at(table.unit_tasks[columns])
    # Without instances the drawn units are tasks.
    names = numbers if table.instances is None else tasks
    task_of = dict(zip(names, tasks, strict=True))
    return ScoreTable(
        table.values[:, columns],
        systems=table.systems,
        tasks=names,
        instances=None if table.instances is None else numbers,
        higher_is_better={name: table.higher_is_better[task] for name, task in task_of.items()},
        task_weights={name: table.task_weights[task] for name, task in task_of.items()},
    )


def _instances_of(table: ScoreTable) -> list[Positions]:
    """Return the columns of each instance, or each column if there are no instances."""
    labels = range(table.n_units) if table.instances is None else table.instances
    codes, _ = pd.factorize(np.array(list(labels), dtype=object))
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
