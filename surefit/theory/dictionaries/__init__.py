"""Sets of classifiers, seen through the labelings they give."""
