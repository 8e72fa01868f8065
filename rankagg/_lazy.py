"""Public names that are loaded when they are first used, and what was meant where there is none."""

from __future__ import annotations

import pkgutil
import sys
import warnings
from collections.abc import Callable
from functools import partial

import lazy_loader

from rankagg._keywords import answer_public
from rankagg.exceptions import nearest

#: What was a name of the package itself, and where it is now. Old names go with the next release.
MOVED = {
    "AgreementResult": "studies.AgreementResult",
    "AgreementStudy": "studies.AgreementStudy",
    "AnonymousCulture": "cultures.AnonymousCulture",
    "ApproximationResult": "studies.ApproximationResult",
    "ApproximationStudy": "studies.ApproximationStudy",
    "Axiom": "axioms.Axiom",
    "axiom_table": "axioms.axiom_table",
    "AxiomTable": "axioms.AxiomTable",
    "BradleyTerryFit": "distributions.BradleyTerryFit",
    "cayley_distance": "distances.cayley_distance",
    "Comparison": "analysis.RuleComparison",
    "condorcet_winner_probability": "studies.condorcet_winner_probability",
    "ConfidenceResult": "studies.ConfidenceResult",
    "ConfidenceStudy": "studies.ConfidenceStudy",
    "Culture": "cultures.Culture",
    "cycle_probability": "studies.cycle_probability",
    "CycleResult": "studies.CycleResult",
    "CycleStudy": "studies.CycleStudy",
    "Decisions": "inference.Decisions",
    "Disagreement": "axioms.Disagreement",
    "DispersionReport": "inference.DispersionReport",
    "distance_to": "inference.distance_to",
    "EmpiricalBernsteinStopping": "inference.EmpiricalBernsteinStopping",
    "Estimate": "inference.Estimate",
    "EuclideanCulture": "cultures.EuclideanCulture",
    "Explanation": "analysis.Explanation",
    "find_counterexample": "axioms.find_counterexample",
    "FitResult": "distributions.FitResult",
    "FriedmanTest": "inference.FriedmanTest",
    "GeneralizedMallowsFit": "distributions.GeneralizedMallowsFit",
    "GroupSeparableCulture": "cultures.GroupSeparableCulture",
    "GumbelModel": "studies.LatentModel(n_instances=None)",
    "hamming_distance": "distances.hamming_distance",
    "ImpartialCulture": "cultures.ImpartialCulture",
    "IntervalMethod": "studies.IntervalMethod",
    "Intransitivity": "distributions.Intransitivity",
    "kendall_distance_counts": "distributions.kendall_distance_counts",
    "last_k_agreement": "distances.last_k_agreement",
    "LatentModel": "studies.LatentModel",
    "LatentScores": "distributions.LatentScores",
    "mallows_log_normalizer": "distributions.mallows_log_normalizer",
    "MallowsFit": "distributions.MallowsFit",
    "MallowsModel": "cultures.MallowsCulture",
    "ManipulationResult": "studies.ManipulationResult",
    "ManipulationStudy": "studies.ManipulationStudy",
    "mean_distance": "inference.mean_distance",
    "MissingReport": "analysis.MissingReport",
    "MissingScoresResult": "studies.MissingScoresResult",
    "MissingScoresStudy": "studies.MissingScoresStudy",
    "NormalizedMallowsCulture": "cultures.MallowsCulture",
    "PairedTest": "inference.PairedTest",
    "PairedTests": "inference.PairedTests",
    "PairMethod": "studies.PairMethod",
    "PlackettLuceFit": "distributions.PlackettLuceFit",
    "PlackettLuceModel": "cultures.PlackettLuceCulture",
    "PrintedRadius": "studies.PrintedRadius",
    "QuasiVariances": "distributions.QuasiVariances",
    "Quiz": "teaching.Quiz",
    "quiz": "teaching.quiz",
    "rank_biased_overlap": "distances.rank_biased_overlap",
    "RankIntervals": "inference.RankIntervals",
    "RankShares": "analysis.RankShares",
    "Removal": "analysis.Removal",
    "RemovalRadius": "analysis.RemovalRadius",
    "remove_scores": "distributions.remove_scores",
    "replace_tasks": "distributions.replace_tasks",
    "replicate": "replication.replicate",
    "Replication": "replication.Replication",
    "ResampledTableModel": "studies.Resampled",
    "ResampleModel": "studies.Resampled",
    "rescale_tasks": "distributions.rescale_tasks",
    "ScalingResult": "studies.ScalingResult",
    "ScalingStudy": "studies.ScalingStudy",
    "ScoreModel": "cultures.DataSource",
    "Sensitivity": "analysis.Sensitivity",
    "Separation": "inference.Separation",
    "show_steps": "teaching.show_steps",
    "single_crossing_order": "analysis.single_crossing_order",
    "single_peaked_axes": "analysis.single_peaked_axes",
    "single_peaked_axis": "analysis.single_peaked_axis",
    "SingleCrossingCulture": "cultures.SingleCrossingCulture",
    "SinglePeakedCulture": "cultures.SinglePeakedCulture",
    "SkillingsMackTest": "inference.SkillingsMackTest",
    "smallest_disagreement": "axioms.smallest_disagreement",
    "spearman_footrule": "distances.spearman_footrule",
    "spearman_rho": "distances.spearman_rho",
    "Stability": "analysis.Stability",
    "Step": "teaching.Step",
    "Steps": "teaching.Steps",
    "StudyModel": "cultures.DataSource",
    "Swap": "analysis.Swap",
    "TableModel": "studies.Observed",
    "TaskAgreement": "analysis.TaskAgreement",
    "TaskSubsetResult": "studies.TaskSubsetResult",
    "TaskSubsetStudy": "studies.TaskSubsetStudy",
    "tau_ap": "distances.tau_ap",
    "top_k_agreement": "distances.top_k_agreement",
    "ulam_distance": "distances.ulam_distance",
    "UniformityTest": "distributions.UniformityTest",
    "UrnCulture": "cultures.UrnCulture",
    "UStatistic": "inference.UStatistic",
    "weighted_kendall_tau": "distances.weighted_kendall_tau",
    "Witness": "axioms.Witness",
}


def warn_moved(old: str, new: str) -> None:
    """Warn the caller's caller of a name that has changed."""
    told = f"{old} goes with the next release; it is {new} now"
    warnings.warn(told, FutureWarning, stacklevel=3)


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def find(name: str) -> object:
        if name in names or name.startswith("_"):
            value = answer_public(load(name))
            # Found there from now on.
            setattr(sys.modules[package], name, value)
            return value
        if package == "rankagg" and name in MOVED:
            warn_moved(f"rankagg.{name}", f"rankagg.{MOVED[name]}")
            place, _, without = MOVED[name].partition("(")
            value = pkgutil.resolve_name(f"rankagg.{place.replace('.', ':', 1)}")
            return partial(value, n_instances=None) if without else value
        raise AttributeError(f"{package} has no {name!r}. {nearest(name, names)}".rstrip())

    return find, listed, names
