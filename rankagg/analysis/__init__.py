"""Looking at consensuses: side by side, and why they differ."""
