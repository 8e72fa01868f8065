"""How often majorities are cyclic, and how often Borda and Kemeny disagree."""
