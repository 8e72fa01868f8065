"""Corruptions: what scores of tasks become that report the reverse, are too loud, or say nothing.

Each is a value of its own, may follow another, and is applied to tables or in a study.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Label, RNGLike
from rankagg._validation import as_generator, check_number
from rankagg.aggregation import Borda
from rankagg.core import PartialRanking, ScoreTable, counted, places
from rankagg.cultures import Named, checked
from rankagg.exceptions import Described, InvalidInputError

#: The scores of tasks, each of shape (n_systems, n_instances).
Tasks: TypeAlias = Sequence[Floats]


@dataclass(frozen=True, kw_only=True)
class Corruption(Named, ABC):
    """What becomes of the scores of corrupted tasks.

    A new one is a frozen dataclass that implements `_corrupted`. It is handed scores as if higher
    were better, and nothing but the tasks that are corrupted.

    Parameters
    ----------
    after : Corruption, optional
        What befalls the tasks before.

    Attributes
    ----------
    needs_all : bool
        Whether tables with missing scores are refused. A class that sets it to False may be handed
        NaN; what is missing stays so.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.ScoreTable([[3, 9], [1, 5]], systems="AB", tasks="xy", higher_is_better=True)
    >>> loud = ra.studies.RescaledScores(factor=10, after=ra.studies.ReversedScores())
    >>> loud.corrupt(table, ["y"]).values.tolist()
    [[3.0, 50.0], [1.0, 90.0]]
    >>> loud.name
    'rescaled, after reversed, factor = 10'
    """

    needs_all: ClassVar[bool] = True
    after: Corruption | None = None

    def corrupt(
        self,
        table: ScoreTable,
        tasks: Iterable[Label],
        truth: PartialRanking | None = None,
        *,
        rng: RNGLike = None,
    ) -> ScoreTable:
        """Return a table some of whose tasks are corrupted.

        Parameters
        ----------
        table : ScoreTable
            The table.
        tasks : iterable of str or int
            Tasks of the table; the order may matter, as it does where all copy the first.
        truth : PartialRanking, optional
            The order of the systems that a corruption may be directed against; that of Borda's rule
            by default.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        ScoreTable
            Other tasks, directions and weights stay. Missing scores stay missing.

        Raises
        ------
        InvalidInputError
            If scores are missing that are needed.
        """
        chosen, generator = list(tasks), as_generator(rng)
        order = Borda().aggregate(table).ranking if truth is None else truth
        if self.after is not None:
            table = self.after.corrupt(table, chosen, order, rng=generator)
        if self.needs_all and table.n_missing:
            allowed = f"complete for what is {self.name}"
            remedy = "`ScoreTable.drop` leaves systems or tasks out; `ReversedScores()` bears gaps."
            found = Described(counted(table.n_missing, "missing score"))
            raise InvalidInputError("table", allowed, found, remedy)
        (middles,) = places.mid_ranks(order.reindex(table.systems).ranks[None])
        # Unranked systems are below all others.
        heights = np.nan_to_num(table.n_systems - middles)
        units = [
            np.flatnonzero(table.unit_tasks == t)
            for t in table.tasks.indices(chosen, parameter="tasks", noun="task")
        ]
        given = [table.values[:, at] * table.signs[at] for at in units]
        values = table.values.copy()
        made = self._corrupted(given, heights, generator) if given else ()
        for at, old, new in zip(units, given, made, strict=True):
            scores, gaps = np.asarray(new, np.float64), np.isnan(old)
            if scores.shape != old.shape or not np.isfinite(scores[~gaps]).all():
                allowed = f"finite scores of shape {old.shape}, as were given"
                raise InvalidInputError(f"scores of {type(self).__name__}", allowed, new)
            values[:, at] = np.where(gaps, np.nan, scores) * table.signs[at]
        return table._with(values=values)

    @abstractmethod
    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        """Return new scores for each of some tasks, each of shape (n_systems, n_instances).

        `heights`, of shape (n_systems,), say for every system how many are not above it in the
        order that rules are held against. What is drawn task by task stays the same when more
        tasks follow.
        """


@dataclass(frozen=True, kw_only=True)
class ReversedScores(Corruption):
    """Scores are turned about the middle between best and worst, on every instance.

    What was best is worst, and neither the range of a task nor a tie changes.

    Parameters
    ----------
    after : Corruption, optional
        What befalls the tasks before.
    """

    _kind = "reversed"
    _identity = "Reversed"
    needs_all = False

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [np.fmax.reduce(task) + np.fmin.reduce(task) - task for task in tasks]


@dataclass(frozen=True, kw_only=True)
class AdversarialScores(Corruption):
    """Scores are drawn anew around the reverse of the true order, with Gumbel noise.

    The n-th system from below has the location -`step` n, on every instance alike.

    Parameters
    ----------
    step : float, default 1
        How far apart neighbors are, at least 0, in units of the noise's scale.
    after : Corruption, optional
        What befalls the tasks before.

    References
    ----------
    Colombo et al. (2022), section 4.2, https://doi.org/10.48550/arXiv.2202.03799.
    """

    _kind = "adversarial"
    _identity = "Adversarial"
    needs_all = False
    step: float = checked(check_number, default=1.0, low=0, high=1e9)

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [rng.gumbel(-self.step * heights[:, None], size=task.shape) for task in tasks]


@dataclass(frozen=True, kw_only=True)
class RescaledScores(Corruption):
    """Scores are multiplied, as other units would: no ranking of a task changes.

    Parameters
    ----------
    factor : float
        What they are multiplied with; positive.
    after : Corruption, optional
        What befalls the tasks before.

    References
    ----------
    Colombo et al. (2022), section 4.3, https://doi.org/10.48550/arXiv.2202.03799. Their figure 7
    has it after `AdversarialScores`.
    """

    _kind = "rescaled"
    _identity = "Rescaled"
    needs_all = False
    factor: float = checked(check_number, low=0, high=1e9, open_low=True)

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [self.factor * task for task in tasks]


@dataclass(frozen=True, kw_only=True)
class CopiedScores(Corruption):
    """All corrupted tasks repeat the first of them, which so counts many times.

    A task with more instances than the first has them in turn, and again.

    Parameters
    ----------
    after : Corruption, optional
        What befalls the tasks before.
    """

    _kind = "copied"
    _identity = "Copied"

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        return [np.take(tasks[0], range(task.shape[1]), axis=1, mode="wrap") for task in tasks]


@dataclass(frozen=True, kw_only=True)
class NoisyScores(Corruption):
    """A share of the variance of a task is noise, and the spread of its scores stays what it was.

    Parameters
    ----------
    share : float, default 1
        From 0, for scores as they are, to 1, for normal noise that knows nothing of the systems.
    after : Corruption, optional
        What befalls the tasks before.
    """

    _kind = "noisy"
    _identity = "Noisy"
    needs_all = False
    share: float = checked(check_number, default=1.0, low=0, high=1)

    def _corrupted(self, tasks: Tasks, heights: Floats, rng: Generator) -> Iterable[ArrayLike]:
        for task in tasks:
            middle, noise = np.nanmean(task), np.nanstd(task) * rng.standard_normal(task.shape)
            yield middle + (1 - self.share) ** 0.5 * (task - middle) + self.share**0.5 * noise
