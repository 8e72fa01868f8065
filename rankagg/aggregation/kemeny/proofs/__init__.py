"""How a bound is proved: rows, nodes, proofs, certificates, and the reading of them."""
