"""Where a study has complete scores from: a table, or latent scores that are drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from rankagg._typing import RNGLike
from rankagg._validation import as_generator, check_integer, check_number
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.core.scores.table import ScoreTable
from rankagg.distributions.latent_scores import LatentScores
from rankagg.exceptions import InvalidInputError
from rankagg.inference.units import Unit
from rankagg.studies.scores.table_digest import table_digest

__all__ = ["LatentModel", "ScoreModel", "TableModel"]


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
    >>> from rankagg import LatentModel
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
