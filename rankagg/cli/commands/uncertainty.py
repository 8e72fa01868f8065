"""Commands that say how sure a ranking is: tests, intervals, and what is left without some data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import click

import rankagg as ra
from rankagg._typing import Label, Unranked
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.command import Answer, Output, command, output, rows_told
from rankagg.cli.options.estimates import Estimates, data_or_estimates
from rankagg.cli.options.exact import (
    EXACTLY,
    ExactOptions,
    exit_code,
    limited,
    show_progress,
    time_limit,
    usually_limited,
)
from rankagg.cli.options.inputs import Input, data, two_items
from rankagg.cli.options.rules import RULE, WITH_POLICY, make, rules_to
from rankagg.cli.options.typed import (
    PROBABILITY,
    Number,
    OneOf,
    Whole,
    alpha,
    flag,
    jobs,
    labels_of,
    option,
    seed,
)
from rankagg.cli.options.wording import options_named, typed_option
from rankagg.core import listed

UNITS = OneOf(["ranking", "instance", "task"])
PAIRS_BY = ["hoeffding", "bernstein", "normal", "wilson", "clopper-pearson", "percentile", "bca"]
#: What says how data are looked at, of which estimates have none.
OF_DATA = (
    *("of", "method", "unit", "fixed_tasks", "ties", "score_range", "pairs", "simultaneous"),
    *("estimand", "deadline"),
)


@command(
    data(whole=True),
    option(
        "--reference SYSTEM",
        required=True,
        help="The system that others are tested against, chosen without looking at the scores.",
    ),
    option(
        "--against SYSTEM...", help="One of the others, once for each; by default all are tested."
    ),
    option(
        "--method mcnemar|sign-flip|wilcoxon|sign",
        help="mcnemar (default for scores of 0 and 1) counts the units in which only one is "
        "right; sign-flip (default elsewhere) tests the mean difference; wilcoxon its signed "
        "ranks; sign how many units have the one above.",
    ),
    option(
        "--unit",
        type=UNITS,
        default="ranking",
        help="What is independent: columns, or instances or tasks, whose columns are averaged "
        "first.",
    ),
    alpha(),
    flag(
        "--mid-p", "midp", help="For mcnemar and sign: count what was observed half; less careful."
    ),
    option(
        "--resamples",
        "n_resamples",
        type=Whole(100, 10**6),
        default=10_000,
        help="Sign vectors, where there are more than these.",
    ),
    seed(),
    output("systems", pasted=True, plot="the effects with their intervals"),
)
def test(given: Input, *, reference: str, against: Sequence[str], **options: Any) -> Answer:
    """Test whether other systems are better than one on the same tasks or instances.

    Every test states its effect with an interval. Holm's procedure bounds the probability that
    any decision is wrong.

    \b
        rankagg test scores.csv --reference baseline
        rankagg test instances.csv --instance id --reference A --against B --method mcnemar
        rankagg test instances.csv --instance id --reference A --unit task
    """
    remedy = " `rankagg intervals` says how often one is above the other."
    given.need(ra.ScoreTable, "Tests of two systems need their scores", remedy)
    systems = given.data.systems
    (one,) = labels_of("--reference", [reference], systems, "system")
    others = labels_of("--against", against, systems, "system") or None
    with options_named({"second": "--against", "systems": "--against"}):
        found = ra.inference.paired_tests(given.data, one, others, **options)
    return Answer(result=found, plot=found.plot)


@command(
    data(whole=True),
    option(
        "--unit",
        type=UNITS,
        default="ranking",
        help="What is independent, and of what more would be taken: columns, instances, or tasks.",
    ),
    alpha(),
    option("--power", type=PROBABILITY, default=0.8, help="Probability to decide a pair."),
    option(
        "--tests",
        "n_tests",
        type=Whole(1, 10**9),
        help="How many tests share alpha; one for each two neighbors by default.",
    ),
    output("pairs", pasted=True, plot="how many units would tell neighbors apart"),
)
def power(given: Input, **options: Any) -> Answer:
    """Say how many units would tell each system from the next one by mean scores.

    And which difference the units at hand detect. As true it takes what was seen.

    \b
        rankagg power scores.csv
        rankagg power instances.csv --instance id --unit task --power 0.9
    """
    given.need(ra.ScoreTable, "Power needs the scores of systems")
    with options_named():
        found = ra.inference.separation(given.data, **options)
    return Answer(result=found, plot=found.plot)


@command(
    data(whole=True),
    option(
        "--resamples",
        "n_resamples",
        type=Whole(100, 10**6),
        help="Draws for the p-value; by default 10,000 with up to 50 tasks, and above none.",
    ),
    seed(),
    output("tasks", pasted=True, plot="how far tasks agree"),
)
def agreement(given: Input, *, output: Output, **options: Any) -> Answer:
    """Say how far tasks, or rankings, order systems alike, and test whether they do so at all.

    Kendall's tau of each task with the others and with the ranking by the rest; Kendall's W of all;
    and Skillings and Mack's test of chance, which is Friedman's where no score is missing. Of a
    task with instances the average scores are ranked. Of ballots and lists: Kendall's W.

    \b
        rankagg agreement scores.csv
        rankagg agreement judges.csv --task judge
        rankagg agreement instances.csv --instance id --json
        rankagg agreement scores.csv --as latex
    """
    from rankagg.analysis.comparison.agreement import averaged_tasks

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


@command(data(), rules_to("measure"), EXACTLY, output())
def dispersion(given: Input, *, names: Sequence[str], exact: ExactOptions) -> Answer:
    """Measure the distance of consensuses to the rankings, and of the rankings to each other.

    The mean distance of two rankings bounds what any consensus can reach; the exact one shows
    what is reached, or found within 60 seconds where --time-limit says nothing else.

    \b
        rankagg dispersion scores.csv
        rankagg dispersion sums.json
        rankagg dispersion election.soc --rule borda --rule kemeny --json
    """
    given.refuse_pairs("Dispersion needs rankings or scores")
    limit = exact.deadline.time_limit
    found = ra.inference.dispersion_report(
        given.data,
        exact.chosen(names, given),
        tolerance=given.tolerance,
        **({} if limit is None else {"time_limit": limit}),
    )
    return Answer(result=found, code=exit_code(found.consensuses))


@command(
    data(),
    RULE,
    option(
        "--over tasks|systems",
        default="tasks",
        help="What is left out: tasks (without scores groups of ballots, or ballots), or "
        "systems (items).",
    ),
    option(
        "--samples", "n_samples", type=Whole(1, 10**6), default=50, help="Subsets of each size."
    ),
    seed("For the subsets."),
    jobs(),
    time_limit("the whole analysis"),
    output("tasks or systems", plot="how near subsets come to the consensus of all"),
)
def stability(
    given: Input, *, name: str, deadline: ra.aggregation.Deadline, **options: Any
) -> Answer:
    """Rank again without single tasks or systems, and on subsets of every size.

    \b
        rankagg stability scores.csv --rule borda
        rankagg stability scores.csv --over systems --jobs -1
        rankagg stability sums.json
    """
    given.refuse_pairs("Stability needs rankings or scores")
    show_progress()
    with options_named():
        found = ra.stability(
            given.data,
            make(name),
            tolerance=given.tolerance,
            time_limit=deadline.time_limit,
            **options,
        )
    code = UNPROVED if found.unproved or found.undecided else DONE
    return Answer(result=found, plot=found.plot, code=code)


@command(
    data(whole=True),
    RULE,
    option(
        "--pair",
        nargs=2,
        metavar="ITEM ITEM",
        help="Ask about the order of two items and not about the first place.",
    ),
    option(
        "--unit ranking|task",
        help="What is removed: ballots, or tasks (groups of ballots), the default where there "
        "are some.",
    ),
    time_limit("the whole search", usual=True),
    output("rankings or tasks"),
)
def removals(
    given: Input,
    *,
    name: str,
    pair: Sequence[str] | None,
    unit: Any,
    deadline: ra.aggregation.Deadline,
) -> Answer:
    """Find the fewest ballots or tasks whose removal changes the winner or reverses a pair.

    \b
        rankagg removals scores.csv --rule borda
        rankagg removals election.soc --pair A B
    """
    given.need((ra.ScoreTable, ra.Profile), "Removals need rankings or scores")
    chosen = None if pair is None else two_items(pair, ra.aggregation.Evidence.of(given.data).items)
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
    code = DONE if found.is_proved else UNPROVED
    return Answer(result=found, code=code)


@command(
    data(),
    option(
        "--rule",
        "name",
        type=WITH_POLICY,
        default="borda",
        help="The rule, one with a policy for unranked items, whose sensitivity is shown.",
    ),
    option(
        "--samples",
        "n_samples",
        type=Whole(1, 10**6),
        default=200,
        help="Completions of the data to rank.",
    ),
    time_limit("each policy, and all completions"),
    seed("For the completions."),
    output("items and pairs", plot="a map of what is missing"),
)
def missing(
    given: Input, *, name: str, deadline: ra.aggregation.Deadline, **options: Any
) -> Answer:
    """Report missing scores, pairs never compared, and results that depend on gaps.

    \b
        rankagg missing scores.csv
        rankagg missing sums.json
        rankagg missing scores.csv --rule kemeny --samples 50 --json
    """
    given.refuse_pairs("Needs rankings or scores", "say what is missing")
    is_summed = isinstance(given.data, ra.ScoreSummary)
    if is_summed:
        _refuse_completions(given)
    report = ra.analysis.missing_report(given.data)
    parts: dict[str, Any] = {"missing": report}
    code, said = DONE, []
    if isinstance(given.data, ra.Profile) and given.data.has_unlisted:
        said.append("what a list leaves out is below all of it; --unranked uniform asks what else")
    elif report.n_missing:
        (rule,) = limited([make(name)], deadline)
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


def _refuse_completions(given: Input) -> None:
    if typed := typed_option("n_samples", "rng"):
        raise click.UsageError(
            f"{typed} is for completions of rankings, and {given.name} holds what scores add "
            "up to: give the file of the scores."
        )


@command(
    data_or_estimates(),
    option(
        "--ranks borda|pairwise|mean",
        "of",
        default="borda",
        help="What ranks are by: mean Borda points, majorities (pairwise), or mean scores.",
    ),
    option(
        "--method",
        type=OneOf(["sign-test", "sign-flips", "max-t", *PAIRS_BY]),
        help="How pairs are decided: sign-flips (default) turn whole units round; sign-test "
        "(default for ranks by majorities) counts wins; hoeffding and bernstein hold for all "
        "independent units, and need many; max-t is a bootstrap for hundreds.",
    ),
    alpha(),
    option("--top K", type=Whole(1, 10**6), help="Also say who may be among the first K."),
    flag(
        "--marginal",
        help="Ranks of each item alone, for one that was chosen before looking.",
    ),
    option(
        "--unit",
        type=OneOf([*UNITS.choices, "hierarchical", "comparison", "cluster"]),
        default="ranking",
        help="What is independent: rankings of one instance or task are averaged first. "
        "hierarchical draws tasks and then their instances (--pairs percentile). Of comparisons "
        "clusters, the default where there are any, or comparisons.",
    ),
    flag("--fixed-tasks", help="The tasks are those of interest, and not a sample."),
    option(
        "--ties half|exclude",
        help="For --ranks pairwise and --pairs wilson or clopper-pearson: a tie counts half for "
        "each, or not at all, as exact methods need.",
    ),
    option(
        "--score-range",
        type=(Number(), Number()),
        metavar="LOW HIGH",
        help="The least and the largest possible score, for ranks by mean scores.",
    ),
    option(
        "--pairs",
        type=OneOf(PAIRS_BY),
        default="hoeffding",
        help="Intervals for the proportion in which one item is above another. hoeffding and "
        "bernstein always hold; normal is for many units of equal weight, and bernstein where "
        "they are too few; wilson and clopper-pearson for comparisons without ties and weights; "
        "percentile and bca resample many units.",
    ),
    option(
        "--simultaneous none|bonferroni|max-t",
        default="none",
        help="Whether proportions hold for each pair alone or for all at once; max-t needs "
        "--pairs percentile.",
    ),
    option(
        "--estimand direct|imputed",
        default="direct",
        help="Proportions: direct, where both were observed; imputed, the share of compatible "
        "permutations, over all units.",
    ),
    option(
        "--resamples",
        "n_resamples",
        type=Whole(1, 10**6),
        help="Resamples (default 2000), or sign vectors (default 10,000).",
    ),
    time_limit("sign flips of hundreds of items"),
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
    ties: Any,
    score_range: Any,
    pairs: Any,
    simultaneous: Any,
    estimand: Any,
    n_resamples: int | None,
    deadline: ra.aggregation.Deadline,
    **shared: Any,
) -> Answer:
    """Say how certain each rank and each pair is.

    First which pairs are decided, all together with one probability of error; the ranks that
    this leaves every item; and who may be first. Then for each two items the proportion in which
    one is above the other, with an interval.

    \b
        rankagg intervals scores.csv
        rankagg intervals scores.csv --ranks pairwise --top 3
        rankagg intervals instances.csv --instance k --unit instance
        rankagg intervals sums.json --pairs normal
        rankagg intervals --dataset condorcet_1785 --ranks pairwise --pairs clopper-pearson
        rankagg intervals --estimates ratings.csv --top 3
    """
    if isinstance(given.data, Estimates):
        if typed := typed_option(*OF_DATA):
            raise click.UsageError(f"{typed} has no meaning for --estimates.")
        with options_named({"k": "--top"}):
            asked = {"alpha": shared["alpha"], "rng": shared["rng"], "n_resamples": n_resamples}
            found = given.data.rank_sets(**asked)
            first = None if top is None else found.top(top)
        return _ranks_and_pairs(found, None, top, first, marginal=marginal)
    if not isinstance(given.data, ra.Comparisons):
        given.refuse_pairs("Intervals need rankings, scores or comparisons")
    binomial = pairs in ("wilson", "clopper-pearson")
    _check_ranks(of, method, ties=None if binomial else ties)
    shared["tolerance"] = given.tolerance
    with options_named({"k": "--top"}):
        found = ra.rank_intervals(
            given.data,
            of=of,
            method=method,
            ties=ties if of == "pairwise" else None,
            score_range=score_range,
            n_resamples=n_resamples,
            time_limit=deadline.time_limit,
            **shared,
        )
        first = None if top is None else found.top(top)
    proportions = None
    if not isinstance(given.data, ra.Comparisons):
        with options_named({"method": "--pairs"}):
            proportions = ra.PairwiseIntervals.from_data(
                given.data,
                method=pairs,
                simultaneous=None if simultaneous == "none" else simultaneous,
                estimand=estimand,
                ties="exclude" if ties == "exclude" and binomial else "half",
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


def _check_ranks(by: str, method: str | None, *, ties: str | None) -> None:
    """Refuse what ranks by something do not take."""
    from rankagg.inference.ranks.rank_intervals import RANK_METHODS

    if method is not None and method not in RANK_METHODS[by]:
        others = [kind for kind in RANK_METHODS if method in RANK_METHODS[kind]]
        remedy = f"for proportions of pairs say --pairs {method}"
        if others:
            remedy = f"--ranks {others[0]} takes it"
        raise click.UsageError(
            f"--method {method} does not decide ranks by {by}; take one of "
            f"{', '.join(RANK_METHODS[by])}, or {remedy}."
        )
    if ties and by != "pairwise":
        raise click.UsageError(
            "--ties is for --ranks pairwise, and for --pairs wilson and clopper-pearson; "
            f"{'points' if by == 'borda' else 'scores'} of tied items are equal."
        )
