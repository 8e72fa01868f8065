"""The reader of certificates: what it refuses, and the path of the field that it names."""

import json
import re
from typing import Any

import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.certificate import Certificate
from rankagg.check_certificate import Branch, Cut, Enumeration, Exchange, Fixing, Leaf
from rankagg.exceptions import DataFormatError

LONG = 10**1000


def tree(*nodes: dict[str, Any], positions: tuple[int, ...] = (0, 2, 3)) -> list[dict[str, Any]]:
    """Return the proofs of one part; a node that has cycles has no rows where it states none."""
    stated = [
        {"rows": [], **node} if isinstance(node, dict) and "cycles" in node else node
        for node in nodes
    ]
    return [{"positions": list(positions), "rows": [], "nodes": stated}]


def plain(**fields: Any) -> dict[str, Any]:
    """Return a certificate of five items that is well formed, whatever it proves."""
    data = {
        "schema": "rankagg.certificate", "version": 1, "status": "gap", "cost": "5",
        "lower_bound": "4", "tolerance": "0", "tie_cost": "1/3", "fingerprint": "0a" * 32,
        "items": ["a", "b", "c", "d", "e"], "order": [4, 2, 0, 1, 3], "scaled_cost": 10,
        "scaled_lower_bound": 8, "denominator": 2, "weight_denominator": 2**20,
        "proofs": tree(FIX, PAIR, LEAF, LEAF),
    }  # fmt: skip
    return json.loads(json.dumps({**data, **fields}))


LEAF = {"cycles": [[0, 2, 3, 5], [3, 0, 2, 1]]}
FIX = {"cycles": [[0, 3, 2, 1]], "threshold": 0, "rest": 1}
PAIR = {"pair": [2, 0], "before": 3, "after": 2}
WHOLE = {"enumeration": True}


def cycle(*numbers: Any) -> dict[str, Any]:
    return {"proofs": tree({"cycles": [[0, 2, 3, 2], list(numbers)]})}


def test_a_certificate_is_read_with_all_its_fields() -> None:
    content = Certificate.from_dict(plain())
    leaf = Leaf(((0, 2, 3), (3, 0, 2)), (5, 1))
    assert content.proofs[0].nodes == (
        Fixing(Leaf(((0, 3, 2),), (1,)), 0, 1),
        Branch(2, 0, 3, 2),
        leaf,
        leaf,
    )
    assert content.proofs[0].positions == (0, 2, 3)
    assert content.order == (4, 2, 0, 1, 3)
    assert (content.scaled_cost, content.scaled_lower_bound, content.denominator) == (10, 8, 2)
    assert (str(content.tie_cost), str(content.tolerance)) == ("1/3", "0")
    assert content.fingerprint == "0a" * 32
    assert ra.Certificate.from_dict(plain()).to_dict() == plain()


@pytest.mark.parametrize(
    "fields",
    [
        {"proofs": []},
        {"proofs": tree({"cycles": []}, positions=(3, 4))},
        {"proofs": tree(LEAF) + tree({"cycles": []}, positions=(1, 4))},
        cycle(0, 2, 3, LONG - 1),
        {"tie_cost": "0"},
        {"scaled_lower_bound": 10, "lower_bound": "5", "status": "optimal"},
        {"items": [3, -7, LONG - 1, 1 - LONG, 0]},
        {"fingerprint": "0123456789abcdef" * 4},
        {"proofs": tree({"cycles": [[0, 2, 3, 1]] * 2})},
    ],
)
def test_unusual_certificates_are_read_and_written_back(fields: dict[str, Any]) -> None:
    assert ra.Certificate.from_dict(plain(**fields)).to_dict() == plain(**fields)


NODE = "proofs[0].nodes[0]"
INSIDE = "three different positions of the proof and a weight of at least 1"


REFUSED: list[tuple[dict[str, Any], str]] = [
        ({"schema": "x"}, "`schema` must be 'rankagg.certificate'. Got 'x'."),
        ({"version": 2}, "`version` must be 1. Got 2."),
        ({"weight_denominator": 2**20 + 1}, "`weight_denominator` must be 1048576."),
        ({"status": "optimal"}, "`status` must be 'gap'. Got 'optimal'."),
        ({"cost": "10/2"}, "`cost` must be '5'."),
        ({"lower_bound": "5"}, "`lower_bound` must be '4'."),
        ({"tolerance": "-1"}, "`tolerance` must be"),
        ({"tie_cost": "4/3"}, "`tie_cost` must be at most 1. Got '4/3'."),
        ({"fingerprint": "0a" * 31}, "`fingerprint` must be a text of 64 hexadecimal digits"),
        ({"items": []}, "`items` must be a list of at least one item."),
        ({"items": ["a", "b", "c", "d", 5]}, "`items` must be texts only or integers only."),
        ({"items": ["a", "b", "c", "d", "a"]}, "`items` must be free of repetitions."),
        ({"items": [0, 1, 2, 3, True]}, "`items[4]` must be a text or an integer. Got True."),
        ({"items": [0, 1, 2, 3, LONG]}, "`items[4]` must be an integer of at most 1000 digits."),
        ({"order": [0, 1, 2, 3, 3]}, "`order` must be each of the positions 0 to 4 once."),
        ({"order": [0, 1, 2, 3, 5]}, "`order[4]` must be an integer of at least 0 and at most 4."),
        ({"scaled_cost": -1}, "`scaled_cost` must be an integer of at least 0"),
        ({"scaled_lower_bound": 11}, "`scaled_lower_bound` must be at most `scaled_cost`. Got 11."),
        ({"denominator": 0}, "`denominator` must be an integer of at least 1"),
        ({"proofs": [{"positions": [0, 1]}]}, "`proofs[0].rows` is missing."),
        # Parts.
        ({"proofs": tree(LEAF, positions=(0, 2, 5))}, "`proofs[0].positions[2]` must be"),
        ({"proofs": tree(LEAF, positions=(0, 2, 2))}, "`proofs[0].positions` must be two or more"),
        ({"proofs": tree(LEAF) + tree({"cycles": []}, positions=(4, 3))},
         "`proofs[1].positions` must be two or more positions, none of them twice or in another"),
        # Trees.
        ({"proofs": tree()}, "`proofs[0].nodes` must be a list of at least one node."),
        ({"proofs": tree(LEAF, LEAF)}, "`proofs[0].nodes[1]` must be a child of a node before it."),
        ({"proofs": tree({**FIX, "rest": 0}, LEAF)}, f"`{NODE}.rest` must be an integer of at lea"),
        ({"proofs": tree({**FIX, "rest": 2}, LEAF)}, f"`{NODE}.rest` must be an integer of at lea"),
        ({"proofs": tree({**PAIR, "before": 1, "after": 3}, LEAF, LEAF)}, f"`{NODE}.after` must"),
        ({"proofs": tree({**PAIR, "before": 2}, LEAF, LEAF)},
         f"`{NODE}.after` must be a node that is not the child of another or of the same node"),
        ({"proofs": tree(FIX, FIX)}, "`proofs[0].nodes[1].rest` must be an integer of at least 2"),
        # Nodes.
        ({"proofs": tree({})}, f"`{NODE}.cycles` is missing."),
        ({"proofs": tree({**LEAF, "more": 1})}, f"'more' is no key of `{NODE}`; the keys are cyc"),
        ({"proofs": tree({**FIX, "pair": [0, 2]}, LEAF)}, f"`{NODE}.before` is missing."),
        ({"proofs": tree({"cycles": [], "rest": 1}, LEAF)}, f"'rest' is no key of `{NODE}`"),
        ({"proofs": tree({**FIX, "threshold": -1}, LEAF)}, f"`{NODE}.threshold` must be an integ"),
        ({"proofs": tree({**PAIR, "pair": [0, 0]}, LEAF, LEAF)}, f"`{NODE}.pair` must be two diff"),
        ({"proofs": tree({**PAIR, "pair": [0]}, LEAF, LEAF)}, f"`{NODE}.pair` must be two differ"),
        ({"proofs": tree({"enumeration": 1})}, f"`{NODE}.enumeration` must be true. Got 1."),
        ({"proofs": tree({**WHOLE, "cycles": []})}, f"'rows' is no key of `{NODE}`"),
        ({"proofs": tree(FIX, WHOLE)},
         "`proofs[0].nodes[1]` must be the only node of its proof, which has at most 20 positions"),
        # Cycles.
        *((cycle(*wrong), f"`{NODE}.cycles[1]` must be {INSIDE}.") for wrong in (
            (0, 2, 3), (0, 2, 1, 1), (4, 2, 3, 2), (0, 0, 3, 1), (0, 3, 3, 1), (0, 3, 0, 1),
            (0, 2, 3, 0), (0, 2, 3, LONG), (0, 2, True, 1), (0, 2, 3.0, 1),
        )),
        ({"proofs": tree({"cycles": [[0, 2, 3, 1]] * 3})},
         f"`{NODE}.cycles` must be a list of at most 2. Got a list of 3."),
        ({"proofs": tree({"cycles": [[0, 2, 3, 1]] * 9}, positions=(0, 1, 2, 3))},
         f"`{NODE}.cycles` must be a list of at most 8. Got a list of 9."),
]  # fmt: skip


def test_malformed_certificates_are_refused() -> None:
    for fields, message in REFUSED:
        with pytest.raises(DataFormatError, match="^" + re.escape(message)):
            Certificate.from_dict(plain(**fields))


# -- pairs of every optimum -----------------------------------------------------------------------

MOVES = {"exchange": [[0, 2], [3, 0]], "up": 2, "down": 0, "rest": 1}
APART = {"above": [3, 0], "cut": [[0, 2]], "rest": 1}


def chain(*nodes: dict[str, Any]) -> dict[str, Any]:
    proof = {"positions": [0, 2, 3], "rows": [], "nodes": list(nodes)}
    return plain(proofs=[proof])


def test_a_chain_of_exchanges_and_cuts_is_read() -> None:
    data = chain(MOVES, {**APART, "rest": 2}, {**MOVES, "rest": 3}, {"cycles": [], "rows": []})
    nodes = Certificate.from_dict(data).proofs[0].nodes
    assert nodes[:2] == (Exchange(((0, 2), (3, 0)), 2, 0, 1), Cut((3, 0), ((0, 2),), 2))
    assert ra.Certificate.from_dict(data).to_dict() == data


END = {"cycles": [], "rows": []}
FIXED = {"cycles": [], "rows": [], "threshold": 0, "rest": 1}
SPLIT = {"pair": [2, 0], "before": 1, "after": 2}
FIRST = "the root, or the rest of another exchange or cut"


CHAINS: list[tuple[list[dict[str, Any]], str]] = [
        ([{**MOVES, "exchange": []}, END], f"`{NODE}.exchange` must be a list of at least one"),
        ([{**MOVES, "exchange": [[0, 2, 3]]}, END], f"`{NODE}.exchange[0]` must be two diff"),
        ([{**MOVES, "exchange": [[0, 0]]}, END], f"`{NODE}.exchange[0]` must be two different"),
        ([{**MOVES, "exchange": [[0, 2.0]]}, END], f"`{NODE}.exchange[0][1]` must be an integer"),
        ([{**MOVES, "up": 2**31}, END], f"`{NODE}.up` must be an integer"),
        ([{**MOVES, "down": 0.5}, END], f"`{NODE}.down` must be an integer"),
        ([{**MOVES, "rest": 0}, END], f"`{NODE}.rest` must be an integer of at least 1"),
        ([{**MOVES, "cut": [[0, 2]]}, END], f"'cut' is no key of `{NODE}`"),
        ([{**APART, "above": [0, 0]}, END], f"`{NODE}.above` must be different positions"),
        ([{**APART, "cut": []}, END], f"`{NODE}.cut` must be a list of at least one pair"),
        ([FIXED, {**MOVES, "rest": 2}, END], f"`proofs[0].nodes[1]` must be {FIRST}"),
        ([SPLIT, {**MOVES, "rest": 3}, END, END], f"`proofs[0].nodes[1]` must be {FIRST}"),
        ([{**MOVES, "rest": 2}, {**APART, "rest": 2}, END],
         f"`proofs[0].nodes[1]` must be {FIRST}"),
]  # fmt: skip


def test_malformed_chains_of_nodes_are_refused() -> None:
    for nodes, message in CHAINS:
        with pytest.raises(DataFormatError, match="^" + re.escape(message)):
            Certificate.from_dict(chain(*nodes))


def test_every_key_is_needed() -> None:
    for key in plain():
        data = plain()
        del data[key]
        with pytest.raises(DataFormatError, match=f"^`{key}` is missing"):
            Certificate.from_dict(data)


def test_no_other_key_and_no_other_kind_of_data_is_allowed() -> None:
    with pytest.raises(DataFormatError, match=r"^'more' is no key; the keys are schema, version"):
        Certificate.from_dict(plain(more=1))
    for data in (None, [], "x", 7, True):
        with pytest.raises(DataFormatError, match=r"^The file must be an object"):
            Certificate.from_dict(data)


@pytest.mark.parametrize(("n", "passes"), [(20, True), (21, False)])
def test_enumerations_are_small(n: int, passes: bool) -> None:
    data = plain(
        items=list(range(21)), order=list(range(21)), proofs=tree(WHOLE, positions=tuple(range(n)))
    )
    if passes:
        assert Certificate.from_dict(data).proofs[0].nodes == (Enumeration(),)
        return
    with pytest.raises(DataFormatError, match="at most 20 positions"):
        Certificate.from_dict(data)


@pytest.mark.parametrize(("options", "start"), [({}, "The text"), ({"name": "p.json"}, "p.json")])
def test_invalid_json_is_refused_with_its_source(options, start):
    with pytest.raises(DataFormatError, match=f"^{start} "):
        ra.Certificate.from_json("{", **options)
