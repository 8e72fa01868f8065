"""Questions on small random profiles, answered by the rules."""
