"""Parts of graphs."""

import numpy as np

from rankagg.core.graphs import connected_parts, ordered_parts, strong_parts


def test_groups_of_a_long_chain_are_in_order():
    arcs = np.diag(np.ones(499, dtype=bool), k=1)
    assert [part.tolist() for part in ordered_parts(arcs)] == [[i] for i in range(500)]


def test_parts_of_a_graph() -> None:
    arcs = np.zeros((5, 5), dtype=bool)
    arcs[[0, 1, 2, 3], [1, 2, 0, 2]] = True  # a cycle of three, one that leads into it, one alone
    joined, strong = connected_parts(arcs), strong_parts(arcs)
    assert [joined[0] == joined[k] for k in range(5)] == [True, True, True, True, False]
    assert [strong[0] == strong[k] for k in range(5)] == [True, True, True, False, False]
    assert joined.dtype == strong.dtype == np.int32
