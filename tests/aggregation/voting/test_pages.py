"""Every rule of the textbooks has its section, with its steps and ballots that break an axiom."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "textbook_rules.rst"
RULES = re.findall(r"\.\. worked-rule:: (\w+)\(", PAGE.read_text(encoding="utf-8"))


def test_there_are_thirteen() -> None:
    assert len(RULES) == 13


def test_a_rule_has_its_own_section() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for rule in RULES:
        own = page.partition(f".. worked-rule:: {rule}(")[2].partition(".. worked-rule:: ")[0]
        assert re.search(rf"\.check\((ra\.{rule}\(|rule, )", own)
        assert ".check(rule, " not in own or f"rule = ra.{rule}(" in own
