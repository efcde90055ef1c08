"""The Gradient flow page, and its folds."""
