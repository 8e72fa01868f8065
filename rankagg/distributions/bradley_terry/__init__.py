"""Bradley-Terry for contests: ties, the advantage of a side, covariates, clusters."""
