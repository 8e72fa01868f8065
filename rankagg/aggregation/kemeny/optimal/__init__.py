"""What all optimal orders have in common."""
