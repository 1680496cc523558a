"""Waiting for a state of the page."""
