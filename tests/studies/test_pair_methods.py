"""Methods to decide pairs: their names, and consistent options."""

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "hoeffding"),
        ({"anytime": True, "simultaneous": "bonferroni"}, "hoeffding, anytime, bonferroni"),
        ({"holm": True, "unit": "task"}, "hoeffding, holm, by task"),
        ({"holm": True, "method": "wilson"}, "sign-test, holm"),
        ({"method": "percentile", "simultaneous": "max-t"}, "percentile, max-t"),
    ],
)
def test_methods_are_named_by_their_options(options, name):
    assert ra.studies.IntervalMethod(**options).name == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "gauss"}, "`method`"),
        ({"anytime": True, "method": "wilson"}, "`anytime`"),
        ({"method": "wilson", "unit": "instance"}, "method of IntervalMethod"),
        ({"holm": True, "anytime": True}, "holm of IntervalMethod"),
    ],
)
def test_inconsistent_options_are_refused(options, message):
    with pytest.raises(InvalidInputError, match=message):
        ra.studies.IntervalMethod(**options)
