"""How far the gradient reaches back in time, and why: norms, map of all pairs, spectra, horizon, bounds, causes."""
