"""Principal axes of rows: by products of columns or of rows, by factors, by subspaces, and row by row."""
