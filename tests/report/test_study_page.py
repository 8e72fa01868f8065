"""The page of a study: it has the text of the result, for any study, and makes no requests."""

import re
from html import unescape

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import visible
from rankagg.report.sections import UNKNOWN
from tests.report.test_page import Page
from tests.test_results import (
    EVIL,
    confidence,
    corruption,
    missing_scores,
    result_of,
    scores,
    study,
)

STUDIES = {
    "agreement": lambda: ra.studies.AgreementStudy(data=scores(), rng=0).run(),
    "approximation": study,
    "confidence": confidence,
    "corruption": corruption,
    "cycles": lambda: result_of("StudyResult"),
    "missing scores": missing_scores,
    "task subsets": lambda: ra.studies.TaskSubsetStudy(data=scores(), n_repetitions=2, rng=0).run(),
}


# Of studies whose tables are alike one is quick: agreement, data sets drawn, and votes drawn.
QUICK = ("agreement", "approximation", "cycles")


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in STUDIES],
)
def test_the_page_has_the_text_of_the_result_without_browser_errors(name, tmp_path, visit_page):
    result = STUDIES[name]()
    page = result.to_html(title=f"A & {EVIL}", source=[f"read: {EVIL}.csv"])
    assert EVIL not in page
    content = unescape(re.sub(r"<[^>]*>", "", page))
    assert f"A & {EVIL}" in content
    assert f"read: {EVIL}.csv" in content
    for line in (*result._facts(), *result._below(None)):
        assert visible(line) in content
    head, *rows = Page(page).cells("Results in numbers")
    table = result._table()
    assert [text for text, _ in head] == [*map(str, table)]
    assert len(rows) == len(table) > 1
    for cells, row in zip(rows, table.itertuples(index=False), strict=True):
        for (text, key), value in zip(cells, row, strict=True):
            if isinstance(value, str):
                assert (text, key) == (value, None)
            elif pd.isna(value):
                assert (text, key) == (UNKNOWN, "Infinity")
            else:
                assert float(key) == value
                assert float(text.replace(",", "")) == pytest.approx(value, abs=0.00051)
    if name == "cycles":
        assert "share with a Condorcet winner" in result.to_html(y="winner")
        assert "share with a Condorcet winner" not in page
        with pytest.raises(ValueError, match="`y` must"):
            result.to_html(y="power")
        assert page == result.to_html(title=f"A & {EVIL}", source=[f"read: {EVIL}.csv"])
    assert f"Seed{result.study.rng}" in re.sub(r"\s", "", content)
    for rule in getattr(result.study, "rules", ()) or getattr(result.study, "methods", ()):
        assert visible(rule.name) in content
    assert f"rankagg{ra.__version__}" in re.sub(r"\s", "", content)
    assert page.count("<svg") == 1
    # The page makes no requests; the references are text.
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page)
    if name not in ("agreement", "confidence", "cycles"):
        return
    path = tmp_path / "p.html"
    path.write_text(page, encoding="utf-8")
    visit = visit_page(path, width=360)
    visit.unfold()
    assert [url for url in visit.requests if not url.startswith("data:")] == [path.as_uri()]
    assert visit.messages == []
    assert visit.is_as_wide_as_it_may_be()
