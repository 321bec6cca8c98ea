"""Entry point; written with the command line."""
