"""Browsers behind a relay extension."""
