"""From a part of the items to its best order and the cases that prove it."""
