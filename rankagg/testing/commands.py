"""Contract suites of commands and of file readers."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click
import pytest

from rankagg.exceptions import RankaggError

__all__ = ["CommandContract", "ReaderContract"]

# Files that no command can read, by their names.
UNREADABLE: Mapping[str, bytes | None] = {
    "absent": None,
    "empty": b"",
    "binary": bytes(range(256)),
    "cut": b'{"schema": "x", "items": [',
    "header": b"system,task\n",
}


# Most characters of an error line.
LONGEST_FAULT = 620


@dataclass(frozen=True)
class _CommandOutcome:
    """The exit code and the output of a call."""

    code: int
    # The texts of the standard output and the standard error.
    out: str
    err: str

    @property
    def fault(self) -> str:
        """The error line; raises if there is not exactly one."""
        lines = [line for line in self.err.splitlines() if line.lower().startswith("error: ")]
        assert len(lines) == 1, f"not one sentence about the fault: {self.err!r}"
        assert len(lines[0]) <= LONGEST_FAULT, f"more than a screen: {lines[0]}"
        return lines[0]


class CommandContract:
    """Tests of help, work, JSON, exit codes and bad input of all commands of a click group.

    The exit code must be 2 if options or arguments are wrong, and 1 or 2 if files cannot be read.

    Subclass it and set `group`; new commands of the group are tested automatically.

    Attributes
    ----------
    group : click.Group
        The commands.
    program : str
        The program's name, as in the examples of the help texts; by default the name of the group.
    arguments : mapping from str to sequence of str
        Arguments with which each command works on available data; none by default.
    main : callable, optional
        A function that runs a list of arguments and exits, for instance one that converts errors to
        messages and exit codes; by default the group.

    Examples
    --------
    >>> from rankagg.cli import main
    >>> from rankagg.cli.app import app
    >>> from rankagg.testing.commands import CommandContract
    >>> class TestCommands(CommandContract):
    ...     group, program, main = app, "rankagg", main
    ...     arguments = {"rank": ["--dataset", "tennessee"]}
    """

    group: ClassVar[click.Group]
    program: ClassVar[str | None] = None
    arguments: ClassVar[Mapping[str, Sequence[str]]] = {}
    main: ClassVar[Callable[[list[str]], object] | None] = None

    def prepare(self, folder: Path) -> None:
        """Write the files that `arguments` name into the current, empty folder."""

    # -- finding and calling commands ---------------------------------------------------------

    def run(self, path: str, *args: str) -> _CommandOutcome:
        """Call a command and return its exit code and output; any exception fails the test."""
        out, err = io.StringIO(), io.StringIO()
        given = [path, *args]
        main = type(self).main
        code: Any = 0
        with redirect_stdout(out), redirect_stderr(err):
            try:
                if main is None:
                    self.group.main(args=given, prog_name=self._program)
                else:
                    main(given)
            except SystemExit as stop:
                code = stop.code or 0
        assert isinstance(code, int), f"exits with {code!r}, which is no code"
        assert "Traceback" not in err.getvalue(), err.getvalue()
        return _CommandOutcome(code, out.getvalue(), err.getvalue())

    @property
    def _program(self) -> str:
        return self.program or self.group.name or ""

    def _given(self, path: str) -> list[str]:
        return list(self.arguments.get(path, ()))

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run each test for every command, option or file."""
        commands = _commands_of(self.group)
        names = metafunc.fixturenames
        if "choice" in names:
            chosen = [
                (path, one.opts[0], one.type.choices[-1])
                for path, command in commands.items()
                for one in command.params
                if isinstance(one, click.Option) and isinstance(one.type, click.Choice)
            ]
            ids = [f"{path} {option}" for path, option, _ in chosen]
            metafunc.parametrize(("path", "option", "choice"), chosen, ids=ids)
        elif "file" in names:
            read = [path for path, command in commands.items() if _files(command)]
            cases = [(path, file) for path in read for file in UNREADABLE]
            metafunc.parametrize(("path", "file"), cases, ids=[" ".join(case) for case in cases])
        elif "path" in names:
            metafunc.parametrize("path", list(commands), ids=list(commands))

    @pytest.fixture
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """Change into an empty folder, with the files that `prepare` writes."""
        monkeypatch.chdir(tmp_path)
        self.prepare(tmp_path)
        return tmp_path

    # -- help -----------------------------------------------------------------------------------

    def test_help_says_what_the_command_does_and_all_that_it_takes(self, path: str) -> None:
        command = _commands_of(self.group)[path]
        names = {name for one in command.params for name in one.opts}
        call = self.run(path, "--help-all" if "--help-all" in names else "--help")
        assert (call.code, call.err) == (0, "")
        summary = command.get_short_help_str(limit=1000)
        assert summary.endswith("."), f"no sentence sums {path} up: {summary!r}"
        assert summary in " ".join(call.out.split())
        for one in command.params:
            if isinstance(one, click.Argument):
                assert one.human_readable_name in call.out
            elif not getattr(one, "hidden", False):
                assert all(name in call.out for name in one.opts), f"{one.opts} is not listed"
                assert getattr(one, "help", None), f"{one.opts} is not explained"
        examples = call.out.partition("\n")[2]
        assert f"{self._program} {path}" in examples, f"no example calls {path}"

    # -- work -----------------------------------------------------------------------------------

    def test_it_does_its_work(self, folder: Path, path: str) -> None:
        before = set(folder.iterdir())
        call = self.run(path, *self._given(path))
        assert call.code == 0, f"exits with {call.code}: {call.err}"
        assert call.out or set(folder.iterdir()) - before, f"{path} left nothing"

    def test_json_is_one_object_with_its_schema_and_version(self, folder: Path, path: str) -> None:
        if not any("--json" in one.opts for one in _commands_of(self.group)[path].params):
            return
        call = self.run(path, *self._given(path), "--json")
        assert call.code == 0, call.err
        found = json.loads(call.out, parse_constant=_no_json)
        assert isinstance(found, dict), f"{path} prints no object"
        assert isinstance(found.get("schema"), str), f"{path} prints no schema"
        assert isinstance(found.get("version"), int), f"{path} prints no version"

    # -- bad input ------------------------------------------------------------------------------

    def test_an_unknown_option_is_bad_usage(self, path: str) -> None:
        call = self.run(path, "--no-such-option")
        assert (call.code, call.out) == (2, "")
        assert "--no-such-option" in call.fault

    def test_an_unknown_choice_names_the_option_and_suggests(
        self, folder: Path, path: str, option: str, choice: str
    ) -> None:
        call = self.run(path, *self._given(path), option, f"{choice}x")
        assert (call.code, call.out) == (2, "")
        assert option in call.fault, f"{option} is not named: {call.fault}"
        assert f"Did you mean '{choice}'?" in call.fault, f"no suggestion: {call.fault}"

    def test_a_missing_argument_is_bad_usage(self, path: str) -> None:
        if any(one.required for one in _commands_of(self.group)[path].params):
            call = self.run(path)
            assert (call.code, call.out) == (2, "")
            assert call.fault

    def test_files_that_cannot_be_read_end_with_one_sentence(
        self, folder: Path, path: str, file: str
    ) -> None:
        content = UNREADABLE[file]
        if content is not None:
            (folder / f"{file}.dat").write_bytes(content)
        command = _commands_of(self.group)[path]
        given = [f"{file}.dat"] * len(_files(command))
        call = self.run(path, *_required(command, self._given(path)), *given)
        assert call.code in (1, 2), f"exits with {call.code}: {call.err}"
        assert call.out == "", f"prints results of an unreadable file: {call.out}"
        assert f"{file}.dat" in call.fault

    def test_an_unknown_command_suggests_the_nearest(self) -> None:
        for path in _commands_of(self.group):
            call = self.run(f"{path}x")
            assert (call.code, call.out) == (2, "")
            assert f"Did you mean '{path}'?" in call.fault, f"no suggestion: {call.fault}"


def _commands_of(group: click.Group) -> dict[str, click.Command]:
    """Return all commands of a group by name."""
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: one for name, one in found.items() if one is not None and not one.hidden}


def _files(command: click.Command) -> list[click.Parameter]:
    """Return the arguments that name files to read."""
    return [
        one
        for one in command.params
        if isinstance(one, click.Argument) and isinstance(one.type, click.Path | click.File)
    ]


def _required(command: click.Command, given: list[str]) -> list[str]:
    """Return the required options among working arguments."""
    # Use the values as typed, since a converted value may be an open file.
    typed, _, _ = command.make_parser(click.Context(command)).parse_args(list(given))
    kept = []
    for one in command.params:
        if isinstance(one, click.Option) and one.required:
            value = typed[one.name]
            kept += [one.opts[0], *map(str, value if isinstance(value, tuple) else (value,))]
    return kept


def _no_json(word: str) -> Any:
    raise AssertionError(f"{word} is not JSON")


class ReaderContract:
    r"""Tests of a text reader: files and streams alike, and errors in one sentence.

    Subclass it and set `read`, a function of a path or an open text stream, and `text`, the content
    of a file; `broken` are further contents that the reader must refuse.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.commands import ReaderContract
    >>> class TestMatrix(ReaderContract):
    ...     read = ra.io.read_matrix
    ...     text = "2\n0 3\n1 0\n"
    """

    read: ClassVar[Callable[..., Any]]
    text: ClassVar[str]
    broken: ClassVar[tuple[str, ...]] = ()

    def _read(self, source: object) -> Any:
        return type(self).read(source)

    def test_a_file_is_read_as_a_stream_is(self, tmp_path: Path) -> None:
        path = tmp_path / "data.txt"
        path.write_text(self.text, encoding="utf-8")
        assert self._read(path) == self._read(str(path)) == self._read(io.StringIO(self.text))

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old"])
    def test_marks_and_line_ends_do_not_matter(self, tmp_path: Path, end: str) -> None:
        path = tmp_path / "data.txt"
        path.write_bytes(b"\xef\xbb\xbf" + self.text.replace("\n", end).encode())
        assert self._read(path) == self._read(io.StringIO(self.text))

    @pytest.mark.parametrize("kind", [kind for kind in UNREADABLE if kind != "header"])
    def test_an_unreadable_file_is_named(self, tmp_path: Path, kind: str) -> None:
        path = tmp_path / "data.txt"
        content = UNREADABLE[kind]
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(RankaggError, match=r"data\.txt"):
            self._read(path)

    def test_broken_files_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "data.txt"
        for text in self.broken:
            path.write_text(text, encoding="utf-8")
            with pytest.raises(RankaggError, match=r"data\.txt"):
                self._read(path)
