"""The network of a tab: requests, blocking and mocking, conditions."""
