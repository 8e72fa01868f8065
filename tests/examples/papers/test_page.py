"""The page of the replication: its content policy and its tables."""

import re
from base64 import b64encode
from hashlib import sha256

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from replication.page import Cell, Section, Table, figure_of, render, table_of
from replication.run import replicate


def digest(text):
    return b64encode(sha256(text.encode()).digest()).decode()


@pytest.fixture(scope="module", params=["small", pytest.param("real", marks=pytest.mark.slow)])
def page(request):
    """Return a page with a figure, texts and tables, or that of an experiment."""
    if request.param == "real":
        return replicate("p3-section-4", progress=False).to_html()
    table = Table([("verdict", "")], [[Cell("differs", link="#why-a")]], "caption", stacked=True)
    figure = figure_of(lambda: plt.subplots()[1], "figure", "caption")
    section = Section(
        "a", "b", "c", ["d"], figures=[figure], tables=[table], explanations=[("why-a", "e", "f")]
    )
    return render("title", ["lead"], [section])


def test_the_policy_allows_the_scripts_and_the_style_that_are_there(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    scripts, styles = (
        re.findall(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL) for kind in ("script", "style")
    )
    assert (len(scripts), len(styles)) == (2, 1)
    assert set(re.findall(r"sha256-([^']*)", policy)) == {digest(one) for one in scripts + styles}
    assert policy.startswith("default-src 'none'")
    # What the policy would not allow.
    assert not re.search(r'<[^>]* (style|on\w+)="', page)
    assert not re.search(r'(src|href)="https?:', page)


def test_names_are_unique_and_links_lead_to_them(page):
    names = re.findall(r' id="([^"]*)"', page)
    assert len(names) == len(set(names))
    links = set(re.findall(r'(?:href="|url\()#([^")]*)', page))
    assert any(link.startswith("why-") for link in links)
    assert links <= set(names)


def test_a_table_has_the_first_rows_and_the_number_of_others():
    frame = pd.DataFrame(
        {
            "system": ["A"] * 42,
            "some words": ["longer than a dozen"] * 42,
            "long": ["x" * 41] * 42,
            "is": [True] * 42,
            "share": [2 / 3, -1e-9, np.nan, *[1.0] * 39],
        }
    )
    table = table_of(frame, "caption")
    assert [look for _, look in table.columns] == ["", "name", "long", "", "number"]
    assert (len(table.rows), table.left_out) == (40, "2 more rows are not shown.")
    shares = [row[4] for row in table.rows[:3]]
    assert [cell.text for cell in shares] == ["0.66667", "-1e-09", "\N{EN DASH}"]
    assert [cell.key_text for cell in shares] == ["0.6666666666666666", "-1e-09", "Infinity"]
    assert table.width == "figure"
    assert table_of(frame.head(40), "caption").left_out == ""


def test_labels_are_escaped_in_html():
    table = Table([("<th>", "long")], [[Cell("<td>", link="#a")]], "<caption>", stacked=True)
    section = Section(
        "a", "<h2>", "<b>", ["<p>"], tables=[table], explanations=[("b", "<h3>", "<i>")]
    )
    page = render("<title>", ["<lead>"], [section])
    body = page[page.index("<body>") :]
    for word in ("th", "td", "caption", "h2", "b", "p", "h3", "i", "title", "lead"):
        assert f"&lt;{word}&gt;" in body
    assert '<a href="#a">&lt;td&gt;</a>' in body
    assert 'data-name="&lt;th&gt;"' in body


def test_a_figure_has_text_and_an_alternative_text():
    def draw():
        ax = plt.subplots()[1]
        ax.set_title("Two words", weight="bold")
        return ax

    figure = figure_of(draw, 'a "figure"', "caption")
    assert figure.svg.startswith('<svg role="img" aria-label="a &#34;figure&#34;" ')
    assert ">Two words</text>" in figure.svg
    assert re.search(r'font-weight="(bold|700)"', figure.svg)
    assert "style=" not in figure.svg
    assert not plt.get_fignums()
