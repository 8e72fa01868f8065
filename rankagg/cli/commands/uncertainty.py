"""Commands for uncertainty: intervals, tests, missing scores and stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli import options as opt
from rankagg.cli.command import (
    DONE,
    UNPROVED,
    Answer,
    Output,
    command,
    options_named,
    output,
    refuse_typed,
    show_progress,
)
from rankagg.cli.data import data
from rankagg.cli.rules import (
    EXACTLY,
    NAMED_WITH_POLICY,
    RULE,
    ExactOptions,
    exit_code,
    limited,
    made,
    rules_to,
    time_limit,
    usually_limited,
)

if TYPE_CHECKING:
    from rankagg.aggregation import Deadline
    from rankagg.cli.data import Input

_UNITS = ["ranking", "instance", "task"]


def _samples(about: str, default: int) -> opt.Option:
    """Return --samples, the number of data sets drawn, as `n_samples`."""
    kind, names = opt.Whole(1, 10**6), ("--samples", "n_samples")
    return opt.Option(*names, group="Computation", type=kind, default=default, help=about)


@command(
    data(whole=True),
    opt.Option(
        "--reference",
        metavar="SYSTEM",
        help="System to test the others against; choose it before seeing the scores.",
    ),
    opt.several(
        "--against", "SYSTEM", "System to test against the reference; default: all others."
    ),
    opt.Option(
        "--power",
        type=opt.PROBABILITY,
        help="Instead of a test: number of units that separate neighbors by mean score with "
        "this probability, such as 0.8.",
    ),
    opt.Option(
        "--unit",
        type=opt.OneOf(_UNITS),
        default="ranking",
        help="Independent units: columns (ranking), or instances or tasks, averaged.",
    ),
    opt.alpha(),
    *opt.grouped(
        "Test",
        opt.choice(
            "--method",
            ["mcnemar", "sign-flips", "wilcoxon", "sign"],
            "mcnemar (default for scores of 0 and 1): units in which only one is right; "
            "sign-flips (default otherwise): mean difference; wilcoxon: signed ranks; sign: number "
            "of units that favor one.",
        ),
        opt.resamples("Most sign vectors to draw.", 100, default=10_000),
    ),
    opt.seed(),
    output("systems or pairs", table=True, pasted=True, plot="the effects or numbers of units"),
)
def test(
    given: Input,
    *,
    reference: str | None,
    against: Sequence[str],
    power: float | None,
    unit: Any,
    alpha: float,
    **options: Any,
) -> Answer:
    """Test systems against a reference, or plan the sample size.

    \b
        rankagg test scores.csv --reference baseline
        rankagg test instances.csv --instance id --reference A --unit task
        rankagg test scores.csv --power 0.8

    Every test reports its effect with an interval. Holm's procedure bounds the probability of any
    wrong decision. For each two neighbors by mean score, --power reports the number of units that
    would separate them, and the difference that the present units detect. It assumes that the
    observed difference is the true one.
    """
    if (reference is None) == (power is None):
        raise click.UsageError(
            "Give either --reference SYSTEM, to test the others against it, or --power 0.8, to "
            "plan the number of units."
        )
    remedy = " `rankagg intervals` estimates how often one is above the other."
    given.need(ra.ScoreTable, "Tests need scores of systems", remedy)
    found: Any
    if power is not None:
        refuse_typed("has no meaning with --power: leave it out", "against", *options)
        with options_named():
            found = ra.inference.separation(given.data, unit=unit, alpha=alpha, power=power)
        return Answer(result=found, plot=found.plot)
    systems = given.data.systems
    (one,) = opt.labels_of("--reference", [reference or ""], systems, "system")
    others = opt.labels_of("--against", against, systems, "system") or None
    with options_named({"second": "--against", "systems": "--against"}):
        found = ra.inference.paired_tests(
            given.data, one, others, unit=unit, alpha=alpha, **options
        )
    return Answer(result=found, plot=found.plot)


@command(
    data(),
    rules_to("measure"),
    opt.flag(
        "--agreement", help="Instead: agreement of tasks or rankings, with a test against chance."
    ),
    EXACTLY,
    opt.resamples("Draws for the p-value; default: 10,000 up to 50 tasks, none above.", 100),
    opt.seed(),
    output("tasks", pasted=True, plot="the agreement of tasks"),
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
    """Measure distances of rankings, or the agreement of tasks.

    \b
        rankagg dispersion scores.csv
        rankagg dispersion election.soc --rule borda --rule kemeny --json
        rankagg dispersion judges.csv --task judge --agreement

    Prints the distances of consensus rankings from the rankings, and of the rankings from each
    other. The mean distance of two rankings bounds the distance of any consensus. The exact
    consensus attains the minimum, or is the best found within 60 seconds or --time-limit.

    --agreement: Kendall's tau of each task with the others and with the ranking by the rest,
    Kendall's W of all tasks, and Skillings and Mack's test against chance, which is Friedman's if
    no score is missing. A task with instances is ranked by average scores. For ballots and lists:
    Kendall's W and Friedman's test, or Skillings and Mack's if items are missing.
    """
    if agreement:
        ties = ("tie_cost", "consensus_ties")
        refuse_typed("has no meaning with --agreement: leave it out", "names", "deadline", *ties)
        return _agreement(given, output, **options)
    printed = ("pasted", "plot", "rows", "everything")
    refuse_typed("needs --agreement", *options, *printed)
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
    given.need(ra.ScoreTable | ra.Profile, "Agreement needs scores of systems, or rankings")
    with options_named({"data": "FILE"}):
        if isinstance(given.data, ra.Profile):
            if given.data.is_complete:
                refuse_typed("is for incomplete rankings: leave it out", "n_resamples", "rng")
                return Answer(result=ra.inference.friedman(given.data))
            return Answer(result=ra.inference.skillings_mack(given.data, **options))
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
        messages=tested.summary(rows=1).splitlines()[:1] if output.pasted else (),
        plot=found.plot,
    )


@command(
    data(),
    RULE,
    opt.flag(
        "--removals", help="Instead: fewest ballots or tasks whose removal changes the winner."
    ),
    opt.Option(
        "--pair",
        nargs=2,
        metavar="ITEM ITEM",
        help="With --removals: reverse the order of these two.",
    ),
    opt.choice(
        "--unit",
        ["task", "system", "ranking"],
        "Leave out tasks (default; for ballots: groups, or ballots) or systems; with --removals "
        "tasks (default for scores) or ballots (ranking).",
    ),
    time_limit("the analysis", "print what was computed"),
    _samples("Subsets of each size.", 50),
    opt.seed("subsets"),
    opt.jobs(),
    output("tasks or systems", plot="the distance of subsets from the full consensus"),
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
    """Measure the effect of leaving out tasks, ballots or systems.

    \b
        rankagg stability scores.csv --rule borda
        rankagg stability scores.csv --unit system --jobs -1
        rankagg stability election.soc --removals --pair A B

    Leaves out single tasks or systems, and ranks random subsets of every size. --removals finds the
    fewest ballots or tasks whose removal changes the winner or reverses a pair.
    """
    (rule,) = made([name])
    found: Any
    if not removals:
        refuse_typed("needs --removals", "pair")
        if unit == "ranking":
            raise click.UsageError("--unit ranking needs --removals.")
        given.refuse_pairs("Stability needs rankings or scores")
        show_progress()
        options |= {"tolerance": given.tolerance, "time_limit": deadline.time_limit}
        options["unit"] = unit or "task"
        with options_named():
            found = ra.stability(given.data, rule, **options)
        code = UNPROVED if found.unproved or found.undecided else DONE
        return Answer(result=found, plot=found.plot, code=code)
    refuse_typed("has no meaning with --removals: leave it out", *options, "plot")
    if unit == "system":
        raise click.UsageError(
            "--unit system has no meaning with --removals: give task or ranking."
        )
    given.refuse_sums()
    given.need((ra.ScoreTable, ra.Profile), "Removals need rankings or scores")
    chosen = None if pair is None else opt.two_items(pair, given.evidence.items)
    show_progress()
    limit = usually_limited(deadline, given, by_ballots=True).time_limit
    with options_named({"rule": "--rule"}):
        found = ra.analysis.removal_radius(
            given.data, rule, pair=chosen, unit=unit, tolerance=given.tolerance, time_limit=limit
        )
    return Answer(result=found, code=DONE if found.is_proved else UNPROVED)


@command(
    data(),
    opt.Option(
        "--rule",
        "name",
        metavar="RULE",
        type=NAMED_WITH_POLICY,
        default="borda",
        help="Rule with a policy for unranked items, to test for sensitivity.",
    ),
    _samples("Random completions of the data to rank.", 200),
    opt.Option(
        "--time-limit", type=opt.TIME, help="Time for each policy, and for all completions."
    ),
    opt.seed("completions"),
    output("items and pairs", plot="the missing scores"),
)
def missing(given: Input, *, name: str, time_limit: float | None, **options: Any) -> Answer:
    """Report missing scores, and results that depend on gaps.

    \b
        rankagg missing scores.csv
        rankagg missing sums.json
        rankagg missing scores.csv --rule kemeny --samples 50 --json
    """
    given.refuse_pairs("Missing scores need a table of scores, or rankings")
    is_summed = isinstance(given.data, ra.ScoreSummary)
    if is_summed:
        why = f"{given.name} holds only sums: give the file of the scores"
        refuse_typed(f"is for completions of rankings, and {why}", *options)
    report = ra.analysis.missing_report(given.data)
    parts: dict[str, Any] = {"missing": report}
    code, notes = DONE, []
    if isinstance(given.data, ra.Profile) and given.data.has_unlisted:
        notes.append(
            "items that a list leaves out are below all its items; see also --unranked uniform"
        )
    elif report.n_missing:
        (rule,) = limited(made([name]), time_limit)
        parts["sensitivity"] = ra.analysis.sensitivity(
            given.data, rule, tolerance=given.tolerance, **options
        )
        code = UNPROVED if parts["sensitivity"].n_unsettled else DONE
        if is_summed:
            notes.append("no completions: sums of scores do not hold the rankings to complete")
    head = {"schema": "rankagg.missing_data", "version": 1}
    return Answer(
        data=lambda: {**head, **{part: found.to_dict() for part, found in parts.items()}},
        text=lambda rows: "\n\n".join([*(p.summary(rows=rows) for p in parts.values()), *notes]),
        plot=lambda: ra.plotting.missingness_map(report if is_summed else given.data),
        code=code,
    )


@command(
    data(),
    opt.choice(
        "--ranks",
        ["borda", "pairwise", "mean"],
        "Ranks by mean Borda points, majorities (pairwise) or mean scores.",
        "of",
        default="borda",
    ),
    opt.choice(
        "--method",
        ["sign-flips", "sign-test", "hoeffding", "max-t"],
        "Method to decide pairs; default: sign-flips, for majorities sign-test.",
    ),
    opt.alpha(),
    opt.Option(
        "--top",
        metavar="K",
        type=opt.Whole(1, 10**6),
        help="Also list the items that may be among the first K.",
    ),
    opt.choice(
        "--unit",
        [*_UNITS, "comparison", "cluster"],
        "Independent units, averaged first; default: rankings, or clusters of comparisons.",
    ),
    opt.resamples("Sign vectors (default 10,000) or resamples of max-t (default 2000)."),
    opt.seed(),
    output("pairs and items", table=True, pasted=True, plot="the rank intervals"),
)
def intervals(
    given: Input,
    *,
    of: Any,
    method: Any,
    top: int | None,
    unit: Any,
    n_resamples: int | None,
    **shared: Any,
) -> Answer:
    """Compute confidence intervals of ranks and pairwise proportions.

    \b
        rankagg intervals scores.csv --ranks pairwise --top 3
        rankagg intervals battles.csv --cluster judge
        rankagg intervals instances.csv --instance k --unit instance

    Prints the decided pairs, with one error probability for all; the possible ranks of every item;
    and the items that may be first. Then, for each pair, the proportion of units with one item
    above the other, with an interval by Hoeffding's inequality.

    --method: sign-flips reverse the signs of units at random; sign-test counts wins; hoeffding is
    valid for all independent units, and needs many; max-t is a bootstrap for hundreds.
    """
    from rankagg.core import listed
    from rankagg.inference.units import tied_rankings

    proportions: Any = None
    if isinstance(given.data, ra.Comparisons):
        refuse_typed("has no meaning for comparisons: leave it out", "method")
        with options_named():
            found = ra.inference.comparison_rank_intervals(
                given.data, of=of, unit=unit, n_resamples=n_resamples, **shared
            )
    else:
        given.refuse_pairs("Intervals need rankings, scores or comparisons")
        shared["unit"] = unit or "ranking"
        rankings = tied_rankings(given.data, given.tolerance)
        ranked = given.data if of == "mean" else rankings
        if of == "mean":
            given.need(ra.ScoreTable | ra.ScoreSummary, "--ranks mean needs scores")
        with options_named():
            found = ra.rank_intervals(
                ranked, of=of, method=method, n_resamples=n_resamples, **shared
            )
            proportions = ra.PairwiseIntervals.from_data(rankings, **shared)
    with options_named({"k": "--top"}):
        first = None if top is None else found.top(top)

    def plain() -> dict[str, Any]:
        parts = {"ranks": found, "decisions": found.decisions, "intervals": proportions}
        content = {name: part and part.to_dict() for name, part in parts.items()}
        extra = {} if first is None else {"top": {"k": top, "items": list(first)}}
        return {"schema": "rankagg.uncertainty", "version": 1, **content, **extra}

    def text(rows: int | None) -> str:
        lines = ["", found.summary(rows=rows)]
        if first is not None:
            lines.append(f"may be among the first {top}: {listed(first)}")
        # The summary above states the assumptions.
        known = ("assumed", "too few")
        decided = found.decisions.summary().splitlines()
        lines += ["", *(line for line in decided if not line.startswith(known))]
        if proportions is not None:
            lines += ["", proportions.summary(rows=rows)]
        return "\n".join(lines)

    return Answer(result=found, data=plain, text=text, plot=found.plot)
