"""The command that repeats experiments: on simulated data, and on a table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.command import Answer, Options, command, output
from rankagg.cli.options.data_options import DATA_OPTIONS
from rankagg.cli.options.exact import limited
from rankagg.cli.options.given import data, read_whole
from rankagg.cli.options.rules import made, rules_to
from rankagg.cli.options.studies import DRAWN, SIZES, StudyRun, repeated, varied
from rankagg.cli.options.typed import TIME, Number, OneOf, Option, choice, grouped, several
from rankagg.cli.options.wording import typed_option
from rankagg.io.preflib import read_preflib, title_and_seats

QUICK_RULES = ("borda", "copeland", "mc4", "kwiksort", "borda-kemenized")
FROM_MODELS = ("mallows", "plackett_luce", "gumbel", "culture", "n_items", "n_rankings")
FROM_FILES = tuple(str(one.name) for one in DATA_OPTIONS if one.name != "tolerance")
RULES, GAPS = ("names", "time_limit"), ("removal", "proportion")
#: The studies: their classes, and the options that not all of them have.
STUDIES = {
    "approximation": (
        "ApproximationStudy",
        (*FROM_MODELS, *RULES, "missing_shares", "n_repetitions"),
    ),
    "cycles": ("CycleStudy", (*FROM_MODELS, "time_limit", "measure", "n_repetitions")),
    "missing-scores": ("MissingScoresStudy", (*FROM_FILES, *GAPS, *RULES, "n_repetitions")),
    "task-subsets": ("TaskSubsetStudy", (*FROM_FILES, "tolerance", *RULES, "n_repetitions")),
    "confidence": ("ConfidenceStudy", (*FROM_FILES, *GAPS, "n_repetitions")),
    "corruption": ("CorruptionStudy", (*FROM_FILES, "corruption", *RULES, "n_repetitions")),
    "agreement": ("AgreementStudy", (*FROM_FILES, "tolerance", *RULES)),
}


@command(
    click.Argument(["study"], type=OneOf(list(STUDIES)), metavar="STUDY"),
    # Data are read where the study is of a table of scores.
    Options("typed", data().options, dict),
    DRAWN,
    *SIZES,
    rules_to("study", default=f"mean, borda; for approximation {', '.join(QUICK_RULES)}"),
    Option("--time-limit", type=TIME, help="For each optimum or ranking; for all cycles."),
    *grouped(
        "Study",
        Option(
            "--missing",
            "missing_shares",
            multiple=True,
            type=Number(0, 1, open_high=True),
            default=(0.0,),
            help="approximation: shares of items that every ranking loses at random.",
        ),
        choice(
            "--measure",
            ["cycle", "winner", "optimal"],
            "cycles: what --plot shows: Condorcet cycles or winners, or how often Borda finds "
            "a Kemeny optimum.",
            default="cycle",
        ),
        several(
            "--corruption",
            "CORRUPTION",
            "corruption: reversed, adversarial, copied, noisy, noisy=SHARE, rescaled=FACTOR.",
            default=["reversed"],
            callback=varied,
        ),
        several(
            "--removal",
            "REMOVAL",
            "missing-scores, confidence: which scores go missing: at-random, by-system, "
            "by-task, by-score, by-score=STRENGTH, by-age or blocks.",
            default=["at-random"],
            callback=varied,
        ),
        several(
            "--proportion",
            "SHARE",
            "missing-scores, confidence: how many go missing; by default 0, 0.1, ..., 0.9, "
            "and for confidence none.",
            type=Number(0, 1, open_high=True),
        ),
    ),
    repeated(),
    output("rows", pasted=True, plot="what the study found"),
)
def study(
    *, study: str, typed: dict[str, Any], models: Sequence[Any], run: StudyRun, **settings: Any
) -> Answer:
    """Measure rules on simulated or real data, many times.

    \b
        rankagg study approximation --mallows 0.8 --items 10 --items 30
        rankagg study cycles --culture impartial --rankings 25
        rankagg study missing-scores scores.csv --removal by-score --html page.html

    STUDY is one of these. Options that name models, sizes and rules may be given several times;
    every combination is drawn.

    approximation: each rule's distance from the proved optimum, on ballots in PrefLib formats or
    from a model. The exit code is 3 where an optimum was not proved within --time-limit.

    cycles: how often majorities of drawn profiles are cyclic, and Borda and Kemeny disagree, with
    the probabilities that are known exactly. Without a model it is the impartial culture, in which
    every ranking is equally likely.

    missing-scores, task-subsets, corruption: a table of scores loses scores or tasks, or tasks are
    corrupted, and every rule is compared with its ranking of all. Where scores are removed the
    last line names the rule that stays nearest.

    confidence: instances are resampled, and pairs decided by confidence intervals instead of rules.

    agreement: rules are compared with each other on a table of scores, once.
    """
    from rankagg.core import listed

    asked, takes = STUDIES[study]
    for name in dict.fromkeys(name for _, known in STUDIES.values() for name in known):
        if name not in takes and (option := typed_option(name)):
            others = listed([one for one, (_, known) in STUDIES.items() if name in known])
            raise click.UsageError(f"{option} has no meaning for {study}, but for {others}.")
    kind = getattr(ra.studies, asked)
    if study == "approximation":
        return _approximation(kind, typed["files"], models, run, **settings)
    if study == "cycles":
        if typed["files"]:
            raise click.UsageError("cycles are of drawn profiles, and of no FILE.")
        return run.answer(
            kind,
            data=models or [ra.cultures.ImpartialCulture()],
            n_items=settings["n_items"] or (3,),
            n_rankings=settings["n_rankings"] or (3, 11, 101),
            n_repetitions=run.n_repetitions or 1000,
            time_limit=settings["time_limit"],
            plotted={"y": settings["measure"]},
        )
    return _of_table(study, kind, typed, run, **settings)


def _approximation(
    kind: Any, files: Sequence[str], models: Sequence[Any], run: StudyRun, **settings: Any
) -> Answer:
    """Measure rules against the proved optimum of drawn profiles, and of those in files."""
    if not (models or files):
        raise click.UsageError(
            "Give files, or a model: --mallows, --plackett-luce, --gumbel or --culture."
        )
    return run.answer(
        lambda **options: kind(time_limit=settings["time_limit"], **options),
        lambda result: UNPROVED if result.n_unproved else DONE,
        rules=made(settings["names"] or QUICK_RULES),
        data=[*map(_observed, files), *models],
        n_items=settings["n_items"] or (10,),
        n_rankings=settings["n_rankings"] or (10,),
        n_repetitions=run.n_repetitions or 100,
        missing=settings["missing_shares"],
        called={"missing": "--missing"},
    )


def _observed(path: str) -> Any:
    """Return the data of a file of PrefLib, under its title and name."""
    read, (title, _), stem = read_preflib(path), title_and_seats(path), Path(path).stem
    return ra.studies.ObservedData(label=f"{title} ({stem})" if title else stem, data=read)


def _of_table(
    study: str, kind: Any, typed: dict[str, Any], run: StudyRun, **settings: Any
) -> Answer:
    """Run a study on a table of scores: how stable is its ranking."""
    given = read_whole(**typed)
    if not isinstance(given.data, ra.ScoreTable) or given.data.n_systems < 2:
        raise click.UsageError(f"{study} needs scores of two or more systems, and no votes.")
    if study == "confidence" and typed_option("removal") and not any(settings["proportion"]):
        raise click.UsageError("--removal for confidence needs --proportion, as 0.2.")
    takes = STUDIES[study][1]
    varying = ("corruption", "removal", "proportion")
    asked = {f"{name}s": settings[name] for name in varying if name in takes and settings[name]}
    if "names" in takes:
        rules = made(settings["names"] or ("mean", "borda"))
        asked["rules"] = limited(rules, settings["time_limit"])
    if "tolerance" in takes:
        asked |= {"data": given.data, "tolerance": given.tolerance}
    else:
        source = ra.studies.ResampledData if study == "confidence" else ra.studies.ObservedData
        asked["data"] = source(label=given.name, data=given.data)
    if "n_repetitions" in takes:
        asked["n_repetitions"] = run.n_repetitions or 100
    called = dict.fromkeys(("data", "table"), "FILE")
    answer = run.answer(kind, called=called, source=given.lines, **asked)
    return replace(answer, lines=given.lines)
