"""One name for one thing: parameters of all public callables, and words that people search for."""

import csv
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import rankagg as ra
from rankagg.core.results import Result

PAGES = Path(__file__).resolve().parents[1] / "docs" / "explanation"

# Other names for what has one, and the one; where a parameter is something else, it is stated.
SYNONYMS = {
    "alpha": {
        "delta", "level", "confidence", "confidence_level", "significance", "error", "coverage",
    },
    "rng": {"seed", "random_state", "random_seed", "generator", "random"},
    "center": {"centre", "central", "modal", "mode", "consensus_ranking", "sigma0"},
    "theta": {"beta", "concentration", "dispersion", "lam"},
    "items": {"candidates", "alternatives", "objects", "elements", "players", "options"},
    "unranked": {"policy", "missing_policy", "incomplete", "na", "nan_policy"},
    # `tolerance` is of scores; where a fit has converged is `tol`.
    "tolerance": {"atol", "rtol", "eps"},
    "time_limit": {"timeout", "max_time", "limit_seconds", "max_seconds"},
    "rules": {"aggregators", "aggregator"},
    "distribution": {"law", "laws"},
    "rank": {"place", "places"},
    "cycle": {"circle", "circles"},
    "n_units": {"n", "m", "repetitions", "b"},
    "n_resamples": {"n_boot", "n_bootstrap", "resamples"},
    "n_samples": {"n_draws", "samples"},
    "n_jobs": {"jobs", "workers", "threads", "processes"},
    "n_items": {"n_candidates", "n_alternatives", "n_objects"},
    "n_rankings": {"n_voters", "n_ballots", "n_votes"},
    "higher_is_better": {"ascending", "descending", "direction", "maximize", "minimize"},
}  # fmt: skip
# The number of values is n in the formula.
EXPLAINED = {("hoeffding_radius", "n")}

# Whole numbers that count nothing, or are a bound of what is shown.
NO_COUNTS = {
    "at_least", "batch", "bound", "degree", "denominator", "depth", "digits", "k", "length",
    "limit", "lower", "max_bytes", "max_samples", "rows", "seats",
    "seed", "shares", "sides", "size", "timestamp", "top", "within",
}  # fmt: skip

TERMS = (
    "Condorcet winner", "Condorcet loser", "Condorcet cycle", "majority cycle", "majority graph",
    "tournament graph", "majority relation", "margin", "Kemeny distance", "Kemeny score",
    "Kemeny consensus", "median ranking", "Borda count", "Copeland score", "rank", "mid-rank",
    "competition rank", "partial ranking", "top-k list", "linear order", "weak order",
    "permutation", "dispersion parameter", "theta", "phi", "center", "modal ranking",
    "Mallows model", "Plackett-Luce model", "Bradley-Terry model", "worth", "strength",
    "family-wise error rate", "simultaneous confidence interval", "marginal confidence interval",
    "sign-flip test", "randomization test", "estimand", "policy for unranked items",
    "linear ordering problem", "feedback arc set", "certificate", "DataFrame",
    "sensitivity analysis", "robustness", "influence", "leave-one-out", "Smith set",
    "rank aggregation", "confidence interval", "bootstrap", "alpha",
)  # fmt: skip


def _callables():
    """Yield the public callables as (name, function), each function once."""
    seen = set()
    for name, value in _public(ra, ""):
        members = [(name, value)]
        if inspect.isclass(value):
            # What makes a result is a function; its constructor takes what was found.
            members = [] if issubclass(value, Result) else [(name, value)]
            members += [
                (f"{name}.{attribute}", member)
                for attribute, member in inspect.getmembers(value, inspect.isroutine)
                if callable(member) and not attribute.startswith("_")
            ]
        for label, member in members:
            key = getattr(member, "__func__", member)
            if key not in seen:
                seen.add(key)
                yield label, member


def _public(module, prefix):
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name)
        if name.startswith("_") or name == "exceptions":
            continue
        if isinstance(value, ModuleType):
            if value.__name__.startswith("rankagg."):
                yield from _public(value, f"{prefix}{name}.")
        elif callable(value):
            yield prefix + name, value


def _parameters(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of a built-in type
        return []
    return [parameter for parameter in parameters if parameter.name not in ("self", "cls")]


PARAMETERS = [
    (name, parameter)
    for name, function in _callables()
    for parameter in _parameters(function)
    if parameter.kind not in (2, 4)
]


def table():
    """Return the names and meanings that the page of conventions states."""
    with (PAGES / "parameters.csv").open(encoding="utf-8", newline="") as file:
        return {row["parameter"].strip("`"): row["meaning"] for row in csv.DictReader(file)}


def _undocumented(name, function) -> list[str]:
    """Return the parameters that have no line in the docstring."""
    if not (function.__module__ or "").startswith("rankagg."):
        return []
    owner, _, method = name.rpartition(".")
    base = getattr(getattr(ra, owner, None), "__mro__", ())
    # What overrides a method of a documented class has its parameters.
    texts = [inspect.getdoc(vars(one)[method]) for one in base if method in vars(one)]
    text = "\n".join(filter(None, [inspect.getdoc(function), *texts]))
    # Classes without that section are not made by their users.
    if inspect.isclass(function) and "\nParameters\n" not in text:
        return []
    names = [parameter.name.lstrip("_") for parameter in _parameters(function)]
    lines = re.findall(r"^ *((?:\*{0,2}\w+, )*\*{0,2}\w+)(?: : .*)?$", text, re.M)
    listed = {one.lstrip("*") for line in lines for one in line.split(", ")}
    return [f"{name}: {one}" for one in names if one not in listed]


def test_every_parameter_has_a_line_in_the_docstring() -> None:
    found = list(_callables())
    assert [one for name, function in found for one in _undocumented(name, function)] == []

    def missed(n_items, rng):
        """Draw.

        Parameters
        ----------
        rng : Generator
            Draws.
        """

    missed.__module__ = "rankagg.example"
    assert _undocumented("missed", missed) == ["missed: n_items"]


def test_all_public_parameters_are_found() -> None:
    names = {name for name, _ in PARAMETERS}
    assert {"compare", "Kemeny", "Mallows.fit", "plotting.bump_chart", "datasets.load"} <= names
    assert not names & {"Consensus", "Stability"}
    assert len(PARAMETERS) > 500


def test_parameters_have_no_synonyms() -> None:
    others = set().union(*SYNONYMS.values())
    found = {(where, one.name) for where, one in PARAMETERS if one.name.lower() in others}
    assert found <= EXPLAINED


def test_counts_begin_with_n() -> None:
    whole = {
        (where, parameter.name)
        for where, parameter in PARAMETERS
        if parameter.annotation in ("int", "int | None", int)
        and not parameter.name.startswith("n_")
        and parameter.name not in NO_COUNTS
    }
    assert not whole


def test_random_functions_take_a_generator_or_a_seed() -> None:
    drawing = [parameter for _, parameter in PARAMETERS if parameter.name == "rng"]
    assert len(drawing) >= 15
    assert {parameter.annotation for parameter in drawing} == {"RNGLike"}
    assert {parameter.default for parameter in drawing} <= {None, 0}


def test_names_of_several_callables_are_in_the_table() -> None:
    where = defaultdict(set)
    for name, parameter in PARAMETERS:
        # The seed of a study is documented with `rng`.
        if (name, parameter.name) not in EXPLAINED:
            where[parameter.name].add(name)
    common = {name for name, places in where.items() if len(places) >= 3}
    stated = table()
    assert not common - stated.keys(), "not in parameters.csv"
    assert not stated.keys() - where.keys(), "in the table, and no parameter"
    assert not [name for name in stated if any(name in names for names in SYNONYMS.values())]


def test_docstrings_with_theta_or_phi_state_their_relation() -> None:
    silent = []
    for name, value in _public(ra, ""):
        text = inspect.getdoc(value) or ""
        stated = re.search(r"^(thetas?|phi) : ", text, flags=re.MULTILINE)
        if stated and not re.search(r"phi = exp\(-theta\)", text):
            silent.append(name)
    assert not silent


# -- the glossary ---------------------------------------------------------------------------------


def glossary():
    """Return the terms of the glossary and its text."""
    text = (PAGES / "glossary.rst").read_text(encoding="utf-8")
    body = text.partition(":sorted:\n")[2]
    return re.findall(r"^   (\S.*)$", body, flags=re.MULTILINE), body


def test_usual_names_are_in_the_glossary_and_it_refers_to_its_own_terms() -> None:
    terms, body = glossary()
    assert set(TERMS) <= set(terms)
    assert len(terms) == len(set(terms))
    referred = re.findall(r":term:`(?:[^`<]*<)?([^`<>]+)>?`", body.replace("\n      ", " "))
    assert referred
    assert not set(referred) - set(terms)


def test_the_glossary_refers_to_existing_names() -> None:
    _, body = glossary()
    names = re.findall(r":(?:class|func|meth):`(?:~rankagg\.)?([\w.]+)`", body)
    assert names
    for name in names:
        assert pkgutil.resolve_name(f"rankagg:{name}")
    attributes = re.findall(r"``([A-Z]\w+)\.(\w+)", body)
    assert attributes
    rooms = (ra, ra.analysis, ra.axioms, ra.distributions, ra.inference, ra.io, ra.studies)
    classes = {
        owner: next(getattr(room, owner) for room in rooms if owner in room.__all__)
        for owner, _ in attributes
    }
    missing = [
        f"{owner}.{name}"
        for owner, name in attributes
        if not hasattr(classes[owner], name)
        and name not in getattr(classes[owner], "__annotations__", {})
    ]
    assert not missing


def test_the_glossary_has_every_rule_and_every_axiom() -> None:
    _, body = glossary()
    public = [value for name in ra.__all__ if inspect.isclass(value := getattr(ra, name))]
    rules = [value.__name__ for value in public if issubclass(value, ra.Aggregator)]
    axioms = [f"ra.axioms.{type(axiom).__name__}" for axiom in ra.axioms.AXIOMS]
    unnamed = {"Aggregator"}
    assert len(rules) > 30
    assert len(axioms) >= 15
    assert not [name for name in {*rules, *axioms} - unnamed if not re.search(rf"{name}\b", body)]


def test_pages_refer_to_existing_names() -> None:
    missing, seen = [], 0
    for path in sorted(PAGES.parent.rglob("*.rst")):
        module = "rankagg"
        for line in path.read_text(encoding="utf-8").splitlines():
            if stated := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = stated[1]
            for name in re.findall(r":(?:class|func|meth):`(?:[^`<]*<)?[~!]?([\w.]+)>?`", line):
                seen += 1
                if not (_resolves(f"{module}.{name}") or _resolves(name)):
                    missing.append(f"{path.name}: {name}")
    assert seen > 150
    assert not missing


def _resolves(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError, ValueError):
        return False
    return True


# -- prose ----------------------------------------------------------------------------------------

# What the field calls otherwise: distribution, center, Condorcet cycle, robustness or sensitivity,
# family-wise error rate; and American spelling.
OTHERWISE = re.compile(
    r"\blaws?\b|\bcentres?\b|\bcentred\b|\bgo(?:es|ing)? round\b|\bhangs? on\b|chance that any"
    r"|\bcircles? of majorit|neighbour|colour|\bgrey\b|[a-z]isation\b|normalised|randomised",
    re.IGNORECASE,
)
TITLES = ("across neighbourhoods",)  # of papers that are cited


def test_prose_uses_the_words_of_the_field() -> None:
    root = PAGES.parents[1]
    texts = [root / "README.md", root / "CONTRIBUTING.md", *root.glob("examples/**/*.py")]
    texts += [path for path in root.glob("docs/**/*.rst") if path.name != "changelog.rst"]
    texts += list(root.glob("rankagg/**/*.py"))
    assert len(texts) > 250
    found = []
    for path in texts:
        text = path.read_text(encoding="utf-8")
        for title in TITLES:
            text = text.replace(title, "")
        found += [f"{path.name}: {match.group()}" for match in OTHERWISE.finditer(text)]
    assert not found
