"""The folds and controls of the pages that show one cell number by number."""
