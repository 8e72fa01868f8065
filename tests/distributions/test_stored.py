"""Distributions as plain data."""

import copy
import json

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError

LAWS = [
    ra.Uniform(["b", "a", "c"]),
    ra.Mallows("CAB", 0.1 + 0.2),
    ra.Mallows(ra.Permutation.from_order([2, 0, 1], items=[1, 0, 2]), 3.0),
    ra.GeneralizedMallows("CAB", [0.7, 0.0]),
    ra.PlackettLuce([1 / 3, 0.1, -2.0], items="XYZ"),
    ra.PlackettLuce([1 / 3, 0.1, -2.0], log_ties={3: 0.1, 2: -1.0}),
    ra.BradleyTerry({"A": 1.0, "B": 0.5}),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_law_survives_the_way_through_json(law):
    facts = json.loads(json.dumps(law.to_dict(), allow_nan=False))
    back = ra.distribution_from_dict(facts)
    assert type(back) is type(law)
    assert back.items == law.items
    assert back.sample(50, rng=0) == law.sample(50, rng=0)
    if isinstance(law, ra.PlackettLuce):
        np.testing.assert_allclose(back.log_worths, law.log_worths, rtol=1e-15, atol=1e-15)
    else:
        assert back == law


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"schema": "rankagg.fit", "version": 1, "model": "Mallows"},
        {"schema": "rankagg.distribution", "version": 2, "model": "Mallows"},
        {"schema": "rankagg.distribution", "version": 1, "model": "Gauss"},
    ],
)
def test_other_data_are_refused(facts):
    with pytest.raises(DataFormatError, match="no distribution of schema"):
        ra.distribution_from_dict(facts)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_what_is_missing_is_named(law):
    facts = law.to_dict()
    for name in set(facts) - {"schema", "version", "model"}:
        less = {key: value for key, value in facts.items() if key != name}
        with pytest.raises(DataFormatError, match=f"`{name}` is missing"):
            ra.distribution_from_dict(less)


# -- strict reading -------------------------------------------------------------------------------

HOSTILE = [
    float("nan"), float("inf"), -float("inf"), True, False, None, "", "A", "1", "2", [], [1], {},
    {"2": 1.0}, 0, -1, 1, 2, 10**5, 10**400, -(10**400), 1.5, -0.0, 5e-324, 1.7e308, [[]],
    ["A", "A"], "\ud800", [0, 1, 2], [0.0, 0.0], {"2": "x"}, {"02": 1.0}, {"\u0663": 1.0},
    {"-2": 0.0}, {2: 0.0}, b"A", object(),
]  # fmt: skip


def spots(value, path=()):
    """Go through all places in plain data, the whole first."""
    yield path
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from spots(value[key], (*path, key))


def mutant(facts, rng):
    """Return plain data in which one or two places were replaced, dropped, doubled or added."""
    for _ in range(int(rng.integers(1, 3))):
        facts = changed(facts, rng)
    return facts


def changed(facts, rng):
    facts = copy.deepcopy(facts)
    places = list(spots(facts))
    *above, last = places[rng.integers(len(places))] or [None]
    hostile = HOSTILE[rng.integers(len(HOSTILE))]
    if last is None:
        return hostile
    owner = facts
    for key in above:
        owner = owner[key]
    kind = rng.integers(4)
    if kind == 0:
        owner[last] = hostile
    elif kind == 1:
        del owner[last]
    elif isinstance(owner, list):
        owner.insert(int(rng.integers(len(owner) + 1)), owner[last] if kind == 2 else hostile)
    elif kind == 2:
        others = list(owner)
        owner[last] = copy.deepcopy(owner[others[rng.integers(len(others))]])
    else:
        owner[str(rng.integers(5))] = hostile
    return facts


def check_mutants(number):
    """Read so many mutants; return how many were read and how many refused."""
    rng = np.random.default_rng(0)
    read = 0
    for k in range(number):
        facts = mutant(LAWS[k % len(LAWS)].to_dict(), rng)
        try:
            law = ra.distribution_from_dict(facts)
        except DataFormatError:
            continue
        read += 1
        # What was read is a distribution, and the one that is stored.
        back = law.to_dict()
        assert set(back) == set(facts)
        for name in set(facts) - {"log_worths", "log_ties"}:
            assert back[name] == facts[name]
            assert name in {"theta", "thetas"} or type(back[name]) is type(facts[name])
        if "log_worths" in facts:
            shift = np.array(facts["log_worths"]) - law.log_worths
            assert np.ptp(shift) <= 1e-12 * max(1.0, np.abs(facts["log_worths"]).max())
        assert law.sample(1, rng=0).items == law.items
    return read


def test_mutants_are_read_or_refused_in_one_sentence():
    read = check_mutants(600)
    assert 5 < read < 200


@pytest.mark.slow
def test_20_000_mutants_are_read_or_refused_in_one_sentence():
    assert 200 < check_mutants(20_000) < 6_000


@pytest.mark.parametrize(
    ("law", "name", "value", "words"),
    [
        (1, "theta", float("nan"), r"`theta` must be a finite number of at least 0\. Got nan"),
        (1, "theta", float("inf"), "`theta` must be a finite number"),
        (1, "theta", True, "`theta` must be a finite number of at least 0. Got True"),
        (1, "theta", -0.5, "`theta` must be a finite number of at least 0"),
        (1, "theta", 10**400, r"`theta`.* Got an integer of|`theta` must be a finite number"),
        (1, "center", ["C", "A"], "`center` must be a list of all items, each once"),
        (1, "center", ["C", "A", "A"], "`center` must be a list of all items, each once"),
        (1, "center", "CAB", "`center` must be a list"),
        (2, "center", [2, False, 1], "`center` must be a list of all items"),
        (1, "items", ["A", "B", 3], "all strings or all integers"),
        (1, "items", ["A", "A", "B"], "distinct labels"),
        (1, "items", ["A", ["B"], "C"], r"`items\[1\]` must be a text or an integer"),
        (0, "items", [], "at least one label"),
        (3, "thetas", [0.7], "`thetas` must be a list of 2 numbers"),
        (3, "thetas", [0.7, None], r"`thetas\[1\]` must be a finite number of at least 0"),
        (4, "log_worths", [0.0, 1.0], "`log_worths` must be a list of 3 numbers"),
        (4, "log_worths", [0.0, 1.0, "2"], r"`log_worths\[2\]` must be a finite number"),
        (4, "log_ties", [], "`log_ties` must be an object"),
        (4, "log_ties", {"4": 0.0}, "`log_ties` must be an object whose keys"),
        (4, "log_ties", {"1": 0.0}, "`log_ties` must be an object whose keys"),
        (4, "log_ties", {"2": None}, r"`log_ties\[2\]` must be a finite number"),
        (4, "more", 1, "'more' is no key; the keys are"),
        (4, "version", True, "This is no distribution of schema"),
        (4, "model", ["Mallows"], "This is no distribution of schema"),
    ],
)
def test_a_wrong_field_is_named(law, name, value, words):
    facts = LAWS[law].to_dict()
    with pytest.raises(DataFormatError, match=words):
        ra.distribution_from_dict({**facts, name: value})


@pytest.mark.parametrize("facts", [None, [], "Mallows", 3])
def test_what_is_no_object_is_refused(facts):
    with pytest.raises(DataFormatError, match="A stored distribution is an object"):
        ra.distribution_from_dict(facts)


def test_whole_numbers_are_numbers():
    facts = ra.Mallows("AB", 3.0).to_dict()
    assert ra.distribution_from_dict({**facts, "theta": 3}).theta == 3.0
    worths = ra.PlackettLuce([1.0, -1.0]).to_dict()
    found = ra.distribution_from_dict({**worths, "log_worths": [1, -1]})
    assert found == ra.PlackettLuce([1.0, -1.0])
