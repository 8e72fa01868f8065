"""Many rankings of the same items."""
