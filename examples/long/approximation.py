"""How near rules come to the exact Kemeny optimum: 3 models, 3 sizes, 100 repetitions.

Prints the table in approximation.txt and writes the rows behind it to approximation.csv. Takes
some minutes on two cores; a stopped study continues from its journal.

    python examples/long/approximation.py
"""

from pathlib import Path

import rankagg as ra

HERE = Path(__file__).parent

STUDY = ra.studies.ApproximationStudy(
    rules=[ra.Borda(), ra.Copeland(), ra.MC4(), ra.KwikSort(), ra.InsertionSearch()],
    data=[
        ra.cultures.MallowsCulture(phi=0.9),
        ra.cultures.PlackettLuceCulture(spread=1.0),
        ra.studies.LatentModel(step=0.05, n_instances=5),
    ],
    n_items=[10, 30, 100],
    n_rankings=[10],
    n_repetitions=100,
    rng=2026,
)
COLUMNS = ["model", "n_items", "repetition", "method", "cost", "optimum", "hit"]

if __name__ == "__main__":
    result = STUDY.run(n_jobs=2, journal="approximation.jsonl", progress=True)
    frame = result.to_frame().drop(columns=["runtime", "exact_runtime"])
    frame[COLUMNS].to_csv(HERE / "approximation.csv", index=False)
    print(result.summary())
