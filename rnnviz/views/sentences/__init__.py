"""What is said of results, each sentence computed from the numbers on the screen, and their columns in tables."""
