"""Distributions as plain data."""

import json

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError

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
    facts = json.loads(json.dumps(ra.distribution_to_dict(law), allow_nan=False))
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
    facts = ra.distribution_to_dict(law)
    for name in set(facts) - {"schema", "version", "model"}:
        less = {key: value for key, value in facts.items() if key != name}
        if isinstance(law, ra.Uniform) or name != "items" or "center" in facts:
            with pytest.raises(DataFormatError, match=f"needs '{name}'"):
                ra.distribution_from_dict(less)


def test_a_law_of_another_kind_is_refused():
    with pytest.raises(InvalidInputError, match="`law` must be one of"):
        ra.distribution_to_dict(3)
