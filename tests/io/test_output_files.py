"""Writing: a failure gives one sentence, keeps the former file, and leaves no partial file."""

import errno
import os
import stat
from pathlib import Path

import click
import pytest

import rankagg as ra
from rankagg.cli.app import COMMANDS, app
from rankagg.cli.options import _OutputFile
from rankagg.exceptions import OutputError
from rankagg.io import output_files
from rankagg.io.json_files import write_votes
from rankagg.io.output_files import check_target, write_file, write_text
from rankagg.report.page import Report

BALLOTS = ra.datasets.load("tennessee")
WRITERS = {
    "page": lambda path: Report("title", "<html>", is_proved=True).save(path),
    "ballots": lambda path: ra.io.write_ballots(BALLOTS, path),
    "votes": lambda path: write_votes(BALLOTS.pairwise(), path),
    "text": lambda path: write_text(path, "new\n"),
}


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "result.csv"
    path.write_bytes(b"former")
    return path


@pytest.mark.parametrize("name", WRITERS)
def test_a_complete_file_replaces_the_former_one(target, name) -> None:
    target.chmod(0o640)
    WRITERS[name](target)
    assert list(content(target.parent)) == [target.name]
    assert target.read_bytes() != b"former"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


FAULTS = {
    "disk is full": OSError(errno.ENOSPC, "No space left on device"),
    "quota": OSError(errno.EDQUOT, "Disk quota exceeded"),
    "input/output error": OSError(errno.EIO, "Input/output error"),
    "interrupted": KeyboardInterrupt(),
    "out of memory": MemoryError(),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WRITERS)
def test_a_write_that_fails_leaves_the_former_file_and_nothing_else(
    monkeypatch, target, name, fault
) -> None:
    def fail(file: int) -> None:
        assert os.pread(file, 9, 0) not in (b"", b"former")  # only the last step is missing
        raise FAULTS[fault]

    monkeypatch.setattr(output_files.os, "fsync", fail)
    kind = OutputError if isinstance(FAULTS[fault], OSError) else type(FAULTS[fault])
    with pytest.raises(kind) as caught:
        WRITERS[name](target)
    assert content(target.parent) == {target.name: b"former"}
    if kind is OutputError:
        sentence = f"{target} cannot be written: {FAULTS[fault].strerror}. Nothing was changed."
        assert str(caught.value) == sentence


@pytest.mark.parametrize("name", WRITERS)
def test_a_folder_that_is_missing_or_in_the_place_of_the_file_is_named(tmp_path, name) -> None:
    with pytest.raises(OutputError, match=r"there is no folder .*nowhere\. Make it first"):
        WRITERS[name](tmp_path / "nowhere" / "file.csv")
    with pytest.raises(OutputError, match="it is a folder"):
        WRITERS[name](tmp_path)
    assert content(tmp_path) == {}


def test_a_folder_or_file_that_is_read_only_is_named(monkeypatch, target) -> None:
    real = os.access
    folder = f"the folder {target.parent} is read-only for you. Give another path."
    file = "the file is read-only. Give another path, or allow it."
    for closed, why in ((target.parent, folder), (target, file)):
        with monkeypatch.context() as patch:
            patch.setattr(os, "access", lambda path, how, no=closed: path != no and real(path, how))
            with pytest.raises(OutputError) as caught:
                check_target(target)
        assert str(caught.value) == f"{target} cannot be written: {why}"
    assert check_target(target) == target


@pytest.mark.parametrize(
    ("name", "shown", "why"),
    [("x" * 300, "x" * 300, "File name too long."),
     ("zero\0byte", "zero\\x00byte", "a path has no zero bytes.")],
)  # fmt: skip
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name, shown, why) -> None:
    with pytest.raises(OutputError) as caught:
        check_target(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / shown} cannot be written: {why}"


def test_a_file_is_written_next_to_its_target_first(target) -> None:
    seen = []
    write_file(target, lambda path: seen.append(path) or (path.write_bytes(b"new") and None))
    (written,) = seen
    assert (written.parent, written.suffix) == (target.parent, target.suffix)
    assert written.name.startswith(f".{target.stem}-")  # hidden, and named after the target
    assert content(target.parent) == {target.name: b"new"}


def test_a_disk_that_is_full_is_an_error_in_one_sentence() -> None:
    with pytest.raises(OutputError, match="/dev/full cannot be written: No space left on device"):
        write_text("/dev/full", "text" * 10_000)
    write_text(os.devnull, "text")


def test_a_symbolic_link_is_kept(tmp_path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real.txt").write_text("former")
    (tmp_path / "link.txt").symlink_to("there/real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "there" / "real.txt").read_text() == "new"


# -- the command line -----------------------------------------------------------------------------


def output_options() -> list[tuple[str, str, type]]:
    found = []
    for name in COMMANDS:
        command = app.get_command(click.Context(app), name)
        found += [
            (name, parameter.opts[-1], type(parameter.type))
            for parameter in command.params
            if isinstance(parameter, click.Option)
            and isinstance(parameter.type, click.Path)
            and not parameter.type.exists  # what is read is there already
        ]
    return found


def test_every_option_that_names_an_output_is_checked() -> None:
    assert {kind for *_, kind in output_options()} == {_OutputFile}
    assert len(output_options()) >= 17


def test_outputs_are_refused_before_the_work(tmp_path, run) -> None:
    (tmp_path / "file").write_text("former")
    for command, option, _ in output_options():
        bad = tmp_path / "nowhere/out.svg"
        # The data do not exist either: nobody has looked for them yet.
        result = run(command, "no-data.csv", option, bad, code=2)
        assert result.out == ""
        assert option in result.err
        assert "cannot be" in result.err
        assert "no-data" not in result.err
        assert content(tmp_path) == {"file": b"former"}
