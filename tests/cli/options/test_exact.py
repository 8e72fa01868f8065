"""Commands that may search long end at a time limit, and say that it was met."""

import inspect

import pytest

import rankagg as ra
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.ranked_pairs import locked_in_every_way, locked_paths
from rankagg.cli import main
from rankagg.exceptions import OutOfTimeError

LIMITED = ["rank", "dispersion", "compare", "explain", "solve", "stability", "removals", "report",
           "study", "tournament", "axioms", "intervals", "missing", "experiment", "fit", "cycles",
           "replicate"]  # fmt: skip


@pytest.fixture(scope="module")
def ballots(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "ballots.csv"
    ra.write_ballots(ra.cultures.ImpartialCulture().draw(8, 30, rng=1), path)
    return path


def run(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main([str(word) for word in words])
    return stop.value.code, capsys.readouterr()


@pytest.mark.parametrize("command", LIMITED)
def test_commands_that_search_take_a_limit(command, capsys):
    code, said = run(capsys, command, "--help")
    assert code == 0
    assert "--time-limit" in said.out


@pytest.mark.parametrize(
    ("method", "name"),
    [("dodgson", "Dodgson"), ("young", "Young"), ("ranked-pairs", "RankedPairs")],
)
@pytest.mark.parametrize("command", ["rank", "dispersion"])
def test_rules_without_a_ranking_in_time_are_named(command, method, name, ballots, capsys):
    words = command, ballots, "--format", "ballots", "--count", "count", "--method", method
    code, said = run(capsys, *words, "--time-limit", 0)
    assert code == 3
    assert said.err == f"Error: {name} was not computed in time: the time limit has passed.\n"
    assert said.out == ""
    code, limited = run(capsys, *words, "--time-limit", 1000)
    assert code == 0
    assert limited.out == run(capsys, *words)[1].out


@pytest.mark.parametrize("command", ["rank", "dispersion"])
@pytest.mark.parametrize("method", ["kemeny", "slater"])
def test_exact_rules_give_what_they_have(command, method, ballots, capsys):
    code, said = run(
        capsys, command, ballots, "--format", "ballots", "--count", "count", "--method", method,
        "--time-limit", 0,
    )  # fmt: skip
    assert code == 3
    assert "% below; proved by" in said.out


@pytest.mark.parametrize("command", ["missing", "experiment"])
def test_limits_reach_the_rules_of_studies(command, tmp_path, capsys):
    path = tmp_path / "scores.csv"
    rows = "".join(f"s{k},{(7 * k) % 5},{(3 * k) % 7},{k if k != 4 else ''}\n" for k in range(8))
    path.write_text(f"system,x,y,z\n{rows}", encoding="utf-8")
    small = {"missing": ["--samples", 4], "experiment": ["--repetitions", 2]}[command]
    code, said = run(capsys, command, path, "--method", "borda", "--time-limit", 1)
    assert code == 2
    assert "--time-limit is for methods that search, such as kemeny." in said.err
    code, said = run(capsys, command, path, "--method", "kemeny", *small, "--time-limit", 0)
    assert ("4 of 4 completions are not settled in time" in said.out) == (command == "missing")
    assert code == {"missing": 3, "experiment": 0}[command]


@pytest.mark.parametrize("words", [("rank", "--method"), ("fit", "--model")])
def test_mallows_gives_the_best_center_found_with_its_bound(words, tmp_path, capsys):
    command, option = words
    path = tmp_path / "ballots.csv"
    ra.write_ballots(ra.cultures.ImpartialCulture().draw(12, 7, rng=1), path)
    words = command, path, "--format", "ballots", "--count", "count", option, "mallows"
    code, said = run(capsys, *words, "--time-limit", 0)
    assert code == 3
    assert "% below; proved by majorities alone" in " ".join(said.out.split())
    code, limited = run(capsys, *words, "--time-limit", 1000)
    assert code == 0
    assert limited.out == run(capsys, *words)[1].out


def test_centers_without_a_bound_are_refused_at_the_limit(tmp_path, capsys):
    path = tmp_path / "ballots.csv"
    path.write_text("A,B,C,D,E,F,G\n1,2,3,4,5,6,7\n2,1,3,7,6,5,4\n", encoding="utf-8")
    words = "fit", path, "--format", "ballots", "--time-limit", 0, "--model"
    code, said = run(capsys, *words, "generalized-mallows")
    assert (code, said.out) == (3, "")
    assert "GeneralizedMallows was not found in time: 0 were tried." in said.err
    path.write_text("A,B,C\n1,2,\n2,1,3\n", encoding="utf-8")
    code, said = run(capsys, *words, "mallows")
    assert (code, said.out) == (3, "")
    assert "The center of Mallows was not found in time" in said.err
    code, said = run(capsys, *words, "plackett-luce")
    assert code == 2
    assert "--time-limit is for --model mallows and generalized-mallows." in said.err


def test_a_study_goes_on_from_what_was_done_in_time(tmp_path, capsys):
    words = "cycles", "--rankings", 3, "--repetitions", 5, "--journal", tmp_path / "cycles.jsonl"
    code, said = run(capsys, *words, "--time-limit", 0)
    assert (code, said.out) == (3, "")
    assert "0 of 5 data sets were done in time; the journal keeps them" in said.err
    code, done = run(capsys, *words, "--time-limit", 1000)
    assert code == 0
    assert run(capsys, *words, "--time-limit", 1)[1].out == done.out


def test_a_profile_whose_consensus_takes_longer_ends_a_study():
    study = ra.studies.CycleStudy(
        models=[ra.cultures.ImpartialCulture()], n_items=[60], n_rankings=[5], n_repetitions=2
    )
    with pytest.raises(OutOfTimeError, match="0 of 2 data sets were done in time"):
        study.run(time_limit=0.05)


def test_experiments_that_were_not_run_in_time_are_not_judged(tmp_path, capsys):
    words = "replicate", "p1-table-1", "--out", tmp_path
    code, said = run(capsys, *words, "--time-limit", 0)
    assert code == 3
    assert "not judged: 19" in said.out
    assert (tmp_path / "journals").is_dir()
    code, said = run(capsys, *words, "--time-limit", 1000)
    assert code == 0
    assert "not judged" not in said.out
    assert not (tmp_path / "journals").exists()


def test_what_never_searches_takes_no_limit(ballots, capsys):
    code, said = run(capsys, "rank", ballots, "--format", "ballots", "--method", "borda",
                     "--time-limit", 1)  # fmt: skip
    assert code == 2
    assert "--time-limit is for methods that search, such as kemeny." in said.err


class Asked(ra.Kemeny):
    """Remembers when it has to end."""

    seen: list[Deadline] = []  # noqa: RUF012

    def _aggregate_within(self, evidence, rng, deadline):
        self.seen.append(deadline)
        return super()._aggregate_within(evidence, rng, deadline)


def test_dispersion_runs_the_exact_rule_under_a_limit():
    profile = ra.datasets.load("tennessee")
    Asked.seen.clear()
    before = Deadline.after(60)
    ra.dispersion_report(profile, [Asked()])
    ra.dispersion_report(profile, [Asked()], time_limit=None)
    first, second = Asked.seen
    assert before.at <= first.at <= Deadline.after(60).at
    assert second == Deadline()
    assert inspect.signature(ra.dispersion_report).parameters["time_limit"].default == 60


def test_ranked_pairs_ends_within_the_locking_of_equal_majorities():
    votes = ra.cultures.ImpartialCulture().draw(12, 3, rng=2).pairwise()
    margins = votes.scaled_wins - votes.scaled_wins.T
    over = Deadline.after(0)
    with pytest.raises(OutOfTimeError):
        locked_paths(margins, over)
    with pytest.raises(OutOfTimeError):
        next(locked_in_every_way(margins, over))
    for rule in (ra.RankedPairs(), ra.RankedPairs(tie_breaking="parallel")):
        assert rule.searches
        with pytest.raises(OutOfTimeError, match=r"RankedPairs.* was not computed in time"):
            rule.aggregate(votes, deadline=over)
        assert rule.aggregate(votes, deadline=Deadline.after(1000)) == rule.aggregate(votes)


def test_rules_that_search_are_those_with_the_hook():
    assert not ra.Borda().searches
    assert all(rule.searches for rule in (ra.Young(), ra.Dodgson(), ra.Slater(), ra.Kemeny()))
    assert "deadline" in inspect.signature(Aggregator._aggregate_within).parameters
