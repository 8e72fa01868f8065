"""The bibliography has every work that is cited somewhere, spelled alike, and nothing else."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
BIB = ROOT / "docs" / "references.bib"
DOI = re.compile(r"""10\.\d{4,9}/[^\s"'`,\\\]]+""")
ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
# The name before a year; months are no authors.
CITATION = re.compile(
    r"\b(?!May )([A-ZÀ-Ž][\w'-]*[a-zß-ž])(?: et al\.| and others)?,? "
    r"\(?(1[4-9]\d\d|20[0-2]\d)(?![-,]?\d)"
)
FIELD = re.compile(r"\b([a-z]+) = \{((?:[^{}]|\{[^{}]*\})*)\}")


def plain(doi):
    """Return a DOI without what closes the sentence around it; letters count the same."""
    doi = doi.rstrip(".;:*")
    while doi.endswith((")", ">")) and doi.count(")") + doi.count(">") > len(
        re.findall(r"[(<]", doi)
    ):
        doi = doi[:-1].rstrip(".;:")
    return doi.lower()


def pages():
    return [
        *(ROOT / "rankagg").rglob("*.py"),
        *(ROOT / "docs").glob("*.rst"),
        *(path for end in ("rst", "txt", "csv") for path in (ROOT / "docs").glob(f"*/*.{end}")),
        *(ROOT / "examples").rglob("*.py"),
        ROOT / "README.md",
    ]


def cited():
    return {
        plain(unquote(doi)): str(path.relative_to(ROOT))
        for path in pages()
        for doi in DOI.findall(path.read_text(encoding="utf-8"))
    }


def entries():
    text = BIB.read_text(encoding="utf-8")
    found = ENTRY.findall(text)
    assert len(found) == text.count("\n@")
    assert len({key for _, key, _ in found}) == len(found)
    return {key: {"type": kind, **dict(FIELD.findall(body))} for kind, key, body in found}


def test_every_doi_is_in_the_bibliography_and_nothing_else():
    stated, listed = cited(), [entry["doi"] for entry in entries().values() if "doi" in entry]
    assert len({doi.lower() for doi in listed}) == len(listed)
    missing = {doi: where for doi, where in stated.items() if doi not in map(str.lower, listed)}
    assert not missing, "docs/references.bib lacks them"
    assert not {doi.lower() for doi in listed} - set(stated), "nobody cites them"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("10.1016/0022-0531(88)90253-0).", "10.1016/0022-0531(88)90253-0"),
        ("10.1137/0128067;", "10.1137/0128067"),
        ("10.1137/0128067>", "10.1137/0128067"),
        ("10.1002/(S)1:8<8::A>3.0.CO;2-B.", "10.1002/(s)1:8<8::a>3.0.co;2-b"),
    ],
)
def test_a_doi_ends_where_the_sentence_does(written, meant):
    assert plain(written) == meant


def test_every_entry_has_author_title_venue_and_year():
    needed = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
    for key, entry in entries().items():
        assert "author" in entry or "editor" in entry, key
        assert entry["title"], key
        assert key.rstrip("abcdefghijklmnopqrstuvwxyz").endswith(entry["year"]), key
        assert needed.get(entry["type"], "title") in entry, key


def named():
    """Return where a name precedes a year; the list of changes dates releases."""
    return {
        (name.removesuffix("'s"), year): str(path.relative_to(ROOT))
        for path in pages()
        if path.name != "changelog.rst"
        for name, year in CITATION.findall(" ".join(path.read_text(encoding="utf-8").split()))
    }


def test_every_citation_is_an_entry_spelled_alike_and_every_entry_is_cited():
    written = named()
    works = {
        key: {
            (re.sub("[{}]", "", name).split(",")[0].split()[-1], entry["year"])
            for name in entry.get("author", entry.get("editor", "")).split(" and ")
        }
        for key, entry in entries().items()
    }
    known = set().union(*works.values())
    unknown = {" ".join(who): where for who, where in written.items() if who not in known}
    assert not unknown, "docs/references.bib lacks them, or spells them in another way"
    assert not [key for key, names in works.items() if not names & set(written)], (
        "nobody cites them"
    )
