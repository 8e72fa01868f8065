"""The exact consensus among rankings that keep constraints."""
