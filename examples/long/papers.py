"""What three papers conclude, on other tables and with the exact consensus beside Borda's.

Writes papers.csv, a row for every number; papers_figures.py draws some of them. Needs leaderboards,
tables of instances and logs in the folders `tasks`, `instances` and `evaluations`; takes about ten
minutes on one core.

    python examples/long/papers.py FOLDER
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

import rankagg as ra

S, HERE = ra.studies, Path(__file__).parent
ONE_LEVEL = {"mean": ra.Mean(), "Borda": ra.Borda(), "exact": ra.Kemeny()}
BORDA, EXACT = ONE_LEVEL["Borda"], ONE_LEVEL["exact"]
TWO_LEVELS = {
    "Borda, two levels": ra.TwoLevel(BORDA, BORDA),
    # The exact rule knows no middle for a system without scores: any place of it is optimal.
    "exact, two levels": ra.TwoLevel(EXACT, EXACT, absent="unranked"),
}
COLUMNS = ["part", "table", "case", "method", "x", "value", "se"]
MEANS = {"mean": ra.Mean(), "geometric": ra.GeometricMean(), "harmonic": ra.HarmonicMean()}
ERRORS = ["model", "corruption", "n_corrupted", "mean_distance", "se_distance"]
STEPS = (0.05, 0.1, 0.3)


# -- tables -----------------------------------------------------------------------------------


def leaderboard(folder, name):
    """Return the scores of a leaderboard; higher is better."""
    frame = pd.read_csv(folder / "tasks" / f"{name}.csv", index_col=0)
    return frame.drop(columns="Score", errors="ignore")


def leaderboards(folder, n_systems=None):
    """Return leaderboards by name, or so many first systems of each; all columns are tasks."""
    names = {"XTREME": "xtreme", "SuperGLUE": "superglue_full", "GLUE": "glue_full"}
    frames = {name: leaderboard(folder, file) for name, file in names.items()}
    bleu = leaderboard(folder, "gem_bleu_main")
    # What all models of three families were scored on.
    families = bleu[bleu.index.str.match("T5|mT5|ByT5")]
    bleu = families.loc[:, families.notna().all()]
    frames |= {"GEM": bleu, "GEM, standardized": (bleu - bleu.mean()) / bleu.std()}
    tables = {}
    for name, frame in frames.items():
        is_cut = n_systems is not None and len(frame) > n_systems
        label = f"{name}, first {n_systems}" if is_cut else name
        tables[label] = ra.ScoreTable(frame.iloc[:n_systems], higher_is_better=True)
    return tables


def instance_tables(folder):
    """Return tables of instances by name; human scores are one of the metrics, as in print."""
    kinds = {"higher_is_better": True, "system": "system", "instance": "instance", "only": "*"}
    return {
        name: ra.read_scores(folder / "instances" / f"{name}.csv", **kinds)
        for name in ("dialog_pc", "dialog_tc", "flickr", "sum_eval")
    }


# -- numbers ----------------------------------------------------------------------------------


def found_by(study, rules):
    """Return what a study found by rule, with the names of the rules; it keeps their order."""
    found = study.run().by_method().reset_index()
    names = dict(zip(found["method"].unique(), rules, strict=True))
    return found.assign(method=found["method"].map(names))


def rows(part, found, columns):
    """Yield what a study found, from the columns for table, case, x, value and se."""
    for method, table, case, *numbers in found[["method", *columns]].itertuples(index=False):
        yield part, table, case, method, *numbers


def corrupted_draws():
    """Yield errors on the first paper's Gumbel scores as tasks are turned round, and where lost."""
    rules = ONE_LEVEL | TWO_LEVELS
    study = S.CorruptionStudy(
        data=[S.LatentModel(step=step) for step in STEPS],
        corruptions=[S.AdversarialScores()],
        rules=list(rules.values()),
        n_corrupted=range(13),
        n_repetitions=30,
        rng=0,
    )
    found = found_by(study, rules)
    lost = found[found["mean_distance"] > 0.75].drop_duplicates(["model", "method"])
    yield from rows("corruption", found, ERRORS)
    lost_at = ["model", "corruption", "mean_distance", "n_corrupted", "se_distance"]
    yield from rows("lost", lost, lost_at)


def corrupted_tables(tables):
    """Yield how far rules are led astray on leaderboards whose tasks are reversed or rescaled."""
    for name, table in tables.items():
        study = S.CorruptionStudy(
            data=[S.ObservedData(label=name, data=table)],
            corruptions=[
                S.ReversedScores(),
                S.RescaledScores(factor=10),
                S.RescaledScores(factor=10, after=S.ReversedScores()),
            ],
            rules=list(ONE_LEVEL.values()),
            n_corrupted=range(table.n_tasks // 2 + 1),
            n_repetitions=30,
            rng=0,
        )
        yield from rows("corruption", found_by(study, ONE_LEVEL), ERRORS)


def subsets(tables, rules):
    """Yield how near rankings on some tasks are to those on all."""
    for name, table in tables.items():
        study = S.TaskSubsetStudy(data=table, rules=list(rules.values()), n_repetitions=50, rng=0)
        found = found_by(study, rules).assign(table=name, case="", se=None)
        yield from rows("subsets", found, ["table", "case", "size", "mean_tau", "se"])


def missing(tables, rules):
    """Yield how near rankings of incomplete scores are to those of all."""
    for name, table in tables.items():
        study = S.MissingScoresStudy(
            data=[S.ObservedData(label=name, data=table)],
            rules=list(rules.values()),
            policies=["uniform"],
            removals=[S.RandomRemoval(), S.RemovalByScore(strength=5)],
            proportions=[tenth / 10 for tenth in range(1, 10)],
            n_repetitions=20,
            rng=0,
        )
        columns = ["model", "removal", "proportion", "mean_tau", "se_tau"]
        yield from rows("missing", found_by(study, rules), columns)


def agreement(tables, rules):
    """Yield tau of rules with each other, their first systems, and costs over the least."""
    for name, table in tables.items():
        found = {label: rule.aggregate(table) for label, rule in rules.items()}
        for one, two in combinations(found, 2):
            tau = ra.kendall_tau(found[one].ranking, found[two].ranking)
            yield "agreement", name, one, two, None, tau, None
        for label, consensus in found.items():
            ratio = found["exact"].cost_of(consensus.ranking) / found["exact"].cost
            (first,) = consensus.ranking.buckets[0]
            scored = (~table.missing[table.systems.index(first)]).sum()
            # How many scores the first system has.
            yield "cost", name, first, label, scored, ratio, None


def weights(tables):
    """Yield the largest share that one task has in how means of systems vary."""
    for name, table in tables.items():
        spread = pd.DataFrame(table.values, columns=list(table.tasks)).cov()
        shares = spread.sum() / spread.to_numpy().sum()
        yield "largest share", name, shares.idxmax(), "mean", table.n_tasks, shares.max(), None


def may_be_first(tables):
    """Yield how many systems may be first by Borda points, were tasks drawn from many more."""
    for name, table in tables.items():
        best = ra.rank_intervals(table, rng=0).to_frame()["best"]
        yield "may be first", name, "", "Borda", table.n_systems, (best == 1).sum(), None


def decided(tables):
    """Yield the share of pairs decided by equation 4, and for all pairs at once by instance."""
    ways = [S.PrintedRadius(radius="equation 4"), S.IntervalMethod(unit="instance", holm=True)]
    for name, table in tables.items():
        model = S.ObservedData(label=name, data=table)
        study = S.ConfidenceStudy(data=[model], methods=ways, alphas=[0.01], n_repetitions=1, rng=0)
        for row in study.run().to_frame().to_dict("records"):
            share = row["decided"] / row["pairs"]
            yield "decided", name, "", row["method"], row["pairs"], share, None


def humans(folder):
    """Yield places of humans on whole leaderboards, how far models are behind, and tau of means.

    Systems are those with positive scores, which other means need; x is how many there are.
    """
    for name, file in {"XTREME": "xtreme", "GLUE": "glue", "SuperGLUE": "superglue"}.items():
        whole = leaderboard(folder, file)
        tasks = whole.loc[:, ~whole.columns.str.startswith("AX")]
        for frame in [tasks] if tasks.shape == whole.shape else [tasks, whole]:
            positive = frame[(frame > 0).all(axis=1)]
            yield from places_of_humans(name, f"{frame.shape[1]} tasks", positive)


def places_of_humans(name, case, frame):
    """Yield what rules say of humans on some tasks of a leaderboard, where they are there."""
    table, n = ra.ScoreTable(frame, higher_is_better=True), len(frame)
    found = {label: rule.aggregate(table) for label, rule in MEANS.items()}
    for label in ("geometric", "harmonic"):
        tau = ra.kendall_tau(found["mean"].ranking, found[label].ranking)
        yield "agreement", name, f"mean, {case}", label, n, tau, None
    for at in np.flatnonzero(frame.index.str.contains("Human")):
        for label, consensus in found.items():
            best = np.delete(consensus.scores, at).max()
            behind = 100 * (1 - best / consensus.scores[at])
            yield "humans", name, case, label, n, consensus.ranking.rank(frame.index[at]), None
            yield "behind", name, case, label, n, behind, None
        place = ra.Borda().aggregate(table).ranking.rank(frame.index[at])
        yield "humans", name, case, "Borda", n, place, None
        above = ra.Kemeny().aggregate(table).optima.relation()
        yield "humans", name, case, "exact, at best", n, 1 + above[:, at].sum(), None
        yield "humans", name, case, "exact, at worst", n, n - above[at].sum(), None


def all_numbers(folder):
    """Yield all rows."""
    boards, few, instances = leaderboards(folder), leaderboards(folder, 40), instance_tables(folder)
    with_gaps = ra.ScoreTable(leaderboard(folder, "gem_bleu_main"), higher_is_better=True)
    frame = ra.read_evaluations(folder / "evaluations" / "inspect")
    logs = ra.read_scores(
        frame[frame["instance"].notna()],
        system="system",
        task="task",
        instance="instance",
        score="score",
        higher_is_better=True,
    )
    both = ONE_LEVEL | TWO_LEVELS
    yield from agreement(boards | {"GEM with gaps": with_gaps}, ONE_LEVEL)
    yield from agreement(instances, both)
    yield from weights(boards)
    yield from may_be_first(boards)
    yield from decided(instances | {"Inspect": logs})
    yield from humans(folder)
    yield from corrupted_tables(few)
    yield from subsets(few, ONE_LEVEL)
    yield from subsets(instances, both)
    yield from missing({"GEM": few["GEM"]}, ONE_LEVEL)
    yield from missing(instances, both)
    yield from corrupted_draws()


if __name__ == "__main__":
    made = pd.DataFrame(all_numbers(Path(sys.argv[1])), columns=COLUMNS)
    made.round(4).to_csv(HERE / "papers.csv", index=False)
