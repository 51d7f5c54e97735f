"""Linear functions with a margin, and what bounds their objective."""
