"""Models of text: characters, n-gram tables, what they predict."""
