"""Every rule of the textbooks has its section, with its steps and ballots that break an axiom."""

import re
from pathlib import Path

import pytest

import rankagg as ra

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "textbook_rules.rst"
RULES = [
    name
    for name in ra.__all__
    if isinstance(rule := getattr(ra, name), type)
    and issubclass(rule, ra.Aggregator)
    and (rule.__module__.startswith("rankagg.aggregation.voting.") or rule is ra.Slater)
]


def test_there_are_thirteen() -> None:
    assert len(RULES) == 13


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_its_own_section(rule: str) -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f".. autoclass:: {rule}\n")
    own = rest.partition(".. autoclass:: ")[0]
    assert f".. worked-rule:: {rule}(" in own
    assert re.search(rf"\.check\((ra\.{rule}\(|rule, )", own)
    assert ".check(rule, " not in own or f"rule = ra.{rule}(" in own
