"""Growing and pruning trees: one tree in memory, several growers."""
