"""Benchmarks of Kapture against raw CDP in the same browser: `python -m bench`."""
