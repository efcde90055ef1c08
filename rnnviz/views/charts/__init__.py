"""Standard charts: Plotly figures as plain dicts, made from results by pure functions."""
