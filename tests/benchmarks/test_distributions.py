"""Speed of distributions: sampling, and fits against choix where it is installed.

    pytest -o addopts='' tests/benchmarks/test_distributions.py --benchmark-json=figures.json

Both sides are timed in one run. How small the largest entry of the gradient became is given beside
the ratio, in the extra information of each benchmark; it is smaller here.
"""

from time import perf_counter

import numpy as np
import pytest

import rankagg as ra
from rankagg.distributions.plackett_luce.choices import choices_of
from rankagg.distributions.plackett_luce.likelihood import Likelihood

DRAWS, ITEMS = 1_000_000, 20


def seconds(call):
    """Return what a call returns and the seconds that it took."""
    start = perf_counter()
    result = call()
    return result, perf_counter() - start


@pytest.mark.parametrize("name", ["mallows", "plackett-luce", "generalized-mallows", "uniform"])
def test_a_million_draws(benchmark, name):
    law = {
        "mallows": ra.Mallows(range(ITEMS), 0.3),
        "plackett-luce": ra.PlackettLuce(np.linspace(0, 2, ITEMS)),
        "generalized-mallows": ra.GeneralizedMallows(range(ITEMS), np.full(ITEMS - 1, 0.3)),
        "uniform": ra.Uniform(range(ITEMS)),
    }[name]
    profile = benchmark.pedantic(law.sample, args=(DRAWS,), kwargs={"rng": 0}, rounds=3)
    assert len(profile) == DRAWS
    assert np.bincount(profile.ranks[:, 0], minlength=ITEMS).sum() == DRAWS


def norm_of(profile, log_worths):
    """Return the largest entry of the gradient at some log worths."""
    likelihood = Likelihood(choices_of(profile.ranks, profile.counts * profile.weights))
    return float(np.abs(likelihood.derivatives(np.asarray(log_worths)).gradient).max())


def fitted_by_choix(profile, names):
    """Run methods of choix at falling tolerances until the norm is small; give seconds and norm."""
    choix = pytest.importorskip("choix")
    rows = [
        np.argsort(np.where(ranks < 0, 10**6, ranks))[: (ranks >= 0).sum()].tolist()
        for ranks, count in zip(profile.ranks, profile.counts, strict=True)
        for _ in range(int(count))
    ]
    n = profile.n_items
    known = {
        "ilsr": lambda tol: choix.ilsr_rankings(n, rows, tol=tol),
        "mm": lambda tol: choix.mm_rankings(n, rows, tol=tol, max_iter=100_000),
        "newton-cg": lambda tol: choix.opt_rankings(n, rows, method="Newton-CG", tol=tol),
    }
    figures = {}
    for name in names:
        for tol in (1e-5, 1e-8):
            log_worths, time = seconds(lambda tol=tol, name=name: known[name](tol))
            figures[name] = (time, norm_of(profile, log_worths))
            if figures[name][1] <= 1e-4 or time > 60:
                break
    return figures


def compared(benchmark, profile, names):
    """Time a fit with its standard errors, and choix to a norm that is no smaller."""
    fit = benchmark.pedantic(ra.PlackettLuce.fit, args=(profile,), rounds=3, warmup_rounds=1)
    assert fit.converged
    assert np.isfinite(fit.standard_errors).all()
    figures = fitted_by_choix(profile, names)
    fast = benchmark.stats.stats.median
    benchmark.extra_info["norm"] = fit.gradient_norm
    for name, (time, norm) in figures.items():
        benchmark.extra_info[name] = f"{time:.2f} s, {time / fast:.0f} times, norm {norm:.1e}"


def test_plackett_luce_of_sushi(benchmark, data):
    sushi = ra.read_preflib(data("preflib/00014-00000001.soc"))
    compared(benchmark, sushi, ("ilsr", "mm", "newton-cg"))


def test_plackett_luce_of_many_partial_rankings(benchmark):
    rng = np.random.default_rng(0)
    drawn = ra.PlackettLuce(rng.normal(size=100)).sample(100_000, rng=rng).ranks.astype(float)
    seen = np.argsort(rng.random(drawn.shape), axis=1)[:, :10]
    partial = np.full(drawn.shape, np.nan)
    np.put_along_axis(partial, seen, np.take_along_axis(drawn, seen, axis=1), axis=1)
    # The fastest of choix here; Newton's method there takes more than twenty minutes.
    compared(benchmark, ra.Profile.from_ranks(partial), ("ilsr",))
