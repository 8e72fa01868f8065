"""Public names that are loaded when they are first used, and what was meant where there is none."""

from __future__ import annotations

import pkgutil
import warnings
from collections.abc import Callable
from functools import partial

import lazy_loader

from rankagg.exceptions import nearest

__all__ = ["MOVED", "attach"]

#: What was a name of the package itself, and where it is now. Old names go with the next release.
MOVED = {
    "AgreementResult": "studies.AgreementResult",
    "AgreementStudy": "studies.AgreementStudy",
    "AnonymousCulture": "cultures.AnonymousCulture",
    "ApproximationStudy": "studies.ApproximationStudy",
    "Axiom": "axioms.Axiom",
    "axiom_table": "axioms.axiom_table",
    "AxiomTable": "axioms.AxiomTable",
    "Comparison": "RuleComparison",
    "condorcet_winner_probability": "studies.condorcet_winner_probability",
    "ConfidenceResult": "studies.ConfidenceResult",
    "ConfidenceStudy": "studies.ConfidenceStudy",
    "Culture": "cultures.Culture",
    "cycle_probability": "studies.cycle_probability",
    "CycleResult": "studies.CycleResult",
    "CycleStudy": "studies.CycleStudy",
    "Disagreement": "axioms.Disagreement",
    "EuclideanCulture": "cultures.EuclideanCulture",
    "find_counterexample": "axioms.find_counterexample",
    "GroupSeparableCulture": "cultures.GroupSeparableCulture",
    "GumbelModel": "studies.LatentModel(n_instances=None)",
    "ImpartialCulture": "cultures.ImpartialCulture",
    "IntervalMethod": "studies.IntervalMethod",
    "LatentModel": "studies.LatentModel",
    "MallowsModel": "cultures.MallowsCulture",
    "ManipulationResult": "studies.ManipulationResult",
    "ManipulationStudy": "studies.ManipulationStudy",
    "MissingScoresResult": "studies.MissingScoresResult",
    "MissingScoresStudy": "studies.MissingScoresStudy",
    "NormalizedMallowsCulture": "cultures.MallowsCulture",
    "PairMethod": "studies.PairMethod",
    "PlackettLuceModel": "cultures.PlackettLuceCulture",
    "PrintedRadius": "studies.PrintedRadius",
    "ResampledTableModel": "studies.Resampled",
    "ResampleModel": "studies.Resampled",
    "ScalingResult": "studies.ScalingResult",
    "ScalingStudy": "studies.ScalingStudy",
    "ScoreModel": "cultures.DataSource",
    "SingleCrossingCulture": "cultures.SingleCrossingCulture",
    "SinglePeakedCulture": "cultures.SinglePeakedCulture",
    "smallest_disagreement": "axioms.smallest_disagreement",
    "StudyModel": "cultures.DataSource",
    "ApproximationResult": "studies.ApproximationResult",
    "TableModel": "studies.Observed",
    "TaskSubsetResult": "studies.TaskSubsetResult",
    "TaskSubsetStudy": "studies.TaskSubsetStudy",
    "UrnCulture": "cultures.UrnCulture",
    "Witness": "axioms.Witness",
    "Quiz": "teaching.Quiz",
    "quiz": "teaching.quiz",
    "show_steps": "teaching.show_steps",
    "Step": "teaching.Step",
    "Steps": "teaching.Steps",
}


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def find(name: str) -> object:
        if name in names or name.startswith("_"):
            return load(name)
        if package == "rankagg" and name in MOVED:
            told = f"rankagg.{name} goes with the next release; it is rankagg.{MOVED[name]} now"
            warnings.warn(told, FutureWarning, stacklevel=2)
            place, _, without = MOVED[name].partition("(")
            value = pkgutil.resolve_name(f"rankagg.{place.replace('.', ':', 1)}")
            return partial(value, n_instances=None) if without else value
        raise AttributeError(f"{package} has no {name!r}. {nearest(name, names)}".rstrip())

    return find, listed, names
