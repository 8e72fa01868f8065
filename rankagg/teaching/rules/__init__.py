"""The steps of each rule, computed from what its definition says."""
