"""Commands for distributions over rankings: to fit and compare them, and to draw."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.command import FILE, Answer, Options, command, output
from rankagg.cli.options.exact import show_progress, time_limit
from rankagg.cli.options.given import data
from rankagg.cli.options.studies import CULTURE_NUMBERS, CULTURES, culture_of
from rankagg.cli.options.typed import (
    Number,
    OneOf,
    Option,
    Whole,
    alpha,
    choice,
    flag,
    grouped,
    jobs,
    labels_of,
    named_numbers,
    seed,
    several,
)
from rankagg.cli.options.wording import option_of, options_named, refuse_typed
from rankagg.exceptions import DataFormatError, InvalidInputError, visible

if TYPE_CHECKING:
    from rankagg.aggregation import Deadline
    from rankagg.cli.options.inputs import Input

OF_WORTHS = ("plackett-luce", "bradley-terry")
OF_THETAS = ("mallows", "generalized-mallows")
# Options of mixtures and battles, which a comparison of models has not.
TYPED_ALONE = ("components", "noise", "n_starts", "ties", "advantage", "errors_by")
# Ranks of all items in all rankings that are drawn at a time.
MOST_PLACES_DRAWN = 10**8


def _by_features(
    given: Input, model: str, path: Path, *, formula: str | None, ridge: float | None, alpha: float
) -> Answer:
    """Fit worths that are linear in the features of a file."""
    import pandas as pd

    battles = isinstance(given.data, ra.Comparisons) and model == "bradley-terry"
    data = given.data if battles else _rankings_for("plackett-luce", given)
    items = list(data.items)
    try:
        table = pd.read_csv(path, index_col=0)
    except ValueError as error:
        raise click.UsageError(f"--features {path} is no CSV file: {error}") from None
    if not all(isinstance(item, int) for item in items):
        table.index = table.index.map(str)
    with options_named({"data": "FILE"}):
        fitted = ra.PlackettLuce.fit(data, features=table, formula=formula, ridge=ridge or 0.0)
    return _answer(fitted, None, {"alpha": alpha})


def _numbers(_: Any, __: Any, text: str | None) -> range | int | None:
    """Return a number of components, or all those of a text as 1-5."""
    if text is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,2})(?:-([1-9][0-9]{0,2}))?", text)
    if found is None or int(found[2] or 999) < int(found[1]):
        raise click.BadParameter(f"must be a number as 3, or numbers as 1-5. Got {text!r}.")
    return range(int(found[1]), int(found[2]) + 1) if found[2] else int(found[1])


MIXED = Options(
    "mixed",
    [
        Option(
            "--components",
            metavar="K",
            callback=_numbers,
            help="Fit a mixture of so many; 1-5: compare these.",
        ),
        *grouped(
            "Mixtures",
            flag("--noise", help="Let one more component be uniform."),
            Option(
                "--starts",
                "n_starts",
                type=Whole(1, 10**4),
                default=20,
                help="From how many places the search starts.",
            ),
        ),
        seed("For the starts, or parts and samples."),
        jobs(),
    ],
    dict,
)


def _mixture(given: Input, asked: dict[str, Any], alpha: float) -> Answer:
    """Fit a mixture, or those with several numbers of components."""
    from rankagg.core import counted

    if asked["family"] not in ("mallows", "plackett-luce"):
        raise click.UsageError("--components is for --model mallows and plackett-luce.")
    number, data = asked.pop("components"), _rankings_for(asked["family"], given)
    with options_named({"data": "FILE", "n_components": "--components", "models": "--components"}):
        if isinstance(number, int):
            return _answer(ra.Mixture.fit(data, number, **asked), None, {"alpha": alpha})
        refuse_typed("is of one fit: state one number of --components", "alpha")
        models = [
            (counted(k, "component"), partial(ra.Mixture.fit, n_components=k, **asked))
            for k in number
        ]
        found = ra.distributions.compare_models(data, models, n_resamples=0, rng=asked["rng"])
        return Answer(result=found, plot=found.plot)


def _battles(*, ties: Any, advantage: bool, errors_by: Any) -> dict[str, Any]:
    options = {"ties": ties, "side": advantage, "cov_type": errors_by}
    return {name: value for name, value in options.items() if value}


BATTLES = Options(
    "battles",
    grouped(
        "Bradley-Terry",
        choice(
            "--ties",
            ["half", "davidson", "ignore"],
            "A tie is half a win for each (default), an outcome of its own, or left out.",
        ),
        flag("--advantage", help="Comparisons: estimate the advantage of the first side."),
        choice(
            "--errors-by",
            ["auto", "model", "robust", "cluster"],
            "Errors by the model, by comparisons, or by clusters, rankings or "
            "tasks; default: auto.",
        ),
    ),
    _battles,
)


def _models() -> list[str]:
    from rankagg.distributions.goodness_of_fit import NAMED_MODELS

    return list(dict.fromkeys([*OF_WORTHS, *OF_THETAS, *NAMED_MODELS]))


def _one_model(names: Sequence[str]) -> str:
    """Return the one model to fit."""
    refuse_typed("belongs to --compare", "n_folds", "n_resamples", "rows", "everything")
    model = names[0] if names else "plackett-luce"
    if len(names) > 1 or model not in OF_WORTHS + OF_THETAS:
        raise click.UsageError(f"--model {' --model '.join(names)} needs --compare.")
    return model


@command(
    data(),
    several(
        "--model",
        "MODEL",
        "plackett-luce (default), bradley-terry, mallows or generalized-mallows; with "
        "--compare any of plackett-luce, uniform, mallows-DISTANCE and generalized-mallows "
        "(default: all).",
        "names",
        type=OneOf(_models),
    ),
    flag("--compare", help="Compare models: held-out scores, AIC, BIC, and a test of the best."),
    Option("--reference", metavar="ITEM", help="Worths: show them less that of ITEM."),
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
            ["kendall", "cayley", "hamming", "ulam", "footrule", "spearman"],
            "Mallows models: the distance to the center; default: kendall.",
        ),
        Option(
            "--features",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Worths: linear in the columns of this CSV file, whose first names the items.",
        ),
        Option(
            "--formula",
            help="What of --features, such as '~ size + C(kind)'; default: all. A formula may call "
            "any Python code (formulaic evaluates it): run none from a source that you do not "
            "trust.",
        ),
    ),
    BATTLES,
    flag("--elo", group="Bradley-Terry", help="Show ratings on the scale of Elo too."),
    MIXED,
    *grouped(
        "Comparison",
        Option(
            "--folds",
            "n_folds",
            type=Whole(2, 1000),
            help="Parts to be left out; default: 5, or half the rankings where these are fewer.",
        ),
        Option(
            "--resamples",
            "n_resamples",
            type=Whole(0, 10**6),
            default=99,
            help="Samples that test whether the best model fits; 0 for no test.",
        ),
    ),
    time_limit("the center of Mallows models"),
    alpha("Error of the intervals"),
    output("models", pasted=True, plot="the fit"),
)
def fit(
    given: Input,
    *,
    names: Sequence[str],
    compare: bool,
    reference: str | None,
    battles: dict[str, Any],
    elo: bool,
    features: Path | None,
    formula: str | None,
    mixed: dict[str, Any],
    n_folds: int | None,
    n_resamples: int,
    deadline: Deadline,
    alpha: float,
    **asked: Any,
) -> Answer:
    """Fit a distribution over rankings, or compare several.

    \b
        rankagg fit election.soc --model mallows --distance footrule
        rankagg fit election.soc --compare
        rankagg fit battles.csv --cluster judge --model bradley-terry --elo

    By maximum likelihood. Errors of bradley-terry are by what is independent: --cluster of
    comparisons, rankings, tasks. --components fits a mixture, and --features worths that depend on
    properties of the items.
    """
    if compare:
        others = {"alpha", "deadline", "reference", "elo", "features", "formula", *asked}
        refuse_typed("has no meaning with --compare", *sorted(others), *TYPED_ALONE)
        return _compared(
            given,
            names,
            n_folds=n_folds,
            n_resamples=n_resamples,
            rng=mixed["rng"],
            n_jobs=mixed["n_jobs"],
        )
    model = _one_model(names)
    asked |= {"reference": reference, "time_limit": deadline.time_limit}
    asked = {name: value for name, value in asked.items() if value is not None}
    for name in asked:
        suited = OF_THETAS if name in ("distance", "time_limit") else OF_WORTHS
        if model not in suited:
            typed = option_of("deadline" if name == "time_limit" else name)
            raise click.UsageError(f"{typed} is for --model {' and '.join(suited)}.")
    asked.pop("reference", None)
    clash = asked.get("pseudo_rankings") or reference or battles or elo
    if mixed["components"] is not None:
        if clash or features:
            raise click.UsageError(
                "--components goes with --model, --distance, --ridge and --time-limit."
            )
        return _mixture(given, {"family": model, **mixed, **asked}, alpha)
    refuse_typed("is of mixtures: state --components", "noise", "n_starts", "rng", "n_jobs")
    if features is not None:
        if clash or model not in OF_WORTHS:
            raise click.UsageError("--features goes with --model of worths, --formula and --ridge.")
        return _by_features(
            given, model, features, formula=formula, ridge=asked.get("ridge"), alpha=alpha
        )
    if formula:
        raise click.UsageError("--formula is of --features: state the file.")
    rates = model == "bradley-terry"
    if (battles or elo) and not rates:
        raise click.UsageError(
            "--ties, --advantage, --errors-by and --elo are for --model bradley-terry."
        )
    show_progress()
    data = given.data if rates else _rankings_for(model, given)
    shown: dict[str, Any] = {"alpha": alpha}
    if reference is not None:
        items = given.evidence.items
        (shown["reference"],) = labels_of("--reference", [reference], items, "item")
    models: dict[str, Any] = {
        "plackett-luce": ra.PlackettLuce,
        "bradley-terry": ra.BradleyTerry,
        "mallows": ra.Mallows,
        "generalized-mallows": ra.distributions.GeneralizedMallows,
    }
    if isinstance(data, ra.Comparisons):
        asked["covariates"] = tuple(data.covariates)
    if isinstance(data, ra.ScoreTable):
        asked["tolerance"] = given.tolerance
    with options_named({"side": "--advantage", "cov_type": "--errors-by", "data": "FILE"}):
        fitted = models[model].fit(data, **asked, **battles)
    ratings = fitted.elo(reference=shown.get("reference"), alpha=alpha) if elo else None

    return _answer(fitted, ratings, shown)


def _answer(fitted: Any, ratings: Any, shown: dict[str, Any]) -> Answer:
    """Return a fit, with ratings if there are some, as it is printed and as plain data."""
    from rankagg.core import plain_rows

    def plain() -> dict[str, Any]:
        rated = {} if ratings is None else {"elo": plain_rows(ratings.reset_index())}
        drawn = fitted.distribution.to_dict()
        return {**fitted.to_dict(shown["alpha"]), "distribution": drawn, **rated}

    def told(rows: int | None) -> str:
        text: str = fitted.summary(rows=None, **shown)
        if ratings is None:
            return text
        return f"{text}\n{visible(ratings.round(1).to_string(na_rep='-'))}"

    center = getattr(fitted, "consensus", None)
    return Answer(
        result=fitted,
        data=plain,
        text=told,
        plot=fitted.plot,
        code=DONE if center is None or center.is_proved else UNPROVED,
    )


def _rankings_for(model: str, given: Input) -> Any:
    """Return the rankings that a model is fitted to."""
    given.refuse_pairs(f"--model {model} needs rankings")
    if isinstance(given.data, ra.ScoreSummary):
        raise click.UsageError(
            f"{given.name} holds what scores add up to, and --model {model} needs the scores "
            "themselves: give the file of these, or take --model bradley-terry."
        )
    return given.evidence.profile


def _compared(given: Input, names: Sequence[str], **options: Any) -> Answer:
    given.refuse_pairs("a comparison of models needs rankings")
    with options_named({"data": "FILE", "models": "--model"}):
        data = _rankings_for("plackett-luce", given)
        found = ra.distributions.compare_models(data, names or None, **options)
    return Answer(result=found, plot=found.plot)


@command(
    click.Argument(["fit"], required=False, type=click.Path()),
    Option("--center", metavar="A,B,C", help="Mallows: the center, best first."),
    Option("--theta", type=Number(), help="Mallows: dispersion parameter; phi = exp(-theta)."),
    several(
        "--log-worth",
        "ITEM=NUMBER",
        "Plackett-Luce: the log worth of an item; once for every item.",
        "log_worths",
    ),
    Option("--items", metavar="A,B,C", help="Uniform, or of the culture: the items."),
    Option("--culture", metavar="CULTURE", help=f"What a whole profile is drawn from: {CULTURES}."),
    Option("--size", type=Whole(1, MOST_PLACES_DRAWN), default=100, help="Rankings to draw."),
    seed(),
    Option("--out", type=FILE, help="Write here; default: the standard output."),
)
def sample(
    fit: str | None,
    *,
    center: str | None,
    theta: float | None,
    log_worths: Sequence[str],
    items: str | None,
    culture: str | None,
    size: int,
    rng: int,
    out: Path | None,
) -> Answer:
    """Draw rankings and print them as a CSV table with counts.

    \b
        rankagg sample --center A,B,C --theta 0.5
        rankagg sample --culture euclidean=2 --items A,B,C
        rankagg sample fit.json --size 1000 --out drawn.csv

    FIT is what `rankagg fit --json` printed. Without it the options say what to draw from.
    """
    from rankagg.core import counted

    if culture is not None and items is None:
        raise click.UsageError("--culture and --items belong together.")
    stated = [fit, center, log_worths or None, items]
    if sum(given is not None for given in stated) != 1:
        raise click.UsageError("Give one of FIT, --center, --log-worth and --items.")
    if (theta is None) != (center is None):
        raise click.UsageError("--center and --theta belong together.")
    drawn: Any
    with options_named({"source": "FIT"}):
        if fit is not None:
            drawn = _stored(fit)
        elif center is not None and theta is not None:
            order = _labels("--center", center)
            drawn = ra.Mallows(ra.Permutation.from_order(order, items=order), theta)
        elif items is not None:
            drawn = ra.distributions.Uniform(_labels("--items", items))
        else:
            worths: Any = named_numbers("--log-worth", log_worths, "ITEM=NUMBER")
            drawn = ra.PlackettLuce(worths)
    n = len(drawn.items)
    if size * n > MOST_PLACES_DRAWN:
        raise click.BadParameter(
            f"must be at most {MOST_PLACES_DRAWN // n} for {counted(n, 'item')}. "
            f"Got {size}. Draw several files with different seeds.",
            param_hint="'--size'",
        )
    profile = drawn.sample(size, rng=rng)
    if culture is not None:
        with options_named({"n_items": "The number of --items", **CULTURE_NUMBERS}):
            ranks = culture_of(culture).sample(n, size, rng=rng).ranks
        profile = ra.Profile.from_ranks(ranks, items=drawn.items)
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
    from rankagg.cli.options.inputs import buffered
    from rankagg.distributions.stored import distribution_from_dict
    from rankagg.io.strict_json import check_characters
    from rankagg.io.tables.sources import read_text

    with buffered((path,)) as (file,):
        path, text = read_text(file)
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise DataFormatError(f"{path} is not JSON: {error}.") from None
    except RecursionError:
        raise DataFormatError(f"{path} is nested too deep to be read.") from None
    check_characters(text, facts, path)
    if not isinstance(facts, dict):
        raise DataFormatError(f"{path} holds no object: `rankagg fit --json` prints one.")
    try:
        return distribution_from_dict(facts.get("distribution", facts))
    except DataFormatError as error:
        raise DataFormatError(f"{path}: {error}") from None
