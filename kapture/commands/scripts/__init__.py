"""Running a client's own JavaScript."""
