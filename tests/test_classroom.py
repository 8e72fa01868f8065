"""`rankagg teach`: what it says where it cannot serve, and what it writes."""

import asyncio
import re
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

import rankagg
from rankagg import classroom
from rankagg.classroom import APPS, FORMS, LECTURES, OwnOrigin, forms, front_page, notebooks
from rankagg.cli import main
from rankagg.cli.commands import learning
from rankagg.exceptions import OutputError


def run(*args):
    with pytest.raises(SystemExit) as stop:
        main(["teach", *args])
    return stop.value.code


def test_the_list_needs_no_marimo(capsys, monkeypatch) -> None:
    monkeypatch.setattr(learning, "find_spec", lambda name: None)
    assert run("--list") == 0
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines if line[:3].strip() and line[0] == " "]
    assert lines[-1].startswith("A lecture is slides and sheets too: borda-slides")
    assert names == list(notebooks())
    assert names == [*LECTURES, *APPS]
    assert all(one.title in "".join(lines) for one in notebooks().values())


def test_what_is_missing_is_named_with_its_remedy(capsys, monkeypatch) -> None:
    monkeypatch.setattr(learning, "find_spec", lambda name: None)
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
    said = capsys.readouterr().err
    assert f"{port} cannot be had" in said
    assert "Leave --port out for a free one." in said


def test_copies_are_the_files_and_edited_ones_are_kept(capsys, tmp_path) -> None:
    folder = tmp_path / "my" / "course"
    assert run("--copy", str(folder)) == 0
    assert {path.stem for path in folder.glob("*.py")} == set(notebooks())
    # What marimo does not find beside a notebook, it leaves out without a word.
    for copy in folder.glob("*.py"):
        styles = re.findall(r'css_file="([^"]+)"', copy.read_text(encoding="utf-8"))
        assert len(styles) == 1
        assert (folder / styles[0]).is_file()
    capsys.readouterr()
    for name, one in notebooks().items():
        assert (folder / f"{name}.py").read_bytes() == one.path.read_bytes()
    (folder / "mallows.py").unlink()
    # What is there unchanged is in nobody's way.
    assert run("mallows", "--copy", str(folder)) == 0
    (folder / "cycle.py").write_text("mine", encoding="utf-8")
    (folder / "mallows.py").unlink()
    assert run("--copy", str(folder)) == 1
    assert ".py would be replaced" in (said := capsys.readouterr().err)
    assert "may have been edited" in said
    assert not (folder / "mallows.py").exists()
    assert (folder / "cycle.py").read_text(encoding="utf-8") == "mine"


def test_a_copy_that_fails_leaves_nothing_behind(capsys, tmp_path, monkeypatch) -> None:
    whole = classroom.write_text

    def full(target, text):
        if target.suffix == ".css":
            raise OutputError(f"{target} cannot be written: No space left on device.")
        whole(target, text)

    monkeypatch.setattr(classroom, "write_text", full)
    assert run("cycle", "--copy", str(tmp_path)) == 1
    assert "No space left" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_page_of_all_links_to_every_lecture_and_app() -> None:
    page = front_page(notebooks())
    assert all(f'href="{name}/"' in page for name in notebooks())


def test_forms_of_lectures_are_their_files_with_other_words() -> None:
    for name, form in forms().items():
        text = (files := form.files())[f"{name}.py"]
        plain = form.path.read_text(encoding="utf-8")
        for word, other in FORMS[form.form].items():
            assert word in plain
            plain = plain.replace(word, other)
        assert plain == text
        (layout,) = re.findall(r'layout_file="(.+?)"', text) or [None]
        assert set(files) == {f"{name}.py", *re.findall(r'css_file="(.+?)"', text), layout} - {None}
        assert 'href="{name}/"' in front_page({**notebooks(), **forms()}).replace(name, "{name}")


@pytest.mark.slow
@pytest.mark.parametrize("name", LECTURES)
def test_slides_are_read_from_the_last_row(tmp_path, browser, name) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    assert run(f"{name}-slides", "--export", str(tmp_path)) == 0
    with served(tmp_path) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{address}{name}-slides.html")
        page.locator(".slides section h1").wait_for()
        n_slides = page.locator(".slides section").count()
        assert n_slides > 35
        for _ in range(n_slides):
            letters, is_wide = page.evaluate(LETTERS)
            assert min(letters, default=28) >= 28
            assert not is_wide
            page.keyboard.press("ArrowRight")


# The sizes of the letters on a slide, formulas and pictures aside, and whether it goes beyond.
LETTERS = """() => {
  const all = [...document.querySelectorAll(".slides section.present")].at(-1), sizes = [];
  const scale = all.getBoundingClientRect().width / all.offsetWidth;
  const look = root => { for (const one of root.querySelectorAll("*")) {
    if (one.shadowRoot) look(one.shadowRoot);
    if (one.closest("style, script, svg, .katex") || !one.getClientRects().length) continue;
    if ([...one.childNodes].some(node => node.nodeType == 3 && node.textContent.trim()))
      sizes.push(parseFloat(getComputedStyle(one).fontSize) * scale);
  } };
  look(all);
  return [sizes, [...all.querySelectorAll("*")].some(
    one => one.dataset.testid == "slide-scroll-container"
      && one.scrollWidth > one.clientWidth + 1)];
}"""


@pytest.mark.slow
def test_sheets_have_exercises_and_nothing_else(tmp_path, browser) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    for form, n_solutions in (("exercises", 0), ("solutions", 7)):
        assert run(f"borda-{form}", "--export", str(tmp_path)) == 0
        with served(tmp_path) as address:
            page = browser.new_page()
            page.goto(f"{address}borda-{form}.html")
            page.get_by_text("Prove", exact=False).last.wait_for()
            shown = [
                one.inner_text() for one in page.get_by_role("heading").all() if one.is_visible()
            ]
            # Solutions have steps with heads; sections of the lecture are numbered.
            assert shown[0] == "Exercises"
            assert (shown[1:] == []) == (n_solutions == 0)
            assert not any(head[0].isdigit() for head in shown)
            assert page.get_by_text("Solution", exact=True).count() == n_solutions
            assert page.get_by_text("Local search can get stuck").is_visible()


def test_the_list_of_pages_has_those_that_were_there_before(tmp_path, monkeypatch) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    monkeypatch.setattr(classroom.shutil, "copytree", lambda *_, **__: None)  # 28 MB
    (tmp_path / "cycle.html").touch()
    (tmp_path / "paradoxes.html").touch()
    classroom.framed(notebooks(), tmp_path)
    listed = (tmp_path / "index.html").read_text(encoding="utf-8")
    names = [name for name in notebooks() if f'href="{name}.html"' in listed]
    assert names == ["paradoxes", "cycle"]


@pytest.mark.slow
def test_exported_pages_show_how_an_app_begins_and_load_nothing_from_elsewhere(
    capsys, tmp_path, browser
) -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    folder = tmp_path / "a" / "b"
    assert run("cycle", "--export", str(folder)) == 0
    assert {path.name for path in folder.iterdir()} == {"cycle.html", "index.html", "marimo"}
    assert 'href="cycle.html"' in (folder / "index.html").read_text(encoding="utf-8")
    assert not (Path(rankagg.__file__).parent / "apps" / "__marimo__").exists()
    assert "controls move nothing" in capsys.readouterr().out
    asked, complaints = set(), []
    with served(folder) as address:
        page = browser.new_page()
        page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.goto(f"{address}index.html")
        page.get_by_role("link", name="The Condorcet cycle").click()
        page.get_by_text("whoever is chosen, a majority prefers somebody else").wait_for()
        assert page.locator("svg line.against").count() == 1
        assert page.get_by_role("slider").count() == 3
    assert asked - {""} == {urlsplit(address).netloc}
    assert complaints == []


@contextmanager
def served(folder):
    """Let any web server give a folder out."""
    handler = partial(QuietHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing."""


# -- who may ask ----------------------------------------------------------------------------------

OWN = "http://127.0.0.1:2718"
HOSTILE = ["http://evil.example", "null", "http://127.0.0.1:2719", "https://127.0.0.1:2718",
           "http://localhost:2718", "http://127.0.0.1:2718.evil.example", ""]  # fmt: skip


def asked(kind, method="GET", *, host="127.0.0.1:2718", origins=()):
    """Return what a server says to a request: the messages of ASGI, and whether it was let in."""
    let_in, said = [], []

    async def pages(scope, receive, send):
        let_in.append(scope)
        headers = [(b"Access-Control-Allow-Origin", b"*"), (b"content-type", b"text/html")]
        await send({"type": f"{kind}.start", "headers": headers})

    async def send(message):
        said.append(message)

    named = [] if host is None else [(b"host", host.encode())]
    scope = {"type": kind, "method": method,
             "headers": [*named, *((b"Origin", one.encode()) for one in origins)]}  # fmt: skip
    # Tests of pages may have left an event loop in this thread.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, OwnOrigin(pages, 2718)(scope, None, send)).result()
    return bool(let_in), said


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_other_origins_and_hosts_are_refused(kind) -> None:
    for origin in HOSTILE:
        let_in, said = asked(kind, origins=[origin])
        assert not let_in, origin
        assert said[0].get("status", 1008) in (403, 1008)
        assert "headers" not in said[0] or not said[0]["headers"]
    for host in ("evil.example", "evil.example:2718", "127.0.0.1", "127.0.0.1:2719", "", None):
        assert not asked(kind, host=host, origins=[OWN])[0], host
        assert not asked(kind, host=host, origins=[f"http://{host}"])[0], host
    assert not asked(kind, origins=[OWN, OWN])[0]
    assert asked(kind, origins=[OWN])[0]
    assert asked(kind, host="localhost:2718", origins=["http://localhost:2718"])[0]


def test_only_plain_requests_may_leave_their_origin_out() -> None:
    assert asked("http")[0]
    assert asked("http", "HEAD")[0]
    assert not asked("http", "POST")[0]
    assert not asked("http", "OPTIONS")[0]
    assert not asked("websocket")[0]


def test_no_other_origin_is_told_that_it_may_read() -> None:
    _, said = asked("http", origins=[OWN])
    assert said[0]["headers"] == [(b"content-type", b"text/html")]


def test_a_server_that_runs_refuses_sockets_of_others() -> None:
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    client = pytest.importorskip("websockets.sync.client")
    from websockets.exceptions import InvalidStatus  # noqa: PLC0415

    command = [sys.executable, "-m", "rankagg", "teach", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = urlsplit(server.stdout.readline().split()[1])
            path = f"ws://{address.netloc}/cycle/ws?session_id=s_1"
            for origin in ("http://evil.example", None):
                with pytest.raises(InvalidStatus) as refused:
                    client.connect(path, origin=origin, open_timeout=60)
                assert refused.value.response.status_code == 403
            own = f"http://{address.netloc}"
            with client.connect(path, origin=own, open_timeout=60) as connection:
                assert connection.recv(timeout=60)
            page = Request(f"{own}/cycle/", headers={"Origin": own})
            with urlopen(page, timeout=60) as answer:
                assert "access-control-allow-origin" not in answer.headers
                assert b"<marimo" in answer.read()
            for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
                with pytest.raises(HTTPError, match="403"):
                    urlopen(Request(f"{own}/cycle/", headers=headers), timeout=60)
        finally:
            server.terminate()
