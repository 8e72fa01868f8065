"""What rules make of scores that are missing completely at random, and of low ones that are.

Prints the summaries in removal.txt and writes the means behind them to removal.csv. Needs the
leaderboards xtreme.csv, superglue_full.csv and glue_full.csv, systems by columns; takes ten minutes
on two idle cores, and continues from its journals.

    python examples/long/removal.py FOLDER
"""

import sys
from collections import Counter
from pathlib import Path

import pandas as pd

import rankagg as ra

HERE = Path(__file__).parent
NAMES = {"XTREME": "xtreme", "SuperGLUE": "superglue_full", "GLUE": "glue_full"}
RULES = [ra.Mean(), ra.Borda(), ra.Kemeny(time_limit=10)]


def table_of(path):
    """Return a leaderboard; columns such as MRPC-a and MRPC-b are metrics of one task."""
    frame = pd.read_csv(path, index_col=0).drop(columns="Score", errors="ignore")
    stems = [column.rpartition("-")[0] for column in frame]
    several = {stem for stem, number in Counter(stems).items() if stem and number > 1}
    tasks = [s if s in several else c for s, c in zip(stems, frame, strict=True)]
    values, systems = frame.to_numpy(), list(frame.index)
    # A task of one level needs no instances.
    instances = [str(c) for c in frame] if several else None
    return ra.ScoreTable(
        values, systems=systems, tasks=tasks, instances=instances, higher_is_better=True
    )


def study_of(name, folder):
    """Return the study of one table; it has two levels where tasks have several metrics."""
    table = table_of(folder / f"{NAMES[name]}.csv")
    levels = [ra.TwoLevel(ra.Borda(), ra.Borda())] if table.instances else []
    return ra.studies.MissingScoresStudy(
        data=[ra.studies.ObservedData(label=name, data=table)],
        rules=[*RULES, *levels],
        policies=["uniform", "last"],
        removals=[
            ra.studies.RandomRemoval(),
            ra.studies.RemovalByScore(),
            ra.studies.RemovalByScore(strength=5),
        ],
        proportions=[tenth / 10 for tenth in range(1, 10)],
        n_repetitions=50,
        rng=0,
    )


if __name__ == "__main__":
    folder, means = Path(sys.argv[1]), []
    for name in NAMES:
        result = study_of(name, folder).run(n_jobs=2, journal=f"removal-{name}.jsonl")
        print(result.summary(), end="\n\n")
        means.append(result.by_method()[["cells", "mean_tau", "se_tau", "mean_tau_ranked"]])
    pd.concat(means).round(4).to_csv(HERE / "removal.csv")
