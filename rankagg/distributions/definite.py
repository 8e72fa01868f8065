"""Equations of information matrices, whose parameters may be of any size."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from rankagg._typing import Floats

__all__ = ["solve_definite"]


def solve_definite(matrix: Floats, right: Floats) -> Floats | None:
    """Solve linear equations whose matrix is positive definite; None where rounding hides that.

    Parameters are scaled to a curvature of 1, since their weights may differ by any factor.
    """
    diagonal = np.diag(matrix)
    if not (np.isfinite(matrix).all() and (diagonal > 0).all()):
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = scale[:, None] * matrix * scale
    try:
        lower = np.linalg.cholesky(scaled)
    except np.linalg.LinAlgError:
        return None
    # By its factor: nearly singular matrices have one where other ways to solve give up.
    found = cho_solve((lower, True), (right.T * scale).T)
    solved: Floats = (scale * found.T).T
    return solved
