"""A majority graph for other programs: NetworkX and Graphviz."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd

from rankagg._typing import Bools, Label
from rankagg.core.items import ItemSet, clean_label
from rankagg.core.votes.pairwise import PairwiseMatrix

__all__ = ["as_dot", "as_networkx"]


def as_networkx(votes: PairwiseMatrix, beats: Bools) -> nx.DiGraph[Label]:
    """Return the majorities as a graph; arcs have margin, votes_for and votes_against."""
    graph: nx.DiGraph[Label] = nx.DiGraph()
    graph.add_nodes_from(votes.items)
    wins = votes.wins
    for i, j in np.argwhere(beats).tolist():
        graph.add_edge(
            votes.items[i], votes.items[j], margin=float(wins[i, j] - wins[j, i]),
            votes_for=float(wins[i, j]), votes_against=float(wins[j, i]),
        )  # fmt: skip
    return graph


def as_dot(items: ItemSet, arcs: pd.DataFrame) -> str:
    """Return the graph in the DOT language; labels of arcs are margins."""
    lines = ["digraph tournament {"]
    lines += [f"  {_quoted(item)};" for item in items]
    lines += [
        f"  {_quoted(arc.above)} -> {_quoted(arc.below)} [label={_quoted(f'{arc.margin:g}')}];"
        for arc in arcs.itertuples(index=False)
    ]
    return "\n".join([*lines, "}", ""])


def _quoted(value: object) -> str:
    text = str(clean_label(value)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
