"""What all pictures share: colors, lengths, labels, margins."""
