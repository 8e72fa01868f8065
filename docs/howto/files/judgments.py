"""Rankings of answers, one JSON object a line."""

import json

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.sources import MAX_BYTES, read_text
from rankagg.kinds import KINDS, DataKind


def read_judgments(source, *, max_bytes=MAX_BYTES) -> ra.Profile:
    """Return a ranking of models for every prompt, which is its group.

    Parameters
    ----------
    source : path or text stream
        Lines such as ``{"prompt": "p1", "ranking": ["model b", "model a"]}``.
    max_bytes : int
        How many bytes of memory reading may take.

    Returns
    -------
    Profile
    """
    name, text = read_text(source, max_bytes)
    prompts, orders = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            judgment = json.loads(line)
            prompts.append(judgment["prompt"])
            orders.append([str(model) for model in judgment["ranking"]])
        except (ValueError, TypeError, LookupError):
            raise DataFormatError(f"{name}, line {number}: no prompt with its ranking.") from None
    if not orders:
        raise DataFormatError(f"{name} is empty.")
    items = sorted({model for order in orders for model in order})
    rankings = [ra.PartialRanking.from_top_k(order, items=items) for order in orders]
    return ra.Profile(rankings, groups=prompts)


def looks_like_judgments(text):
    """Say whether a text begins as a line of judgments does."""
    return text.startswith('{"prompt"')


KINDS["judgments"] = DataKind(
    "judgments", "judgments, one JSON object a line", read_judgments, looks_like_judgments
)
