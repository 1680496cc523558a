"""The frames of a tab, the documents that they show, and where scripts run in them."""
