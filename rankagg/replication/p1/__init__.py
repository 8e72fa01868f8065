"""Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking"."""
