"""Plots are drawn without a screen, and their figures closed after each test."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

import rankagg as ra
from rankagg import plotting

mpl.use("Agg")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave what draws every plot twice more to the slow tests."""
    for item in items:
        if getattr(item, "originalname", "") == "test_given_axes_hold_all_texts":
            item.add_marker(pytest.mark.slow)


# Figures are sized by their letters, so a slide has the layout of the paper.
@pytest.fixture(autouse=True, params=["paper", pytest.param("slide", marks=pytest.mark.slow)])
def look(request):
    """Draw in the letters of a paper; those of a slide are checked with the slow tests."""
    with plotting.style(request.param):
        yield request.param
    plt.close("all")


@pytest.fixture(scope="session")
def thirty():
    """Return scores of 30 systems with names of all lengths on 12 tasks, none missing."""
    names = [f"{'System' if k % 3 else 'A system with a rather long name'} {k}" for k in range(30)]
    law = ra.distributions.LatentScores([0.15 * k for k in range(30)], systems=names)
    return law.sample(12, rng=1)
