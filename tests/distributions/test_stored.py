"""Distributions as plain data."""

import json

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError

LAWS = [
    ra.distributions.Uniform(["b", "a", "c"]),
    ra.Mallows("CAB", 0.1 + 0.2),
    ra.Mallows(ra.Permutation.from_order([2, 0, 1], items=[1, 0, 2]), 3.0),
    ra.PlackettLuce([1 / 3, 0.1, -2.0], items="XYZ"),
    ra.PlackettLuce([1 / 3, 0.1, -2.0], log_ties={3: 0.1, 2: -1.0}),
    ra.BradleyTerry({"A": 1.0, "B": 0.5}),
    ra.Mallows("CAB", 0.5, "footrule"),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_distribution_is_read_back_from_json(law):
    back = ra.distributions.distribution_from_dict(
        json.loads(json.dumps(law.to_dict(), allow_nan=False))
    )
    assert type(back) is type(law)
    assert back.items == law.items
    assert back.sample(50, rng=0) == law.sample(50, rng=0)
    if isinstance(law, ra.PlackettLuce):
        np.testing.assert_allclose(back.log_worths, law.log_worths, rtol=1e-15, atol=1e-15)
    else:
        assert back == law
    whole = {**ra.Mallows("AB", 3.0).to_dict(), "theta": 3}  # whole numbers are numbers
    assert ra.distributions.distribution_from_dict(whole) == ra.Mallows("AB", 3.0)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_missing_fields_are_named(law):
    facts = law.to_dict()
    for name in set(facts) - {"schema", "version", "model", "distance"}:
        less = {key: value for key, value in facts.items() if key != name}
        with pytest.raises(DataFormatError, match=f"`{name}` is missing"):
            ra.distributions.distribution_from_dict(less)


# -- strict reading -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "name", "value", "words"),
    [
        (1, "theta", float("nan"), r"`theta` must be a finite number\. Got nan"),
        (1, "theta", True, "`theta` must be a finite number. Got True"),
        (1, "theta", -0.5, "`theta` must be a number in"),
        (1, "theta", 10**400, "`theta` must be a finite number"),
        (1, "center", ["C", "A", "A"], "`center` must be a list of all items, each once"),
        (2, "center", [2, False, 1], "`center` must be a list of all items"),
        (1, "items", ["A", "B", 3], "all strings or all integers"),
        (1, "items", ["A", ["B"], "C"], "`items` must be strings or integers"),
        (6, "distance", "euclid", "`distance` must be"),
        (3, "log_worths", [0.0, 1.0], "`log_worths` must be one number"),
        (3, "log_worths", [0.0, 1.0, "2"], r"`log_worths\[2\]` must be a finite number"),
        (3, "log_ties", [], "`log_ties` must be an object"),
        (3, "log_ties", {"1": 0.0}, "`log_ties` must be an integer of at least 2"),
        (3, "log_ties", {"02": 0.0}, "`log_ties` must be an object whose keys"),
        (3, "log_ties", {"2": None}, r"`log_ties\[2\]` must be a finite number"),
        (4, "more", 1, "'more' is no key; the keys are"),
        (1, "schema", "rankagg.fit", "This is no distribution of schema"),
        (1, "version", 2, "This is no distribution of schema"),
        (1, "model", "Gauss", "This is no distribution of schema"),
        (4, "version", True, "This is no distribution of schema"),
        (4, "model", ["Mallows"], "This is no distribution of schema"),
    ],
)
def test_a_wrong_field_is_named(law, name, value, words):
    with pytest.raises(DataFormatError, match=words):
        ra.distributions.distribution_from_dict({**LAWS[law].to_dict(), name: value})


def test_other_data_are_refused():
    for facts in (None, [], "Mallows", 3):
        with pytest.raises(DataFormatError, match="A stored distribution is an object"):
            ra.distributions.distribution_from_dict(facts)
    with pytest.raises(DataFormatError, match="no distribution of schema"):
        ra.distributions.distribution_from_dict({})
