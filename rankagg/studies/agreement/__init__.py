"""How far rules agree on one table."""
