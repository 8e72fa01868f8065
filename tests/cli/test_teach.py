"""`rankagg teach`: what it says where it cannot serve, and what it writes."""

import socket

import pytest

from rankagg.cli import main
from rankagg.cli.commands import teach


def run(*args):
    with pytest.raises(SystemExit) as stop:
        main(["teach", *args])
    return stop.value.code


def test_the_list_needs_no_marimo(capsys, monkeypatch) -> None:
    monkeypatch.setattr(teach, "find_spec", lambda name: None)
    assert run("--list") == 0
    assert capsys.readouterr().out.count("\n") == len(teach.APPS)


def test_what_is_missing_is_named_with_its_remedy(capsys, monkeypatch) -> None:
    monkeypatch.setattr(teach, "find_spec", lambda name: None)
    assert run() == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "pip install 'rankagg[teach]'" in said


def test_an_unknown_app_is_answered_with_the_nearest(capsys) -> None:
    assert run("laborotory") == 2
    assert "laboratory" in capsys.readouterr().err


def test_a_port_that_is_taken_is_named(capsys) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run("--no-browser", "--port", str(port)) == 2
    assert f"{port} cannot be had" in capsys.readouterr().err


def test_the_page_of_all_links_to_every_app() -> None:
    page = teach.list_of_apps()
    assert all(f'href="/{name}/"' in page for name in teach.APPS)


@pytest.mark.slow
def test_an_exported_page_shows_the_app_as_it_begins(capsys, tmp_path) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    assert run("cycle", "--export", str(tmp_path / "a" / "b")) == 0
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["cycle.html"]
    page = (tmp_path / "a" / "b" / "cycle.html").read_text(encoding="utf-8")
    assert "whoever is chosen, a majority prefers somebody else" in page
    assert not (teach.FOLDER_OF_APPS / "__marimo__").exists()
    assert "controls move nothing" in capsys.readouterr().out
