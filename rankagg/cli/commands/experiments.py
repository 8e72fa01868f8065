"""Commands that repeat experiments: on drawn data, and on a table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.command import Answer, command, output
from rankagg.cli.options.exact import limited, time_limit
from rankagg.cli.options.inputs import Input, data
from rankagg.cli.options.rules import made, rules_to
from rankagg.cli.options.studies import DRAWN, StudyRun, repeated, sizes_of, varied
from rankagg.cli.options.typed import TIME, Number, flag, option
from rankagg.cli.options.wording import typed_option
from rankagg.core import listed

QUICK_RULES = ("borda", "copeland", "mc4", "kwiksort", "borda-kemenized")
RUNS = ("n_repetitions", "n_jobs", "scheduler", "journal")


@command(
    click.Argument(["profiles"], metavar="[FILE]...", nargs=-1, type=click.Path()),
    DRAWN,
    *sizes_of((10,), (10,), most_items=10**4),
    option(
        "--missing",
        multiple=True,
        type=Number(0, 1, open_high=True),
        default=(0.0,),
        help="Shares of items that every ranking loses at random.",
    ),
    rules_to("hold against the optimum", default=", ".join(QUICK_RULES)),
    repeated("data sets", "combination"),
    option("--time-limit", type=TIME, help="For the exact optimum of one data set."),
    flag("--nearest", help="Find the nearest of all optima too; slow."),
    output(pasted=True, plot="the ratios of every rule"),
)
def study(
    profiles: Sequence[str],
    *,
    models: Sequence[Any],
    names: Sequence[str],
    run: StudyRun,
    time_limit: float | None,
    **settings: Any,
) -> Answer:
    """Measure each rule's distance from the proved optimum, on simulated or real data.

    FILEs are ballots in PrefLib formats. Options that name models, sizes and rules may be given
    several times; every combination is drawn. The exit code is 3 where an optimum was not proved
    within --time-limit.

    \b
        rankagg study netflix.soc sushi.soc
        rankagg study --mallows 0.8 --mallows 0.9 --items 10 --items 30
        rankagg study --culture walsh --culture urn=0.1 --items 10
        rankagg study --gumbel 0.1 --rule mean --rule borda --missing 0.2
        rankagg study --plackett-luce 1 --items 100 --jobs -1 --journal study.jsonl --out rows.csv
    """
    if not (models or profiles):
        raise click.UsageError(
            "Give files, or a model: --mallows, --plackett-luce, --gumbel or --culture."
        )
    return run.answer(
        partial(ra.studies.ApproximationStudy, time_limit=time_limit),
        lambda result: UNPROVED if result.n_unproved else DONE,
        rules=made(names or QUICK_RULES),
        models=[*profiles, *models],
        **settings,
    )


@command(
    DRAWN,
    *sizes_of((3,), (3, 11, 101), most_items=1000),
    repeated("profiles", "combination", 1000),
    time_limit("the whole command", searches=False),
    output("sizes", plot="the share of --measure by the number of rankings"),
    option(
        "--measure cycle|winner|optimal",
        default="cycle",
        help="What --plot shows: Condorcet cycles or winners, or how often Borda finds a Kemeny "
        "optimum.",
    ),
)
def cycles(
    *,
    models: Sequence[Any],
    run: StudyRun,
    deadline: ra.aggregation.Deadline,
    measure: Any,
    **settings: Any,
) -> Answer:
    """Say how often majorities of drawn profiles are cyclic, and Borda and Kemeny disagree.

    Probabilities that are known exactly stand beside the shares. Options that name models and
    sizes may be given several times; every combination is drawn. Without a model it is the
    impartial culture, in which every ranking is equally likely.

    \b
        rankagg cycles
        rankagg cycles --culture impartial --culture anonymous --rankings 25
        rankagg cycles --culture urn=0.1 --items 4 --items 5 --repetitions 200 --plot cycles.png
        rankagg cycles --mallows 0.8 --items 5 --journal cycles.jsonl --jobs -1
    """
    return run.answer(
        ra.studies.CycleStudy,
        models=models or [ra.cultures.ImpartialCulture()],
        time_limit=deadline.time_limit,
        plotted={"measure": measure},
        **settings,
    )


RULES, GAPS = ("names", "deadline"), ("removal", "proportion")
#: The studies of an experiment: their classes, and what they are told that not all are.
STUDIES = {
    "missing-scores": ("MissingScoresStudy", (*GAPS, *RULES, *RUNS)),
    "task-subsets": ("TaskSubsetStudy", ("tolerance", *RULES, *RUNS)),
    "confidence": ("ConfidenceStudy", (*GAPS, *RUNS)),
    "corruption": ("CorruptionStudy", ("corruption", *RULES, *RUNS)),
    "agreement": ("AgreementStudy", ("tolerance", *RULES)),
}


@command(
    data(whole=True),
    option(
        f"--study {'|'.join(STUDIES)}",
        default="missing-scores",
        help="What happens: scores go missing; tasks are drawn; instances are resampled, and "
        "pairs decided; tasks are corrupted; or rules are held against each other.",
    ),
    option(
        "--corruption CORRUPTION...",
        default=["reversed"],
        callback=varied,
        help="For corruption: reversed, adversarial, copied, noisy, noisy=SHARE, rescaled=FACTOR.",
    ),
    option(
        "--removal REMOVAL...",
        default=["at-random"],
        callback=varied,
        help="Which scores go missing, for missing-scores and confidence: at-random, by-system, "
        "by-task, by-score, by-score=STRENGTH, by-age or blocks.",
    ),
    option(
        "--proportion SHARE...",
        type=Number(0, 1, open_high=True),
        help="How many go missing; by default 0, 0.1, ..., 0.9, and for confidence none.",
    ),
    rules_to("hold against themselves", default="mean, borda"),
    time_limit("each ranking"),
    repeated("tables", "point"),
    output("rows", pasted=True, plot="what the study found"),
)
def experiment(
    given: Input,
    *,
    study: str,
    names: Any,
    deadline: ra.aggregation.Deadline,
    run: StudyRun,
    **varying: Any,
) -> Answer:
    """Run an experiment of the papers on a table of scores: how stable is its ranking.

    A proportion of the scores is removed, or of the tasks, or tasks are corrupted, and every
    rule is held against what it says of all. Where scores are removed the last line says
    which rule stays nearest. For confidence intervals take the place of rules, and --rule is
    not used. For agreement, rules are held against each other, once.

    \b
        rankagg experiment scores.csv --plot missing.svg
        rankagg experiment scores.csv --removal at-random --removal by-score --html page.html
        rankagg experiment scores.csv --study task-subsets --rule mean --rule kemeny
        rankagg experiment instances.csv --instance instance --study confidence
        rankagg experiment scores.csv --study corruption --corruption copied --corruption noisy
        rankagg experiment scores.csv --study agreement --rule borda --rule kemeny
    """
    if not isinstance(given.data, ra.ScoreTable) or given.data.n_systems < 2:
        raise click.UsageError("An experiment needs scores of two or more systems, and no votes.")
    asked, takes = STUDIES[study]
    for name in dict.fromkeys(name for _, known in STUDIES.values() for name in known):
        if name not in takes and (typed := typed_option(name)):
            others = listed([one for one, (_, known) in STUDIES.items() if name in known])
            raise click.UsageError(f"{typed} has no meaning for --study {study}, but for {others}.")
    if study == "confidence" and typed_option("removal") and not any(varying["proportion"]):
        raise click.UsageError("--removal for --study confidence needs --proportion, as 0.2.")
    settings = {f"{name}s": values for name, values in varying.items() if values and name in takes}
    if "names" in takes:
        rules = made(names or ("mean", "borda"))
        settings["rules"] = limited(rules, deadline)
    if "tolerance" in takes:
        settings |= {"data": given.data, "tolerance": given.tolerance}
    else:
        source = ra.studies.Resampled if study == "confidence" else ra.studies.Observed
        settings["models"] = [source(label=given.name, data=given.data)]
    called = dict.fromkeys(("models", "data", "table"), "FILE")
    return run.answer(getattr(ra.studies, asked), called=called, source=given.lines, **settings)
