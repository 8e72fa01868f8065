"""One self-contained page about a data set, its consensus and how sure it is."""
