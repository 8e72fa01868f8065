"""Public names that are loaded when they are first used, and what was meant where there is none."""

from __future__ import annotations

import os
import pkgutil
import sys
import warnings
from collections.abc import Callable
from functools import partial

import lazy_loader

from rankagg._keywords import answer_public
from rankagg.exceptions import nearest

#: Set, it has all names loaded at once (SPEC 1).
EAGER = "EAGER_IMPORT"
#: The names of the package itself that are now names of one of its rooms.
UNRENAMED = {
    "analysis": (
        "Explanation MissingReport RankShares Removal RemovalRadius Sensitivity "
        "single_crossing_order single_peaked_axes single_peaked_axis Stability Swap "
        "TaskAgreement"
    ),
    "axioms": (
        "Axiom axiom_table AxiomTable Disagreement find_counterexample smallest_disagreement "
        "Witness"
    ),
    "cultures": (
        "AnonymousCulture Culture EuclideanCulture GroupSeparableCulture ImpartialCulture "
        "SingleCrossingCulture SinglePeakedCulture UrnCulture"
    ),
    "distances": (
        "cayley_distance hamming_distance last_k_agreement rank_biased_overlap "
        "spearman_footrule spearman_rho tau_ap top_k_agreement ulam_distance "
        "weighted_kendall_tau"
    ),
    "distributions": (
        "BradleyTerryFit FitResult GeneralizedMallowsFit Intransitivity "
        "kendall_distance_counts LatentScores mallows_log_normalizer MallowsFit "
        "PlackettLuceFit QuasiVariances UniformityTest"
    ),
    "inference": (
        "Decisions DispersionReport distance_to EmpiricalBernsteinStopping Estimate "
        "FriedmanTest mean_distance PairedTest PairedTests RankIntervals Separation "
        "SkillingsMackTest UStatistic"
    ),
    "replication": "replicate Replication",
    "studies": (
        "AgreementResult AgreementStudy ApproximationResult ApproximationStudy "
        "condorcet_winner_probability ConfidenceResult ConfidenceStudy cycle_probability "
        "CycleResult CycleStudy IntervalMethod LatentModel MissingScoresResult "
        "MissingScoresStudy PairMethod PrintedRadius TaskSubsetResult TaskSubsetStudy"
    ),
    "teaching": "show_steps Step Steps",
}
#: What was a name of the package itself, and where it is now. Old names go with version 2.
MOVED = {name: f"{room}.{name}" for room, names in UNRENAMED.items() for name in names.split()} | {
    "Comparison": "analysis.RuleComparison",
    "GumbelModel": "studies.LatentModel(n_instances=None)",
    "MallowsModel": "cultures.MallowsCulture",
    "NormalizedMallowsCulture": "cultures.MallowsCulture",
    "PlackettLuceModel": "cultures.PlackettLuceCulture",
    "ResampledTableModel": "studies.Resampled",
    "ResampleModel": "studies.Resampled",
    "ScoreModel": "cultures.DataSource",
    "StudyModel": "cultures.DataSource",
    "TableModel": "studies.Observed",
}


def warn_moved(old: str, new: str) -> None:
    """Warn the caller's caller of a name that has changed."""
    told = f"{old} goes with version 2; it is {new} now"
    warnings.warn(told, FutureWarning, stacklevel=3)


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its names."""
    # What is loaded at once may ask for other names, and is loaded below, where they are found.
    at_once = os.environ.pop(EAGER, None)
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

    if at_once is not None:
        os.environ[EAGER] = at_once
        vars(sys.modules[package])["__getattr__"] = find
        for name in names if at_once not in ("", "0") else ():
            find(name)
    return find, listed, names
