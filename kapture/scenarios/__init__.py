"""Scenarios: flows that are recorded or written once and run again without a model (docs/SCENARIOS.md)."""
