"""How many components a mixture has: fits with several numbers of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation.evidence import Held, as_data
from rankagg.core import Profile, Result, counted, plain_rows
from rankagg.distributions.mallows.uniformity import uncompressed
from rankagg.distributions.mixtures.mixture import Mixture, MixtureFit
from rankagg.exceptions import InvalidInputError, NotIdentifiedError


class ComponentsChoice(Result):
    """Mixtures with several numbers of components, beside each other.

    Made by `choose_components`; it has no plot.

    Attributes
    ----------
    table : DataFrame
        As `to_frame` returns it.
    fits : tuple of MixtureFit
        In its order.
    notes : tuple of str
        What the reader must know.
    """

    table: pd.DataFrame = field(compare=False)
    fits: tuple[MixtureFit, ...]
    notes: tuple[str, ...] = ()

    _schema = "rankagg.components_choice"
    _named_rows = False

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number of components.

        n_components, log_likelihood, n_parameters, bic, icl, held_out (the mean log probability of
        rankings that a fit to the others has not seen), share_of_best.
        """
        return self.table.copy()

    def _content(self) -> dict[str, Any]:
        return {"rows": plain_rows(self.table), "notes": list(self.notes)}

    def _facts(self) -> list[str]:
        chosen = {
            "BIC": self.table["bic"].argmin(),
            "ICL": self.table["icl"].argmin(),
            "held-out score": self.table["held_out"].argmax(),
        }
        fits = {name: self.fits[int(at)] for name, at in chosen.items()}
        best = [f"{fit.n_components} by {name}" for name, fit in fits.items()]
        bound = {fit.n_components for fit in fits.values() if _at_bound(fit)}
        told = f"; with {' and '.join(map(str, sorted(bound)))} one is at a bound, see below"
        return [f"components: {', '.join(best)}{told if bound else ''}"]

    def _below(self, rows: int | None = None) -> tuple[str, ...]:
        return self.notes


def choose_components(
    data: Held,
    n_components: Iterable[int] = range(1, 6),
    *,
    n_folds: int = 5,
    rng: RNGLike = None,
    **options: Any,
) -> ComponentsChoice:
    """Fit mixtures with several numbers of components.

    Parameters
    ----------
    data : Profile
        The rankings.
    n_components : iterable of int, default 1 to 5
        Numbers to try; those that are not identified are left out, with a note.
    n_folds : int, default 5
        Parts of the rankings, each of which is held out once.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    **options
        Of `Mixture.fit`.

    Returns
    -------
    ComponentsChoice

    Examples
    --------
    >>> import rankagg as ra
    >>> both = ra.Mixture([ra.Mallows("ABCDE", 1.5), ra.Mallows("EBCDA", 1.0)], [0.6, 0.4])
    >>> votes = both.sample(100, rng=0)
    >>> found = ra.distributions.choose_components(votes, [1, 2, 3], n_starts=1, n_folds=2, rng=0)
    >>> print(found.summary().splitlines()[0])
    components: 2 by BIC, 2 by ICL, 2 by held-out score
    """
    profile = as_data(data)
    if not isinstance(profile, Profile):
        raise InvalidInputError("data", "a Profile", data)
    numbers = [check_integer(one, "n_components", low=1) for one in n_components]
    if not numbers:
        raise InvalidInputError("n_components", "one or more numbers", n_components)
    rows = uncompressed(profile)
    parts = check_integer(n_folds, "n_folds", low=2, high=max(len(rows), 2))
    generator = as_generator(rng)
    fold = generator.permutation(np.arange(len(rows)) % parts)
    fits, held, notes = [], [], []
    for number in numbers:
        try:
            fits.append(Mixture.fit(profile, number, rng=generator, **options))
        except NotIdentifiedError as error:
            notes.append(f"Left out: {error}")
            continue
        total = 0.0
        for part in range(parts):
            seen = Mixture.fit(rows[np.flatnonzero(fold != part)], number, rng=generator, **options)
            total += seen.distribution.log_prob(rows[np.flatnonzero(fold == part)])
        held.append(total / float(rows.weights.sum()))
    if not fits:
        raise NotIdentifiedError(notes[0])
    names = ("n_components", "log_likelihood", "n_parameters", "bic", "icl")
    columns: dict[str, Any] = {name: [getattr(fit, name) for fit in fits] for name in names}
    columns |= {"held_out": held, "share_of_best": [fit.share_of_best for fit in fits]}
    at_bound = [
        f"With {counted(fit.n_components, 'component')}: {note}"
        for fit in fits
        for note in _at_bound(fit)
    ]
    return ComponentsChoice(
        table=pd.DataFrame(columns), fits=tuple(fits), notes=(*notes, *at_bound)
    )


def _at_bound(fit: MixtureFit) -> list[str]:
    """Return what is said of components that are one ranking."""
    return [note for note in fit.notes if "at its bound" in note]
