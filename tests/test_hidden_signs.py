"""Signs that steer a terminal or break XML leave the program escaped, in any label."""

import copy
import json
import pickle
import re
import warnings
import xml.etree.ElementTree as ET
from io import StringIO
from unicodedata import normalize

import matplotlib.pyplot as plt
import numpy as np
import pytest

import rankagg as ra
from rankagg import plotting
from rankagg.cli import main
from rankagg.core.items import ItemSet, label_column
from rankagg.exceptions import DataWarning, InvalidInputError, visible

HOSTILE = ["A\x1b[2J", "B\x07", "C\x9b31m", "D\rE", "F\nG", "H\u202eI", "J\ufffe"]
TASKS = [f"t\x1b]0;{i}" for i in range(6)]
RAW = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


def table():
    rng = np.random.default_rng(3)
    values = rng.random((len(HOSTILE), len(TASKS)))
    values[0, 0] = np.nan
    return ra.ScoreTable(values, systems=HOSTILE, tasks=TASKS, higher_is_better=True)


def clean(text):
    """Return whether a text holds nothing raw, and no label is on two lines."""
    return RAW.search(text) is None and "F\nG" not in text


# -- labels ---------------------------------------------------------------------------------------


def test_a_label_is_unchanged_and_shown_with_escapes():
    items = ItemSet(HOSTILE)
    assert list(items) == HOSTILE
    for item, text in zip(items, HOSTILE, strict=True):
        assert item == text
        assert hash(item) == hash(text)
        assert items.index(text) == HOSTILE.index(text)
        assert clean(str(item)) and clean(f"{item:>9}") and clean(repr(item))  # noqa: PT018
        assert json.loads(json.dumps(item)) == text
        for twin in (copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
            assert twin == text
            assert str(twin) == str(item)
    assert str(items[0]) == "A\\x1b[2J"
    assert str(items[4]) == "F\\nG"
    assert type(ItemSet(["plain", "\u00e9\u4e2d"])[1]) is str


def test_all_characters_but_the_hidden_ones_stay():
    every = "".join(map(chr, range(0x110000)))
    shown = visible(every)
    assert re.sub(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|[rt])", "", shown) == re.sub(
        RAW.pattern[:-1] + "\t\ud800-\udfff]|\\\\(?=[xurt])", "", every
    )


@pytest.mark.parametrize(
    "door",
    [
        ItemSet,
        lambda labels: ItemSet.coerce(None, labels),
        lambda labels: ra.Profile.from_orders([labels]),
        lambda labels: ra.ScoreTable(
            [[1.0, 2.0]], systems=["A"], tasks=labels, higher_is_better=True
        ),
        lambda labels: label_column([*labels, labels[0]], "groups"),
        lambda labels: ra.read_scores(
            StringIO(f"s,x\n{labels[0]},1\n{labels[1]},2\n"), higher_is_better=True
        ),
    ],
)
def test_twins_and_nul_are_refused(door):
    twins = [normalize(form, "caf\u00e9") for form in ("NFC", "NFD")]
    with pytest.raises(InvalidInputError, match=r"look different\. Got 'caf.* and 'caf"):
        door(twins)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they are alike
        assert door(["caf\u00e9", "cafe"]) is not None
    with pytest.raises(InvalidInputError, match="without NUL"):
        door(["A", "B\0"])


def test_a_label_equal_to_the_escapes_of_another_is_refused():
    with pytest.raises(InvalidInputError, match="look different"):
        ItemSet(["A\x1b", "A\\x1b"])


# -- output ---------------------------------------------------------------------------------------


def test_results_in_text_and_markup_are_escaped():
    data = table()
    profile = data.rankings()
    kemeny = ra.Kemeny().aggregate(data)
    found = [
        data, profile, profile.pairwise(), profile[0], kemeny, kemeny.ranking, data.systems,
        ra.compare(data), ra.explain(kemeny, HOSTILE[0], HOSTILE[4]), ra.rank_intervals(data),
        ra.inference.dispersion_report(data), ra.stability(data),
        ra.TournamentGraph(profile.pairwise()), ra.analysis.missing_report(data),
        ra.analysis.task_agreement(data), ra.inference.friedman(data.drop(tasks=TASKS[:1])),
        ra.inference.separation(data), ra.paired_test(data, *HOSTILE[1:3]),
        ra.teaching.show_steps(ra.Borda(), profile),
        ra.analysis.removal_radius(profile, ra.Borda()),
    ]  # fmt: skip
    for one in found:
        texts = [str(one), repr(one)]
        ways = ("_repr_html_", "summary", "to_latex", "to_markdown", "to_dot", "to_html")
        texts += [getattr(one, way)() for way in ways if hasattr(one, way)]
        for text in texts:
            assert clean(text), (type(one), RAW.search(text))


def test_messages_and_warnings_are_escaped():
    data = table()
    for wrong in (
        lambda: data.systems.index("a\x1b[2j"),
        lambda: data.drop(systems=["B"]),
        lambda: ItemSet(["A\x1b", "B"]).require_same(ItemSet(["A", "B"]), "two"),
        lambda: ra.read_scores(StringIO("s,x\x1b\nA,q\n"), higher_is_better=True),
        lambda: ra.Profile.from_orders([["A\x1b", "A\x1b"]]),
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            wrong()
        assert clean(str(caught.value)), ascii(str(caught.value))
    with pytest.raises(InvalidInputError, match=re.escape(r"Did you mean 'A\x1b[2J'?")):
        data.systems.index("A[2J")
    assert str(DataWarning("a\x1b")) == "a\\x1b"


def test_right_to_left_names_are_isolated_and_their_own_isolates_escaped():
    names = ["\u05e9\u05dc\u05d5\u05dd", "\u2068\u05d0\u2069", "plain"]
    isolated = f"\u2068{names[0]}\u2069"
    values = [[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]]
    data = ra.ScoreTable(values, systems=names, higher_is_better=True)
    html = ra.make_report(data).html
    assert f"{isolated} is ranked first" in html
    assert "\u2068\\u2068\u05d0\\u2069\u2069" in html
    assert RAW.search(re.sub("\u2068[^\u2068\u2069]+\u2069", "", html)) is None
    assert visible(f"{isolated} \u2068 {isolated}") == f"{isolated} \\u2068 {isolated}"
    cut = str(DataWarning(f"{'a' * 296}{isolated}{'b' * 900}"))
    assert RAW.search(cut) is None
    labels = plotting.missingness_map(data).get_yticklabels()
    assert labels[0].get_text() == f"{isolated}  0 of 2"


def test_plots_are_well_formed(tmp_path):
    data = table()
    graph = ra.TournamentGraph(data.rankings().pairwise())
    for number, one in enumerate([ra.compare(data), graph, ra.analysis.task_agreement(data)]):
        path = tmp_path / f"{number}.svg"
        with plt.rc_context({"svg.fonttype": "none"}):
            axes = one.plot()
            axes.figure.savefig(path)
        plt.close(axes.figure)
        ET.parse(path)
        assert clean(path.read_text(encoding="utf-8"))


# Of those that print alike one.
COMMANDS = [
    "rank --as latex",
    "tournament --plot {}.svg",
    "steps --rule borda -o {}.html",
    "report -o {}.html",
    "explain --pair nobody X",
    "fit --model plackett-luce",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_print_no_raw_signs(command, tmp_path, capsys):
    source = tmp_path / "a\x1bb.csv"
    rows = ["system,x\x1b,y,z"]
    rng = np.random.default_rng(1)
    rows += [f'"{name}",{",".join(f"{v:.3f}" for v in rng.random(3))}' for name in LABELS]
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = [LABELS[0] if word == "X" else LABELS[1] if word == "Y" else word
             for word in command.format(*[tmp_path / "out"] * 2).split()]  # fmt: skip
    with pytest.raises(SystemExit):
        main([words[0], str(source), *words[1:]])
    printed = capsys.readouterr()
    assert printed.out or printed.err
    texts = [printed.out, printed.err]
    for path in tmp_path.glob("out*"):
        text = path.read_text(encoding="utf-8")
        texts.append(text)
        if path.suffix in (".svg", ".graphml"):
            ET.parse(path)
    for text in texts:
        assert RAW.search(text) is None, ascii(text[max(RAW.search(text).start() - 60, 0) :][:90])


LABELS = ["A\x1b[2J", "B\x07", "C\x9b31m", "D\u202eE", "plain"]
