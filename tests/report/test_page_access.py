"""What readers with weak eyes or a screen reader need: contrast of texts, and places by name."""

import pytest

import rankagg as ra
from rankagg.report.drawn_pages import steps_page
from tests.conftest import slow_but
from tests.report.test_page_kinds import DATA, ballots

# The contrast of WCAG 2 (AA) for text on the color behind it; large text needs less.
FAINT = """() => {
    const brush = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const pixel = color => {
        brush.clearRect(0, 0, 1, 1);
        brush.fillStyle = color;
        brush.fillRect(0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data];
    };
    const light = color => {
        const [r, g, b] = color.slice(0, 3).map(v => v / 255).map(
            v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const behind = e => {
        for (; e; e = e.parentElement) {
            const color = pixel(getComputedStyle(e).backgroundColor);
            if (color[3] === 255) return color;
        }
        return [255, 255, 255];
    };
    const faint = [];
    for (const e of document.querySelectorAll("body *")) {
        const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        const box = e.getBoundingClientRect(), look = getComputedStyle(e);
        const ink = pixel(e instanceof SVGElement ? look.fill : look.color);
        if (!own || !box.width || look.visibility !== "visible" || ink[3] < 255) continue;
        if (e.closest("script, style, [hidden], :disabled") || look.clipPath !== "none") continue;
        const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x);
        const ratio = (a + .05) / (b + .05), size = parseFloat(look.fontSize);
        const large = size >= 24 || (size >= 18.66 && look.fontWeight >= 700);
        if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)}: ${e.textContent.trim()}`);
    }
    return faint;
}"""
# Places that readers jump to, by their names.
PLACES = """() => [...document.querySelectorAll(
    "section[aria-label], [role=region], nav, aside, main, header")].filter(
    e => e.checkVisibility()).map(e => [e.tagName, e.getAttribute("role"),
    e.getAttribute("aria-label")].join(" "))"""
MEDIA = [("screen", "light"), ("screen", "dark"), ("print", "light")]


def page_of(name):
    if name == "steps":
        return steps_page(ra.teaching.show_steps(ra.Kemeny(), ra.datasets.load("tennessee")))
    if name == "pairs":
        return ra.make_report(ra.datasets.load("superglue_human")).html
    data, options = (ballots(), {"kind": ra.STV(2)}) if name == "seats" else DATA[name]
    return ra.make_report(data, **options).html


KINDS = ["pairs", "steps", "scores", "battles", "election", "seats", "rankings", "lists"]


@pytest.mark.parametrize("name", slow_but(KINDS[:2], KINDS))
def test_texts_are_seen_and_places_have_names_of_their_own(name, visit_page, tmp_path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page_of(name), encoding="utf-8")
    visit = visit_page(path, width=1280)
    visit.unfold()
    for media, scheme in MEDIA:
        visit.page.emulate_media(media=media, color_scheme=scheme)
        assert visit.page.evaluate(FAINT) == [], (media, scheme)
    places = visit.page.evaluate(PLACES)
    assert len(set(places)) == len(places) > 1
