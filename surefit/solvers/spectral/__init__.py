"""Principal axes, discriminant directions and covariances."""
