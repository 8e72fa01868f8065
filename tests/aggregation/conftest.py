"""The contract of rules is tried with few of them in the fast tests."""

import pytest

import rankagg as ra

DRAWN = {
    ra.Mean(), ra.Borda(), ra.Copeland(), ra.TwoLevel(ra.Borda(), ra.Borda()),
    ra.Kemeny(), ra.Coombs(), ra.Plurality(), ra.PickAPerm(),
}  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave a rule with other parameters to the slow tests, and most draws.

    Rules are drawn for in files of their own, each against an obvious version of itself; here one
    of each way of working is. That the order of tasks changes nothing, `test_base.py` draws.
    """
    for item in items:
        rules = getattr(getattr(item, "cls", None), "rules", ())
        if not rules:
            continue
        rule = item.callspec.params["rule"]
        first = {type(one): one for one in reversed(rules)}[type(rule)]
        is_drawn = hasattr(item.obj, "hypothesis")
        is_few = rule in DRAWN and item.originalname != "test_anonymity"
        if rule is not first or (is_drawn and not is_few):
            item.add_marker(pytest.mark.slow)
