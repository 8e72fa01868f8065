"""Commands of models: fit distributions over rankings, draw from them, and study rules on draws."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import rankagg as ra
from rankagg.cli.command import (
    DONE,
    UNPROVED,
    Answer,
    Options,
    command,
    option_of,
    options_named,
    output,
    refuse_typed,
    show_progress,
    typed_option,
)
from rankagg.cli.data import anchor_of, buffered, data
from rankagg.cli.options import (
    DATA_OPTIONS,
    FILE,
    TIME,
    Number,
    OneOf,
    Option,
    Whole,
    alpha,
    choice,
    flag,
    grouped,
    jobs,
    judges,
    resamples,
    seed,
    several,
)
from rankagg.cli.rules import limited, made, rules_to, time_limit
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, visible
from rankagg.io.output_files import write_text

if TYPE_CHECKING:
    import pandas as pd

    from rankagg.aggregation import Deadline
    from rankagg.cli.data import Input

_T = TypeVar("_T")
_OF_WORTHS = ("plackett-luce", "bradley-terry")
# Ranks of all items in all rankings that are drawn at a time.
_MOST_PLACES_DRAWN = 10**8
_CULTURES = (
    "impartial, anonymous, mallows=PHI, norm-mallows=NORM_PHI, plackett-luce=SPREAD, "
    "urn=CONTAGION, euclidean=DIMENSION, gaussian=DIMENSION, walsh or conitzer"
)
# What the numbers are called in messages.
_CULTURE_NUMBERS = {
    "contagion": "--culture urn",
    "n_dimensions": "The dimension in --culture",
    "norm_phi": "--culture norm-mallows",
    "phi": "--culture mallows",
    "spread": "--culture plackett-luce",
    "step": "--culture gumbel",
}
# Corruptions and mechanisms of missing scores as they are typed, and what a number is.
_VARIED = {
    "--corruption": {
        "reversed": ("ReversedScores", ""),
        "adversarial": ("AdversarialScores", "step"),
        "copied": ("CopiedScores", ""),
        "noisy": ("NoisyScores", "share"),
        "rescaled": ("RescaledScores", "factor"),
    },
    "--removal": {
        "at-random": ("RandomRemoval", ""),
        "by-system": ("RemovalBySystem", "spread"),
        "by-task": ("RemovalByTask", "spread"),
        "blocks": ("RemovalOfBlocks", ""),
        "by-score": ("RemovalByScore", "strength"),
        "by-age": ("RemovalByAge", "strength"),
    },
}
_QUICK_RULES = ("borda", "copeland", "mc4", "kwiksort", "borda-kemenized")
_FROM_MODELS = ("culture", "n_items", "n_rankings")
_FROM_FILES = tuple(str(one.name) for one in DATA_OPTIONS if one.name != "tolerance")
_PRIORS = ("pseudo_rankings", "ridge")
_RULES, _GAPS = ("names", "time_limit"), ("removal", "proportion")
#: The studies: their classes, and the options that not all of them have.
STUDIES = {
    "approximation": (
        "ApproximationStudy",
        (*_FROM_MODELS, *_RULES, "missing_shares", "n_repetitions"),
    ),
    "cycles": ("CycleStudy", (*_FROM_MODELS, "time_limit", "n_repetitions")),
    "missing-scores": ("MissingScoresStudy", (*_FROM_FILES, *_GAPS, *_RULES, "n_repetitions")),
    "task-subsets": ("TaskSubsetStudy", (*_FROM_FILES, "tolerance", *_RULES, "n_repetitions")),
    "confidence": ("ConfidenceStudy", (*_FROM_FILES, *_GAPS, "n_repetitions")),
    "corruption": ("CorruptionStudy", (*_FROM_FILES, "corruption", *_RULES, "n_repetitions")),
    "agreement": ("AgreementStudy", (*_FROM_FILES, "tolerance", *_RULES)),
}

# -- fit ------------------------------------------------------------------------------------------


def _models() -> list[str]:
    from rankagg.distributions.model_checks import NAMED_MODELS

    return list(dict.fromkeys([*_OF_WORTHS, "mallows", *NAMED_MODELS]))


@command(
    data(),
    several(
        "--model",
        "MODEL",
        "plackett-luce (default), bradley-terry (default of comparisons and with --elo) or "
        "mallows; with --compare any of plackett-luce, uniform and mallows-DISTANCE "
        "(default: all).",
        "names",
        type=OneOf(_models),
    ),
    Option(
        "--anchor",
        metavar="ITEM",
        help="Worths: show them less that of ITEM; with --elo ITEM=RATING.",
    ),
    *grouped(
        "Model",
        Option(
            "--pseudo-rankings",
            type=Number(0, 1e9),
            help="Worths: every item wins and loses so often against a ghost item; default 0.",
        ),
        Option(
            "--ridge", type=Number(0, 1e9), help="Worths: a penalty on their squares; default 0."
        ),
        choice(
            "--distance",
            ["kendall", "footrule", "spearman"],
            "Mallows: the distance to the center; default: kendall.",
        ),
    ),
    *grouped(
        "Bradley-Terry",
        choice(
            "--ties",
            ["half", "davidson", "ignore"],
            "A tie is half a win for each (default), an outcome of its own, or left out.",
        ),
        flag("--elo", help="Show ratings on the scale of Elo too."),
        judges(),
    ),
    time_limit("the center of mallows"),
    alpha("Error of the intervals"),
    flag("--compare", help="Compare models: held-out scores, AIC, BIC, and a test of the best."),
    *grouped(
        "Comparison",
        resamples("Samples that test whether the best model fits; 0 for no test.", 0, default=99),
        seed("For parts and samples."),
        jobs(),
    ),
    output("models", pasted=True, plot="the fit"),
)
def fit(
    given: Input,
    *,
    names: Sequence[str],
    compare: bool,
    anchor: str | None,
    elo: bool,
    deadline: Deadline,
    alpha: float,
    n_resamples: int,
    rng: int,
    n_jobs: int,
    **options: Any,
) -> Answer:
    """Fit a distribution over rankings, or compare several.

    \b
        rankagg fit election.soc --model mallows --distance footrule
        rankagg fit election.soc --compare
        rankagg fit battles.csv --cluster judge --model bradley-terry --elo

    By maximum likelihood. Errors of bradley-terry are by what is independent: --cluster of
    comparisons, rankings, tasks. A column of --side has its advantage estimated.
    """
    if compare:
        others = {"alpha", "deadline", "anchor", "elo", *options}
        refuse_typed("has no meaning with --compare", *sorted(others))
        given.refuse_pairs("a comparison of models needs rankings")
        with options_named({"data": "FILE", "models": "--model"}):
            compared = ra.distributions.compare_models(
                _rankings_for("plackett-luce", given),
                names or None,
                n_resamples=n_resamples,
                rng=rng,
                n_jobs=n_jobs,
            )
        return Answer(result=compared, plot=compared.plot)
    alone = ("n_resamples", "rng", "n_jobs", "rows", "everything")
    refuse_typed("belongs to --compare", *alone)
    # What pairs and Elo ratings need is no guess.
    of_pairs = elo or isinstance(given.data, ra.Comparisons | ra.PairwiseMatrix)
    model = names[0] if names else "bradley-terry" if of_pairs else "plackett-luce"
    if len(names) > 1 or model not in (*_OF_WORTHS, "mallows"):
        raise click.UsageError(f"--model {' --model '.join(names)} needs --compare.")
    options |= {"anchor": anchor, "time_limit": deadline.time_limit, "elo": elo or None}
    asked = {name: value for name, value in options.items() if value is not None}
    for name in asked:
        suited: tuple[str, ...] = ("mallows",) if name in ("distance", "time_limit") else _OF_WORTHS
        suited = ("bradley-terry",) if name in ("ties", "elo", "judges") else suited
        if model not in suited:
            option = option_of("deadline" if name == "time_limit" else name)
            raise click.UsageError(f"{option} is for --model {' and '.join(suited)}.")
    show_progress()
    rated = model == "bradley-terry"
    fitted_to = given.data if rated else _rankings_for(model, given)
    newcomers, items = None, given.evidence.items
    # With a prior every item has a rating.
    if elo and isinstance(fitted_to, ra.Comparisons) and not asked.keys() & {*_PRIORS}:
        from rankagg.distributions.bradley_terry.newcomers import without_newcomers

        fitted_to, newcomers = without_newcomers(fitted_to)
        items = fitted_to.items
    scale = anchor_of(anchor, items, is_rated=elo)
    asked = {name: value for name, value in asked.items() if name not in ("anchor", "elo")}
    if isinstance(fitted_to, ra.Comparisons):
        asked |= {"covariates": tuple(fitted_to.covariates), "side": fitted_to.sides is not None}
    if isinstance(fitted_to, ra.ScoreTable):
        asked["tolerance"] = given.tolerance
    models: dict[str, Any] = {
        "plackett-luce": ra.PlackettLuce,
        "bradley-terry": ra.BradleyTerry,
        "mallows": ra.Mallows,
    }
    with options_named({"side": "--side", "judges": "--judges", "data": "FILE"}):
        fitted = models[model].fit(fitted_to, **asked)
    ratings = fitted.elo(anchor=scale, alpha=alpha) if elo else None

    def plain() -> dict[str, Any]:
        from rankagg.core import plain_rows

        rows = {} if ratings is None else {"elo": plain_rows(ratings.reset_index())}
        if newcomers is not None:
            rows["not_rated"] = plain_rows(newcomers.reset_index())
        drawn = fitted.distribution.to_dict()
        return {**fitted.to_dict(alpha), "distribution": drawn, **rows}

    def text(rows: int | None) -> str:
        reference = dict(zip(["reference"], scale, strict=False))
        tables = _tables(ratings, newcomers, len(given.data) - len(fitted_to) if elo else 0)
        return "\n".join([fitted.summary(rows=None, alpha=alpha, **reference), *tables])

    center = getattr(fitted, "consensus", None)
    code = DONE if center is None or center.is_proved else UNPROVED
    return Answer(result=fitted, data=plain, text=text, plot=fitted.plot, code=code)


def _tables(ratings: pd.DataFrame | None, newcomers: pd.DataFrame | None, n_left: int) -> list[str]:
    """Return ratings as text, and who has none yet."""
    tables = [] if ratings is None else [visible(ratings.round(1).to_string(na_rep="-"))]
    if newcomers is not None and len(newcomers):
        tables.append(f"not rated yet, {n_left:,} battles left out:")
        tables.append(visible(newcomers.to_string()))
    return tables


def _rankings_for(model: str, given: Input) -> Any:
    """Return the rankings that a model is fitted to."""
    given.refuse_pairs(f"--model {model} needs rankings")
    if isinstance(given.data, ra.ScoreSummary):
        raise click.UsageError(
            f"{given.name} holds what scores add up to, and --model {model} needs the scores "
            "themselves: give the file of these, or take --model bradley-terry."
        )
    return given.evidence.profile


# -- sample ---------------------------------------------------------------------------------------


@command(
    click.Argument(["fit"], required=False, type=click.Path()),
    Option("--items", metavar="A,B,C", help="The items of rankings that are drawn without FIT."),
    Option(
        "--culture",
        metavar="CULTURE",
        default="impartial",
        help=f"What a profile of --items is drawn from: {_CULTURES}.",
    ),
    Option("--size", type=Whole(1, _MOST_PLACES_DRAWN), default=100, help="Rankings to draw."),
    seed(),
    Option("--out", type=FILE, help="Write here; default: the standard output."),
)
def sample(
    fit: str | None, *, items: str | None, culture: str, size: int, rng: int, out: Path | None
) -> Answer:
    """Draw rankings and print them as a CSV table with counts.

    \b
        rankagg sample --items A,B,C --culture mallows=0.6
        rankagg sample --items A,B,C --culture euclidean=2
        rankagg sample fit.json --size 1000 --out drawn.csv

    FIT is what `rankagg fit --json` printed.
    """
    from rankagg.core import counted

    if (fit is None) == (items is None):
        raise click.UsageError("Give one of FIT and --items.")
    if fit is not None:
        refuse_typed("goes with --items", "culture")
    distribution = None if fit is None else _stored(fit)
    labels = distribution.items if distribution is not None else _labels("--items", items or "")
    n = len(labels)
    if size * n > _MOST_PLACES_DRAWN:
        raise click.BadParameter(
            f"must be at most {_MOST_PLACES_DRAWN // n} for {counted(n, 'item')}. "
            f"Got {size}. Draw several files with different seeds.",
            param_hint="'--size'",
        )
    if distribution is not None:
        profile = distribution.sample(size, rng=rng)
    else:
        with options_named({"n_items": "The number of --items", **_CULTURE_NUMBERS}):
            ranks = _culture(culture).sample(n, size, rng=rng).ranks
        profile = ra.Profile.from_ranks(ranks, items=labels)
    if out is None and sys.stdout.isatty():
        # A program reads names as they are; a terminal would obey what is in them.
        ra.io.write_ballots(profile.compress(), text := StringIO())
        click.echo(visible(text.getvalue()), nl=False)
    else:
        ra.io.write_ballots(profile.compress(), sys.stdout if out is None else out)
    return Answer()


def _labels(option: str, text: str) -> list[str]:
    labels = [label.strip() for label in text.split(",")]
    if len(set(labels)) < len(labels):
        raise InvalidInputError(option, "different items with commas between", text)
    return labels


def _stored(path: str) -> Any:
    """Return the distribution that a file holds."""
    from rankagg.distributions.stored import distribution_from_dict
    from rankagg.io.tables.sources import parse_json, read_text

    with options_named({"source": "FIT"}), buffered((path,)) as (file,):
        path, text = read_text(file)
    facts = parse_json(text, path, json.JSONDecoder())
    if not isinstance(facts, dict):
        raise DataFormatError(f"{path} holds no object: `rankagg fit --json` prints one.")
    try:
        return distribution_from_dict(facts.get("distribution", facts))
    except DataFormatError as error:
        raise DataFormatError(f"{path}: {error}") from None


# -- study ----------------------------------------------------------------------------------------


def _culture(text: str, *, scores: bool = False) -> Any:
    """Return the culture that was named, or, for studies, the model of `scores`."""

    def points(number: float, **kind: Any) -> Any:
        # The culture refuses what is no whole number.
        n_dimensions: Any = int(number) if number.is_integer() else number
        return ra.cultures.EuclideanCulture(n_dimensions=n_dimensions, **kind)

    plain = {
        "impartial": ra.cultures.ImpartialCulture(),
        "anonymous": ra.cultures.AnonymousCulture(),
        "walsh": ra.cultures.SinglePeakedCulture(),
        "conitzer": ra.cultures.SinglePeakedCulture(variant="conitzer"),
    }
    numbered: dict[str, Callable[[float], Any]] = {
        "mallows": lambda number: ra.cultures.MallowsCulture(phi=number),
        "norm-mallows": lambda number: ra.cultures.MallowsCulture(norm_phi=number),
        "plackett-luce": lambda number: ra.cultures.PlackettLuceCulture(spread=number),
        "urn": lambda number: ra.cultures.UrnCulture(contagion=number),
        "euclidean": points,
        "gaussian": lambda number: points(number, points="gaussian"),
    }
    if scores:
        numbered["gumbel"] = lambda number: ra.studies.LatentModel(step=number, n_instances=None)
    return _named("--culture", text, plain, numbered)


def _varied(context: click.Context, option: click.Parameter, texts: Sequence[str]) -> list[Any]:
    """Return the corruptions or the mechanisms that were named."""
    known = {
        name: (getattr(ra.studies, kind), what)
        for name, (kind, what) in _VARIED[option.opts[0]].items()
    }
    # A factor has no default.
    plain = {name: kind() for name, (kind, what) in known.items() if what != "factor"}
    numbered = {
        name: lambda number, kind=kind, what=what: kind(**{what: number})
        for name, (kind, what) in known.items()
        if what
    }
    with options_named({what: f"The {what} in {option.opts[0]}" for _, what in known.values()}):
        return [_named(option.opts[0], text, plain, numbered) for text in texts]


def _named(
    option: str, text: str, plain: Mapping[str, _T], numbered: Mapping[str, Callable[[float], _T]]
) -> _T:
    """Return the value of a text NAME or NAME=NUMBER."""
    from rankagg._validation import ascii_number

    name, sign, number = text.partition("=")
    if name in plain and not sign:
        return plain[name]
    if name in numbered:
        try:
            value = float(ascii_number(number))
        except ValueError:
            raise InvalidInputError(option, f"{name}=NUMBER", text) from None
        return numbered[name](value)
    if name in plain:
        raise InvalidInputError(option, f"{name}, which takes no number", text)
    every = [*plain, *(f"{one}=NUMBER" for one in numbered)]
    remedy = nearest(name, [*plain, *numbered])
    raise InvalidInputError(option, f"one of {', '.join(every)}", text, remedy)


@command(
    click.Argument(["study"], type=OneOf(list(STUDIES)), metavar="STUDY"),
    # Data are read where the study is of a table of scores.
    Options("typed", data().options, dict),
    several(
        "--culture",
        "CULTURE",
        f"What rankings are drawn from: {_CULTURES}; or gumbel=STEP: scores with Gumbel noise, "
        "locations STEP apart.",
    ),
    Option(
        "--items",
        "n_items",
        multiple=True,
        type=Whole(2, 10**4),
        help="Numbers of items; default 10, for cycles 3.",
    ),
    Option(
        "--rankings",
        "n_rankings",
        multiple=True,
        type=Whole(1, 10**6),
        help="Numbers of rankings; default 10, for cycles 3, 11 and 101.",
    ),
    rules_to("study", default=f"mean, borda; for approximation {', '.join(_QUICK_RULES)}"),
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
        several(
            "--corruption",
            "CORRUPTION",
            "corruption: reversed, adversarial, copied, noisy, noisy=SHARE, rescaled=FACTOR.",
            default=["reversed"],
            callback=_varied,
        ),
        several(
            "--removal",
            "REMOVAL",
            "missing-scores, confidence: which scores go missing: at-random, by-system, "
            "by-task, by-score, by-score=STRENGTH, by-age or blocks.",
            default=["at-random"],
            callback=_varied,
        ),
        several(
            "--proportion",
            "SHARE",
            "missing-scores, confidence: how many go missing; by default 0, 0.1, ..., 0.9, "
            "and for confidence none.",
            type=Number(0, 1, open_high=True),
        ),
    ),
    Option(
        "--repetitions",
        "n_repetitions",
        type=Whole(1, 10**6),
        help="Data sets for each combination; default 100, for cycles 1000.",
    ),
    seed(),
    jobs(),
    *grouped(
        "Output",
        Option("--journal", type=FILE, help="Note finished work here, and continue from it."),
        Option("--html", type=FILE, help="Write a page here: table, plot and settings."),
    ),
    output("rows", table=True, pasted=True, plot="what the study found"),
)
def study(
    *,
    study: str,
    typed: dict[str, Any],
    rng: int,
    n_jobs: int,
    journal: Path | None,
    html: Path | None,
    **settings: Any,
) -> Answer:
    """Measure rules on simulated or real data, many times.

    \b
        rankagg study approximation --culture mallows=0.8 --items 10 --items 30
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

    kind, takes = STUDIES[study]
    for name in dict.fromkeys(name for _, known in STUDIES.values() for name in known):
        if name not in takes and (option := typed_option(name)):
            others = listed([one for one, (_, known) in STUDIES.items() if name in known])
            raise click.UsageError(f"{option} has no meaning for {study}, but for {others}.")
    if journal is not None and journal == html:
        raise click.UsageError("--journal needs a file of its own: --html replaces it.")
    lines: tuple[str, ...] | None = None
    limit = settings["time_limit"]
    if study in ("approximation", "cycles"):
        asked = _of_models(study, typed["files"], **settings)
    else:
        asked, lines = _of_table(study, typed, **settings)
    called = {
        "data": "--culture" if lines is None else "FILE",
        "table": "FILE",
        "rules": "--rule",
        "missing": "--missing",
    }
    with options_named(called):
        planned = getattr(ra.studies, kind)(rng=rng, **asked)
        within = {"time_limit": limit} if study == "cycles" else {}
        result = planned.run(journal=journal, n_jobs=n_jobs, **within)
    page = [(html, lambda path: write_text(path, result.to_html(source=lines or ())))]
    code = UNPROVED if study == "approximation" and result.n_unproved else DONE
    return Answer(result=result, lines=lines, plot=result.plot, files=page, code=code)


def _observed(path: str) -> Any:
    """Return the data of a file of PrefLib, under its title and name."""
    from rankagg.io.preflib import read_preflib, title_of

    read, title, stem = read_preflib(path), title_of(path), Path(path).stem
    return ra.studies.ObservedData(label=f"{title} ({stem})" if title else stem, data=read)


def _of_models(study: str, files: Sequence[str], **settings: Any) -> dict[str, Any]:
    """Return the settings of a study of drawn profiles, and of those in files."""
    with options_named(_CULTURE_NUMBERS):
        models = [_culture(text, scores=True) for text in settings["culture"]]
    if study == "cycles":
        if files:
            raise click.UsageError("cycles are of drawn profiles, and of no FILE.")
        return {
            "data": models or [ra.cultures.ImpartialCulture()],
            "n_items": settings["n_items"] or (3,),
            "n_rankings": settings["n_rankings"] or (3, 11, 101),
            "n_repetitions": settings["n_repetitions"] or 1000,
        }
    if not (models or files):
        raise click.UsageError("Give files, or a model by --culture.")
    return {
        "rules": made(settings["names"] or _QUICK_RULES),
        "data": [*map(_observed, files), *models],
        "n_items": settings["n_items"] or (10,),
        "n_rankings": settings["n_rankings"] or (10,),
        "n_repetitions": settings["n_repetitions"] or 100,
        "missing": settings["missing_shares"],
        "time_limit": settings["time_limit"],
    }


def _of_table(
    study: str, typed: dict[str, Any], **settings: Any
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the settings of a study of a table of scores, and what was read."""
    given = data(whole=True).make(**typed)
    if not isinstance(given.data, ra.ScoreTable) or given.data.n_systems < 2:
        raise click.UsageError(f"{study} needs scores of two or more systems, and no votes.")
    if study == "confidence" and typed_option("removal") and not any(settings["proportion"]):
        raise click.UsageError("--removal for confidence needs --proportion, as 0.2.")
    takes = STUDIES[study][1]
    varying = ("corruption", "removal", "proportion")
    asked = {f"{name}s": settings[name] for name in varying if name in takes and settings[name]}
    if "names" in takes:
        asked["rules"] = limited(
            made(settings["names"] or ("mean", "borda")), settings["time_limit"]
        )
    if "tolerance" in takes:
        asked |= {"data": given.data, "tolerance": given.tolerance}
    else:
        source = ra.studies.ResampledData if study == "confidence" else ra.studies.ObservedData
        asked["data"] = source(label=given.name, data=given.data)
    if "n_repetitions" in takes:
        asked["n_repetitions"] = settings["n_repetitions"] or 100
    return asked, given.lines
