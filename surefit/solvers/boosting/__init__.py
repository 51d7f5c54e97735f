"""Stage-wise additive models: each stage is fitted to what the earlier ones left over."""
