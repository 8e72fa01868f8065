"""Every rule of the textbooks has a page of its own, which the list of pages names."""

from pathlib import Path

import pytest

import rankagg as ra

PAGES = Path(__file__).resolve().parents[3] / "docs" / "reference"
RULES = [
    rule
    for name in ra.__all__
    if isinstance(rule := getattr(ra, name), type)
    and (rule.__module__.startswith("rankagg.aggregation.voting.") or rule is ra.Slater)
]


def test_there_are_thirteen() -> None:
    assert len(RULES) == 13


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_has_its_own_page(rule: type) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in PAGES.rglob("*.rst")}
    own = [path for path, text in pages.items() if f".. autoclass:: {rule.__name__}\n" in text]
    assert [path.parent.name for path in own] == ["rules"]
    assert f"   rules/{own[0].stem}\n" in pages[PAGES / "rules.rst"]
    assert f"ra.show_steps(ra.{rule.__name__}(" in pages[own[0]]
    assert f"().check(ra.{rule.__name__}(" in pages[own[0]] or ".check(rule, " in pages[own[0]]
