"""A headless Chromium that reaches nothing but files, and notes what a page asks and says."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def find_browser():
    """Return the path of Debian's Chromium; skip the test where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("no chromium is installed: `apt-get install chromium` lets this test run")
    return path


class Visit:
    """The one window of all tests, with the requests and messages of its page."""

    def __init__(self, browser, *, scripts=True):
        self.page = page = browser.new_page(java_script_enabled=scripts)
        self.requests, self.messages = [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: (self.messages.append(dialog.message), dialog.dismiss()))

    def open(self, path, *, width=1100, dark=False):
        """Open a page from a file, on a screen."""
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(media="screen", color_scheme="dark" if dark else "light")
        self.requests.clear()
        self.messages.clear()
        self.page.goto(path.as_uri())
        return self

    def is_as_wide_as_it_may_be(self):
        """Return whether nothing extends beyond the window."""
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        return self.page.evaluate(wide)

    def unfold(self):
        """Open all chapters."""
        self.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")

    def column(self, caption, heading):
        """Return the cells of a column of the table whose caption starts so, as they are seen."""
        return self.page.evaluate(
            """([caption, heading]) => {
                const t = [...document.querySelectorAll("table")].find(
                    t => t.caption.textContent.startsWith(caption));
                const names = [...t.tHead.rows[0].cells].map(c => c.textContent);
                const k = names.indexOf(heading);
                return [...t.tBodies].flatMap(b => [...b.rows]).filter(row => !row.hidden)
                    .map(row => row.cells[k].textContent.trim());
            }""",
            [caption, heading],
        )

    def click(self, caption, heading):
        """Click on a heading."""
        tables = self.page.locator("table", has=self.page.locator("caption", has_text=caption))
        tables.get_by_role("button", name=heading, exact=True).click()


@contextmanager
def launched():
    """Start a browser; skip the test where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api")
    executable = find_browser()
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()
