"""Parts of graphs."""

import networkx as nx
import numpy as np
import pytest

from rankagg.core import graphs
from rankagg.core.graphs import connected_parts, ordered_parts, strong_parts


def test_groups_of_a_long_chain_are_in_order():
    arcs = np.diag(np.ones(499, dtype=bool), k=1)
    assert [part.tolist() for part in ordered_parts(arcs)] == [[i] for i in range(500)]


@pytest.mark.parametrize("n", [1, 7, 65])
def test_parts_are_those_of_networkx(n: int) -> None:
    rng = np.random.default_rng(n)
    for share in (0.0, 0.5 / n, 1 / n, 2 / n, 0.5):
        arcs = rng.random((n, n)) < share
        graph = nx.from_numpy_array(arcs, create_using=nx.DiGraph)
        for label, parts in (
            (strong_parts(arcs), nx.strongly_connected_components(graph)),
            (connected_parts(arcs), nx.weakly_connected_components(graph)),
        ):
            assert label.dtype == np.int32
            found = [set(np.flatnonzero(label == at).tolist()) for at in range(label.max() + 1)]
            assert sorted(map(sorted, found)) == sorted(map(sorted, parts))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.03, 0.2])
@pytest.mark.parametrize("seed", range(2))
def test_parts_of_many_items_are_those_of_few(monkeypatch, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    # Of most pairs the first has an arc to the second, and of some the other way.
    arcs = np.triu(rng.random((60, 60)) < rng.choice([0.05, 0.9]), k=1)
    arcs |= np.tril(rng.random((60, 60)) < share, k=-1)
    shuffled = rng.permutation(60)
    arcs = arcs[np.ix_(shuffled, shuffled)]
    expected = {tuple(part) for part in ordered_parts(arcs)}
    monkeypatch.setattr(graphs, "MANY", 1)
    parts = ordered_parts(arcs)
    assert {tuple(part) for part in parts} == expected
    place = np.empty(60, dtype=int)
    for at, part in enumerate(parts):
        place[part] = at
    first, second = np.nonzero(arcs)
    assert (place[first] <= place[second]).all()
