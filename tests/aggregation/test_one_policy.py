"""All that is computed from data follows their policy: one winner, one cost, one majority.

The oracle goes ballot by ballot and pair by pair, in fractions.
"""

import json
import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import rankagg as ra
from rankagg.core.places import UNLISTED, UNRANKED
from tests.conftest import seeds

POLICIES = ("uniform", "ignore", "last")
RULES = (
    ra.Borda(), ra.Copeland(), ra.PairwiseMajority(), ra.Minimax(), ra.Schulze(), ra.Black(),
    ra.Plurality(), ra.Veto(), ra.Approval(2), ra.Bucklin(), ra.InstantRunoff(), ra.Coombs(),
    ra.Baldwin(), ra.Nanson(), ra.PickAPerm(), ra.RankedPairs(),
    ra.Kemeny(), ra.Slater(), ra.InsertionSearch(), ra.MC4(),
)  # fmt: skip


def drawn(seed):
    """Return data of a random kind: ballots with ties and gaps, lists, or a table with gaps."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 9), rng.integers(2, 6)
    numbers = rng.integers(1, n + 2, (m, n)).astype(float)
    numbers[rng.random((m, n)) < rng.choice([0.0, 0.3, 0.6])] = np.nan
    numbers[np.isnan(numbers).all(axis=1), 0] = 1.0
    policy = POLICIES[seed % 3]
    kind = rng.choice(["ballots", "lists", "scores"])
    if kind == "scores":
        table = ra.ScoreTable(numbers.T, systems="ABCDE"[:n], higher_is_better=False)
        return table.with_unranked(policy)
    weights = rng.integers(1, 4, m) / 2
    counts = rng.integers(1, 4, m)
    profile = ra.Profile.from_scores(
        numbers, higher_is_better=False, items="ABCDE"[:n], counts=counts, weights=weights
    )
    if kind == "lists":
        lists = [
            ra.PartialRanking(
                [UNLISTED if r == UNRANKED and k % 2 else r for r in one.ranks], "ABCDE"[:n]
            )
            for k, one in enumerate(profile)
        ]
        profile = ra.Profile(lists, counts=counts, weights=weights)
    return profile.with_unranked(policy)


def votes_of(data):
    """Return the votes for row above column, from the words of the conventions."""
    profile = data.rankings() if isinstance(data, ra.ScoreTable) else data
    n, policy = profile.n_items, data.unranked
    wins = [[Fraction(0)] * n for _ in range(n)]
    for ranking, count, weight in zip(profile, profile.counts, profile.weights, strict=True):
        worth = int(count) * Fraction(float(weight))
        ranks = [int(r) for r in ranking.ranks]
        gone, off = UNRANKED, UNLISTED
        if policy == "last":
            ranks = [off if r == gone else r for r in ranks]
        listed = [r for r in ranks if r >= 0]
        k = sum(r != gone for r in ranks)
        place = [
            Fraction(2 * r + listed.count(r) - 1, 2) if r >= 0
            else Fraction(len(listed) + k - 1, 2) for r in ranks
        ]  # fmt: skip
        for i, j in combinations(range(n), 2):
            share = None
            if gone in (ranks[i], ranks[j]):
                if policy == "ignore":
                    continue
                if ranks[i] == ranks[j]:
                    share = Fraction(1, 2)
                elif ranks[i] == gone:
                    share = (place[j] + 1) / (k + 1)
                else:
                    share = 1 - (place[i] + 1) / (k + 1)
            elif off in (ranks[i], ranks[j]):
                if ranks[i] == ranks[j]:
                    continue
                share = Fraction(ranks[j] == off)
            elif ranks[i] != ranks[j]:
                share = Fraction(ranks[i] < ranks[j])
            if share is not None:
                wins[i][j] += worth * share
                wins[j][i] += worth * (1 - share)
    return wins


def cost_of(ranking, wins):
    """Return the votes that a ranking contradicts; a tie costs half of those on the pair."""
    cost = Fraction(0)
    for i, j in combinations(range(len(wins)), 2):
        before, behind = int(ranking.ranks[i]), int(ranking.ranks[j])
        if before == behind:
            cost += (wins[i][j] + wins[j][i]) / 2
        else:
            cost += wins[j][i] if before < behind else wins[i][j]
    return cost


def stated_number(sentence):
    """Return the first number of a sentence."""
    return float(re.search(r"[0-9][0-9,.]*(?<![.,])", sentence)[0].replace(",", ""))


@pytest.mark.parametrize("seed", seeds(6, 500))
def test_rules_costs_and_explanations_use_the_same_votes(seed):
    data = drawn(seed)
    wins = votes_of(data)
    n = len(wins)
    comparison = ra.compare(data, RULES)
    assert comparison.unranked == data.unranked
    np.testing.assert_allclose(comparison.votes.wins, np.array(wins, dtype=float), atol=1e-12)
    assert ra.TournamentGraph(data).votes == comparison.votes
    for rule, consensus in zip(RULES, comparison.consensuses, strict=True):
        alone = rule.aggregate(data)
        assert alone == consensus, rule
        if not consensus.ranking.is_complete:
            continue  # such as Bucklin's, of items that nobody ranks
        assert consensus.cost == pytest.approx(float(cost_of(consensus.ranking, wins))), rule
        assert ra.dispersion(data, consensus.ranking) == pytest.approx(consensus.cost)
        explanation = ra.explain(consensus, *consensus.items.labels[:2])
        i, j = consensus.items.indices([explanation.above, explanation.below])
        assert explanation.margin == pytest.approx(float(wins[i][j] - wins[j][i]))
    least = min(
        cost_of(ranking, wins)
        for ranking in ra.PartialRanking([UNRANKED] * n, range(n)).compatible_permutations()
    )
    assert comparison["Kemeny"].cost == pytest.approx(float(least))


@pytest.mark.parametrize("seed", seeds(2, 200))
def test_commands_and_pages_use_the_same_votes(seed, run, tmp_path):
    data, file = drawn(seed), tmp_path / "data.csv"
    given = f"{file} --unranked {data.unranked} --json "
    if isinstance(data, ra.ScoreTable):
        data.to_frame().to_csv(file)
        given += "--format scores --lower-is-better"
    else:
        # A file has one kind of absent items and no weights; a column without ranks is none.
        ranks = np.where(data.ranks == UNLISTED, UNRANKED, data.ranks)
        kept = np.flatnonzero((ranks >= 0).any(axis=0))
        rows = [ra.PartialRanking(row, data.items) for row in ranks]
        data = ra.Profile(rows, counts=data.counts).with_unranked(data.unranked)
        data = data.restrict([data.items[k] for k in kept])
        if len(kept) < 2:
            return
        ra.io.write_ballots(data, file)
        given += "--format ballots --count count"
    wins = votes_of(data)
    comparison = ra.compare(data, [ra.Borda(), ra.InstantRunoff(), ra.Kemeny()])
    rules = "".join(f" --rule {name}" for name in ("borda", "instant-runoff", "kemeny"))
    consensuses = json.loads(run(f"compare {given}{rules}").out)["consensuses"]
    for one, consensus in zip(consensuses, comparison.consensuses, strict=True):
        assert [rank - 1 for rank in one["ranks"]] == consensus.ranking.ranks.tolist()
        assert one["cost"] == pytest.approx(float(cost_of(consensus.ranking, wins)))
    exact = comparison["Kemeny"]
    assert json.loads(run(f"solve {given}").out)["cost"] == pytest.approx(exact.cost)
    first, second, *_ = exact.items
    explanation = json.loads(run(f"explain {given} --pair {first} {second}").out)
    i, j = exact.items.indices([explanation["above"], explanation["below"]])
    margin = explanation["votes_for"] - explanation["votes_against"]
    assert margin == pytest.approx(float(wins[i][j] - wins[j][i]))
    (proved,) = ra.make_report(data, gates=["proved"]).gates
    assert stated_number(proved.reason) == pytest.approx(exact.cost, abs=0.01)


@pytest.mark.parametrize("seed", seeds(12, 500))
def test_a_count_and_its_rule_name_the_same_winners(seed):
    data = drawn(seed)
    for rule in (ra.InstantRunoff(), ra.Coombs(), ra.Baldwin(), ra.Nanson()):
        ranked, count = rule.aggregate(data), rule.count(data)
        assert set(count.elected) == set(ranked.buckets[0]), rule
        orders = (
            [rule.aggregate(data.with_unranked("last")).ranking] if data.unranked != "last" else []
        )
        assert all(order == ranked.ranking for order in orders), rule
        names = dict(zip(count.candidates, ranked.ranking.ranks, strict=True))
        places = [names[label] for label in count.order]
        assert places == sorted(places)


def test_derived_data_keep_the_policy():
    profile = ra.Profile.from_orders(["ABC", "B", "CA"], items="ABC").with_unranked("ignore")
    made = [
        profile[[0, 1]], profile.compress(), profile.restrict("AB"), profile.reindex("ABCD"),
        profile.with_clusters("xxy"), profile + profile, profile.sample_compatible(rng=0),
        profile.pairwise(), profile.pairwise() + profile.pairwise(),
    ]  # fmt: skip
    assert {one.unranked for one in made} == {"ignore"}
    table = ra.ScoreTable(
        [[1, 2, np.nan], [3, np.nan, 1]], systems="AB", tasks="xyz", higher_is_better=True
    ).with_unranked("last")
    made = [
        table.drop(tasks="x"), table.group_tasks({"w": ["x", "y"]}), table.rankings(),
        table.with_task_weights({"x": 2}), ra.ScoreSummary.from_scores(table),
        ra.ScoreSummary.from_dict(ra.ScoreSummary.from_scores(table).to_dict()),
    ]  # fmt: skip
    assert {one.unranked for one in made} == {"last"}
    assert profile.reindex("ABCD").with_unranked("last").reindex("ABCDE").has_unranked is False


def test_rules_by_rounds_note_the_policy_for_absent_items():
    profile = ra.Profile.from_orders(["ABC", "B", "CA"], items="ABC")
    for policy in POLICIES:
        votes = profile.with_unranked(policy).pairwise()
        notes = [note for note in ra.Baldwin().aggregate(votes).notes if "were counted" in note]
        assert len(notes) == (policy != "last")
        assert all(f"by the policy {policy!r}" in note for note in notes)
    assert not ra.Nanson().aggregate(ra.PairwiseMatrix.from_wins([[0, 2], [1, 0]])).notes


def test_changing_a_policy_that_was_applied_is_refused():
    lists = ra.Profile.from_orders(["ABC", "B"], items="ABC").with_unranked("last")
    with pytest.raises(
        ra.exceptions.InvalidInputError, match="`unranked` must be 'last' for top-k lists"
    ):
        lists.with_unranked("uniform")
    votes = ra.Profile.from_orders(["ABC", "B"], items="ABC").pairwise()
    with pytest.raises(ra.exceptions.InvalidInputError, match="for votes that are already summed"):
        votes.with_unranked("last")
    whole = ra.Profile.from_orders(["ABC", "BCA"]).pairwise()
    assert whole.with_unranked("last").unranked == "last"
    with pytest.raises(ra.exceptions.InvalidInputError, match="the same policy in both profiles"):
        lists + ra.Profile.from_orders(["ABC"])
