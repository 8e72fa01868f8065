"""The page in a real browser: sorting, no errors, no requests, any width."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from tests.conftest import slow_but

BUNDLED = ["superglue_human", "xtreme_gaps"]
RANKS = "Ranks by rule"


@pytest.mark.parametrize(("width", "dark"), [(360, True), (1100, False)])
@pytest.mark.parametrize("name", slow_but(BUNDLED[1:], BUNDLED))
def test_the_page_makes_no_requests_has_no_errors_and_fits(
    pages, name, width, dark, visit_page
) -> None:
    path = pages(name)
    visit = visit_page(path, width=width, dark=dark)
    visit.page.wait_for_timeout(200)
    assert [url for url in visit.requests if not url.startswith("data:")] == [path.as_uri()]
    assert visit.messages == []
    visit.unfold()
    assert visit.is_as_wide_as_it_may_be()
    letters = visit.page.evaluate(
        "Math.min(...[...document.querySelectorAll('p,li,td,th,dd,figcaption')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
    )
    assert letters >= 12
    in_plots = visit.page.evaluate(
        "Math.min(...[...document.querySelectorAll('svg text')]"
        ".filter(e => e.textContent.trim()).map(e => e.getBoundingClientRect())"
        ".map(r => Math.max(r.height, r.width)))"
    )
    assert in_plots >= 6


@pytest.mark.parametrize("name", slow_but(BUNDLED[:1], BUNDLED))
def test_a_click_sorts_and_another_reverses(pages, name, visit_page) -> None:
    visit = visit_page(pages(name))
    visit.unfold()
    items = visit.column(RANKS, "System")
    visit.click(RANKS, "System")
    assert visit.column(RANKS, "System") == sorted(items, key=str.casefold)
    visit.click(RANKS, "System")
    assert visit.column(RANKS, "System") == sorted(items, key=str.casefold, reverse=True)
    visit.click(RANKS, "Rank")
    assert visit.column(RANKS, "System") == items
    visit.click(RANKS, "Borda")
    places = [int(text) for text in visit.column(RANKS, "Borda")]
    assert places == sorted(places)


@pytest.fixture
def saved(tmp_path):
    """Return a function from data to the path of their page."""

    def save(data, **options):
        ra.make_report(data, **options).save(tmp_path / "page.html")
        return tmp_path / "page.html"

    return save


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The page of 52 systems: the first 38 are in one order, 39 to 43 in any."""
    order = [f"system {k:02}" for k in range(52)]
    other = [*order[:38], *reversed(order[38:43]), *order[43:]]
    path = tmp_path_factory.mktemp("many") / "many.html"
    ra.make_report(ra.Profile.from_orders([order, other]), title="many").save(path)
    return path, order


def test_many_rows_fold_and_unfold(many, visit_page) -> None:
    path, order = many
    first = "Items in the order"
    visit = visit_page(path)
    seen = visit.column(first, "Item")
    assert len(seen) == 40
    assert set(order[:38]) < set(seen) < set(order[:43])
    visit.page.get_by_role("button", name="Show all 52").click()
    assert visit.column(first, "Item")[43:] == order[43:]
    assert visit.page.get_by_role("button", name="Show all 52").count() == 0
    visit = visit_page(path, scripts=False)
    assert visit.page.locator("#ranking tbody tr:visible").count() == 52


def test_the_field_searches_all_rows_and_hides_the_bands(many, visit_page) -> None:
    path, order = many
    first = "Items in the order"
    visit = visit_page(path)
    assert visit.page.locator("#ranking tbody.open").count() == 1
    field = visit.page.get_by_label("Find items")
    field.fill("4 SYSTEM")
    assert sorted(visit.column(first, "Item")) == [name for name in order if "4" in name]
    assert visit.page.locator(".above output").text_content() == "14 of 52"
    assert visit.page.locator("#ranking tbody.open").count() == 0
    field.fill("")
    assert len(visit.column(first, "Item")) == 40
    assert visit.page.locator("#ranking tbody.open").count() == 1


def test_a_chosen_category_shows_its_ratings_the_highest_first(saved, visit_page) -> None:
    rng = np.random.default_rng(6)
    first = rng.integers(0, 4, 400)
    data = ra.Comparisons(
        "ABCD", first, (first + rng.integers(1, 4, 400)) % 4, rng.choice([1, -1], 400)
    )
    halves = {"even ": data.take(np.arange(0, 400, 2)), "odd": data.take(np.arange(1, 400, 2))}
    visit = visit_page(saved(data, about={"categories": halves}))
    table = visit.page.locator("#categories table")
    choice = visit.page.locator("#categories select")
    for name, part in {**halves, "all": data}.items():
        choice.select_option(label=name.strip())
        shown = table.locator("th[scope=col]:visible").all_inner_texts()
        names = [name] if name in halves else halves
        assert list(map(str.strip, shown)) == ["Place", "Item", *map(str.strip, names)]
        items = table.locator("tbody td:nth-child(2)").all_inner_texts()
        assert items == list(ra.BradleyTerry.fit(part).elo().index)


def test_links_open_their_chapter_and_paper_has_all(pages, visit_page) -> None:
    visit = visit_page(pages("superglue_human"))
    shut = visit.page.locator("main > details:not([open])")
    closed = shut.count()
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shut.count() == 0
    # Chromium repeats headings on the next sheet unless they hold a button with a box.
    visit.page.emulate_media(media="print")
    assert visit.page.evaluate(
        "[...document.querySelectorAll('.sortable th button')]"
        ".every(button => getComputedStyle(button).display === 'contents')"
    )
    visit.page.emulate_media(media="screen")
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert shut.count() == closed
    assert not visit.page.locator("#data").is_visible()
    visit.page.get_by_role("link", name="What was read and left out").click()
    visit.page.wait_for_timeout(50)
    assert visit.page.locator("#data").is_visible()


def test_long_names_are_seen_in_full_without_hovering(saved, visit_page) -> None:
    names = [f"{'a long name of a team ' * 6}| model {k}" for k in range(3)]
    values = [[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]]
    path = saved(ra.ScoreTable(values, systems=names, higher_is_better=True))
    cut = """[...document.querySelectorAll("#ranking tbody .name")].flatMap(
        name => [name, name.firstElementChild]).some(
        e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "hidden")"""
    for width in (360, 1100):
        visit = visit_page(path, width=width)
        assert visit.page.evaluate(cut)
        visit.page.get_by_label("Full names").check()
        assert not visit.page.evaluate(cut)
        assert visit.is_as_wide_as_it_may_be()
        visit.page.emulate_media(media="print")
        assert not visit.page.evaluate(cut)


def test_hostile_names_of_files_and_systems_are_harmless(saved, visit_page) -> None:
    evil, long = "<script>alert(1)</script>", "x" * 200
    names = [
        evil, long, '"><img src=x onerror=alert(2)>', "\N{HEBREW LETTER ALEF}" * 40, "\u202eturned",
        "two\u2028lines", "\N{CJK UNIFIED IDEOGRAPH-6A21}" * 60, "\u200f", "{{ 7 * 7 }}", "&lt;",
    ]  # fmt: skip
    values = np.linspace(4, 0, 10)[:, None] + np.random.default_rng(0).normal(size=(10, 9))
    tasks = ["<b>bold</b>", "u&v", "</style><script>alert(3)</script>", *"abcdef"]
    table = ra.ScoreTable(values, systems=names, tasks=tasks, higher_is_better=True)
    assert len(ra.rank_intervals(table, rng=0).top(1)) > 1
    path = saved(table, title=evil, source=[f"read: {evil}", "C:\\<i>x</i>"])
    n_scripts = path.read_text(encoding="utf-8").count("<script")
    for width in (360, 1100):
        visit = visit_page(path, width=width)
        visit.page.wait_for_timeout(200)
        assert visit.messages == []
        assert visit.page.evaluate("document.scripts.length") == n_scripts
        assert visit.page.locator("b, i, img").count() == 0
        assert visit.page.title() == evil
        assert visit.column(RANKS, "System").count(long) == 1
        assert evil in visit.column(RANKS, "System")
        visit.page.click("#check-proof")
        visit.page.locator("#proof-verdict.holds").wait_for()
        assert visit.is_as_wide_as_it_may_be()


def test_plots_have_text_and_a_text_alternative(pages, visit_page) -> None:
    visit = visit_page(pages("superglue_human"))
    plots = visit.page.locator("figure svg[role=img]")
    assert plots.count() == 1
    assert "Colored: those that move most" in plots.get_attribute("aria-label")
    # All other pictures repeat the text next to them.
    silent = visit.page.evaluate(
        "[...document.querySelectorAll('svg:not([role=img])')]"
        ".filter(s => !s.parentElement.closest('svg'))"
        ".filter(s => !s.closest('[aria-hidden=true]')).length"
    )
    assert silent == 0
    drawn = visit.page.locator(".flow text").all_text_contents()
    for item in ra.datasets.load("superglue_human").systems:
        assert sum(item in map(str.strip, text.split("\u2002")) for text in drawn) == 2

    # Headings and headers are those that readers jump to.
    visit.unfold()
    levels = visit.page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3')].map(h => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    for bare in ("th:not([scope])", "table:not(:has(caption))"):
        assert visit.page.evaluate(f"document.querySelectorAll('{bare}').length") == 0


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """The page of 60 systems with cards, 5 to 7 in any order, and its cards."""
    order = [f"s{k:02}" for k in range(60)]
    other = [*order[:4], *reversed(order[4:7]), *order[7:]]
    sizes = [[7.0, 13.0, 0.5, np.nan][k % 4] for k in range(60)]
    licences = [["mit", "apache", None][k % 3] for k in range(60)]
    cards = pd.DataFrame({"Licence": licences, "Size": sizes, "No": range(60)}, index=order)
    path = tmp_path_factory.mktemp("board") / "board.html"
    spaced = cards.assign(Licence=cards["Licence"] + " ")
    ra.make_report(ra.Profile.from_orders([order, other]), about_items=spaced).save(path)
    return path, cards


def test_cards_are_sorted_and_chosen_by_their_headings(board, visit_page) -> None:
    path, cards = board
    visit, first = visit_page(path), "Items in the order"
    opened = visit.column(first, "Item")
    visit.page.get_by_label("Licence").select_option("apache")
    assert set(visit.column(first, "Item")) == set(cards.index[cards["Licence"] == "apache"])
    assert visit.page.locator(".above output").text_content() == "20 of 60"
    assert visit.page.locator("#ranking tbody.open").count() == 0
    visit.page.get_by_label("Size").select_option("13")
    both = cards.query("Licence == 'apache' and Size == 13").index
    assert set(visit.column(first, "Item")) == set(both)
    for label in ("Licence", "Size"):
        visit.page.get_by_label(label).select_option("all")
    assert visit.column(first, "Item") == opened
    visit.page.get_by_role("button", name="Show all 60").click()
    for turned in (False, True):
        visit.click(first, "Size")
        known = cards["Size"].dropna().sort_values(ascending=not turned)
        sizes = visit.column(first, "Size")
        assert [float(text) for text in sizes[: len(known)]] == known.tolist()
        assert set(sizes[len(known) :]) == {"\N{EN DASH}"}
    assert visit.page.locator("#ranking tbody.open").count() == 0
    visit.page.get_by_label("Find items").fill("MIT 0.5")
    found = cards.query("Licence == 'mit' and Size == 0.5").index
    assert set(visit.column(first, "Item")) == set(found)
    visit.page.get_by_label("Find items").fill("")
    visit.click(first, "Place")
    assert visit.column(first, "Place") == [str(k + 1) for k in range(60)]
    together = visit.page.locator("#ranking tbody.open .place").all_text_contents()
    assert together == ["5", "6", "7"]
    assert visit.messages == []
    for width in (400, 768, 1280):
        assert visit_page(path, width=width).is_as_wide_as_it_may_be()


def large(n, n_tasks):
    rng = np.random.default_rng(0)
    values = np.linspace(3, 0, n)[:, None] + rng.normal(size=(n, n_tasks))
    names = [f"<b>system</b>-{k:03}x \u202e" for k in range(n)]
    return ra.ScoreTable(values, systems=names, higher_is_better=True)


@pytest.fixture(scope="module")
def rows_left(tmp_path_factory):
    """The page of 260 systems, more than it draws without its script."""
    path = tmp_path_factory.mktemp("rows") / "rows.html"
    ra.make_report(large(260, 12), [], time_limit=0.0).save(path)
    return path


def test_further_rows_are_drawn_on_request(rows_left, visit_page) -> None:
    visit = visit_page(rows_left, scripts=False)
    rows = visit.page.locator("#ranking tbody tr")
    assert rows.count() == 250
    sentence = visit.page.locator(".ranking-figure p.later").inner_text()
    assert sentence.startswith("The first 250 of 260 systems;")
    scores = "Scores by task"
    visit = visit_page(rows_left)
    rows = visit.page.locator("#ranking tbody tr")
    assert rows.count() == 250
    visit.page.get_by_role("button", name="Show all 260").click()
    names = visit.column("Systems in the order", "System")
    assert len(names) == len(set(names)) == 260
    visit.unfold()
    drawn = visit.column(scores, "System")
    assert len(drawn) == 3000 // 14
    visit.click(scores, "System")
    found = visit.column(scores, "System")
    assert found == sorted(found)
    assert len(found) == 260
    assert visit.page.locator("#scores p.later").count() == 0
    assert visit.page.locator("b").count() == 0
    visit = visit_page(rows_left)
    visit.unfold()
    field = visit.page.locator("#scores").get_by_label("Find rows")
    field.fill(names[-1].split()[0])
    assert visit.column(scores, "System") == names[-1:]
    visit = visit_page(rows_left)
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert visit.page.locator("#ranking tbody tr").count() == 260
    assert visit.page.locator("script.later").count() == 0
    assert visit.messages == []


def test_the_proof_is_compared_with_rows_that_are_not_drawn(
    rows_left, visit_page, tmp_path
) -> None:
    def verdict(path):
        visit = visit_page(path)
        visit.page.click("#check-proof")
        element = visit.page.locator("#proof-verdict.holds, #proof-verdict.fails")
        element.wait_for(timeout=120_000)
        return element.inner_text()

    assert "The bound holds" in verdict(rows_left)
    html = rows_left.read_text(encoding="utf-8")
    edited = tmp_path / "edited.html"
    edited.write_text(html.replace("data-rank>260<", "data-rank>259<"), encoding="utf-8")
    assert edited.read_text(encoding="utf-8") != html
    assert "does not hold" in verdict(edited)


@pytest.mark.slow
def test_a_page_of_a_thousand_systems_has_few_elements(saved, visit_page) -> None:
    visit = visit_page(saved(large(1000, 20), time_limit=0.0))
    assert visit.page.evaluate("document.getElementsByTagName('*').length") < 20_000
    assert visit.messages == []


def elections():
    rng = np.random.default_rng(8)
    for seed in range(6):
        n = int(rng.integers(2, 7))
        names = np.array([f"c {k}" for k in range(n)])
        orders = [names[rng.permutation(n)[: rng.integers(1, n + 1)]].tolist() for _ in range(20)]
        counts = rng.integers(1, 9, 20).tolist()
        ballots = ra.Profile.from_orders(orders, counts=counts, items=names.tolist())
        yield ballots, ra.STV(min(seed % 3 + 1, n - 1), quota="hare" if seed == 5 else "droop")
        yield ballots, ra.InstantRunoff(tie_breaking="lot" if seed % 2 else "order")
    level = ra.Profile.from_orders(["AB", "BA", "C"], counts=[2, 2, 2])
    yield level, ra.InstantRunoff(tie_breaking="order", tie_order=["C", "B", "A"])


def test_a_page_recounts_its_ballots_and_detects_changes(visit_page, tmp_path) -> None:
    """All cells of all rounds by another program, of ballots that anybody can save."""
    for ballots, rule in elections():
        report = ra.make_report(ballots, kind=rule, rng=1)
        page = tmp_path / "page.html"
        page.write_text(report.html, encoding="utf-8")
        visit = visit_page(page)
        visit.page.click("#recount")
        verdict = visit.page.inner_text("#recount-verdict")
        cells = len(rule.count(ballots, rng=1).stages) * (ballots.n_items + 1)
        assert verdict.startswith("✓ Recounted here from the ballots"), (verdict, rule)
        assert f"all {cells} numbers" in verdict
        assert visit.messages == []
    with visit.page.expect_download() as saved:
        visit.page.click("#ballots-link")
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    assert ra.io.read_blt(path).profile == ballots.with_unranked("last").compress()
    for old, new in (
        ("2 1 2 0", "3 1 2 0"),
        ('"taken":[[0]', '"taken":[[2]'),
        ('<td class="number" data-key="2.0">', '<td class="number" data-key="2.5">'),
    ):
        assert old in report.html
        changed = report.html.replace(old, new, 1)
        page.write_text(changed, encoding="utf-8")
        visit = visit_page(page)
        visit.page.click("#recount")
        verdict = visit.page.inner_text("#recount-verdict")
        assert verdict.startswith("✕ The recount differs: "), (verdict, old)


def test_ballots_that_the_script_does_not_count_can_be_saved(visit_page, tmp_path) -> None:
    level = ra.Profile.from_ranks([[1, 1, 2], [2, 1, 3]], items=['"A"', "B", "C"], counts=[3, 2])
    ra.make_report(level, kind="election").save(tmp_path / "page.html")
    visit = visit_page(tmp_path / "page.html")
    assert not visit.page.is_visible("#recount")
    with visit.page.expect_download() as saved:
        visit.page.click("#ballots-link")
    saved.value.save_as(tmp_path / saved.value.suggested_filename)
    saved_ballots = ra.read_ballots(tmp_path / "ballots.csv", count="count")
    assert saved_ballots == level.with_unranked("last").compress()
