"""The apps in a real browser, on 400 pixels, by keyboard: each control has its effect."""

import json
import time
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

import rankagg as ra

PATIENCE = 30_000


class App:
    """An open app, what it complained about, and what it asked of others."""

    def __init__(self, page):
        self.page = page
        self.complaints, self.hosts = [], set()
        page.on("console", lambda line: line.type == "error" and self.complaints.append(line.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    @property
    def sentence(self):
        """The sentence that describes the picture."""
        return self.page.locator(".ra .verdict").inner_text()

    @property
    def seen(self):
        """All that the app computes: sentences, tables and the pictures."""
        return self.page.evaluate("[...document.querySelectorAll('.ra')].map(e => e.innerHTML)+''")

    def wait(self, text):
        """Wait until a text is seen."""
        self.page.get_by_text(text).first.wait_for(timeout=PATIENCE)

    def until(self, holds):
        """Wait until what is there is as it should be; cells follow each other."""
        latest = time.monotonic() + PATIENCE / 1000
        while not holds():
            assert time.monotonic() < latest, self.seen
            self.page.wait_for_timeout(50)

    def press(self, control, key, times=1):
        """Press a key in a control, and wait until something that was seen is another."""
        before = self.seen
        control.focus()
        for _ in range(times):
            control.press(key)
        self.page.wait_for_function(
            "b => [...document.querySelectorAll('.ra')].map(e => e.innerHTML)+'' !== b"
            " && document.querySelector('.ra .verdict')",
            arg=before, timeout=PATIENCE,
        )  # fmt: skip
        return self.seen

    def slider(self, k=0):
        """Return the k-th slider."""
        return self.page.get_by_role("slider").nth(k)

    def looks(self, look):
        """Return the orders that are drawn so."""
        return self.page.locator(f"g[data-look={look}]").evaluate_all(
            "all => all.map(one => one.dataset.order)"
        )


@pytest.fixture
def opened(address, browser):
    """Return a context manager that opens an app, and asserts at the end what holds for all."""

    @contextmanager
    def open_app(name, width=400):
        context = browser.new_context(viewport={"width": width, "height": 900})
        try:
            app = App(context.new_page())
            app.page.goto(f"{address}?file={name}.py")
            app.page.locator(".ra .verdict").wait_for(timeout=PATIENCE)
            yield app
            assert app.complaints == []
            assert app.hosts - {""} == {urlsplit(address).netloc}
            assert app.page.evaluate("document.documentElement.scrollWidth") <= width
            overflows = app.page.evaluate(
                "w => [...document.querySelectorAll('.ra svg, .ra p, .ra td, marimo-slider')]"
                ".filter(e => e.getBoundingClientRect().right > w + 1).length",
                width,
            )
            assert overflows == 0
        finally:
            context.close()

    return open_app


@pytest.mark.slow
def test_the_laboratory_follows_ballots_examples_and_files(opened, tmp_path) -> None:
    with opened("laboratory") as app:
        assert "Kemeny has Knoxville above Memphis" in app.sentence
        text = app.page.get_by_label("Ballots")
        text.fill("3: A > B > C\n2: B > C > A")
        app.wait("Kemeny has A above B, Borda B above A")
        view = app.page.get_by_label("Show")
        app.press(view, "ArrowDown", times=2)
        app.wait("3 for A above B, 2 for the reverse")
        app.press(view, "ArrowUp")
        app.until(lambda: "InstantRunoff" in app.page.get_by_role("table").inner_text())
        app.press(view, "ArrowUp")
        text.fill("A > B > C\nB > C > A\nC > A > B")
        app.wait("Borda B level with A")
        app.until(lambda: app.page.locator("line.against").count() == 1)
        text.fill("A > B\nB > A > A")
        app.wait("line 2: 'A' is named twice.")
        app.until(lambda: app.page.locator(".ra svg").count() == 0)
        app.press(app.page.get_by_label("Example"), "ArrowDown", times=2)
        app.wait("Kemeny has C above A, Borda A above C.")
        file = tmp_path / "mine.soc"
        ra.io.write_ballots(ra.Profile.from_orders([["Tea", "Mate"]], counts=[7]), file)
        app.page.locator("input[type=file]").set_input_files(file)
        app.wait("agree: Tea > Mate")


@pytest.mark.slow
def test_the_cycle_ends_if_a_group_has_more_than_half(opened) -> None:
    with opened("cycle") as app:
        assert "whoever is chosen" in app.sentence
        app.press(app.slider(0), "Home")
        app.wait("B beats everybody: 20 of 35 voters")
        app.press(app.slider(1), "ArrowLeft", times=6)
        app.wait("C beats everybody: 15 of 29 voters")
        app.press(app.slider(2), "Home")
        app.wait("B beats everybody: 14 of 14 voters")


@pytest.mark.slow
def test_a_ballot_an_electorate_and_a_rule_change_the_winner(opened) -> None:
    with opened("manipulate") as app:
        assert "Is there a better one?" in app.sentence
        helping = ["ABDC", "BADC", "ADBC"]
        app.until(lambda: app.looks("strong") == helping)
        app.press(app.page.get_by_label("Your ballot"), "ArrowDown")
        assert "A > B > D > C makes" in app.sentence
        assert "better for you" in app.sentence
        app.press(app.page.get_by_label("Rule"), "End")
        app.until(lambda: app.looks("strong") != helping)
        voters = app.page.get_by_role("table").inner_text()
        app.press(app.slider(), "ArrowRight")
        app.page.wait_for_function(
            "before => document.querySelector('table').innerText !== before", arg=voters
        )


@pytest.mark.slow
def test_draws_move_dots_and_more_tasks_shorten_intervals(opened) -> None:
    with opened("leaderboard") as app:

        def intervals():
            found = app.page.locator("g[data-item]").evaluate_all(
                "all => JSON.stringify(all.map(one => ({...one.dataset})))"
            )
            return {row["item"]: row for row in json.loads(found)}

        def length():
            return sum(int(row["worst"]) - int(row["best"]) for row in intervals().values())

        app.until(intervals)
        first, long = intervals(), length()
        app.press(app.slider(1), "ArrowRight")
        app.until(lambda: intervals() != first)
        app.press(app.slider(0), "End")
        app.until(lambda: length() < long / 2)
        app.press(app.page.get_by_label("Leaderboard"), "ArrowDown")
        app.page.locator("g[data-item=ALBERT], g[data-item=Human]").first.wait_for()


@pytest.mark.slow
def test_the_parameter_the_model_and_the_size_move_the_circles(opened) -> None:
    with opened("mallows") as app:

        def radii():
            return app.page.locator("g[data-order] circle").evaluate_all(
                "all => all.map(one => Number(one.getAttribute('r')))"
            )

        app.until(lambda: len(radii()) == 24)
        assert len(set(radii())) == 7
        before = sum(radii())
        app.press(app.slider(), "ArrowRight")
        app.until(lambda: sum(radii()) < before)
        app.press(app.page.get_by_label("Model"), "ArrowDown")
        app.wait("in proportion to worth")
        app.until(lambda: len(set(radii())) > 7)
        app.press(app.page.get_by_label("Items"), "ArrowUp")
        app.wait("A > B > C has probability")
        app.until(lambda: len(radii()) == 6)
        app.press(app.slider(), "Home")
        app.wait("C > B > A has 16.67%")
        app.until(lambda: len(set(radii())) == 1)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1000, 1400])
@pytest.mark.parametrize("name", ["laboratory", "cycle", "manipulate", "leaderboard", "mallows"])
def test_every_app_suits_wider_screens(opened, name, width) -> None:
    with opened(name, width) as app:
        letters = app.page.evaluate(
            "Math.min(...[...document.querySelectorAll('.ra p, .ra td')]"
            ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        assert letters >= 18
        app.page.locator(".ra-figure svg").wait_for(timeout=PATIENCE)
        seen = app.page.evaluate(
            """() => {
                const box = q => document.querySelector(q).getBoundingClientRect();
                const figure = box('.ra-figure'), prose = box('.ra .verdict');
                const words = [...document.querySelectorAll('.ra-figure svg text')];
                return {beside: figure.left >= prose.right, below: figure.top - prose.bottom,
                    letters: Math.min(...words.map(e => e.getScreenCTM().a
                        * parseFloat(getComputedStyle(e).fontSize)))};
            }"""
        )
        # The picture is next to the text and above the fold, in letters for the last row.
        assert seen["beside"]
        assert seen["below"] < 0
        assert seen["letters"] >= 14
        for _ in range(app.page.locator("marimo-slider, marimo-dropdown, marimo-file").count()):
            app.page.keyboard.press("Tab")
            outline = app.page.evaluate(
                "(() => { let e = document.activeElement;"
                " while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;"
                " return getComputedStyle(e).outlineStyle; })()"
            )
            assert outline == "solid"
