"""How many units tell systems apart, and which differences so many units tell."""
