"""Centers of k-means: where they start and how they move."""
