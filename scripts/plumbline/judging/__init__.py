"""Asking judges about plans, and reading their verdicts."""
