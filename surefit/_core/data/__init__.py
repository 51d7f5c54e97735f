"""What a user hands in becomes plain arrays, or an error that names the value at fault."""
