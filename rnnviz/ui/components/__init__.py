"""The components in the browser, each with its JavaScript."""
