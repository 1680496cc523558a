"""Scenario files: their folder, decoding them, and their JSON Schema."""
