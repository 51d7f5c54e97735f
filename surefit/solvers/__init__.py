"""Floor 3: algorithms on arrays and folds."""
