"""Take a table of scores through every study."""

from pathlib import Path

import rankagg as ra
from rankagg import studies


def every_study(table, *rules, removal=studies.RandomRemoval(), often=10):
    rules = rules or (ra.Mean(), ra.Borda(), ra.Kemeny())
    mine = studies.ObservedData(label="mine", data=table)
    drawn = studies.ResampledData(label="mine", data=table)
    given = {"data": table, "rules": rules}
    ranked = {"data": mine, "rules": rules, "n_repetitions": often}
    turned = [studies.ReversedScores(), studies.RescaledScores(factor=100)]
    yield studies.AgreementStudy(**given)
    yield studies.TaskSubsetStudy(**given, n_repetitions=often)
    yield studies.MissingScoresStudy(**ranked, removals=[removal])
    yield studies.CorruptionStudy(**ranked, corruptions=turned)
    yield studies.ApproximationStudy(**{**ranked, "data": drawn}, n_items=[table.n_systems])
    yield studies.ConfidenceStudy(data=drawn, n_repetitions=often)


def write(table, *rules, folder=Path(), **settings):
    for study in every_study(table, *rules, **settings):
        result, file = study.run(), str(folder / type(study).__name__)
        Path(file + ".tex").write_text(result.to_latex(), encoding="utf-8")
        result.plot().figure.savefig(file + ".svg")
