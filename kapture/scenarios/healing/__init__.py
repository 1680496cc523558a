"""Whether an element of a changed page is the one that was recorded."""
