"""Two pages from bundled data, made once, and their pictures drawn without a screen."""

import matplotlib as mpl
import pytest

import rankagg as ra
from tests.report.browser import visiting
from tests.report.checking import checker_page

mpl.use("Agg")


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """Return a function from the name of a bundled data set to the path of its page."""
    made = {}

    def page_of(name):
        if name not in made:
            target = tmp_path_factory.mktemp("page") / f"{name}.html"
            ra.make_report(ra.datasets.load(name), title=name).save(target)
            made[name] = target
        return made[name]

    return page_of


@pytest.fixture(scope="session")
def visit_page(browser):
    """Return a context manager that opens a page from a path."""

    def opened(path, **look):
        return visiting(browser, path, **look)

    return opened


@pytest.fixture(scope="session")
def blank(browser, tmp_path_factory):
    """Return pages with the checker alone: as it is, and with BigInts throughout."""
    folder = tmp_path_factory.mktemp("checker")
    return [checker_page(browser, folder, doubles=doubles) for doubles in (True, False)]
