"""Pictures of coefficients, penalties and margins."""
