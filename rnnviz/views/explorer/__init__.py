"""What the cell explorer draws: pictures of a step, forward and backward."""
