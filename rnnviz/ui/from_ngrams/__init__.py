"""The page From n-grams."""
