"""Floor 2: the neighbors of a row, exactly: by k-d tree or by blocked products, in any metric."""
