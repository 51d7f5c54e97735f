"""Floor 1: parameters, data intake, errors, random streams, base classes, threads, memory estimates."""
