from click.testing import CliRunner
from judgments import read_judgments

import rankagg as ra
from rankagg.cli.app import app
from rankagg.testing.commands import ReaderContract


class TestJudgments(ReaderContract):
    read = read_judgments
    text = '{"prompt": 1, "ranking": ["b", "a"]}\n{"prompt": 2, "ranking": ["a"]}\n'
    broken = ('{"prompt": 1}\n', '["b", "a"]\n')


def test_judgments_are_recognized(tmp_path):
    path = tmp_path / "judgments.jsonl"
    path.write_text(TestJudgments.text, encoding="utf-8")
    assert ra.recognize(path).read() == read_judgments(path)
    for typed, words in (
        (["--unranked", "last"], "1    a"),
        (["--format", "judgments"], "1    a"),
        (["--count", "n"], "--count has no meaning for judgments"),
    ):
        assert words in CliRunner().invoke(app, ["rank", str(path), *typed]).output
