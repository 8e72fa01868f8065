"""What an analysis found, and the tables that one pastes of it."""
