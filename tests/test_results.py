"""Every public result keeps the contract of results."""

import pickle
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import rankagg as ra
from rankagg.core.results import Result
from rankagg.testing.results import ResultContract

EVIL = "<script>alert(1)</script>"
ITEMS = (EVIL, "B", "C", "D")
ORDERS = ("ABCD", "BACD", "DCBA", "ACBD", "CABD", "BADC")


def _labels(order):
    return [EVIL if letter == "A" else letter for letter in order]


COMPLETE = ra.Profile.from_orders([_labels(order) for order in ORDERS], items=ITEMS)
GAPS = ra.Profile.from_orders([_labels(order) for order in ("ABC", "CA", "DBA", "BC")], items=ITEMS)


@cache
def exact():
    return ra.Kemeny().aggregate(COMPLETE)


@cache
def weak():
    return ra.Kemeny(consensus_ties=True, tie_cost=0.5).aggregate(COMPLETE)


@cache
def fit():
    return ra.PlackettLuce.fit(COMPLETE)


@cache
def mixture():
    return ra.Mixture.fit(COMPLETE, 2, n_starts=2, rng=0)


def plain_fit():
    shared = {
        name: getattr(fit(), name) for name in ra.distributions.FitResult.__dataclass_fields__
    }
    return ra.distributions.FitResult(**shared)


@cache
def battles():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, 60)
    second = (first + rng.integers(1, 4, 60)) % 4
    return ra.BradleyTerry.fit(
        ra.Comparisons(ITEMS, first, second, rng.choice([-1, -1, 0, 1, 1], 60)),
        ties="davidson", side=True,
    )  # fmt: skip


def study():
    return ra.studies.ApproximationStudy(
        rules=[ra.Borda(), ra.Copeland()], data=[ra.cultures.MallowsCulture(phi=0.5)],
        n_items=[4], n_rankings=[5], n_repetitions=2, rng=1,
    ).run()  # fmt: skip


def missing_scores():
    table = ra.ScoreTable(
        [[1, 5, 3], [2, 2, 4], [3, 1, 5], [4, 3, 1]], systems=ITEMS, higher_is_better=True
    )
    return ra.studies.MissingScoresStudy(
        data=[ra.studies.ObservedData(label=EVIL, data=table)],
        proportions=[0, 0.25],
        n_repetitions=2,
        rng=0,
    ).run()


def cast_votes():
    rows = f"{EVIL},B,B\nC,overvote,D\nundervote,,C\n,,\n<i>,UWI,C\n"
    return ra.read_cast_votes(StringIO(f"1,2,3\n{rows}"), spellings={"undervote": ["<i>"]})


def scores():
    values = np.random.default_rng(1).normal(size=(4, 6))
    return ra.ScoreTable(
        values, systems=ITEMS, tasks=["x", "x", EVIL, EVIL, "y", "y"], instances=[0, 1] * 3,
        higher_is_better=True,
    )  # fmt: skip


def confidence():
    return ra.studies.ConfidenceStudy(
        data=[ra.studies.ResampledData(label=EVIL, data=scores())], proportions=[0.1],
        n_repetitions=2, rng=0,
    ).run()  # fmt: skip


def corruption():
    return ra.studies.CorruptionStudy(
        data=[ra.studies.ObservedData(label=EVIL, data=scores())],
        corruptions=[ra.studies.ReversedScores(), ra.studies.NoisyScores()], n_repetitions=2, rng=0,
    ).run()  # fmt: skip


RESULTS = {
    "CastVotes": cast_votes,
    "BradleyTerryFit": battles,
    "Certificate": lambda: exact().certificate,
    "RuleComparison": lambda: ra.compare(COMPLETE, [ra.Borda(), ra.Kemeny()]),
    "Connectivity": lambda: ra.Comparisons.from_arrays(
        ITEMS, (*"BCD", EVIL), [1, 1, 0, -1]
    ).connectivity(),
    "Consensus": exact,
    "StudyResult": lambda: ra.studies.CycleStudy(
        data=[ra.cultures.ImpartialCulture()], n_rankings=[3, 4], n_repetitions=3, rng=0
    ).run(),
    "Decisions": lambda: ra.PairwiseIntervals.from_data(COMPLETE).decisions(),
    "DispersionReport": lambda: ra.inference.dispersion_report(COMPLETE, [ra.Borda(), ra.Kemeny()]),
    "Estimate": lambda: ra.inference.HoeffdingEstimator(epsilon=1, alpha=0.1).estimate(
        COMPLETE, rng=0
    ),
    "ElectionCount": lambda: ra.STV(2, counting="meek").count(COMPLETE),
    "Explanation": lambda: ra.explain(exact(), EVIL, "B"),
    "FitResult": plain_fit,
    "FriedmanTest": lambda: ra.inference.friedman(COMPLETE),
    "MixtureFit": mixture,
    "MallowsFit": lambda: ra.Mallows.fit(COMPLETE),
    "ModelComparison": lambda: ra.distributions.compare_models(
        COMPLETE, ["uniform", (EVIL, ra.Mallows.fit)], n_folds=2, n_resamples=3, rng=0
    ),
    "GoodnessOfFit": lambda: ra.distributions.goodness_of_fit(
        ra.Mallows.fit(COMPLETE), COMPLETE, n_resamples=3, rng=0
    ),
    "MissingReport": lambda: ra.analysis.missing_report(GAPS),
    "NewTaskRanks": lambda: ra.inference.new_task_ranks(scores()),
    "Optima": lambda: exact().optima,
    "PairedTest": lambda: ra.paired_test(scores(), EVIL, "B"),
    "PairedTests": lambda: ra.inference.paired_tests(scores(), EVIL),
    "PairwiseTests": lambda: ra.inference.pairwise_tests(scores(), method="sign"),
    "PairwiseIntervals": lambda: ra.PairwiseIntervals.from_data(COMPLETE),
    "PlackettLuceFit": fit,
    "RankIntervals": lambda: ra.rank_intervals(COMPLETE),
    "RankShares": lambda: ra.rank_shares(COMPLETE, ra.Borda(), n_resamples=20, rng=0),
    "RuleChoice": lambda: ra.analysis.choose_rule(
        COMPLETE, [ra.Borda(), ra.Kemeny()], n_splits=3, rng=0
    ),
    "TableChanges": lambda: ra.analysis.compare_tables(
        ra.ScoreTable([[3, 1], [2, 2], [1, 3]], systems=ITEMS[:3], higher_is_better=True),
        ra.ScoreTable([[1, 1], [2, 2], [3, 4]], systems=ITEMS[:3], higher_is_better=True),
    ),
    "ComparisonRadius": lambda: ra.analysis.removal_radius(
        ra.Comparisons.from_arrays([*ITEMS[:2]] * 4, [*ITEMS[1:3]] * 4, [1, 1, 1, -1, 1, 1, -1, 1])
    ),
    "RemovalRadius": lambda: ra.analysis.removal_radius(COMPLETE, ra.Borda()),
    "Sensitivity": lambda: ra.analysis.sensitivity(GAPS, n_samples=10, rng=0),
    "Separation": lambda: ra.inference.separation(scores()),
    "KrippendorffAlpha": lambda: ra.inference.krippendorff_alpha([[1, 2, 3, 3], [1, 2, 2, 3]]),
    "RobustRankAggregation": lambda: ra.inference.robust_rank_aggregation(GAPS),
    "SkillingsMackTest": lambda: ra.inference.skillings_mack(GAPS, n_resamples=100),
    "Stability": lambda: ra.stability(COMPLETE, ra.Borda(), n_samples=3, rng=0),
    "Steps": lambda: ra.teaching.show_steps(ra.Kemeny(), COMPLETE),
    "TaskAgreement": lambda: ra.analysis.task_agreement(scores()),
    "TournamentGraph": lambda: ra.TournamentGraph(COMPLETE.pairwise()),
    "SimulatedTest": lambda: ra.Mallows.fit(COMPLETE).test_uniform(n_resamples=9, rng=0),
    "TiedCertificate": lambda: weak().certificate,
    "TiedOptima": lambda: weak().optima,
    "AxiomTable": lambda: ra.axioms.axiom_table(
        [ra.Borda(), ra.Minimax()], ["majority", "reinforcement", "condorcet winner"], n_rankings=4
    ),
    "Witness": lambda: ra.axioms.CondorcetWinner().check(
        ra.Borda(),
        ra.Profile.from_orders([_labels("ABC"), _labels("BCA")], items=ITEMS[:3], counts=[3, 2]),
    ),
}


#: The keys of `to_dict` of each result, on which those who read them rely. After a change that is
#: meant `python -m tests.test_results` writes them anew.
KEYS = Path(__file__).with_name("result_keys.txt")


def keys_of(result: Result) -> str:
    return f"{type(result).__name__}: {' '.join(sorted(result.to_dict()))}"


#: All at once, as there are many results: each is made once, and quickly tested.
PROMISES = [name for name in dir(ResultContract) if name.startswith("test_")]


@cache
def result_of(name: str) -> Result:
    """Return a result, made once for the tests of all modules."""
    return RESULTS[name]()


# Kinds represented by others: they share the base of fits, of studies, or of optima.
ALIKE = {
    "MallowsFit",
    "TiedCertificate", "TiedOptima",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in ALIKE)) for name in RESULTS],
)
def test_results_keep_their_contract_and_their_keys(name: str) -> None:
    result = result_of(name)
    assert type(result).__name__ == name
    assert keys_of(result) in KEYS.read_text(encoding="utf-8").splitlines()
    for promise in PROMISES:
        getattr(ResultContract(), promise)(result)


def test_every_public_result_is_under_the_contract() -> None:
    rooms = (ra.analysis, ra.axioms, ra.distributions, ra.inference)
    modules = (ra, *rooms, ra.io, ra.studies, ra.teaching)
    public = {name: getattr(module, name) for module in modules for name in module.__all__}
    results = {
        name for name, kind in public.items() if isinstance(kind, type) and issubclass(kind, Result)
    }
    assert results == RESULTS.keys()


def test_unknown_values_are_equal_in_a_copy() -> None:
    report = ra.inference.dispersion_report(ra.Profile.from_orders(["ABC"]), [ra.Borda()])
    assert np.isnan(report.average_spread)
    assert pickle.loads(pickle.dumps(report)) == report


def test_numbers_rounded_to_zero_have_no_minus() -> None:
    def every(kind):
        return {kind}.union(*map(every, kind.__subclasses__()))

    ours = [kind for kind in every(Result) if kind.__module__.startswith("rankagg.")]
    formats = {shown for kind in ours for shown in (kind._number.format, *kind._formats.values())}
    assert len(formats) > 4
    for shown in formats:
        assert "-" not in shown(-0.0).replace("1e-300", "")
        assert "e" in shown(-1e-12) or "-" not in shown(-1e-12)
    alike = ra.ScoreTable([[1, 1], [2, 3], [3, 2]], higher_is_better=True, tasks="ab")
    assert "-0" not in ra.analysis.task_agreement(alike).summary().replace("-0.5", "")


if __name__ == "__main__":
    lines = sorted(keys_of(make()) for make in RESULTS.values())
    KEYS.write_text("\n".join(lines) + "\n", encoding="utf-8")
