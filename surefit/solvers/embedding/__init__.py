"""Points in few dimensions from distances or neighborhoods: stress, local weights, geodesics."""
