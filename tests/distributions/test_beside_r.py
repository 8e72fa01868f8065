"""Numbers of R's packages for the same rankings, where Rscript and the package are installed."""

import shutil
import subprocess
from math import factorial

import numpy as np
import pytest

import rankagg as ra

pytestmark = pytest.mark.slow
DISTANCES = ["kendall", "cayley", "hamming", "ulam", "footrule", "spearman"]
RANKINGS = 1 + np.random.default_rng(3).permuted(np.tile(np.arange(6), (30, 1)), axis=1)
# Rows of ranks, 0 for what is not ranked; the last two have ties.
PARTIAL = np.array([
    [1, 2, 3, 0], [2, 1, 3, 4], [0, 1, 2, 3], [4, 3, 2, 1], [1, 3, 2, 4], [3, 1, 0, 2],
    [2, 2, 1, 3], [1, 1, 2, 3],
])  # fmt: skip


def matrix(rows):
    """Return a matrix of numbers as R writes it."""
    return f"matrix(c({','.join(map(str, np.ravel(rows)))}), nrow={len(rows)}, byrow=TRUE)"


def r(package, code):
    """Run R with a package; return the numbers that `say(name, numbers)` told, by their names."""
    program = shutil.which("Rscript")
    if program is None:
        pytest.skip("Rscript is not installed")
    begin = (
        f"if (!requireNamespace('{package}', quietly=TRUE)) quit(status=9)\n"
        f"suppressMessages(library({package}))\n"
        "say <- function(name, x) cat('SAID', name, format(as.numeric(x), digits=15), '\\n')\n"
    )
    call = [program, "--vanilla", "-e", begin + code]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode == 9:
        pytest.skip(f"R has no package {package}")
    assert done.returncode == 0, done.stderr
    lines = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("SAID")]
    return {name: np.array(numbers, dtype=np.float64) for name, *numbers in lines}


@pytest.mark.parametrize("name", DISTANCES)
def test_mallows_beside_bayesmallows(name):
    alphas = [0.1, 1, 4, 30]
    known = r(
        "BayesMallows",
        f"for (n in c(4, 6, 9)) for (a in c({str(alphas)[1:-1]})) "
        f"say(paste0(n, '/', a), compute_expected_distance(a, n, '{name}'))\n"
        f"x <- {matrix(RANKINGS)}\n"
        f"for (a in c({str(alphas)[1:-1]})) say(a, get_mallows_loglik(matrix(1:6, nrow=1), a, 1, "
        f"metric='{name}', rankings=x))",
    )
    profile = ra.Profile.from_ranks(RANKINGS, items=range(6))
    for alpha in alphas:
        for n in (4, 6, 9):
            mean = ra.Mallows(range(n), alpha / n, distance=name).mean_distance
            assert mean == pytest.approx(float(known[f"{n}/{alpha}"][0]), rel=1e-9)
        logs = ra.Mallows(range(6), alpha / 6, distance=name).log_prob(profile)
        assert logs == pytest.approx(float(known[str(alpha)][0]), rel=1e-11)


@pytest.mark.parametrize("name", DISTANCES[:4])
def test_mallows_beside_permallows(name):
    counted = {"kendall": 15, "cayley": 5, "hamming": 6, "ulam": 5}[name]
    known = r(
        "PerMallows",
        f"say('counts', sapply(0:{counted}, function(d) count.perms(6, d, '{name}')))\n"
        f"say('mean', expectation.mm(0.7, 6, '{name}'))\n"
        f"x <- {matrix(RANKINGS)}\n"
        f"say('prob', apply(x, 1, function(p) dmm(p, theta=0.7, dist.name='{name}')))\n"
        f"fit <- lmm(x, dist.name='{name}', "
        f"estimation='{'exact' if name in ('cayley', 'hamming') else 'approx'}')\n"
        "say('mode', fit$mode); say('theta', fit$theta)",
    )
    mallows = ra.Mallows(range(6), 0.7, distance=name)
    even = ra.Mallows(range(6), 0.0, distance=name).distance_probabilities()
    counts = np.zeros(counted + 1)
    counts[even.index.astype(int)] = factorial(6) * even.to_numpy()
    assert counts == pytest.approx(known["counts"])
    # Its mean for Ulam, and so its theta, is not that of its own counts, which are ours.
    near = 30.0 if name == "ulam" else 1.0
    assert mallows.mean_distance == pytest.approx(float(known["mean"][0]), rel=1e-5 * near)
    profile = ra.Profile.from_ranks(RANKINGS, items=range(6))
    assert [mallows.prob(one) for one in profile] == pytest.approx(known["prob"], rel=1e-9)
    # Its center is exact for Cayley and Hamming alone; theta is that of its own center.
    best = ra.Mallows.fit(profile, distance=name)
    center = ra.Permutation.from_ranks(known["mode"].astype(np.int32) - 1, items=profile.items)
    theirs = ra.Mallows.fit(profile, distance=name, center=center)
    assert theirs.distribution.theta == pytest.approx(float(known["theta"][0]), abs=1e-4 * near)
    assert best.log_likelihood >= theirs.log_likelihood - 1e-9
    if name in ("cayley", "hamming"):
        assert best.log_likelihood == pytest.approx(theirs.log_likelihood)


def test_stages_beside_permallows():
    thetas = [1.5, 0.3, 0.1, 0.4, 2.0]
    known = r(
        "PerMallows",
        f"say('prob', apply({matrix(RANKINGS)}, 1, function(p) "
        f"dgmm(p, theta=c({str(thetas)[1:-1]}), dist.name='kendall')))",
    )
    # Its stages of Kendall's distance are the items of an order, ours its ranks.
    rows = ra.Profile.from_ranks(RANKINGS.argsort(axis=1) + 1, items=range(6))
    mallows = ra.distributions.GeneralizedMallows(range(6), thetas)
    found = [mallows.prob(one) for one in rows]
    assert found == pytest.approx(known["prob"], rel=1e-9)


@pytest.mark.parametrize("m", [6, 8])
def test_worths_beside_plackettluce(m):
    known = r(
        "PlackettLuce",
        f"x <- {matrix(PARTIAL[:m])}; colnames(x) <- LETTERS[1:4]\n"
        "m <- PlackettLuce(as.rankings(x), npseudo=0); s <- summary(m, ref=1)$coefficients\n"
        "say('worths', s[, 1]); say('errors', s[-1, 2]); say('height', logLik(m))\n"
        "m <- PlackettLuce(as.rankings(x), npseudo=0.5)\n"
        "say('pseudo', coef(m, ref=1))",
    )
    ranks = np.where(PARTIAL[:m] == 0, np.nan, PARTIAL[:m])
    profile = ra.Profile.from_ranks(ranks, items="ABCD")
    fit = ra.PlackettLuce.fit(profile)
    frame = fit.relative_to("A")
    assert frame["estimate"].to_numpy() == pytest.approx(known["worths"], abs=1e-6)
    assert frame["std_err"].to_numpy()[1:] == pytest.approx(known["errors"], rel=1e-6)
    assert fit.log_likelihood == pytest.approx(float(known["height"][0]), abs=1e-9)
    helped = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5).relative_to("A")["estimate"]
    assert helped.to_numpy() == pytest.approx(known["pseudo"], abs=1e-5)


def test_mixtures_beside_rankdist():
    known = r(
        "rankdist",
        "data(apa_obj); say('ranks', t(apa_obj@ranking)); say('counts', apa_obj@count)\n"
        "for (k in 1:2) { init <- new('RankInit', param.init=rep(list(0.5), k), "
        "modal_ranking.init=list(c(2,3,4,1,5), c(2,5,1,4,3))[1:k], clu=as.integer(k), "
        "p.init=rep(1/k, k))\n"
        "f <- RankDistanceModel(apa_obj, init, new('RankControlKendall'))\n"
        "say(paste0('height', k), f$log_likelihood); say(paste0('thetas', k), unlist(f$w.est)) }\n"
        "init <- new('RankInit', param.init=list(rep(0.3, 4)), "
        "modal_ranking.init=list(c(2,3,4,1,5)), clu=1L, p.init=1)\n"
        "f <- RankDistanceModel(apa_obj, init, new('RankControlPhiComponent'))\n"
        "say('stages', f$log_likelihood)",
    )
    counts = known["counts"].astype(int)
    profile = ra.Profile.from_ranks(known["ranks"].reshape(-1, 5), items="ABCDE", counts=counts)
    one, two = (ra.Mixture.fit(profile, k, n_starts=10, rng=0) for k in (1, 2))
    assert one.log_likelihood == pytest.approx(float(known["height1"][0]), abs=1e-3)
    assert one.distribution.components[0].theta == pytest.approx(known["thetas1"][0], abs=1e-4)
    assert two.log_likelihood >= known["height2"][0] - 1e-3
    # Its center is found by steps from where it was put: ours is proved, and theirs no better.
    assert (
        ra.distributions.GeneralizedMallows.fit(profile).log_likelihood >= known["stages"][0] - 1e-3
    )
