"""Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores"."""
