"""Scenarios as test files for pytest and Playwright, and as calls of `batch`."""
