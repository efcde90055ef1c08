"""The folds and controls of the pages that walk one cell number by number."""
