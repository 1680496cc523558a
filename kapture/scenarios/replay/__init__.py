"""Running scenarios: their order, their steps, and the report."""
