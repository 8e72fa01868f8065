"""The chapter on the replication, made of the rows that it wrote.

A page with the line ``.. replication-rows:: P1`` gets the items of that paper in its place: a
heading to link to ("p1-table-7"), how many rows have which verdict, a table, and the reasons.
"""

import csv
import re
from collections import Counter
from pathlib import Path

from replication.leaderboards import LEADERBOARDS

ROWS = Path(__file__).parent / "replication" / "replication.csv"
PLACE = re.compile(r"^\.\. replication-rows:: (P\d)$", flags=re.MULTILINE)
COUNTS = re.compile(r"^\.\. replication-counts::$", flags=re.MULTILINE)
DATA = re.compile(r"^\.\. replication-data::$", flags=re.MULTILINE)
# Reasons that need no explanation.
PLAIN = ("as printed", "as defined", "not in print; as an independent program has it")
HEAD = ("quantity", "printed", "definition", "authors", "here", "verdict")
#: The order in which verdicts are counted.
VERDICTS = (
    "reached",
    "reached as the authors ran it",
    "differs as explained",
    "beyond the paper",
    "no verdict",
)


def rows():
    """Return the rows as dicts."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def label_of(paper, item):
    """Return what links to an item are called."""
    return re.sub(r"[^a-z0-9]+", "-", f"{paper} {item}".lower()).strip("-")


def chapter(paper):
    """Return the items of a paper as reStructuredText."""
    own = [row for row in rows() if row["paper"] == paper]
    # One experiment may fill several items in turn.
    items = dict.fromkeys(row["item"] for row in own)
    return "\n\n".join(
        _section(paper, item, [row for row in own if row["item"] == item]) for item in items
    )


def _section(paper, item, group):
    reasons = list(dict.fromkeys(row["reason"] for row in group))
    told = [reason for reason in reasons if reason not in PLAIN]
    lines = [
        f".. _{label_of(paper, item)}:", "", item, "~" * len(item), "", _verdicts(group), "",
        ".. list-table::", "   :header-rows: 1", "   :class: replication", "",
        *_line([*HEAD, "why"]),
    ]  # fmt: skip
    for row in group:
        why = f"[{told.index(row['reason']) + 1}]" if row["reason"] in told else row["reason"]
        lines += _line([*(_short(row[name]) for name in HEAD), why])
    lines += ["", *(f"| [{at}] {_escaped(reason)}" for at, reason in enumerate(told, start=1))]
    return "\n".join(lines)


def _verdicts(group):
    numbers = Counter(row["verdict"] for row in group)
    return ", ".join(f"{numbers[one]} {one}" for one in VERDICTS if numbers[one]) + "."


def _line(cells):
    first, *rest = (_escaped(cell) for cell in cells)
    return [f"   * - {first}", *(f"     - {cell}" for cell in rest)]


def _short(text):
    """Return six digits of a number, and a text as it is."""
    try:
        return text if len(text) < 9 else f"{float(text):.6g}"
    except ValueError:
        return text


def _escaped(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text) or "\N{EN DASH}"


def counts():
    """Return how many rows of each paper have each verdict, as reStructuredText."""
    papers = sorted({row["paper"] for row in rows()})
    lines = [".. list-table::", "   :header-rows: 1", "", *_line(["verdict", *papers])]
    for verdict in VERDICTS:
        found = [
            sum(row["paper"] == paper and row["verdict"] == verdict for row in rows())
            for paper in papers
        ]
        lines += _line([verdict, *map(str, found)])
    return "\n".join(lines)


def data():
    """Return which tables there are, where, and by what they are known, as reStructuredText."""
    files = {}
    for name, one in LEADERBOARDS.items():
        files.setdefault((one.source, one.file), []).append((name, one.digest))
    lines = [".. list-table::", "   :header-rows: 1", "", *_line(["file", "tables", "digest"])]
    for (source, file), tables in files.items():
        names, digests = zip(*tables, strict=True)
        lines += _line([f"{file} of {source}", ", ".join(names), ", ".join(digests)])
    return "\n".join(lines)


def fill(app, docname, source):
    """Put rows where a page asks for them."""
    source[0] = PLACE.sub(lambda found: chapter(found[1]), source[0])
    source[0] = COUNTS.sub(lambda _: counts(), source[0])
    source[0] = DATA.sub(lambda _: data(), source[0])


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
