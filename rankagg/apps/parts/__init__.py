"""What the apps share: ballots as text, outcomes in words, and pictures; none needs marimo."""
