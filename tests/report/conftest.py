"""Pages of bundled data, made once, and their pictures drawn without a screen."""

from functools import cache

import matplotlib as mpl
import pytest

import rankagg as ra
from rankagg.report import findings
from tests.report.browser import Visit
from tests.report.checking import checker_page

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _few_removals(monkeypatch):
    """Let pages not look for the fewest removals, which takes most of their time."""
    monkeypatch.setattr(findings, "SECONDS_FOR_REMOVALS", 0.0)


@pytest.fixture(scope="session")
def reports():
    """Return a function from the name of a bundled data set to its report."""
    return cache(lambda name: ra.make_report(ra.datasets.load(name), title=name))


@pytest.fixture(scope="session")
def pages(reports, tmp_path_factory):
    """Return a function from the name of a bundled data set to the path of its page."""
    folder = tmp_path_factory.mktemp("pages")

    def page_of(name):
        reports(name).save(folder / f"{name}.html")
        return folder / f"{name}.html"

    return page_of


@pytest.fixture(scope="session")
def visit_page(browser):
    """Return a function that opens a page from a path."""
    window = cache(lambda scripts: Visit(browser, scripts=scripts))
    return lambda path, *, scripts=True, **look: window(scripts).open(path, **look)


@pytest.fixture(scope="session")
def blank(browser, tmp_path_factory):
    """Return pages with the checker alone: as it is, and with BigInts throughout."""
    folder = tmp_path_factory.mktemp("checker")
    return [checker_page(browser, folder, doubles=doubles) for doubles in (True, False)]
