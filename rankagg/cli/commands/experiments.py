"""Commands that repeat experiments: on drawn data, on a table of scores, and of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, FAILED, UNPROVED
from rankagg.cli.options.command import FOLDER, Answer, Output, command, in_columns, output
from rankagg.cli.options.exact import limited, time_limit
from rankagg.cli.options.inputs import UNRANKED, Input, data
from rankagg.cli.options.rules import made, rules_to
from rankagg.cli.options.studies import DRAWN, StudyRun, repeated, sizes_of, varied
from rankagg.cli.options.typed import TIME, Number, flag, jobs, option
from rankagg.cli.options.wording import options_named

QUICK_METHODS = ("borda", "copeland", "mc4", "kwiksort", "borda-kemenized")


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
    UNRANKED,
    rules_to("hold against the optimum", default=", ".join(QUICK_METHODS)),
    repeated("data sets", "combination"),
    option("--time-limit", type=TIME, help="For the exact optimum of one data set."),
    flag("--nearest", help="Find the nearest of all optima too; slow."),
    output(pasted=True, plot="the ratios of every method"),
)
def study(
    profiles: Sequence[str],
    *,
    models: Sequence[Any],
    unranked: Any,
    methods: Sequence[str],
    run: StudyRun,
    time_limit: float | None,
    **settings: Any,
) -> Answer:
    """Say how near each method comes to the proved optimum, on drawn or given data.

    FILEs are ballots in PrefLib formats. Options that name models, sizes and methods may be given
    several times; every combination is drawn. The exit code is 3 where an optimum was not proved
    within --time-limit.

    \b
        rankagg study netflix.soc sushi.soc
        rankagg study --mallows 0.8 --mallows 0.9 --items 10 --items 30
        rankagg study --culture walsh --culture urn=0.1 --items 10
        rankagg study --gumbel 0.1 --method mean --method borda --missing 0.2
        rankagg study --plackett-luce 1 --items 100 --jobs -1 --journal study.jsonl --out rows.csv
    """
    if not (models or profiles):
        raise click.UsageError(
            "Give files, or a model: --mallows, --plackett-luce, --gumbel or --culture."
        )
    return run.answer(
        partial(ra.studies.ApproximationStudy, time_limit=time_limit),
        lambda result: UNPROVED if result.n_unproved else DONE,
        aggregators=made(methods or QUICK_METHODS, unranked or "uniform"),
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
        help="What --plot shows: Condorcet cycles, Condorcet winners, or how often Borda's ranking "
        "is a Kemeny optimum.",
    ),
)
def cycles(
    *, models: Sequence[Any], run: StudyRun, deadline: ra.Deadline, measure: Any, **settings: Any
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


#: What may vary in an experiment beside the methods, and what it is by default.
VARIES = {"missing-scores": ("removal", "at-random"), "corruption": ("corruption", "reversed")}


@command(
    data(whole=True),
    option(
        "--study missing-scores|task-subsets|confidence|corruption",
        default="missing-scores",
        help="missing-scores: rank what is left when scores go missing. task-subsets: rank by "
        "random subsets of the tasks. confidence: resample instances, and see which pairs are "
        "decided. corruption: rank when more and more tasks are corrupted.",
    ),
    option(
        "--corruption CORRUPTION...",
        help="For --study corruption: reversed (the default), adversarial, copied, noisy, "
        "noisy=SHARE or rescaled=FACTOR.",
    ),
    option(
        "--removal REMOVAL...",
        help="Which scores go missing, for missing-scores: at-random (the default), by-system, "
        "by-task, by-score, by-score=STRENGTH, by-age or blocks.",
    ),
    rules_to("hold against themselves", default="mean, borda"),
    time_limit("each ranking"),
    repeated("tables", "point"),
    output("rows", plot="what the study found"),
)
def experiment(
    given: Input, *, study: str, methods: Any, deadline: ra.Deadline, run: StudyRun, **typed: Any
) -> Answer:
    """Run an experiment of the papers on a table of scores: how stable is its ranking.

    A proportion of the scores is removed, or of the tasks, or tasks are corrupted, and every
    method is held against what it says of all. Where scores are removed the last line says
    which method stays nearest. For confidence, methods are intervals, and --method is not used.

    \b
        rankagg experiment scores.csv --plot missing.svg
        rankagg experiment scores.csv --removal at-random --removal by-score
        rankagg experiment scores.csv --study task-subsets --method mean --method kemeny
        rankagg experiment instances.csv --instance instance --study confidence
        rankagg experiment scores.csv --study corruption --corruption copied --corruption noisy
    """
    if not isinstance(given.data, ra.ScoreTable):
        raise click.UsageError("An experiment needs scores; rankings and votes do not hold them.")
    if given.tolerance and study != "task-subsets":
        raise click.UsageError(f"--tolerance has no meaning for --study {study}.")
    if methods and study == "confidence":
        raise click.UsageError("--method has no meaning for --study confidence.")
    varies, usual = VARIES.get(study, ("", ""))
    for name in (name for name in typed if typed[name] and name != varies):
        raise click.UsageError(f"--{name} has no meaning for --study {study}.")
    rules = limited(made(methods or ("mean", "borda"), given.unranked), deadline)
    table, label = given.data, given.name
    asked: Any = ra.studies.MissingScoresStudy
    settings: dict[str, Any] = {"aggregators": rules}
    if varies:
        settings["models"] = [ra.studies.Observed(label=label, data=table)]
        texts = typed[varies] or [usual]
        settings[f"{varies}s"] = [varied(f"--{varies}", text) for text in texts]
    if study == "corruption":
        asked = ra.studies.CorruptionStudy
    elif study == "task-subsets":
        asked = ra.studies.TaskSubsetStudy
        settings |= {"data": table, "tolerance": given.tolerance}
    elif study == "confidence":
        asked = ra.studies.ConfidenceStudy
        settings = {"models": [ra.studies.Resampled(label=label, data=table)]}
    return run.answer(asked, called={"models": "FILE", "data": "FILE"}, **settings)


@command(
    click.Argument(["names"], nargs=-1, metavar="[p1 p2 p3 | NAME ...]"),
    flag("--quick", help="Few repetitions; what is random is not judged."),
    option(
        "--data DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A folder with tables that are not bundled, in any files of it.",
    ),
    jobs(),
    time_limit("the whole command", searches=False),
    option(
        "-o --out DIR",
        type=FOLDER,
        help="Write the page, the rows, tables and figures here; a run that was stopped goes on "
        "from what is here.",
    ),
    flag("--list", "listing", help="List the experiments and run none."),
    output(),
)
def replicate(
    *,
    names: Sequence[str],
    deadline: ra.Deadline,
    out: Path | None,
    listing: bool,
    output: Output,
    **options: Any,
) -> Answer:
    """Run the experiments of three papers and hold what comes out beside what is printed.

    Every published quantity gets a row: where it is printed, what is printed, what the paper's
    words and its authors' program give, what comes out here, a verdict, and the reason. Without
    names everything runs. Tables that are not bundled come from --data; without them their rows
    are not judged, and say so. The exit code is 1 where something did not come out as its
    reference has it.

    \b
        rankagg replicate --quick -o replication
        rankagg replicate p1 --data leaderboards --jobs 2 -o replication
        rankagg replicate p1-table-1 --json
    """
    if listing:
        from rankagg.replication.replication import EXPERIMENTS

        told = in_columns((one.name, one.title) for one in EXPERIMENTS)
        return Answer(text=lambda rows: told)
    with options_named({"names": "NAME", "journal": "--out"}):
        result = ra.replication.replicate(
            *names, output=out, time_limit=deadline.time_limit, **options
        )
    code = DONE if result.is_complete else UNPROVED
    wrote = [] if out is None else [f"wrote: {out / 'index.html'}"]
    return Answer(
        result=result,
        text=lambda rows: "\n".join([result.summary(rows=None), *wrote]),
        beside=wrote if output.as_json else (),
        code=code if result.is_reached else FAILED,
    )
