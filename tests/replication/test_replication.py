"""Running experiments: the same bytes however it was run, and what stands in the folder."""

import csv
import json
import shutil
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import rankagg as ra
from rankagg.cli.app import main
from rankagg.exceptions import InvalidInputError, OutputError
from rankagg.replication import replication as module
from rankagg.replication.experiment import Experiment, Found, Picture, Sheet
from rankagg.replication.published import Published
from rankagg.studies.corruption import CorruptionStudy

ROOT = Path(__file__).resolve().parents[2]
NAME = "p1-figure-0"


def small(bench):
    """Run a study of nine rules on few tables."""
    study = ra.studies.ManipulationStudy(
        aggregators=[ra.Mean(), ra.Borda()], steps=[0.3], n_systems=4, n_tasks=4, n_instances=2,
        n_repetitions=bench.repetitions(7),
    )  # fmt: skip
    result = bench.run(NAME, study)
    frame = result.to_frame().drop(columns="runtime")
    return Found(
        {("Figure 0", "mean distance"): float(frame["distance"].mean())},
        sheets=(Sheet("p1-figure-0", "50 % & more, of <b>some_thing</b>", frame.head(3)),),
        pictures=(Picture("p1-figure-0", "A figure & its <caption>", partial(result.plot)),),
        sentences=("A sentence with <script>alert(1)</script>.",),
    )


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


def test_everything_is_in_the_folder(experiment, tmp_path):
    result = ra.replication.replicate(output=tmp_path / "new" / "folder", progress=False)
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


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_same_bytes_whatever_the_workers_and_interruptions(
    n_jobs, experiment, tmp_path, monkeypatch
):
    once = tmp_path / "once"
    ra.replication.replicate(output=once, progress=False)
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
                ra.replication.replicate(output=again, progress=False)
        assert len((again / "journals/p1-figure-0.jsonl").read_text().splitlines()) == 12
    ra.replication.replicate(output=again, n_jobs=n_jobs, progress=False)
    assert contents(again) == contents(once)


def test_few_repetitions_are_not_judged(experiment, tmp_path):
    experiment(definition="0.123")
    (row,) = ra.replication.replicate(quick=True, progress=False).rows
    assert (row.verdict, row.reason) == ("not judged", "3 of 7 repetitions")
    assert float(row.here) > 0


def test_a_fault_is_said_and_is_a_failure(experiment, capsys):
    experiment(definition="0.123", tolerance=1e-9)
    with pytest.raises(SystemExit) as left:
        main(["replicate"])
    assert left.value.code == 1
    out = capsys.readouterr().out
    assert "not reached: P1, Figure 0, mean distance" in out
    assert "an independent program gives 0.123" in out


def test_what_has_no_row_is_an_error(experiment):
    experiment(quantity="another")
    with pytest.raises(LookupError, match="what has no row"):
        ra.replication.replicate(progress=False)


def test_tables_that_are_not_there(experiment, tmp_path):
    experiment(needs=("XTREME", "GLUE"))
    (row,) = ra.replication.replicate(progress=False).rows
    assert row.verdict == "not judged"
    assert row.reason == (
        "needs tasks/xtreme.csv, which is not bundled; "
        "needs tasks/glue_full.csv, which is not bundled"
    )
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "xtreme.csv").write_text("system,A\nx,1\ny,2\n")
    (row,) = ra.replication.replicate(data=tmp_path, progress=False).rows
    assert row.reason == (
        "tasks/xtreme.csv is another version than the papers'; "
        "there is no tasks/glue_full.csv in the folder of the data"
    )


def test_tables_that_are_there(experiment, data):
    experiment(needs=("XTREME",))
    folder = data("tasks/xtreme.csv").parents[1]
    (row,) = ra.replication.replicate(data=folder, progress=False).rows
    assert row.verdict == "beyond the paper"


def test_names(tmp_path):
    with pytest.raises(InvalidInputError, match=r"Did you mean 'p1-table-1'\?"):
        ra.replication.replicate("p1-tabel-1")
    with pytest.raises(InvalidInputError, match="`data` must be a folder"):
        ra.replication.replicate("p1-table-1", data=tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="cannot be made"):
        ra.replication.replicate("p1-table-1", output=tmp_path / "file" / "folder")


def test_the_command(tmp_path, capsys):
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as left:
        main(["replicate", "p1-table-1", "--json", "-o", str(out)])
    assert left.value.code == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    with (out / "replication.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == rows
    shutil.rmtree(out)
    with pytest.raises(SystemExit):
        main(["replicate", "--list"])
    assert "p1-table-1" in capsys.readouterr().out
