"""Answers: the facts of each, and how a model reads them. Pure: no handler, no page, no browser."""
