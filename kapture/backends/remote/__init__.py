"""Tabs that execute commands themselves."""
