"""The only Streamlit in the package: the shell, the page's state and address, controls, the cell explorer."""
