"""Whole tasks by an ideal agent: how many calls and characters it takes to do what people do on sites."""
