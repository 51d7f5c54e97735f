"""What several checkers prove with."""
