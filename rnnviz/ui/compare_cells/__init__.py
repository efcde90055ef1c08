"""The parts of the page that compares the cells."""
