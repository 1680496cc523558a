"""Recording: from what a person does to a scenario."""
