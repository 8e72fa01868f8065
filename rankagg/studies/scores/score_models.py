"""Sources of scores: a table, its instances drawn anew, latent scores; and taking scores out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, RNGLike
from rankagg._validation import as_generator, check_integer, check_number
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.core.scores import ScoreTable
from rankagg.distributions.latent_scores import LatentScores
from rankagg.exceptions import InvalidInputError
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.units import Unit

__all__ = [
    "LatentModel",
    "ResampledTableModel",
    "ScoreModel",
    "TableModel",
    "entries_of",
    "n_removed",
    "table_digest",
    "without_entries",
    "without_proportion",
]


def table_digest(table: ScoreTable) -> str:
    """Return the SHA-256 of labels, directions, weights and scores, the same on every machine."""
    labels = (
        tuple(table.systems),
        tuple(table._unit_labels),
        table.instances,
        [(task, table.higher_is_better[task], table.task_weights[task]) for task in table.tasks],
    )
    digest = sha256(f"rankagg.score_table 1\n{labels!r}\n".encode("utf-8", "backslashreplace"))
    # One missing score is like another, whatever its bits.
    values = np.where(table.missing, np.nan, table.values)
    digest.update(values.astype("<f8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class ScoreModel(ABC):
    """Where the scores of a study come from, before anything is removed from them.

    A new model is a frozen dataclass that implements `_draw`, and `true_ranking` where there is
    one. Its identity decides the random numbers, so its fields must tell all that the scores
    depend on.
    """

    #: Whether every draw is the same table.
    is_fixed: ClassVar[bool] = False

    def draw(self, *, rng: RNGLike = None) -> ScoreTable:
        """Draw a table of scores.

        Parameters
        ----------
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator (SPEC 7).

        Returns
        -------
        ScoreTable
        """
        return self._draw(as_generator(rng))

    @abstractmethod
    def _draw(self, rng: np.random.Generator) -> ScoreTable:
        """Draw a table of scores."""

    @property
    def true_ranking(self) -> PartialRanking | None:
        """The ranking that the scores are drawn around; None where none is known."""
        return None

    def true_proportions(
        self, *, unit: Unit = "ranking", ties: Literal["half", "exclude"] = "half"
    ) -> pd.DataFrame | None:
        """Return in what proportion of units row is above column; None where that is not known.

        Parameters
        ----------
        unit : {"ranking", "instance", "task"}, default "ranking"
            What a proportion is of, as for `PairwiseIntervals.from_data`.
        ties : {"half", "exclude"}, default "half"
            What a tie counts.

        Returns
        -------
        pandas.DataFrame or None
            Rows and columns: systems.
        """
        return None

    @property
    def name(self) -> str:
        """The class name with the parameters that differ from their defaults."""
        told = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.repr and getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(told)})"

    @property
    def identity(self) -> str:
        """What decides random numbers and stands in journals; the name unless more is needed."""
        return self.name


@dataclass(frozen=True, kw_only=True)
class TableModel(ScoreModel):
    """A table of real scores, such as a leaderboard; every draw is the table itself.

    Parameters
    ----------
    label : str
        What to call it in tables.
    table : ScoreTable
        The scores; some may be missing from the start.

    Attributes
    ----------
    digest : str
        Tells tables apart that have the same label.
    """

    is_fixed: ClassVar[bool] = True
    label: str
    table: ScoreTable = field(repr=False)
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.label, str):
            raise InvalidInputError("label of TableModel", "a text", self.label)
        if not isinstance(self.table, ScoreTable):
            raise InvalidInputError(
                "table of TableModel", "a ScoreTable", self.table, "`read_scores` makes one."
            )
        object.__setattr__(self, "digest", table_digest(self.table))

    def _draw(self, rng: np.random.Generator) -> ScoreTable:
        return self.table

    @property
    def name(self) -> str:
        """The label."""
        return self.label

    @property
    def identity(self) -> str:
        """The label and the digest."""
        return f"{self.label} {self.digest}"


@dataclass(frozen=True, kw_only=True)
class LatentModel(ScoreModel):
    """Scores with Gumbel noise around equally spaced locations, drawn anew each time.

    Systems are shuffled in every draw, so that no rule gains from the order in which they stand.
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
    >>> model.draw(rng=0)
    <ScoreTable of 3 systems x 2 tasks, 0 of 6 scores missing>
    >>> model.true_ranking
    <Permutation 2 > 1 > 0>
    """

    step: float
    n_systems: int = 20
    n_tasks: int = 20
    n_instances: int | None = 20

    def __post_init__(self) -> None:
        check_number(self.step, "step of LatentModel", low=0)
        check_integer(self.n_systems, "n_systems of LatentModel", low=2)
        check_integer(self.n_tasks, "n_tasks of LatentModel", low=1)
        if self.n_instances is not None:
            check_integer(self.n_instances, "n_instances of LatentModel", low=1)

    def _draw(self, rng: np.random.Generator) -> ScoreTable:
        systems = rng.permutation(self.n_systems)
        scores = LatentScores(self.step * systems, systems=systems.tolist())
        return scores.sample(self.n_tasks, self.n_instances, rng=rng)

    @property
    def true_ranking(self) -> PartialRanking | None:
        """The order of the locations; None where they are all the same."""
        best_first = range(self.n_systems - 1, -1, -1)
        return Permutation.from_order(best_first) if self.step else None

    def true_proportions(
        self, *, unit: Unit = "ranking", ties: Literal["half", "exclude"] = "half"
    ) -> pd.DataFrame | None:
        """Return the probability that row scores higher than column, whatever the unit.

        Parameters
        ----------
        unit : {"ranking", "instance", "task"}, default "ranking"
            Not used: the probability is the same for each.
        ties : {"half", "exclude"}, default "half"
            Not used: no two scores tie.

        Returns
        -------
        DataFrame
        """
        systems = np.arange(self.n_systems)
        shares = LatentScores(self.step * systems).ranking_distribution().pairwise_probabilities()
        np.fill_diagonal(shares, 0.5)
        return pd.DataFrame(shares, index=systems, columns=systems)


@dataclass(frozen=True, kw_only=True)
class ResampledTableModel(ScoreModel):
    """Instances of a table drawn with replacement, each with all of its scores.

    The table is taken for the whole population, so that the true proportions are known. Without
    instances, tasks are drawn.

    Parameters
    ----------
    label : str
        What to call it in tables.
    table : ScoreTable
        The scores. The same instance of several tasks, such as metrics, is drawn as one.
    n_instances : int or None, optional
        How many are drawn; as many as the table has by default.

    Attributes
    ----------
    digest : str
        Tells tables apart that have the same label.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("superglue_human")
    >>> model = ra.studies.ResampledTableModel(label="SuperGLUE", table=table, n_instances=50)
    >>> model.draw(rng=0)
    <ScoreTable of 6 systems x 50 tasks, 0 of 300 scores missing>
    """

    label: str
    table: ScoreTable = field(repr=False)
    n_instances: int | None = None
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        owner = "of ResampledTableModel"
        if not isinstance(self.label, str):
            raise InvalidInputError(f"label {owner}", "a text", self.label)
        if not isinstance(self.table, ScoreTable):
            raise InvalidInputError(
                f"table {owner}", "a ScoreTable", self.table, "`read_scores` makes one."
            )
        if self.n_instances is not None:
            check_integer(self.n_instances, f"n_instances {owner}", low=1)
        object.__setattr__(self, "digest", table_digest(self.table))

    @property
    def name(self) -> str:
        """The label, with the number of instances where it is not that of the table."""
        noun = "tasks" if self.table.instances is None else "instances"
        return self.label + (f", {self.n_instances} {noun}" if self.n_instances else "")

    @property
    def identity(self) -> str:
        """The name and the digest."""
        return f"{self.name}, drawn from {self.digest}"

    def _draw(self, rng: np.random.Generator) -> ScoreTable:
        table = self.table
        groups = self._columns()
        chosen = rng.integers(len(groups), size=self.n_instances or len(groups))
        drawn = [groups[number] for number in chosen.tolist()]
        columns = np.concatenate(drawn)
        number = np.repeat(np.arange(len(drawn)), [len(group) for group in drawn]).tolist()
        if table.instances is None:
            weights = [
                table.task_weights[table.tasks[t]] for t in table.unit_tasks[columns].tolist()
            ]
            return ScoreTable(
                (table.values * table.signs)[:, columns], systems=table.systems, tasks=number,
                higher_is_better=True, task_weights=dict(zip(number, weights, strict=True)),
            )  # fmt: skip
        tasks = [table.tasks[t] for t in table.unit_tasks[columns].tolist()]
        kept = dict.fromkeys(tasks)
        return ScoreTable(
            table.values[:, columns], systems=table.systems, tasks=tasks, instances=number,
            higher_is_better={task: table.higher_is_better[task] for task in kept},
            task_weights={task: table.task_weights[task] for task in kept},
        )  # fmt: skip

    def _columns(self) -> list[NDArray[np.intp]]:
        """Return the columns of each instance, or each column where there is none."""
        instances = self.table.instances
        if instances is None:
            return list(np.arange(self.table.values.shape[1])[:, None])
        codes, _ = pd.factorize(np.array(list(instances), dtype=object))
        order = np.argsort(codes, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)

    def true_proportions(
        self, *, unit: Unit = "ranking", ties: Literal["half", "exclude"] = "half"
    ) -> pd.DataFrame | None:
        """Return the proportions in the table; 1/2 where it compares nothing.

        Parameters
        ----------
        unit : {"ranking", "instance", "task"}, default "ranking"
            What a proportion is of, as for `PairwiseIntervals.from_data`.
        ties : {"half", "exclude"}, default "half"
            What a tie counts.

        Returns
        -------
        DataFrame
        """
        intervals = PairwiseIntervals.from_data(
            self.table, unit=unit, ties=ties, method="wilson" if ties == "exclude" else "hoeffding"
        )
        shares = np.where(np.isnan(intervals.estimate), 0.5, intervals.estimate)
        labels = list(intervals.items)
        return pd.DataFrame(shares, index=labels, columns=labels)


def n_removed(n_items: int, share: float) -> int:
    """Return how many of the items every ranking loses."""
    return int(np.floor(share * n_items + 0.5))


def without_entries(
    data: ScoreTable | Profile, share: float, rng: np.random.Generator
) -> ScoreTable | Profile:
    """Return the data where each ranking, or task, has lost a share of its items at random."""
    n_items = data.n_systems if isinstance(data, ScoreTable) else data.n_items
    lost = n_removed(n_items, share)
    if lost == 0:
        return data
    if isinstance(data, ScoreTable):
        gone = _drawn(data.n_tasks, n_items, lost, rng)
        return data._with(values=np.where(gone.T[:, data.unit_tasks], np.nan, data.values))
    gone = _drawn(len(data), n_items, lost, rng)
    return Profile.from_ranks(
        np.where(gone | (data.ranks < 0), np.nan, data.ranks),
        items=data.items,
        counts=data.counts,
        weights=data.weights,
        groups=data.groups,
    )


def _drawn(rows: int, columns: int, number: int, rng: np.random.Generator) -> Bools:
    """Mark `number` random columns in every row."""
    chosen: Bools = np.argsort(np.argsort(rng.random((rows, columns)), axis=1), axis=1) < number
    return chosen


def entries_of(table: ScoreTable, *, whole_tasks: bool) -> Bools:
    """Mark what may be removed: the systems' tasks with a score, or their single scores."""
    if not whole_tasks:
        return ~table.missing
    present = np.zeros((table.n_tasks, table.n_systems), dtype=np.bool_)
    np.logical_or.at(present, table.unit_tasks, ~table.missing.T)
    return present.T


def without_proportion(
    table: ScoreTable, proportion: float, *, whole_tasks: bool, rng: np.random.Generator
) -> ScoreTable:
    """Return a table that has lost a proportion of all its entries at random.

    Tasks that keep no score are left out; some must keep one.
    """
    present = entries_of(table, whole_tasks=whole_tasks)
    places = np.flatnonzero(present)
    lost = n_removed(len(places), proportion)
    if lost == 0:
        return table
    gone = np.zeros(present.shape, dtype=np.bool_)
    gone.flat[rng.choice(places, lost, replace=False)] = True
    values = np.where(gone[:, table.unit_tasks] if whole_tasks else gone, np.nan, table.values)
    scored = np.zeros(table.n_tasks, dtype=np.bool_)
    scored[table.unit_tasks[~np.isnan(values).all(axis=0)]] = True
    units = np.flatnonzero(scored[table.unit_tasks])
    kept = table.tasks.where(scored)
    return ScoreTable(
        values[:, units],
        systems=table.systems,
        tasks=[table.tasks[t] for t in table.unit_tasks[units].tolist()],
        instances=None if table.instances is None else [table.instances[u] for u in units],
        higher_is_better={task: table.higher_is_better[task] for task in kept},
        task_weights={task: table.task_weights[task] for task in kept},
    )
