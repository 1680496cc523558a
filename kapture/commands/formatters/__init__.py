"""Answers: the facts of each, and their text for models. Pure: no handler, no page, no browser."""
