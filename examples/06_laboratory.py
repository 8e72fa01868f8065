"""A laboratory: how good a rule is here, and how good it is in general.

Voters on whom Borda and the exact consensus disagree, why they do, and how often that happens;
then one page and two pictures to hand on.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import rankagg as ra
from rankagg import plotting

voters = ra.datasets.load("borda_fails_condorcet")
comparison = ra.compare(voters, [ra.Borda(), ra.Copeland(), ra.Kemeny()])

print("Here")
frame = comparison.to_frame()[["rule", "ranking", "cost", "excess", "ratio", "guarantee"]]
print(frame.round(3).to_string(index=False))

print("\nWhy")
print(ra.explain(comparison["Borda"], "B", "A"))
print(ra.explain(comparison["Kemeny"], "A", "B"))

print("\nIn general: 200 data sets of 10 Mallows rankings of 8 items, each solved exactly")
study = ra.studies.ApproximationStudy(
    rules=[ra.Borda(), ra.Copeland(), ra.InsertionSearch()],
    data=[ra.cultures.MallowsCulture(phi=0.6), ra.cultures.MallowsCulture(phi=0.9)],
    n_items=[8],
    n_rankings=[10],
    n_repetitions=100,
    rng=1,
)
result = study.run()
table = result.by_method().droplevel(["n_items", "n_rankings"])
print(table[["hit_rate", "hit_low", "hit_high", "mean_ratio", "max_ratio"]].round(3).to_string())

print("\nTo hand on")
with TemporaryDirectory() as folder, plotting.style("paper"):
    ra.make_report(voters, title="Five voters").save(Path(folder) / "report.html")
    comparison.plot().figure.savefig(Path(folder) / "flow.svg")
    result.plot().figure.savefig(Path(folder) / "ratios.pdf")
    for path in sorted(Path(folder).iterdir()):
        print(f"  {path.name}: {'written' if path.stat().st_size > 1000 else 'empty'}")
