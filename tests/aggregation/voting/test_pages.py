"""Every rule of the textbooks has its section, with its steps and ballots that break an axiom."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "textbook_rules.rst"
WITNESSES = (PAGE.parents[1] / "explanation" / "axioms.txt").read_text(encoding="utf-8")
RULES = re.findall(r"\.\. worked-rule:: (\w+)\(", PAGE.read_text(encoding="utf-8"))


def test_the_page_has_thirteen_rules() -> None:
    assert len(RULES) == 13


def test_a_rule_has_its_own_section() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sections = re.split(r"\n(?=[^\n]+\n[-~]{3,}\n)", page)
    for rule in RULES:
        (own,) = (text for text in sections if f".. worked-rule:: {rule}(" in text)
        assert f":class:`{rule}`" in own
        # On this page, or among the witnesses of the page on axioms.
        on_axioms = re.search(rf"^\d+\. {rule}, [\w ()]+: \d+ x ", WITNESSES, re.MULTILINE)
        assert on_axioms or re.search(rf"\.check\((ra\.{rule}\(|rule, )", own), rule
