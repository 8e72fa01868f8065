"""How far rules move when tasks are corrupted or rescaled."""
