"""The server under load: a client that speaks Streamlit's protocol, a class of fifty, and what the memory grows to."""
