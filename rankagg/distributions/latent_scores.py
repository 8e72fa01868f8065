"""Score tables drawn from latent scores.

A system's score on an instance of a task is its location there plus independent noise. With
Gumbel noise the ranking of an instance has the Plackett-Luce distribution.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Label, RNGLike
from rankagg._validation import as_generator, as_matrix, check_choice, check_integer, check_number
from rankagg.core import ItemSet, ScoreTable, Value, array_key, axis_labels, counted, frozen_array
from rankagg.distributions.plackett_luce.plackett_luce import LARGEST_LOG_WORTH, PlackettLuce
from rankagg.exceptions import Described, InvalidInputError

Noise = Literal["gumbel", "normal"]


class LatentScores(Value):
    """Scores of N systems: a location for each, and independent noise.

    A model to sample from: it has no table and no plot.

    Parameters
    ----------
    locations : array_like of float, shape (N,) or (N, T)
        Of each system, the same on every task or one for each of T tasks. Higher is better.
    noise : {"gumbel", "normal"}, default "gumbel"
        Standard Gumbel or standard normal noise of every score.
    scale : float, default 1
        Factor of the noise; from 1e-100 to 1e100.
    systems : iterable of str or int, optional
        The systems; 0, ..., N - 1 by default.

    References
    ----------
    Colombo et al. (2022), section 4.2, https://doi.org/10.48550/arXiv.2202.03799, with locations
    phi n for the n-th of N systems; Thurstone (1927), https://doi.org/10.1037/h0070288.

    Examples
    --------
    >>> import rankagg as ra
    >>> scores = ra.distributions.LatentScores([0.0, 0.5, 1.0], systems="ABC")
    >>> table = scores.sample(n_tasks=4, n_instances=10, rng=0)
    >>> table
    <ScoreTable of 3 systems x 4 tasks, 40 instances, 0 of 120 scores missing>
    >>> scores.ranking_distribution().mode.order
    ('C', 'B', 'A')
    """

    locations: Floats
    noise: Noise
    scale: float
    systems: ItemSet

    def __init__(
        self,
        locations: ArrayLike,
        *,
        noise: Noise = "gumbel",
        scale: float = 1.0,
        systems: Iterable[Label] | None = None,
    ) -> None:
        systems = axis_labels(locations, 0, systems, "systems")
        try:
            given = np.asanyarray(locations, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            allowed = "numbers, one per system or a table of systems x tasks"
            raise InvalidInputError("locations", allowed, locations) from None
        values = as_matrix(given[:, None] if given.ndim == 1 else given, "locations")
        if np.abs(values).max(initial=0.0) > LARGEST_LOG_WORTH:
            allowed = f"at most {LARGEST_LOG_WORTH:g} in size"
            raise InvalidInputError("locations", allowed, float(np.abs(values).max()))
        if 0 in values.shape:
            allowed = "a number for at least one system"
            raise InvalidInputError("locations", allowed, Described(f"shape {values.shape}"))
        names = ItemSet.coerce(range(len(values)) if systems is None else systems, ())
        if len(names) != len(values):
            allowed = f"one label per location ({len(values)} of them)"
            raise InvalidInputError("systems", allowed, names)
        check_choice(noise, ("gumbel", "normal"), "noise")
        self._set(
            locations=frozen_array(values),
            noise=noise,
            scale=check_number(scale, "scale", low=1.0 / LARGEST_LOG_WORTH, high=LARGEST_LOG_WORTH),
            systems=names,
        )

    def _key(self) -> tuple[Hashable, ...]:
        return array_key(self.locations), self.noise, self.scale, self.systems

    def sample(
        self, n_tasks: int | None = None, n_instances: int | None = None, *, rng: RNGLike = None
    ) -> ScoreTable:
        """Draw a table of scores.

        Parameters
        ----------
        n_tasks : int, optional
            Number of tasks; required if locations are the same on every task.
        n_instances : int, optional
            Instances of each task; None for one score per task and no instances.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        ScoreTable
            N systems; higher is better. Tasks and instances are numbered from 0.
        """
        tasks = self._n_tasks(n_tasks)
        copies = 1 if n_instances is None else check_integer(n_instances, "n_instances", low=1)
        locations = np.broadcast_to(self.locations, (len(self.systems), tasks))
        generator = as_generator(rng)
        shape = (len(self.systems), tasks * copies)
        gumbel = self.noise == "gumbel"
        drawn = generator.gumbel(size=shape) if gumbel else generator.standard_normal(shape)
        return ScoreTable(
            np.repeat(locations, copies, axis=1) + self.scale * drawn,
            systems=self.systems,
            tasks=np.repeat(np.arange(tasks), copies).tolist(),
            instances=None if n_instances is None else np.tile(np.arange(copies), tasks).tolist(),
            higher_is_better=True,
        )

    def _n_tasks(self, given: int | None) -> int:
        columns = int(self.locations.shape[1])
        if given is None:
            if columns > 1:
                return columns
            raise InvalidInputError(
                "n_tasks", "a number if locations are the same on every task", given
            )
        tasks = check_integer(given, "n_tasks", low=1)
        if columns not in (1, tasks):
            raise InvalidInputError("n_tasks", f"{columns}, the columns of the locations", given)
        return tasks

    def ranking_distribution(self) -> PlackettLuce:
        """Return the distribution of the ranking of one instance, for Gumbel noise.

        Returns
        -------
        PlackettLuce
            Its log worths are the locations divided by the scale.
        """
        if self.locations.shape[1] > 1:
            raise InvalidInputError("locations", "the same on every task", self)
        if self.noise == "normal":
            remedy = "Probabilities have no closed form with normal noise: draw a sample."
            raise InvalidInputError("noise", "'gumbel' for a distribution", self.noise, remedy)
        return PlackettLuce(self.locations[:, 0] / self.scale, items=self.systems)

    def __repr__(self) -> str:
        n, tasks = self.locations.shape
        where = f" on {counted(tasks, 'task')}" if tasks > 1 else ""
        return (
            f"<LatentScores of {counted(n, 'system')}{where}: {self.noise} noise, scale "
            f"{self.scale:g}>"
        )
