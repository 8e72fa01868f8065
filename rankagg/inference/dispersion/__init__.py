"""How far rankings are from each other and from a consensus."""
