"""A keyword that is misspelt, or has the name of other programs, ends in a sentence."""

import copy
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.exceptions import RankaggError, UnknownKeywordError

STUBS = sorted(Path(ra.__file__).parent.glob("*/__init__.pyi"))
PACKAGES = ["rankagg", *(f"rankagg.{stub.parent.name}" for stub in STUBS)]


def is_plain(member):
    return inspect.isfunction(member) or inspect.ismethod(member)


def public_calls():
    """Yield what a user can call: functions, and constructors and methods of classes."""
    for package in (*PACKAGES, "rankagg.cultures"):
        room = sys.modules.get(package) or getattr(ra, package.partition(".")[2])
        for name in room.__all__:
            value = getattr(room, name)
            if inspect.isfunction(value):
                yield f"{package}.{name}", value
            elif inspect.isclass(value) and not issubclass(value, BaseException):
                for method, member in inspect.getmembers(value, is_plain):
                    place = getattr(member, "__func__", member)
                    own = place.__module__.startswith("rankagg.")
                    if own and (method == "__init__" or not method.startswith("_")):
                        yield f"{place.__module__}.{place.__qualname__}", member


CALLS = dict(public_calls())


def keywords(call):
    taken = inspect.signature(call).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in taken):
        return []
    named = [one.name for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    return [name for name in named if name != "self" and not name.startswith("_")]


def test_hundreds_of_calls_are_public():
    assert len(CALLS) > 500
    names = {name.rpartition("rankagg.")[2].rpartition(".") for name in CALLS}
    assert {"compare", "__init__", "aggregate", "fit", "summary"} <= {name for *_, name in names}


@pytest.mark.parametrize("place", CALLS)
def test_a_misspelt_keyword_is_answered_everywhere(place):
    call = CALLS[place]
    # `self` may be missing: a keyword that is not taken fails whatever else is given.
    for name in keywords(call):
        with pytest.raises(UnknownKeywordError) as told:
            call(**{f"{name}_": None})
        assert str(told.value).count(" takes no ") == 1
        assert f"Did you mean '{name}'?" in str(told.value)


TENNESSEE = ra.datasets.load("tennessee")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ra.Kemeny(time_limt=3), "Kemeny takes no `time_limt`. Did you mean 'time_limit'?"),
        (lambda: ra.Borda(policy="last"), "Give `unranked`, the policy for unranked items"),
        (lambda: ra.KwikSort(random_state=0), "Give `rng` to `aggregate`, a seed"),
        (lambda: ra.KwikSort(seed=0), "Give `rng` to `aggregate`, a seed"),
        (lambda: ra.Borda().aggregate(TENNESSEE, seed=0), "Give `rng`"),
        (lambda: ra.rank_intervals(TENNESSEE, level=0.9), "`alpha`.* which is 1 - confidence"),
        (lambda: ra.rank_intervals(TENNESSEE, confidence=0.9), "`alpha`.* which is 1 - confidence"),
        (lambda: ra.studies.CycleStudy(models=[], random_state=1), "Give `seed`"),
        (lambda: ra.read_scores("x.csv", higher=True), "Did you mean 'higher_is_better'?"),
        (lambda: ra.datasets.names(of="scores"), "It takes no keywords"),
    ],
)
def test_names_of_other_programs_are_known(call, told):
    with pytest.raises(TypeError, match=told) as found:
        call()
    assert isinstance(found.value, RankaggError)
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)


def test_other_errors_of_a_call_are_what_they_were():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'theta'"):
        ra.Mallows("AB")
    with pytest.raises(ra.exceptions.InformationLostError):
        ra.Mean().aggregate(TENNESSEE.pairwise())


def test_what_answers_is_pickled_copied_and_described_as_before():
    assert pickle.loads(pickle.dumps(ra.compare)) is ra.compare
    assert pickle.loads(pickle.dumps(ra.Kemeny)) is ra.Kemeny
    assert copy.deepcopy(ra.Borda()) == pickle.loads(pickle.dumps(ra.Borda()))
    assert list(inspect.signature(ra.Mallows).parameters) == ["center", "theta", "distance"]
    assert next(iter(inspect.signature(ra.compare).parameters)) == "data"
    assert inspect.getsource(ra.compare).startswith("def compare(")
    assert ra.Aggregator.__abstractmethods__ == {"_aggregate", "needs"}


# Each in a program of its own: what it returns was never looked up by name.
FRESH = """
import rankagg as ra
ballots = ra.Profile.from_orders(["ABC", "ACB", "BAC", "CAB"])
weak = ra.Kemeny(consensus_ties=True, tie_cost=0.5)
for call in (
    lambda: ra.PlackettLuce.fit(ballots).summary(row=1),
    lambda: ra.Mallows.fit(ballots).summary(row=1),
    lambda: weak.aggregate(ballots).optima.nearest(rankng=1),
    lambda: ra.compare(ballots).summary(row=1),
    lambda: ra.cultures.UrnCulture(contagio=1),
):
    try:
        call()
    except ra.exceptions.UnknownKeywordError as error:
        print(error)
"""


def test_what_a_function_returns_answers_too():
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert [line.split(" takes no ")[1] for line in done.stdout.splitlines()] == [
        "`row`. Did you mean 'rows'?",
        "`row`. Did you mean 'rows'?",
        "`rankng`. Did you mean 'ranking'?",
        "`row`. Did you mean 'rows'?",
        "`contagio`. Did you mean 'contagion'?",
    ]
