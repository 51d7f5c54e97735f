"""What checkers of boosted trees prove with: losses of one row, trees on coded columns, the splits on offer."""
