"""Commands for models: fit distributions, draw rankings, and evaluate rules on draws."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import rankagg as ra
from rankagg.cli import options as opt
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
from rankagg.cli.rules import limited, made, rules_to, time_limit
from rankagg.exceptions import DataFormatError, InvalidInputError, nearest, visible
from rankagg.io.output_files import write_text

if TYPE_CHECKING:
    import pandas as pd

    from rankagg.aggregation import Deadline
    from rankagg.cli.data import Input

_T = TypeVar("_T")
_MODELS = {"plackett-luce": "PlackettLuce", "bradley-terry": "BradleyTerry", "mallows": "Mallows"}
_OF_WORTHS = ("plackett-luce", "bradley-terry")
# Most ranks (items times rankings) of a draw.
_MOST_PLACES_DRAWN = 10**8
_CULTURES = (
    "impartial, anonymous, mallows=PHI, norm-mallows=NORM_PHI, plackett-luce=SPREAD, "
    "urn=CONTAGION, euclidean=DIMENSION, gaussian=DIMENSION, walsh or conitzer"
)
# Names of the numbers in messages.
_CULTURE_NUMBERS = {
    "contagion": "--culture urn",
    "n_dimensions": "The dimension in --culture",
    "norm_phi": "--culture norm-mallows",
    "phi": "--culture mallows",
    "spread": "--culture plackett-luce",
    "step": "--culture gumbel",
}
# Names of corruptions and removals: their classes, and the parameter of a number.
_VARIED = {
    "--corruption": {
        "reversed": ("ReversedScores", ""),
        "adversarial": ("AdversarialScores", "step"),
        "copied": ("CopiedScores", ""),
        "noisy": ("NoisyScores", "proportion"),
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
_QUICK_RULES = ("borda", "copeland", "mc4", "kwiksort", "insertion-search")
_FROM_MODELS = ("culture", "n_items", "n_rankings")
_FROM_FILES = tuple(str(one.name) for one in opt.DATA_OPTIONS if one.name != "tolerance")
_RULES, _GAPS = ("names", "time_limit"), ("removal", "proportion")
#: Studies: their classes, and the options that not all of them take.
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


def _models() -> list[str]:
    from rankagg.distributions.model_checks import NAMED_MODELS

    return list(dict.fromkeys([*_MODELS, *NAMED_MODELS]))


@command(
    data(),
    opt.several(
        "--model",
        "MODEL",
        "plackett-luce (default), bradley-terry (default of comparisons and with --elo) or "
        "mallows; with --compare any of plackett-luce, uniform and mallows-DISTANCE "
        "(default: all).",
        "names",
        type=opt.OneOf(_models),
    ),
    opt.Option(
        "--anchor",
        metavar="ITEM",
        help="Show worths relative to that of ITEM; with --elo: ITEM=RATING.",
    ),
    *opt.grouped(
        "Model",
        opt.Option(
            "--pseudo-rankings",
            type=opt.Number(0, 1e9),
            help="Worths: wins and losses of every item against a ghost item; default 0.",
        ),
        opt.Option(
            "--ridge", type=opt.Number(0, 1e9), help="Penalty on squared worths; default 0."
        ),
        opt.choice(
            "--distance",
            ["kendall", "footrule", "spearman"],
            "Mallows: distance to the center; default: kendall.",
        ),
    ),
    *opt.grouped(
        "Bradley-Terry",
        opt.choice(
            "--ties",
            ["half", "davidson", "ignore"],
            "Count a tie as half a win each (default), as an outcome of its own, or not.",
        ),
        opt.flag("--elo", help="Also show ratings on the Elo scale."),
        opt.judges(),
    ),
    time_limit("the center of Mallows"),
    opt.alpha("Error rate of the intervals"),
    opt.flag(
        "--compare", help="Compare models by held-out scores, AIC and BIC, and test the best."
    ),
    *opt.grouped(
        "Comparison",
        opt.resamples("Samples to test the fit of the best model; 0: no test.", 0, default=99),
        opt.seed("folds and samples"),
        opt.jobs(),
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
    """Fit a distribution over rankings, or compare several models.

    \b
        rankagg fit election.soc --model mallows --distance footrule
        rankagg fit election.soc --compare
        rankagg fit battles.csv --cluster judge --model bradley-terry --elo

    Fits by maximum likelihood. Standard errors of bradley-terry are by independent unit: --cluster
    of comparisons, rankings, or tasks. With --side, the fit estimates the advantage of that side.
    """
    if compare:
        others = {"alpha", "deadline", "anchor", "elo", *options}
        refuse_typed("has no meaning with --compare: leave it out", *sorted(others))
        given.refuse_pairs("--compare needs rankings")
        with options_named({"data": "FILE", "models": "--model"}):
            compared = ra.distributions.compare_models(
                _rankings_for("plackett-luce", given),
                names or None,
                n_resamples=n_resamples,
                rng=rng,
                n_jobs=n_jobs,
            )
        return Answer(result=compared, plot=compared.plot)
    refuse_typed("needs --compare", "n_resamples", "rng", "n_jobs", "rows", "everything")
    # Pairs and Elo ratings need Bradley-Terry.
    of_pairs = elo or isinstance(given.data, ra.Comparisons | ra.PairwiseMatrix)
    model = names[0] if names else "bradley-terry" if of_pairs else "plackett-luce"
    if len(names) > 1 or model not in _MODELS:
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
    # A prior gives every item a rating.
    if (
        elo
        and isinstance(fitted_to, ra.Comparisons)
        and not asked.keys() & {"pseudo_rankings", "ridge"}
    ):
        from rankagg.distributions.bradley_terry.newcomers import without_newcomers

        fitted_to, newcomers = without_newcomers(fitted_to)
        items = fitted_to.items
    scale = anchor_of(anchor, items, is_rated=elo)
    asked = {name: value for name, value in asked.items() if name not in ("anchor", "elo")}
    if isinstance(fitted_to, ra.Comparisons):
        asked |= {"covariates": tuple(fitted_to.covariates), "side": fitted_to.sides is not None}
    if isinstance(fitted_to, ra.ScoreTable):
        asked["tolerance"] = given.tolerance
    with options_named({"side": "--side", "judges": "--judges", "data": "FILE"}):
        fitted = getattr(ra, _MODELS[model]).fit(fitted_to, **asked)
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
    """Return ratings as text, and the items without a rating."""
    tables = [] if ratings is None else [visible(ratings.round(1).to_string(na_rep="-"))]
    if newcomers is not None and len(newcomers):
        tables.append(f"not rated yet, {n_left:,} battles left out:")
        tables.append(visible(newcomers.to_string()))
    return tables


def _rankings_for(model: str, given: Input) -> Any:
    """Return the rankings for a model."""
    given.refuse_pairs(f"--model {model} needs rankings")
    given.refuse_sums(f"--model {model}", ", or use --model bradley-terry")
    return given.evidence.profile


@command(
    click.Argument(["fit"], required=False, type=click.Path()),
    opt.Option("--items", metavar="A,B,C", help="Items to rank, without FIT."),
    opt.Option(
        "--culture",
        metavar="CULTURE",
        default="impartial",
        help=f"Distribution of rankings of --items: {_CULTURES}.",
    ),
    opt.Option(
        "--size", type=opt.Whole(1, _MOST_PLACES_DRAWN), default=100, help="Number of rankings."
    ),
    opt.seed(),
    opt.Option("--out", type=opt.FILE, help="File to write; default: the standard output."),
)
def sample(
    fit: str | None, *, items: str | None, culture: str, size: int, rng: int, out: Path | None
) -> Answer:
    """Draw random rankings and print them as CSV with counts.

    \b
        rankagg sample --items A,B,C --culture mallows=0.6
        rankagg sample --items A,B,C --culture euclidean=2
        rankagg sample fit.json --size 1000 --out drawn.csv

    FIT is a file with the output of `rankagg fit --json`.
    """
    from rankagg.core import ItemSet, counted

    if bool(fit) == bool(items):
        raise click.UsageError("Give either FIT or --items, such as --items A,B,C.")
    if fit is not None:
        refuse_typed("needs --items", "culture")
    with options_named({"n_items": "The number of --items", **_CULTURE_NUMBERS}):
        source = _culture(culture) if fit is None else _stored(fit)
        labels = ItemSet(map(str.strip, items.split(","))) if items else source.items
        n = len(labels)
        if size * n > _MOST_PLACES_DRAWN:
            allowed = f"at most {_MOST_PLACES_DRAWN // n} for {counted(n, 'item')}"
            raise InvalidInputError("--size", allowed, size, "Draw files with different seeds.")
        if items:
            ranks = source.sample(n, size, rng=rng).ranks + 1
            profile = ra.Profile.from_ranks(ranks, items=labels)
        else:
            profile = source.sample(size, rng=rng)
    if out is None and sys.stdout.isatty():
        # A terminal would obey control characters in names; a program gets them unchanged.
        ra.io.write_ballots(profile.compress(), text := StringIO())
        click.echo(visible(text.getvalue()), nl=False)
    else:
        ra.io.write_ballots(profile.compress(), sys.stdout if out is None else out)
    return Answer()


def _stored(path: str) -> Any:
    """Return the distribution in a file."""
    from rankagg.distributions.stored import distribution_from_dict
    from rankagg.io.tables.sources import parse_json, read_text

    with options_named({"source": "FIT"}), buffered((path,)) as (file,):
        path, text = read_text(file)
    try:
        facts = parse_json(text, "The file", json.JSONDecoder())
        plain = facts.get("distribution", facts) if isinstance(facts, dict) else facts
        return distribution_from_dict(plain)
    except DataFormatError as error:
        remedy = "FIT is the output of `rankagg fit --json`."
        raise DataFormatError(f"{path}: {error.sentence}", remedy) from None


def _culture(text: str, *, scores: bool = False) -> Any:
    """Return the culture in a text; with `scores` also the model of scores."""

    def points(number: float, **kind: Any) -> Any:
        # The culture refuses fractions.
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
    """Return the corruptions or removals in texts."""
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
    """Return the value for a text NAME or NAME=NUMBER."""
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
    click.Argument(["study"], type=opt.OneOf(list(STUDIES)), metavar="STUDY"),
    # Only studies of a table of scores read it.
    Options("typed", data().options, dict),
    opt.several(
        "--culture",
        "CULTURE",
        f"Distribution of rankings: {_CULTURES}; or gumbel=STEP: scores with Gumbel noise, "
        "locations STEP apart.",
    ),
    opt.Option(
        "--items",
        "n_items",
        multiple=True,
        type=opt.Whole(2, 10**4),
        help="Numbers of items; default 10, for cycles 3.",
    ),
    opt.Option(
        "--rankings",
        "n_rankings",
        multiple=True,
        type=opt.Whole(1, 10**6),
        help="Numbers of rankings; default 10, for cycles 3, 11 and 101.",
    ),
    rules_to("study", default=f"mean, borda; for approximation {', '.join(_QUICK_RULES)}"),
    opt.Option(
        "--time-limit", type=opt.TIME, help="Time for each optimum or ranking, or for all cycles."
    ),
    *opt.grouped(
        "Study",
        opt.Option(
            "--missing",
            "missing_shares",
            multiple=True,
            type=opt.Number(0, 1, open_high=True),
            default=(0.0,),
            help="approximation: share of items that each ranking loses at random.",
        ),
        opt.several(
            "--corruption",
            "CORRUPTION",
            "corruption: reversed, adversarial, copied, noisy, noisy=PROPORTION, rescaled=FACTOR.",
            default=["reversed"],
            callback=_varied,
        ),
        opt.several(
            "--removal",
            "REMOVAL",
            "missing-scores, confidence: mechanism: at-random, by-system, by-task, by-score, "
            "by-score=STRENGTH, by-age or blocks.",
            default=["at-random"],
            callback=_varied,
        ),
        opt.several(
            "--proportion",
            "SHARE",
            "missing-scores, confidence: share of scores to remove; default: 0, 0.1, ..., 0.9; "
            "for confidence none.",
            type=opt.Number(0, 1, open_high=True),
        ),
    ),
    opt.Option(
        "--repetitions",
        "n_repetitions",
        type=opt.Whole(1, 10**6),
        help="Data sets per combination; default 100, for cycles 1000.",
    ),
    opt.seed(),
    opt.jobs(),
    *opt.grouped(
        "Output",
        opt.Option(
            "--journal",
            type=opt.FILE,
            help="Record finished work in this file, and resume from it.",
        ),
        opt.Option("--html", type=opt.FILE, help="Write a page with table, plot and settings."),
    ),
    output("rows", table=True, pasted=True, plot="the results"),
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
    """Evaluate rules on many simulated or resampled data sets.

    STUDY is approximation, cycles, missing-scores, task-subsets, corruption, confidence or
    agreement.

    \b
        rankagg study approximation --culture mallows=0.8 --items 10 --items 30
        rankagg study cycles --culture impartial --rankings 25
        rankagg study missing-scores scores.csv --removal by-score --html page.html

    Repeat the options for models, sizes and rules to study every combination:

    approximation: each rule's distance from the proved optimum, on ballots in PrefLib formats or
    from a model. The exit code is 3 if an optimum was not proved within --time-limit.

    cycles: how often drawn profiles have cyclic majorities, and Borda and Kemeny disagree, with
    known exact probabilities. By default all rankings are equally likely (impartial culture).

    missing-scores, task-subsets, corruption: remove scores or tasks of a table, or corrupt tasks,
    and compare every rule with its full ranking. missing-scores names the rule that stays nearest.

    confidence: resample instances, and decide pairs by confidence intervals instead of rules.

    agreement: compare the rules with each other on a table of scores, once.
    """
    from rankagg.core import listed

    kind, takes = STUDIES[study]
    for name in dict.fromkeys(name for _, known in STUDIES.values() for name in known):
        if name not in takes and (option := typed_option(name)):
            others = listed([one for one, (_, known) in STUDIES.items() if name in known])
            raise click.UsageError(f"{option} has no meaning for {study}; it is for {others}.")
    if journal is not None and journal == html:
        raise click.UsageError("--journal and --html name the same file: give two.")
    lines: tuple[str, ...] | None = None
    if study in ("approximation", "cycles"):
        asked = _of_models(study, typed["files"], **settings)
    else:
        asked, lines = _of_table(study, typed, **settings)
    source = "--culture" if lines is None else "FILE"
    called = {"data": source, "table": "FILE", "rules": "--rule", "missing": "--missing"}
    with options_named(called):
        planned = getattr(ra.studies, kind)(rng=rng, **asked)
        within = {"time_limit": settings["time_limit"]} if study == "cycles" else {}
        result = planned.run(journal=journal, n_jobs=n_jobs, **within)
    page = [(html, lambda path: write_text(path, result.to_html(source=lines or ())))]
    code = UNPROVED if study == "approximation" and result.n_unproved else DONE
    return Answer(result=result, lines=lines, plot=result.plot, files=page, code=code)


def _observed(path: str) -> Any:
    """Return the data of a PrefLib file, labelled by title and name."""
    from rankagg.io.preflib import read_preflib, title_of

    read, title, stem = read_preflib(path), title_of(path), Path(path).stem
    return ra.studies.ObservedData(label=f"{title} ({stem})" if title else stem, data=read)


def _of_models(study: str, files: Sequence[str], **settings: Any) -> dict[str, Any]:
    """Return the settings of a study of profiles, drawn or in files."""
    with options_named(_CULTURE_NUMBERS):
        models = [_culture(text, scores=True) for text in settings["culture"]]
    if study == "cycles":
        if files:
            raise click.UsageError("study cycles draws profiles and reads no FILE: leave it out.")
        return {
            "data": models or [ra.cultures.ImpartialCulture()],
            "n_items": settings["n_items"] or (3,),
            "n_rankings": settings["n_rankings"] or (3, 11, 101),
            "n_repetitions": settings["n_repetitions"] or 1000,
        }
    if not (models or files):
        raise click.UsageError("Give FILE, or a model such as --culture impartial.")
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
    """Return the settings of a study of a table of scores, and the lines on it."""
    given = data(whole=True).make(**typed)
    if not isinstance(given.data, ra.ScoreTable) or given.data.n_systems < 2:
        raise click.UsageError(
            f"{study} needs scores of two or more systems; {given.name} does not hold them."
        )
    if study == "confidence" and typed_option("removal") and not any(settings["proportion"]):
        raise click.UsageError("--removal needs --proportion for confidence: add --proportion 0.2.")
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
        asked["n_repetitions"] = settings["n_repetitions"] or 100
    return asked, given.lines
