"""Whole tasks by an ideal agent: the number of calls and characters for typical tasks on sites."""
