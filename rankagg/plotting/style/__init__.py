"""What all pictures share: colours, lengths, labels, margins."""
