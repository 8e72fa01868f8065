"""How often the true model is chosen, and how often fits are refuted: 200 data sets of each.

Each has 100 rankings of 6 items. Print the text of model_choice.txt and write a row for each data
set to model_choice.csv; this takes about 30 minutes on one core.

    python examples/long/model_choice.py
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import rankagg as ra

TIMES, N_RANKINGS, ITEMS = 200, 100, "ABCDEF"
LUCE = ra.PlackettLuce(np.linspace(1.5, -1.5, 6), items=ITEMS)
MODELS = {
    "uniform": ra.distributions.Uniform(ITEMS),
    "mallows-kendall": ra.Mallows(ITEMS, 0.7),
    "mallows-footrule": ra.Mallows(ITEMS, 0.35, "footrule"),
    "plackett-luce": LUCE,
}
OTHER = ra.Permutation.from_order("DEFABC", items=ITEMS)
TWO = ra.Mixture([ra.Mallows(ITEMS, 1.0), ra.Mallows(OTHER, 1.0)])
KENDALL = ra.Mallows.fit
#: The distribution drawn from, and the fit.
TESTS = {
    "uniform, true": (MODELS["uniform"], ra.distributions.Uniform.fit),
    "Kendall, true": (MODELS["mallows-kendall"], KENDALL),
    "footrule, true": (MODELS["mallows-footrule"], partial(KENDALL, distance="footrule")),
    "Plackett-Luce, true": (LUCE, ra.PlackettLuce.fit),
    "Kendall of two centers": (TWO, KENDALL),
    "Kendall of Plackett-Luce": (LUCE, KENDALL),
    "Kendall of footrule": (MODELS["mallows-footrule"], KENDALL),
}


def choose_model(true, seed):
    """Return the model that each criterion chooses, and whether the true one is near the best."""
    rankings = MODELS[true].sample(N_RANKINGS, rng=[1, seed])
    frame = ra.distributions.compare_models(rankings, n_resamples=0, rng=seed).to_frame()
    near = -frame["difference"][true] <= 2 * frame["difference_error"][true]
    by = {"held_out": frame.index[0], "near": bool(near)}
    by |= {name: frame[name].astype(float).idxmin() for name in ("bic", "aic")}
    return {"case": true, "seed": seed, **by}


def fit_p_value(case, seed):
    """Return the p-value of the fit."""
    true, fitter = TESTS[case]
    rankings = true.sample(N_RANKINGS, rng=[2, seed])
    test = ra.distributions.goodness_of_fit(
        fitter(rankings), rankings, refit=fitter, n_resamples=99, rng=seed
    )
    return {"case": case, "seed": seed, "p": round(test.p_value, 6)}


def simulate(times=TIMES):
    """Return a row for each data set, of choices and of tests."""
    tasks = [(choose_model, case) for case in MODELS] + [(fit_p_value, case) for case in TESTS]
    jobs = (delayed(task)(case, seed) for task, case in tasks for seed in range(times))
    return pd.DataFrame(Parallel(n_jobs=-1)(jobs))


def summary_lines(rows):
    """Yield the shares of data sets with each outcome."""
    right = rows[rows["p"].isna()]
    yield "the true model is chosen by held-out score, BIC, AIC; is near the best"
    for case, part in right.groupby("case", sort=False):
        shares = [(part[name] == case).mean() for name in ("held_out", "bic", "aic")]
        shares.append((part["near"].astype(str) == "True").mean())
        yield f"{case:24}" + "".join(f"{share:8.1%}" for share in shares)
    yield "a fit is refuted at 0.05"
    for case, part in rows.dropna(subset="p").groupby("case", sort=False):
        yield f"{case:24}{(part['p'] <= 0.05).mean():8.1%}"


if __name__ == "__main__":
    rows = simulate()
    rows.to_csv(Path(__file__).with_suffix(".csv"), index=False)
    print("\n".join(summary_lines(rows)))
