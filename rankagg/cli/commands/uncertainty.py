"""Commands that say how sure a ranking is: tests, intervals, and what is left without some data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.command import Answer, Output, command, output, rows_told
from rankagg.cli.options.exact import (
    EXACTLY,
    ExactOptions,
    exit_code,
    limited,
    show_progress,
    time_limit,
    usually_limited,
)
from rankagg.cli.options.given import data, data_or_estimates
from rankagg.cli.options.rules import RULE, RuleName, make, names_with_policy, rules_to
from rankagg.cli.options.typed import (
    PROBABILITY,
    TIME,
    OneOf,
    Option,
    Whole,
    alpha,
    choice,
    flag,
    grouped,
    jobs,
    labels_of,
    seed,
    several,
    two_items,
)
from rankagg.cli.options.wording import options_named, refuse_typed

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.aggregation import Deadline
    from rankagg.cli.options.inputs import Input

UNITS = OneOf(["ranking", "instance", "task"])
PAIRS_BY = ["hoeffding", "bernstein", "normal", "wilson", "clopper-pearson", "percentile", "bca"]
#: What says how data are looked at, of which estimates have none.
OF_DATA = (*("of", "method", "unit", "fixed_tasks", "anytime", "pairs", "simultaneous"),)
TIES = ("tie_cost", "consensus_ties")


PAIRED = ("against", "method", "midp", "n_resamples", "rng")


@command(
    data(whole=True),
    Option(
        "--reference",
        metavar="SYSTEM",
        help="The system that others are tested against, chosen without looking at the scores.",
    ),
    several("--against", "SYSTEM", "One of the others, once for each; by default all are tested."),
    Option(
        "--power",
        type=PROBABILITY,
        help="Instead of a test: how many units would tell each system from the next one by mean "
        "scores, with this probability, such as 0.8.",
    ),
    Option(
        "--unit",
        type=UNITS,
        default="ranking",
        help="What is independent: columns, or instances or tasks, whose columns are averaged.",
    ),
    alpha(),
    *grouped(
        "Test",
        choice(
            "--method",
            ["mcnemar", "sign-flip", "wilcoxon", "sign"],
            "mcnemar (default for scores of 0 and 1) counts the units in which only one is "
            "right; sign-flip (default elsewhere) tests the mean difference; wilcoxon its signed "
            "ranks; sign how many units have the one above.",
        ),
        flag(
            "--mid-p",
            "midp",
            help="For mcnemar and sign: count what was observed half; less careful.",
        ),
        Option(
            "--resamples",
            "n_resamples",
            type=Whole(100, 10**6),
            default=10_000,
            help="Sign vectors, where there are more than these.",
        ),
        Option(
            "--tests",
            "n_tests",
            type=Whole(1, 10**9),
            help="With --power: how many tests share alpha; one for each two neighbors by default.",
        ),
    ),
    seed(),
    output("systems or pairs", pasted=True, plot="the effects, or the numbers of units,"),
)
def test(
    given: Input,
    *,
    reference: str | None,
    against: Sequence[str],
    power: float | None,
    unit: Any,
    alpha: float,
    n_tests: int | None,
    **options: Any,
) -> Answer:
    """Test systems against one, or plan how many units a test needs.

    \b
        rankagg test scores.csv --reference baseline
        rankagg test instances.csv --instance id --reference A --unit task
        rankagg test scores.csv --power 0.8

    Every test states its effect with an interval. Holm's procedure bounds the probability that
    any decision is wrong. --power states for each two neighbors by mean scores the units that
    would tell them apart, and the difference that the units at hand detect; it takes the observed
    difference for the true one.
    """
    if (reference is None) == (power is None):
        raise click.UsageError(
            "Give one of --reference SYSTEM, to test the others against it, and --power 0.8, to "
            "plan the number of units."
        )
    remedy = " `rankagg intervals` says how often one is above the other."
    given.need(ra.ScoreTable, "Tests need the scores of systems", remedy)
    found: Any
    if power is not None:
        refuse_typed("has no meaning with --power", *PAIRED)
        with options_named():
            found = ra.inference.separation(
                given.data, unit=unit, alpha=alpha, power=power, n_tests=n_tests
            )
        return Answer(result=found, plot=found.plot)
    refuse_typed("belongs to --power", "n_tests")
    systems = given.data.systems
    (one,) = labels_of("--reference", [reference or ""], systems, "system")
    others = labels_of("--against", against, systems, "system") or None
    with options_named({"second": "--against", "systems": "--against"}):
        found = ra.inference.paired_tests(
            given.data, one, others, unit=unit, alpha=alpha, **options
        )
    return Answer(result=found, plot=found.plot)


@command(
    data(),
    rules_to("measure"),
    flag(
        "--agreement",
        help="Instead: how far tasks, or rankings, order systems alike, with a test of chance.",
    ),
    EXACTLY,
    Option(
        "--resamples",
        "n_resamples",
        group="Agreement",
        type=Whole(100, 10**6),
        help="Draws for the p-value; by default 10,000 with up to 50 tasks, and above none.",
    ),
    seed(),
    output("tasks", pasted=True, plot="how far tasks agree"),
)
def dispersion(
    given: Input,
    *,
    names: Sequence[str],
    agreement: bool,
    exact: ExactOptions,
    output: Output,
    **options: Any,
) -> Answer:
    """Measure how far rankings are apart, or how far tasks agree.

    \b
        rankagg dispersion scores.csv
        rankagg dispersion election.soc --rule borda --rule kemeny --json
        rankagg dispersion judges.csv --task judge --agreement

    The distance of consensuses to the rankings, and of the rankings to each other. The mean
    distance of two rankings bounds what any consensus can reach; the exact one shows what is
    reached, or found within 60 seconds where --time-limit says nothing else.

    --agreement: Kendall's tau of each task with the others and with the ranking by the rest;
    Kendall's W of all; and Skillings and Mack's test of chance, which is Friedman's where no score
    is missing. Of a task with instances the average scores are ranked. Of ballots and lists:
    Kendall's W.
    """
    if agreement:
        refuse_typed("has no meaning with --agreement", "names", "deadline", *TIES)
        return _agreement(given, output, **options)
    printed = ("pasted", "plot", "rows", "everything")
    refuse_typed("belongs to --agreement", "n_resamples", "rng", *printed)
    given.refuse_pairs("Dispersion needs rankings or scores")
    limit = exact.deadline.time_limit
    found = ra.inference.dispersion_report(
        given.data,
        exact.chosen(names, given),
        tolerance=given.tolerance,
        **({} if limit is None else {"time_limit": limit}),
    )
    return Answer(
        result=found, text=lambda rows: found.summary(), code=exit_code(found.consensuses)
    )


def _agreement(given: Input, output: Output, **options: Any) -> Answer:
    from rankagg.analysis.comparison.agreement import averaged_tasks

    given.refuse_sums()
    given.need(ra.ScoreTable | ra.Profile, "Agreement needs the scores of systems, or rankings")
    with options_named({"data": "FILE"}):
        if isinstance(given.data, ra.Profile):
            known = {name: value for name, value in options.items() if value is not None}
            return Answer(result=ra.inference.kendall_w(given.data, **known))
        found = ra.analysis.task_agreement(given.data, tolerance=given.tolerance)
        tested = ra.inference.skillings_mack(
            averaged_tasks(given.data).with_task_weights({}), tolerance=given.tolerance, **options
        )
    alike = "the test lets every task count the same, whatever its weight"
    is_weighted = len(set(given.data.task_weights.values())) > 1
    return Answer(
        result=found,
        lines=[*given.lines, *([alike] if is_weighted else [])],
        data=lambda: {**found.to_dict(), "test": tested.to_dict()},
        text=lambda rows: f"{found.summary(rows=rows)}\n\n{tested.summary(rows=rows)}",
        beside=tested.summary(rows=1).splitlines()[:1] if output.pasted else (),
        plot=found.plot,
    )


@command(
    data(),
    RULE,
    flag(
        "--removals", help="Instead: the fewest ballots or tasks whose removal changes the winner."
    ),
    Option("--pair", nargs=2, metavar="ITEM ITEM", help="With --removals: reverses these two."),
    choice(
        "--unit",
        ["task", "system", "ranking"],
        "What is left out: tasks (default; without scores groups of ballots, or ballots) or "
        "systems; with --removals tasks (default where there are some) or ballots.",
    ),
    time_limit("the whole analysis"),
    Option(
        "--samples",
        "n_samples",
        group="Computation",
        type=Whole(1, 10**6),
        default=50,
        help="Subsets of each size.",
    ),
    seed("For the subsets."),
    jobs(),
    output("tasks or systems", plot="how near subsets come to the consensus of all"),
)
def stability(
    given: Input,
    *,
    name: str,
    removals: bool,
    pair: Sequence[str] | None,
    unit: Any,
    deadline: Deadline,
    **options: Any,
) -> Answer:
    """Rank again without some tasks, ballots or systems.

    \b
        rankagg stability scores.csv --rule borda
        rankagg stability scores.csv --unit system --jobs -1
        rankagg stability election.soc --removals --pair A B

    Single tasks or systems are left out, and subsets of every size are ranked. --removals finds
    the fewest ballots or tasks whose removal changes the winner, or reverses a pair.
    """
    if removals:
        refuse_typed("has no meaning with --removals", *options, "plot")
        if unit == "system":
            raise click.UsageError("--unit system has no meaning with --removals.")
        return _removals(given, name, pair, unit, deadline)
    refuse_typed("belongs to --removals", "pair")
    if unit == "ranking":
        raise click.UsageError("--unit ranking belongs to --removals.")
    given.refuse_pairs("Stability needs rankings or scores")
    show_progress()
    with options_named():
        found = ra.stability(
            given.data,
            make(name),
            unit=unit or "task",
            tolerance=given.tolerance,
            time_limit=deadline.time_limit,
            **options,
        )
    code = UNPROVED if found.unproved or found.undecided else DONE
    return Answer(result=found, plot=found.plot, code=code)


def _removals(
    given: Input, name: str, pair: Sequence[str] | None, unit: Any, deadline: Deadline
) -> Answer:

    given.refuse_sums()
    given.need((ra.ScoreTable, ra.Profile), "Removals need rankings or scores")
    chosen = None if pair is None else two_items(pair, given.evidence.items)
    show_progress()
    deadline = usually_limited(deadline, given, by_ballots=True)
    with options_named({"rule": "--rule"}):
        found = ra.analysis.removal_radius(
            given.data,
            make(name),
            pair=chosen,
            unit=unit,
            tolerance=given.tolerance,
            time_limit=deadline.time_limit,
        )
    return Answer(result=found, code=DONE if found.is_proved else UNPROVED)


@command(
    data(),
    Option(
        "--rule",
        "name",
        metavar="RULE",
        type=RuleName(names_with_policy),
        default="borda",
        help="The rule, one with a policy for unranked items, whose sensitivity is shown.",
    ),
    Option(
        "--samples",
        "n_samples",
        group="Computation",
        type=Whole(1, 10**6),
        default=200,
        help="Completions of the data to rank.",
    ),
    Option("--time-limit", type=TIME, help="For each policy, and for all completions."),
    seed("For the completions."),
    output("items and pairs", plot="a map of what is missing"),
)
def missing(given: Input, *, name: str, time_limit: float | None, **options: Any) -> Answer:
    """Report missing scores, and results that depend on gaps.

    \b
        rankagg missing scores.csv
        rankagg missing sums.json
        rankagg missing scores.csv --rule kemeny --samples 50 --json
    """
    from rankagg._typing import Unranked

    given.refuse_pairs("Needs rankings or scores", "say what is missing")
    is_summed = isinstance(given.data, ra.ScoreSummary)
    if is_summed:
        why = f"{given.name} holds what scores add up to: give the file of the scores"
        refuse_typed(f"is for completions of rankings, and {why}", "n_samples", "rng")
    report = ra.analysis.missing_report(given.data)
    parts: dict[str, Any] = {"missing": report}
    code, said = DONE, []
    if isinstance(given.data, ra.Profile) and given.data.has_unlisted:
        said.append("what a list leaves out is below all of it; --unranked uniform asks what else")
    elif report.n_missing:
        (rule,) = limited([make(name)], time_limit)
        policies = sorted(get_args(Unranked), key=lambda policy: policy != given.data.unranked)
        parts["sensitivity"] = ra.analysis.sensitivity(
            given.data, rule, policies=policies, tolerance=given.tolerance, **options
        )
        code = UNPROVED if parts["sensitivity"].n_unsettled else DONE
        if is_summed:
            said.append(
                "completions are left out: sums of scores do not hold the rankings to complete"
            )

    def plain() -> dict[str, Any]:
        content = {name: part.to_dict() for name, part in parts.items()}
        return {"schema": "rankagg.missing_data", "version": 1, **content}

    return Answer(
        data=plain,
        text=lambda rows: "\n\n".join([*(p.summary(rows=rows) for p in parts.values()), *said]),
        plot=lambda: ra.plotting.missingness_map(report if is_summed else given.data),
        code=code,
    )


@command(
    data_or_estimates(),
    choice(
        "--ranks",
        ["borda", "pairwise", "mean"],
        "What ranks are by: mean Borda points, majorities (pairwise), or mean scores.",
        "of",
        default="borda",
    ),
    choice(
        "--method",
        ["sign-flips", "sign-test", "hoeffding", "max-t"],
        "How pairs are decided; default: sign-flips, for majorities sign-test.",
    ),
    alpha(),
    Option(
        "--top", metavar="K", type=Whole(1, 10**6), help="Also say who may be among the first K."
    ),
    flag(
        "--marginal",
        group="Ranks",
        help="Ranks of each item alone, for one that was chosen before looking.",
    ),
    choice(
        "--unit",
        [*UNITS.choices, "comparison", "cluster"],
        "What is independent, averaged first; default: rankings, or clusters of comparisons.",
    ),
    flag("--fixed-tasks", group="Ranks", help="The tasks are those of interest, and not a sample."),
    flag(
        "--anytime",
        group="Ranks",
        help="Of comparisons by --ranks pairwise: hold at every look, so that one may stop.",
    ),
    Option(
        "--pairs",
        group="Pairs",
        type=OneOf(PAIRS_BY),
        default="hoeffding",
        help="Intervals for the proportion in which one item is above another. hoeffding and "
        "bernstein always hold; normal is for many units of equal weight, and bernstein where "
        "they are too few; wilson and clopper-pearson, without weights, leave ties out; "
        "percentile and bca resample many units.",
    ),
    choice(
        "--simultaneous",
        ["none", "bonferroni", "max-t"],
        "Whether proportions hold for each pair alone or for all at once; max-t needs "
        "--pairs percentile.",
        group="Pairs",
        default="none",
    ),
    Option(
        "--resamples",
        "n_resamples",
        group="Computation",
        type=Whole(1, 10**6),
        help="Resamples (default 2000), or sign vectors (default 10,000).",
    ),
    seed(),
    output("pairs and items", pasted=True, plot="the intervals of ranks"),
)
def intervals(
    given: Input,
    *,
    of: Any,
    method: Any,
    top: int | None,
    marginal: bool,
    unit: Any,
    fixed_tasks: bool,
    anytime: bool,
    pairs: Any,
    simultaneous: Any,
    n_resamples: int | None,
    **shared: Any,
) -> Answer:
    """Compute confidence intervals of ranks and of pairs.

    \b
        rankagg intervals scores.csv --ranks pairwise --top 3
        rankagg intervals instances.csv --instance k --unit instance
        rankagg intervals --estimates ratings.csv --top 3

    First which pairs are decided, all together with one probability of error; the ranks that
    this leaves every item; and who may be first. Then for each two items the proportion in which
    one is above the other, with an interval.

    --method: sign-flips turn whole units round; sign-test counts wins; hoeffding holds for all
    independent units, and needs many; max-t is a bootstrap for hundreds.
    """
    from rankagg.cli.options.estimates import Estimates
    from rankagg.inference.units import tied_rankings

    if isinstance(given.data, Estimates):
        refuse_typed("has no meaning for --estimates", *OF_DATA)
        with options_named({"k": "--top"}):
            asked = {"alpha": shared["alpha"], "rng": shared["rng"], "n_resamples": n_resamples}
            found = given.data.rank_sets(**asked)
            first = None if top is None else found.top(top)
        return _ranks_and_pairs(found, None, top, first, marginal=marginal)
    if isinstance(given.data, ra.Comparisons):
        refuse_typed(
            "has no meaning for comparisons", "method", "fixed_tasks", "pairs", "simultaneous"
        )
        with options_named({"k": "--top"}):
            found = ra.inference.comparison_rank_intervals(
                given.data, of=of, unit=unit, anytime=anytime, n_resamples=n_resamples, **shared
            )
            first = None if top is None else found.top(top)
        return _ranks_and_pairs(found, None, top, first, marginal=marginal)
    given.refuse_pairs("Intervals need rankings, scores or comparisons")
    if anytime:
        raise click.UsageError("--anytime is for comparisons.")
    _check_method(of, method)
    shared |= {"unit": unit or "ranking", "fixed_tasks": fixed_tasks}
    rankings = tied_rankings(given.data, given.tolerance)
    data = given.data if of == "mean" else rankings
    with options_named({"k": "--top"}):
        found = ra.rank_intervals(data, of=of, method=method, n_resamples=n_resamples, **shared)
        first = None if top is None else found.top(top)
    with options_named({"method": "--pairs"}):
        proportions = ra.PairwiseIntervals.from_data(
            rankings,
            method=pairs,
            simultaneous=None if simultaneous == "none" else simultaneous,
            n_resamples=n_resamples or 2000,
            **shared,
        )
    return _ranks_and_pairs(found, proportions, top, first, marginal=marginal)


def _ranks_and_pairs(
    found: ra.inference.RankIntervals,
    proportions: ra.PairwiseIntervals | None,
    top: int | None,
    first: Sequence[Label] | None,
    *,
    marginal: bool,
) -> Answer:
    """Return the answer of ranks and decided pairs, and of proportions where there are some."""
    from rankagg.core import listed

    def plain() -> dict[str, Any]:
        parts = {"ranks": found, "decisions": found.decisions, "intervals": proportions}
        content = {name: part and part.to_dict() for name, part in parts.items()}
        extra = {} if first is None else {"top": {"k": top, "items": list(first)}}
        return {"schema": "rankagg.uncertainty", "version": 1, **content, **extra}

    def told(rows: int | None) -> str:
        lines = ["", found.summary(rows=rows)]
        if first is not None:
            lines.append(f"may be among the first {top}: {listed(first)}")
        if marginal:
            level = f"{100 * (1 - found.decisions.alpha):g} %"
            about = f"ranks of each item alone; {level} for one item chosen before looking"
            lines += ["", about, rows_told(found.to_frame(simultaneous=False), rows, "item")]
        # What the decisions assume stands above already.
        known = ("assumed", "too few")
        decided = found.decisions.summary().splitlines()
        lines += ["", *(line for line in decided if not line.startswith(known))]
        if proportions is not None:
            lines += ["", proportions.summary(rows=rows)]
        return "\n".join(lines)

    return Answer(result=found, data=plain, text=told, plot=found.plot)


def _check_method(by: str, method: str | None) -> None:
    """Refuse a method that does not decide ranks by something."""
    from rankagg.inference.ranks.rank_intervals import RANK_METHODS

    if method is None or method in RANK_METHODS[by]:
        return
    others = [kind for kind in RANK_METHODS if method in RANK_METHODS[kind]]
    raise click.UsageError(
        f"--method {method} does not decide ranks by {by}; take one of "
        f"{', '.join(RANK_METHODS[by])}, or --ranks {others[0]}, which takes it."
    )
