"""What checkers of kernel machines prove with."""
