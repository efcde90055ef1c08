"""Where a network goes under a constant input: fixed points and their kinds, cycles, lines and planes."""
