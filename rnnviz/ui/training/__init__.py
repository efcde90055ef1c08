"""The page on training."""
