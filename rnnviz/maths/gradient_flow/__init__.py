"""How far the gradient reaches back in time and why: norms, the map of all pairs, spectra, horizon, bounds and causes."""
