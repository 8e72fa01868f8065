"""Running experiments: the same bytes however they are run, and the files in the folder."""

import csv
import doctest
import re
from functools import partial
from importlib import import_module
from pathlib import Path

import joblib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies.corruption import CorruptionStudy
from replicate import main
from replication import leaderboards as tables
from replication import run as module
from replication.experiment import Experiment, Illustration, Sheet, beside
from replication.leaderboards import LEADERBOARDS, RUN, Leaderboard, Leaderboards, table_digest
from replication.p1 import BOARDS, name_of
from replication.published import (
    MISSED,
    NO_VERDICT,
    NOT_JUDGED,
    PAPERS,
    Published,
    judge,
    published,
)
from replication.run import EXPERIMENTS, replicate
from tests.conftest import DATA

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
NAME = "p1-figure-0"


def small(bench, found):
    """Run a study of nine rules on few tables."""
    study = ra.studies.CorruptionStudy(
        data=[ra.studies.LatentModel(step=0.3, n_systems=4, n_tasks=4, n_instances=2)],
        corruptions=[ra.studies.ReversedScores()], rules=[ra.Mean(), ra.Borda()],
        n_repetitions=bench.repetitions(7), rng=0,
    )  # fmt: skip
    result = bench.run(NAME, study)
    frame = result.to_frame()
    found.add("Figure 0", {"mean distance": frame["distance"].mean()})
    found.sheets.append(Sheet(NAME, "50 % & more, of <b>some_thing</b>", frame.head(3)))
    found.pictures.append(Illustration(NAME, "A figure & its <caption>", partial(result.plot)))
    found.sentences.append("A sentence with <script>alert(1)</script>.")


@pytest.fixture
def experiment(monkeypatch):
    """Let there be one experiment, of a study; return a function that sets its published row."""
    row = Published("P1", "Figure 0", "mean distance", "", "", "", "0.2", 1, 0, (), 7, False, "")

    def publish(**changes):
        entry = Published(**{**vars(row), **changes})
        monkeypatch.setattr(module, "published", lambda _: (entry,))

    publish()
    monkeypatch.setattr(
        module, "EXPERIMENTS", (Experiment(NAME, "a small study", ("Figure 0",), small),)
    )
    return publish


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_folder_has_all_files(experiment, tmp_path):
    result = replicate(output=tmp_path / "new" / "folder", progress=False)
    found = contents(tmp_path / "new" / "folder")
    assert {str(path) for path in found} == {
        "index.html", "replication.csv", "figures/p1-figure-0.pdf", "figures/p1-figure-0.svg",
        *(f"tables/p1-figure-0.{kind}" for kind in ("csv", "md", "tex")),
    }  # fmt: skip
    rows = pd.read_csv(tmp_path / "new/folder/replication.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(rows, result.to_frame(), check_dtype=False)
    assert rows.columns.tolist() == [
        "paper", "item", "quantity", "printed", "definition", "authors", "here", "verdict",
        "reason",
    ]  # fmt: skip
    page = found[Path("index.html")].decode()
    assert "<script>alert" not in page
    assert "A figure &amp; its &lt;caption&gt;" in page
    assert page.count("<svg ") == 1
    # How many rows have which verdict, in the heading; and rows that a narrow screen stacks.
    assert '<span class="finding">1 beyond the paper</span>' in page
    assert 'class="sortable stacked"' in page
    for name in ("printed", "definition", "authors", "here", "verdict", "reason"):
        assert f'data-name="{name}"' in page
    assert (
        r"\caption{50 \% \& more, of <b>some\_thing</b>}"
        in found[Path("tables/p1-figure-0.tex")].decode()
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_and_interruptions_change_no_byte(n_jobs, experiment, tmp_path, monkeypatch):
    once = tmp_path / "once"
    replicate(output=once, progress=False)
    again = tmp_path / "again"
    if n_jobs == 1:
        ran, calls = CorruptionStudy._try, []

        def interrupted(self, cell, prepared):
            calls.append(cell)
            if len(calls) == 12:
                raise KeyboardInterrupt
            return ran(self, cell, prepared)

        with monkeypatch.context() as patch:
            patch.setattr(CorruptionStudy, "_try", interrupted)
            with pytest.raises(KeyboardInterrupt):
                replicate(output=again, progress=False)
        assert len((again / "journals/p1-figure-0.jsonl").read_text().splitlines()) == 12
    with joblib.parallel_config("threading"):
        replicate(output=again, n_jobs=n_jobs, progress=False)
    assert contents(again) == contents(once)


def test_few_repetitions_are_not_judged(experiment, tmp_path):
    experiment(definition="0.123")
    (row,) = replicate(quick=True, progress=False).rows
    assert (row.verdict, row.reason) == ("not judged", "3 of 7 repetitions")
    assert float(row.here) > 0
    # What is not random has none, and is judged.
    experiment(repetitions=0)
    (row,) = replicate(quick=True, progress=False).rows
    assert row.verdict == "beyond the paper"


def test_a_fault_is_printed_and_fails_the_run(experiment, capsys):
    experiment(definition="0.123", tolerance=1e-9)
    assert main([]) == 1
    out = capsys.readouterr().out
    assert "not reached: P1, Figure 0, mean distance" in out
    assert "an independent program gives 0.123" in out


def test_a_quantity_without_a_row_raises_an_error(experiment):
    experiment(quantity="another")
    with pytest.raises(LookupError, match="what has no row"):
        replicate(progress=False)


def test_present_and_absent_tables_are_reported(experiment, tmp_path, data):
    experiment(needs=("XTREME", "GLUE"))
    (row,) = replicate(progress=False).rows
    assert row.verdict == "not judged"
    second = "https://github.com/AnasHimmi/MissingDataRanking"
    assert row.reason == (
        f"XTREME is not bundled: data_task/xtrem.csv of {second}; "
        f"GLUE is not bundled: data_task/glue.csv of {second}"
    )
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "xtreme.csv").write_text("system,A\nx,1\ny,2\n")
    (row,) = replicate(data=tmp_path, progress=False).rows
    assert row.reason.startswith("XTREME is in no file of the folder: data_task/xtrem.csv of")
    folder = data("tasks/xtreme.csv").parents[1]
    (row,) = replicate(data=folder, progress=False).rows
    assert row.verdict == "beyond the paper"


LAYOUTS = {
    "plain": "system,Score,A, B\nOne | Lab,1,3,5\nTwo,2,4,\n",
    "of the second paper": (
        'Model,\tScore,\tA,B\n"One\t-Lab   \tJan 3  2021",1,3,5\nTwo \t-,2, 4,\n'
    ),
    "instances": "system,instance,A,B\nx,0,1,2\ny,0,3,4\nx,1,5,6\ny,1,7,8\n",
    "of the first paper": "System,Utterance,A,B\n0,x,1,2\n0,y,3,4\n1,x,5,6\n1,y,7,8\n",
}


@pytest.mark.parametrize(
    "layouts", [("plain", "of the second paper"), ("instances", "of the first paper")]
)
def test_a_table_is_found_by_its_content_in_every_layout(tmp_path, layouts, monkeypatch):
    found = []
    for number, layout in enumerate(layouts):
        folder = tmp_path / str(number)
        (folder / "deep" / "down").mkdir(parents=True)
        (folder / "deep" / "down" / "any name.csv").write_text(LAYOUTS[layout])
        (folder / "empty.csv").touch()
        (folder / "other.csv").write_text("a;b\n1;2\n")
        found.append(set(Leaderboards(folder)._tables))
    plain, theirs = found
    assert len(plain & theirs) >= 2
    digest = min(plain & theirs)
    wanted = Leaderboard(digest, "somewhere", "any name.csv")
    monkeypatch.setattr(tables, "LEADERBOARDS", {"board": wanted})
    assert "board" in Leaderboards(tmp_path / "1")
    assert table_digest(Leaderboards(tmp_path / "1")["board"]).startswith(digest)


def test_the_files_of_the_authors_suffice(data):
    found = Leaderboards(data("authors/p1/final_df/MLQE.csv").parents[2])
    absent = [name for name in LEADERBOARDS if name not in found and name != RUN]
    assert absent == ["XTREME with gaps", "GEM BLEU", "dialogue with gaps"]
    assert found.content_of("glue_filtered.json") is not None
    assert found.content_of("nothing.json") is None


@pytest.mark.parametrize("board", BOARDS)
def test_names_of_systems_are_distinct(board, leaderboards):
    names = [name_of(board, system) for system in leaderboards[board].systems]
    assert len(set(names)) == len(names)


def test_unknown_names_and_bad_folders_are_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"Did you mean 'p1-table-1'\?"):
        replicate("p1-tabel-1")
    with pytest.raises(InvalidInputError, match="`data` must be a folder"):
        replicate("p1-table-1", data=tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Not a directory"):
        replicate("p1-table-1", output=tmp_path / "file" / "folder")


def test_the_command_writes_the_folder_and_lists_experiments(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["p1-table-1", "-o", str(out)]) == 0
    assert f"wrote: {out / 'index.html'}" in capsys.readouterr().out
    with (out / "replication.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 21
    assert main(["--list"]) == 0
    assert "p1-table-1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["p1-tabel-1"], "Did you mean 'p1-table-1'?"),
        (["--data", "nowhere"], "`data` must be a folder of leaderboards. Got 'nowhere'."),
        (["p1-table-1", "-o", "{file}/folder"], "Not a directory"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(arguments, words, tmp_path, capsys):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as left:
        main([argument.replace("{file}", str(tmp_path / "file")) for argument in arguments])
    assert left.value.code == 2
    assert words in capsys.readouterr().err.splitlines()[-1]


def test_commands_in_pages_are_commands(capsys):
    pages = [ROOT / "README.md", ROOT / ".ci" / "run", *ROOT.glob("examples/papers/*.*")]
    texts = [page.read_text(encoding="utf-8") for page in [*pages, *DOCS.rglob("*.rst")]]
    lines = re.findall(r"python examples/papers/replicate\.py(.*)", "\n".join(texts))
    assert len(lines) >= 6
    for line in lines:
        assert main([*line.split(), "--list"]) == 0


@pytest.mark.parametrize("module", ["experiment", "p2_as_run", "published", "run"])
def test_examples_in_docstrings_are_true(module):
    found = doctest.testmod(import_module(f"replication.{module}"))
    assert found.attempted
    assert not found.failed


@pytest.fixture(scope="module")
def kept():
    """Return the rows in the documentation, by their place in the paper."""
    with (DOCS / "replication" / "replication.csv").open(encoding="utf-8", newline="") as file:
        return {_place(row): row for row in csv.DictReader(file)}


def _place(row):
    return row["paper"], row["item"], row["quantity"]


def test_every_published_quantity_has_a_row(kept):
    assert kept.keys() == {
        (paper, row.item, row.quantity) for paper in PAPERS for row in published(paper)
    }


def test_all_rows_are_judged_without_a_fault(kept):
    for row in kept.values():
        assert row["verdict"] not in ("not judged", "not reached"), row
        assert row["reason"], row


# -- every verdict can fail ----------------------------------------------------------------------


def changed(value):
    """Return other values: a number 5 % off either way or none at all, another text."""
    if isinstance(value, str):
        return [f"{value} or so", "", 1.0]
    return [value * 1.05 or 0.05, value * 0.95 or -0.05, "another"]


def typed(text):
    """Return a value of a file as it was before it was written."""
    try:
        return float(text)
    except ValueError:
        return text


def test_a_changed_value_is_a_fault_in_every_judged_row(kept):
    judged = 0
    for paper in PAPERS:
        for entry in published(paper):
            row = kept[paper, entry.item, entry.quantity]
            if row["verdict"] == NO_VERDICT:
                assert entry.is_open
                continue
            judged += 1
            here = typed(row["here"])
            assert not judge(entry, here).is_fault, row
            for other in changed(here):
                assert judge(entry, other).is_fault, (row, other)
            if entry.authors:
                for other in changed(typed(entry.authors)):
                    assert judge(entry, here, other).is_fault, (row, other)
    assert judged > 1500


# On their own tables these take half a minute; on small ones test_figures holds them to all orders.
LONG = {"p1-section-5.3", "p1-exact"}


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_experiments_without_randomness_give_the_stored_rows(kept, long):
    folder = DATA if DATA.is_dir() else None
    random = {(paper, row.item) for paper in PAPERS for row in published(paper) if row.repetitions}
    names = [
        one.name
        for one in EXPERIMENTS
        if not {(one.paper, item) for item in one.items} & random and (one.name in LONG) == long
    ]
    frame = replicate(*names, data=folder, progress=False).to_frame()
    judged = frame[frame["verdict"] != "not judged"].to_dict("records")
    assert judged
    for row in judged:
        assert row == kept[_place(row)]


@pytest.mark.parametrize("name", ["p2-figure-2", pytest.param("p2", marks=pytest.mark.slow)])
def test_without_data_rows_are_not_judged_with_a_reason(name):
    bundled = replicate(name, quick=True, progress=False).rows
    for row in bundled:
        assert row.verdict != MISSED
        # What is bundled and not random is judged.
        if row.verdict == NOT_JUDGED:
            reasons = ("not bundled", "repetitions", "not computed")
            assert any(words in row.reason for words in reasons), row
    names = ("p1-tables-3-6", "p1-table-7", "p1-section-5.3")
    rows = replicate(*names, progress=False).rows
    assert {row.verdict for row in rows} == {NOT_JUDGED, NO_VERDICT}
    assert not any(row.here for row in rows if row.verdict == NOT_JUDGED)


@pytest.mark.slow
def test_a_whole_run_gives_the_same_rows(kept, data):
    folder = data("tasks/xtreme.csv").parents[1]
    frame = replicate(data=folder, n_jobs=2, progress=False).to_frame()
    rows = frame.to_dict("records")
    assert [_place(row) for row in rows] == list(kept)
    # The run on instances may be elsewhere.
    judged = [row for row in rows if not row["reason"].startswith(RUN)]
    assert judged == [kept[_place(row)] for row in judged]


def test_the_papers_page_links_to_items_that_exist():
    text = (DOCS / "explanation" / "papers.rst").read_text(encoding="utf-8")
    links = set(re.findall(r":ref:`[^`<]*<(p\d-[^>]*)>`", text))
    items = {
        re.sub(r"[^a-z0-9]+", "-", f"{paper} {row.item}".lower()).strip("-")
        for paper in PAPERS
        for row in published(paper)
    }
    assert links <= items
    assert len(links) > 20


def test_plots_are_side_by_side_below_their_titles():
    comparison = ra.compare(ra.datasets.load("borda_fails_condorcet"))
    study = ra.studies.TaskSubsetStudy(
        data=ra.datasets.load("xtreme_human"), n_repetitions=2, rng=0
    )
    result = study.run()
    first = beside({"a": comparison.plot, "b": result.plot, "c": comparison.plot})
    figure = first.figure
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["a", "b", "c"]
    figure.draw_without_rendering()
    with_legend = figure.axes[1]
    title = with_legend._left_title.get_window_extent()
    assert title.y0 >= with_legend.get_legend().get_window_extent().y1
    plt.close(figure)
