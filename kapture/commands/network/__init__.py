"""The network of a tab: what was requested, blocking and mocking, conditions."""
