"""Waiting for a page to be as asked."""
