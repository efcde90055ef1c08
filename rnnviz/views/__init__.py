"""Results become plain values that a page shows: payloads, sentences, figures. Nothing here knows Streamlit."""
