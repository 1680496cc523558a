"""A client's own JavaScript."""
