"""Floor 2: what one pass over the rows counts or adds up, without a loop around it."""
