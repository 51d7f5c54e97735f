"""What checkers of trees prove with: impurities, the splits on offer in a node, where rows go."""
