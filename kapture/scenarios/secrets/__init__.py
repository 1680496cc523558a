"""Secret values of scenarios: stored encrypted, apart from the scenarios, and typed on their own origins only."""
