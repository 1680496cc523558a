"""Scenarios: flows that were recorded or written once and run again without a model (docs/SCENARIOS.md)."""
