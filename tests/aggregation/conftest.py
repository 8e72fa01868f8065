"""One rule of each kind is drawn for with the fast tests."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave the draws for a rule with other parameters to the slow tests."""
    for item in items:
        rules = getattr(getattr(item, "cls", None), "rules", ())
        first = {type(rule): rule for rule in reversed(rules)}.values()
        is_drawn = hasattr(getattr(item, "obj", None), "hypothesis")
        if rules and is_drawn and not any(item.callspec.params["rule"] is one for one in first):
            item.add_marker(pytest.mark.slow)
