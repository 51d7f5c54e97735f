"""What the data say of themselves before any model: rows as hashes, columns that name rows, leaks, a profile."""
