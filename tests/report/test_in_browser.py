"""The page in a real browser: sorting, no complaints, nothing asked of the network, any width."""

import pytest

import rankagg as ra

BUNDLED = ["superglue_human", "xtreme_gaps"]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", BUNDLED)
def test_nothing_is_asked_for_and_nothing_complains(pages, name, dark, visit_page) -> None:
    path = pages(name)
    with visit_page(path, dark=dark) as visit:
        visit.page.wait_for_timeout(200)
        outside = [url for url in visit.requests if not url.startswith(("data:", "file:"))]
        assert outside == []
        assert [url for url in visit.requests if url.startswith("file:")] == [path.as_uri()]
        assert visit.messages == []


@pytest.mark.parametrize("name", BUNDLED)
def test_a_click_sorts_and_another_one_turns_it_round(pages, name, visit_page) -> None:
    with visit_page(pages(name)) as visit:
        items = visit.column(0, "Item")
        visit.click(0, "Item")
        assert visit.column(0, "Item") == sorted(items, key=str.casefold)
        visit.click(0, "Item")
        assert visit.column(0, "Item") == sorted(items, key=str.casefold, reverse=True)
        visit.click(0, "Rank")
        assert visit.column(0, "Item") == items
        visit.click(0, "Borda")
        places = [int(text) for text in visit.column(0, "Borda")]
        assert places == sorted(places)


def test_numbers_are_sorted_as_numbers_and_unknown_ones_stay_below(tmp_path, visit_page) -> None:
    names = [f"s{k}" for k in range(12)]
    gaps = [[float(k % 5), float(k)] if k else [float("nan"), 30.0] for k in range(12)]
    table = ra.ScoreTable(gaps, systems=names, higher_is_better=True)
    path = tmp_path / "p.html"
    ra.make_report(table).save(path)
    with visit_page(path) as visit:
        visit.click(0, "Mean")
        up = visit.column(0, "Mean")
        assert [int(p) for p in up] == sorted(int(p) for p in up)
        assert up.index("10") > up.index("2")


@pytest.mark.parametrize("width", [360, 1100])
@pytest.mark.parametrize("name", BUNDLED)
def test_the_page_is_never_wider_than_the_window(pages, name, width, visit_page) -> None:
    with visit_page(pages(name), width=width) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
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


@pytest.mark.parametrize("n", [3, 41, pytest.param(105, marks=pytest.mark.slow)])
def test_few_and_many_systems_read_well(tmp_path, visit_page, n) -> None:
    law = ra.LatentScores(
        [0.05 * k for k in range(n)], systems=[f"team {k} | big model" for k in range(n)]
    )
    path = tmp_path / "n.html"
    ra.make_report(law.sample(9, rng=0), title=f"{n} systems").save(path)
    for width in (360, 1100):
        with visit_page(path, width=width) as visit:
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
            assert len(visit.column(0, "Item")) == n
            assert visit.messages == []
            if n > 40:
                assert visit.page.get_by_text(f"The first 30 of {n} items.").count() >= 1


def test_names_of_files_and_systems_do_no_harm(tmp_path, visit_page) -> None:
    evil, long = "<script>alert(1)</script>", "x" * 200
    table = ra.ScoreTable(
        [[1.0, 2.0, 5.0], [2.0, 1.0, 4.0], [3.0, 3.0, 1.0]],
        systems=[evil, long, '"><img src=x onerror=alert(2)>'],
        tasks=["<b>bold</b>", "u&v", "</style><script>alert(3)</script>"],
        higher_is_better=True,
    )
    path = tmp_path / "evil.html"
    page = ra.make_report(table, title=evil, source=[f"read: {evil}", "C:\\<i>x</i>"])
    page.save(path)
    for width in (360, 1100):
        with visit_page(path, width=width) as visit:
            visit.page.wait_for_timeout(200)
            assert visit.messages == []
            assert visit.page.evaluate("document.scripts.length") == 4  # two of them data
            assert visit.page.locator("b, i, img").count() == 0
            assert visit.page.title() == evil
            assert visit.column(0, "Item").count(long) == 1
            assert evil in visit.column(0, "Item")
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_plots_have_their_letters_and_a_text_alternative(pages, visit_page) -> None:
    with visit_page(pages("superglue_human")) as visit:
        plots = visit.page.locator("figure svg")
        assert plots.count() >= 3
        for k in range(plots.count()):
            assert len(plots.nth(k).get_attribute("aria-label")) > 30
        drawn = visit.page.locator("figure svg text").all_text_contents()
        for item in ra.datasets.load("superglue_human").systems:
            assert any(item in text for text in drawn)
        broken = visit.page.evaluate(
            "[...document.querySelectorAll('svg image')]"
            ".filter(i => !i.href.baseVal.startsWith('data:')).length"
        )
        assert broken == 0


def test_without_scripts_the_page_is_complete(pages) -> None:
    text = pages("superglue_human").read_text(encoding="utf-8")
    assert text.count("<table") == text.count("</table>") >= 3
    assert "NEZHA Plus" in text.split("<script>")[0]
