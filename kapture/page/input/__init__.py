"""Trusted input, and what keeps it from documents outside the grant."""
