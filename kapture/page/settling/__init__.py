"""Waiting for what an action or a navigation causes."""
