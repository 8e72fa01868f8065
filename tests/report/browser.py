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
    """An open page with everything that it asked for and complained about."""

    def __init__(self, page, requests, messages):
        self.page = page
        self.requests = requests
        self.messages = messages

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


@contextmanager
def visiting(browser, path, *, width=1100, dark=False, scripts=True):
    """Open a page from a file, with nothing left of earlier visits."""
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
    )
    try:
        page = context.new_page()
        requests, messages = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: (messages.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        yield Visit(page, requests, messages)
    finally:
        context.close()
