"""How near rules stay to themselves on random subsets of the tasks."""
