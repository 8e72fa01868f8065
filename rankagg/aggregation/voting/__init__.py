"""Voting rules of the textbooks: points by place, eliminations, and nearness to a winner."""
